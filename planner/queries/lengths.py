"""Reads of length logs."""

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _
from django_filters import CharFilter, ChoiceFilter

from access.listing import Column, ListFilters
from planner.models import LengthLog

SHOWN = [("archived", _("archived"))]
COLUMNS = (
    Column(key="name", label=_("Log"), order=("name",)),
    Column(key="origin", label=_("Read from"), order=("origin",)),
    Column(key="requests", label=_("Requests"), order=("requests",), numeric=True, descending_first=True),
    Column(key="input", label=_("Input, P50 / P90 / P99"), unit=_("tokens"), numeric=True),
    Column(key="output", label=_("Output, P50 / P90 / P99"), unit=_("tokens"), numeric=True),
    Column(key="load", label=_("Load")),
    Column(key="owner", label=_("By"), order=("owner__username",)),
    Column(key="created", label=_("Read on"), order=("created_at",), descending_first=True),
)
DEFAULT_SORT = "-created"


class LengthLogFilters(ListFilters):
    """Filters of the list of length logs, on the page and in the API."""

    search = ("name",)
    origin = ChoiceFilter(choices=LengthLog.Origin.choices, label=_("Read from"), empty_label=_("any"))
    owner = CharFilter(field_name="owner__username", label=_("By"), max_length=150)
    show = ChoiceFilter(choices=SHOWN, method="show_only", label=_("Show"), empty_label=_("current"))

    class Meta:
        model = LengthLog
        fields = ("q", "origin", "owner", "show")

    @property
    def qs(self) -> QuerySet[LengthLog]:
        """Archived logs are shown when they are asked for."""
        rows: QuerySet[LengthLog] = super().qs
        return rows if self.data.get("show") == "archived" else rows.filter(archived_at=None)

    def show_only(self, rows: QuerySet[LengthLog], _name: str, _what: str) -> QuerySet[LengthLog]:
        """Archived logs."""
        return rows.exclude(archived_at=None)


def length_logs() -> QuerySet[LengthLog]:
    """All logs with their owners, without their histograms, which lists do not need."""
    return LengthLog.objects.select_related("owner").defer("histograms")


def length_log(uid: str) -> LengthLog | None:
    """One log with its histograms, None where there is none of this name."""
    return LengthLog.objects.select_related("owner").filter(uid=uid).first()
