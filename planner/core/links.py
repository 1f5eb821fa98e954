"""Time of collectives between the accelerators of one replica, from measured all-reduce tables."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from planner.core.batch import FloatArray
from planner.core.specs import AcceleratorSpec, Catalog, LinkSpec

# Sizes at which the measured tables are given, bytes
GRID = (8192.0, 65536.0, 262144.0, 1048576.0, 16777216.0, 268435456.0)
LOG_GRID = tuple(math.log(size) for size in GRID)
FAST_KINDS = frozenset(
    {"nvlink", "xgmi", "hccs", "metaxlink", "mtlink", "mlu-link", "xpulink", "icn", "unified-bus"}
)
# Every pair has a wire of its own: a group of few uses few of them
MESH_KINDS = frozenset({"xgmi", "hccs"})
MESH_SIZE = 8
# A switch reduces on the way in groups above this; a mesh does not
SWITCH_REDUCES_ABOVE = 4
# One direction per accelerator, where a link has no figure
ASSUMED_PCIE_GB_S = 16.0
ASSUMED_FAST_GB_S = 100.0
# Every message crosses a network card and a switch: added to each collective
NETWORK_US = 40.0
HOST_STAGED_US = 15.0
EAGER_FLOOR_US = 40.0
# Handing activations to the next pipeline stage
STAGE_HOP_US = 15.0
NETWORK_KINDS = frozenset({"ethernet", "infiniband"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Curves:
    """log microseconds at GRID by link family, then by (bandwidth in GB/s, ranks)."""

    fast: Mapping[float, Mapping[int, tuple[float, ...]]]
    pcie: Mapping[float, Mapping[int, tuple[float, ...]]]


_remembered: dict[str, Curves] = {}


def curves_of(catalog: Catalog) -> Curves:
    """Measured all-reduce inside CUDA graphs; hosts with a poor PCIe topology are left out.

    Parts with the same link bandwidth are averaged (geometric mean).
    """
    if catalog.hash not in _remembered:
        _remembered.clear()
        rows = [row for row in catalog.links["custom_allreduce"]["rows"] if not row["poor_topology"]]
        nvlink = {
            row["generation"]: float(row["gb_s"]) for row in catalog.links["nvlink_generations"]["rows"]
        }
        pcie = {f"pcie{row['generation']}-x16": float(row["gb_s"]) for row in catalog.links["pcie"]["rows"]}
        _remembered[catalog.hash] = Curves(
            fast=_grouped([(nvlink[row["generation"]], row) for row in rows if row["link"] == "nvlink"]),
            pcie=_grouped([(pcie[row["link"]], row) for row in rows if row["link"] in pcie]),
        )
    return _remembered[catalog.hash]


def _grouped(rows: list[tuple[float, Mapping[str, Any]]]) -> dict[float, dict[int, tuple[float, ...]]]:
    """Curves by bandwidth and ranks, from (bandwidth, measured row)."""
    found: dict[tuple[float, int], list[list[float]]] = {}
    for speed, row in rows:
        if row["graph_us"] is not None:
            logs = [math.log(value) for value in row["graph_us"]]
            found.setdefault((speed, int(row["ranks"])), []).append(logs)
    curves: dict[float, dict[int, tuple[float, ...]]] = {}
    for (speed, ranks), measured in found.items():
        # A few tables dip where an engine changes algorithm; a larger message is never faster
        mean = np.maximum.accumulate(np.mean(np.array(measured), axis=0))
        curves.setdefault(speed, {})[ranks] = tuple(float(value) for value in mean)
    return curves


@dataclass(frozen=True, slots=True, kw_only=True)
class Collective:
    """All-reduce of one group: log microseconds at GRID, for messages scaled by `size_scale`, plus a constant."""

    log_us: tuple[float, ...]
    size_scale: float
    extra_us: float


NO_COLLECTIVE = Collective(log_us=(-math.inf,) * len(GRID), size_scale=1.0, extra_us=0.0)


def collective(link: LinkSpec | None, accelerator: AcceleratorSpec, ranks: int, curves: Curves) -> Collective:
    """The all-reduce curve of `ranks` accelerators on `link`; a group larger than its domain uses the slower way."""
    if ranks <= 1:
        return NO_COLLECTIVE
    way = link
    if way is None or (way.domain_size is not None and ranks > way.domain_size):
        way = accelerator.pcie
    kind = "none" if way is None else way.kind
    fast = kind in FAST_KINDS
    family = curves.fast if fast else curves.pcie
    speed = way.bandwidth_gb_s if way is not None else None
    if speed is None:
        speed = ASSUMED_FAST_GB_S if fast else ASSUMED_PCIE_GB_S
    reducing = ranks
    if kind in MESH_KINDS:
        reducing = min(ranks, SWITCH_REDUCES_ABOVE)
        speed *= (ranks - 1) / max(ranks - 1, ((way.domain_size if way else None) or MESH_SIZE) - 1)
    # Some systems were measured in small groups only
    wide = {known: by_ranks for known, by_ranks in family.items() if max(by_ranks) >= min(ranks, 8)} or family
    reference = min(wide, key=lambda known: abs(math.log(known / speed)))
    extra = NETWORK_US if kind in NETWORK_KINDS else HOST_STAGED_US if kind == "none" else 0.0
    return Collective(
        log_us=_at_ranks(wide[reference], reducing),
        size_scale=reference / speed * _volume(ranks) / _volume(reducing),
        extra_us=extra,
    )


def _volume(ranks: int) -> float:
    """Bytes that a rank sends in an all-reduce, per byte of the message."""
    return 2.0 * (ranks - 1) / ranks


def _at_ranks(by_ranks: Mapping[int, tuple[float, ...]], ranks: int) -> tuple[float, ...]:
    """Between and beyond the measured group sizes: straight lines in log(ranks)."""
    known = sorted(by_ranks)
    if ranks in by_ranks:
        return by_ranks[ranks]
    upper = next((size for size in known if size > ranks), known[-1])
    lower = known[max(0, known.index(upper) - 1)]
    share = (math.log(ranks) - math.log(lower)) / (math.log(upper) - math.log(lower))
    return tuple(
        low + share * (high - low) for low, high in zip(by_ranks[lower], by_ranks[upper], strict=True)
    )


def collective_seconds(
    log_us: FloatArray, size_scale: FloatArray, extra_us: FloatArray, size: FloatArray
) -> FloatArray:
    """Seconds of an all-reduce of `size` (n,) bytes per rank; log_us is (n, 6), -inf where there is none.

    Straight lines between the sizes of the table in logarithms; proportional to size beyond the last.
    """
    at = np.log(np.maximum(size * size_scale, 1.0))
    total = log_us[:, 0].copy()
    has = np.isfinite(total)
    steps = np.diff(np.where(has[:, None], log_us, 0.0), axis=1)
    for index in range(len(GRID) - 1):
        width = LOG_GRID[index + 1] - LOG_GRID[index]
        total += steps[:, index] * np.clip((at - LOG_GRID[index]) / width, 0.0, 1.0)
    total += np.maximum(at - LOG_GRID[-1], 0.0)
    return np.where(has, (np.exp(total) + extra_us) * 1e-6, 0.0)
