"""The pictures of a cost: two bars by item, the cost of tokens against use, and buying against renting."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from planner.amounts import amount, plain_amount
from planner.charts import Bar, Part, bar
from planner.core.cost.assumptions import OPERATIONS
from planner.core.figures import NBSP, count, percent, short
from planner.core.geometry import Scale, decade_ticks, linear_ticks, nice_ceiling, path
from planner.cost.figures import large
from planner.messages.cost import ITEMS
from planner.plan.curves import Picture
from planner.plots import Line, Mark, Note, Plot, Rule, Table, log_scale, x_ticks, y_ticks

RULER_STEPS = 8
HEIGHT = 228
FEW_MONTHS = 24
# The five series of the house, as parts of a purchase and of a year.
PURCHASE = {"cards": "weights", "host": "kv", "network": "compute", "spares": "link", "extras": "host"}
YEARLY = {"depreciation": "weights", "power": "kv", "work": "compute", "failures": "link", "hosting": "host"}
TABLE_SHARES = (0.05, 0.12, 0.25, 0.5, 0.7, 1.0)


def purchase_bar(cost: Mapping[str, Any]) -> Bar | None:
    """What is paid at the start, by item; None where a part has no price."""
    terms = {term["item"]: term["amount"] for term in cost["purchase"]["terms"]}
    return _bar(
        cost["purchase"]["total"],
        [(PURCHASE[item], str(ITEMS[item]), value, "") for item, value in terms.items()],
        currency=cost["currency"],
        name=_("Purchase"),
        sub=_("once"),
    )


def yearly_bar(cost: Mapping[str, Any]) -> Bar | None:
    """A year by item, the work in one; None where a part is not known."""
    if cost["yearly"]["total"] is None:
        return None
    terms = {term["item"]: term["amount"] for term in cost["yearly"]["terms"]}
    work = sum(terms[item] for item in OPERATIONS)
    hours = sum(
        term["values"][term["item"]] for term in cost["yearly"]["terms"] if term["item"] in OPERATIONS
    )
    place = terms["hosting"] + terms["licence"]
    parts = [
        (YEARLY["depreciation"], str(ITEMS["depreciation"]), terms["depreciation"], ""),
        (YEARLY["power"], str(ITEMS["power"]), terms["power"], _("PUE included")),
        (YEARLY["work"], pgettext("people", "Work"), work, _("%s hours a month") % f"{hours:g}"),
        (YEARLY["failures"], str(ITEMS["failures"]), terms["failures"], ""),
        (YEARLY["hosting"], _("Hosting, licences"), place, ""),
    ]
    return _bar(
        cost["yearly"]["total"], parts, currency=cost["currency"], name=_("A year"), sub=_("at your load")
    )


def _bar(
    total: float | None,
    parts: list[tuple[str, str, float | None, str]],
    *,
    currency: str,
    name: str,
    sub: str,
) -> Bar | None:
    if not total:
        return None
    end, step = nice_ceiling(total, ticks=RULER_STEPS)
    return bar(
        [
            Part(series=series, value=value or 0.0, name=words, note=note)
            for series, words, value, note in parts
            if value
        ],
        unit="",
        end=end,
        step=step,
        name=name,
        sub=sub,
        kind="",
        total=amount(total, currency),
        total_sub="",
        title=f"{name}: {amount(total, currency)}",
        written=lambda value: amount(value, currency),
    )


def utilization_picture(cost: Mapping[str, Any]) -> Picture | None:
    """Cost of a million output tokens against the share of its tokens that the set-up makes; None where not known."""
    points = [
        (100 * item["utilization"], item["per_million_output_tokens"]) for item in cost["by_utilization"]
    ]
    if len(points) < 2:
        return None
    currency, tokens = cost["currency"], cost["per_million_output_tokens"]
    x = log_scale(1, 100)
    # Room beneath the last point, where its label stands
    lowest = min(value for _share, value in points) / 2.5
    y = log_scale(lowest, max(value for _share, value in points))
    marks = [_mark(_("full load"), 100, tokens["at_full_load"], x, y, css="pt-pred", left=True)]
    here = 100 * (cost["utilization"] or 0)
    if here >= 1 and tokens["at_load"] is not None:
        marks.append(_mark(_("your load"), here, tokens["at_load"], x, y, css="pt-here", left=here > 60))
    return Picture(
        plot=Plot(
            id="use-plot",
            title=_("Cost of a million output tokens against utilization"),
            desc=_use_lead(cost),
            x_title=_("tokens made, percent of what could be"),
            y_title=_("%s for a million") % currency,
            x_ticks=x_ticks([1, 10, 100], x, HEIGHT),
            y_ticks=y_ticks(decade_ticks(y.low, y.high), y, HEIGHT),
            lines=[Line(css="ln-pred", d=path(points, x, y, HEIGHT))],
            marks=marks,
            notes=[],
            table=_use_table(cost),
        ),
        lead=_use_lead(cost),
        sentence=_("Nearly all of a year is paid whether the cards work or not, so utilization dominates."),
    )


def _mark(label: str, share: float, value: float, x: Scale, y: Scale, *, css: str, left: bool) -> Mark:
    return Mark(
        css=css,
        x=x.x(share),
        y=y.y(value, HEIGHT),
        r=5.5 if css == "pt-here" else 3.5,
        label=label,
        label_css=("lab-strong" if css == "pt-here" else "lab") + (" end" if left else "") + " halo",
        dx=-9 if left else 9,
        dy=14 if left else -7,  # the line falls to the right
    )


def _use_lead(cost: Mapping[str, Any]) -> str:
    tokens, currency = cost["per_million_output_tokens"], cost["currency"]
    if not tokens["at_load"] or not tokens["at_full_load"]:
        return _("At full load a million output tokens cost %s.") % amount(tokens["at_full_load"], currency)
    values = {
        "share": f"{percent(cost['utilization'])}{NBSP}%",
        "times": short(tokens["at_load"] / tokens["at_full_load"]),
    }
    return _("At %(share)s of its tokens, each costs %(times)s times what it would at full load.") % values


def _use_table(cost: Mapping[str, Any]) -> Table:
    return Table(
        head=[
            _("Utilization, percent"),
            _("Output tokens a day"),
            _("%s for a million output tokens") % cost["currency"],
        ],
        rows=[
            [
                short(100 * item["utilization"]),
                large(item["utilization"] * cost["tokens_per_day"]["at_full_load"]),
                plain_amount(item["per_million_output_tokens"]),
            ]
            for item in cost["by_utilization"]
        ],
    )


def rent_picture(cost: Mapping[str, Any]) -> Picture | None:
    """Money spent by month when bought and when rented; None without a rent or a price."""
    rent = cost["rent"]
    if not rent or not rent["curve"]:
        return None
    months = rent["break_even"]["months"]
    curve = _part_of(rent["curve"], months)
    currency = cost["currency"]
    x_end = curve[-1]["month"]
    y_end, y_step = nice_ceiling(max(max(point["bought"], point["rented"]) for point in curve))
    x, y = Scale(low=0, high=x_end), Scale(low=0, high=y_end)
    lines = {name: [(point["month"], point[name]) for point in curve] for name in ("bought", "rented")}
    met = months is not None and months <= x_end
    return Picture(
        plot=Plot(
            id="rent-plot",
            title=_("Money spent by month, bought and rented"),
            desc=_rent_lead(months),
            x_title=_("months"),
            y_title=currency,
            x_ticks=x_ticks(linear_ticks(x_end, 12), x, HEIGHT),
            y_ticks=y_ticks(linear_ticks(y_end, y_step), y, HEIGHT),
            lines=[
                Line(css="ln-meas", d=path(lines["bought"], x, y, HEIGHT)),
                Line(css="ln-pred", d=path(lines["rented"], x, y, HEIGHT)),
            ],
            marks=[],
            notes=[
                _line_note(_("bought"), curve[-1]["bought"], curve[-1]["rented"], y),
                _line_note(_("rented"), curve[-1]["rented"], curve[-1]["bought"], y),
            ],
            rules=[Rule(css="plot-gap", x=x.x(months), top=0, bottom=HEIGHT)] if met else [],
            table=Table(
                head=[_("Month"), _("Bought, %s") % currency, _("Rented, %s") % currency],
                rows=[
                    [count(p["month"]), count(p["bought"]), count(p["rented"])]
                    for p in rent["curve"]
                    if p["month"] % 6 == 0
                ],
            ),
        ),
        lead=_rent_lead(months),
        sentence=_("Money spent, without what the cards would still bring; your own work is in both."),
    )


def _part_of(curve: list[dict[str, float]], months: float | None) -> list[dict[str, float]]:
    """Whole years that show the meeting with room behind it, at least two."""
    shown = FEW_MONTHS if months is None else max(FEW_MONTHS, 12 * int(2 * months / 12 + 1))
    return curve[: min(shown, len(curve) - 1) + 1]


def _line_note(text: str, here: float, other: float, y: Scale) -> Note:
    """The name of a line at its right end, on the side where the other line is not."""
    return Note(
        text=text,
        x="100.00%",
        y=y.y(here, HEIGHT),
        css="lab-strong end halo",
        dx=-4,
        dy=-8 if here >= other else 26,  # beneath its line, which rises to its end
    )


def _rent_lead(months: float | None) -> str:
    if months is None:
        return _("Renting stays cheaper.")
    return _("Buying has paid for itself after %s months.") % short(months)
