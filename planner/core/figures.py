"""Numbers as people read them: three significant digits, rounded once, thousands separated."""

import math

NBSP = "\u00a0"
MINUS = "\u2212"
DASH = "\u2013"


def short(value: float | None, digits: int = 3) -> str:
    """A measured or computed figure: 1,030 · 436 · 35.7 · 9.02 · 0.55 · 0.012. A dash for None and NaN.

    Below one, leading zeros do not count and at most `digits` - 1 significant digits are kept: more would pretend.
    """
    if value is None or not math.isfinite(value):
        return DASH
    sign, size = (MINUS, -value) if value < 0 else ("", value)
    if size == 0:
        return "0"
    if size < 1:
        return sign + _plain(size, digits - 1)
    return sign + _plain(size, digits)


def _plain(size: float, digits: int) -> str:
    rounded = float(f"{size:.{digits - 1}e}")
    decimals = max(0, digits - 1 - math.floor(math.log10(rounded)))
    return f"{rounded:,.{decimals}f}"


def count(value: float | None) -> str:
    """A whole number in full: 91,952. A dash for None and NaN."""
    if value is None or not math.isfinite(value):
        return DASH
    return f"{value:,.0f}"


def percent(share: float | None) -> str:
    """A share as whole percent without the sign: 0.32 -> 32; below one percent one digit is kept, and nothing but all is 100."""
    if share is None or not math.isfinite(share):
        return DASH
    value = 100 * share
    if 99.5 <= value < 100:
        return f"{min(value, 99.9):.1f}"
    return f"{value:.0f}" if value >= 1 or value == 0 else f"{value:.1g}"


def span(low: float | None, high: float | None) -> str:
    """An interval: 30–44. A dash when either end is unknown."""
    if low is None or high is None:
        return DASH
    return f"{short(low, 2)}{DASH}{short(high, 2)}"


def with_unit(value: float | None, unit: str) -> str:
    """A figure and its unit, kept on one line."""
    text = short(value)
    return text if text == DASH else f"{text}{NBSP}{unit}"
