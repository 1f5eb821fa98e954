"""Prices as the core takes them: values in one currency, each with whose word it is."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """The price of one thing, in the currency of its book.

    kind: quoted (a supplier's word to this team) | public (a list or street price that anybody can read) | given (typed
    into this question). `stated` and `stated_currency` are what the source itself says, before any exchange.
    """

    amount: float
    kind: str
    source: str
    supplier: str = ""
    basis: str = ""  # of a public price: what it is the price of and when, a code
    quoted_on: str | None = None  # ISO date, or as much of one as the source tells
    valid_until: str | None = None
    quote: str | None = None  # uid
    minimum_quantity: int = 1
    stated: float | None = None
    stated_currency: str = ""
    stated_low: float | None = None  # of a public price that is a range, of which the upper end counts


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceBook:
    """Every price that counts on one day, in one currency. A thing that nobody priced has no entry: it has no price.

    Keys are catalog ids of accelerators and platforms; of each the offers, cheapest first. `key` names this content.
    """

    currency: str
    key: str
    on: str  # ISO date
    purchase: Mapping[str, tuple[Price, ...]] = field(default_factory=dict)
    rent_hour: Mapping[str, tuple[Price, ...]] = field(default_factory=dict)
    per_usd: Mapping[str, float] = field(default_factory=dict)  # currency -> how much one US dollar buys
    unconverted: tuple[str, ...] = ()  # things with a quote in a currency that has no rate
    public: bool = False  # whether public prices stand in where there is no quote

    def buy(self, name: str, *, quantity: int = 1) -> Price | None:
        """The cheapest price of one of `quantity` things; None where no offer is for so few."""
        return cheapest(self.purchase.get(name, ()), quantity)

    def rent(self, name: str, *, quantity: int = 1) -> Price | None:
        """The cheapest rent of one for an hour."""
        return cheapest(self.rent_hour.get(name, ()), quantity)


def cheapest(offers: tuple[Price, ...], quantity: int) -> Price | None:
    """The first of the offers, which are sorted by price, that is for `quantity` things or fewer."""
    return next((price for price in offers if price.minimum_quantity <= quantity), None)
