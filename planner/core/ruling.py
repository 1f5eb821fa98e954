"""One rule of thumb held against one plan."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

UNSOURCED = "passed on in deployment guides, without a measurement"
# A range of a rule is a pair; a single figure stands for itself.
RuleValue = float | tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What a rule says here, what is computed here, and whether they agree.

    verdict: agreed | contradicted | not_applicable | unknown. `tolerance` is the share by which they may differ.
    """

    code: str
    verdict: str
    rule_value: RuleValue | None = None
    exact_value: float | None = None
    unit: str = ""
    source: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)


def compared(
    code: str,
    rule: RuleValue,
    exact: float,
    *,
    unit: str,
    tolerance: float,
    source: str,
    **values: Any,
) -> Ruling:
    """A rule with a figure or a range: agreed where the exact one is within `tolerance` (a share) of it."""
    low, high = rule if isinstance(rule, tuple) else (rule, rule)
    agreed = low * (1 - tolerance) <= exact <= high * (1 + tolerance)
    return decided(code, rule, exact, agreed=agreed, unit=unit, source=source, tolerance=tolerance, **values)


def decided(
    code: str,
    rule: RuleValue | None,
    exact: float,
    *,
    agreed: bool,
    unit: str,
    tolerance: float,
    source: str,
    **values: Any,
) -> Ruling:
    """A rule that something else than nearness decides on; unknown where the exact figure is."""
    low, high = rule if isinstance(rule, tuple) else (rule, rule)
    if not math.isfinite(exact):
        return unknown(code, rule, unit=unit, source=source)
    return Ruling(
        code=code,
        verdict="agreed" if agreed else "contradicted",
        rule_value=rule,
        exact_value=exact,
        unit=unit,
        source=source,
        values={"rule": low, "rule_high": high, "exact": exact, "tolerance": tolerance, **values},
    )


def not_applicable(code: str, *, source: str, **values: Any) -> Ruling:
    """A rule about something that this plan does not have."""
    return Ruling(code=code, verdict="not_applicable", source=source, values=values)


def unknown(
    code: str, rule: RuleValue | None = None, *, unit: str = "", source: str, **values: Any
) -> Ruling:
    """A rule that cannot be checked: the figure it is held against is not known."""
    return Ruling(code=code, verdict="unknown", rule_value=rule, unit=unit, source=source, values=values)
