"""Limits and changes as the outside sees them: an estimate request in, codes with their words out."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from planner.answers.estimates import UNSUPPORTED_CODES, problem_object
from planner.core import CORE_VERSION
from planner.core.candidate import Candidate
from planner.core.figures import count
from planner.core.improve import Change, gain, improvements
from planner.core.limits import MOST_USERS_PER_REPLICA, Limit, best_settings, limits_of
from planner.core.outcome import Problem
from planner.core.parse import Rejected, Reserved, parse_request
from planner.core.request import EstimateRequest
from planner.core.specs import Catalog
from planner.messages import word
from planner.messages.limits import CHANGES, PRICES, STOPS

LIMITS = (
    "longest_context",
    "longest_context_for_users",
    "most_users",
    "most_users_by_cache",
    "most_users_within_targets",
)
NAMES = {"longest_context": "longest_context_tokens"}


def answer(objects: Sequence[Any], *, catalog: Catalog) -> list[dict[str, Any]]:
    """One answer or problem object per estimate request, in order. A bad one does not stop the others."""
    return [_answer(obj, catalog) for obj in objects]


def _answer(obj: Any, catalog: Catalog) -> dict[str, Any]:
    title = _("The limits of this request cannot be found.")
    if isinstance(obj, Problem):  # a line that was not JSON
        return problem_object(None, (obj,), title=title)
    parsed = parse_request(obj, catalog)
    if isinstance(parsed, Rejected):
        if all(problem.code in UNSUPPORTED_CODES for problem in parsed.problems):
            return _nothing(parsed.id, "unsupported", catalog)
        return problem_object(parsed.id, parsed.problems, title=title)
    if isinstance(parsed, Reserved):
        return _nothing(parsed.id, "unsupported", catalog)
    return limits_answer(parsed, catalog)


def _nothing(request_id: str | None, verdict: str, catalog: Catalog) -> dict[str, Any]:
    values = {NAMES.get(name, name): None for name in LIMITS}
    return {
        "id": request_id,
        "verdict": verdict,
        **values,
        "limited_by": dict.fromkeys(values),
        "best_settings": None,
        "changes": [],
        "in_vain": [],
        "basis": _basis(catalog),
    }


def _basis(catalog: Catalog) -> dict[str, Any]:
    return {"catalog": catalog.hash, "core": CORE_VERSION, "calibration": None}


def limits_answer(request: EstimateRequest, catalog: Catalog) -> dict[str, Any]:
    """Limits, our settings, and changes that would help, for one checked request."""
    found = limits_of(request, catalog)
    improvement = improvements(request, catalog)
    each: dict[str, Limit | None] = {name: getattr(found, name) for name in LIMITS}
    return {
        **_nothing(request.id, found.verdict, catalog),
        **{NAMES.get(name, name): limit and limit.value for name, limit in each.items()},
        "limited_by": {NAMES.get(name, name): limit and stop(limit) for name, limit in each.items()},
        "best_settings": best_settings(request, catalog),
        "changes": [_change(change) for change in improvement.changes],
        "in_vain": [_change(change) for change in improvement.in_vain],
    }


def stop(limit: Limit) -> dict[str, Any]:
    """What stops the step after a limit, with its words."""
    values = {**limit.values, "users": MOST_USERS_PER_REPLICA}
    return {
        "code": limit.code,
        "values": dict(limit.values),
        "message": word(STOPS, limit.code, values),
    }


def _change(change: Change) -> dict[str, Any]:
    candidate, after = change.candidate, change.after
    return {
        "code": candidate.code,
        "values": _plain(candidate.values),
        "message": change_name(candidate),
        "change": candidate.change,
        "price": [{"code": code, "message": word(PRICES, code, {})} for code in candidate.price],
        "verdict": after.verdict,
        "reason": after.reason,
        "solves": change.solves,
        "gain": gain(change),
    }


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: {"code": value.code, "values": _plain(value.values)} if isinstance(value, Candidate) else value
        for name, value in values.items()
    }


def change_name(candidate: Candidate) -> str:
    """What a change is, in words."""
    values = dict(candidate.values)
    if candidate.code == "pair":
        values = {name: change_name(half) for name, half in values.items()}
    if candidate.code in ("other_layout", "more_cards"):
        values["layout"] = layout(values)
    whole = {name: count(value) if isinstance(value, int) else value for name, value in values.items()}
    return word(CHANGES, candidate.code, whole)


def layout(degrees: Mapping[str, int]) -> str:
    """Degrees as people write them: TP 2, DP 2; one card each is named as replicas."""
    parts = [
        f"{name} {degrees[key]}"
        for name, key in (("TP", "tensor"), ("PP", "pipeline"), ("DP", "data"))
        if degrees[key] > 1
    ]
    return ", ".join(parts)
