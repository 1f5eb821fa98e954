"""Where things stand in a chart. x in percent of the width, y in pixels: a chart stretches, its text never does."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

TICK_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Maps values to 0..1, linearly or by their logarithm. Values outside are clamped to the edges."""

    low: float
    high: float
    logarithmic: bool = False

    def share(self, value: float) -> float:
        """Position of a value between low (0) and high (1)."""
        if self.logarithmic:
            low, high, at = math.log10(self.low), math.log10(self.high), math.log10(max(value, self.low))
        else:
            low, high, at = self.low, self.high, value
        return min(1.0, max(0.0, (at - low) / (high - low)))

    def x(self, value: float) -> str:
        """Horizontal position as a percentage."""
        return f"{100 * self.share(value):.2f}%"

    def y(self, value: float, height: float) -> float:
        """Vertical position in px; the highest value is at 0."""
        return round(height * (1 - self.share(value)), 1)


def nice_ceiling(value: float, *, ticks: int = 5) -> tuple[float, float]:
    """The smallest round end of an axis from 0 that holds `value` with at most `ticks` steps, and the step."""
    if not math.isfinite(value) or value <= 0:
        return 1.0, 1.0
    power = 10.0 ** math.floor(math.log10(value / ticks))
    step = next(nice * power for nice in TICK_STEPS if nice * power * ticks >= value * (1 - 1e-9))
    return step * math.ceil(value / step - 1e-9), step


def linear_ticks(end: float, step: float) -> list[float]:
    """Round values from 0 to end."""
    return [index * step for index in range(round(end / step) + 1)]


def decades(low: float, high: float) -> tuple[float, float]:
    """The powers of ten around a range of positive values; at least one decade apart."""
    first, last = math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9)
    return 10.0**first, 10.0 ** max(last, first + 1)


def decade_ticks(low: float, high: float) -> list[float]:
    """Each power of ten from low to high, both powers of ten."""
    first, last = round(math.log10(low)), round(math.log10(high))
    return [10.0**exponent for exponent in range(first, last + 1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """One part of a stacked bar, in percent of the bar's width."""

    start: float
    width: float

    @property
    def middle(self) -> float:
        return self.start + self.width / 2


def stack(parts: Sequence[float], end: float) -> list[Slice]:
    """Parts laid end to end on an axis from 0 to `end`. A part of zero gets a slice of width zero."""
    slices = []
    at = 0.0
    for part in parts:
        width = 100 * part / end
        slices.append(Slice(start=round(at, 2), width=round(width, 2)))
        at += width
    return slices


def path(points: Sequence[tuple[float, float]], x: Scale, y: Scale, height: float) -> str:
    """An SVG path through value pairs, in a view box of 1000 × height."""
    steps = [f"{1000 * x.share(px):.1f} {y.y(py, height):.1f}" for px, py in points]
    return "M" + " L".join(steps) if steps else ""


def thinned(positions: Sequence[tuple[float, float]], gap: float) -> list[bool]:
    """Which of the labels along a curve to draw, so that no two stand closer than `gap` px. The first always stands.

    positions: (x, y) in px of a typical chart width.
    """
    shown: list[bool] = []
    last: tuple[float, float] | None = None
    for here in positions:
        far = last is None or math.hypot(here[0] - last[0], here[1] - last[1]) >= gap
        shown.append(far)
        last = here if far else last
    return shown
