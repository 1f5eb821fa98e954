"""Texts of cells into lengths and times: whole columns at once where they are clean, one by one where they are not."""

import math
import re
from collections.abc import Sequence
from datetime import datetime, timezone
from typing import Any

import numpy as np

from planner.core.traffic.histogram import MAX_TOKENS, FloatArray, IntArray

# Why a cell is no length, as what stands in its place.
NOT_A_NUMBER, NEGATIVE, NOT_FINITE, TOO_LARGE, NOT_WHOLE = -1, -2, -3, -4, -5
FAULTS = {
    NOT_A_NUMBER: "not_a_number",
    NEGATIVE: "negative",
    NOT_FINITE: "not_finite",
    TOO_LARGE: "too_large",
    NOT_WHOLE: "not_whole",
}
_SEPARATORS = re.compile(r"[\s,_\u00a0\u202f']")
MAX_CELL = 64
# A number this large is a count of seconds, or of parts of one, since 1970; smaller ones count from any moment.
EPOCHS = ((1e17, 1e-9), (1e14, 1e-6), (1e11, 1e-3), (1e8, 1.0))
EARLIEST_S, LATEST_S = 0.0, 1e10
# Seconds without a unit that nobody waits for: such columns are in milliseconds.
LONG_S = 600.0


def lengths(cells: Sequence[Any]) -> IntArray:
    """Tokens of each cell, or one of FAULTS."""
    try:
        found = np.fromiter(map(int, cells), dtype=np.int64, count=len(cells))
    except (ValueError, TypeError, OverflowError):
        return np.array([_length(cell) for cell in cells], dtype=np.int64)
    if any(isinstance(cell, bool | float) for cell in cells):
        return np.array([_length(cell) for cell in cells], dtype=np.int64)
    found[found < 0] = NEGATIVE
    found[found > MAX_TOKENS] = TOO_LARGE
    return found


def _length(cell: Any) -> int:
    number = _number(cell)
    if number is None:
        return NOT_A_NUMBER
    if not math.isfinite(number):
        return NOT_FINITE
    if number < 0:
        return NEGATIVE
    if number > MAX_TOKENS:
        return TOO_LARGE
    return int(number) if number.is_integer() else NOT_WHOLE


def _number(cell: Any) -> float | None:
    if isinstance(cell, bool):
        return None
    if isinstance(cell, int | float):
        return _as_float(cell)
    if not isinstance(cell, str) or len(cell) > MAX_CELL:
        return None
    plain = _SEPARATORS.sub("", cell)
    return _as_float(plain) if plain else None


def _as_float(value: float | str) -> float | None:
    try:
        return float(value)
    except OverflowError:
        return math.inf
    except ValueError:
        return None


def is_number(cell: Any) -> bool:
    """Whether a cell holds one number and no text."""
    return _number(cell) is not None


def seconds_of_moments(cells: Sequence[Any], scale: float | None) -> tuple[FloatArray, float | None]:
    """(seconds of each moment, NaN where it is none; what one unit of the column is in seconds, None for dates).

    `scale` is that of the column where it is known, else NaN for "look": the middle of the column decides, and moments
    that cannot be in the same unit are NaN.
    """
    if scale is None:
        return np.array([_date(cell) for cell in cells], dtype=np.float64), None
    numbers = _floats(cells)
    known = numbers[np.isfinite(numbers)]
    if math.isnan(scale):
        if 2 * len(known) < len(cells):
            return np.array([_date(cell) for cell in cells], dtype=np.float64), None
        scale = _scale(float(np.median(known)))
    seconds = numbers * scale
    seconds[(seconds < EARLIEST_S) | (seconds > LATEST_S)] = np.nan
    if len(known) and float(np.median(known)) * scale > EPOCHS[-1][0]:
        seconds[seconds < EPOCHS[-1][0]] = np.nan
    return seconds, scale


def _scale(number: float) -> float:
    return next((unit for least, unit in EPOCHS if number >= least), 1.0)


def seconds_of_spans(cells: Sequence[Any], scale: float) -> tuple[FloatArray, float]:
    """(seconds that each took, NaN where that cannot be; what one unit of the column is in seconds).

    NaN for `scale` means that no unit is stated: seconds, unless the middle of the column would be longer than anybody waits.
    """
    numbers = _floats(cells)
    if math.isnan(scale):
        known = numbers[np.isfinite(numbers)]
        scale = 1e-3 if len(known) and float(np.median(known)) > LONG_S else 1.0
    seconds = numbers * scale
    seconds[(seconds < 0) | (seconds > 30 * 86_400)] = np.nan
    return seconds, scale


def _floats(cells: Sequence[Any]) -> FloatArray:
    try:
        found = np.fromiter(map(float, cells), dtype=np.float64, count=len(cells))
    except (ValueError, TypeError, OverflowError):
        numbers = [_number(cell) for cell in cells]
        found = np.array([math.nan if item is None else item for item in numbers], dtype=np.float64)
    found[~np.isfinite(found)] = np.nan
    return found


def _date(cell: Any) -> float:
    """Seconds since 1970 of a written date; one without a time zone is taken as UTC, which differences do not mind."""
    if not isinstance(cell, str) or not 8 <= len(cell) <= MAX_CELL:
        return math.nan
    text = cell.strip().replace("/", "-").replace(",", ".").removesuffix(" UTC")
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return math.nan
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)  # noqa: UP017
    try:
        seconds = moment.timestamp()
    except (OverflowError, ValueError):
        return math.nan
    return seconds if EARLIEST_S <= seconds <= LATEST_S else math.nan
