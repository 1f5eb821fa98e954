"""How far one set-up goes: the longest context, the most users, and what stops the step after.

Each limit is found by evaluating candidates, a few batches of them, so that it holds exactly what an estimate says:
at the limit the set-up still does it, and one step further it does not.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from planner.core.batch import MemoryBatch, SpeedBatch
from planner.core.defaults import resolve
from planner.core.estimate import evaluate
from planner.core.in_force import in_force
from planner.core.request import EstimateRequest
from planner.core.settings import derive_settings
from planner.core.specs import Catalog
from planner.core.targets import judged, miss_ratio, worst_target

LENGTH_STEP = 16  # tokens: engines give out cache in blocks of at least this many
WAYS = 24  # candidates of one batch
MOST_USERS_PER_REPLICA = 100_000
ENOUGH = 1e-6  # of a quotient that is whole but for binary fractions


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """One limit and what stops the next step. `value` is None where not even the first step holds, or nobody knows.

    code: model_limit | kv_cache | max_num_seqs | tpot_ms | ttft_ms | output_tokens_per_s_per_user | not_started |
    unknown | search_limit.
    """

    value: int | None
    code: str
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of one settled set-up; those of users are None without a workload, the last without targets.

    longest_context: tokens of one request with which the engine still starts.
    longest_context_for_users: tokens that each of the asked users may hold at the same time.
    most_users: that decode at once at the mean length, settings as they are.
    most_users_by_cache: the same with `max_num_seqs` raised along, so that memory alone limits.
    most_users_within_targets: of these, how many while every target is met.
    """

    verdict: str
    longest_context: Limit
    longest_context_for_users: Limit | None
    most_users: Limit | None
    most_users_by_cache: Limit | None
    most_users_within_targets: Limit | None


def limits_of(request: EstimateRequest, catalog: Catalog) -> Limits:
    """The limits of one request. Where settings are ours, each number of users gets its own slots."""
    (settled,), memory, _ = in_force([request], catalog)
    verdict, asked = memory.verdicts[0], request.workload
    if verdict in ("unsupported", "unknown"):
        nothing = Limit(value=None, code="unknown" if verdict == "unknown" else "not_started")
        users = None if asked is None else nothing
        within = users if judged(settled.targets) else None
        return Limits(
            verdict=verdict,
            longest_context=nothing,
            longest_context_for_users=users,
            most_users=users,
            most_users_by_cache=users,
            most_users_within_targets=within,
        )
    fixed = with_own_slots(settled)
    by_cache = None if asked is None else most_users_by_cache(fixed, catalog)
    most = by_cache if asked is None or request.derive_settings else most_users(fixed, catalog)
    return Limits(
        verdict=verdict,
        longest_context=longest_context(fixed, catalog),
        longest_context_for_users=None if asked is None else longest_context_for_users(fixed, catalog),
        most_users=most,
        most_users_by_cache=by_cache,
        most_users_within_targets=most_users_within_targets(
            fixed, catalog, most, raise_slots=request.derive_settings
        )
        if most is not None and judged(settled.targets)
        else None,
    )


def with_own_slots(settled: EstimateRequest) -> EstimateRequest:
    """Settings as they are in force; of derived ones the slots that the asked users need, whatever a target took away."""
    if not settled.derive_settings:
        return settled
    slots = derive_settings(settled).max_num_seqs
    return replace(settled, settings=replace(settled.settings, max_num_seqs=slots), derive_settings=False)


def longest_context(request: EstimateRequest, catalog: Catalog) -> Limit:
    """The largest `max_model_len` with which the engine starts, in steps of 16 up to the model's limit."""

    def holds(lengths: Sequence[int]) -> list[bool]:
        _, memory, _ = evaluate([with_length(request, length) for length in lengths], catalog)
        return [verdict == "fits" for verdict in memory.verdicts]

    return _longest(request, catalog, holds)


