"""Histograms of lengths as what a template draws: steps on a logarithmic axis, with the percentiles marked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from planner.charts import Tick
from planner.core.figures import NBSP, count, percent
from planner.core.geometry import Scale, nice_ceiling, path
from planner.core.traffic.histogram import Histogram, IntArray
from planner.plots import Line, Note, Plot, Rule, Table, x_ticks, y_ticks

HEIGHT = 168
STEPS = 40
FEW = 60  # bins that are drawn as they are
MARKS = {"P50": 0.5, "P90": 0.9, "P99": 0.99}
NOTE_STEP = 14
FEW_TICKS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """Requests of low to high tokens, both included; high None is beyond the last bin."""

    low: int
    high: int | None
    requests: int


def bars(histogram: Histogram) -> list[Bar]:
    """The bins of a histogram, laid together to some forty where there are more; empty ones between others stay."""
    if len(histogram.low) <= FEW:
        filled = np.flatnonzero(histogram.counts)
        kept = range(int(filled[0]), int(filled[-1]) + 1) if len(filled) else range(0)
        found = [
            Bar(low=int(histogram.low[i]), high=int(histogram.high[i]), requests=int(histogram.counts[i]))
            for i in kept
        ]
    else:
        found = _together(histogram)
    if histogram.beyond:
        least = int(histogram.high[-1]) + 1 if len(histogram.high) else 0
        found.append(Bar(low=least, high=None, requests=histogram.beyond))
    return found


def _together(histogram: Histogram) -> list[Bar]:
    low, high = int(histogram.low[0]), int(histogram.high[-1])
    edges = np.unique(np.round(np.geomspace(max(low, 1), high + 1, STEPS + 1)).astype(np.int64))
    edges[0] = low
    starts: IntArray = np.searchsorted(histogram.low, edges[:-1])
    sums = [int(part.sum()) for part in np.split(histogram.counts, starts[1:])]
    ends = [int(edge) - 1 for edge in edges[1:]]
    return [
        Bar(low=int(first), high=last, requests=requests)
        for first, last, requests in zip(edges[:-1], ends, sums, strict=True)
    ]


def table(found: Sequence[Bar]) -> Table:
    """The bars as a table."""
    total = sum(item.requests for item in found)
    return Table(
        head=[_("From, tokens"), _("To, tokens"), _("Requests"), _("Share")],
        rows=[
            [
                count(item.low),
                _("no end") if item.high is None else count(item.high),
                count(item.requests),
                f"{percent(item.requests / total)}{NBSP}%",
            ]
            for item in found
        ],
    )


def histogram_plot(histogram: Histogram, *, key: str, title: str) -> Plot:
    """One histogram. Bars are shares of the requests; what lies beyond the last bin is drawn twice as wide as where it begins."""
    found = bars(histogram)
    total = sum(item.requests for item in found)
    ends = [item.low * 2 if item.high is None else item.high + 1 for item in found]
    first, last = _ends(max(found[0].low, 1), max(ends[-1], 2))
    x = Scale(low=first, high=last, logarithmic=True)
    top, step = nice_ceiling(100 * max(item.requests for item in found) / total, ticks=4)
    y = Scale(low=0, high=top)
    points = [(float(max(found[0].low, first)), 0.0)]
    for item, end in zip(found, ends, strict=True):
        share = 100 * item.requests / total
        points += [(float(max(item.low, first)), share), (float(end), share)]
    points.append((float(ends[-1]), 0.0))
    return Plot(
        id=f"lengths-{key}",
        title=title,
        desc=_sentence(histogram),
        x_title=_("tokens of a request"),
        y_title=_("requests, %"),
        x_ticks=_x_ticks(x),
        y_ticks=y_ticks([step * index for index in range(round(top / step) + 1)], y, HEIGHT),
        lines=[Line(css="hist", d=path(points, x, y, HEIGHT))],
        marks=[],
        notes=_notes(histogram, x),
        rules=_rules(histogram, x),
        table=table(found),
        height=HEIGHT,
    )


def _ends(low: float, high: float) -> tuple[float, float]:
    """The round values around a range, of 1, 2 and 5 times a power of ten."""
    rounds = [float(f"{lead}e{power}") for power in range(11) for lead in (1, 2, 5)]
    first = max(value for value in rounds if value <= low)
    last = min(value for value in rounds if value >= high)
    return first, max(last, 2 * first)


def _x_ticks(x: Scale) -> list[Tick]:
    """1, 2 and 5 times each power of ten where they have room, else the powers and both ends."""
    leads = (1, 2, 5) if x.high / x.low <= FEW_TICKS else (1,)
    rounds = [float(f"{lead}e{power}") for power in range(11) for lead in leads]
    inner = [value for value in rounds if x.low * 1.6 < value < x.high / 1.6]
    return x_ticks([x.low, *inner, x.high], x, HEIGHT)


def _quantiles(histogram: Histogram) -> dict[str, Any]:
    return {name: histogram.quantile(share) for name, share in MARKS.items()}


def _sentence(histogram: Histogram) -> str:
    return ", ".join(
        f"{name}{NBSP}{count(figure.value)}"
        for name, figure in _quantiles(histogram).items()
        if figure.value is not None
    )


def _rules(histogram: Histogram, x: Scale) -> list[Rule]:
    """A line for each percentile, from its label down."""
    return [
        Rule(css="plot-gap", x=x.x(max(figure.value, x.low)), top=NOTE_STEP * index, bottom=HEIGHT)
        for index, figure in enumerate(_quantiles(histogram).values())
        if figure.value is not None
    ]


def _notes(histogram: Histogram, x: Scale) -> list[Note]:
    """A label for each percentile, one beneath the other so that near ones do not touch."""
    notes = []
    for index, (name, figure) in enumerate(_quantiles(histogram).items()):
        if figure.value is None:
            continue
        right = x.share(max(figure.value, x.low)) > 0.8
        text = (
            f"{name}{NBSP}{count(figure.value)}"
            if figure.high is not None
            else f"{name}{NBSP}≥{NBSP}{count(figure.low)}"
        )
        notes.append(
            Note(
                text=text,
                x=x.x(max(figure.value, x.low)),
                y=10 + NOTE_STEP * index,
                css="lab halo end" if right else "lab halo",
                dx=-5 if right else 5,
            )
        )
    return notes
