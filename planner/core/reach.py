"""Longest context and most users of many set-ups at once, each exactly what `limits` finds for one."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from planner.core.batch import MemoryBatch
from planner.core.estimate import evaluate
from planner.core.limits import ENOUGH, LENGTH_STEP, MOST_USERS_PER_REPLICA, with_length, with_slots
from planner.core.request import EstimateRequest, Targets
from planner.core.specs import Catalog
from planner.core.targets import judged, miss_ratio, worst_target
from planner.core.units import GIB

WAYS = 8
NEAR_THE_TOP = (0.5, 0.8, 0.9, 0.95, 0.98, 1.0)  # of what the cache holds when nothing else grows
Hold = Callable[[Sequence[tuple[int, int]]], list[bool]]  # (row, value) of each question


@dataclass(frozen=True, slots=True)
class Reach:
    """None: not even one step holds."""

    longest_context: int | None
    most_users: int | None  # slots raised along


def reach_of(requests: Sequence[EstimateRequest], catalog: Catalog) -> list[Reach]:
    """Limits of settled set-ups that start and have a workload."""
    if not requests:
        return []
    contexts, users = _contexts(requests, catalog), _users(requests, catalog)
    return [Reach(context, number) for context, number in zip(contexts, users, strict=True)]


@dataclass(frozen=True, slots=True)
class Crowd:
    """The most users at once of a set-up, slots raised along, and what stops the next one.

    users: None where not even one is served. code: kv_cache | search_limit | a target that would be missed | unknown.
    """

    users: int | None
    code: str


def crowds_of(
    requests: Sequence[EstimateRequest], catalog: Catalog, *, targets: Targets | None
) -> list[Crowd]:
    """The most users of settled set-ups that start and have a workload, while `targets` given as means are met."""
    if not requests:
        return []
    most = [
        (users or 0) // request.parallelism.data
        for users, request in zip(_users(requests, catalog), requests, strict=True)
    ]
    if judged(targets):
        found = _edges(
            [slots + 1 for slots in most],
            [_geometric(max(slots, 1)) for slots in most],
            lambda asked: _meet(requests, asked, catalog, targets) if asked else [],
        )
    else:
        found = most
    codes = _stops(requests, found, most, catalog, targets)
    return [
        Crowd(slots * request.parallelism.data or None, code)
        for slots, request, code in zip(found, requests, codes, strict=True)
    ]


def _meet(
    requests: Sequence[EstimateRequest],
    asked: Sequence[tuple[int, int]],
    catalog: Catalog,
    targets: Targets | None,
) -> list[bool]:
    speed = evaluate([with_slots(requests[row], slots) for row, slots in asked], catalog)[2]
    return [bool(ratio <= 1) for ratio in miss_ratio(targets, speed)]


def _stops(
    requests: Sequence[EstimateRequest],
    found: Sequence[int],
    most: Sequence[int],
    catalog: Catalog,
    targets: Targets | None,
) -> list[str]:
    """What stops one more user on each replica."""
    next_one = [with_slots(request, slots + 1) for request, slots in zip(requests, found, strict=True)]
    speed = evaluate(next_one, catalog)[2]
    codes = []
    for row, (slots, top) in enumerate(zip(found, most, strict=True)):
        if slots < top:
            codes.append(worst_target(targets, speed, row) or "unknown")
        else:
            codes.append("search_limit" if top >= MOST_USERS_PER_REPLICA else "kv_cache")
    return codes


def _edges(high: list[int], first: Sequence[Iterable[int]], hold: Hold) -> list[int]:
    """Per row the largest value that holds, 0 if none; `high` surely fails. All rows are asked in one batch a round.

    `first` are the guesses of the first round; later ones cut what is left into equal parts.
    """
    low = [0] * len(high)
    guesses: Sequence[Iterable[int]] = first
    while any(top - bottom > 1 for bottom, top in zip(low, high, strict=True)):
        asked = [
            (row, value)
            for row, values in enumerate(guesses)
            for value in sorted(set(values))
            if low[row] < value < high[row]
        ]
        for (row, value), holds in zip(asked, hold(asked), strict=True):
            if holds:
                low[row] = max(low[row], value)
        for row, value in asked:
            if value > low[row]:
                high[row] = min(high[row], value)
        guesses = [_parts(bottom, top) for bottom, top in zip(low, high, strict=True)]
    return low


def _parts(low: int, high: int) -> list[int]:
    return [round(float(value)) for value in np.linspace(low, high, min(WAYS, high - low) + 1)]


def _geometric(high: int) -> list[int]:
    return [round(math.pow(high, step / WAYS)) for step in range(WAYS + 1)]


def _contexts(requests: Sequence[EstimateRequest], catalog: Catalog) -> list[int | None]:
    """At the model's own limit a set-up starts, or its refusal says about the longest that would."""
    limits = [request.model.max_position_embeddings for request in requests]
    steps = [math.ceil(limit / LENGTH_STEP) for limit in limits]

    def batch(asked: Sequence[tuple[int, int]]) -> MemoryBatch:
        rows = [with_length(requests[row], min(value * LENGTH_STEP, limits[row])) for row, value in asked]
        return evaluate(rows, catalog)[1]

    whole = batch(list(enumerate(steps)))
    fit = [verdict == "fits" for verdict in whole.verdicts]
    guesses = [_guess(whole, row) for row in range(len(requests))]
    found = _edges(
        [1 if fits else step for fits, step in zip(fit, steps, strict=True)],
        [(guess, guess + 1, *_geometric(step)) for guess, step in zip(guesses, steps, strict=True)],
        lambda asked: [verdict == "fits" for verdict in batch(asked).verdicts] if asked else [],
    )
    return [
        limit if fits else (value * LENGTH_STEP or None)
        for fits, value, limit in zip(fit, found, limits, strict=True)
    ]


