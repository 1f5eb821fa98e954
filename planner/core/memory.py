"""Memory of one accelerator, for a batch of requests: weights, activations, overheads, and what is left for KV.

Every engine is one row of the same sum with its own coefficients:

    KV = share_of_free * (share_of_total * total - weights - non_torch - activation? - graphs?)

with activation and graphs inside the budget or beside it. Of a pipeline the tightest stage counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from planner.core import layout as columns
from planner.core.batch import FloatArray, MemoryBatch
from planner.core.defaults import Resolved, reserved_slots, resolve
from planner.core.layout import Layout, layout_of
from planner.core.request import EstimateRequest
from planner.core.units import GIB
from planner.core.verdict import SPREAD_OF_GRAPHS, Fit, judge

# Per budget rule: share of total is the utilization (or all), share of free is all (or the fraction),
# activation and graphs inside the budget (None: as the engine version's table says for graphs).
RULES: dict[str, tuple[bool, bool, float, float | None]] = {
    "share_of_total": (True, False, 1.0, None),
    "static_share": (True, False, 0.0, 0.0),
    "share_of_free": (False, True, 1.0, 1.0),
    "whole_context": (False, False, 1.0, 1.0),
}
WITHOUT_GRAPHS = frozenset({"cpu", "apple"})
# Half-widths of the 80 % interval, from the spread of start-up logs around these formulas.
ROUNDING = 1e-6  # of a quotient that is whole but for binary fractions
SPREAD_OF_WEIGHTS = 0.008
SPREAD_OF_ACTIVATION = 0.12
SPREAD_OF_NON_TORCH = 0.3


@dataclass(frozen=True, slots=True)
class Given:
    """The batch as arrays: layouts (n, columns) and settings (n,)."""

    rows: NDArray[np.float64]
    total_gib: FloatArray
    utilization: FloatArray
    max_model_len: FloatArray
    max_num_seqs: FloatArray
    batch: FloatArray
    graph_batch: FloatArray
    profiled: FloatArray
    in_flight: FloatArray
    of_total: FloatArray
    of_free: FloatArray
    activation_inside: FloatArray
    graphs_inside: FloatArray
    is_whole_context: FloatArray
    log_counts_groups: FloatArray
    log_counts_bytes: FloatArray
    captures: FloatArray  # 0 where there are no graphs to capture
    cpu_pool_gib: FloatArray  # NaN but for CPU machines with a fixed pool
    slots: FloatArray  # full contexts that the engine allocates at start, 1 where it keeps a pool
    spread_gib: FloatArray

    @property
    def whole_context(self) -> NDArray[np.bool_]:
        """Rows whose engine allocates the cache of the whole context, no more and no less."""
        return self.is_whole_context > 0


SETTINGS = tuple(item.name for item in fields(Given))[1:]


def evaluate(requests: Sequence[EstimateRequest]) -> MemoryBatch:
    """Memory of every request; see MemoryBatch for shapes. NaN where a figure has no known input."""
    layouts = [layout_of(request) for request in requests]
    resolved = [resolve(request) for request in requests]
    given = _inputs(requests, layouts, resolved)
    with np.errstate(all="ignore"):
        batch, fit = weigh(given)
    batch.verdicts, batch.reasons = judge(requests, layouts, resolved, batch, fit)
    return batch


def _inputs(
    requests: Sequence[EstimateRequest], layouts: Sequence[Layout], resolved: Sequence[Resolved]
) -> Given:
    settings = np.array(
        [
            (
                r.total_gib,
                r.utilization,
                r.max_model_len,
                r.max_num_seqs,
                r.max_num_batched_tokens,
                r.graph_batch,
                r.profiled_tokens,
                r.tokens_in_flight,
                *_coefficients(request, r),
            )
            for request, r in zip(requests, resolved, strict=True)
        ],
        dtype=np.float64,
    ).reshape(len(requests), len(SETTINGS))
    rows = np.array([layout.row for layout in layouts]).reshape(len(requests), columns.COLUMNS)
    return Given(rows=rows, **dict(zip(SETTINGS, settings.T, strict=True)))


def _coefficients(request: EstimateRequest, resolved: Resolved) -> tuple[float, ...]:
    values = request.engine.values
    rule = values["budget"]
    by_total, by_free, activation, graphs = RULES[rule]
    if graphs is None:
        graphs = 1.0 if values["cuda_graphs"]["inside_budget"] else 0.0
    card = request.accelerator
    kind = card.accelerator_class if card is not None else None
    fixed_pool = kind == "cpu" and rule == "share_of_total"
    return (
        resolved.utilization if by_total else 1.0,
        resolved.utilization if by_free else 1.0,
        activation,
        graphs,
        rule == "whole_context",
        values["log_tokens"] == "blocks_over_groups",
        values["log_tokens"] == "bytes_over_rate",
        kind not in WITHOUT_GRAPHS,
        values["cpu_kv_space_gib"] if fixed_pool else np.nan,
        reserved_slots(request),
        values["spread_gib"],
    )


def weigh(given: Given) -> tuple[MemoryBatch, Fit]:
    """The sum of every row, without verdicts."""
    rows = given.rows
    weights = rows[:, columns.WEIGHTS] / GIB
    activation = _activation_gib(given)
    graphs = _graphs_gib(given)
    non_torch = rows[:, columns.NON_TORCH]
    budget = given.total_gib * given.of_total
    room = budget[:, None] - weights - non_torch[:, None]
    room -= activation * given.activation_inside[:, None] + graphs * given.graphs_inside[:, None]
    room *= given.of_free[:, None]
    room = np.where(
        np.isnan(given.cpu_pool_gib)[:, None], room, np.minimum(room, given.cpu_pool_gib[:, None])
    )

    share = rows[:, columns.KV_SHARE]
    tightest = np.argmin(np.nan_to_num(room / share, nan=0.0), axis=1)
    row = np.arange(len(rows))

    def on_tightest(by_stage: FloatArray) -> FloatArray:
        picked: FloatArray = by_stage[row, tightest]
        return picked

    kv_share = on_tightest(share)
    groups = _groups_of(rows)
    request_bytes, request_blocks = _request(given, groups, kv_share)
    free_gib = on_tightest(room)
    kv_gib = np.where(given.whole_context, request_bytes / GIB, free_gib)
    kv_gib = np.where(np.isnan(free_gib), np.nan, kv_gib)
    usable_bytes = np.maximum(kv_gib, 0.0) * GIB
    quantum = rows[:, columns.QUANTUM] * kv_share
    blocks = np.where(quantum > 0, np.floor(usable_bytes / quantum), np.nan)
    concurrency = np.where(quantum > 0, blocks / request_blocks, usable_bytes / request_bytes) * given.slots
    per_token = rows[:, columns.BYTES_PER_TOKEN] * kv_share
    counted = blocks * rows[:, columns.BLOCK_TOKENS]
    by_length = np.floor(concurrency * given.max_model_len + ROUNDING)
    one_growing_group = (rows[:, columns.GROUP_COUNT] == 1) & np.isinf(rows[:, columns.GROUP_CAP.start])
    tokens = np.where(one_growing_group & (quantum > 0), counted, by_length)
    logged = np.where(given.log_counts_bytes > 0, np.floor(usable_bytes / per_token), by_length)
    in_groups = np.floor(blocks / rows[:, columns.GROUP_COUNT]) * rows[:, columns.BLOCK_TOKENS]
    logged = np.where(given.log_counts_groups > 0, in_groups, logged)
    errors = (
        SPREAD_OF_WEIGHTS * on_tightest(weights),
        SPREAD_OF_ACTIVATION * on_tightest(activation) * given.activation_inside,
        SPREAD_OF_GRAPHS * on_tightest(graphs) * given.graphs_inside,
        SPREAD_OF_NON_TORCH * non_torch,
    )
    spread = given.of_free * np.sqrt(given.spread_gib**2 + sum(error**2 for error in errors))

    per_group = groups.bytes_per_block * groups.counts * kv_share[:, None]
    per_group_token = np.where(groups.counts > 0, per_group / groups.tokens, 0.0)
    windowed = np.isfinite(groups.window) & (groups.window > 0)
    state = np.isinf(groups.tokens) & (groups.counts > 0)
    batch = MemoryBatch(
        total_gib=given.total_gib,
        budget_gib=np.where(given.whole_context | (given.of_free < 1), given.total_gib, budget),
        weights_gib=on_tightest(weights),
        activation_gib=on_tightest(activation),
        non_torch_gib=non_torch,
        cuda_graph_gib=on_tightest(graphs),
        kv_cache_gib=kv_gib,
        outside_budget_gib=on_tightest(
            activation * (1 - given.activation_inside[:, None]) + graphs * (1 - given.graphs_inside[:, None])
        ),
        kv_cache_low_gib=np.where(given.whole_context, kv_gib, kv_gib - spread),
        kv_cache_high_gib=np.where(given.whole_context, kv_gib, kv_gib + spread),
        kv_bytes_per_token=per_token,
        kv_cache_tokens=tokens,
        max_concurrency=concurrency,
        log_weights_gib=weights[:, 0],
        log_kv_cache_gib=np.where(given.whole_context, kv_gib, room[:, 0]),
        log_kv_cache_tokens=logged,
        log_max_concurrency=concurrency,
        max_model_len=given.max_model_len,
        max_num_seqs=given.max_num_seqs,
        max_num_batched_tokens=given.batch,
        gpu_memory_utilization=given.utilization,
        block_size=rows[:, columns.BLOCK_TOKENS],
        growing_bytes_per_token=np.where(windowed | state, 0.0, per_group_token).sum(axis=1),
        window_tokens=np.where(windowed, groups.window, 0.0),
        window_bytes_per_token=np.where(windowed, per_group_token, 0.0),
        state_bytes_per_sequence=np.where(state, per_group * groups.extra, 0.0).sum(axis=1),
        verdicts=[],
        reasons=[],
    )
    fit = Fit(free_gib=free_gib, request_gib=request_bytes / GIB, blocks=blocks)
    return batch, fit


@dataclass(frozen=True, slots=True)
class _Groups:
    """Groups of the cache pools of a batch, (n, g) each; g is the most that any row has, and most models have one."""

    bytes_per_block: FloatArray
    tokens: FloatArray
    cap: FloatArray
    in_flight: FloatArray
    extra: FloatArray
    window: FloatArray
    counts: FloatArray


def _groups_of(rows: FloatArray) -> _Groups:
    used = max(1, int(np.count_nonzero(rows[:, columns.GROUP_COUNTS].any(axis=0))))
    parts = (
        columns.GROUP_BYTES,
        columns.GROUP_TOKENS,
        columns.GROUP_CAP,
        columns.GROUP_IN_FLIGHT,
        columns.GROUP_EXTRA,
        columns.GROUP_WINDOW,
        columns.GROUP_COUNTS,
    )
    return _Groups(*(rows[:, part.start : part.start + used] for part in parts))


def _activation_gib(given: Given) -> FloatArray:
    """(n, stages): the larger of sampler and widest layer on the batch, and the experts' workspace beside them."""
    rows, batch = given.rows, given.profiled
    sampled = np.minimum(batch, np.minimum(given.max_num_seqs, given.graph_batch))
    sampled = np.where(given.whole_context, batch, sampled)  # reserved for logits of every token
    embedded = batch * rows[:, columns.EMBED_BYTES]
    logits = sampled * rows[:, columns.LOGIT_BYTES]
    sampler = embedded[:, None] + logits[:, None] * rows[:, columns.HAS_HEAD]
    scores = rows[:, columns.SCORE_BYTES] * given.max_model_len * given.slots
    forward = (batch * (rows[:, columns.FORWARD_BYTES] + scores))[:, None]
    fixed = rows[:, columns.FIXED_BYTES]
    beside = batch * (rows[:, columns.EXPERT_BYTES] + rows[:, columns.STAGE_BYTES])
    peak: FloatArray = np.maximum(sampler, forward) + (fixed + beside)[:, None]
    return peak / GIB


