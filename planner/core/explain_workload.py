"""The working of a workload that was given as quantiles or as requests per day."""

from collections.abc import Iterator

from planner.core.lengths import MEAN_FORMULA, MEAN_SOURCE, mean_of
from planner.core.outcome import Term
from planner.core.request import EstimateRequest

LITTLE = "Little's law"


def workload_terms(request: EstimateRequest) -> Iterator[Term]:
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
    yield Term(
        term="concurrency",
        formula="requests/s × (TTFT + (output tokens − 1) × TPOT)",
        values={
            "requests_per_s": round(workload.requests_per_s, 4),
            "output_tokens": workload.output_tokens,
        },
        result=workload.concurrency,
        unit="requests",
        source=LITTLE,
        kind="computed",
    )
