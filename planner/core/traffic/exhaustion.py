"""How likely the running requests of one replica need more cache than there is.

What a request holds is in `resident`, what several hold together in `sums`; here are the cache, counted as the engine counts
it (blocks of each group of layers, windows capped, states once), and the number of requests that run: as many as there are
users, or a Poisson count where requests come at random, and never more than `max_num_seqs`.

Not counted: prefixes that requests share, prompts that are being read in pieces, and tokens in flight of windowed layers.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from planner.core.batch import MemoryBatch, SpeedBatch
from planner.core.defaults import reserved_slots, resolve
from planner.core.in_force import in_force
from planner.core.kv_groups import Pool, PoolGroup
from planner.core.layout import layout_of
from planner.core.load import above_capacity
from planner.core.parse.workload import SECONDS_PER_DAY
from planner.core.request import EstimateRequest, Workload
from planner.core.specs import Catalog
from planner.core.traffic.histogram import FloatArray
from planner.core.traffic.resident import Lengths, Resident, resident_of
from planner.core.traffic.sums import Sums

ACCEPTED = 0.01
MOST_RUNNING = 100_000
LEVELS = 9
WHOLE = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Cache:
    """The cache of one replica in units: blocks where all groups cost the same, else bytes. `tokens` as estimates say it."""

    capacity: float
    low: float  # 80 % interval
    high: float
    tokens: float
    unit: str  # block | byte


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """Probability with so many running in one replica."""

    running: int
    probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Exhaustion:
    """The answer for one set-up, of one replica unless said otherwise; None where not known.

    code: computed | reserved (each slot has a cache of its own) | not_started | unknown | no_workload | no_output.
    certainty: never | always, where that holds whatever the lengths do; None in between.
    """

    code: str
    verdict: str
    certainty: str | None = None
    random: bool = False  # requests come at random; else a fixed number of users
    overloaded: bool = False  # more come than are done, so that every slot is taken
    mean_running: float | None = None  # of requests that would run, were there room for all
    max_num_seqs: int | None = None
    replicas: int = 1
    probability: float | None = None
    interval: tuple[float, float] | None = None  # over the 80 % interval of the cache
    probability_at_mean: float | None = None  # at the mean rate of the day, where a peak was asked for
    accepted: float = ACCEPTED
    within: int | None = None  # most requests that may run with at most `accepted`; 0: not even one
    passes_at: int | None = None  # users of all replicas with which `accepted` is passed
    cache: Cache | None = None
    resident: Resident | None = None
    request_units: float | None = None  # that one running request holds on average
    certain_up_to: int | None = None  # running requests that fit whatever their lengths
    certain_from: int | None = None  # running requests that never fit
    levels: tuple[Level, ...] = ()


def exhaustion(
    request: EstimateRequest,
    lengths: Lengths,
    catalog: Catalog,
    *,
    accepted: float = ACCEPTED,
    alone: bool = False,
) -> Exhaustion:
    """The probability that the cache is too small at a random moment, and how many may run to keep it small.

    Lengths are those of the requests, whatever means the workload of `request` has. `alone` asks for the probability and
    nothing about other numbers of requests.
    """
    (settled,), memory, speed = in_force([request], catalog)
    verdict, workload = memory.verdicts[0], settled.workload
    if workload is None:
        return Exhaustion(code="no_workload", verdict=verdict)
    if verdict != "fits" or math.isnan(memory.max_concurrency[0]):
        code = "unknown" if verdict in ("fits", "unknown") else "not_started"
        return Exhaustion(code=code, verdict=verdict)
    running = _running(settled, memory, speed)
    if reserved_slots(settled) > 1:
        return replace(running, code="reserved", certainty="never", probability=0.0)
    resident = resident_of(lengths, max_model_len=int(memory.max_model_len[0]))
    if resident is None:
        return Exhaustion(code="no_output", verdict=verdict)
    return _weighed(settled, running, resident, memory, catalog=catalog, accepted=accepted, alone=alone)


def _running(settled: EstimateRequest, memory: MemoryBatch, speed: SpeedBatch) -> Exhaustion:
    """How many requests run in a replica, without what they hold."""
    workload, data = settled.workload, settled.parallelism.data
    assert workload is not None
    slots = int(memory.max_num_seqs[0])
    base = Exhaustion(code="computed", verdict="fits", max_num_seqs=slots, replicas=data)
    if workload.requests_per_s is None:
        return replace(base, mean_running=float(min(math.ceil(workload.concurrency / data), slots)))
    if above_capacity(settled, speed, 0) is not None:
        return replace(base, random=True, overloaded=True, mean_running=float(slots))
    return replace(base, random=True, mean_running=_under_way(workload, speed) / data)


def _under_way(workload: Workload, speed: SpeedBatch) -> float:
    """Requests under way on average, of all replicas, by Little's law; the whole ones of the estimate are rounded up."""
    assert workload.requests_per_s is not None
    seconds = float(speed.ttft_ms[0] + workload.output_tokens * speed.tpot_ms[0]) / 1000.0
    found = workload.requests_per_s * seconds
    return min(found, float(workload.concurrency)) if math.isfinite(found) else float(workload.concurrency)


