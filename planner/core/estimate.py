"""One estimate, or a thousand: memory, then speed, then an answer that explains itself."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from planner.core import CORE_VERSION, memory, speed
from planner.core.advice import advice_for
from planner.core.advice.edge import edge_advice
from planner.core.batch import MemoryBatch, SpeedBatch
from planner.core.beside import besides, with_variants
from planner.core.explain import memory as explain_memory
from planner.core.explain import speed as explain_speed
from planner.core.explain.workload import workload_terms
from planner.core.launch.commands import commands
from planner.core.load import WHOLE, above_capacity, settle_load
from planner.core.mend import tried
from planner.core.outcome import Advice, Reason, Term
from planner.core.refine import refined
from planner.core.remarks import remarks
from planner.core.request import EstimateRequest
from planner.core.settings import derive_settings, derived_reasons
from planner.core.specs import Catalog
from planner.core.sustained import State, long_runs, states_of

GIB_DIGITS = 4
MS_DIGITS = 4
# What a change uncovers is changed too, once: a length that fits may leave room for fewer requests.
REFINEMENTS = 2
# Derived slots that are few because memory is short: the cache limits, not the setting.
LIMITED_BY_MEMORY = frozenset({"slots_limited_by_cache", "slots_limited_by_memory"})


def evaluate(
    requests: Sequence[EstimateRequest], catalog: Catalog
) -> tuple[list[EstimateRequest], MemoryBatch, SpeedBatch]:
    """Memory and speed of every request, as arrays; requests come back with derived settings put in."""
    settled = [_with_derived(request) for request in settle_load(requests, catalog)]
    memory_batch = memory.evaluate(settled)
    return settled, memory_batch, speed.evaluate(settled, memory_batch, catalog)


def _with_derived(request: EstimateRequest) -> EstimateRequest:
    if not request.derive_settings:
        return request
    return replace(request, settings=derive_settings(request), setting_reasons=derived_reasons(request))


@dataclass(frozen=True, slots=True)
class Settled:
    """Requests with their settings in force, and the batches whose first rows are theirs; variants follow."""

    requests: list[EstimateRequest]
    rows: list[EstimateRequest]
    names: list[list[str]]  # of the variants of each request
    states: list[State]  # slower states of their machines, whose rows come last
    memory: MemoryBatch
    speed: SpeedBatch


def settle(requests: Sequence[EstimateRequest], catalog: Catalog) -> Settled:
    """As `evaluate`, with derived settings made to fit memory and targets, and with the variants beside each request."""
    settled = _evaluated([_with_derived(request) for request in settle_load(requests, catalog)], catalog)
    for _ in range(REFINEMENTS):
        changed = refined(settled.requests, settled.memory, settled.speed, catalog)
        if changed is None:
            break
        settled = _evaluated(changed, catalog)
    return settled


def _evaluated(requests: list[EstimateRequest], catalog: Catalog) -> Settled:
    rows, names = with_variants(requests, catalog)
    states = states_of(requests, catalog.power)
    rows = [*rows, *settle_load([state.request for state in states], catalog)]
    memory_batch = memory.evaluate(rows)
    return Settled(requests, rows, names, states, memory_batch, speed.evaluate(rows, memory_batch, catalog))


def estimate(requests: Sequence[EstimateRequest], catalog: Catalog) -> list[dict[str, Any]]:
    """Answers in the order of the requests, in the shape of the contract, with codes instead of messages.

    GiB and ms are rounded to four decimals, once, here. None stands where a figure is not known.
    """
    if not requests:
        return []
    whole = settle(requests, catalog)
    settled, memory_batch, speed_batch = whole.requests, whole.memory, whole.speed
    found = [_reasons(request, memory_batch, speed_batch, row) for row, request in enumerate(settled)]
    reasons = tried(settled, found, catalog)
    answers = [
        _answer(request, memory_batch, speed_batch, row, reasons=reasons[row], catalog_hash=catalog.hash)
        for row, request in enumerate(settled)
    ]
    served = [answer["speed"] is not None for answer in answers]
    plans = besides(whole.rows, whole.names, memory_batch, speed_batch, served)
    for answer, plan in zip(answers, plans, strict=True):
        more = remarks(plan, catalog)
        answer["advice"] += more.pop("advice")
        answer.update(more)
    hours = long_runs(settled, speed_batch, catalog.power, whole.states)
    for row, answer in enumerate(answers):
        answer["sustained"] = hours[row] if answer["speed"] is not None else None
        small = edge_advice(settled[row], memory_batch, speed_batch, row, catalog)
        answer["advice"].extend(_advice(item) for item in small)
        answer["commands"] = commands(
            settled[row], memory_batch, row, flags=catalog.flags, settings=answer.get("settings", ())
        )
    return answers


def _answer(
    request: EstimateRequest,
    memory_batch: MemoryBatch,
    speed_batch: SpeedBatch,
    row: int,
    *,
    reasons: tuple[Reason, ...],
    catalog_hash: str,
) -> dict[str, Any]:
    refused = any(reason.code == "workload_exceeds_max_model_len" for reason in reasons)
    served = math.isfinite(speed_batch.tpot_ms[row]) and not refused
    return {
        "id": request.id,
        "verdict": memory_batch.verdicts[row],
        "reasons": [_reason(item) for item in reasons],
        "memory": _memory(memory_batch, row),
        "startup_log": _startup_log(memory_batch, row),
        "speed": _speed(speed_batch, row) if served else None,
        "step": _step(speed_batch, row) if served else None,
        "advice": [_advice(item) for item in advice_for(request, memory_batch, speed_batch, row)],
        "commands": None,
        "basis": {"catalog": catalog_hash, "core": CORE_VERSION, "calibration": None},
        "explain": [
            _term(term)
            for term in (
                *workload_terms(request, speed_batch, row),
                *explain_memory.terms(request, memory_batch, row),
                *(explain_speed.terms(request, speed_batch, row) if served else ()),
            )
        ],
    }


def _reasons(
    request: EstimateRequest, memory_batch: MemoryBatch, speed_batch: SpeedBatch, row: int
) -> tuple[Reason, ...]:
    """What memory says, then what it means for the asked concurrency."""
    reasons = memory_batch.reasons[row]
    workload = request.workload
    if workload is None or memory_batch.verdicts[row] != "fits":
        return reasons
    length = workload.input_tokens + workload.output_tokens
    max_model_len = float(memory_batch.max_model_len[row])
    if length > max_model_len:
        return (
            *reasons,
            Reason(
                code="workload_exceeds_max_model_len",
                field="settings.max_model_len",
                values={"tokens": length, "max_model_len": int(max_model_len)},
                fix=_longer(request, length),
            ),
        )
    over = above_capacity(request, speed_batch, row)
    if over is not None:
        return (*reasons, over)
    running = float(speed_batch.running[row])
    asked = workload.concurrency / request.parallelism.data
    if math.isfinite(running) and running < asked * (1 - WHOLE):
        return (*reasons, _limit(request, memory_batch, row, running, math.ceil(asked)))
    return reasons


def _longer(request: EstimateRequest, length: int) -> Mapping[str, Any] | None:
    return (
        {"settings": {"max_model_len": length}} if length <= request.model.max_position_embeddings else None
    )


def _limit(
    request: EstimateRequest, memory_batch: MemoryBatch, row: int, running: float, asked: int
) -> Reason:
    max_num_seqs = int(memory_batch.max_num_seqs[row])
    values = {"running": round(running, 1), "concurrency": asked}
    why = request.setting_reasons.get("max_num_seqs")
    if why is not None and why.code == "slots_limited_by_tpot":
        return Reason(code="target_limits_concurrency", field="targets.tpot_ms", values=values)
    if max_num_seqs <= running and (why is None or why.code not in LIMITED_BY_MEMORY):
        return Reason(
            code="max_num_seqs_limits_concurrency",
            field="settings.max_num_seqs",
            values=values,
            fix={"settings": {"max_num_seqs": asked}},
        )
    return Reason(code="kv_limits_concurrency", field="workload.concurrency", values=values)


def _reason(item: Reason) -> dict[str, Any]:
    return {"code": item.code, "field": item.field, "values": item.values, "fix": item.fix}


def _advice(item: Advice) -> dict[str, Any]:
    return {"code": item.code, "severity": item.severity, "values": item.values, "source": item.source}


def _memory(batch: MemoryBatch, row: int) -> dict[str, Any]:
    return {
        "per_accelerator": {
            "total_gib": number(batch.total_gib[row], GIB_DIGITS),
            "budget_gib": number(batch.budget_gib[row], GIB_DIGITS),
            "weights_gib": number(batch.weights_gib[row], GIB_DIGITS),
            "activation_gib": number(batch.activation_gib[row], GIB_DIGITS),
            "non_torch_gib": number(batch.non_torch_gib[row], GIB_DIGITS),
            "cuda_graph_gib": number(batch.cuda_graph_gib[row], GIB_DIGITS),
            "kv_cache_gib": number(batch.kv_cache_gib[row], GIB_DIGITS),
            "outside_budget_gib": number(batch.outside_budget_gib[row], GIB_DIGITS),
        },
        "kv_bytes_per_token": number(batch.kv_bytes_per_token[row], 2),
        "kv_cache_tokens": whole(batch.kv_cache_tokens[row]),
        "max_concurrency": number(batch.max_concurrency[row], 2),
        "interval": {
            "kv_cache_gib": interval(batch.kv_cache_low_gib[row], batch.kv_cache_high_gib[row], GIB_DIGITS)
        },
    }


def _startup_log(batch: MemoryBatch, row: int) -> dict[str, Any] | None:
    if math.isnan(batch.log_kv_cache_gib[row]):
        return None
    return {
        "weights_gib": number(batch.log_weights_gib[row], GIB_DIGITS),
        "available_kv_cache_gib": number(batch.log_kv_cache_gib[row], GIB_DIGITS),
        "kv_cache_tokens": whole(batch.log_kv_cache_tokens[row]),
        "max_concurrency": number(batch.log_max_concurrency[row], 2),
    }


def _speed(batch: SpeedBatch, row: int) -> dict[str, Any]:
    return {
        "running": number(batch.running[row], 2),
        "decode_step_ms": number(batch.decode_step_ms[row], MS_DIGITS),
        "tpot_ms": number(batch.tpot_ms[row], MS_DIGITS),
        "ttft_ms": number(batch.ttft_ms[row], MS_DIGITS),
        "output_tokens_per_s": number(batch.output_tokens_per_s[row], 4),
        "output_tokens_per_s_per_user": number(batch.output_tokens_per_s_per_user[row], 4),
        "bound": batch.bounds[row],
        "mbu": number(batch.mbu[row], 4),
        "interval": {
            "decode_step_ms": interval(
                batch.decode_step_low_ms[row], batch.decode_step_high_ms[row], MS_DIGITS
            ),
            "tpot_ms": interval(batch.tpot_low_ms[row], batch.tpot_high_ms[row], MS_DIGITS),
            "output_tokens_per_s": interval(
                batch.output_tokens_per_s_low[row], batch.output_tokens_per_s_high[row], 4
            ),
        },
        "provenance": "computed",
    }


def _step(batch: SpeedBatch, row: int) -> dict[str, Any]:
    return {
        "weights_ms": number(batch.weights_ms[row], MS_DIGITS),
        "kv_ms": number(batch.kv_ms[row], MS_DIGITS),
        "prefill_ms": number(batch.prefill_ms[row], MS_DIGITS),
        "interconnect_ms": number(batch.interconnect_ms[row], MS_DIGITS),
        "host_ms": number(batch.host_ms[row], MS_DIGITS),
    }


def _term(term: Term) -> dict[str, Any]:
    return {
        "term": term.term,
        "formula": term.formula,
        "values": term.values,
        "result": term.result,
        "unit": term.unit,
        "source": term.source,
        "kind": term.kind,
    }


def number(value: float | np.floating[Any], digits: int) -> float | int | None:
    """A plain number for JSON: None for NaN, a whole number without a trailing .0."""
    plain = float(value)
    if not math.isfinite(plain):
        return None
    rounded = round(plain, digits)
    return int(rounded) if rounded.is_integer() and digits <= 2 else rounded


def whole(value: float | np.floating[Any]) -> int | None:
    """A whole number rounded down, None for NaN."""
    plain = float(value)
    return math.floor(plain) if math.isfinite(plain) else None


def interval(low: float, high: float, digits: int) -> list[float | int | None] | None:
    """[low, high], or None when either is unknown."""
    pair = [number(low, digits), number(high, digits)]
    return None if None in pair else pair
