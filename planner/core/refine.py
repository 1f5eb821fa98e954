"""What memory and targets take away from derived settings: shorter, fewer, smaller chunks, or a larger share of memory.

Each change is tried before it is made, and carries its reason. Only requests that asked for our settings are changed.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from planner.core import memory, speed
from planner.core.batch import MemoryBatch, SpeedBatch
from planner.core.coefficients import FITTED
from planner.core.decode import PREFILL_FIRST_ENGINE, run_pass
from planner.core.defaults import reserved_slots
from planner.core.inputs import case_of, inputs_of
from planner.core.outcome import Why
from planner.core.request import EstimateRequest
from planner.core.settings import longest_tokens, sequences_for
from planner.core.specs import Catalog

# The most that is taken of a card by itself: what stays is for the context of the driver and a moment's peak.
HIGHEST_SHARE = 0.95
# Below this many tokens a pass carries too little to be worth its weights.
SMALLEST_CHUNK = 512
SHORT_OF_MEMORY = frozenset({"kv_cache_below_one_sequence", "no_kv_memory", "weights_exceed_budget"})
STEPS_OF_SEQUENCES = 24


def refined(
    requests: Sequence[EstimateRequest], memory_batch: MemoryBatch, speed_batch: SpeedBatch, catalog: Catalog
) -> list[EstimateRequest] | None:
    """The requests with derived settings made to fit memory and targets; None where none needs a change."""
    changed = [
        _refined(request, memory_batch, speed_batch, row, catalog) if request.derive_settings else request
        for row, request in enumerate(requests)
    ]
    if all(after is before for after, before in zip(changed, requests, strict=True)):
        return None
    return changed


def _refined(
    request: EstimateRequest, memory_batch: MemoryBatch, speed_batch: SpeedBatch, row: int, catalog: Catalog
) -> EstimateRequest:
    if memory_batch.verdicts[row] == "does_not_fit":
        return _made_to_fit(request, memory_batch, row)
    running = float(speed_batch.running[row])
    if memory_batch.verdicts[row] != "fits" or math.isnan(running):
        return request
    request = _within_cache(request, memory_batch, row)
    limit = tpot_limit_ms(request)
    if limit is None:
        return request
    assert request.workload is not None  # its speed is known
    comes_at_a_rate = request.workload.requests_per_s is not None  # fewer slots would make its queue endless
    if speed_batch.tpot_ms[row] > limit and not comes_at_a_rate:
        request = _within_tpot(request, limit, running, float(speed_batch.ttft_ms[row]), catalog)
    return _within_chunk(request, limit, catalog)


def tpot_limit_ms(request: EstimateRequest) -> float | None:
    """The limit on the time per token that the targets set on the mean, None where they set none."""
    targets = request.targets
    if targets is None:
        return None
    limits = [targets.mean_limit("tpot_ms")]
    speed_limit = targets.mean_limit("output_tokens_per_s_per_user")
    limits.append(1e3 / speed_limit if speed_limit else None)
    return min((limit for limit in limits if limit is not None), default=None)


def _with(request: EstimateRequest, name: str, value: Any, reason: Why) -> EstimateRequest:
    """The request with one setting and its reason replaced."""
    return replace(
        request,
        settings=replace(request.settings, **{name: value}),
        setting_reasons={**request.setting_reasons, name: reason},
    )


def _made_to_fit(request: EstimateRequest, batch: MemoryBatch, row: int) -> EstimateRequest:
    """The first change that makes it start: the length itself without room, a larger share, or fewer slots."""
    if not {reason.code for reason in batch.reasons[row]} <= SHORT_OF_MEMORY:
        return request
    shares = list(_larger_share(request, batch, row))
    options = [*_shorter(request, batch, row), *shares]
    options += [both for share in shares for both in _shorter(share, batch, row)]
    options += _fewer_slots(request, batch, row)
    if not options:
        return request
    verdicts = memory.evaluate(options).verdicts
    return next(
        (option for option, verdict in zip(options, verdicts, strict=True) if verdict == "fits"), request
    )


def _shorter(request: EstimateRequest, batch: MemoryBatch, row: int) -> Iterator[EstimateRequest]:
    assert request.workload is not None
    longest, asked = longest_tokens(request.workload), int(batch.max_model_len[row])
    block = max(int(batch.block_size[row]), 1) if math.isfinite(batch.block_size[row]) else 16
    length = min(-(-longest // block) * block, request.model.max_position_embeddings)
    if length < asked:
        values = {"tokens": longest, "wanted": asked, "max_model_len": length}
        yield _with(request, "max_model_len", length, Why(code="length_without_room", values=values))


def _larger_share(request: EstimateRequest, batch: MemoryBatch, row: int) -> Iterator[EstimateRequest]:
    default = float(batch.gpu_memory_utilization[row])
    card = request.accelerator
    own_memory = card is not None and not card.unified_memory and card.accelerator_class != "cpu"
    if request.engine.values["budget"] != "share_of_total" or not own_memory or default >= HIGHEST_SHARE:
        return
    values = {
        "share": HIGHEST_SHARE,
        "default": default,
        "reserve_gib": (1 - HIGHEST_SHARE) * float(batch.total_gib[row]),
    }
    yield _with(
        request, "gpu_memory_utilization", HIGHEST_SHARE, Why(code="share_raised_to_fit", values=values)
    )


def _fewer_slots(request: EstimateRequest, batch: MemoryBatch, row: int) -> list[EstimateRequest]:
    """Where every slot takes a full context at the start, as many as there is room for."""
    slots = reserved_slots(request)
    if slots == 1:
        return []
    short = next((reason for reason in batch.reasons[row] if "needed_gib" in reason.values), None)
    if short is None or short.values["free_gib"] <= 0:
        return []
    holds = math.floor(slots * short.values["free_gib"] / short.values["needed_gib"])
    if not 0 < holds < slots:
        return []
    values = {"concurrency": slots, "holds": holds}
    return [_with(request, "max_num_seqs", holds, Why(code="slots_limited_by_memory", values=values))]


def _within_cache(request: EstimateRequest, batch: MemoryBatch, row: int) -> EstimateRequest:
    """No more slots than the cache holds requests of the mean length: more would be preempted and worked on twice."""
    workload = request.workload
    assert workload is not None
    if reserved_slots(request) > 1:
        return request
    context = workload.input_tokens + workload.output_tokens / 2.0
    held = float(batch.kv_cache_gib[row]) / batch.sequence_gib(row, context)
    slots = int(batch.max_num_seqs[row])
    if not 1 <= held < slots:
        return request
    holds = math.floor(held)
    values = {"concurrency": _users(request), "slots": slots, "holds": holds}
    return _with(request, "max_num_seqs", holds, Why(code="slots_limited_by_cache", values=values))


def _users(request: EstimateRequest) -> int:
    """Requests at the same time that one replica is asked to serve."""
    assert request.workload is not None
    return sequences_for(request.workload.concurrency, request.parallelism.data)


def _within_tpot(
    request: EstimateRequest, limit: float, running: float, ttft_ms: float, catalog: Catalog
) -> EstimateRequest:
    """The most slots at which the mean time per token stays within `limit`; unchanged where one is too many.

    Fewer slots make the others wait: where that alone would break the limit on the first token, nothing is gained.
    """
    counts = np.unique(np.geomspace(1, max(running, 1), STEPS_OF_SEQUENCES).astype(int))
    options = [
        replace(request, settings=replace(request.settings, max_num_seqs=int(count))) for count in counts
    ]
    tried = speed.evaluate(options, memory.evaluate(options), catalog)
    good = np.flatnonzero(tried.tpot_ms <= limit)
    if not good.size:
        return request
    best = int(good[-1])
    first = request.targets.mean_limit("ttft_ms") if request.targets is not None else None
    if first is not None and ttft_ms <= first < tried.ttft_ms[best]:
        return request
    values = {
        "concurrency": _users(request),
        "sequences": int(counts[best]),
        "tpot_ms": float(tried.tpot_ms[best]),
        "limit_ms": limit,
    }
    reason = Why(code="slots_limited_by_tpot", values=values)
    return _with(request, "max_num_seqs", int(counts[best]), reason)


def _within_chunk(request: EstimateRequest, limit: float, catalog: Catalog) -> EstimateRequest:
    """The largest part of prompts in one pass that keeps this pass, and so the token it delays, within `limit`."""
    if request.engine.values["batch_defaults"]["budget"] != "tier":
        return request  # prompts are worked on whole: a chunk below the length would be refused
    batch = memory.evaluate([request])
    default = float(batch.max_num_batched_tokens[0])
    floor = max(SMALLEST_CHUNK, int(batch.max_num_seqs[0]))
    if math.isnan(default) or default <= floor:
        return request
    before = speed.evaluate([request], batch, catalog)
    chunks = [default]
    while chunks[-1] / 2 >= floor:
        chunks.append(chunks[-1] // 2)
    times = _pass_ms(request, batch, chunks, float(before.running[0]), catalog)
    if times is None or times[0] <= limit:
        return request
    fitting = [index for index, time in enumerate(times) if time <= limit]
    if not fitting:
        return request
    chunk = int(chunks[fitting[0]])
    values = {
        "default": int(default),
        "chunk": chunk,
        "default_ms": times[0],
        "pass_ms": times[fitting[0]],
        "limit_ms": limit,
    }
    changed = _with(
        request, "max_num_batched_tokens", chunk, Why(code="chunk_lowered_for_tpot", values=values)
    )
    after = speed.evaluate([changed], memory.evaluate([changed]), catalog)
    mean_stays = after.tpot_ms[0] <= limit or before.tpot_ms[0] > limit
    return changed if mean_stays else request


def _pass_ms(
    request: EstimateRequest, batch: MemoryBatch, chunks: Sequence[float], running: float, catalog: Catalog
) -> list[float] | None:
    """Time of one pass that decodes for everybody and carries a chunk of prompts; None where prompts run alone."""
    case = case_of(request, verdict=batch.verdicts[0], row=0)
    if case is None or math.isnan(running):
        return None
    inputs = inputs_of([case] * len(chunks), batch, catalog, FITTED)
    work = inputs.layouts.work
    if inputs.layouts.is_gguf[0] or work.engine[0] == PREFILL_FIRST_ENGINE:
        return None
    same = np.ones(len(chunks))
    found = run_pass(
        inputs.layouts,
        FITTED,
        sequences=same * running,
        context=same * (case.workload.input_tokens + case.workload.output_tokens / 2),
        prompt_tokens=np.array(chunks, dtype=np.float64),
    )
    return [float(seconds) * 1e3 for seconds in found.total]
