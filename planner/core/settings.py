"""Engine settings that follow from the workload, for whoever asks for ours."""

import math

from planner.core.request import EstimateRequest, Settings
from planner.core.units import round_up

# Rule of thumb: room above the mean length, since only means are asked for here.
LENGTH_HEADROOM = 1.2
LENGTH_STEP = 256


def derive_settings(request: EstimateRequest) -> Settings:
    """Settings for a request that has a workload: length with headroom within the model's limit, one slot per user.

    Everything else stays at the default of the engine version.
    """
    workload = request.workload
    assert workload is not None  # parse_request refuses "derive" without a workload
    asked = workload.input_tokens + workload.output_tokens
    length = round_up(math.ceil(asked * LENGTH_HEADROOM), LENGTH_STEP)
    return Settings(
        max_model_len=min(length, request.model.max_position_embeddings),
        max_num_seqs=math.ceil(workload.concurrency / request.parallelism.data),
    )
