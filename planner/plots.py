"""Curves: the roofline, and speed per user against throughput, as what a template draws.

Every function takes plain values and gives geometry plus words; templates only loop.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from planner.charts import Tick, axis_text
from planner.core.figures import DASH, MINUS, NBSP, short
from planner.core.geometry import Scale, decade_ticks, decades, linear_ticks, nice_ceiling, path, thinned

PLOT_HEIGHT = 228
LABEL_GAP = 26
NARROW_REGION = 0.72
PLOT_WIDTH = 480  # px of a plot on a wide screen: only to decide which labels would touch


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    css: str
    d: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A point: round, or square for prefill. Its label stands dx, dy beside it."""

    css: str
    x: str
    y: float
    r: float = 3.5
    square: bool = False
    label: str = ""
    label_css: str = "lab"
    dx: int = 9
    dy: int = -7


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Words inside a plot."""

    text: str
    x: str
    y: float
    css: str = "lab"
    dx: int = 0
    dy: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A vertical line."""

    css: str
    x: str
    top: float
    bottom: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """From a vertical line to the right end: where targets are met."""

    x: str
    width: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


def plain_cell(text: str) -> str:
    """A cell for a spreadsheet: no separators of thousands, plain spaces and minus, an unknown figure empty."""
    plain = text.replace(NBSP, " ").replace(MINUS, "-")
    if plain == DASH:
        return ""
    digits = plain.replace(",", "")
    return digits if digits.replace(".", "", 1).lstrip("-").isdigit() else plain


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """An xy chart with its axes, its words and the table beneath it."""

    id: str
    title: str
    desc: str
    x_title: str
    y_title: str
    x_ticks: Sequence[Tick]
    y_ticks: Sequence[Tick]
    lines: Sequence[Line]
    marks: Sequence[Mark]
    notes: Sequence[Note]
    table: Table
    rules: Sequence[Rule] = field(default=())
    cap_width: str | None = None  # from the left edge: what cannot be reached
    region: Region | None = None
    height: int = PLOT_HEIGHT

    @property
    def has_band(self) -> bool:
        return any(line.css == "band" for line in self.lines)


def region_from(value: float | None, x: Scale) -> Region | None:
    """The region right of a value; None where there is none, or the axis ends before it."""
    if value is None or x.share(value) >= 1:
        return None
    share = x.share(value)
    return Region(x=f"{100 * share:.2f}%", width=f"{100 * (1 - share):.2f}%")


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """Where targets are met: from `start`, a speed per user, to the right. `text` says so inside the plot."""

    start: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RoofPoint:
    """One kind of work on the roofline. intensity in FLOP per byte, speed in TFLOP/s reached."""

    name: str
    intensity: float
    tflops: float
    roof_tflops: float
    css: str = "pt"
    label: str = ""
    square: bool = False


def roofline(
    points: Sequence[RoofPoint],
    *,
    peak_tflops: float,
    bandwidth_gb_s: float,
    machine: str,
    title: str,
    desc: str,
) -> Plot:
    """Log-log: what the machine could do at each arithmetic intensity, and where this plan's work stands."""
    ridge = peak_tflops * 1000 / bandwidth_gb_s
    xs = [point.intensity for point in points] + [ridge]
    ys = [point.tflops for point in points] + [peak_tflops]
    x = log_scale(min(1.0, *xs), max(*xs) * 1.5)
    y = log_scale(min(ys), max(ys) * 1.2)
    height = PLOT_HEIGHT
    corner = [(x.low, x.low * bandwidth_gb_s / 1000), (ridge, peak_tflops), (x.high, peak_tflops)]
    if corner[0][1] < y.low:
        corner[0] = (y.low * 1000 / bandwidth_gb_s, y.low)
    marks = [_roof_mark(point, x, y) for point in points]
    ridge_right = x.share(ridge) < 0.72
    return Plot(
        id="roofline",
        title=title,
        desc=desc,
        x_title=_("arithmetic intensity, FLOP per byte"),
        y_title="TFLOP/s",
        x_ticks=x_ticks(decade_ticks(x.low, x.high), x, height),
        y_ticks=y_ticks(decade_ticks(y.low, y.high), y, height),
        lines=[Line(css="ln-roof", d=path(corner, x, y, height))],
        marks=marks,
        notes=[
            Note(
                text=machine, x="100.00%", y=y.y(peak_tflops, height), css="lab-strong end halo", dx=-2, dy=-8
            ),
            Note(
                text=_("ridge %s") % short(ridge),
                x=x.x(ridge),
                y=height,
                css="lab halo" if ridge_right else "lab end halo",
                dx=6 if ridge_right else -6,
                dy=-8,
            ),
        ],
        rules=[Rule(css="plot-gap", x=x.x(ridge), top=y.y(peak_tflops, height), bottom=height)],
        table=Table(
            head=[_("Work"), _("FLOP per byte"), _("TFLOP/s"), _("Roof, TFLOP/s"), _("Share of roof")],
            rows=[
                [
                    point.name,
                    short(point.intensity),
                    short(point.tflops),
                    short(point.roof_tflops),
                    f"{100 * point.tflops / point.roof_tflops:.0f}{NBSP}%",
                ]
                for point in points
            ],
        ),
    )


