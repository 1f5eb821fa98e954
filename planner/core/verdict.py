"""From arrays to verdicts: does this engine version start, and if not, what is short and what would mend it."""

import math
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from planner.core.batch import FloatArray, MemoryBatch
from planner.core.defaults import Resolved, reserved_slots
from planner.core.layout import Layout
from planner.core.outcome import Reason
from planner.core.request import EstimateRequest
from planner.core.units import GIB
from planner.core.validity import UNSUPPORTED_CODES, validity_reasons

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
    for row, request in enumerate(requests):
        found = [*validity_reasons(request, resolved[row].max_model_len)]
        unknown = _unknown(request, resolved[row])
        if unknown is None:
            found.extend(_memory_reasons(request, layouts[row], resolved[row], batch=batch, fit=fit, row=row))
        else:
            found.append(unknown)
        reasons.append(tuple(found))
        verdicts.append(_verdict({reason.code for reason in found}))
    return verdicts, reasons


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


def _memory_reasons(
    request: EstimateRequest, layout: Layout, resolved: Resolved, *, batch: MemoryBatch, fit: Fit, row: int
) -> list[Reason]:
    free, needed = float(fit.free_gib[row]), float(fit.request_gib[row])
    if math.isnan(needed):
        return [
            Reason(
                code="kv_cache_layout_unknown",
                field="kv_cache_dtype",
                values={"dtype": request.kv_cache_dtype},
            )
        ]
    budget, weights = float(batch.budget_gib[row]), float(batch.weights_gib[row])
    if weights > budget:
        values = {"weights_gib": weights, "budget_gib": budget, "short_gib": weights - budget}
        return [Reason(code="weights_exceed_budget", field="accelerator", values=values)]
    if free <= 0:
        values = {"short_gib": needed - free, "free_gib": free, "needed_gib": needed}
        return [Reason(code="no_kv_memory", field="settings.gpu_memory_utilization", values=values)]
    if needed > free:
        values = {
            "needed_gib": needed,
            "free_gib": free,
            "short_gib": needed - free,
            "max_model_len": resolved.max_model_len,
        }
        slots = reserved_slots(request)
        longest = longest_length(layout, resolved, free / slots, row_share(batch, layout, row))
        fix = {"settings": {"max_model_len": longest}} if longest else None
        return [
            Reason(code="kv_cache_below_one_sequence", field="settings.max_model_len", values=values, fix=fix)
        ]
    return [
        *_start_checks(request, resolved, batch, row),
        *_state_blocks(request, layout, batch, float(fit.blocks[row]), row),
    ]


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


def _start_checks(request: EstimateRequest, resolved: Resolved, batch: MemoryBatch, row: int) -> list[Reason]:
    """Free memory at start, and room outside the budget for what the engine takes there."""
    if request.engine.values["budget"] != "share_of_total":
        return []
    total, budget = resolved.total_gib, float(batch.budget_gib[row])
    free = _free_at_start_gib(request, total)
    if request.engine.values["startup_check"] and budget > free:
        share = math.floor(free / total * 100) / 100
        return [
            Reason(
                code="budget_above_free_memory",
                field="settings.gpu_memory_utilization",
                values={"budget_gib": budget, "free_gib": free, "short_gib": budget - free},
                fix={"settings": {"gpu_memory_utilization": share}},
            )
        ]
    # What is captured varies by more than half, and one too many refusals costs more than one too few.
    outside = (1 - SPREAD_OF_GRAPHS) * float(batch.outside_budget_gib[row])
    if outside and budget + outside > total:
        share = math.floor((total - outside) / total * 100) / 100
        return [
            Reason(
                code="graphs_exceed_accelerator",
                field="settings.gpu_memory_utilization",
                values={
                    "outside_gib": outside,
                    "left_gib": total - budget,
                    "short_gib": budget + outside - total,
                },
                fix={"settings": {"gpu_memory_utilization": share}},
            )
        ]
    return []


def _free_at_start_gib(request: EstimateRequest, total_gib: float) -> float:
    card = request.accelerator
    if card is not None and card.unified_memory and card.accelerator_class not in ("apple", "cpu"):
        kept = request.engine.values["os_share_of_unified"]
        return total_gib - float(kept["fixed_gib"] + kept["share"] * total_gib)
    return total_gib - CONTEXT_GIB


def _state_blocks(
    request: EstimateRequest, layout: Layout, batch: MemoryBatch, blocks: float, row: int
) -> list[Reason]:
    """Hybrid models keep a state block per running sequence: capture needs one for each of max_num_seqs."""
    sequences = float(batch.max_num_seqs[row])
    checked = request.engine.values["state_blocks_checked"] and not request.settings.enforce_eager
    if not (layout.has_state and checked) or blocks >= sequences:
        return []
    return [
        Reason(
            code="state_blocks_below_max_num_seqs",
            field="settings.max_num_seqs",
            values={"blocks": blocks, "max_num_seqs": sequences},
            fix={"settings": {"max_num_seqs": max(1, int(blocks))}},
        )
    ]