def _graphs_gib(given: Given) -> FloatArray:
    """(n, stages): a fixed part, and parts that grow with the number of captured batch sizes and with layers."""
    rows = given.rows
    largest = rows[:, columns.GRAPH_MAX_SIZE]
    captured = _capture_sizes(np.minimum(2 * given.graph_batch, largest)) / _capture_sizes(largest)
    by_size = rows[:, columns.GRAPH_FULL][:, None] + (
        rows[:, columns.GRAPH_PER_LAYER][:, None] * rows[:, columns.GRAPH_LAYERS]
    )
    graphs: FloatArray = rows[:, columns.GRAPH_FIXED][:, None] + captured[:, None] * by_size
    return graphs * given.captures[:, None]


def _capture_sizes(largest: FloatArray) -> FloatArray:
    """As layout.capture_sizes, for arrays."""
    sizes: FloatArray = (
        3
        + np.minimum(largest, 248) // 8
        + np.maximum(0, largest - 256) // 16
        + np.where(largest >= 256, 1, 0)
    )
    return sizes


def _request(given: Given, groups: _Groups, kv_share: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Bytes and blocks that one request of max_model_len takes on the tightest rank, or all reserved slots together."""
    slots = given.slots[:, None]
    held = groups.cap * slots + groups.in_flight * given.in_flight[:, None]
    held = np.minimum(held, given.max_model_len[:, None] * slots)
    blocks = (np.ceil(held / groups.tokens) + groups.extra * slots) * groups.counts
    request_bytes = (blocks * groups.bytes_per_block).sum(axis=1) * kv_share
    return request_bytes, blocks.sum(axis=1)
