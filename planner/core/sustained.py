"""Speed for hours instead of minutes: what heat leaves of it, and what a power cap costs.

Each slower state is an estimate of its own with the machine of that state, so that a capped line equals the estimate
of a request with `power_limit_w`. What is known of long runs is data (catalog/power.json), with its source.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from planner.core.batch import SpeedBatch
from planner.core.power import PowerSetting, derated, in_mode, mode_names, under_limit
from planner.core.request import EstimateRequest
from planner.core.specs import AcceleratorSpec

SUSTAINED_CLASSES = frozenset({"edge", "apple", "npu"})
PACKED_CLASSES = frozenset({"consumer", "workstation"})
# Machines whose clock a user cannot set, but which settle at a lower one by themselves
SELF_THROTTLING = frozenset({"phone_heat", "laptop_cooling"})
DIGITS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """One slower state of the machine of row `row`. role: sustained | capped."""

    row: int
    role: str
    setting: PowerSetting
    request: EstimateRequest


def states_of(requests: Sequence[EstimateRequest], table: Mapping[str, Any]) -> list[State]:
    """Slower states to estimate, for rows whose machine does not keep its first speed or can be capped."""
    found: list[State] = []
    for row, request in enumerate(requests):
        card = _machine(request)
        if card is None or request.workload is None or not _matters(card, request.count):
            continue
        rule = long_run(table, card, request.count)
        if rule is not None and rule["share"] < 1.0:
            found.append(_state(row, "sustained", _settled(request, card, rule), request))
        found.extend(_state(row, "capped", cap, request) for cap in _caps(table, card))
    return found


def long_run(table: Mapping[str, Any], card: AcceleratorSpec, count: int) -> Mapping[str, Any] | None:
    """What is known of long runs of such machines: the first rule that holds."""
    rules: list[Mapping[str, Any]] = table.get("sustained", [])
    return next((rule for rule in rules if _holds(rule, card, count)), None)


def _holds(rule: Mapping[str, Any], card: AcceleratorSpec, count: int) -> bool:
    words = rule.get("name_contains")
    return (
        card.id in rule.get("accelerators", (card.id,))
        and card.vendor in rule.get("vendors", (card.vendor,))
        and card.accelerator_class in rule.get("classes", (card.accelerator_class,))
        and (words is None or any(word in card.name for word in words))
        and count >= rule.get("min_count", 1)
    )


def _machine(request: EstimateRequest) -> AcceleratorSpec | None:
    """The machine without the power setting of the request."""
    return request.power.base if request.power is not None else request.accelerator


def _matters(card: AcceleratorSpec, count: int) -> bool:
    packed = card.accelerator_class in PACKED_CLASSES and count >= 2 and card.tdp_w is not None
    return packed or card.accelerator_class in SUSTAINED_CLASSES


def _settled(request: EstimateRequest, card: AcceleratorSpec, rule: Mapping[str, Any]) -> PowerSetting:
    """The machine once it is warm; a cap that the request asks for holds as well."""
    asked = request.power
    bandwidth = min(rule["share"], asked.bandwidth_share if asked else 1.0)
    compute = min(rule.get("prefill_share", rule["share"]), asked.compute_share if asked else 1.0)
    return PowerSetting(
        base=card,
        mode=None,
        watts=asked.watts if asked else None,
        bandwidth_share=bandwidth,
        bandwidth_low=min(bandwidth, rule["low"]),
        bandwidth_high=max(bandwidth, min(rule["high"], asked.bandwidth_high if asked else 1.0)),
        compute_share=compute,
        kind=rule["kind"],
        source=rule["source"],
        confidence=rule["confidence"],
    )


def _caps(table: Mapping[str, Any], card: AcceleratorSpec) -> list[PowerSetting]:
    """Slower power modes of the machine, else caps at a few shares of its power."""
    modes = [in_mode(table, card, name) for name in mode_names(table, card)]
    if modes:
        return [mode for mode in modes if mode.bandwidth_share < 1.0 or mode.compute_share < 1.0]
    if card.tdp_w is None or card.accelerator_class not in PACKED_CLASSES | {"edge"}:
        return []
    limits = [under_limit(table, card, round(share * card.tdp_w, 1)) for share in table.get("cap_shares", [])]
    return [limit for limit in limits if limit is not None]


def _state(row: int, role: str, setting: PowerSetting, request: EstimateRequest) -> State:
    slower = replace(request, accelerator=derated(setting), power=None, derive_settings=False)
    return State(row=row, role=role, setting=setting, request=slower)


def long_runs(
    requests: Sequence[EstimateRequest],
    speed: SpeedBatch,
    table: Mapping[str, Any],
    states: Sequence[State],
) -> list[dict[str, Any] | None]:
    """Burst, sustained and capped speed of every request; None where they do not matter.

    `speed` begins with the rows of the requests and ends with those of `states`. Energy is what a cap allows per
    output token: decode may draw less.
    """
    first = len(speed.bounds) - len(states)
    found: dict[int, list[tuple[State, dict[str, Any]]]] = {}
    for at, state in enumerate(states, start=first):
        found.setdefault(state.row, []).append((state, _slower(speed, at, state.setting)))
    return [_long_run(request, speed, row, found.get(row, ()), table) for row, request in enumerate(requests)]


def _long_run(
    request: EstimateRequest,
    speed: SpeedBatch,
    row: int,
    states: Sequence[tuple[State, dict[str, Any]]],
    table: Mapping[str, Any],
) -> dict[str, Any] | None:
    card = _machine(request)
    if card is None or not _matters(card, request.count) or not speed.tpot_ms[row] > 0:
        return None
    caps = [
        _capped(state.setting, figures, request.count) for state, figures in states if state.role == "capped"
    ]
    rule = long_run(table, card, request.count)
    settled = None
    if rule is not None:
        warm = next((figures for state, figures in states if state.role == "sustained"), None)
        settled = _long(rule, warm or _bounded(speed, row, rule))
        if rule["cause"] in SELF_THROTTLING:
            caps.append(_self_capped(rule, settled))
    return {"burst": _row(speed, row, slow=1.0, fast=1.0), "sustained": settled, "capped": caps}


def _slower(speed: SpeedBatch, row: int, setting: PowerSetting) -> dict[str, Any]:
    """Speed in one state; the interval widened by how sure its share is."""
    share = setting.bandwidth_share
    return _row(speed, row, slow=share / setting.bandwidth_low, fast=share / setting.bandwidth_high)


def _bounded(speed: SpeedBatch, row: int, rule: Mapping[str, Any]) -> dict[str, Any]:
    return _row(speed, row, slow=rule["share"] / rule["low"], fast=rule["share"] / rule["high"])


def _row(speed: SpeedBatch, row: int, *, slow: float, fast: float) -> dict[str, Any]:
    return {
        "tpot_ms": _rounded(speed.tpot_ms[row]),
        "ttft_ms": _rounded(speed.ttft_ms[row]),
        "output_tokens_per_s": _rounded(speed.output_tokens_per_s[row]),
        "interval": {
            "tpot_ms": [
                _rounded(speed.tpot_low_ms[row] * fast),
                _rounded(speed.tpot_high_ms[row] * slow),
            ],
            "output_tokens_per_s": [
                _rounded(speed.output_tokens_per_s_low[row] / slow),
                _rounded(speed.output_tokens_per_s_high[row] / fast),
            ],
        },
    }


def _long(rule: Mapping[str, Any], figures: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **figures,
        "share": rule["share"],
        "after_s": rule["after_s"],
        "cause": rule["cause"],
        "kind": _figure_kind(rule["kind"]),
        "source": rule["source"],
        "confidence": rule["confidence"],
    }


def _capped(setting: PowerSetting, figures: Mapping[str, Any], count: int) -> dict[str, Any]:
    rate = figures["output_tokens_per_s"]
    base = setting.base.tdp_w
    return {
        "mode": setting.mode,
        "power_w": setting.watts,
        "power_share": None if not base or setting.watts is None else round(setting.watts / base, 3),
        "frequency_share": round(setting.compute_share, 3) if setting.mode is not None else None,
        **figures,
        # A rate that rounds to nothing says nothing about energy.
        "energy_per_token_j": _rounded(setting.watts * count / rate) if setting.watts and rate else None,
        "kind": _figure_kind(setting.kind),
        "source": setting.source,
        "confidence": setting.confidence,
    }


def _self_capped(rule: Mapping[str, Any], settled: Mapping[str, Any]) -> dict[str, Any]:
    """Held at the pace that it settles at anyway: the same speed for hours, without the fall."""
    figures = {name: settled[name] for name in ("tpot_ms", "ttft_ms", "output_tokens_per_s", "interval")}
    return {
        "mode": None,
        "power_w": None,
        "power_share": None,
        "frequency_share": rule["share"],
        **figures,
        "energy_per_token_j": None,
        "kind": "rule_of_thumb",
        "source": rule["source"],
        "confidence": "low",
    }


def _figure_kind(kind: str) -> str:
    """A speed is computed from a share that was measured or stated; a rule of thumb makes it no better than that."""
    return "computed" if kind in ("measured", "datasheet") else kind


def _rounded(value: Any) -> float:
    return round(float(value), DIGITS)
