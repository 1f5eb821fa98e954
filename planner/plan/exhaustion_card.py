"""The card "How likely does the KV cache run out?" of a plan: the probability, what keeps it small, and what would help."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from planner.answers.kv_exhaustion import answered, chance
from planner.core.figures import DASH, NBSP, count
from planner.core.geometry import Scale, linear_ticks, nice_ceiling, path
from planner.core.request import EstimateRequest
from planner.core.specs import Catalog
from planner.messages.lengths import MODEL_SOURCE
from planner.models import LengthLog
from planner.plan.figures import Figure
from planner.plan.form import Plan, changes_of
from planner.plots import Line, Mark, Note, Plot, Rule, Table, x_ticks, y_ticks

HEIGHT = 168
SHOWN_CODES = frozenset({"computed", "reserved"})
RARE, OFTEN = 0.01, 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpRow:
    """A change that makes it rarer: what it is, what it brings and costs, and the address of the plan with it."""

    name: str
    after: str
    price: str
    link: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ExhaustionCard:
    """The answer in a sentence, its figures, the curve over running requests, and changes."""

    state: str  # ok | warn | crit
    icon: str
    lead: str
    sentence: str
    figures: Sequence[Figure]
    plot: Plot | None
    help: Sequence[HelpRow]
    lengths: str
    kind: str
    source: str
    log: LengthLog | None
    without_log: str  # address of the plan with the lengths typed in it
    ask: bool  # whether only means are known


def card(
    plan: Plan, parsed: EstimateRequest, catalog: Catalog, *, log: LengthLog | None = None
) -> ExhaustionCard | None:
    """The card of one plan; None where there is nothing to say: no workload, or it does not start."""
    if parsed.workload is None or parsed.accelerator is None:
        return None
    found = answered(parsed, catalog, log=log)
    if found["code"] not in SHOWN_CODES:
        return None
    lead, _dot, rest = found["message"].partition(". ")
    lengths = found["lengths"]
    state, icon = _state(found["probability"])
    return ExhaustionCard(
        state=state,
        icon=icon,
        lead=lead.rstrip(".") + ("。" if lead.endswith("。") else "."),
        sentence=rest,
        figures=_figures(found),
        plot=_plot(found),
        help=[_help(plan, item) for item in found["help"]],
        lengths=lengths["message"] if lengths else "",
        kind=lengths["kind"] if lengths else "computed",
        source=str(MODEL_SOURCE),
        log=log,
        without_log=f"?{plan.query({'ll': ''})}",
        ask=bool(lengths) and lengths["code"] == "means",
    )


def _state(probability: float) -> tuple[str, str]:
    if probability <= RARE:
        return "ok", "i-ok"
    return ("warn", "i-warn") if probability <= OFTEN else ("crit", "i-crit")


def share(probability: float | None) -> str:
    """A probability with its sign, a dash for None."""
    if probability is None:
        return DASH
    return f"0{NBSP}%" if probability == 0 else f"{chance(probability)}{NBSP}%"


def _figures(found: Mapping[str, Any]) -> list[Figure]:
    if found["code"] == "reserved":
        return []
    running, within = found["running"], found["max_num_seqs_within"]
    accepted = share(found["accepted"])
    interval = found["interval"]
    span = (
        _("%(low)s to %(high)s over the interval of the cache")
        % {"low": share(interval[0]), "high": share(interval[1])}
        if interval and interval[0] != interval[1]
        else _("whatever the size of the cache")
    )
    return [
        Figure(
            name=_("At a random moment of the peak") if running["random"] else _("At a random moment"),
            value=share(found["probability"]).removesuffix(f"{NBSP}%"),
            unit="%",
            kind="computed",
            sub=span,
        ),
        _at_mean(found) or _minutes(found),
        Figure(
            name=_("Kept below %s") % accepted,
            value=count(within),
            unit="max_num_seqs",
            kind="computed",
            sub=_("now %(slots)s, of which %(mean)s run on average")
            % {"slots": count(running["max_num_seqs"]), "mean": count(running["mean"])},
        ),
        Figure(
            name=_("Passes %s at") % accepted,
            value=count(found["concurrency_that_passes"]),
            unit=_("at once"),
            kind="computed",
            sub=_sure(found["cache"], running["replicas"]),
        ),
    ]


def _minutes(found: Mapping[str, Any]) -> Figure:
    minutes = found["minutes_per_hour"]
    return Figure(
        name=_("Of an hour like this"),
        value=f"{minutes:.2g}" if 0 < minutes < 10 else count(minutes),
        unit=_("minutes"),
        kind="computed",
        sub=_("expected"),
    )


def _at_mean(found: Mapping[str, Any]) -> Figure | None:
    if found["probability_at_mean_load"] is None:
        return None
    return Figure(
        name=_("At the mean load of the day"),
        value=share(found["probability_at_mean_load"]).removesuffix(f"{NBSP}%"),
        unit="%",
        kind="computed",
        sub=_("at the peak %s minutes of an hour") % f"{found['minutes_per_hour']:.2g}",
    )


def _sure(cache: Mapping[str, Any], replicas: int) -> str:
    """What holds whatever the lengths are."""
    text = _("%s always find room, however long they are") % count(cache["always_enough_for"] * replicas)
    return text if replicas == 1 else _("of all replicas; %s") % text


def _help(plan: Plan, item: Mapping[str, Any]) -> HelpRow:
    changes = changes_of(item["change"])
    return HelpRow(
        name=item["message"],
        after=share(item["probability"]),
        price=" ".join(price["message"] for price in item["price"]),
        link=f"?{plan.query(changes)}" if changes else "",
    )


def _plot(found: Mapping[str, Any]) -> Plot | None:
    """Probability by running requests of one replica."""
    levels = found["by_running"]
    if len(levels) < 3:
        return None
    running = [item["running"] for item in levels]
    end, step = nice_ceiling(max(running))
    x, y = Scale(low=0, high=end), Scale(low=0, high=100)
    points = [(float(item["running"]), 100 * item["probability"]) for item in levels]
    points = [(0.0, 0.0), *points, (end, points[-1][1])]
    here = found["running"]["mean"]
    within = found["max_num_seqs_within"]
    marks = [] if here is None or here > end else [_here(here, found, x, y)]
    return Plot(
        id="runs-out-plot",
        title=_("Probability that the KV cache runs out, by requests that run at once"),
        desc=found["message"],
        x_title=_("requests that run at once in a replica"),
        y_title=_("moments, %"),
        x_ticks=x_ticks(linear_ticks(end, step), x, HEIGHT),
        y_ticks=y_ticks([0, 25, 50, 75, 100], y, HEIGHT),
        lines=[Line(css="ln-pred", d=path(points, x, y, HEIGHT))],
        marks=marks,
        notes=[_within_note(within, found["accepted"], x)] if within else [],
        rules=[Rule(css="cap-edge", x=x.x(within), top=0, bottom=HEIGHT)] if within else [],
        table=Table(
            head=[_("Running at once"), _("Probability")],
            rows=[[count(item["running"]), share(item["probability"])] for item in levels],
        ),
        height=HEIGHT,
    )


def _here(mean: float, found: Mapping[str, Any], x: Scale, y: Scale) -> Mark:
    right = x.share(mean) > 0.75
    text = ngettext("this plan: %s", "this plan: %s", round(mean)) % count(mean)
    return Mark(
        css="pt-here",
        x=x.x(mean),
        y=y.y(100 * found["probability"], HEIGHT),
        r=5.5,
        label=text,
        label_css="lab-strong end halo" if right else "lab-strong halo",
        dx=-9 if right else 9,
    )


def _within_note(within: int, accepted: float, x: Scale) -> Note:
    right = x.share(within) > 0.6
    text = _("%(chance)s at %(count)s") % {"chance": share(accepted), "count": count(within)}
    return Note(
        text=text,
        x=x.x(within),
        y=12,
        css="lab end halo" if right else "lab halo",
        dx=-6 if right else 6,
    )
