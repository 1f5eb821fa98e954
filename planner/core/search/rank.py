"""From judged candidates to an order: the best variation of every set-up, winners, and what no other set-up beats."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.core.batch import FloatArray
from planner.core.search.figures import Figures
from planner.core.search.space import Index, Space


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """What objectives are judged by, per row (n,): smaller is better, NaN where it cannot be known."""

    by_objective: Mapping[str, FloatArray]
    balanced_by: str  # power | price


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """Rows in order, one per set-up; `variations` counts the matching rows of each set-up."""

    rows: Index
    variations: Index
    frontier: Index


def scores_of(figures: Figures, *, power: FloatArray, price: FloatArray, matching: Index) -> Scores:
    """Balanced is time per token, waiting included, times what it takes: money where every candidate has a price, else board power.

    Throughput is what is served or, where requests come at a rate that all serve alike, what could be.
    """
    priced = len(matching) > 0 and bool(np.isfinite(price[matching]).all())
    served = figures.capacity_tokens_per_s if figures.at_random else figures.output_tokens_per_s
    return Scores(
        by_objective={
            "balanced": figures.ms_per_token * (price if priced else power),
            "lowest_cost": price,
            "lowest_tpot": figures.tpot_ms,
            "highest_throughput": -served,
            "lowest_power": power,
        },
        balanced_by="price" if priced else "power",
    )


def rank(
    space: Space, figures: Figures, scores: Scores, *, objective: str, power: FloatArray, matching: Index
) -> Ranking:
    """Matching rows, best first by the objective; ties by time per token, power, then names, so that none is left open.

    A set-up whose score is not known comes after all whose score is.
    """
    if not len(matching):
        nothing = np.zeros(0, dtype=np.intp)
        return Ranking(rows=nothing, variations=nothing, frontier=nothing)
    score = np.nan_to_num(scores.by_objective[objective], nan=np.inf)
    # Rows of one set-up tie in the order of the space: plainer formats and smaller groups first
    by_time = matching[np.argsort(figures.tpot_ms[matching], kind="stable")]
    order = by_time[np.argsort(score[by_time], kind="stable")]
    set_up = space.accelerator[order] * (int(space.count.max()) + 1) + space.count[order]
    variations = np.bincount(set_up)
    first = np.zeros(len(variations), dtype=np.intp)
    first[set_up[::-1]] = np.arange(len(set_up))[::-1]  # of several writes to one place the last stays
    met = np.flatnonzero(variations)
    best, variations = order[first[met]], variations[met]
    names = np.argsort(np.argsort([card.id for card in space.accelerators], kind="stable"), kind="stable")
    place = np.lexsort(
        (
            space.count[best],
            names[space.accelerator[best]],
            np.nan_to_num(power[best], nan=np.inf),
            figures.tpot_ms[best],
            score[best],
        )
    )
    return Ranking(
        rows=best[place], variations=variations[place], frontier=_frontier(space, figures, matching)
    )


def per_accelerator(space: Space, figures: Figures) -> FloatArray:
    """Tokens/s of one accelerator, all users together (n,)."""
    return np.asarray(figures.output_tokens_per_s / space.count, dtype=np.float64)


def _frontier(space: Space, figures: Figures, rows: Index) -> Index:
    """Rows that no other beats in tokens/s per user and per accelerator at once, fastest for a user first."""
    user, machine = 1e3 / figures.tpot_ms[rows], per_accelerator(space, figures)[rows]
    order = np.lexsort((np.arange(len(rows)), -machine, -user))
    best = np.maximum.accumulate(machine[order])
    leads = np.concatenate([[True], machine[order][1:] > best[:-1]])
    found: Index = rows[order[leads]]
    return found


WINNERS = {
    "cheapest": "lowest_cost",
    "lowest_tpot": "lowest_tpot",
    "highest_throughput": "highest_throughput",
    "balanced": "balanced",
    "lowest_power": "lowest_power",
}
# The least of something is nothing: these only count among set-ups that are fast enough to use.
AMONG_USABLE = frozenset({"lowest_cost", "balanced", "lowest_power"})


def winners_of(ranking: Ranking, scores: Scores, usable: NDArray[np.bool_]) -> dict[str, int | None]:
    """Rank of the set-up that leads by each objective, None where no score is known; `usable` is per row (n,)."""
    found: dict[str, int | None] = {}
    for name, objective in WINNERS.items():
        values = scores.by_objective[objective][ranking.rows]
        known = np.isfinite(values)
        if objective in AMONG_USABLE and usable[ranking.rows].any():
            known &= usable[ranking.rows]
        found[name] = int(np.argmin(np.where(known, values, np.inf))) + 1 if known.any() else None
    return found
