"""Reads of saved plans."""

from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django_filters import CharFilter, ChoiceFilter

from access.listing import Column, ListFilters
from access.models import User
from access.roles import Role
from access.secret_text import digest_of
from planner.models import PlanShare, PlanVersion, SavedPlan

VERDICTS = [
    ("fits", _("fits")),
    ("does_not_fit", _("does not fit")),
    ("unsupported", _("not supported")),
    ("unknown", _("not known")),
]
SHOWN = [("archived", _("archived")), ("flipped", _("changed since saved"))]
COLUMNS = (
    Column(key="name", label=_("Plan"), order=("name",)),
    Column(key="state", label=_("State"), order=("state",)),
    Column(key="model", label=_("Model"), order=("model",)),
    Column(key="accelerator", label=_("Cards"), order=("accelerator", "count")),
    Column(key="verdict", label=_("Verdict"), order=("verdict",)),
    Column(key="tpot", label=_("TPOT"), unit="ms", order=("tpot_ms",), numeric=True),
    Column(
        key="rate",
        label=_("Output"),
        unit="tok/s",
        order=("output_tokens_per_s",),
        numeric=True,
        descending_first=True,
    ),
    Column(key="price", label=_("Purchase"), order=("purchase",), numeric=True),
    Column(key="owner", label=_("Owner"), order=("owner__username",)),
    Column(key="updated", label=_("Changed"), order=("updated_at",), descending_first=True),
)
DEFAULT_SORT = "-updated"
WRITERS = (Role.OPERATOR, Role.APPROVER, Role.ADMIN)
# What a page shows at most; the rest is there by the API.
MOST_VERSIONS, MOST_COMMENTS, MOST_DECISIONS, MOST_SHARES = 100, 200, 100, 50


class PlanFilters(ListFilters):
    """Filters of the list of plans, on the page and in the API."""

    search = ("name", "model", "accelerator")
    state = ChoiceFilter(choices=SavedPlan.State.choices, label=_("State"), empty_label=_("any"))
    model = CharFilter(lookup_expr="icontains", label=_("Model"), max_length=200)
    accelerator = CharFilter(lookup_expr="icontains", label=_("Accelerator"), max_length=200)
    verdict = ChoiceFilter(choices=VERDICTS, label=_("Verdict"), empty_label=_("any"))
    owner = CharFilter(field_name="owner__username", lookup_expr="iexact", label=_("Owner"), max_length=150)
    show = ChoiceFilter(choices=SHOWN, method="show_only", label=_("Show"), empty_label=_("current"))

    class Meta:
        model = SavedPlan
        fields = ("q", "state", "model", "accelerator", "verdict", "owner", "show")

    @property
    def qs(self) -> QuerySet[SavedPlan]:
        """Archived plans are shown when they are asked for."""
        rows: QuerySet[SavedPlan] = super().qs
        return rows if self.data.get("show") == "archived" else rows.filter(archived_at=None)

    def show_only(self, rows: QuerySet[SavedPlan], _name: str, what: str) -> QuerySet[SavedPlan]:
        """Archived plans, or those that an evaluation found changed."""
        return rows.exclude(archived_at=None) if what == "archived" else rows.exclude(flipped="")


def plans() -> QuerySet[SavedPlan]:
    """All plans, with their owners."""
    return SavedPlan.objects.select_related("owner")


def possible_owners(plan: SavedPlan) -> list[str]:
    """Names of those who may own a plan: people who write and may sign in, and its owner whatever became of them."""
    people = User.objects.filter(is_active=True, role__in=WRITERS).values_list("username", flat=True)
    return sorted({*people, plan.owner.username})


def version_of(plan: SavedPlan, number: int | None = None) -> PlanVersion | None:
    """One version of a plan, the newest unless another is asked for."""
    found: PlanVersion | None = (
        plan.versions.select_related("author").filter(number=number or plan.number).first()
    )
    return found


def named_version(plan: SavedPlan, text: str | None) -> PlanVersion | None:
    """The version that an address names by its number; the newest where it names none, None where there is none such."""
    if not text:
        return version_of(plan)
    is_number = text.isascii() and text.isdigit() and len(text) < 9
    return version_of(plan, int(text)) if is_number and int(text) else None


def newest_versions(uids: list[str]) -> list[PlanVersion]:
    """The newest version of each of these plans, in the order asked; what does not exist is left out. Two queries."""
    found = {plan.uid: plan for plan in plans().filter(uid__in=uids)}
    numbers = {plan.pk: plan.number for plan in found.values()}
    rows = PlanVersion.objects.filter(plan__in=numbers).select_related("author", "plan__owner")
    newest = {row.plan.uid: row for row in rows if row.number == numbers[row.plan_id]}
    return [newest[uid] for uid in uids if uid in newest]


def live_share(secret: str) -> PlanShare | None:
    """The link with this secret, if it is neither revoked nor expired, and its plan not archived."""
    links = PlanShare.objects.select_related("plan__owner").filter(plan__archived_at=None)
    return links.filter(digest=digest_of(secret), revoked_at=None, expires_at__gt=timezone.now()).first()


def history(plan: SavedPlan) -> dict[str, Any]:
    """Versions (without what they hold), comments, decisions and links of a plan. Four queries."""
    return {
        "versions": list(plan.versions.defer("answer", "content").select_related("author")[:MOST_VERSIONS]),
        "comments": list(plan.comments.select_related("author").order_by("-pk")[:MOST_COMMENTS])[::-1],
        "decisions": list(plan.decisions.select_related("actor").order_by("-pk")[:MOST_DECISIONS]),
        "shares": list(plan.shares.select_related("created_by")[:MOST_SHARES]),
    }
