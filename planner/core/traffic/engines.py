"""Lengths from the /metrics of engines: which metric says what, by engine, and the difference between two readings.

Names are data. Sources: vllm/v1/metrics/loggers.py of 0.6.6 to 0.33.0, sglang/srt/metrics/collector.py of 0.4 to 0.5.23,
tensorrt_llm/metrics/collector.py of 1.2, tools/server/server-context.cpp of llama.cpp.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from planner.core.traffic.histogram import MAX_TOKENS, Histogram
from planner.core.traffic.table import Refused

MAX_BUCKETS = 400
MAX_SERIES = 20_000
MOST_COUNTED = 1e14  # no counter of tokens gets that far in a century, and many of them still add up


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineMetrics:
    """What the metrics of one engine are called, newest name first, without the endings that a kind of metric adds.

    input and output are histograms; where an engine has none, totals and requests give the means alone.
    """

    engine: str
    prefix: str
    input: tuple[str, ...] = ()
    output: tuple[str, ...] = ()
    latency: tuple[str, ...] = ()
    running: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    input_total: tuple[str, ...] = ()
    output_total: tuple[str, ...] = ()
    requests: tuple[str, ...] = ()
    preemptions: tuple[str, ...] = ()
    kv_usage: tuple[str, ...] = ()


ENGINES = (
    EngineMetrics(
        engine="vllm",
        prefix="vllm:",
        input=("vllm:request_prompt_tokens",),
        output=("vllm:request_generation_tokens",),
        latency=("vllm:e2e_request_latency_seconds",),
        running=("vllm:num_requests_running",),
        waiting=("vllm:num_requests_waiting",),
        input_total=("vllm:prompt_tokens",),
        output_total=("vllm:generation_tokens",),
        requests=("vllm:request_success",),
        preemptions=("vllm:num_preemptions",),
        kv_usage=("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"),
    ),
    EngineMetrics(
        engine="sglang",
        prefix="sglang:",
        input=("sglang:prompt_tokens_histogram",),
        output=("sglang:generation_tokens_histogram",),
        latency=("sglang:e2e_request_latency_seconds",),
        running=("sglang:num_running_reqs",),
        waiting=("sglang:num_queue_reqs",),
        input_total=("sglang:prompt_tokens",),
        output_total=("sglang:generation_tokens",),
        requests=("sglang:num_requests",),
        preemptions=("sglang:num_retracted_requests", "sglang:num_retractions"),
        kv_usage=("sglang:token_usage",),
    ),
    EngineMetrics(
        engine="tensorrt-llm",
        prefix="trtllm_",
        latency=("trtllm_e2e_request_latency_seconds",),
        running=("trtllm_num_requests_running",),
        waiting=("trtllm_num_requests_waiting",),
        input_total=("trtllm_prompt_tokens",),
        output_total=("trtllm_generation_tokens",),
        requests=("trtllm_request_success",),
        kv_usage=("trtllm_kv_cache_utilization",),
    ),
    EngineMetrics(
        engine="llama.cpp",
        prefix="llamacpp:",
        running=("llamacpp:requests_processing",),
        waiting=("llamacpp:requests_deferred",),
        input_total=("llamacpp:prompt_tokens",),
        output_total=("llamacpp:tokens_predicted",),
    ),
)
PREFIXES = tuple(item.prefix for item in ENGINES)
# Labels that name the model, and those of data-parallel ranks and the like, over which counters add up.
MODEL_LABELS = ("model_name", "model")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One line of /metrics."""

    name: str
    labels: Mapping[str, str]
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one dump says about one model. Histograms are None and figures NaN where the engine does not say."""

    engine: str
    model: str
    input: Histogram | None
    output: Histogram | None
    latency_sum_s: float
    latency_count: float
    input_total: float
    output_total: float
    requests: float
    running: float
    waiting: float
    preemptions: float
    kv_usage: float


def models_in(samples: Sequence[Sample]) -> list[str]:
    """The models that a dump speaks of, in their order."""
    found = (_model_of(sample) for sample in samples if sample.name.startswith(PREFIXES))
    return list(dict.fromkeys(model for model in found if model))


def read_dump(samples: Sequence[Sample], *, model: str = "") -> Reading | Refused:
    """Read a dump for one model, which must be named where there are several."""
    ours = [sample for sample in samples if sample.name.startswith(PREFIXES)]
    if len(ours) > MAX_SERIES:
        return Refused(code="too_many_series", values={"found": len(ours), "limit": MAX_SERIES})
    if not ours:
        return Refused(code="no_engine", values={})
    models = models_in(ours)
    if model and model not in models:
        return Refused(code="no_such_model", values={"name": model[:60], "models": ", ".join(models)[:400]})
    if len(models) > 1 and not model:
        return Refused(
            code="several_models", values={"models": ", ".join(models)[:400], "count": len(models)}
        )
    chosen = model or (models[0] if models else "")
    mine = [sample for sample in ours if _model_of(sample) in ("", chosen)]
    names = next(item for item in ENGINES if any(sample.name.startswith(item.prefix) for sample in mine))
    prompts, answers = _histogram(mine, names.input), _histogram(mine, names.output)
    for found in (prompts, answers):
        if isinstance(found, Refused):
            return found
    assert not isinstance(prompts, Refused) and not isinstance(answers, Refused)
    return Reading(
        engine=names.engine,
        model=chosen,
        input=prompts,
        output=answers,
        latency_sum_s=_sum(mine, names.latency, "_sum"),
        latency_count=_sum(mine, names.latency, "_count"),
        input_total=_sum(mine, names.input_total, "_total"),
        output_total=_sum(mine, names.output_total, "_total"),
        requests=_sum(mine, names.requests, "_total"),
        running=_sum(mine, names.running, ""),
        waiting=_sum(mine, names.waiting, ""),
        preemptions=_sum(mine, names.preemptions, "_total"),
        kv_usage=_largest(mine, names.kv_usage),
    )


def _model_of(sample: Sample) -> str:
    return next((sample.labels[label] for label in MODEL_LABELS if label in sample.labels), "")


def _sum(samples: Iterable[Sample], names: Sequence[str], ending: str) -> float:
    """The sum over all series of the first of `names` that is there, NaN for none."""
    for name in names:
        found = [sample.value for sample in samples if sample.name in (name + ending, name)]
        if found and all(0 <= value < MOST_COUNTED for value in found):
            return sum(found)
    return math.nan


def _largest(samples: Iterable[Sample], names: Sequence[str]) -> float:
    found = [s.value for s in samples if s.name in names and math.isfinite(s.value)]
    return max(found, default=math.nan)


def _histogram(samples: Iterable[Sample], names: Sequence[str]) -> Histogram | Refused | None:
    for name in names:
        found = [sample for sample in samples if sample.name == f"{name}_bucket"]
        if found:
            return _of_buckets(found, name, _sum(samples, [name], "_sum"))
    return None


def _of_buckets(samples: Sequence[Sample], name: str, total: float) -> Histogram | Refused:
    """A histogram of whole lengths from cumulative buckets, those of all series added up."""
    reached: dict[float, float] = {}
    for sample in samples:
        try:
            bound = float(sample.labels.get("le", ""))
        except ValueError:
            return Refused(code="bucket_unreadable", values={"name": name})
        if math.isnan(bound) or not 0 <= sample.value < MOST_COUNTED:
            return Refused(code="bucket_unreadable", values={"name": name})
        reached[bound] = reached.get(bound, 0.0) + sample.value
    bounds = sorted(reached)
    series = {tuple(sorted((k, v) for k, v in s.labels.items() if k != "le")) for s in samples}
    counts = np.array([reached[bound] for bound in bounds])
    if len(bounds) > MAX_BUCKETS or len(samples) != len(series) * len(bounds) or (np.diff(counts) < 0).any():
        return Refused(code="not_cumulative", values={"name": name})
    if bounds[-1] != math.inf or len(bounds) < 2:
        return Refused(code="no_last_bucket", values={"name": name})
    ends = np.array([math.floor(min(max(bound, -1.0), MAX_TOKENS)) for bound in bounds[:-1]], dtype=np.int64)
    starts = np.concatenate([[0], ends[:-1] + 1])
    inside = np.diff(counts[:-1], prepend=0.0)
    kept = ends >= starts
    return Histogram(
        low=starts[kept],
        high=ends[kept],
        counts=inside[kept].astype(np.int64),
        beyond=int(counts[-1] - counts[-2]),
        total=total,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What came between two readings. reset: the engine started anew between them, so the later one stands alone."""

    reading: Reading
    reset: bool


