"""Links to a plan for people without an account."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from access.declare import PersonRequest, public, require_role
from access.roles import Role
from planner.actions.plans import RefusedError, revoke_share, share
from planner.forms.plans import ShareForm
from planner.messages import word
from planner.messages.plans import REFUSALS
from planner.models import PlanShare, SavedPlan
from planner.plans.marks import STATES, mark
from planner.plans.page import version_page
from planner.queries import current_catalog
from planner.queries.plans import live_share, version_of


@require_POST
@require_role(Role.OPERATOR)
@never_cache
def share_plan(request: PersonRequest, uid: str) -> HttpResponse:
    """Make a link. It stands on this answer and nowhere else, hence no redirect."""
    plan = get_object_or_404(SavedPlan, uid=uid)
    form = ShareForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Choose how long the link is good for."))
        return redirect("planner:saved_plan", uid=uid)
    data = form.cleaned_data
    try:
        made, secret = share(plan, days=data["days"], with_prices=data["with_prices"], actor=request.user)
    except RefusedError as error:
        messages.error(request, word(REFUSALS, error.refusal.code, {}))
        return redirect("planner:saved_plan", uid=uid)
    address = request.build_absolute_uri(reverse("planner:shared_plan", args=[secret]))
    return render(request, "planner/plans/shared_link.html", {"plan": plan, "made": made, "link": address})


@require_POST
@require_role(Role.OPERATOR)
def unshare_plan(request: PersonRequest, uid: str, pk: int) -> HttpResponse:
    """End a link."""
    made = get_object_or_404(PlanShare.objects.select_related("plan"), pk=pk, plan__uid=uid)
    revoke_share(made, actor=request.user)
    messages.success(request, _("The link opens nothing any more."))
    return redirect("planner:saved_plan", uid=uid)


@require_safe
@public
@never_cache
def shared_plan(request: PersonRequest, secret: str) -> HttpResponse:
    """What a link shows: one plan to read, and nothing that leads elsewhere."""
    made = live_share(secret)
    if made is None:
        raise Http404
    version = version_of(made.plan)
    assert version is not None  # every plan has its newest version
    context = {
        "plan": made.plan,
        "version": version,
        "state": mark(STATES, made.plan.state),
        "share": made,
        "page": version_page(version, current_catalog(), with_prices=made.with_prices),
    }
    response = render(request, "planner/plans/shared.html", context)
    response["X-Robots-Tag"] = "noindex, nofollow"
    response["Referrer-Policy"] = "no-referrer"
    return response
