"""One question, one search: candidates, figures, what is out and why, and the rest in order."""

from dataclasses import replace
from typing import Any

import numpy as np

from planner.core.request import EstimateRequest
from planner.core.search import answer
from planner.core.search.asked import SearchRequest
from planner.core.search.figures import Figures, figures_of
from planner.core.search.judge import judge_load, judge_targets
from planner.core.search.limits import power_w, purchase
from planner.core.search.options import Order, options
from planner.core.search.rank import Ranking, rank, scores_of, winners_of
from planner.core.search.space import Space, space_of
from planner.core.specs import Catalog


def recommend(request: SearchRequest, catalog: Catalog) -> dict[str, Any]:
    """Ranked set-ups for a model and a load, with everything that is out and why; codes instead of messages.

    `searched` is the number of candidates, `matching` of those that meet everything: it and the counts of `excluded`
    add up. The same question on the same catalog has the same answer.
    """
    space = space_of(request, catalog)
    power, price = power_w(space), purchase(space, request.constraints)
    figures = figures_of(request, space, catalog)
    judge_load(request, space, figures)
    judge_targets(request.targets, figures)
    matching = np.flatnonzero(figures.outcome == 0)
    scores = scores_of(figures, power=power, price=price, matching=matching)
    ranking = rank(space, figures, scores, objective=request.objective, power=power, matching=matching)
    winners = winners_of(ranking, scores)
    places = sorted({*range(min(request.limit, len(ranking.rows))), *(w - 1 for w in winners.values() if w)})
    asked = {place: question_of(request, space, figures, int(ranking.rows[place])) for place in places}
    order = Order(request=request, ranking=ranking, scores=scores, winners=winners)
    found = options(asked, order, catalog)
    return {
        "id": request.id,
        "objective": request.objective,
        "options": found,
        "winners": winners,
        "frontier": answer.frontier(space, figures, ranking),
        "excluded": answer.excluded(space, figures),
        "nearest": [] if found else answer.nearest(request, space, figures),
        "searched": len(space) + sum(rows for _, _, rows in space.filtered),
        "matching": len(matching),
        "set_ups": len(ranking.rows),
        "workload_shape": answer.shape_of(found[0]) if found else None,
        "reasons": _remarks(request, ranking, scores.balanced_by),
        "basis": answer.basis_of(catalog),
    }


def question_of(request: SearchRequest, space: Space, figures: Figures, row: int) -> EstimateRequest:
    """The estimate of one candidate, at the load and with the settings that the search gave it."""
    return space.request(
        row,
        settings=figures.settings_at(space, row),
        workload=replace(
            request.workload,
            concurrency=int(figures.concurrency[row]),
            requests_per_s=None,
            requests_per_day=None,
            peak_factor=1.0,
        ),
        targets=request.targets,
    )


def _remarks(request: SearchRequest, ranking: Ranking, balanced_by: str) -> list[dict[str, Any]]:
    """What the reader must know of the order before trusting it."""
    constraints = request.constraints
    found: list[dict[str, Any]] = []
    if not constraints.prices:
        found.append({"code": "no_prices", "field": "constraints.prices", "values": {}})
        if constraints.budget is not None:
            found.append({"code": "budget_without_prices", "field": "constraints.budget", "values": {}})
    if request.objective == "balanced":
        found.append({"code": f"balanced_by_{balanced_by}", "field": "objective", "values": {}})
    found.extend(
        {"code": "target_unknown_until_measured", "field": f"targets.{name}", "values": {}}
        for name in request.targets.measured_only
    )
    if not len(ranking.rows):
        found.append({"code": "nothing_meets_everything", "field": None, "values": {}})
    return found
