"""Reads of quotes: what lists show and filter, and what was done to one."""

from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from django.db.models import Case, ExpressionWrapper, F, FloatField, Q, QuerySet, Value, When
from django.utils.translation import gettext_lazy as _
from django_filters import CharFilter, ChoiceFilter

from access.listing import MAX_SEARCH_CHARS, Column, ListFilters
from access.models import AuditEvent
from planner.clock import today
from planner.core.parse.money import CURRENCIES
from planner.models import Quote

STATES = [("valid", _("valid")), ("expired", _("expired")), ("withdrawn", _("withdrawn"))]
COLUMNS = (
    Column(key="subject", label=_("What"), order=("subject",)),
    Column(key="offer", label=_("Offer"), order=("offer",)),
    Column(key="price", label=_("Price of one"), order=("usd",), numeric=True),
    Column(key="quantity", label=_("From"), order=("minimum_quantity",), unit=_("pieces"), numeric=True),
    Column(key="supplier", label=_("Supplier"), order=("supplier",)),
    Column(key="quoted", label=_("Quoted on"), order=("quoted_on",), descending_first=True),
    Column(key="until", label=_("Valid until"), order=("ends",)),
    Column(key="state", label=_("State")),
)
DEFAULT_SORT = "-quoted"
# Where a rate or an end is missing: after all that have one, on every database
NO_RATE = 1e300
NO_END = date(9999, 12, 31)
# What makes two quotes the same offer: all but where it can be read, and the note
IDENTITY = (
    *("subject_kind", "subject", "offer", "unit_price", "currency", "minimum_quantity"),
    *("supplier", "quoted_on", "valid_until"),
)
SUBJECTS_AT_ONCE = 500


class QuoteFilters(ListFilters):
    """Filters of the list of quotes, on the page and in the API."""

    search = ("subject", "supplier", "note")
    state = ChoiceFilter(choices=STATES, method="in_state", label=_("State"), empty_label=_("any"))
    offer = ChoiceFilter(choices=Quote.Offer.choices, label=_("Offer"), empty_label=_("any"))
    subject_kind = ChoiceFilter(choices=Quote.Subject.choices, label=_("Kind"), empty_label=_("any"))
    supplier = CharFilter(lookup_expr="icontains", label=_("Supplier"), max_length=MAX_SEARCH_CHARS)
    currency = ChoiceFilter(
        choices=[(code, code) for code in CURRENCIES], label=_("Currency"), empty_label=_("any")
    )

    class Meta:
        model = Quote
        fields = ("q", "state", "subject_kind", "offer", "supplier", "currency")

    def in_state(self, rows: QuerySet[Quote], _name: str, state: str) -> QuerySet[Quote]:
        """Quotes that are valid, expired or withdrawn today."""
        return rows.filter(state_condition(state, on=today()))


def state_condition(state: str, *, on: date) -> Q:
    """What makes a quote valid, expired or withdrawn on a day."""
    if state == "withdrawn":
        return Q(withdrawn_at__isnull=False)
    expired = Q(valid_until__isnull=False, valid_until__lt=on)
    live = Q(withdrawn_at=None)
    return live & expired if state == "expired" else live & ~expired


def state_of(quote: Quote, *, on: date) -> str:
    """valid, expired or withdrawn."""
    if quote.withdrawn_at is not None:
        return "withdrawn"
    return "expired" if quote.valid_until is not None and quote.valid_until < on else "valid"


def quotes() -> QuerySet[Quote]:
    """All quotes, with who wrote them down."""
    return Quote.objects.select_related("created_by")


def comparable_quotes(per_usd: Mapping[str, float]) -> QuerySet[Quote]:
    """All quotes with what lists sort by: `usd`, the price in dollars, and `ends`, the last day."""
    rates = [
        When(currency=code, then=ExpressionWrapper(F("unit_price") / Value(rate), FloatField()))
        for code, rate in per_usd.items()
    ]
    return Quote.objects.annotate(
        usd=Case(*rates, default=Value(NO_RATE), output_field=FloatField()),
        ends=Case(When(valid_until=None, then=Value(NO_END)), default=F("valid_until")),
    )


def quote_values(quote: Quote) -> dict[str, Any]:
    """What a quote says, as it is audited and compared."""
    return {
        "subject_kind": quote.subject_kind,
        "subject": quote.subject,
        "offer": quote.offer,
        "unit_price": price_text(quote.unit_price),
        "currency": quote.currency,
        "minimum_quantity": quote.minimum_quantity,
        "supplier": quote.supplier,
        "source": quote.source,
        "quoted_on": quote.quoted_on.isoformat(),
        "valid_until": quote.valid_until.isoformat() if quote.valid_until else None,
        "note": quote.note,
    }


def price_text(price: Decimal) -> str:
    """A price to its last digit, with two decimals at least, whether it was read from the database or just typed."""
    text = f"{price:.4f}".rstrip("0")
    return text + "0" * (2 - len(text.partition(".")[2]))


def identity_of(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """What two rows of clean values have in common that say the same offer."""
    return tuple(row[name] for name in IDENTITY)


def kept_already(rows: Iterable[Mapping[str, Any]]) -> dict[tuple[Any, ...], str]:
    """identity -> uid of quotes that are here and say the same offer as one of the rows; withdrawn ones do not count."""
    wanted = {identity_of(row) for row in rows}
    subjects = sorted({row[1] for row in wanted})
    found: dict[tuple[Any, ...], str] = {}
    for start in range(0, len(subjects), SUBJECTS_AT_ONCE):
        some = Quote.objects.filter(withdrawn_at=None, subject__in=subjects[start : start + SUBJECTS_AT_ONCE])
        found |= {
            tuple(row): uid
            for uid, *row in some.order_by("-pk").values_list("uid", *IDENTITY)
            if tuple(row) in wanted
        }
    return found


def events_of(quote: Quote) -> QuerySet[AuditEvent]:
    """What was done to a quote, the newest first."""
    about = {"object_type": Quote._meta.label_lower, "object_id": str(quote.pk)}  # noqa: SLF001
    return AuditEvent.objects.filter(**about).select_related("actor").order_by("-pk")