def _guess(memory: MemoryBatch, row: int) -> int:
    for reason in memory.reasons[row]:
        if reason.code == "kv_cache_below_one_sequence" and reason.fix:
            return int(reason.fix["settings"]["max_model_len"]) // LENGTH_STEP
    return 1


def _users(requests: Sequence[EstimateRequest], catalog: Catalog) -> list[int | None]:
    """More slots only take from the cache, so what it holds now bounds what it can."""
    _, memory, _ = evaluate([replace(request, workload=None) for request in requests], catalog)
    means = np.array([_mean_context(request) for request in requests])
    with np.errstate(all="ignore"):
        held = memory.kv_cache_gib * GIB / memory.sequence_bytes(means)
    bounded = [
        request.engine.values["budget"] != "whole_context" and math.isfinite(sequences)
        for request, sequences in zip(requests, held.tolist(), strict=True)
    ]
    high = [
        min(math.floor(sequences * (1 + ENOUGH)) + 2, MOST_USERS_PER_REPLICA)
        if known
        else MOST_USERS_PER_REPLICA
        for known, sequences in zip(bounded, held.tolist(), strict=True)
    ]
    found = _edges(
        high,
        [
            [math.floor(share * (top - 1)) for share in NEAR_THE_TOP] if known else _geometric(top)
            for known, top in zip(bounded, high, strict=True)
        ],
        lambda asked: _serve(requests, asked, catalog) if asked else [],
    )
    return [slots * request.parallelism.data or None for slots, request in zip(found, requests, strict=True)]


def _mean_context(request: EstimateRequest) -> float:
    assert request.workload is not None
    return request.workload.input_tokens + request.workload.output_tokens / 2


def _serve(
    requests: Sequence[EstimateRequest], asked: Sequence[tuple[int, int]], catalog: Catalog
) -> list[bool]:
    _, memory, speed = evaluate([with_slots(requests[row], slots) for row, slots in asked], catalog)
    return [
        memory.verdicts[index] == "fits" and bool(speed.running[index] >= slots * (1 - ENOUGH))
        for index, (_, slots) in enumerate(asked)
    ]