def _weighed(
    settled: EstimateRequest,
    running: Exhaustion,
    resident: Resident,
    memory: MemoryBatch,
    *,
    catalog: Catalog,
    accepted: float,
    alone: bool,
) -> Exhaustion:
    pool = layout_of(settled).pool
    in_flight = resolve(settled).tokens_in_flight
    cache = _cache(pool, memory, in_flight)
    amounts = request_units(pool, resident.tokens)
    present = resident.shares > 0
    amounts, shares = amounts[present], resident.shares[present]
    sums = Sums(amounts, shares, most=max(cache.high, cache.capacity))
    slots, mean = running.max_num_seqs or 1, running.mean_running or 0.0

    def at(capacity: float) -> float:
        if running.random and not running.overloaded:
            return sums.above_at_random(capacity, mean, most=slots)
        return sums.above(capacity, round(mean))

    fits_always = _floor(cache.capacity / amounts.max())
    never_fits = _floor(cache.capacity / amounts.min()) + 1 if amounts.min() > 0 else None
    within = (
        None if alone else most_within(lambda count: sums.above(cache.capacity, count), accepted, fits_always)
    )
    at_most = slots if running.random else round(mean)
    never = at_most <= fits_always
    always = never_fits is not None and not running.random and at_most >= never_fits
    found = 0.0 if never else 1.0 if always else at(cache.capacity)
    each = float(amounts @ shares)
    spread = math.sqrt(float((amounts - each) ** 2 @ shares))
    mean_of_day = None if alone else _at_mean(settled, running, sums, cache, catalog=catalog, slots=slots)
    return replace(
        running,
        certainty="never" if never else "always" if always else None,
        probability=found,
        interval=(found, found) if never or always else (at(cache.high), at(cache.low)),
        probability_at_mean=0.0 if never and mean_of_day is not None else mean_of_day,
        accepted=accepted,
        within=within,
        passes_at=None if within is None or within >= MOST_RUNNING else within * running.replicas + 1,
        cache=cache,
        resident=resident,
        request_units=each,
        certain_up_to=min(fits_always, MOST_RUNNING),
        certain_from=never_fits,
        levels=() if within is None else _levels(sums, cache.capacity, within, each, spread),
    )


def _floor(quotient: float) -> int:
    return math.floor(min(quotient + WHOLE, MOST_RUNNING))


