"""From arrays to verdicts: does this engine version start, and if not, what is short and what would mend it."""

import math
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.core.batch import FloatArray, MemoryBatch
from planner.core.defaults import Resolved, reserved_slots
from planner.core.layout import Layout
from planner.core.outcome import Reason
from planner.core.request import EstimateRequest
from planner.core.specs import AcceleratorSpec, EngineSpec
from planner.core.units import GIB
from planner.core.validity import UNSUPPORTED_CODES, validity_reasons

BoolArray = NDArray[np.bool_]
CONTEXT_GIB = 0.3  # of a device that a program takes before the engine asks what is free
LENGTH_STEP = 16
SPREAD_OF_GRAPHS = 0.6  # half-width of the 80 % interval, as a share
UNKNOWN_CODES = frozenset({"no_accelerator_given", "accelerator_memory_unknown", "kv_cache_layout_unknown"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """What the verdict needs beside the batch: free memory, cost of one full-length request, blocks. (n,)"""

    free_gib: FloatArray
    request_gib: FloatArray
    blocks: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks:
    """What an engine version looks at when it starts, per row (n,)."""

    takes_share: BoolArray  # of total memory: what it takes outside that share must fit beside it
    looks_at_free: BoolArray  # and that share must be free at start
    free_at_start_gib: FloatArray
    looks_at_states: BoolArray  # a state block for each of max_num_seqs


def judge(
    requests: Sequence[EstimateRequest],
    layouts: Sequence[Layout],
    resolved: Sequence[Resolved],
    batch: MemoryBatch,
    fit: Fit,
) -> tuple[list[str], list[tuple[Reason, ...]]]:
    """Verdict and reasons of every row."""
    verdicts: list[str] = []
    reasons: list[tuple[Reason, ...]] = []
    against = refusals(batch, fit, _checks(requests, layouts, resolved))
    for row, request in enumerate(requests):
        found = [*validity_reasons(request, resolved[row].max_model_len)]
        unknown = _unknown(request, resolved[row])
        if unknown is None:
            found.extend(
                _memory_reason(code, request, layouts[row], resolved[row], batch=batch, fit=fit, row=row)
                for code, holds in against.items()
                if holds[row]
            )
        else:
            found.append(unknown)
        reasons.append(tuple(found))
        verdicts.append(_verdict({reason.code for reason in found}))
    return verdicts, reasons


def refusals(batch: MemoryBatch, fit: Fit, checks: Checks) -> dict[str, BoolArray]:
    """Codes of what memory refuses, with the rows (n,) that each holds for. Rows of unknown memory hold for none."""
    free, needed, total = fit.free_gib, fit.request_gib, batch.total_gib
    budget, outside = batch.budget_gib, (1 - SPREAD_OF_GRAPHS) * batch.outside_budget_gib
    with np.errstate(invalid="ignore"):
        unknown = np.isnan(needed)
        heavy = ~unknown & (batch.weights_gib > budget)
        full = ~(unknown | heavy) & (free <= 0)
        tight = ~(unknown | heavy | full) & (needed > free)
        starts = ~(unknown | heavy | full | tight)
        taken = starts & checks.takes_share & checks.looks_at_free & (budget > checks.free_at_start_gib)
        # What is captured varies by more than half, and one too many refusals costs more than one too few.
        beside = starts & checks.takes_share & ~taken & (outside != 0) & (budget + outside > total)
        states = starts & checks.looks_at_states & (fit.blocks < batch.max_num_seqs)
    return {
        "kv_cache_layout_unknown": unknown & ~np.isnan(total),
        "weights_exceed_budget": heavy,
        "no_kv_memory": full,
        "kv_cache_below_one_sequence": tight,
        "budget_above_free_memory": taken,
        "graphs_exceed_accelerator": beside,
        "state_blocks_below_max_num_seqs": states,
    }


def _checks(
    requests: Sequence[EstimateRequest], layouts: Sequence[Layout], resolved: Sequence[Resolved]
) -> Checks:
    rules = [request.engine.values for request in requests]
    return Checks(
        takes_share=np.array([values["budget"] == "share_of_total" for values in rules], dtype=np.bool_),
        looks_at_free=np.array([values["startup_check"] for values in rules], dtype=np.bool_),
        free_at_start_gib=np.array(
            [
                free_at_start_gib(request.engine, request.accelerator, r.total_gib)
                for request, r in zip(requests, resolved, strict=True)
            ]
        ),
        looks_at_states=np.array(
            [
                layout.has_state
                and request.engine.values["state_blocks_checked"]
                and not request.settings.enforce_eager
                for request, layout in zip(requests, layouts, strict=True)
            ],
            dtype=np.bool_,
        ),
    )


def _verdict(codes: AbstractSet[str]) -> str:
    if codes & UNSUPPORTED_CODES:
        return "unsupported"
    if codes - UNKNOWN_CODES:
        return "does_not_fit"
    return "unknown" if codes else "fits"


def _unknown(request: EstimateRequest, resolved: Resolved) -> Reason | None:
    if request.accelerator is None:
        return Reason(code="no_accelerator_given", field="accelerator")
    if math.isnan(resolved.total_gib):
        return Reason(
            code="accelerator_memory_unknown", field="accelerator", values={"name": request.accelerator.name}
        )
    return None


def _memory_reason(
    code: str,
    request: EstimateRequest,
    layout: Layout,
    resolved: Resolved,
    *,
    batch: MemoryBatch,
    fit: Fit,
    row: int,
) -> Reason:
    """One refusal of memory in figures, and what would mend it."""
    free, needed = float(fit.free_gib[row]), float(fit.request_gib[row])
    budget, weights = float(batch.budget_gib[row]), float(batch.weights_gib[row])
    if code == "kv_cache_layout_unknown":
        return Reason(code=code, field="kv_cache_dtype", values={"dtype": request.kv_cache_dtype})
    if code == "weights_exceed_budget":
        values = {"weights_gib": weights, "budget_gib": budget, "short_gib": weights - budget}
        return Reason(code=code, field="accelerator", values=values)
    if code == "no_kv_memory":
        values = {"short_gib": needed - free, "free_gib": free, "needed_gib": needed}
        return Reason(code=code, field="settings.gpu_memory_utilization", values=values)
    if code == "kv_cache_below_one_sequence":
        values = {
            "needed_gib": needed,
            "free_gib": free,
            "short_gib": needed - free,
            "max_model_len": resolved.max_model_len,
        }
        slots = reserved_slots(request)
        longest = longest_length(layout, resolved, free / slots, row_share(batch, layout, row))
        fix = {"settings": {"max_model_len": longest}} if longest else None
        return Reason(code=code, field="settings.max_model_len", values=values, fix=fix)
    if code == "state_blocks_below_max_num_seqs":
        return _state_blocks(float(fit.blocks[row]), float(batch.max_num_seqs[row]))
    return _share_taken(code, request, resolved.total_gib, budget, float(batch.outside_budget_gib[row]))


def row_share(batch: MemoryBatch, layout: Layout, row: int) -> float:
    """Share of all cache layers that lie on the tightest rank."""
    return float(batch.kv_bytes_per_token[row]) / (layout.pool.bytes_per_token or math.inf)


def longest_length(layout: Layout, resolved: Resolved, free_gib: float, share: float) -> int:
    """The largest context, a multiple of 16, of which one sequence fits into `free_gib`; 0 if none does."""
    free_bytes = free_gib * GIB
    low, high = 0, resolved.max_model_len // LENGTH_STEP
    while low < high:
        middle = (low + high + 1) // 2
        needed = layout.pool.request_bytes(middle * LENGTH_STEP, resolved.tokens_in_flight) * share
        if needed <= free_bytes:
            low = middle
        else:
            high = middle - 1
    return low * LENGTH_STEP


def _share_taken(
    code: str, request: EstimateRequest, total: float, budget: float, outside_gib: float
) -> Reason:
    """The share of memory is not free at start, or what the engine takes beside it is not."""
    if code == "budget_above_free_memory":
        free = free_at_start_gib(request.engine, request.accelerator, total)
        values = {"budget_gib": budget, "free_gib": free, "short_gib": budget - free}
    else:
        outside = (1 - SPREAD_OF_GRAPHS) * outside_gib
        free = total - outside
        values = {
            "outside_gib": outside,
            "left_gib": total - budget,
            "short_gib": budget + outside - total,
        }
    share = math.floor(free / total * 100) / 100
    return Reason(
        code=code,
        field="settings.gpu_memory_utilization",
        values=values,
        fix={"settings": {"gpu_memory_utilization": share}},
    )


def free_at_start_gib(engine: EngineSpec, card: AcceleratorSpec | None, total_gib: float) -> float:
    """What is free before the engine starts: all but a context, or what an operating system leaves of shared memory."""
    if card is not None and card.unified_memory and card.accelerator_class not in ("apple", "cpu"):
        kept = engine.values["os_share_of_unified"]
        return total_gib - float(kept["fixed_gib"] + kept["share"] * total_gib)
    return total_gib - CONTEXT_GIB


def _state_blocks(blocks: float, sequences: float) -> Reason:
    """Hybrid models keep a state block per running sequence: capture needs one for each of max_num_seqs."""
    return Reason(
        code="state_blocks_below_max_num_seqs",
        field="settings.max_num_seqs",
        values={"blocks": blocks, "max_num_seqs": sequences},
        fix={"settings": {"max_num_seqs": max(1, int(blocks))}},
    )
