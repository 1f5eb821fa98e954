"""Renting the same cards instead of buying them, as the outside sees it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from planner.answers import bills
from planner.core.cost.ask import CostRequest
from planner.core.cost.own import Term, Tokens, effort_per_year, per_million, total
from planner.core.cost.prices import Price, PriceBook
from planner.core.cost.rent import HOURS_PER_DAY, Rented, meeting, spent

CURVE_MONTHS = 60


def rent_of(
    asked: CostRequest,
    book: PriceBook,
    a: Mapping[str, float],
    tokens: Tokens,
    *,
    purchase: float | None,
    yearly: Sequence[Term],
) -> dict[str, Any] | None:
    """What renting costs, and where it meets buying; None where no rent is known."""
    price = _price(asked, book)
    if price is None:
        return None
    hours = HOURS_PER_DAY if asked.rent_hours_per_day is None else asked.rent_hours_per_day
    rented = Rented(
        count=asked.request.count,
        price_per_hour=price.amount,
        hours_per_day=hours,
        effort_per_year=effort_per_year(a),
    )
    return {
        "price_per_hour": round(price.amount, 6),
        "price": bills.price_shown(price),
        "hours_per_day": hours,
        "yearly": bills.money(rented.yearly),
        "effort_per_year": bills.money(rented.effort_per_year),
        "per_million_output_tokens": {
            "at_load": rounded(per_million(rented.yearly, tokens.at_load)),
            "at_full_load": rounded(per_million(rented.yearly, tokens.at_full_load)),
        },
        **_against_buying(rented, purchase=purchase, yearly=yearly),
    }


def _price(asked: CostRequest, book: PriceBook) -> Price | None:
    """The asker's own rent of one card for an hour, else the cheapest that is quoted."""
    card = asked.request.accelerator
    if card is None:
        return None
    if asked.rent_per_hour is not None:
        return Price(amount=asked.rent_per_hour, kind="given", source="")
    return book.rent(card.id, quantity=asked.request.count)


def _against_buying(rented: Rented, *, purchase: float | None, yearly: Sequence[Term]) -> dict[str, Any]:
    """Where the two meet, and money spent by month; nothing where a part of buying is not known."""
    running = total([term for term in yearly if term.item != "depreciation"])
    whole = total(yearly)
    if purchase is None or running is None or whole is None:
        return {"break_even": None, "curve": []}
    met = meeting(rented, purchase=purchase, running=running, yearly=whole)
    return {"break_even": asdict(met), "curve": _curve(rented, purchase, running)}


def _curve(rented: Rented, purchase: float, running: float) -> list[dict[str, float]]:
    at, bought, paid = spent(rented, purchase=purchase, running=running, months=CURVE_MONTHS)
    return [
        {"month": int(month), "bought": round(one, 2), "rented": round(other, 2)}
        for month, one, other in zip(at, bought, paid, strict=True)
    ]


def rounded(amount: float | None) -> float | None:
    """A cost of tokens, which may be far below a cent."""
    return None if amount is None else round(amount, 6)