def since(earlier: Reading, later: Reading) -> Difference | Refused:
    """What the later reading has more than the earlier one. Gauges are the larger of both."""
    if (earlier.engine, earlier.model) != (later.engine, later.model):
        values = {"first": earlier.model or earlier.engine, "second": later.model or later.engine}
        return Refused(code="other_model", values=values)
    peaks: dict[str, Any] = {
        name: float(np.fmax(getattr(earlier, name), getattr(later, name)))
        for name in ("running", "waiting", "kv_usage")
    }
    counters = {
        name: getattr(later, name) - getattr(earlier, name)
        for name in (
            "latency_sum_s",
            "latency_count",
            "input_total",
            "output_total",
            "requests",
            "preemptions",
        )
    }
    pairs = {name: (getattr(earlier, name), getattr(later, name)) for name in ("input", "output")}
    grown = {name: _grown(*pair) for name, pair in pairs.items()}
    lost = any(after is not None and grown[name] is None for name, (_before, after) in pairs.items())
    if lost or any(value < 0 for value in counters.values()):
        return Difference(reading=_with(later, peaks), reset=True)
    return Difference(reading=_with(later, peaks | counters | grown), reset=False)


def _grown(before: Histogram | None, after: Histogram | None) -> Histogram | None:
    if before is None or after is None:
        return after
    return after.minus(before)


def _with(reading: Reading, values: Mapping[str, Any]) -> Reading:
    fields = {name: getattr(reading, name) for name in Reading.__slots__}
    return Reading(**{**fields, **values})