def _cache(pool: Pool, memory: MemoryBatch, in_flight: int) -> Cache:
    """The cache as `max_concurrency` requests of the longest context, which is how memory counts it."""
    longest = int(memory.max_model_len[0])
    each = (
        sum(pool.request_blocks(longest, in_flight))
        if _in_blocks(pool)
        else pool.request_bytes(longest, in_flight)
    )
    capacity = float(memory.max_concurrency[0]) * each
    if _in_blocks(pool):
        capacity = float(round(capacity))
    known = float(memory.kv_cache_gib[0])
    share = {
        name: max(0.0, float(value[0]) / known) if known > 0 else 1.0
        for name, value in (("low", memory.kv_cache_low_gib), ("high", memory.kv_cache_high_gib))
    }
    return Cache(
        capacity=capacity,
        low=capacity * share["low"],
        high=capacity * share["high"],
        tokens=float(memory.kv_cache_tokens[0]),
        unit="block" if _in_blocks(pool) else "byte",
    )


def _in_blocks(pool: Pool) -> bool:
    """Whether all groups take blocks of one cost."""
    return pool.quantum > 0 or len(pool.groups) == 1


def request_units(pool: Pool, tokens: FloatArray) -> FloatArray:
    """Units that a decoding request of so many tokens (r,) holds: as Pool.request_blocks, with nothing in flight."""
    cost = [1.0 if _in_blocks(pool) else group.bytes_per_block for group in pool.groups]
    held = [_blocks(group, tokens) * each for group, each in zip(pool.groups, cost, strict=True)]
    total: FloatArray = np.sum(held, axis=0)
    return total


def _blocks(group: PoolGroup, tokens: FloatArray) -> FloatArray:
    if math.isinf(group.block_tokens):
        return np.full_like(tokens, float(group.extra_blocks))
    return np.ceil(np.minimum(group.cap, tokens) / group.block_tokens) + group.extra_blocks


def most_within(above: Callable[[int], float], accepted: float, least: int) -> int:
    """The largest count for which `above`, which never falls, is at most `accepted`; `least` surely is."""
    low, step = least, max(1, least // 4)
    while low + step < MOST_RUNNING and above(low + step) <= accepted:
        low += step
        step *= 2
    high = min(low + step, MOST_RUNNING)
    if high == MOST_RUNNING and above(high) <= accepted:
        return MOST_RUNNING
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if above(middle) <= accepted else (low, middle)
    return low


def _at_mean(
    settled: EstimateRequest, running: Exhaustion, sums: Sums, cache: Cache, *, catalog: Catalog, slots: int
) -> float | None:
    """The probability at the mean rate of the day, None where no peak was asked for."""
    workload = settled.workload
    assert workload is not None
    if workload.requests_per_day is None or workload.peak_factor <= 1.0:
        return None
    calm = replace(
        workload, concurrency=1, requests_per_s=workload.requests_per_day / SECONDS_PER_DAY, peak_factor=1.0
    )
    # Settings stay those of the peak
    (asked,), _memory, speed = in_force([replace(settled, workload=calm, derive_settings=False)], catalog)
    if above_capacity(asked, speed, 0) is not None or asked.workload is None:
        return None
    mean = _under_way(asked.workload, speed) / running.replicas
    return sums.above_at_random(cache.capacity, mean, most=slots)


def _levels(sums: Sums, capacity: float, within: int, mean: float, spread: float) -> tuple[Level, ...]:
    """Probabilities by running requests, from where there is hardly any to where it is nearly certain.

    `mean` and `spread` are those of one request: n of them reach the capacity at n = capacity / mean, give or take.
    """
    expected = capacity / mean if mean > 0 else float(within)
    width = math.sqrt(max(expected, 1.0)) * spread / mean if mean > 0 else 0.0
    first = max(1.0, min(expected - 4.0 * width, within - 1.0))
    last = min(max(expected + 2.5 * width, within + 2.0), float(MOST_RUNNING))
    counts = {round(float(count)) for count in np.linspace(first, max(first, last), LEVELS)} | {
        max(1, within)
    }
    return tuple(Level(running=count, probability=sums.above(capacity, count)) for count in sorted(counts))
