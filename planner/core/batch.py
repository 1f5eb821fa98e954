"""Results of a batch of estimates, as arrays. One estimate is a batch of one.

All arrays have shape (n,) unless said otherwise, float64, NaN where a figure is not known.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.core.outcome import Reason
from planner.core.units import GIB

FloatArray = NDArray[np.float64]


@dataclass(slots=True, kw_only=True)
class MemoryBatch:
    """Memory of the tightest rank, per row. GiB are 2^30 bytes."""

    total_gib: FloatArray
    budget_gib: FloatArray
    weights_gib: FloatArray
    activation_gib: FloatArray
    non_torch_gib: FloatArray
    cuda_graph_gib: FloatArray
    kv_cache_gib: FloatArray
    outside_budget_gib: FloatArray
    kv_cache_low_gib: FloatArray  # 80 % interval
    kv_cache_high_gib: FloatArray
    kv_bytes_per_token: FloatArray
    kv_cache_tokens: FloatArray  # per replica, physical
    max_concurrency: FloatArray  # requests of max_model_len per replica, physical
    log_weights_gib: FloatArray  # what this engine version prints at start-up
    log_kv_cache_gib: FloatArray
    log_kv_cache_tokens: FloatArray
    log_max_concurrency: FloatArray
    max_model_len: FloatArray  # settings as resolved, defaults of the engine version put in
    max_num_seqs: FloatArray
    max_num_batched_tokens: FloatArray
    gpu_memory_utilization: FloatArray
    block_size: FloatArray
    # KV cost of one sequence: growing * context + sum(window bytes * min(context, window)) + state, bytes on one rank
    growing_bytes_per_token: FloatArray
    window_tokens: FloatArray  # (n, k), 0-padded
    window_bytes_per_token: FloatArray  # (n, k)
    state_bytes_per_sequence: FloatArray
    verdicts: list[str]
    reasons: list[tuple[Reason, ...]]

    def sequence_bytes(self, context_tokens: FloatArray) -> FloatArray:
        """Cache bytes that one sequence of `context_tokens` (n,) holds on one rank, without block rounding."""
        windowed = np.minimum(context_tokens[:, None], self.window_tokens) * self.window_bytes_per_token
        total: FloatArray = (
            self.growing_bytes_per_token * context_tokens
            + windowed.sum(axis=1)
            + self.state_bytes_per_sequence
        )
        return total

    def sequence_gib(self, row: int, context_tokens: float) -> float:
        """The same of one row, in GiB."""
        windows = np.minimum(context_tokens, self.window_tokens[row]) * self.window_bytes_per_token[row]
        held = self.growing_bytes_per_token[row] * context_tokens + self.state_bytes_per_sequence[row]
        return float(held + windows.sum()) / GIB


@dataclass(slots=True, kw_only=True)
class SpeedBatch:
    """Steady-state speed, per row. NaN where it cannot be known (no accelerator, no workload, does not fit)."""

    running: FloatArray  # steady batch per replica
    decode_step_ms: FloatArray
    tpot_ms: FloatArray
    ttft_ms: FloatArray
    output_tokens_per_s: FloatArray  # all replicas together
    output_tokens_per_s_per_user: FloatArray
    mbu: FloatArray
    decode_step_low_ms: FloatArray
    decode_step_high_ms: FloatArray
    tpot_low_ms: FloatArray
    tpot_high_ms: FloatArray
    output_tokens_per_s_low: FloatArray
    output_tokens_per_s_high: FloatArray
    weights_ms: FloatArray  # the step bar; the five add up to tpot_ms
    kv_ms: FloatArray
    prefill_ms: FloatArray
    interconnect_ms: FloatArray
    host_ms: FloatArray
    flops_per_step: FloatArray  # of one replica, decode only
    bytes_per_step: FloatArray  # of one replica, decode only
    bounds: list[str]  # memory | compute | interconnect | host, "" where speed is unknown
