"""The work of one prompt by itself: where prefill stands on a roofline."""

from dataclasses import dataclass

import numpy as np

from planner.core.batch import MemoryBatch
from planner.core.coefficients import FITTED, Coefficients
from planner.core.decode import run_pass
from planner.core.inputs import case_of, inputs_of
from planner.core.request import EstimateRequest
from planner.core.specs import Catalog
from planner.core.steady import ASSUMED_CHUNK


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptWork:
    """One prompt on one replica, nothing else running: tokens, FLOP, bytes read from memory, seconds."""

    tokens: int
    flop: float
    bytes_read: float
    seconds: float


def prompt_work(
    request: EstimateRequest,
    memory: MemoryBatch,
    catalog: Catalog,
    *,
    row: int = 0,
    coefficients: Coefficients = FITTED,
) -> PromptWork | None:
    """The prompt of `request`, whose memory is `row` of `memory`; None where its speed is not known.

    Weights are read once per chunk of max_num_batched_tokens; attention grows with the square of the prompt.
    """
    case = case_of(request, verdict=memory.verdicts[row], row=row)
    if case is None:
        return None
    inputs = inputs_of([case], memory, catalog, coefficients)
    layouts, load = inputs.layouts, inputs.load
    work, none = layouts.work, np.zeros(1)
    budget = np.where(np.isnan(load.max_num_batched_tokens), ASSUMED_CHUNK, load.max_num_batched_tokens)
    chunk = np.minimum(load.input_tokens, np.maximum(budget, 1.0))
    chunks = load.input_tokens / chunk
    each = run_pass(layouts, coefficients, sequences=none, context=none, prompt_tokens=chunk)
    attention = work.prefill_attention_flop * load.input_tokens**2 / 2.0
    seconds = each.total * chunks + attention / work.tensor / layouts.attention_compute
    found = PromptWork(
        tokens=int(load.input_tokens[0]),
        flop=float((2.0 * work.active_params * load.input_tokens + attention)[0]),
        bytes_read=float((work.tensor * each.bytes_read * chunks)[0]),
        seconds=float(seconds[0]),
    )
    return found if np.isfinite(found.seconds) else None
