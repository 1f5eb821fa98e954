"""Numbers as text. Expected values are by hand, from the rule: three significant digits, rounded once."""

import math

import pytest

from planner.core.figures import count, percent, short, span, with_unit


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1030.4, "1,030"),
        (999.9, "1,000"),
        (436.2, "436"),
        (35.71, "35.7"),
        (99.96, "100"),
        (9.02, "9.02"),
        (0.5512, "0.55"),
        (0.0123, "0.012"),
        (0, "0"),
        (-7.876, "−7.88"),
        (None, "–"),
        (math.nan, "–"),
        (math.inf, "–"),
    ],
)
def test_short_keeps_three_digits(value: float | None, text: str) -> None:
    assert short(value) == text


def test_count_is_whole_and_in_full() -> None:
    assert [count(91952), count(0.6), count(None)] == ["91,952", "1", "–"]


def test_percent_keeps_a_digit_below_one() -> None:
    assert [percent(0.789), percent(0.004), percent(0), percent(None)] == ["79", "0.4", "0", "–"]


def test_percent_of_nearly_all_is_not_all() -> None:
    assert [percent(23_260 / 23_326), percent(0.99999), percent(0.994), percent(1)] == [
        "99.7",
        "99.9",
        "99",
        "100",
    ]


def test_span_has_two_digits_each_or_is_a_dash() -> None:
    assert [span(30.4, 44.2), span(None, 44.2)] == ["30–44", "–"]


def test_with_unit_stays_on_one_line() -> None:
    assert [with_unit(4.791, "GiB"), with_unit(None, "GiB")] == ["4.79\u00a0GiB", "–"]
