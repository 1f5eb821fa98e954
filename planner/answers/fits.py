"""From cards to models as the outside sees it: cards, engine, load and targets in, every model of the catalog out."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from planner.answers.estimates import problem_object
from planner.core import CORE_VERSION
from planner.core.improve import NOT_STARTED
from planner.core.outcome import Problem
from planner.core.owned import GROUPS, ModelFit, fits_on, too_many_cards
from planner.core.parse import Rejected, Reserved, parse_request
from planner.core.reach import Reach, reach_of
from planner.core.request import EstimateRequest
from planner.core.search.answer import request_of
from planner.core.specs import Catalog
from planner.form_inputs import positive

FIELDS = ("id", "accelerator", "count", "engine", "workload", "targets")
FIGURES = ("spare_gib", "users", "tpot_ms", "ttft_ms", "output_tokens_per_s")


def answer(objects: Sequence[Any], *, catalog: Catalog) -> list[dict[str, Any]]:
    """One answer or problem object per question, in order. A bad one does not stop the others."""
    return [_answer(obj, catalog) for obj in objects]


def _answer(obj: Any, catalog: Catalog) -> dict[str, Any]:
    title = _("Which models fit cannot be told for this request.")
    if isinstance(obj, Problem):  # a line that was not JSON
        return problem_object(None, (obj,), title=title)
    problems = _own_problems(obj)
    parsed = parse_request(_with_any_model(obj, catalog) if isinstance(obj, Mapping) else obj, catalog)
    if isinstance(parsed, Rejected):
        # settings are always derived here: without a workload its own problem says enough
        problems += [item for item in parsed.problems if item.code != "derive_needs_workload"]
    elif isinstance(parsed, EstimateRequest) and (too_many := too_many_cards(parsed.count)):
        problems.append(too_many)
    if isinstance(parsed, Rejected | Reserved) or problems:
        return problem_object(parsed.id, problems, title=title)
    fits = fits_on(parsed, catalog)
    reaches = _reaches(fits, catalog)
    return {
        "id": parsed.id,
        "counts": {group: sum(fit.group == group for fit in fits) for group in GROUPS},
        "models": [_model(fit, reaches.get(index)) for index, fit in enumerate(fits)],
        "basis": {"catalog": catalog.hash, "core": CORE_VERSION, "calibration": None},
    }


def _own_problems(obj: Any) -> list[Problem]:
    """What this question needs beyond an estimate, and what it has no place for."""
    if not isinstance(obj, Mapping):
        return []
    known = ", ".join(FIELDS)
    found = [
        Problem(code="unknown_field", field=str(name), values={"known": known})
        for name in obj
        if name not in FIELDS
    ]
    missing = [name for name in ("accelerator", "workload") if obj.get(name) is None]
    return found + [Problem(code="missing", field=name) for name in missing]


def _with_any_model(obj: Mapping[str, Any], catalog: Catalog) -> dict[str, Any]:
    """The estimate request of one model, whichever, on all cards: what is asked is all but the model."""
    asked = {name: obj[name] for name in FIELDS if obj.get(name) is not None}
    asked |= {"model": {"id": next(iter(catalog.models))}, "settings": "derive"}
    if positive(asked.get("count")) and asked["count"] is not True:
        asked["parallelism"] = {"data": asked["count"]}
    return asked


def _reaches(fits: Sequence[ModelFit], catalog: Catalog) -> dict[int, Reach]:
    running = [index for index, fit in enumerate(fits) if fit.state.level > NOT_STARTED]
    found = reach_of([fits[index].request for index in running], catalog)
    return dict(zip(running, found, strict=True))


def _model(fit: ModelFit, reach: Reach | None) -> dict[str, Any]:
    known = math.isfinite(fit.tpot_low_ms) and fit.state.figures["tpot_ms"] is not None
    return {
        "model": fit.shape.model.id,
        "also": list(fit.shape.others),
        "parameters": int(fit.shape.parameters),
        "group": fit.group,
        "verdict": fit.state.verdict,
        "reason": fit.reason,
        "does_all": fit.does_all,
        "figures": {name: fit.state.figures[name] for name in FIGURES},
        "interval": {"tpot_ms": [round(fit.tpot_low_ms, 4), round(fit.tpot_high_ms, 4)] if known else None},
        "longest_context_tokens": reach and reach.longest_context,
        "most_users": reach and reach.most_users,
        "request": request_of(fit.request),
    }
