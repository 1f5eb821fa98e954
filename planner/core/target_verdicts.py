"""Targets against the estimate of one set-up: met, missed, or not answerable before it is measured."""

import math
from dataclasses import dataclass

from planner.core.beside import Case
from planner.core.outcome import Why
from planner.core.request import TARGET_NAMES
from planner.core.targets import MORE_IS_BETTER


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetVerdict:
    """One target: its limit, the steady-state mean beside it, and whether it is met; None: cannot be said."""

    name: str
    limit: float
    value: float | None
    met: bool | None
    reason: Why


def target_verdicts(plan: Case) -> list[TargetVerdict]:
    """A verdict for each target that was asked for, in the order of the contract."""
    targets = plan.request.targets
    if targets is None:
        return []
    asked = ((name, getattr(targets, name)) for name in TARGET_NAMES)
    return [
        _verdict(name, float(limit), plan, measured=name in targets.measured_only)
        for name, limit in asked
        if limit is not None
    ]


def _verdict(name: str, limit: float, plan: Case, *, measured: bool) -> TargetVerdict:
    value = plan.of_speed(name)
    known = value if math.isfinite(value) else None
    if measured:
        met, reason = None, Why(code="unknown_until_measured", values={"limit": limit, "mean": known})
    elif known is None:
        met, reason = None, Why(code="no_speed_to_judge")
    else:
        met = known >= limit if name in MORE_IS_BETTER else known <= limit
        reason = _sureness(name, limit, known, met, plan)
    return TargetVerdict(name=name, limit=limit, value=known, met=met, reason=reason)


def _sureness(name: str, limit: float, value: float, met: bool, plan: Case) -> Why:
    """Met or missed with certainty, or with an interval (80 %) that reaches over the limit."""
    values = {"value": value, "limit": limit}
    span = _interval(name, plan)
    if span is None:
        return Why(code="met" if met else "missed", values=values)
    low, high = span
    values |= {"low": low, "high": high}
    if low <= limit <= high:
        return Why(code="met_but_not_certain" if met else "missed_but_not_certain", values=values)
    return Why(code="met" if met else "missed", values=values)


def _interval(name: str, plan: Case) -> tuple[float, float] | None:
    """80 % interval of a figure; the queue in the time to first token has none."""
    low, high = plan.of_speed("tpot_low_ms"), plan.of_speed("tpot_high_ms")
    if name == "ttft_ms" or not (math.isfinite(low) and math.isfinite(high) and low > 0):
        return None
    return (low, high) if name == "tpot_ms" else (1e3 / high, 1e3 / low)
