"""From JSON to a `Workload` and its `Targets`: lengths as means or quantiles, load as users or requests per day."""

from collections.abc import Mapping
from typing import Any

from planner.core.lengths import Quantiles, mean_of
from planner.core.parse.fields import Reader
from planner.core.request import TARGET_NAMES, Targets, Workload

LENGTH_NAMES = ("input_tokens", "output_tokens")
WORKLOAD_FIELDS = frozenset(
    {*LENGTH_NAMES, "concurrency", "requests_per_day", "peak_factor", "shared_prefix_tokens"}
)
QUANTILE_NAMES = ("p50", "p90", "p99")
MAX_TOKENS = 100_000_000
MAX_REQUESTS_PER_DAY = 1e12
MAX_PEAK_FACTOR = 1e4
MIN_TARGET, MAX_TARGET = 1e-6, 1e9
SECONDS_PER_DAY = 86_400.0


def read_workload(reader: Reader, value: Any) -> Workload | None:
    """Lengths and load; None where nothing is asked or something is wrong with it.

    A length is a mean or its quantiles. The load is `concurrency`, or `requests_per_day` with a `peak_factor`:
    then concurrency is 1 until Little's law is solved for the set-up at hand.
    """
    if value is None:
        return None
    fields = reader.mapping(value, "workload")
    if fields is None:
        return None
    reader.only(fields, WORKLOAD_FIELDS, "workload")
    lengths = [_length(reader, fields, name) for name in LENGTH_NAMES]
    load = _load(reader, fields)
    prompt, answer = lengths
    if prompt is None or answer is None or load is None:
        return None
    mean_in, spread_in = prompt
    mean_out, spread_out = answer
    given = spread_in is not None or spread_out is not None
    longest_in = spread_in.p99 if spread_in else mean_in
    longest_out = spread_out.p99 if spread_out else mean_out
    return Workload(
        input_tokens=mean_in,
        output_tokens=mean_out,
        longest_tokens=longest_in + longest_out if given else None,
        input_quantiles=spread_in,
        output_quantiles=spread_out,
        **load,
    )


def _length(reader: Reader, fields: Mapping[str, Any], name: str) -> tuple[int, Quantiles | None] | None:
    """Mean of one length, and its quantiles where those were given."""
    value, path = fields.get(name), f"workload.{name}"
    if value is None:
        reader.refuse("missing", path)
        return None
    if not isinstance(value, Mapping):
        number = reader.integer(value, path, low=1, high=MAX_TOKENS)
        return None if number is None else (number, None)
    reader.only(value, frozenset(QUANTILE_NAMES), path)
    found: list[int] = []
    for quantile in QUANTILE_NAMES:
        if value.get(quantile) is None:
            reader.refuse("missing", f"{path}.{quantile}")
            continue
        number = reader.integer(value[quantile], f"{path}.{quantile}", low=1, high=MAX_TOKENS)
        if number is not None:
            found.append(number)
    if len(found) < len(QUANTILE_NAMES):
        return None
    if found != sorted(found):
        reader.refuse("quantiles_not_ascending", path, p50=found[0], p90=found[1], p99=found[2])
        return None
    spread = Quantiles(*found)
    return max(1, round(mean_of(spread))), spread


def _load(reader: Reader, fields: Mapping[str, Any]) -> dict[str, Any] | None:
    """The load of a workload as fields of it: exactly one of users at once and requests per day."""
    users, per_day = fields.get("concurrency"), fields.get("requests_per_day")
    if (users is None) == (per_day is None):
        reader.refuse("concurrency_or_requests_per_day", "workload.concurrency")
        return None
    factor = fields.get("peak_factor")
    if users is not None:
        if factor is not None:
            reader.refuse("peak_factor_without_requests_per_day", "workload.peak_factor")
        number = reader.integer(users, "workload.concurrency", low=1, high=MAX_TOKENS)
        return None if number is None else {"concurrency": number}
    requests = reader.positive(per_day, "workload.requests_per_day", high=MAX_REQUESTS_PER_DAY)
    peak = 1.0 if factor is None else _peak(reader, factor)
    if requests is None or peak is None:
        return None
    return {
        "concurrency": 1,
        "requests_per_s": requests / SECONDS_PER_DAY * peak,
        "requests_per_day": requests,
        "peak_factor": peak,
    }


def _peak(reader: Reader, value: Any) -> float | None:
    """Rate at the peak over the mean rate of the day: 1 or more."""
    number = reader.positive(value, "workload.peak_factor", high=MAX_PEAK_FACTOR)
    if number is not None and number < 1.0:
        reader.refuse("out_of_range", "workload.peak_factor", low=1, high=MAX_PEAK_FACTOR, found=number)
        return None
    return number


def read_targets(reader: Reader, value: Any) -> Targets | None:
    """What is to be reached; None where nothing is. A `{"p99": n}` keeps its number and is named as measured only."""
    if value is None:
        return None
    fields = reader.mapping(value, "targets")
    if fields is None:
        return None
    reader.only(fields, frozenset(TARGET_NAMES), "targets")
    limits: dict[str, float] = {}
    measured_only: list[str] = []
    for name in TARGET_NAMES:
        given = fields.get(name)
        if given is None:
            continue
        path = f"targets.{name}"
        if isinstance(given, Mapping):
            reader.only(given, frozenset({"p99"}), path)
            given, path = given.get("p99"), f"{path}.p99"
            measured_only.append(name)
            if given is None:
                reader.refuse("missing", path)
                continue
        limit = reader.positive(given, path, high=MAX_TARGET, low=MIN_TARGET)
        if limit is not None:
            limits[name] = limit
    return Targets(**limits, measured_only=tuple(measured_only)) if limits else None
