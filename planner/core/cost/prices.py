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
    quoted_on: str | None = None  # ISO date
    valid_until: str | None = None
    quote: str | None = None  # uid
    minimum_quantity: int = 1
    stated: float | None = None
    stated_currency: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceBook:
    """Every price that counts on one day, in one currency. A thing that nobody priced has no entry: it has no price.

    Keys are catalog ids of accelerators and platforms. `key` names this content.
    """

    currency: str
    key: str
    on: str  # ISO date
    purchase: Mapping[str, Price] = field(default_factory=dict)
    rent_hour: Mapping[str, Price] = field(default_factory=dict)
    per_usd: Mapping[str, float] = field(default_factory=dict)  # currency -> how much one US dollar buys
