"""Reads of quotes: what lists show and filter."""

from datetime import date
from typing import Any

from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _
from django_filters import ChoiceFilter

from access.listing import Column, ListFilters
from planner.models import Quote

STATES = [("valid", _("valid")), ("expired", _("expired")), ("withdrawn", _("withdrawn"))]
COLUMNS = (
    Column(key="subject", label=_("What"), order=("subject",)),
    Column(key="offer", label=_("Offer"), order=("offer",)),
    Column(key="price", label=_("Price of one"), order=("unit_price",), numeric=True),
    Column(key="quantity", label=_("From"), order=("minimum_quantity",), unit=_("pieces"), numeric=True),
    Column(key="supplier", label=_("Supplier"), order=("supplier",)),
    Column(key="quoted", label=_("Quoted on"), order=("quoted_on",), descending_first=True),
    Column(key="until", label=_("Valid until"), order=("valid_until",)),
    Column(key="state", label=_("State")),
)
DEFAULT_SORT = "-quoted"


class QuoteFilters(ListFilters):
    """Filters of the list of quotes, on the page and in the API."""

    search = ("subject", "supplier", "note")
    state = ChoiceFilter(choices=STATES, method="in_state", label=_("State"), empty_label=_("any"))
    offer = ChoiceFilter(choices=Quote.Offer.choices, label=_("Offer"), empty_label=_("any"))
    subject_kind = ChoiceFilter(choices=Quote.Subject.choices, label=_("Kind"), empty_label=_("any"))

    class Meta:
        model = Quote
        fields = ("q", "state", "offer", "subject_kind")

    def in_state(self, rows: QuerySet[Quote], _name: str, state: str) -> QuerySet[Quote]:
        """Quotes that are valid, expired or withdrawn today."""
        return rows.filter(state_condition(state, on=date.today()))  # noqa: DTZ011  # the server's day, as validity is


def state_condition(state: str, *, on: date) -> Q:
    """What makes a quote valid, expired or withdrawn on a day."""
    if state == "withdrawn":
        return Q(withdrawn_at__isnull=False)
    expired = Q(valid_until__lt=on)
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


def quote_values(quote: Quote) -> dict[str, Any]:
    """What a quote says, as it is audited and compared."""
    return {
        "subject_kind": quote.subject_kind,
        "subject": quote.subject,
        "offer": quote.offer,
        "unit_price": str(quote.unit_price),
        "currency": quote.currency,
        "minimum_quantity": quote.minimum_quantity,
        "supplier": quote.supplier,
        "source": quote.source,
        "quoted_on": quote.quoted_on.isoformat(),
        "valid_until": quote.valid_until.isoformat() if quote.valid_until else None,
        "note": quote.note,
    }
