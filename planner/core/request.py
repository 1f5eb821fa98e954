"""The one request: what `parse_request` makes of a JSON object, a form or a line of a file."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from planner.core.lengths import Quantiles
from planner.core.outcome import Why
from planner.core.power import PowerSetting
from planner.core.specs import AcceleratorSpec, EngineSpec, LinkSpec, ModelSpec, Scheme

TARGET_NAMES = ("tpot_ms", "ttft_ms", "output_tokens_per_s_per_user")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parallelism:
    """How the model is spread over `tensor * pipeline * data` accelerators."""

    tensor: int = 1
    pipeline: int = 1
    data: int = 1
    expert: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Engine settings; None means: that engine version's default."""

    gpu_memory_utilization: float | None = None
    max_model_len: int | None = None
    max_num_seqs: int | None = None
    max_num_batched_tokens: int | None = None
    block_size: int | None = None
    enforce_eager: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """Steady-state means: tokens in and out of a request, requests at the same time.

    Where requests per day are asked for, `requests_per_s` is their rate at the peak and `concurrency` follows from
    it by Little's law: 1 until it is solved for the set-up at hand.
    """

    input_tokens: int
    output_tokens: int
    concurrency: int
    # Where a distribution was given: P99 of the input plus P99 of the output (the mean of one without quantiles), which
    # is exact where long prompts get long answers and a safe bound otherwise
    longest_tokens: int | None = None
    requests_per_s: float | None = None
    input_quantiles: Quantiles | None = None  # as asked; the means above follow from them
    output_quantiles: Quantiles | None = None
    requests_per_day: float | None = None  # as asked, of which requests_per_s is the rate at the peak
    peak_factor: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Targets:
    """What a set-up should reach: steady-state means. None: not asked for.

    `measured_only` names targets given as a P99, which a mean cannot answer: they are unknown until measured. Their
    number stands in the field as well; `mean_limit` leaves them out.
    """

    tpot_ms: float | None = None
    ttft_ms: float | None = None
    output_tokens_per_s_per_user: float | None = None
    measured_only: tuple[str, ...] = ()

    def mean_limit(self, name: str) -> float | None:
        """The limit on a steady-state mean, None where there is none or only a P99 was asked for."""
        limit: float | None = None if name in self.measured_only else getattr(self, name)
        return limit


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateRequest:
    """A checked question. Everything is resolved against the catalog; nothing is text any more."""

    id: str | None
    model: ModelSpec
    scheme: Scheme
    scheme_as_published: bool
    kv_cache_dtype: str
    accelerator: AcceleratorSpec | None
    count: int
    parallelism: Parallelism
    link: LinkSpec | None  # between the accelerators of one replica
    engine: EngineSpec
    settings: Settings
    workload: Workload | None
    derive_settings: bool = False
    targets: Targets | None = None
    # cap or mode asked for; `accelerator` is the slower machine that it makes
    power: PowerSetting | None = None
    setting_reasons: Mapping[str, Why] = field(
        default_factory=dict, hash=False, compare=False
    )  # why a derived setting is what it is
