"""What a set-up does for its money: output tokens a day as it is used and flat out."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from planner.core.cost.ask import CostRequest
from planner.core.cost.own import SECONDS_PER_DAY, Tokens
from planner.core.estimate import estimate
from planner.core.request import EstimateRequest
from planner.core.specs import Catalog

SECONDS_PER_HOUR = 3600
NOTHING = Tokens(asked=None, at_load=None, at_full_load=None, input_per_output=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """Tokens at the middle of the speed's interval, and what they would be at its ends (slower, faster).

    by: requests_per_day | utilization | hours_per_day.
    """

    by: str
    tokens: Tokens
    ends: tuple[Tokens, Tokens] | None


def load_of(asked: CostRequest, estimated: Mapping[str, Any], catalog: Catalog, *, hours: float) -> Load:
    """The load of a question whose set-up is estimated; `hours` a day count where neither requests nor a share do."""
    by = _by(asked)
    speed, workload = estimated["speed"], asked.request.workload
    if speed is None or workload is None:
        return Load(by=by, tokens=NOTHING, ends=None)
    served = float(speed["output_tokens_per_s"])
    full = flat_out(asked.request, estimated, catalog)
    ratio = workload.input_tokens / workload.output_tokens if workload.output_tokens else None

    def at(factor: float) -> Tokens:
        most = full * factor * SECONDS_PER_DAY
        wanted = _wanted(asked, by, served=served * factor, most=most, hours=hours)
        return Tokens(asked=wanted, at_load=min(wanted, most), at_full_load=most, input_per_output=ratio)

    low, high = (end / served for end in speed["interval"]["output_tokens_per_s"])
    return Load(by=by, tokens=at(1.0), ends=(at(low), at(high)))


def _by(asked: CostRequest) -> str:
    workload = asked.request.workload
    if workload is not None and workload.requests_per_day is not None:
        return "requests_per_day"
    return "hours_per_day" if asked.utilization is None else "utilization"


def _wanted(asked: CostRequest, by: str, *, served: float, most: float, hours: float) -> float:
    """Output tokens a day that the load asks for; `served` per second at the users asked for, `most` a day flat out."""
    workload = asked.request.workload
    assert workload is not None  # NOTHING was answered for it
    if by == "requests_per_day":
        return float(workload.requests_per_day or 0.0) * workload.output_tokens
    if by == "utilization":
        return most * float(asked.utilization or 0.0)
    return served * SECONDS_PER_HOUR * hours


def flat_out(request: EstimateRequest, estimated: Mapping[str, Any], catalog: Catalog) -> float:
    """Output tokens per second of all replicas when every slot is taken; never less than at the load asked for."""
    slots = next((item["value"] for item in estimated["settings"] if item["name"] == "max_num_seqs"), None)
    speed, workload = estimated["speed"], request.workload
    asked = float(speed["output_tokens_per_s"])
    if slots is None or workload is None:
        return asked
    taken = max(workload.concurrency, slots * request.parallelism.data)
    busy = replace(workload, concurrency=taken, requests_per_s=None, requests_per_day=None, peak_factor=1.0)
    found = estimate([replace(request, workload=busy, targets=None)], catalog)[0]["speed"]
    return max(asked, float(found["output_tokens_per_s"])) if found else asked
