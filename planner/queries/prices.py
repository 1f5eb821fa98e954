"""Prices that count on one day, from the team's quotes and, where asked for, from public lists."""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import cached_property
from operator import attrgetter
from typing import Any

from django.db.models import Max, Q, QuerySet

from planner.catalog.files import shipped_prices
from planner.core.cost.prices import Price, PriceBook, nothing_priced
from planner.models import Quote
from planner.queries.rates import rates_in_force, shipped_rates
from planner.queries.team import team_settings

BASE = "USD"
KEY_LENGTH = 16
HOURS_PER_MONTH = 730.0  # 8,760 hours a year over twelve months
Offers = dict[str, list[Price]]
_PRICE_VALUES = attrgetter(*Price.__dataclass_fields__)
_COLUMNS = (
    *("subject", "offer", "unit_price", "currency", "minimum_quantity"),
    *("supplier", "source", "quoted_on", "valid_until", "uid"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """What one US dollar buys, by currency, and which of it nobody here has set."""

    per_usd: Mapping[str, float]
    assumed: frozenset[str]

    def factor(self, given: str, wanted: str) -> float | None:
        """What one of `given` is in `wanted`; None where a rate is missing."""
        return exchange(given, wanted, self.per_usd)

    def guessed(self, given: str, wanted: str) -> bool:
        """Whether an exchange between the two rests on a rate that was shipped."""
        return given != wanted and bool({given, wanted} & self.assumed)


def exchange(given: str, wanted: str, per_usd: Mapping[str, float]) -> float | None:
    """What one of `given` is in `wanted`, by way of the dollar; None where a rate is missing."""
    if given == wanted:
        return 1.0
    if given not in per_usd or wanted not in per_usd:
        return None
    return per_usd[wanted] / per_usd[given]


def exchange_rates() -> dict[str, float]:
    """Currency -> how much of it one US dollar buys; the team's word where there is one, else what was shipped."""
    return dict(current_rates().per_usd)


def current_rates() -> Rates:
    """Every rate in force. One query."""
    return _rates(rates_in_force())


def _rates(rows: Iterable[Mapping[str, Any]]) -> Rates:
    kept = list(rows)
    return Rates(
        per_usd={row["currency"]: row["per_usd"] for row in kept} | {BASE: 1.0},
        assumed=frozenset(row["currency"] for row in kept if row["assumed"]),
    )


def live_quotes(on: date, only: Collection[str] | None = None) -> QuerySet[Quote]:
    """Quotes for accelerators and platforms that were made by this day and not withdrawn, expired ones included."""
    found = Quote.objects.filter(withdrawn_at=None, quoted_on__lte=on).exclude(
        subject_kind=Quote.Subject.ITEM
    )
    return found if only is None else found.filter(subject__in=only)


def price_book(
    *, on: date, currency: str, public: bool = False, only: Collection[str] | None = None
) -> PriceBook:
    """Every price that holds on this day, in one currency; with `public`, list and street prices where no quote is.

    Three queries. `only` reads nothing but what is said of these catalog ids: such a book has a key of its own.
    """
    rates, quotes = current_rates(), live_quotes(on, only)
    valid = quotes.filter(Q(valid_until=None) | Q(valid_until__gte=on))
    expired = (
        quotes.filter(offer=Quote.Offer.PURCHASE, valid_until__lt=on)
        .values_list("subject")
        .order_by("subject")
        .annotate(Max("valid_until"))
    )
    return _book(
        _Reading(currency=currency, rates=rates),
        valid.order_by("pk").values_list(*_COLUMNS),
        dict(expired),
        on=on,
        public=public,
    )


def shipped_book(*, on: date, currency: str, public: bool) -> PriceBook:
    """What is known without a database: public prices where they are asked for, at shipped rates."""
    return _book(_Reading(currency=currency, rates=_rates(shipped_rates())), (), {}, on=on, public=public)


@dataclass(kw_only=True)
class Books:
    """Price books of one day, each read once. Where `stored` is false no database is asked: there are no quotes."""

    on: date
    stored: bool = True
    _kept: dict[tuple[str, bool], PriceBook] = field(default_factory=dict)

    @cached_property
    def team_currency(self) -> str:
        """What amounts are in where nobody names a currency."""
        return team_settings().currency if self.stored else BASE

    def about(self, name: str) -> PriceBook:
        """What is known of one thing, in the team's currency: quick however many quotes there are."""
        return price_book(on=self.on, currency=self.team_currency, only=[name])

    def of(self, currency: str | None, source: str) -> PriceBook:
        """The book that a question takes its prices from: `source` is of PRICE_SOURCES."""
        wanted = currency or self.team_currency
        if source == "none":
            return nothing_priced(wanted, on=self.on.isoformat())
        key = (wanted, source == "public")
        if key not in self._kept:
            read = price_book if self.stored else shipped_book
            self._kept[key] = read(on=self.on, currency=wanted, public=key[1])
        return self._kept[key]


@dataclass(kw_only=True)
class _Reading:
    """A book while it is read."""

    currency: str
    rates: Rates
    purchase: Offers = field(default_factory=dict)
    rent_hour: Offers = field(default_factory=dict)
    unconverted: dict[str, str] = field(default_factory=dict)

    def take(self, row: tuple[Any, ...]) -> None:
        """One quote, as _COLUMNS has it."""
        subject, offer, stated, currency, least, supplier, source, quoted_on, valid_until, uid = row
        factor = self.rates.factor(currency, self.currency)
        if factor is None:
            self.unconverted.setdefault(subject, currency)
            return
        table = self.purchase if offer == Quote.Offer.PURCHASE else self.rent_hour
        price = Price(
            amount=_per_hour(stated, offer) * factor,
            kind="quoted",
            source=source,
            supplier=supplier,
            quoted_on=quoted_on.isoformat(),
            valid_until=valid_until.isoformat() if valid_until else None,
            quote=uid,
            minimum_quantity=least,
            stated=float(stated),
            stated_currency=currency,
            stated_per=offer.removeprefix("rent_") if offer != Quote.Offer.PURCHASE else "",
            rate=None if currency == self.currency else factor,
            rate_assumed=self.rates.guessed(currency, self.currency),
        )
        table.setdefault(subject, []).append(price)

    def take_public(self) -> None:
        """A public price for everything that nobody offers."""
        for name, prices in public_prices(self.currency, self.rates).items():
            self.purchase.setdefault(name, prices)


def _per_hour(stated: Decimal, offer: str) -> float:
    return float(stated) / (HOURS_PER_MONTH if offer == Quote.Offer.RENT_MONTH else 1.0)


def _book(
    reading: _Reading,
    rows: Iterable[tuple[Any, ...]],
    expired: Mapping[str, date],
    *,
    on: date,
    public: bool,
) -> PriceBook:
    for row in rows:
        reading.take(row)
    offered = set(reading.purchase)
    if public:
        reading.take_public()
    purchase, rent = _sorted(reading.purchase), _sorted(reading.rent_hour)
    over = {name: day.isoformat() for name, day in sorted(expired.items()) if name not in offered}
    unconverted = dict(sorted(reading.unconverted.items()))
    per_usd = reading.rates.per_usd
    return PriceBook(
        currency=reading.currency,
        key=_key([reading.currency, per_usd.get(reading.currency), over, unconverted], purchase, rent),
        on=on.isoformat(),
        purchase=purchase,
        rent_hour=rent,
        per_usd=per_usd,
        unconverted=unconverted,
        expired=over,
        public=public,
    )


def public_prices(currency: str, rates: Rates) -> Offers:
    """Accelerator -> its public price in `currency`; empty where the currency has no rate."""
    factor = rates.factor(BASE, currency)
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
                rate=None if currency == BASE else factor,
                rate_assumed=rates.guessed(BASE, currency),
            )
        ]
        for row in shipped_prices()["accelerators"]
    }


def _sorted(offers: Offers) -> dict[str, tuple[Price, ...]]:
    """Cheapest first; of equals the one that asks for fewer."""
    return {
        name: tuple(sorted(prices, key=lambda price: (price.amount, price.minimum_quantity)))
        for name, prices in sorted(offers.items())
    }


def _key(head: list[Any], *tables: Mapping[str, tuple[Price, ...]]) -> str:
    """Names what the book says: the same prices have the same key on another day."""
    said = [
        {name: [_PRICE_VALUES(price) for price in prices] for name, prices in one.items()} for one in tables
    ]
    text = json.dumps([*head, *said], separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:KEY_LENGTH]
