"""Steady state of a closed loop: how many requests run together, and what prompts cost those that decode."""

from dataclasses import dataclass

import numpy as np

from planner.core.batch import FloatArray
from planner.core.coefficients import Coefficients
from planner.core.decode import PREFILL_FIRST_ENGINE, Layouts, Pass, run_pass

# Tokens of prompt in one pass where the engine's budget is not known
ASSUMED_CHUNK = 8192.0


@dataclass(slots=True, kw_only=True)
class Load:
    """What is asked of each row, shape (n,)."""

    input_tokens: FloatArray
    output_tokens: FloatArray
    concurrency: FloatArray  # of all replicas together
    max_num_seqs: FloatArray  # per replica; NaN: no limit known
    cache_sequences: (
        FloatArray  # sequences of the mean context that the cache of a replica holds; NaN: not known
    )
    max_num_batched_tokens: FloatArray  # NaN: not known


@dataclass(slots=True, kw_only=True)
class Steady:
    """Per replica, seconds, shape (n,)."""

    running: FloatArray
    passes: FloatArray  # passes of the model in one decode step; above 1 when a pipeline is filled
    step: Pass
    bytes_per_step: FloatArray
    flop_per_step: FloatArray
    prefill_share_s: FloatArray  # of other requests' prompts, per own token
    own_prefill_s: FloatArray
    prefill_wait_s: FloatArray  # behind other requests' prompts, before the first token
    tpot_s: FloatArray
    ttft_s: FloatArray
    requests_per_s: FloatArray  # all replicas together


def solve(layouts: Layouts, load: Load, c: Coefficients) -> Steady:
    """Steady state of every row.

    In the time of one request everybody else's prompt is worked on once. Part of that falls between the request's
    tokens, the rest before its first one, so that the sum of all work is what the machine really does:
    requests/s = running / (ttft without queue + (output - 1) x tpot), and by Little's law the queue takes the rest
    of concurrency / (requests/s).
    """
    work = layouts.work
    asked = np.maximum(load.concurrency / work.data, 1.0)
    limit = np.fmin(load.max_num_seqs, np.maximum(load.cache_sequences, 1.0))
    running = np.fmin(asked, np.maximum(limit, 1.0))
    context = load.input_tokens + load.output_tokens / 2.0
    stages = np.where(layouts.is_gguf, 1.0, work.pipeline)
    together = np.maximum(running / stages, 1.0)
    passes = running / together
    none = np.zeros_like(running)
    step = run_pass(layouts, c, sequences=together, context=context, prompt_tokens=none)
    # The first token comes out of the prompt's own pass: steps follow for the others only
    prompts = (running - 1.0) / stages / np.maximum(load.output_tokens - 1.0, 1e-9)
    own_prefill, added = _prefill(
        layouts, load, c, sequences=together, context=context, step=step, prompts_per_step=prompts
    )
    others = (running - 1.0) * added / stages
    first = work.engine == PREFILL_FIRST_ENGINE
    share = np.where(first, c.prefill_share_prefill_first, c.prefill_share)
    prefill_share = share * others / load.output_tokens
    wait = (1.0 - share) * others
    # A filled pipeline runs at the pace of its longest stage, and its stages wait for each other
    uneven = work.stage_imbalance - 1.0 + c.pipeline_bubble * (stages - 1.0)
    step = step.scaled(1.0 + uneven * (passes - 1.0) / np.maximum(stages - 1.0, 1.0))
    tpot = step.total + prefill_share
    served = own_prefill + wait
    per_request = served + (load.output_tokens - 1.0) * tpot
    active = np.fmin(load.concurrency, running * work.data)
    rate = active / per_request
    return Steady(
        running=running,
        passes=passes,
        step=step,
        bytes_per_step=work.tensor * passes * step.bytes_read,
        flop_per_step=running * (2.0 * work.active_params + work.attention_flop * context),
        prefill_share_s=prefill_share,
        own_prefill_s=own_prefill,
        prefill_wait_s=wait,
        tpot_s=tpot,
        ttft_s=served + load.concurrency / rate - per_request,
        requests_per_s=rate,
    )


def _prefill(
    layouts: Layouts,
    load: Load,
    c: Coefficients,
    *,
    sequences: FloatArray,
    context: FloatArray,
    step: Pass,
    prompts_per_step: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Seconds that one prompt takes from its first pass to its last, and seconds that it adds to others' passes.

    Engines that mix prompts with decode read the weights once for both, so a pass that carries a prompt saves a
    plain step; the others make passes of their own. Short prompts that come more often than steps share a pass.
    """
    work = layouts.work
    budget = np.where(np.isnan(load.max_num_batched_tokens), ASSUMED_CHUNK, load.max_num_batched_tokens)
    chunk = np.minimum(load.input_tokens, np.maximum(budget, 1.0))
    chunks = load.input_tokens / chunk
    sharing = np.clip(prompts_per_step * chunks, 1.0, np.maximum(budget / chunk, 1.0))
    mixes = ~layouts.is_gguf & (work.engine != PREFILL_FIRST_ENGINE)
    beside = np.where(mixes, sequences, 0.0)
    carrying = run_pass(layouts, c, sequences=beside, context=context, prompt_tokens=chunk * sharing)
    carrying_per_step = np.maximum(prompts_per_step * chunks / sharing, 1.0)
    saved = np.where(mixes, step.total / carrying_per_step, 0.0)
    added = np.maximum(carrying.total - saved, 0.0) / sharing
    attention = (
        work.prefill_attention_flop * load.input_tokens**2 / 2.0 / work.tensor / layouts.attention_compute
    )
    return carrying.total * chunks + attention, added * chunks + attention
