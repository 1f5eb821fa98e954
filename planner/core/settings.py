"""Engine settings that follow from the workload, for whoever asks for ours.

The formulas here look at model, workload, engine and replicas alone, so that a search can use them for every card.
What memory and targets take away again is in `refine`, for one set-up at a time.
"""

import math

from planner.core.outcome import Why
from planner.core.request import EstimateRequest, Settings, Workload
from planner.core.units import round_up

# A multiple of every block size that kernels ask for, so that the length is whole blocks on all of them.
LENGTH_STEP = 256
# Standard deviations above the mean within which a Poisson count stays 99 % of the time.
BUSY = 2.33
# The most that a request may state; more users than that wait for a slot.
MOST_SLOTS = 1_000_000


def padded_length(tokens: int) -> int:
    """Longest request with a fifth of room, rounded up to whole blocks: 1.2 x P99 is the usual rule of thumb."""
    return round_up(-(-tokens * 6 // 5), LENGTH_STEP)


def sequences_for(concurrency: int, replicas: int) -> int:
    """Slots of one replica: one for each user of it."""
    return min(-(-concurrency // replicas), MOST_SLOTS)


def slots_for_rate(concurrency: float, replicas: int) -> int:
    """Slots of one replica where `concurrency` is the mean of requests that come at random: mean + 2.33 x its root.

    The requests under way are then a Poisson count, of which 99 % stay within that: a rule of thumb for bursts.
    """
    mean = concurrency / replicas
    return min(math.ceil(mean + BUSY * math.sqrt(mean)), MOST_SLOTS)


def slots_of(workload: Workload, replicas: int) -> int:
    """Slots of one replica: one per user, or room for the busy moments of a rate."""
    if workload.requests_per_s is None:
        return sequences_for(workload.concurrency, replicas)
    return slots_for_rate(workload.concurrency, replicas)


def longest_tokens(workload: Workload) -> int:
    """What a request may need: P99 of input plus output, or the means where only those are known."""
    return workload.longest_tokens or workload.input_tokens + workload.output_tokens


def derive_settings(request: EstimateRequest) -> Settings:
    """Settings for a request that has a workload: length with headroom within the model's limit, slots for its users.

    Everything else stays at the default of the engine version.
    """
    workload = request.workload
    assert workload is not None  # parse_request refuses "derive" without a workload
    return Settings(
        max_model_len=min(padded_length(longest_tokens(workload)), request.model.max_position_embeddings),
        max_num_seqs=slots_of(workload, request.parallelism.data),
    )


def derived_reasons(request: EstimateRequest) -> dict[str, Why]:
    """Why the settings of `derive_settings` are what they are, by name."""
    workload, limit = request.workload, request.model.max_position_embeddings
    assert workload is not None
    longest = longest_tokens(workload)
    known = "length_from_p99" if workload.longest_tokens is not None else "length_from_mean"
    code = known if padded_length(longest) <= limit else "length_at_model_limit"
    return {
        "max_model_len": Why(code=code, values={"tokens": longest, "limit": limit, "step": LENGTH_STEP}),
        "max_num_seqs": Why(
            code="one_slot_per_user" if workload.requests_per_s is None else "slots_for_busy_moments",
            values={"concurrency": workload.concurrency, "replicas": request.parallelism.data},
        ),
    }
