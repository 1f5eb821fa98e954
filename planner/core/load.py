"""Requests per second become requests at the same time: Little's law, solved for each set-up."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from planner.core.batch import FloatArray
from planner.core.coefficients import FITTED, Coefficients
from planner.core.decode import Layouts
from planner.core.steady import Load, Steady
from planner.core.steady import solve as solve_steady

ROUNDS = 24
# Seconds of a whole request, (m,), of these rows (m,) at these concurrencies (m,)
Response = Callable[[NDArray[np.intp], FloatArray], FloatArray]


def solve(rate: float, *, response_s: Response, most: FloatArray) -> FloatArray:
    """Whole requests (n,) that are under way at `rate` requests/s; inf where no concurrency up to `most` keeps up.

    Little's law, C = rate x seconds of a request at concurrency C, rounded up: the least whole C that does not lead
    to a larger one. The seconds grow with C, so a bracket between 1 and `most` is closed by secants; queueing makes
    nearly straight lines, which need few.
    """
    rows = np.arange(len(most), dtype=np.intp)
    low, high = np.ones(len(most)), np.maximum(np.floor(most), 1.0)
    led_to_low = rate * response_s(rows, low)
    led_to_high = rate * response_s(rows, high)
    answer = np.where(led_to_low <= low, 1.0, np.inf)
    rows = rows[(led_to_low > low) & (led_to_high <= high)]
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
        led_to = rate * response_s(rows, guess)
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


def slotted(load: Load, rows: NDArray[np.intp], concurrency: FloatArray, replicas: FloatArray) -> Load:
    """Some rows of a load at other concurrencies (m,), with a slot for each request that comes to a replica."""
    return Load(
        input_tokens=load.input_tokens[rows],
        output_tokens=load.output_tokens[rows],
        concurrency=concurrency,
        max_num_seqs=np.ceil(concurrency / replicas[rows]),
        cache_sequences=load.cache_sequences[rows],
        max_num_batched_tokens=load.max_num_batched_tokens[rows],
    )
