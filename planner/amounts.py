"""Amounts of money as people read them, in one form everywhere and in every language: CNY 3,600 · USD 0.76."""

import math
from decimal import Decimal

from babel.numbers import format_decimal
from django.utils.translation import get_language, to_locale
from django.utils.translation import gettext as _

from planner.core.figures import DASH, NBSP

WHOLE_FROM = 100
BEYOND_MONEY = 1e15  # nobody counts such a sum to its last digit
WHOLE, CENTS, EXACT = "#,##0", "#,##0.00", "#,##0.00##"
RATE_DIGITS = 6


def amount(value: Decimal | float | None, currency: str | None) -> str:
    """An amount with its currency before it; whole from 100 on, with cents below, 1e+15 and such beyond. A dash for None."""
    if value is None or not math.isfinite(value):
        return DASH
    return _with_currency(plain_amount(value), currency)


def plain_amount(value: Decimal | float) -> str:
    """The same without its currency, for a column whose head has it."""
    size = abs(float(value))
    if size >= BEYOND_MONEY:
        return f"{float(value):.3g}"
    if size >= WHOLE_FROM or size == int(size):
        return _written(value, WHOLE)
    return _written(value, CENTS) if size >= 0.01 else f"{float(value):.2g}"


def exact_amount(value: Decimal | float | None, currency: str | None) -> str:
    """An amount to its last digit, as it was quoted or is billed: CNY 15,800 · USD 1,234.50 · USD 0.0125. A dash for None."""
    if value is None:
        return DASH
    return _with_currency(_written(value, WHOLE if value == int(value) else EXACT), currency)


def exchange_text(rate: float, *, given: str, wanted: str) -> str:
    """What one of `given` is in `wanted`, said of the dearer of the two: CNY 7.1 for one USD."""
    if rate >= 1:
        return _for_one(rate, wanted, given)
    return _for_one(1 / rate, given, wanted)


def _for_one(rate: float, paid: str, bought: str) -> str:
    values = {"amount": _with_currency(f"{rate:.{RATE_DIGITS}g}", paid), "currency": bought}
    return _("%(amount)s for one %(currency)s") % values


def _with_currency(text: str, currency: str | None) -> str:
    return f"{currency}{NBSP}{text}" if currency else text


def _written(value: Decimal | float, pattern: str) -> str:
    return format_decimal(value, format=pattern, locale=to_locale(get_language() or "en"))
