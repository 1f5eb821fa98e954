"""Requests per second become requests at the same time: Little's law, solved for each set-up."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from planner.core import memory
from planner.core.batch import FloatArray, MemoryBatch, SpeedBatch
from planner.core.coefficients import FITTED, Coefficients
from planner.core.decode import Layouts
from planner.core.defaults import default_batch, tier_of, visible_gib
from planner.core.inputs import Case, Inputs, case_of, inputs_of
from planner.core.outcome import Reason
from planner.core.request import EstimateRequest
from planner.core.settings import BUSY, MOST_SLOTS, derive_settings
from planner.core.specs import Catalog
from planner.core.steady import Load, Steady
from planner.core.steady import solve as solve_steady

ROUNDS = 24
# No replica is asked to run more
MOST_PER_REPLICA = 4096.0
WHOLE = 1e-9  # of a quotient that is equal but for binary fractions
# Seconds of a whole request, (m,), of these rows (m,) at these concurrencies (m,)
Response = Callable[[NDArray[np.intp], FloatArray], FloatArray]


def solve(rate: FloatArray, *, response_s: Response, most: FloatArray) -> FloatArray:
    """Whole requests (n,) that are under way at `rate` requests/s; inf where no concurrency up to `most` keeps up.

    Little's law, C = rate x seconds of a request at concurrency C, rounded up: the least whole C that does not lead
    to a larger one. The seconds grow with C, so a bracket between 1 and `most` is closed by secants; queueing makes
    nearly straight lines, which need few.
    """
    rows = np.arange(len(most), dtype=np.intp)
    low, high = np.ones(len(most)), np.maximum(np.floor(most), 1.0)
    led_to_low = rate * response_s(rows, low)
    answer = np.where(led_to_low <= low, 1.0, np.inf)
    rows = rows[led_to_low > low]
    led_to_high = np.full(len(most), np.inf)
    led_to_high[rows] = rate[rows] * response_s(rows, high[rows])
    rows = rows[led_to_high[rows] <= high[rows]]
    # Too few for sure: the law leads beyond
    too_few = np.ceil(led_to_low) - 1.0
    over, under = (led_to_low - low), (led_to_high - high)
    for _ in range(ROUNDS):
        closed = high[rows] - too_few[rows] <= 1.0
        answer[rows[closed]] = high[rows[closed]]
        rows = rows[~closed]
        if not len(rows):
            break
        crossing = low[rows] + (high[rows] - low[rows]) * over[rows] / (over[rows] - under[rows])
        guess = np.clip(np.ceil(crossing), too_few[rows] + 1.0, high[rows] - 1.0)
        led_to = rate[rows] * response_s(rows, guess)
        enough = led_to <= guess
        at, missed = rows[enough], rows[~enough]
        high[at], under[at] = guess[enough], (led_to - guess)[enough]
        over[at] /= 2.0  # Illinois: an end that stays put must not slow the other down
        low[missed], over[missed] = guess[~enough], (led_to - guess)[~enough]
        too_few[missed] = np.minimum(np.ceil(led_to)[~enough] - 1.0, high[missed] - 1.0)
    answer[rows] = high[rows]
    return answer


def request_s(layouts: Layouts, load: Load, c: Coefficients = FITTED) -> FloatArray:
    """Seconds of a whole request, waiting included (n,): to the first token, then the output at its pace."""
    return of_request(solve_steady(layouts, load, c), load)


def of_request(steady: Steady, load: Load) -> FloatArray:
    """Seconds of a whole request in a steady state."""
    return steady.ttft_s + load.output_tokens * steady.tpot_s


def at_concurrency(load: Load, rows: NDArray[np.intp], concurrency: FloatArray) -> Load:
    """Some rows of a load at other concurrencies (m,)."""
    return Load(
        input_tokens=load.input_tokens[rows],
        output_tokens=load.output_tokens[rows],
        concurrency=concurrency,
        max_num_seqs=load.max_num_seqs[rows],
        cache_sequences=load.cache_sequences[rows],
        max_num_batched_tokens=load.max_num_batched_tokens[rows],
    )


def busy_slots(each: FloatArray) -> FloatArray:
    """Slots of replicas whose requests, `each` on average, come at random: as `slots_for_rate`, for arrays."""
    slots: FloatArray = np.minimum(np.ceil(each + BUSY * np.sqrt(each)), MOST_SLOTS)
    return slots


def mean_within(slots: FloatArray) -> FloatArray:
    """The mean of requests for which `busy_slots` asks for no more than `slots`, at least 1."""
    root = (np.sqrt(BUSY**2 + 4.0 * slots) - BUSY) / 2.0
    return np.maximum(root**2, 1.0)


def settle_load(requests: Sequence[EstimateRequest], catalog: Catalog) -> list[EstimateRequest]:
    """Requests with the concurrency that their rate leads to; those that state a concurrency come back as they are.

    Where the rate is above what the set-up can do, the concurrency is that of its capacity, see `above_capacity`.
    Where no speed is known, it stays as it was.
    """
    asked = [row for row, request in enumerate(requests) if _rate(request)]
    settled = list(requests)
    if not asked:
        return settled
    alone = [
        replace(requests[row], settings=derive_settings(requests[row]))
        if requests[row].derive_settings
        else requests[row]
        for row in asked
    ]
    weighed = memory.evaluate(alone)
    found = [
        case_of(request, verdict=verdict, row=row)
        for row, (request, verdict) in enumerate(zip(alone, weighed.verdicts, strict=True))
    ]
    cases = [case for case in found if case is not None]
    if not cases:
        return settled
    inputs = inputs_of(cases, weighed, catalog, FITTED)
    derived = np.array([case.request.derive_settings for case in cases])
    for case, concurrency in zip(cases, _concurrency(cases, inputs, weighed, derived), strict=True):
        request = requests[asked[case.row]]
        settled[asked[case.row]] = replace(
            request, workload=replace(case.workload, concurrency=int(concurrency))
        )
    return settled


def _rate(request: EstimateRequest) -> float | None:
    return None if request.workload is None else request.workload.requests_per_s


def _concurrency(
    cases: Sequence[Case], inputs: Inputs, weighed: MemoryBatch, derived: NDArray[np.bool_]
) -> FloatArray:
    load, replicas = inputs.load, inputs.layouts.work.data
    reserves = np.array([case.request.engine.values["budget"] == "whole_context" for case in cases])
    # Slots that are derived follow the concurrency; what limits them is memory
    load.max_num_seqs = np.where(derived, np.nan, load.max_num_seqs)
    # So does the batch, up to its default
    fullest = np.array([_fullest_batch(case) for case in cases])
    length = weighed.max_model_len[inputs.rows]
    load.cache_sequences = np.where(reserves, np.nan, load.cache_sequences)
    held = np.where(reserves, contexts_at_most(weighed)[inputs.rows], load.cache_sequences)
    most = replicas * most_running(np.fmin(held, load.max_num_seqs), reserves & derived)
    rate = np.array([_rate(case.request) or 0.0 for case in cases])

    def response_s(rows: NDArray[np.intp], concurrency: FloatArray) -> FloatArray:
        asked = at_concurrency(load, rows, concurrency)
        filled = np.minimum(fullest[rows], busy_slots(concurrency / replicas[rows]) * length[rows])
        asked.max_num_batched_tokens = np.where(
            derived[rows] & np.isfinite(filled), filled, asked.max_num_batched_tokens
        )
        return request_s(inputs.layouts.at(rows), asked)

    with np.errstate(all="ignore"):
        found = solve(rate, response_s=response_s, most=most)
    return np.where(np.isfinite(found), found, np.floor(most))


def _fullest_batch(case: Case) -> float:
    """Tokens that a batch grows to with the slots, NaN where it does not depend on them."""
    request = case.request
    engine, settings = request.engine, request.settings
    defaults = engine.values["batch_defaults"]
    if settings.max_num_batched_tokens is not None or defaults["budget"] != "tier":
        return math.nan
    total = visible_gib(request.accelerator, engine.name, id(engine.values), engine)
    length = settings.max_model_len or request.model.max_position_embeddings
    return float(default_batch(defaults, tier_of(engine, total, request.accelerator), length))


def most_running(held: FloatArray, reserves: NDArray[np.bool_]) -> FloatArray:
    """Requests that one replica may run at once on average (n,), where its memory holds so many.

    `reserves`: slots take their memory at the start, those for busy moments too.
    """
    known = np.clip(np.nan_to_num(held, nan=MOST_PER_REPLICA), 1.0, MOST_PER_REPLICA)
    return np.where(reserves, mean_within(known), known)


def contexts_at_most(weighed: MemoryBatch) -> FloatArray:
    """Whole contexts that memory has room for beside everything else, on engines that reserve them (n,)."""
    taken = weighed.weights_gib + weighed.activation_gib + weighed.non_torch_gib + weighed.cuda_graph_gib
    with np.errstate(all="ignore"):
        each = weighed.kv_cache_gib / weighed.max_num_seqs
        return np.floor((weighed.total_gib - taken) / each)


def above_capacity(request: EstimateRequest, batch: SpeedBatch, row: int) -> Reason | None:
    """More requests come than are done, None if they do not or where that is not known."""
    rate, workload = _rate(request), request.workload
    if rate is None or workload is None:
        return None
    done = float(batch.output_tokens_per_s[row]) / workload.output_tokens
    if not done < rate * (1 - WHOLE):
        return None
    return Reason(
        code="load_above_capacity",
        field="workload.requests_per_day",
        values={"requests_per_s": round(rate, 4), "capacity_per_s": round(done, 4)},
    )
