"""What is ordered beside the cards of a plan, and what its cost is assumed to be: another version."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from access.declare import PersonRequest, require_role
from access.roles import Role
from planner.clock import today
from planner.forms.plans import VersionForm
from planner.plans.order import order_forms
from planner.plans.saving import Change, Faults, checked
from planner.queries import current_catalog
from planner.queries.plans import plans as all_plans
from planner.views.plan_versions import keep_change, version_or_404
from planner.views.plans import UNFIT


@require_http_methods(["GET", "HEAD", "POST"])
@require_role(Role.OPERATOR)
def edit_order(request: PersonRequest, uid: str) -> HttpResponse:
    """Platform, spares, other items and assumptions of cost; a clash with others is asked about as of any version."""
    plan, catalog = get_object_or_404(all_plans(), uid=uid), current_catalog()
    given = request.POST if request.method == "POST" else None
    base = version_or_404(plan, (given or request.GET).get("sv", ""))
    forms = order_forms(base.content, given, catalog=catalog, on=today())
    note = VersionForm(given, initial={"note": _("What is ordered")})
    faults: list[str] = []
    if given and forms.is_valid() and note.is_valid():
        change = Change(ours=forms.changed(), began_as=base.number, note=note.cleaned_data["note"])
        content = checked(change.ours, catalog)
        if not isinstance(content, Faults):
            return keep_change(request, plan, base, change, note)
        faults = content.messages
    context = {"plan": plan, "version": base, "forms": forms, "form": note, "faults": faults}
    return render(request, "planner/plans/order.html", context, status=UNFIT if given else 200)
