"""Machines under a power cap or in a slower power mode, as specs of the same machine with less bandwidth and compute.

Everything downstream calculates with the slower spec, so that a capped estimate is an estimate like any other. The
figures are data: clocks of power modes from their makers, shares of speed under a cap from public measurements.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from planner.core.specs import AcceleratorSpec, Provenance

# Measured shares of decode speed at reduced clocks lie within this factor of the rule of `in_mode`.
ISSUE_SPREAD = 1.35
RATES = ("fp16_tflops", "fp8_tflops", "int8_tops", "fp4_tflops", "fp32_shader_tflops")


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerSetting:
    """What a cap or mode leaves of a machine. Shares are of its datasheet bandwidth and of its peak rates.

    `bandwidth_low` and `bandwidth_high` bound the first share; `watts` is per accelerator, None where not stated.
    """

    base: AcceleratorSpec
    mode: str | None
    watts: float | None
    bandwidth_share: float
    bandwidth_low: float
    bandwidth_high: float
    compute_share: float
    kind: str
    source: str
    confidence: str  # high | medium | low


def mode_names(table: Mapping[str, Any], accelerator: AcceleratorSpec) -> tuple[str, ...]:
    """Names of the power modes of a machine, fastest first; empty where none are known."""
    known = table.get("modes", {}).get(accelerator.id)
    return tuple(mode["name"] for mode in known["modes"]) if known else ()


def in_mode(table: Mapping[str, Any], accelerator: AcceleratorSpec, name: str) -> PowerSetting:
    """A machine in one of its power modes, named as `mode_names` does.

    Memory clock bounds bandwidth. So do GPU clock and units: streaming at full bandwidth takes `issue_share` of what
    they can issue, and below that they are what decode waits for.
    """
    known = table["modes"][accelerator.id]
    modes = {mode["name"]: mode for mode in known["modes"]}
    full, mode = modes[known["full"]], modes[name]
    compute = (mode["gpu_mhz"] / full["gpu_mhz"]) * (mode["gpu_units"] / full["gpu_units"])
    memory = mode["memory_mhz"] / full["memory_mhz"]
    issue = table["issue_share"]
    issued = compute / issue["value"]
    waits = issued < min(1.0, memory)
    return PowerSetting(
        base=accelerator,
        mode=name,
        watts=mode["watts"],
        bandwidth_share=min(1.0, memory, issued),
        bandwidth_low=min(1.0, memory, issued / ISSUE_SPREAD),
        bandwidth_high=min(1.0, memory, issued * ISSUE_SPREAD),
        compute_share=compute,
        kind="computed" if waits else known["kind"],
        source=f"{known['source']}; {issue['source']}" if waits else known["source"],
        confidence=issue["confidence"] if waits else "high",
    )


def under_limit(table: Mapping[str, Any], accelerator: AcceleratorSpec, watts: float) -> PowerSetting | None:
    """A machine whose power is capped at `watts` per accelerator: its fastest mode within, else by the measured curve.

    None where nothing is known: no power of its own is stated, or the cap lies below what was measured.
    """
    known = table.get("modes", {}).get(accelerator.id)
    if known:
        within = [mode for mode in known["modes"] if mode["watts"] is not None and mode["watts"] <= watts]
        return in_mode(table, accelerator, within[0]["name"]) if within else None
    curve = curve_of(table, accelerator)
    if curve is None or accelerator.tdp_w is None:
        return None
    points = sorted(curve["points"], key=lambda point: point["power"])
    share = min(watts / accelerator.tdp_w, 1.0)
    if share < points[0]["power"]:
        return None

    def at(name: str) -> float:
        return float(np.interp(share, [p["power"] for p in points], [p[name] for p in points]))

    return PowerSetting(
        base=accelerator,
        mode=None,
        watts=min(watts, accelerator.tdp_w),
        bandwidth_share=at("decode"),
        bandwidth_low=at("decode_low"),
        bandwidth_high=at("decode_high"),
        compute_share=at("prefill"),
        # measured on these parts, carried over to the others of their class
        kind=curve["kind"] if accelerator.id in curve["measured_on"] else "rule_of_thumb",
        source=curve["source"],
        confidence=curve["confidence"],
    )


def lowest_limit_w(table: Mapping[str, Any], accelerator: AcceleratorSpec) -> float | None:
    """The smallest cap that `under_limit` answers, None where it answers none."""
    known = table.get("modes", {}).get(accelerator.id)
    if known:
        return float(min(mode["watts"] for mode in known["modes"] if mode["watts"] is not None))
    curve = curve_of(table, accelerator)
    if curve is None or accelerator.tdp_w is None:
        return None
    return float(min(point["power"] for point in curve["points"]) * accelerator.tdp_w)


def curve_of(table: Mapping[str, Any], accelerator: AcceleratorSpec) -> Mapping[str, Any] | None:
    """Shares of speed by share of power for machines of this class, the first that names this one or none."""
    curves: list[Mapping[str, Any]] = table.get("cap_curves", [])
    kind, key = accelerator.accelerator_class, accelerator.id
    return next((c for c in curves if kind in c["classes"] and key in c.get("accelerators", (key,))), None)


def derated(setting: PowerSetting) -> AcceleratorSpec:
    """The machine of a setting with the bandwidth, rates and power that it leaves. Memory and names stay."""
    base = setting.base
    compute = setting.compute_share
    origin = dict(base.provenance)
    for name in ("bandwidth_gb_s", *RATES):
        if name in origin:
            cited = f"{origin[name].source}; {setting.source}"
            origin[name] = Provenance(kind="computed", source=cited)
    return replace(
        base,
        bandwidth_gb_s=_times(base.bandwidth_gb_s, setting.bandwidth_share),
        tdp_w=base.tdp_w if setting.watts is None else setting.watts,
        fp16_tflops=_times(base.fp16_tflops, compute),
        fp8_tflops=_times(base.fp8_tflops, compute),
        int8_tops=_times(base.int8_tops, compute),
        fp4_tflops=_times(base.fp4_tflops, compute),
        fp32_shader_tflops=_times(base.fp32_shader_tflops, compute),
        provenance=origin,
    )


def _times(figure: float | None, share: float) -> float | None:
    return None if figure is None else figure * share