def _roof_mark(point: RoofPoint, x: Scale, y: Scale) -> Mark:
    """A point of the roofline. Decode has its label beneath; prefill, high on the right, beside it where there is room."""
    left = x.share(point.intensity) > (0.82 if point.square else 0.7)
    beneath = 18 if left else 14
    return Mark(
        css=point.css,
        x=x.x(point.intensity),
        y=y.y(point.tflops, PLOT_HEIGHT),
        r=5 if point.css == "pt-here" else 3.5,
        square=point.square,
        label=point.label,
        label_css=("lab-strong" if point.css != "pt" else "lab") + (" end" if left else "") + " halo",
        dx=-9 if left else 9,
        dy=4 if point.square else beneath,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One level of concurrency. Speeds in tokens per second, per user and per accelerator; None where unknown."""

    users: int
    per_user: float
    per_card: float
    tpot_ms: float
    ttft_ms: float | None = None
    mbu: float | None = None
    meets: bool | None = None  # the targets; None where there are none
    low: tuple[float, float] | None = None  # the 80 % interval: (per user, per card)
    high: tuple[float, float] | None = None


def latency_throughput(
    levels: Sequence[Level],
    *,
    here: int | None,
    limit_users: int | None,
    limit_text: str,
    title: str,
    desc: str,
    goal: Goal | None = None,
) -> Plot:
    """Speed per user against throughput per accelerator, labelled by users.

    Hatched is what memory does not allow, shaded where the targets are met.
    """
    height = PLOT_HEIGHT
    x_end, x_step = nice_ceiling(_highest(levels, 0))
    y_end, y_step = nice_ceiling(_highest(levels, 1))
    x, y = Scale(low=0, high=x_end), Scale(low=0, high=y_end)
    allowed = [level for level in levels if limit_users is None or level.users <= limit_users]
    edge = allowed[-1].per_user if limit_users is not None and allowed else None
    lines = [
        Line(css="ln-pred", d=path([(level.per_user, level.per_card) for level in levels], x, y, height))
    ]
    if band := _band(levels, x, y):
        lines.insert(0, band)
    notes = [] if edge is None else [_cap_note(limit_text, x, edge)]
    rules = [] if edge is None else [Rule(css="cap-edge", x=x.x(edge), top=0, bottom=height)]
    region = region_from(goal.start, x) if goal else None
    if goal and region:
        notes.append(_goal_note(goal, x))
    return Plot(
        id="curve",
        title=title,
        desc=desc,
        x_title=_("tok/s per user"),
        y_title=_("tok/s per card"),
        x_ticks=x_ticks(linear_ticks(x_end, x_step), x, height),
        y_ticks=y_ticks(linear_ticks(y_end, y_step), y, height),
        lines=lines,
        marks=_level_marks(levels, here, x, y),
        notes=notes,
        rules=rules,
        region=region,
        cap_width=None if edge is None else x.x(edge),
        table=Table(
            head=[
                _("Users"),
                _("TPOT, ms"),
                _("TTFT, ms"),
                _("tok/s per user"),
                _("tok/s per card"),
                _("MBU, %"),
                *([_("Targets")] if goal else []),
            ],
            rows=[
                [
                    f"{level.users:,}",
                    short(level.tpot_ms),
                    short(level.ttft_ms),
                    short(level.per_user),
                    short(level.per_card),
                    short(None if level.mbu is None else 100 * level.mbu, 2),
                    *([_("met") if level.meets else _("missed")] if goal else []),
                ]
                for level in levels
            ],
        ),
    )


def _highest(levels: Sequence[Level], axis: int) -> float:
    """End of an axis: the curve with some air, and as much of the interval as leaves the curve large."""
    middle = max((level.per_user, level.per_card)[axis] for level in levels)
    upper = max((level.high[axis] for level in levels if level.high is not None), default=0.0)
    return max(1.06 * middle, min(upper, 1.35 * middle))


def _cap_note(text: str, x: Scale, edge: float) -> Note:
    if x.share(edge) > 0.3:
        return Note(text=text, x="0.00%", y=0, css="lab halo", dx=6, dy=14)
    return Note(text=text, x=x.x(edge), y=PLOT_HEIGHT, css="lab halo", dx=6, dy=-8)


def _goal_note(goal: Goal, x: Scale) -> Note:
    """In the upper right corner of the region, or left of its edge where it is narrow."""
    at = "100.00%" if x.share(goal.start) < NARROW_REGION else x.x(goal.start)
    return Note(text=goal.text, x=at, y=0, css="region-lab end halo", dx=-6, dy=14)


def _band(levels: Sequence[Level], x: Scale, y: Scale) -> Line | None:
    """The 80 % interval as an area. It moves along both axes, since speed per user and throughput rise together."""
    upper = [level.high for level in levels if level.high is not None]
    lower = [level.low for level in reversed(levels) if level.low is not None]
    if len(upper) < len(levels) or len(lower) < len(levels):
        return None
    return Line(css="band", d=path([*upper, *lower], x, y, PLOT_HEIGHT) + "Z")


def _level_marks(levels: Sequence[Level], here: int | None, x: Scale, y: Scale) -> list[Mark]:
    places = [(PLOT_WIDTH * x.share(level.per_user), y.y(level.per_card, PLOT_HEIGHT)) for level in levels]
    # from the far end, so that the last level, where the curve stops, always has its label
    shown = thinned(places[::-1], LABEL_GAP)[::-1]
    chosen = next((index for index, level in enumerate(levels) if level.users == here), None)
    marks = []
    for index, level in enumerate(levels):
        if index == chosen:
            continue
        near = chosen is not None and abs(places[index][0] - places[chosen][0]) < 30
        marks.append(
            Mark(
                css="pt-pred",
                x=x.x(level.per_user),
                y=places[index][1],
                label=f"{level.users:,}" if shown[index] and not near else "",
                label_css="lab halo",
            )
        )
    if chosen is not None:
        level, right = levels[chosen], x.share(levels[chosen].per_user) > 0.8
        marks.append(
            Mark(
                css="pt-here",
                x=x.x(level.per_user),
                y=places[chosen][1],
                r=5.5,
                label=ngettext("%s user", "%s users", level.users) % f"{level.users:,}",
                label_css="lab-strong end halo" if right else "lab-strong halo",
                dx=-9 if right else 9,
            )
        )
    return marks


def log_scale(low: float, high: float) -> Scale:
    """Whole decades around a range of positive values."""
    first, last = decades(low, high)
    return Scale(low=first, high=last, logarithmic=True)


def x_ticks(values: Sequence[float], x: Scale, height: int) -> list[Tick]:
    return [
        Tick(
            at=x.x(value),
            text=axis_text(value),
            css="xl end" if index == len(values) - 1 else "xl",
            y=height + 16,
        )
        for index, value in enumerate(values)
    ]


def y_ticks(values: Sequence[float], y: Scale, height: int) -> list[Tick]:
    return [Tick(at="", text=axis_text(value), y=y.y(value, height)) for value in values]
