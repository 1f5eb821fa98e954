"""REST: how saved plans were judged again, and asking for it."""

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.decorators import api_view, permission_classes
from rest_framework.request import Request
from rest_framework.response import Response

from access.idempotency import idempotent
from access.paging import paged
from access.permissions import HasScope, actor_of
from access.problems import problem
from planner.actions.conflict import ConflictError
from planner.answers.evaluations import shown
from planner.api.lists import IDEMPOTENCY_KEY, filters, page_of, problems
from planner.models import SavedPlan
from planner.plans.evaluating import evaluate_now
from planner.queries.evaluations import evaluations as evaluations_of
from planner.schemas.evaluations import EVALUATION, EXAMPLE_EVALUATION


@extend_schema(
    methods=["GET"],
    operation_id="list_plan_evaluations",
    summary="How a plan was judged since it was saved",
    description="Newest first. One that found nothing new is kept only where somebody asked for it.",
    parameters=filters(),
    responses={200: page_of(EVALUATION), **problems(404)},
    tags=["plans"],
)
@extend_schema(
    methods=["POST"],
    operation_id="evaluate_plan",
    summary="Judge a plan again now",
    parameters=[IDEMPOTENCY_KEY],
    request=None,
    responses={201: EVALUATION, **problems(404, 409)},
    examples=[
        OpenApiExample("A lower price", value=EXAMPLE_EVALUATION, response_only=True, status_codes=["201"])
    ],
    tags=["plans"],
)
@api_view(["GET", "POST"])
@permission_classes([HasScope("plans:read", write="plans:write")])  # type: ignore[list-item]
def evaluations(request: Request, uid: str) -> HttpResponse:
    """List the judgements of a plan, or ask for one."""
    plan = get_object_or_404(SavedPlan, uid=uid)
    if request.method == "POST":
        return _evaluate(request, plan)
    return paged(request, evaluations_of(plan), lambda row: shown(row, plan=uid), ordering=("-at", "-pk"))


def _evaluate(request: Request, plan: SavedPlan) -> HttpResponse:
    if plan.archived_at is not None:
        detail = _("Bring it back into the list first.")
        return problem("archived", status=409, title=_("This plan is archived."), detail=detail)
    return _now(request, plan)


@idempotent
def _now(request: Request, plan: SavedPlan) -> HttpResponse:
    try:
        kept = evaluate_now(plan, actor=actor_of(request))
    except ConflictError:
        return problem(
            "changed_meanwhile",
            status=409,
            title=_("Somebody else changed this meanwhile."),
            detail=_("Ask again in a moment."),
        )
    return Response(shown(kept, plan=plan.uid), status=201)
