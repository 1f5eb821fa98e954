"""Asking for a saved plan to be judged again."""

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from access.declare import PersonRequest, require_role
from access.roles import Role
from planner.actions.conflict import ConflictError
from planner.answers.evaluations import failure_shown
from planner.messages.plans import FLIPS
from planner.models import PlanEvaluation, SavedPlan
from planner.plans.evaluating import evaluate_now


@require_POST
@require_role(Role.OPERATOR)
def evaluate_plan(request: PersonRequest, uid: str) -> HttpResponse:
    """Judge a plan on what the catalog, the engines and the prices say now."""
    plan = get_object_or_404(SavedPlan, uid=uid)
    if plan.archived_at is not None:
        messages.error(request, _("This plan is archived: bring it back first."))
    else:
        _evaluate(request, plan)
    return HttpResponseRedirect(reverse("planner:saved_plan", args=[uid]) + "#judged")


def _evaluate(request: PersonRequest, plan: SavedPlan) -> None:
    try:
        kept = evaluate_now(plan, actor=request.user)
    except ConflictError:
        messages.error(request, _("Somebody changed this plan in this moment. Try again."))
        return
    _tell(request, kept)


def _tell(request: PersonRequest, kept: PlanEvaluation) -> None:
    failure = failure_shown(kept.failure)
    changed = ", ".join(str(FLIPS[change["code"]]) for change in kept.changes)
    if failure is not None:
        messages.error(request, failure["message"])
    elif changed:
        messages.warning(request, _("Evaluated again. Changed: %(what)s.") % {"what": changed})
    else:
        messages.success(request, _("Evaluated again: nothing changed."))
