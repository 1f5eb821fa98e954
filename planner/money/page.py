"""What the pages of quotes and rates show."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from django import forms
from django.db.models import Model
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from planner.amounts import amount
from planner.core.specs import Catalog
from planner.models import Quote
from planner.queries.prices import BASE, exchange_rates
from planner.queries.quotes import state_of
from planner.queries.rates import rates_in_force

STATES: dict[str, tuple[str, str, Any]] = {
    "valid": ("is-ok", "i-ok", gettext_lazy("valid")),
    "expired": ("is-warn", "i-warn", gettext_lazy("expired")),
    "withdrawn": ("is-off", "i-never", gettext_lazy("withdrawn")),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteRow:
    """A quote as lists show it. `css` and `icon` draw its state."""

    quote: Quote
    price: str
    css: str
    icon: str
    state: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotePage:
    """One quote, and what it is in the dollar."""

    row: QuoteRow
    name: str
    in_usd: str
    rate: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RateRow:
    """One exchange rate. `assumed`: shipped, and nobody here said so."""

    currency: str
    per_usd: str
    as_of: str
    source: str
    assumed: bool
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportFault:
    """What is wrong in one cell of a file."""

    line: int
    column: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictRow:
    """A field that somebody else changed to something else than what was typed."""

    label: Any
    theirs: str
    typed: str


def row_of(quote: Quote, *, on: date) -> QuoteRow:
    """A quote with its price written out and its state."""
    css, icon, word = STATES[state_of(quote, on=on)]
    return QuoteRow(
        quote=quote, price=amount(quote.unit_price, quote.currency), css=css, icon=icon, state=word
    )


def quote_page(quote: Quote, *, catalog: Catalog, on: date) -> QuotePage:
    """One quote with its thing named as the catalog names it."""
    rate = exchange_rates().get(quote.currency)
    foreign = quote.currency != BASE and rate
    return QuotePage(
        row=row_of(quote, on=on),
        name=_name(quote, catalog),
        in_usd=amount(quote.unit_price / Decimal(str(rate)), BASE) if foreign else "",
        rate=f"{rate:g}" if foreign else "",
    )


def _name(quote: Quote, catalog: Catalog) -> str:
    if quote.subject_kind == Quote.Subject.ACCELERATOR and quote.subject in catalog.accelerators:
        return catalog.accelerators[quote.subject].name
    if quote.subject_kind == Quote.Subject.PLATFORM and quote.subject in catalog.platform_records:
        return str(catalog.platform_records[quote.subject]["name"])
    return quote.subject


def subjects(catalog: Catalog) -> Sequence[tuple[str, str]]:
    """(id, name) of everything that a quote may be about, for the list beneath the field."""
    cards = [(key, spec.name) for key, spec in catalog.accelerators.items()]
    platforms = [(key, str(record["name"])) for key, record in catalog.platform_records.items()]
    return [*cards, *platforms]


def rate_rows() -> list[RateRow]:
    """Rates in force, written out."""
    return [
        RateRow(
            currency=row["currency"],
            per_usd=f"{row['per_usd']:.8g}",
            as_of=row["as_of"],
            source=_("A round figure for a first look. Set the rate of the day.")
            if row["assumed"]
            else row["source"],
            assumed=row["assumed"],
            revision=row["revision"],
        )
        for row in rates_in_force()
    ]


def conflict_rows(form: forms.ModelForm, current: Model) -> list[ConflictRow]:
    """Fields in which what was typed differs from what stands there now."""
    rows = []
    for name, field in form.fields.items():
        theirs, typed = getattr(current, name), form.cleaned_data.get(name)
        if theirs != typed:
            rows.append(ConflictRow(label=field.label, theirs=_text(theirs), typed=_text(typed)))
    return rows


def _text(value: Any) -> str:
    return "–" if value in (None, "") else str(value)
