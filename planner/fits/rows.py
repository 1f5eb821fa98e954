"""The list of models on one's own cards: filtered, sorted, grouped, in words."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from planner.answers.limits import layout
from planner.core.figures import count, short, span, with_unit
from planner.core.improve import NOT_ALL_SERVED, TARGET_MISSED, TOO_SHORT
from planner.core.owned import AS_PUBLISHED, GROUPS, QUANTIZED, TOO_LARGE, ModelFit
from planner.core.reach import Reach
from planner.core.search.answer import request_of
from planner.fits.form import Asked
from planner.messages import REASONS, word
from planner.plan.form import plan_of_request
from planner.presentation import users

SHOWN = 15
BILLION = 1e9
# Upper ends of the sizes that the form offers, in billions of parameters.
LOWER = {"4": 0.0, "15": 4.0, "40": 15.0, "150": 40.0, "more": 150.0}
UPPER = {"4": 4.0, "15": 15.0, "40": 40.0, "150": 150.0, "more": math.inf}
ReachOf = Callable[[Sequence[ModelFit]], Sequence[Reach]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One model: what it would run as, how fast, how far, and where the whole answer is."""

    name: str
    others: str
    size: str
    weights: str
    spread: str
    state: str  # ok | warn | crit | off
    said: str
    tpot: str = ""
    tpot_span: str = ""
    throughput: str = ""
    context: str = ""
    users: str = ""
    link: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Models of one kind of answer. `more` leads to all of them, "" when all are shown."""

    id: str
    title: str
    sentence: str
    rows: Sequence[Row]
    runs: bool
    more: str
    left: str


def kept(fits: Sequence[ModelFit], asked: Asked) -> list[ModelFit]:
    """Those that the filters leave: text in any name of the shape, family, size."""
    text, family, size = asked.values["q"].casefold(), asked.values["fam"], asked.values["size"]
    low, high = LOWER.get(size, 0.0) * BILLION, UPPER.get(size, math.inf) * BILLION
    return [
        fit
        for fit in fits
        if (not family or fit.shape.model.family == family)
        and low <= fit.shape.parameters < high
        and (not text or any(text in name.casefold() for name in (fit.shape.model.id, *fit.shape.others)))
    ]


def groups(fits: Sequence[ModelFit], asked: Asked, reach_of: ReachOf) -> list[Group]:
    """The groups that hold anything, their first rows or all of them."""
    found = [(group, [fit for fit in fits if fit.group == group]) for group in GROUPS]
    return [_group(group, members, asked, reach_of) for group, members in found if members]


def _group(group: str, members: Sequence[ModelFit], asked: Asked, reach_of: ReachOf) -> Group:
    runs = group in (AS_PUBLISHED, QUANTIZED)
    by_reach = runs and asked.values["sort"] in ("users", "context")
    reaches = (
        {id(fit): reach for fit, reach in zip(members, reach_of(members), strict=True)} if by_reach else {}
    )
    ordered = sorted(members, key=lambda fit: _order(fit, asked.values["sort"], reaches.get(id(fit))))
    shown = ordered if asked.values["all"] == group else ordered[:SHOWN]
    if runs and not by_reach:
        reaches = {id(fit): reach for fit, reach in zip(shown, reach_of(shown), strict=True)}
    title, sentence = _titles(group)
    return Group(
        id=group,
        title=title,
        sentence=sentence,
        rows=[_running(fit, reaches[id(fit)]) if runs else _refused(fit) for fit in shown],
        runs=runs,
        more="" if len(shown) == len(ordered) else f"?{asked.query({'all': group})}#{group}",
        left=count(len(ordered)),
    )


def _titles(group: str) -> tuple[str, str]:
    return {
        AS_PUBLISHED: (
            _("Which models run as published?"),
            _("In the precision that their publisher gave out."),
        ),
        QUANTIZED: (
            _("Which run only when quantized?"),
            _(
                "Wider weights do not fit, leave users waiting or miss a target. Check quality on your task first."
            ),
        ),
        TOO_LARGE: (
            _("Which do not fit, and by how much?"),
            _("With the narrowest weights worth using, four bits."),
        ),
    }.get(
        group,
        (
            _("Which are out for another reason?"),
            _("The size of the memory is not what is in the way, or nobody states it."),
        ),
    )


def _order(fit: ModelFit, sort: str, reach: Reach | None) -> tuple[float | str, ...]:
    spare, tpot = fit.state.figures["spare_gib"], fit.state.figures["tpot_ms"]
    if sort == "name":
        return (fit.shape.model.id.casefold(),)
    if fit.group not in (AS_PUBLISHED, QUANTIZED):
        # what lacks least comes first
        return (-float(spare) if spare is not None else math.inf, fit.shape.model.id)
    key = {
        "speed": math.inf if tpot is None else float(tpot),
        "users": -float((reach and reach.most_users) or 0),
        "context": -float((reach and reach.longest_context) or 0),
    }.get(sort, -fit.shape.parameters)
    return (key, fit.shape.model.id)


def _running(fit: ModelFit, reach: Reach) -> Row:
    figures = fit.state.figures
    low, high = fit.tpot_low_ms, fit.tpot_high_ms
    return Row(
        **_named(fit),
        state=_state(fit),
        said=said(fit),
        tpot=short(figures["tpot_ms"]),
        tpot_span=span(low, high) if math.isfinite(low) else "",
        throughput=short(fit.output_tokens_per_s),
        context=count(reach.longest_context),
        users=count(reach.most_users),
        link=plan_link(fit),
    )


def _state(fit: ModelFit) -> str:
    if fit.does_all is None:
        return "off"
    return "warn" if fit.state.level in (NOT_ALL_SERVED, TARGET_MISSED, TOO_SHORT) else "ok"


def said(fit: ModelFit) -> str:
    """How far it does what was asked."""
    state = fit.state
    if fit.does_all is None:
        return _("starts; how fast is not known")
    if state.level == TOO_SHORT:
        return _("requests are too long for it")
    if state.level == NOT_ALL_SERVED:
        return _("%(running)s of %(asked)s users at once") % {
            "running": users(state.users),
            "asked": count(state.asked),
        }
    if state.level == TARGET_MISSED:
        return _("misses a target by %s percent") % short(100 * (state.miss - 1), 2)
    return ngettext("serves %s user", "serves all %s users", state.asked or 0) % count(state.asked)


def _refused(fit: ModelFit) -> Row:
    spare = fit.state.figures["spare_gib"]
    if fit.group == TOO_LARGE and spare is not None:
        text = _("short by %s per card") % with_unit(-float(spare), "GiB")
    else:
        text = word(REASONS, fit.reason or "", _values(fit))
    return Row(
        **_named(fit), state="crit" if fit.group == TOO_LARGE else "off", said=text, link=plan_link(fit)
    )


def _values(fit: ModelFit) -> Mapping[str, str]:
    request = fit.request
    return {
        "engine": request.engine.name,
        "version": request.engine.version,
        "architecture": ", ".join(request.model.architectures),
        "accelerator": request.accelerator.name if request.accelerator else "",
        "name": request.accelerator.name if request.accelerator else "",
        "vendor": request.accelerator.vendor if request.accelerator else "",
        "scheme": request.scheme.id,
        "dtype": request.kv_cache_dtype,
        "model": request.model.id,
    }


def _named(fit: ModelFit) -> dict[str, str]:
    request, others = fit.request, fit.shape.others
    cache = "" if request.kv_cache_dtype == "auto" else _("KV %s") % request.kv_cache_dtype
    degrees = request.parallelism
    spread = layout({"tensor": degrees.tensor, "pipeline": degrees.pipeline, "data": degrees.data})
    return {
        "name": fit.shape.model.id,
        "others": ", ".join(name.rpartition("/")[2] for name in others[:3])
        + (" …" if len(others) > 3 else ""),
        "size": short(fit.shape.parameters / BILLION),
        "weights": ", ".join(filter(None, (request.scheme.id, cache))),
        "spread": ", ".join(filter(None, (spread, "EP" if degrees.expert else ""))),
    }


def plan_link(fit: ModelFit) -> str:
    """The address of the whole answer for one model, "" where the plan's form cannot ask it."""
    plan = plan_of_request(request_of(fit.request))
    return "" if plan is None else f"{reverse('planner:plan')}?{plan.query()}"
