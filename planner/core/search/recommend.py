"""One question, one search: candidates, figures, what is out and why, and the rest in order."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.core.request import EstimateRequest, Targets
from planner.core.search import answer
from planner.core.search.asked import SearchRequest
from planner.core.search.figures import Figures, figures_of
from planner.core.search.judge import judge_load, judge_targets, usable, usable_floor
from planner.core.search.limits import power_w, purchase
from planner.core.search.options import Order, options
from planner.core.search.rank import AMONG_USABLE, rank, scores_of, winners_of
from planner.core.search.remarks import remarks
from planner.core.search.space import Space, space_of
from planner.core.specs import Catalog


def recommend(request: SearchRequest, catalog: Catalog) -> dict[str, Any]:
    """Ranked set-ups for a model and a load, with everything that is out and why; codes instead of messages.

    `searched` is the number of candidates, `matching` of those that meet everything: it and the counts of `excluded`
    add up. The same question on the same catalog has the same answer.
    """
    space = space_of(request, catalog)
    book = request.priced
    power, price = power_w(space), purchase(space, book)
    figures = figures_of(request, space, catalog)
    judge_load(request, space, figures)
    judge_targets(request.targets, figures)
    floor = usable_floor(request)
    reached = _keep_usable(request, floor, figures)
    matching = np.flatnonzero(figures.outcome == 0)
    scores = scores_of(
        figures,
        power=power,
        price=price,
        matching=matching,
    )
    ranking = rank(space, figures, scores, objective=request.objective, power=power, matching=matching)
    winners = winners_of(ranking, scores, reached)
    places = sorted({*range(min(request.limit, len(ranking.rows))), *(w - 1 for w in winners.values() if w)})
    asked = {place: question_of(request, space, figures, int(ranking.rows[place])) for place in places}
    order = Order(
        request=request, book=book, figures=figures, ranking=ranking, scores=scores, winners=winners
    )
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
        "reasons": remarks(
            request,
            figures,
            floor,
            reached[ranking.rows],
            balanced_by=scores.balanced_by,
            priced=np.isfinite(price[ranking.rows]),
            options=found,
        ),
        "basis": {**answer.basis_of(catalog), "prices": (request.book and request.book.key) or None},
    }


def _keep_usable(request: SearchRequest, floor: Targets, figures: Figures) -> NDArray[np.bool_]:
    """Which rows (n,) are fast enough to use; the others are out of an order by cost, power or balance.

    Where nothing is fast enough, all of them stay.
    """
    reached = usable(floor, figures)
    open_rows = figures.outcome == 0
    if request.objective in AMONG_USABLE and (reached & open_rows).any():
        figures.refuse(np.flatnonzero(open_rows & ~reached), "below_usable_floor")
    return reached


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
