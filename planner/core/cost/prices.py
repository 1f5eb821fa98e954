"""Prices as the core takes them: values in one currency, each with whose word it is."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

# Where a question may take the prices from that it does not give itself; of `public`, quotes come first.
PRICE_SOURCES = ("quotes", "public", "none")


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
    stated_per: str = ""  # of a rent: hour | month
    rate: float | None = (
        None  # what one of the stated currency is in the book's; None where nothing was exchanged
    )
    rate_assumed: bool = False  # a rate in it was shipped: nobody here set it


@dataclass(frozen=True, slots=True, kw_only=True)
class Lack:
    """Why a thing has no price: a code, and its values."""

    code: str
    values: Mapping[str, str | int]


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
    # Things with a quote that does not count for want of a rate, and its currency
    unconverted: Mapping[str, str] = field(default_factory=dict)
    # Things whose offers to buy have all expired, and the day on which the last one did
    expired: Mapping[str, str] = field(default_factory=dict)
    public: bool = False  # whether public prices stand in where there is no quote

    def buy(self, name: str, *, quantity: int = 1) -> Price | None:
        """The cheapest price of one of `quantity` things; None where no offer is for so few."""
        return cheapest(self.purchase.get(name, ()), quantity)

    def rent(self, name: str, *, quantity: int = 1) -> Price | None:
        """The cheapest rent of one for an hour."""
        return cheapest(self.rent_hour.get(name, ()), quantity)

    def with_given(self, amounts: Mapping[str, float]) -> "PriceBook":
        """The same book with the asker's own prices in place of what it says of these things."""
        own = {name: (Price(amount=amount, kind="given", source=""),) for name, amount in amounts.items()}
        return replace(self, purchase={**self.purchase, **own}) if own else self

    def lack(self, name: str, *, quantity: int = 1) -> Lack:
        """Why `buy` gives no price."""
        offers = self.purchase.get(name, ())
        if offers:
            least = min(price.minimum_quantity for price in offers)
            return Lack(code="price_for_more", values={"quantity": quantity, "least": least})
        if name in self.unconverted:
            return Lack(code="price_without_rate", values={"currency": self.unconverted[name]})
        if name in self.expired:
            return Lack(code="price_expired", values={"on": self.expired[name]})
        return Lack(code="no_price", values={})


def cheapest(offers: tuple[Price, ...], quantity: int) -> Price | None:
    """The first of the offers, which are sorted by price, that is for `quantity` things or fewer."""
    return next((price for price in offers if price.minimum_quantity <= quantity), None)


def nothing_priced(currency: str, *, on: str = "") -> PriceBook:
    """A book that holds nothing."""
    return PriceBook(currency=currency, key="", on=on)
