"""What an answer about cost leaves open: codes with their words."""

from collections.abc import Iterator, Mapping
from typing import Any

from planner.answers.cost_load import Load
from planner.core.bill import Bill
from planner.core.cost.ask import CostRequest
from planner.messages import word
from planner.messages.cost import REMARKS

BUSY_HALF = 0.5
MONTHS_PER_YEAR = 12
Remark = tuple[str, dict[str, Any]]


def remarks(
    asked: CostRequest, bill: Bill, load: Load, *, a: Mapping[str, float], rent: Mapping[str, Any] | None
) -> list[dict[str, Any]]:
    """Why figures are null or assumed, what dominates, and how renting compares."""
    found = [*_load(asked, load), *_prices(asked, bill, a), *_rent(asked, a, rent)]
    return [
        {"code": code, "values": values, "message": word(REMARKS, code, values)} for code, values in found
    ]


def _load(asked: CostRequest, load: Load) -> Iterator[Remark]:
    tokens = load.tokens
    if asked.request.workload is None:
        yield "no_load", {}
    elif tokens.asked is None or tokens.at_load is None:
        yield "no_speed", {}
    elif not tokens.asked:
        yield "idle", {}
    elif tokens.asked > tokens.at_load:
        yield "load_above_capacity", {"percent": f"{100 * tokens.at_load / tokens.asked:.0f}"}
    elif tokens.duty is not None and tokens.duty < BUSY_HALF:
        yield "utilization_dominates", {"percent": f"{100 * tokens.duty:.2g}"}


def _prices(asked: CostRequest, bill: Bill, a: Mapping[str, float]) -> Iterator[Remark]:
    card = asked.request.accelerator
    if card is None:
        yield "no_accelerator", {}
        return
    if bill.unpriced:
        yield "no_price", {"name": ", ".join(dict.fromkeys(bill.unpriced))}
    if card.tdp_w is None:
        yield "power_unknown", {"name": card.name}
    if a["host_share"] and asked.platform_price is None and not _has_platform(bill):
        yield "host_assumed", {"percent": f"{100 * a['host_share']:.0f}"}
    public = [line.name for line in bill.lines if line.price is not None and line.price.kind == "public"]
    if public:
        yield "public_prices", {"names": ", ".join(dict.fromkeys(public))}


def _has_platform(bill: Bill) -> bool:
    return any(line.kind == "platform" for line in bill.lines)


def _rent(asked: CostRequest, a: Mapping[str, float], rent: Mapping[str, Any] | None) -> Iterator[Remark]:
    card = asked.request.accelerator
    if rent is None:
        if card is not None:
            yield "no_rent", {"name": card.name}
        return
    if not rent["break_even"]:
        return
    months = rent["break_even"]["months"]
    if months is None:
        yield "never_pays", {}
    elif months > a["depreciation_years"] * MONTHS_PER_YEAR:
        yield "pays_late", {"years": f"{a['depreciation_years']:g}"}
