"""Which candidates are out, and for which reason: one reason each, the first that holds."""

import numpy as np
from numpy.typing import NDArray

from planner.core.batch import FloatArray
from planner.core.load import WHOLE
from planner.core.request import TARGET_NAMES, Targets
from planner.core.search.asked import SearchRequest
from planner.core.search.figures import Figures
from planner.core.search.space import Index, Space

# Where no target says what is fast enough: about as fast as people read, and a wait that most leave at.
USABLE_TOKENS_PER_S = 5.0
USABLE_FIRST_TOKEN_MS = 60_000.0
TARGET_REASONS = ("misses_ttft_target", "misses_tpot_target", "misses_rate")


def judge_load(request: SearchRequest, space: Space, figures: Figures) -> None:
    """Rows whose cache holds fewer requests than come: where waiting is not what was asked for, they are out."""
    if request.objective == "highest_throughput" and request.workload.requests_per_s is None:
        return
    replicas = np.array([plan.data for plan in space.plans], dtype=np.float64)[space.plan]
    with np.errstate(invalid="ignore"):
        short = figures.running < figures.concurrency / replicas - WHOLE
    figures.refuse(np.flatnonzero(short), "load_above_capacity")


def judge_targets(targets: Targets, figures: Figures) -> None:
    """Rows that miss a target; see `misses`."""
    for reason, over in zip(TARGET_REASONS, misses(targets, figures), strict=True):
        with np.errstate(invalid="ignore"):
            figures.refuse(np.flatnonzero(over > 1.0), reason)


def misses(targets: Targets, figures: Figures) -> tuple[FloatArray, FloatArray, FloatArray]:
    """How often a figure goes into its limit (n,), above 1 where it misses: first token, time per token, rate.

    NaN where there is no such target, or where it was given as a P99, which a mean cannot answer.
    """
    return (
        figures.ttft_ms / _limit(targets, "ttft_ms"),
        figures.tpot_ms / _limit(targets, "tpot_ms"),
        _limit(targets, "output_tokens_per_s_per_user") / (1e3 / figures.tpot_ms),
    )


def _limit(targets: Targets, name: str) -> float:
    limit = targets.mean_limit(name)
    return np.nan if limit is None else float(limit)


def usable_floor(request: SearchRequest) -> Targets:
    """The least that a set-up must do to be called usable, of what the asker gave no target for.

    Nothing where throughput is the objective: there waiting is what was asked for.
    """
    given = {name for name in TARGET_NAMES if getattr(request.targets, name) is not None}
    if request.objective == "highest_throughput":
        return Targets()
    return Targets(
        ttft_ms=None if "ttft_ms" in given else USABLE_FIRST_TOKEN_MS,
        output_tokens_per_s_per_user=None
        if given & {"tpot_ms", "output_tokens_per_s_per_user"}
        else USABLE_TOKENS_PER_S,
    )


def usable(floor: Targets, figures: Figures) -> NDArray[np.bool_]:
    """Rows (n,) that reach the floor."""
    reached = np.ones(len(figures.outcome), dtype=np.bool_)
    with np.errstate(invalid="ignore"):
        for over in misses(floor, figures):
            reached &= ~(over > 1.0)
    return reached


def rows_of(figures: Figures, reason: str) -> Index:
    """Rows that are out for one reason."""
    return np.flatnonzero(figures.outcome == figures.reasons.index(reason) + 1)