def longest_context_for_users(request: EstimateRequest, catalog: Catalog) -> Limit:
    """The largest `max_model_len` that all asked users may fill at the same time."""
    assert request.workload is not None
    slots = math.ceil(request.workload.concurrency / request.parallelism.data)
    whole_context = request.engine.values["budget"] == "whole_context"
    if whole_context:  # each slot has a context of its own, allocated at the start
        request = replace(request, settings=replace(request.settings, max_num_seqs=slots))
    allowed = resolve(request).max_num_seqs
    if allowed < slots:
        return Limit(value=None, code="max_num_seqs", values={"max_num_seqs": allowed, "concurrency": slots})

    def holds(lengths: Sequence[int]) -> list[bool]:
        _, memory, _ = evaluate([with_length(request, length) for length in lengths], catalog)
        rooms = memory.max_concurrency >= slots * (1 - ENOUGH)
        return [
            verdict == "fits" and (whole_context or bool(room))
            for verdict, room in zip(memory.verdicts, rooms, strict=True)
        ]

    return _longest(request, catalog, holds)


def most_users(request: EstimateRequest, catalog: Catalog) -> Limit:
    """Users that decode at once at the mean length, with the settings as they are."""
    _, memory, speed = evaluate([_with_users(request, MOST_USERS_PER_REPLICA)], catalog)
    running = float(speed.running[0])
    if not _serves(request, memory, speed, row=0):
        return _no_users(memory, speed)
    value = math.floor(running + ENOUGH) * request.parallelism.data
    allowed = float(memory.max_num_seqs[0])
    if allowed <= running + ENOUGH:
        code = "max_num_seqs"
    else:
        code = "search_limit" if running + ENOUGH >= MOST_USERS_PER_REPLICA else "kv_cache"
    if not value:
        return Limit(value=None, code=code)
    return Limit(
        value=value, code=code, values={"max_num_seqs": int(allowed)} if code == "max_num_seqs" else {}
    )


def most_users_by_cache(request: EstimateRequest, catalog: Catalog) -> Limit:
    """Users that decode at once when `max_num_seqs` is raised to let them: what memory alone allows."""
    data = request.parallelism.data

    def holds(slots: Sequence[int]) -> list[bool]:
        _, memory, speed = evaluate([with_slots(request, slot) for slot in slots], catalog)
        return [
            _serves(request, memory, speed, row=row) and float(speed.running[row]) >= slot * (1 - ENOUGH)
            for row, slot in enumerate(slots)
        ]

    found = highest(MOST_USERS_PER_REPLICA, holds)
    if found is None:
        _, memory, speed = evaluate([_with_users(request, 1)], catalog)
        return _no_users(memory, speed)
    code = "search_limit" if found == MOST_USERS_PER_REPLICA else "kv_cache"
    return Limit(value=found * data, code=code)


