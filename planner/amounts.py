"""Amounts of money as people read them, in one form everywhere: CNY 3,600 · USD 0.76."""

import math
from decimal import Decimal

from planner.core.figures import DASH, NBSP

WHOLE_FROM = 100


def amount(value: Decimal | float | None, currency: str | None) -> str:
    """An amount with its currency before it; whole from 100 on, with cents below. A dash for None."""
    if value is None or not math.isfinite(value):
        return DASH
    text = plain_amount(value)
    return f"{currency}{NBSP}{text}" if currency else text


def plain_amount(value: Decimal | float) -> str:
    """The same without its currency, for a column whose head has it."""
    size = abs(float(value))
    if size >= WHOLE_FROM or size == int(size):
        return f"{float(value):,.0f}"
    return f"{float(value):,.2f}" if size >= 0.01 else f"{float(value):.2g}"
