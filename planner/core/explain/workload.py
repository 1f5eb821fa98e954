"""The working of a workload that was given as quantiles or as requests per day."""

import math
from collections.abc import Iterator

from planner.core.batch import SpeedBatch
from planner.core.lengths import MEAN_FORMULA, MEAN_SOURCE, mean_of
from planner.core.outcome import Term
from planner.core.request import EstimateRequest

LITTLE = "Little's law"


def workload_terms(request: EstimateRequest, speed: SpeedBatch, row: int) -> Iterator[Term]:
    """Means behind quantiles, and the rate behind requests per day; nothing where means were given."""
    workload = request.workload
    if workload is None:
        return
    given = (
        ("mean_input_tokens", workload.input_quantiles),
        ("mean_output_tokens", workload.output_quantiles),
    )
    for name, quantiles in given:
        if quantiles is not None:
            yield Term(
                term=name,
                formula=MEAN_FORMULA,
                values=quantiles._asdict(),
                result=round(mean_of(quantiles), 2),
                unit="tokens",
                source=MEAN_SOURCE,
                kind="computed",
            )
    if workload.requests_per_s is None:
        return
    yield Term(
        term="requests_per_s",
        formula="requests per day / 86,400 s × peak factor",
        values={"requests_per_day": workload.requests_per_day, "peak_factor": workload.peak_factor},
        result=round(workload.requests_per_s, 4),
        unit="requests/s",
        source="the rate at the peak",
        kind="computed",
    )
    ttft_ms, tpot_ms = float(speed.ttft_ms[row]), float(speed.tpot_ms[row])
    if math.isnan(tpot_ms):
        return
    yield Term(
        term="concurrency",
        formula="requests/s × (TTFT + output tokens × TPOT), rounded up",
        values={
            "requests_per_s": round(workload.requests_per_s, 4),
            "output_tokens": workload.output_tokens,
            "ttft_ms": round(ttft_ms, 4),
            "tpot_ms": round(tpot_ms, 4),
        },
        result=workload.concurrency,
        unit="requests",
        source=LITTLE,
        kind="computed",
    )
