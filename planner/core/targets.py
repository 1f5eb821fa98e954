"""Whether speeds meet targets: how far each row is from the worst of them."""

import math

import numpy as np

from planner.core.batch import FloatArray, SpeedBatch
from planner.core.request import TARGET_NAMES, Targets

MORE_IS_BETTER = frozenset({"output_tokens_per_s_per_user"})


def judged(targets: Targets | None) -> dict[str, float]:
    """Limits that a steady-state mean can answer, by name; a P99 is left to measurements."""
    if targets is None:
        return {}
    limits = {name: targets.mean_limit(name) for name in TARGET_NAMES}
    return {name: limit for name, limit in limits.items() if limit is not None}


def miss_ratios(targets: Targets | None, speed: SpeedBatch) -> dict[str, FloatArray]:
    """Per target, value over limit (limit over value where more is better): above 1 it is missed. (n,) each."""
    found: dict[str, FloatArray] = {}
    for name, limit in judged(targets).items():
        values: FloatArray = getattr(speed, name)
        found[name] = limit / values if name in MORE_IS_BETTER else values / limit
    return found


def miss_ratio(targets: Targets | None, speed: SpeedBatch) -> FloatArray:
    """The worst ratio of every row, (n,): up to 1 all targets are met; NaN where there are none or no speed."""
    ratios = miss_ratios(targets, speed)
    if not ratios:
        return np.full(len(speed.bounds), np.nan)
    worst: FloatArray = np.max(np.stack(list(ratios.values())), axis=0)
    return worst


def worst_target(targets: Targets | None, speed: SpeedBatch, row: int) -> str | None:
    """The name of the target that a row misses most, None where it meets all or has no speed."""
    missed = {name: float(ratio[row]) for name, ratio in miss_ratios(targets, speed).items()}
    missed = {name: ratio for name, ratio in missed.items() if math.isfinite(ratio) and ratio > 1}
    return max(missed, key=lambda name: missed[name]) if missed else None
