"""What is kept of a log: its histograms, and the figures that pages and plans take from it, each with its kind."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from planner.core.settings import padded_length
from planner.core.traffic.engines import Reading
from planner.core.traffic.histogram import UNKNOWN, Figure, Histogram, unpacked
from planner.core.traffic.rows import Collected
from planner.core.traffic.table import Refused
from planner.core.traffic.times import NO_LOAD, Load, by_littles_law, exactly, load_of

VERSION = 1
QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99}
LENGTHS = ("input", "output", "total")
LOAD = ("requests_per_day", "peak_factor", "peak_concurrency", "mean_concurrency", "request_s", "span_s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A log as it is stored: figures by name, how it was read, histograms of input, output and, where rows tell, total."""

    requests: int
    summary: dict[str, Any]
    histograms: dict[str, Any]


def of_rows(found: Collected) -> Summary:
    """The summary of a log of rows."""
    load = load_of(found.starts, found.ends)
    histograms = {"input": found.input, "output": found.output, "total": found.total}
    figures = {name: _figures_of(histogram) for name, histogram in histograms.items()}
    read = {
        "rows": found.read,
        "left_out": found.left_out,
        "without_times": found.without_times,
        "columns": [
            {"role": item.role, "name": item.name, "unit_s": item.unit_s, "assumed": item.assumed}
            for item in found.columns
        ],
        "other_columns": found.others,
        "text_columns": found.texts,
    }
    correlation = exactly(found.correlation)
    return _summary(found.kept, figures, load, histograms, read, correlation=correlation)


def of_reading(reading: Reading, *, seconds: float, reset: bool, two: bool) -> Summary | Refused:
    """The summary of an engine's counters over `seconds`, NaN where nobody said how long they counted."""
    if reading.input is None or reading.output is None:
        known = math.isfinite(reading.requests) and reading.requests > 0
        code = "means_alone" if known else "totals_alone"
        return Refused(code=code, values={"engine": reading.engine, **_means(reading)})
    requests = min(reading.input.requests, reading.output.requests)
    if not requests:
        return Refused(code="no_requests_counted", values={"engine": reading.engine})
    counted = reading.latency_count if math.isfinite(reading.latency_count) else 0.0
    load = by_littles_law(int(counted), seconds, reading.latency_sum_s, reading.running)
    if not counted:
        load = NO_LOAD
    histograms = {"input": reading.input, "output": reading.output}
    figures = {name: _figures_of(histogram) for name, histogram in histograms.items()}
    mean = reading.input.mean + reading.output.mean
    blank = dict.fromkeys(("max", *QUANTILES), shown(UNKNOWN))
    figures["total"] = {"mean": shown(exactly(mean, "measured")), **blank}
    read = {
        "engine": reading.engine,
        "model": reading.model[:200],
        "two_readings": two,
        "reset": reset,
        "running": _plain(reading.running),
        "waiting": _plain(reading.waiting),
        "preemptions": _plain(reading.preemptions),
        "kv_usage": _plain(reading.kv_usage),
    }
    return _summary(requests, figures, load, histograms, read, correlation=UNKNOWN)


def _means(reading: Reading) -> dict[str, Any]:
    if not reading.requests > 0:
        return {"input": reading.input_total, "output": reading.output_total}
    return {
        "input": reading.input_total / reading.requests,
        "output": reading.output_total / reading.requests,
        "requests": reading.requests,
    }


def _summary(
    requests: int,
    figures: Mapping[str, Any],
    load: Load,
    histograms: Mapping[str, Histogram],
    read: Mapping[str, Any],
    *,
    correlation: Figure,
) -> Summary:
    return Summary(
        requests=requests,
        summary={
            "version": VERSION,
            **figures,
            "correlation": shown(correlation),
            **{name: shown(getattr(load, name)) for name in LOAD},
            "day": load.code,
            "read": dict(read),
        },
        histograms={name: histogram.packed() for name, histogram in histograms.items()},
    )


def _figures_of(histogram: Histogram) -> dict[str, Any]:
    return {
        "mean": shown(exactly(histogram.mean)),
        **{name: shown(histogram.quantile(share)) for name, share in QUANTILES.items()},
        "max": shown(exactly(histogram.maximum)),
    }


def shown(figure: Figure) -> dict[str, Any]:
    """A figure as JSON."""
    return {"value": figure.value, "low": figure.low, "high": figure.high, "kind": figure.kind}


def _plain(value: float) -> float | None:
    return value if math.isfinite(value) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """A plan's workload from a log: quantiles of both lengths in whole tokens, its load, and the context that they ask for.

    Exactly one of `concurrency` and `requests_per_day` is set, or neither where the log has no times.
    max_model_len: 1.2 x (P99 of input + P99 of output, or P99 of their sum where rows tell it), in whole steps.
    """

    input_tokens: dict[str, int]
    output_tokens: dict[str, int]
    concurrency: int | None
    requests_per_day: int | None
    peak_factor: float | None
    longest_tokens: int
    max_model_len: int


def filled(summary: Mapping[str, Any]) -> Filled:
    """What a log says about a plan. A whole day of times gives requests a day with their peak, less gives users at once."""
    prompts, answers = (_quantiles(summary[name]) for name in ("input", "output"))
    total = summary["total"]["p99"]["value"]
    longest = max(1, math.ceil(total) if total is not None else prompts["p99"] + answers["p99"])
    peak, factor = summary["peak_concurrency"]["value"], summary["peak_factor"]["value"]
    per_day = summary["requests_per_day"]["value"]
    daily = per_day is not None and factor is not None
    return Filled(
        input_tokens=prompts,
        output_tokens=answers,
        concurrency=None if daily or peak is None else max(1, math.ceil(peak)),
        requests_per_day=max(1, round(per_day)) if daily else None,
        peak_factor=round(factor, 2) if daily else None,
        longest_tokens=longest,
        max_model_len=padded_length(longest),
    )


def _quantiles(figures: Mapping[str, Any]) -> dict[str, int]:
    """Whole tokens, 1 at least and never falling, as a workload takes them."""
    found: dict[str, int] = {}
    least = 1
    for name in QUANTILES:
        least = found[name] = max(least, math.ceil(figures[name]["value"]))
    return found


def histograms_of(stored: Mapping[str, Any]) -> dict[str, Histogram]:
    """The histograms of a stored log."""
    return {name: unpacked(value) for name, value in stored.items()}
