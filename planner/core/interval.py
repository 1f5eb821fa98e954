"""How far a prediction may be off: 80 % intervals from the spread of measured over predicted, by cause."""

from dataclasses import dataclass

import numpy as np

from planner.core.batch import FloatArray
from planner.core.work import ENGINES, Work


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Half widths of the 80 % interval as natural logarithms; contributions add as independent errors do."""

    alone: float = 0.15  # one stream, dense, an engine without a server
    alone_server: float = 0.20  # one stream, dense, through a server
    served: float = 0.20  # many streams, dense
    experts: float = 0.185  # mixture of experts
    prefill: float = 0.26  # times the share of prefill in a token's time
    weight_only_served: float = 0.20
    slow_group: float = 0.25
    shader: float = 0.26  # kernels without matrix units differ most from chip to chip
    two_sockets: float = 0.8  # where pages happen to lie decides
    edge: float = 0.12  # small hosts, shared power and memory
    crowded: float = 0.15  # hundreds of streams: schedulers and cache pools differ most there
    filled_pipeline: float = 0.20  # stages under load, measured on one product line only
    eager: float = 0.25  # the speed of the host's core decides
    server_elsewhere: float = 0.22  # servers were measured on stacked memory almost only
    unmeasured_class: float = 0.25
    unknown_peak: float = 0.25


SPREAD = Spread()


def half_width(
    work: Work[FloatArray],
    *,
    running: FloatArray,
    prefill_share: FloatArray,
    slow_group: FloatArray,
    spread: Spread = SPREAD,
) -> FloatArray:
    """Half width (n,) of log(measured / predicted) that holds 80 % of measurements.

    `prefill_share`: part of the time per token; `slow_group`: 1.0 where a tensor group talks over PCIe or a network.
    """
    many = np.minimum(np.log2(np.maximum(running, 1.0)) / 3.0, 1.0)
    crowd = np.clip(np.log2(np.maximum(running, 1.0) / 64.0) / 2.0, 0.0, 1.0)
    server = work.engine != ENGINES.index("llama.cpp")
    alone = np.where(server, spread.alone_server, spread.alone) ** 2
    squares = alone + (spread.served**2 - alone) * many
    causes = (
        (spread.experts, np.where(work.moe_layers > 0, 1.0, 0.0)),
        (spread.prefill, prefill_share),
        (spread.weight_only_served, work.weight_only * many),
        (spread.slow_group, slow_group),
        (spread.crowded, crowd),
        (spread.filled_pipeline, np.where(server & (work.pipeline > 1.0), many, 0.0)),
        (spread.eager, np.where(server, work.eager, 0.0)),
        (spread.shader, work.shader_peak),
        (spread.two_sockets, np.where(work.cpu > 1.0, 1.0, 0.0)),
        (spread.edge, work.edge),
        (spread.server_elsewhere, np.where(server & (work.stacked_memory == 0.0), 1.0, 0.0)),
        (spread.unmeasured_class, 1.0 - work.measured_class),
        (spread.unknown_peak, (1.0 - work.peak_known) * np.maximum(many, 0.3)),
    )
    for width, weight in causes:
        squares = squares + (width * weight) ** 2
    return np.asarray(np.sqrt(squares), dtype=np.float64)
