"""Bills of materials as the outside sees them."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from planner.core.bill import Bill, Line, bill_of, carries
from planner.core.cost.ask import BillAsked
from planner.core.cost.prices import Price, PriceBook
from planner.core.request import EstimateRequest
from planner.core.specs import Catalog
from planner.messages import word
from planner.messages.money import BASES, BILL_NOTES

CENTS = 2


def bill_for(request: EstimateRequest, asked: BillAsked, *, catalog: Catalog, book: PriceBook) -> Bill:
    """The bill of a checked request with what a plan adds to it."""
    return bill_of(
        request.accelerator,
        count=request.count,
        platform=catalog.platform_records.get(asked.platform) if asked.platform else None,
        spares=asked.spares,
        extras=asked.extras,
        book=book,
    )


def shown(bill: Bill) -> dict[str, Any]:
    """A bill as JSON, with its words."""
    return {
        "currency": bill.currency,
        "items": [_line(line, bill.currency) for line in bill.lines],
        "total": money(bill.total),
        "priced_total": money(bill.priced_total),
        "complete": bill.total is not None,
        "unpriced": list(bill.unpriced),
        "power_w": bill.power_w,
        "on": bill.on,
    }


def _line(line: Line, currency: str) -> dict[str, Any]:
    return {
        "kind": line.kind,
        "id": line.id,
        "name": line.name,
        "quantity": line.quantity,
        "unit_price": money(line.unit_price),
        "currency": currency,
        "total": money(line.total),
        "price": price_shown(line.price),
        "power_w": line.power_w,
        "note": _note(line),
    }


def _note(line: Line) -> dict[str, Any] | None:
    if not line.note:
        return None
    values = dict(line.note_values or {})
    return {"code": line.note, "values": values, "message": word(BILL_NOTES, line.note, values)}


def in_words(bill: dict[str, Any]) -> dict[str, Any]:
    """The words of a bill again, in the reader's language: a saved one has those of its author."""
    for item in bill["items"]:
        if item["note"]:
            item["note"]["message"] = word(BILL_NOTES, item["note"]["code"], item["note"]["values"])
        if item["price"] and item["price"]["basis"]:
            item["price"]["basis_name"] = str(BASES[item["price"]["basis"]])
    return bill


def price_shown(price: Price | None) -> dict[str, Any] | None:
    """A price with whose word it is; None where there is none."""
    if price is None:
        return None
    shown = asdict(price)
    shown["amount"] = money(price.amount)
    shown["basis_name"] = str(BASES[price.basis]) if price.basis else ""
    return shown


def money(amount: float | None) -> float | None:
    """An amount to the cent."""
    return None if amount is None else round(amount, CENTS)


def platforms_for(request: EstimateRequest, catalog: Catalog) -> list[Mapping[str, Any]]:
    """Platforms that carry the accelerator of a request, the smallest that holds all of it first."""
    if request.accelerator is None:
        return []
    found = [
        (carries(record, request.accelerator.id), record) for record in catalog.platform_records.values()
    ]
    fitting = [(each, record) for each, record in found if each]
    return [
        record
        for _each, record in sorted(
            fitting, key=lambda pair: (pair[0] < request.count, pair[0], pair[1]["id"])
        )
    ]
