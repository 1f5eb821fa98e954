"""The two figures that carry the product, step bar and memory bar, as what a template draws.

Every function takes plain values and gives geometry plus words; templates only loop.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from planner.core.figures import NBSP, short, with_unit
from planner.core.geometry import (
    Scale,
    linear_ticks,
    stack,
)

NAME_PERCENT_PER_EM = 1.25  # a name needs about so much of a bar's width per em of its text
VALUE_PERCENT = 3.2
TIGHT_PERCENT = 12.0
FLAG_LEFT_FROM = 0.25
FLAG_SHARE_PER_CHARACTER = 0.012
FLAG_SHARE_ON_A_PHONE = 0.024
END_LABEL_SHARE = 0.08


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of a bar: a series, its size, its name in full, its name inside the bar and a remark."""

    series: str  # weights | kv | compute | link | host | free | need
    value: float
    name: str
    label: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A part as it is drawn. `fit` says what of its label fits: full, value, tight, or nothing."""

    series: str
    x: str
    width: str
    middle: str
    label: str
    value: str
    title: str
    fit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick:
    """One mark of a ruler or axis."""

    at: str
    text: str = ""
    y: float = 0.0
    css: str = ""
    major: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class LegendItem:
    series: str
    name: str
    text: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A stacked bar on its ruler, with the limit line and the interval where there are any."""

    name: str
    sub: str
    kind: str
    total: str
    total_sub: str
    title: str
    desc: str
    segments: Sequence[Segment]
    ticks: Sequence[Tick]
    limit: str | None = None
    limit_text: str = ""
    limit_end: bool = False
    whisker: tuple[str, str] | None = None
    beyond: tuple[str, str] | None = None  # x and width of what does not exist on the card
    legend: Sequence["LegendItem"] = ()


def bar(
    parts: Sequence[Part],
    *,
    unit: str,
    end: float,
    step: float,
    name: str,
    sub: str,
    kind: str,
    total: str,
    total_sub: str,
    title: str,
    limit: float | None = None,
    limit_text: str = "",
    interval: Sequence[float] | None = None,
    beyond: float | None = None,
    written: Callable[[float], str] | None = None,
) -> Bar:
    """A bar from 0 to `end` in `unit`; parts of zero are left out. From `beyond` on there is no such memory.

    `written` writes a value with its unit, where that is not three digits with the unit behind them.
    """
    write = written or (lambda value: with_unit(value, unit))
    drawn = [part for part in parts if part.value > 0]
    scale = Scale(low=0, high=end)
    desc = ", ".join(f"{part.name}{NBSP}{write(part.value)}" for part in drawn)
    return Bar(
        name=name,
        sub=sub,
        kind=kind,
        total=total,
        total_sub=total_sub,
        title=title,
        desc=desc,
        segments=[
            _segment(part, place, write) for part, place in zip(drawn, _places(drawn, end), strict=True)
        ],
        ticks=_ruler(end, step, unit, limit, limit_text),
        limit=None if limit is None else scale.x(limit),
        limit_text=limit_text,
        limit_end=limit is not None and scale.share(limit) > FLAG_LEFT_FROM,
        whisker=(scale.x(interval[0]), scale.x(interval[1])) if interval else None,
        beyond=_beyond(beyond, scale),
        legend=[
            LegendItem(series=part.series, name=part.name, text=write(part.value), note=part.note)
            for part in parts
        ],
    )


def _places(parts: Sequence[Part], end: float):
    return stack([part.value for part in parts], end)


def _segment(part: Part, place, write: Callable[[float], str]) -> Segment:
    label = part.label or part.name
    return Segment(
        series=part.series,
        x=f"{place.start:.2f}%",
        width=f"{place.width:.2f}%",
        middle=f"{place.middle:.2f}%",
        label=label,
        value=short(part.value),
        title=f"{part.name} {write(part.value)}",
        fit=_fit(label, place.width),
    )


def _fit(label: str, width: float) -> str:
    if width < VALUE_PERCENT:
        return ""
    ems = sum(1.0 if ord(char) > 0x2E80 else 0.55 for char in label) + 2.5
    if width >= ems * NAME_PERCENT_PER_EM + 1:
        return "full" if width >= TIGHT_PERCENT else "full tight"
    return "value" if width >= TIGHT_PERCENT else "value tight"


def _ruler(end: float, step: float, unit: str, limit: float | None, limit_text: str) -> list[Tick]:
    values = linear_ticks(end, step)
    scale = Scale(low=0, high=end)
    ticks = [
        Tick(at=scale.x(value + step * part / 5), major=False)
        for value in values[:-1]
        for part in range(1, 5)
    ]
    for index, value in enumerate(values):
        last = index == len(values) - 1
        covered = _under_flag(scale, value, limit, limit_text, FLAG_SHARE_PER_CHARACTER)
        crowded = _under_flag(scale, value, limit, limit_text, FLAG_SHARE_ON_A_PHONE)
        text = "" if covered else f"{axis_text(value)}{NBSP}{unit}".rstrip() if last else axis_text(value)
        beside_last = index == len(values) - 2
        css = "end" if last else "wide" if index % 2 or crowded or beside_last else ""
        ticks.append(Tick(at=scale.x(value), text=text, css=css))
    return ticks


def _under_flag(scale: Scale, value: float, limit: float | None, text: str, per_character: float) -> bool:
    """Whether the flag of the limit would touch the label of a tick, at so much of the ruler per character.

    The flag is written to the left of its line, or to the right where there is no room on the left.
    """
    if limit is None:
        return False
    width = per_character * len(text) + 0.02
    distance = scale.share(limit) - scale.share(value)
    if scale.share(limit) <= FLAG_LEFT_FROM:
        return -width < distance < 0.02
    return -(END_LABEL_SHARE if value == scale.high else 0.02) < distance < width


def _beyond(start: float | None, scale: Scale) -> tuple[str, str] | None:
    if start is None:
        return None
    return scale.x(start), f"{100 * (1 - scale.share(start)):.2f}%"


def axis_text(value: float) -> str:
    """A round value of an axis, in full."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.10g}"
