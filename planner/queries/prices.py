"""Prices that count on one day, from the team's quotes and, where asked for, from public lists."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import date
from typing import Any

from django.db.models import Q, QuerySet

from planner.catalog.files import shipped_prices
from planner.core.cost.prices import Price, PriceBook
from planner.models import ExchangeRate, Quote

BASE = "USD"
KEY_LENGTH = 16
HOURS_PER_MONTH = 730.0  # 8,760 hours a year over twelve months


def exchange_rates() -> dict[str, float]:
    """Currency -> how much of it one US dollar buys; the team's word where there is one, else what was shipped."""
    return {
        **{row["currency"]: row["per_usd"] for row in shipped_prices()["rates"]},
        **{row.currency: float(row.per_usd) for row in ExchangeRate.objects.only("currency", "per_usd")},
        BASE: 1.0,
    }


def valid_quotes(on: date) -> QuerySet[Quote]:
    """Quotes that hold on this day: neither withdrawn nor expired, and not of a later day."""
    unexpired = Q(valid_until=None) | Q(valid_until__gte=on)
    return Quote.objects.filter(unexpired, withdrawn_at=None, quoted_on__lte=on)


def price_book(*, on: date, currency: str, public: bool = False) -> PriceBook:
    """Every price that holds on this day, in one currency; with `public`, list and street prices where no quote is.

    Two queries. A quote in a currency without a rate is in no book: `unconverted` names its subject.
    """
    per_usd = exchange_rates()
    offers: dict[str, dict[str, list[Price]]] = {"purchase": {}, "rent_hour": {}}
    unconverted: set[str] = set()
    for quote in valid_quotes(on).order_by("unit_price", "pk").exclude(subject_kind=Quote.Subject.ITEM):
        factor = exchange(quote.currency, currency, per_usd)
        if factor is None:
            unconverted.add(quote.subject)
            continue
        table = offers["purchase" if quote.offer == Quote.Offer.PURCHASE else "rent_hour"]
        table.setdefault(quote.subject, []).append(_price(quote, factor))
    if public:
        for name, prices in public_prices(currency, per_usd).items():
            offers["purchase"].setdefault(name, prices)
    purchase, rent = _sorted(offers["purchase"]), _sorted(offers["rent_hour"])
    return PriceBook(
        currency=currency,
        key=_key(currency, purchase, rent),
        on=on.isoformat(),
        purchase=purchase,
        rent_hour=rent,
        per_usd=per_usd,
        unconverted=tuple(sorted(unconverted)),
        public=public,
    )


def exchange(given: str, wanted: str, per_usd: Mapping[str, float]) -> float | None:
    """What one of `given` is in `wanted`, by way of the dollar; None where a rate is missing."""
    if given == wanted:
        return 1.0
    if given not in per_usd or wanted not in per_usd:
        return None
    return per_usd[wanted] / per_usd[given]


def _price(quote: Quote, factor: float) -> Price:
    stated = float(quote.unit_price)
    per_hour = HOURS_PER_MONTH if quote.offer == Quote.Offer.RENT_MONTH else 1.0
    return Price(
        amount=stated * factor / per_hour,
        kind="quoted",
        source=quote.source,
        supplier=quote.supplier,
        quoted_on=quote.quoted_on.isoformat(),
        valid_until=quote.valid_until.isoformat() if quote.valid_until else None,
        quote=quote.uid,
        minimum_quantity=quote.minimum_quantity,
        stated=stated,
        stated_currency=quote.currency,
    )


def public_prices(currency: str, per_usd: Mapping[str, float]) -> dict[str, list[Price]]:
    """Accelerator -> its public price in `currency`; empty where the currency has no rate."""
    factor = exchange(BASE, currency, per_usd)
    if factor is None:
        return {}
    return {
        row["accelerator"]: [
            Price(
                amount=row["usd"] * factor,
                kind="public",
                source=row["source"],
                basis=row["basis"],
                quoted_on=row["date"],
                stated=row["usd"],
                stated_low=row["low_usd"],
                stated_currency=BASE,
            )
        ]
        for row in shipped_prices()["accelerators"]
    }


def _sorted(offers: Mapping[str, Iterable[Price]]) -> dict[str, tuple[Price, ...]]:
    """Cheapest first; of equals the one that asks for fewer."""
    return {
        name: tuple(sorted(prices, key=lambda price: (price.amount, price.minimum_quantity)))
        for name, prices in sorted(offers.items())
    }


def _key(currency: str, *tables: Mapping[str, tuple[Price, ...]]) -> str:
    """Names what the book says: the same prices have the same key on another day."""
    said = [{name: [asdict(price) for price in prices] for name, prices in table.items()} for table in tables]
    content: list[Any] = [currency, *said]
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:KEY_LENGTH]
