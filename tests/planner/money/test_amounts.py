"""Amounts as people read them: one form, whatever the language."""

from decimal import Decimal

import pytest
from django.utils import translation

from planner.amounts import amount, exact_amount, exchange_text, plain_amount

SPACE = "\u00a0"


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3600, "USD 3,600"),
        (3600.4, "USD 3,600"),
        (99.5, "USD 99.50"),
        (2, "USD 2"),
        (0.76, "USD 0.76"),
        (0.0042, "USD 0.0042"),
        (0, "USD 0"),
        (-1200, "USD -1,200"),
        (Decimal("1234567.89"), "USD 1,234,568"),
        (None, "\u2013"),
        (float("nan"), "\u2013"),
    ],
)
def test_amount_has_one_form_in_every_language(value: float, text: str, language: str) -> None:
    with translation.override(language):
        assert amount(value, "USD") == text.replace(" ", SPACE)


def test_amount_for_a_column_has_no_currency() -> None:
    assert plain_amount(15800) == "15,800"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("15800", "CNY 15,800"),
        ("15800.0000", "CNY 15,800"),
        ("1234.5", "CNY 1,234.50"),
        ("0.0125", "CNY 0.0125"),
        ("99999999999.9999", "CNY 99,999,999,999.9999"),
    ],
)
def test_exact_amount_has_every_digit(value: str, text: str) -> None:
    assert exact_amount(Decimal(value), "CNY") == text.replace(" ", SPACE)


@pytest.mark.parametrize("rate", [7.2, 1 / 7.2])
def test_exchange_is_said_of_the_dearer_currency(rate: float) -> None:
    given, wanted = ("USD", "CNY") if rate > 1 else ("CNY", "USD")
    assert exchange_text(rate, given=given, wanted=wanted) == f"CNY{SPACE}7.2 for one USD"


def test_sum_beyond_all_money_is_written_short() -> None:
    assert amount(1.2345e300, "CNY") == "CNY\u00a01.23e+300"
    assert amount(999_999_999_999_999, "CNY") == "CNY\u00a0999,999,999,999,999"