def most_users_within_targets(
    request: EstimateRequest, catalog: Catalog, most: Limit, *, raise_slots: bool
) -> Limit:
    """Users, of those that decode at once, while every target given as a mean is met."""
    if most.value is None:
        return most
    data = request.parallelism.data

    def asked(slots: Sequence[int]) -> SpeedBatch:
        of_users = with_slots if raise_slots else _with_users
        return evaluate([of_users(request, slot) for slot in slots], catalog)[2]

    def holds(slots: Sequence[int]) -> list[bool]:
        return [bool(ratio <= 1) for ratio in miss_ratio(request.targets, asked(slots))]

    found = highest(most.value // data, holds)
    if found == most.value // data:
        return most
    missed = worst_target(request.targets, asked([(found or 0) + 1]), 0)
    return Limit(value=None if found is None else found * data, code=missed or "unknown")


def best_settings(request: EstimateRequest, catalog: Catalog) -> dict[str, Any] | None:
    """Our settings for the workload, without those left at their default; None without one, or if it does not start."""
    if request.workload is None:
        return None
    ours = derive_settings(request)
    _, memory, _ = evaluate([replace(request, settings=ours, derive_settings=False)], catalog)
    kept = {name: value for name, value in asdict(ours).items() if value not in (None, False)}
    return kept if memory.verdicts[0] == "fits" else None


def highest(last: int, holds: Callable[[Sequence[int]], list[bool]]) -> int | None:
    """The highest number of 1 … `last` that holds while the next one does not; None if none is found.

    `holds` judges a batch. A ladder finds where it stops, then each batch cuts what is left into equal parts.
    """
    if last < 1:
        return None
    ladder = sorted({round(math.pow(last, step / (WAYS - 1))) for step in range(WAYS)})
    judged_rungs = holds(ladder)
    if not any(judged_rungs):
        return None
    top = max(index for index, held in enumerate(judged_rungs) if held)
    if top == len(ladder) - 1:
        return last
    low, high = ladder[top], ladder[top + 1]
    while high - low > 1:
        between = sorted(
            {round(float(value)) for value in np.linspace(low, high, min(WAYS, high - low + 1))} - {low, high}
        )
        held = [value for value, good in zip(between, holds(between), strict=True) if good]
        low = max([low, *held])
        high = min(value for value in (*between, high) if value > low)
    return low


def _longest(
    request: EstimateRequest, catalog: Catalog, holds: Callable[[Sequence[int]], list[bool]]
) -> Limit:
    limit = request.model.max_position_embeddings

    def tokens(steps: int) -> int:
        return min(steps * LENGTH_STEP, limit)

    last = math.ceil(limit / LENGTH_STEP)
    found = highest(last, lambda steps: holds([tokens(step) for step in steps]))
    if found is None:
        (verdict,) = evaluate([with_length(request, tokens(1))], catalog)[1].verdicts
        return Limit(value=None, code="kv_cache" if verdict == "fits" else "not_started")
    if found == last:
        return Limit(value=limit, code="model_limit", values={"limit": limit})
    return Limit(value=tokens(found), code="kv_cache")


def with_length(request: EstimateRequest, tokens: int) -> EstimateRequest:
    """The request with another `max_model_len`, for memory alone."""
    return replace(request, workload=None, settings=replace(request.settings, max_model_len=tokens))


def _with_users(request: EstimateRequest, slots: int) -> EstimateRequest:
    """The request with so many users for each replica, however its load was asked."""
    assert request.workload is not None
    users = slots * request.parallelism.data
    return replace(request, workload=replace(request.workload, concurrency=users, requests_per_s=None))


def with_slots(request: EstimateRequest, slots: int) -> EstimateRequest:
    """So many users for each replica, with a slot for each."""
    return with_room(_with_users(request, slots), slots)


def with_room(request: EstimateRequest, slots: int) -> EstimateRequest:
    """At least so many slots for each replica, whatever the load; exactly so many where each reserves a whole context."""
    present = request.settings.max_num_seqs or 0
    whole_context = request.engine.values["budget"] == "whole_context"
    wanted = slots if whole_context else max(slots, present)
    return replace(request, settings=replace(request.settings, max_num_seqs=wanted))


def _serves(request: EstimateRequest, memory: MemoryBatch, speed: SpeedBatch, *, row: int) -> bool:
    """Whether it starts and takes requests of the mean length."""
    assert request.workload is not None
    length = request.workload.input_tokens + request.workload.output_tokens
    return bool(memory.verdicts[row] == "fits" and length <= memory.max_model_len[row]) and math.isfinite(
        speed.running[row]
    )


def _no_users(memory: MemoryBatch, speed: SpeedBatch) -> Limit:
    if memory.verdicts[0] != "fits":
        return Limit(value=None, code="not_started")
    if math.isnan(speed.running[0]):
        return Limit(value=None, code="unknown")
    return Limit(value=None, code="max_model_len", values={"max_model_len": int(memory.max_model_len[0])})
