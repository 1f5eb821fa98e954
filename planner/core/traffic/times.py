"""Load from moments: requests a day, how much the busiest hour is above the mean, and how many are under way at once."""

import math
from dataclasses import dataclass

import numpy as np

from planner.core.traffic.histogram import UNKNOWN, Figure, FloatArray

DAY_S = 86_400.0
HOUR_S = 3_600.0
LEAST_SPAN_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """The load of a log. code says how requests a day came to be: days | scaled | unknown."""

    span_s: Figure
    requests_per_day: Figure
    peak_factor: Figure
    peak_concurrency: Figure
    mean_concurrency: Figure
    request_s: Figure  # seconds of a request on average
    code: str


NO_LOAD = Load(
    span_s=UNKNOWN,
    requests_per_day=UNKNOWN,
    peak_factor=UNKNOWN,
    peak_concurrency=UNKNOWN,
    mean_concurrency=UNKNOWN,
    request_s=UNKNOWN,
    code="unknown",
)


def exactly(value: float, kind: str = "measured") -> Figure:
    """A figure that is one number."""
    return Figure(value=value, low=value, high=value, kind=kind) if math.isfinite(value) else UNKNOWN


def load_of(starts: FloatArray, ends: FloatArray) -> Load:
    """Load from the moments of a log, (m,) seconds each; `ends` may be empty.

    A log of less than a day is scaled to one, and then says nothing about the busiest hour of a day.
    """
    if len(starts) < 2:
        return NO_LOAD
    first, last = float(starts.min()), float(starts.max())
    span = last - first
    if span < LEAST_SPAN_S:
        return NO_LOAD
    whole_days = span >= DAY_S * (1 - 1 / 24)
    # Between n moments lie n - 1 gaps
    per_day = (len(starts) - 1) / span * DAY_S
    known = len(ends) == len(starts)
    return Load(
        span_s=exactly(span),
        requests_per_day=exactly(per_day, "measured" if whole_days else "computed"),
        peak_factor=exactly(_busiest_hour(starts, first, span), "measured") if whole_days else UNKNOWN,
        peak_concurrency=exactly(float(most_at_once(starts, ends))) if known else UNKNOWN,
        mean_concurrency=exactly(float((ends - starts).sum()) / (float(ends.max()) - first))
        if known
        else UNKNOWN,
        request_s=exactly(float((ends - starts).mean())) if known else UNKNOWN,
        code="days" if whole_days else "scaled",
    )


def _busiest_hour(starts: FloatArray, first: float, span: float) -> float:
    """Requests of the busiest hour over those of a mean hour; hours are counted from the first request."""
    hours = np.bincount(((starts - first) // HOUR_S).astype(np.int64))
    return max(1.0, float(hours.max()) / (len(starts) * HOUR_S / (span + span / len(starts))))


def most_at_once(starts: FloatArray, ends: FloatArray) -> int:
    """The most requests under way at one moment: exact. One that ends as another starts is not beside it."""
    ordered = np.sort(starts)
    ended = np.searchsorted(np.sort(ends), ordered, side="right")
    # Moments that are equal start together: the last of them counts them all
    begun = np.searchsorted(ordered, ordered, side="right")
    return max(1, int((begun - ended).max())) if len(starts) else 0


def by_littles_law(requests: int, seconds: float, latency_sum_s: float, running: float) -> Load:
    """Load from counters: `requests` finished in `seconds`, together they took `latency_sum_s`, all waiting included.

    The mean under way is the sum of their seconds over the time (Little's law). `running` is the most that a gauge showed:
    the peak was at least that and at least the mean. NaN where something is not known.
    """
    if not requests:
        return NO_LOAD
    mean = latency_sum_s / seconds if seconds > 0 else math.nan
    least = np.fmax(mean, running)
    peak = Figure(value=float(least), low=float(least), high=None, kind="computed") if least > 0 else UNKNOWN
    return Load(
        span_s=exactly(seconds),
        requests_per_day=exactly(requests / seconds * DAY_S if seconds > 0 else math.nan, "computed"),
        peak_factor=UNKNOWN,
        peak_concurrency=peak,
        mean_concurrency=exactly(mean, "computed"),
        request_s=exactly(latency_sum_s / requests),
        code="scaled" if seconds > 0 else "unknown",
    )
