"""Bills of materials and files of saved plans."""

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from access.declare import PersonRequest, require_role
from access.roles import Role
from planner.clock import today
from planner.models import PlanVersion
from planner.plans.bill_page import bill_page
from planner.plans.document import document, file_name
from planner.plans.files import WRITERS
from planner.queries import current_catalog
from planner.queries.plans import named_version
from planner.queries.plans import plans as all_plans


@require_safe
@require_role(Role.VIEWER)
def plan_bill(request: PersonRequest, uid: str) -> HttpResponse:
    """What is ordered, to read and to print."""
    version = _version(request, uid)
    page = bill_page(document(version, catalog=current_catalog(), on=today()))
    context: dict[str, Any] = {
        "plan": version.plan,
        "version": version,
        "page": page,
        "may_write": request.user.may(Role.OPERATOR) and version.plan.archived_at is None,
    }
    return render(request, "planner/plans/bill.html", context)


@require_safe
@require_role(Role.VIEWER)
def plan_export(request: PersonRequest, uid: str, ending: str) -> HttpResponse:
    """A version as a file."""
    if ending not in WRITERS:
        raise Http404
    version = _version(request, uid)
    found = document(version, catalog=current_catalog(), on=today())
    media_type, write = WRITERS[ending]
    response = HttpResponse(write(found), content_type=media_type)
    response["Content-Disposition"] = f'attachment; filename="{file_name(found, ending)}"'
    return response


def _version(request: PersonRequest, uid: str) -> PlanVersion:
    """The version that the address names."""
    plan = get_object_or_404(all_plans(), uid=uid)
    found = named_version(plan, request.GET.get("version"))
    if found is None:
        raise Http404
    found.plan = plan  # its owner was read with it
    return found
