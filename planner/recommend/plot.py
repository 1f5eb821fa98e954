"""The picture of a search: how fast for each user against how much from each accelerator, with the frontier."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from planner.core.figures import short
from planner.core.geometry import Scale, linear_ticks, nice_ceiling, path
from planner.plan.curves import Picture
from planner.plots import Line, Mark, Note, Plot, Table, region_from, x_ticks, y_ticks
from planner.recommend.table import per_card
from planner.recommend.words import Names, Option

HEIGHT = 260


def frontier_picture(answer: Mapping[str, Any], question: Mapping[str, Any], names: Names) -> Picture | None:
    """Options as hollow points, the frontier dashed, the target region shaded; None where there is nothing to draw."""
    options = answer["options"]
    if len(options) < 2:
        return None
    points = [_point(option) for option in options]
    edge = [
        (p["output_tokens_per_s_per_user"], p["output_tokens_per_s_per_accelerator"])
        for p in answer["frontier"]
    ]
    x_end, x_step = nice_ceiling(1.04 * max(point[0] for point in points))
    y_end, y_step = nice_ceiling(1.06 * max(point[1] for point in points))
    x, y = Scale(low=0, high=x_end), Scale(low=0, high=y_end)
    drawn = [point for point in edge if point[0] <= x_end and point[1] <= y_end]
    region = region_from(wanted_per_user(question.get("targets") or {}), x)
    lead, rest = _sentences(options, names)
    plot = Plot(
        id="frontier-plot",
        title=_("Speed per user against throughput per card, one point per option"),
        desc=lead + " " + rest,
        x_title=_("tok/s per user"),
        y_title=_("tok/s per card"),
        x_ticks=x_ticks(linear_ticks(x_end, x_step), x, HEIGHT),
        y_ticks=y_ticks(linear_ticks(y_end, y_step), y, HEIGHT),
        lines=[Line(css="ln-pred", d=path(drawn, x, y, HEIGHT))] if len(drawn) > 1 else [],
        marks=_marks(options, points, x, y, names),
        notes=[]
        if region is None
        else [Note(text=_("meets the target"), x="100.00%", y=0, css="region-lab end halo", dx=-6, dy=14)],
        table=Table(
            head=[_("Option"), _("tok/s per user"), _("tok/s per card"), _("On the frontier")],
            rows=[
                [
                    f"{option['rank']}. {names[option['rank']].name}",
                    short(point[0]),
                    short(point[1]),
                    _("yes") if option["on_frontier"] else _("no"),
                ]
                for option, point in zip(options, points, strict=True)
            ],
        ),
        region=region,
        height=HEIGHT,
    )
    return Picture(plot=plot, lead=lead, sentence=rest)


def wanted_per_user(targets: Mapping[str, Any]) -> float | None:
    """The speed for each user that the targets ask for, by either of the two that say it."""
    tpot, rate = targets.get("tpot_ms"), targets.get("output_tokens_per_s_per_user")
    wanted = [
        value
        for value in (1000 / tpot if isinstance(tpot, (int, float)) else None, rate)
        if isinstance(value, (int, float))
    ]
    return max(wanted, default=None)


def _point(option: Option) -> tuple[float, float]:
    return option["speed"]["output_tokens_per_s_per_user"], per_card(option) or 0.0


def _sentences(options: Sequence[Option], names: Names) -> tuple[str, str]:
    fastest = max(options, key=lambda option: _point(option)[0])
    densest = max(options, key=lambda option: _point(option)[1])
    rest = _("Hollow points are predicted; the dashed line is what no set-up beats on both axes at once.")
    if fastest is densest:
        lead = _("%s is ahead on both axes.") % names[fastest["rank"]].name
        return lead, rest
    lead = _("%(fast)s is fastest for each user, %(dense)s gets most out of each card.") % {
        "fast": names[fastest["rank"]].name,
        "dense": names[densest["rank"]].name,
    }
    return lead, rest


def _marks(
    options: Sequence[Option],
    points: Sequence[tuple[float, float]],
    x: Scale,
    y: Scale,
    names: Names,
) -> list[Mark]:
    """The best option last, so that it lies on top; names for it and for the ends of the frontier."""
    ends = {max(range(len(points)), key=lambda i: points[i][axis]) for axis in (0, 1)}
    marks = []
    for index in [*range(1, len(options)), 0]:
        option, right = options[index], x.share(points[index][0]) > 0.42
        best = index == 0
        marks.append(
            Mark(
                css="pt-here" if best else "pt-pred",
                x=x.x(points[index][0]),
                y=y.y(points[index][1], HEIGHT),
                r=5.5 if best else 3.5,
                label=_("number %s") % 1 if best else names[option["rank"]].name if index in ends else "",
                label_css=("lab-strong" if best else "lab wide") + (" end" if right else "") + " halo",
                dx=-9 if right else 9,
                dy=-7 if not best else 15,
            )
        )
    return marks
