"""The smallest changes that would mend a plan, in words and with their links. What helps is tried in the core."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from planner.answers.limits import change_name
from planner.core.figures import MINUS, count, short, with_unit
from planner.core.improve import NOT_ALL_SERVED, NOT_STARTED, WELL, Improvement, State, improvements
from planner.core.improve import Change as Tried
from planner.core.request import EstimateRequest
from planner.core.specs import Catalog
from planner.messages import word
from planner.messages.limits import PRICES
from planner.plan.figures import seconds
from planner.plan.form import Plan, changes_of
from planner.presentation import users as users_text

NO_EFFECT = 0.02  # of the time per token: less is none that anybody sees


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change of the plan in words: what it brings, in which figures, its price in kind, and the changed plan."""

    name: str
    state: str  # ok when nothing is wrong any more, warn when it only helps, crit when it does not
    gain: str
    detail: str
    price: str
    link: str


def helpful_changes(
    plan: Plan,
    answer: Mapping[str, Any],
    request: Mapping[str, Any],
    parsed: EstimateRequest,
    catalog: Catalog,
) -> list[Change]:
    """Changes that make the plan start, serve its users or meet its targets, least effort first.

    Up to two follow that one would expect to help and that do not. Empty when nothing is wrong.
    """
    found: Improvement = improvements(parsed, catalog)
    return [
        *(_change(plan, tried, "ok" if tried.solves else "warn") for tried in found.changes),
        *(_in_vain(plan, tried) for tried in found.in_vain),
    ]


def _change(plan: Plan, tried: Tried, state: str) -> Change:
    keys = changes_of(tried.candidate.change)
    return Change(
        name=change_name(tried.candidate),
        state=state,
        gain=_gain(tried.before, tried.after),
        detail=_detail(tried.before, tried.after),
        price=" ".join(word(PRICES, code, {}) for code in tried.candidate.price),
        link="?" + plan.query(keys) if keys else "",
    )


def _in_vain(plan: Plan, tried: Tried) -> Change:
    """One that does not help: what it does for the better is not enough."""
    change, before, after = _change(plan, tried, "crit"), tried.before, tried.after
    better = after.level == before.level and after.miss * (1 + NO_EFFECT) < before.miss
    return replace(change, gain=_("not enough")) if better else change


def _gain(before: State, after: State) -> str:
    """The one thing that was wrong, as it is with the change."""
    if after.level == NOT_STARTED:
        return _("does not start")
    users = after.figures["users"]
    if after.level == NOT_ALL_SERVED and users is not None:
        return _("%(running)s of %(asked)s users") % {
            "running": users_text(users),
            "asked": count(after.asked),
        }
    if before.missed is not None and before.level > NOT_ALL_SERVED:
        return _step(before, after, before.missed)
    if after.asked is not None:
        return ngettext("all %s user", "all %s users", after.asked) % count(after.asked)
    return _("fits") if after.level == WELL else _("starts")


def _step(before: State, after: State, target: str) -> str:
    """What a change does to the figure that missed its target; where it stays missed, whether that is anything at all."""
    was, now = before.figures[target], after.figures[target]
    if was is None or now is None or (after.level < WELL and abs(now - was) < NO_EFFECT * was):
        return _("no effect")
    size = abs(now - was)
    per_second = target == "output_tokens_per_s_per_user"
    return (MINUS if now < was else "+") + (with_unit(size, "tok/s") if per_second else seconds(size))


def _detail(before: State, after: State) -> str:
    parts = []
    spare, tpot = after.figures["spare_gib"], after.figures["tpot_ms"]
    if after.level == NOT_STARTED and spare is not None:
        return _("Still short by %s per card.") % with_unit(-spare, "GiB")
    if tpot is not None:
        parts.append(_speed(before, after))
    if spare is not None:
        parts.append(_("%s to spare per card.") % with_unit(spare, "GiB"))
    return " ".join(parts)


def _speed(before: State, after: State) -> str:
    return _("%(tpot)s ms per token, %(throughput)s tok/s in all.") % {
        "tpot": _from_to(before, after, "tpot_ms"),
        "throughput": _from_to(before, after, "output_tokens_per_s"),
    }


def _from_to(before: State, after: State, name: str) -> str:
    """A figure as it was and as it is with the change; once where nothing was known, or nothing changes."""
    was, now = short(before.figures[name]), short(after.figures[name])
    return now if before.figures[name] is None or was == now else f"{was} → {now}"
