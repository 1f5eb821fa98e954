"""What the pages of quotes and rates show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from django import forms
from django.db.models import Model
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from access.models import AuditEvent
from planner.amounts import amount, exact_amount, exchange_text
from planner.core.cost.prices import PriceBook
from planner.core.figures import DASH
from planner.core.specs import Catalog
from planner.messages.money import EVENTS, asked_for
from planner.models import Quote
from planner.queries.prices import Rates
from planner.queries.quotes import state_of
from planner.queries.rates import rates_in_force

STATES: dict[str, tuple[str, str, Any]] = {
    "valid": ("is-ok", "i-ok", gettext_lazy("valid")),
    "expired": ("is-warn", "i-warn", gettext_lazy("expired")),
    "withdrawn": ("is-off", "i-never", gettext_lazy("withdrawn")),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteRow:
    """A quote as lists show it. `css` and `icon` draw its state; `exchanged` is its price in the team's currency.

    `unrated`: there is no rate to exchange it by, so that it is no price for the team.
    """

    quote: Quote
    name: str
    price: str
    exchanged: str
    unrated: bool
    css: str
    icon: str
    state: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Whether a quote is the price of its thing today, and which other one is."""

    text: str
    other: str = ""  # uid of the quote that counts in its place


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that was done to a quote."""

    at: Any
    who: str
    what: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotePage:
    """The context of templates/planner/money/quote.html. `rate` says how the price was exchanged."""

    row: QuoteRow
    lead: str
    rate: str
    assumed: bool
    standing: Standing
    events: Sequence[Event]


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
class ConflictRow:
    """A field that somebody else changed to something else than what was typed."""

    label: Any
    theirs: str
    typed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What rows of quotes are drawn with: the catalog's names, the day, and the team's currency."""

    catalog: Catalog
    rates: Rates
    currency: str
    on: date

    def row(self, quote: Quote) -> QuoteRow:
        """A quote with its price written out, its state and its name."""
        css, icon, word = STATES[state_of(quote, on=self.on)]
        return QuoteRow(
            quote=quote,
            name=subject_name(quote.subject_kind, quote.subject, self.catalog),
            price=exact_amount(quote.unit_price, quote.currency),
            exchanged=self._exchanged(quote),
            unrated=self.rates.factor(quote.currency, self.currency) is None,
            css=css,
            icon=icon,
            state=word,
        )

    def _exchanged(self, quote: Quote) -> str:
        factor = self.rates.factor(quote.currency, self.currency)
        if factor is None or quote.currency == self.currency:
            return ""
        return amount(float(quote.unit_price) * factor, self.currency)


def subject_name(kind: str, subject: str, catalog: Catalog) -> str:
    """What the catalog calls the thing that a quote is about."""
    if kind == Quote.Subject.ACCELERATOR and subject in catalog.accelerators:
        return catalog.accelerators[subject].name
    if kind == Quote.Subject.PLATFORM and subject in catalog.platform_records:
        return str(catalog.platform_records[subject]["name"])
    return subject


def quote_page(quote: Quote, shown: Shown, *, book: PriceBook, events: Sequence[AuditEvent]) -> QuotePage:
    """One quote, whether it counts, and what was done to it. `book` holds what is said of the same thing."""
    row, factor = shown.row(quote), shown.rates.factor(quote.currency, shown.currency)
    exchanged = factor is not None and quote.currency != shown.currency
    return QuotePage(
        row=row,
        lead=_lead(quote, row),
        rate=exchange_text(factor, given=quote.currency, wanted=shown.currency)
        if factor is not None and exchanged
        else "",
        assumed=exchanged and shown.rates.guessed(quote.currency, shown.currency),
        standing=_standing(quote, row, book, on=shown.on),
        events=[_event(event) for event in events],
    )


def _lead(quote: Quote, row: QuoteRow) -> str:
    """Who offers what for how much."""
    template = {
        Quote.Offer.PURCHASE: _("%(supplier)s sells one for %(price)s"),
        Quote.Offer.RENT_HOUR: _("%(supplier)s rents one out for %(price)s an hour"),
        Quote.Offer.RENT_MONTH: _("%(supplier)s rents one out for %(price)s a month"),
    }[Quote.Offer(quote.offer)]
    said = template % {"supplier": quote.supplier, "price": row.price}
    if quote.minimum_quantity > 1:
        said += " " + _("to buyers of %s or more") % f"{quote.minimum_quantity:,}"
    return said + _(".")


def _standing(quote: Quote, row: QuoteRow, book: PriceBook, *, on: date) -> Standing:
    state = state_of(quote, on=on)
    if state == "withdrawn":
        return Standing(text=_("It was withdrawn and is no price any more."))
    if state == "expired":
        return Standing(text=_("It expired and is no price any more."))
    if quote.subject_kind == Quote.Subject.ITEM:
        return Standing(text=_("Other items are typed into a bill: this quote is kept beside it."))
    if quote.currency not in book.per_usd and quote.currency != book.currency:
        return Standing(text=_("It does not count: no rate is set for %s.") % quote.currency)
    finder = book.buy if quote.offer == Quote.Offer.PURCHASE else book.rent
    best = finder(quote.subject, quantity=quote.minimum_quantity)
    if best is None or best.quote in (None, quote.uid):
        return Standing(text=_it_counts(quote, row))
    values = {"supplier": best.supplier, "price": asked_for(best, book.currency)}
    return Standing(
        text=_("%(supplier)s asks less, %(price)s, so that one counts.") % values, other=best.quote or ""
    )


def _it_counts(quote: Quote, row: QuoteRow) -> str:
    if quote.minimum_quantity == 1:
        return _("It is the price of %s today.") % row.name
    return _("From %(quantity)s on it is the price of %(name)s today.") % {
        "quantity": f"{quote.minimum_quantity:,}",
        "name": row.name,
    }


def _event(event: AuditEvent) -> Event:
    changed = event.data.get("changed", {})
    return Event(
        at=event.at,
        who=event.actor.username if event.actor else "",
        what=str(EVENTS.get(event.action, event.action)),
        detail=event.reason
        or ", ".join(
            f"{_label(name)}: {_text(change['before'])} → {_text(change['after'])}"
            for name, change in changed.items()
        ),
    )


def _label(name: str) -> str:
    return str(getattr(Quote._meta.get_field(name), "verbose_name", name))  # noqa: SLF001


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
            per_usd=f"{row['per_usd']:.10g}",
            as_of=row["as_of"],
            source=_("A round figure for a first look. Set the rate of the day.")
            if row["assumed"]
            else row["source"],
            assumed=row["assumed"],
            revision=row["revision"],
        )
        for row in rates_in_force()
    ]


def conflict_rows(form: forms.BaseForm, current: Model, typed: Mapping[str, Any]) -> list[ConflictRow]:
    """Fields in which what was typed differs from what stands there now."""
    return [
        ConflictRow(label=field.label, theirs=_text(getattr(current, name)), typed=_text(typed.get(name)))
        for name, field in form.fields.items()
        if name != "revision" and getattr(current, name) != typed.get(name)
    ]


def _text(value: Any) -> str:
    if value in (None, ""):
        return DASH
    return f"{value.normalize():f}" if isinstance(value, Decimal) else str(value)
