"""REST: what people say about plans, the steps of their approval, and links to them."""

from collections.abc import Callable
from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.decorators import api_view, permission_classes
from rest_framework.request import Request
from rest_framework.response import Response

from access.idempotency import idempotent
from access.paging import paged
from access.permissions import HasScope, actor_of
from access.problems import invalid
from access.revisions import asked_revision
from planner.actions.conflict import ConflictError
from planner.actions.plans import RefusedError, comment, revoke_share, share, take_step
from planner.answers.plan_input import COMMENT, SHARE, STEP, read_body
from planner.answers.plan_rows import comment_row, share_row
from planner.api.lists import ETAG, IDEMPOTENCY_KEY, IF_MATCH, filters, page_of, problems
from planner.api.plans import CONFLICTED, READ_WRITE, conflicted, one, refused
from planner.models import PlanShare, SavedPlan
from planner.queries.plans import plans as all_plans
from planner.schemas import plans as schemas


@extend_schema(
    methods=["GET"],
    operation_id="list_plan_comments",
    summary="What people said about a plan",
    description="Newest first.",
    parameters=filters(),
    responses={200: page_of(schemas.COMMENT), **problems(404)},
    tags=["plans"],
)
@extend_schema(
    methods=["POST"],
    operation_id="create_plan_comment",
    summary="Say something about a plan",
    parameters=[IDEMPOTENCY_KEY],
    request={"application/json": schemas.NEW_COMMENT},
    responses={201: schemas.COMMENT, **problems(400, 404, 409, 413, 422)},
    examples=[OpenApiExample("A question", value={"text": "Is one spare enough?"}, request_only=True)],
    tags=["plans"],
)
@api_view(["GET", "POST"])
@permission_classes(READ_WRITE)  # type: ignore[arg-type]
def comments(request: Request, uid: str) -> HttpResponse:
    """List the comments on a plan, or add one."""
    plan = get_object_or_404(SavedPlan, uid=uid)
    if request.method == "POST":
        return _comment(request, plan)
    return paged(request, plan.comments.select_related("author"), comment_row)


@idempotent
def _comment(request: Request, plan: SavedPlan) -> HttpResponse:
    values, errors = read_body(request.data, COMMENT)
    if errors:
        return invalid(errors)
    return Response(comment_row(comment(plan, values["text"], actor=actor_of(request))), status=201)


def step_view(name: str, *, scope: str, summary: str, description: str) -> Callable[..., HttpResponse]:
    """The call that takes one step of the approval; `name` is that of core/approval.py."""

    @extend_schema(
        operation_id=f"{name}_plan",
        summary=summary,
        description=description,
        parameters=[IF_MATCH, IDEMPOTENCY_KEY, ETAG],
        request={"application/json": schemas.REASON},
        responses={200: schemas.PLAN, **problems(400, 404, 409, 413, 422, 428), **CONFLICTED},
        examples=[OpenApiExample("With a reason", value={"reason": "Agreed"}, request_only=True)],
        tags=["plans"],
    )
    @api_view(["POST"])
    @permission_classes([HasScope(scope)])  # type: ignore[list-item]
    def view(request: Request, uid: str) -> HttpResponse:
        return _step(request, get_object_or_404(all_plans(), uid=uid), name)

    return view


@idempotent
def _step(request: Request, plan: SavedPlan, name: str) -> HttpResponse:
    revision = asked_revision(request)
    if isinstance(revision, HttpResponse):
        return revision
    values, errors = read_body(request.data, STEP)
    if errors:
        return invalid(errors)
    try:
        taken = take_step(plan, name, revision=revision, reason=values["reason"], actor=actor_of(request))
    except ConflictError:
        return conflicted(plan)
    except RefusedError as refusal:
        return refused(plan, refusal)
    return one(taken)


propose = step_view(
    "propose",
    scope="plans:write",
    summary="Propose a draft",
    description="An approver decides on it then.",
)
withdraw = step_view(
    "withdraw",
    scope="plans:write",
    summary="Withdraw a proposal",
    description="The plan is a draft again.",
)
approve = step_view(
    "approve",
    scope="plans:approve",
    summary="Approve a proposed plan",
    description="Where the team asks for it, somebody else than who made or proposed this version.",
)
reject = step_view(
    "reject",
    scope="plans:approve",
    summary="Reject a proposed plan",
    description="Needs a reason.",
)
reopen = step_view(
    "reopen",
    scope="plans:write",
    summary="Make a decided plan a draft again",
    description="Needs a reason.",
)


@extend_schema(
    methods=["GET"],
    operation_id="list_plan_shares",
    summary="Links to a plan",
    description="Newest first; where they lead is told once, when they are made.",
    parameters=filters(),
    responses={200: page_of(schemas.SHARE), **problems(404)},
    tags=["plans"],
)
@extend_schema(
    methods=["POST"],
    operation_id="create_plan_share",
    summary="Make a link to a plan for people without an account",
    description="They read this plan and nothing else. With `with_prices` they see money too.",
    parameters=[IDEMPOTENCY_KEY],
    request={"application/json": schemas.NEW_SHARE},
    responses={201: schemas.MADE_SHARE, **problems(400, 404, 409, 413, 422)},
    examples=[OpenApiExample("For a month", value={"days": 30, "with_prices": False}, request_only=True)],
    tags=["plans"],
)
@api_view(["GET", "POST"])
@permission_classes([HasScope("plans:write")])  # type: ignore[list-item]
def shares(request: Request, uid: str) -> HttpResponse:
    """List the links to a plan, or make one."""
    plan = get_object_or_404(SavedPlan, uid=uid)
    if request.method == "GET":
        return paged(request, plan.shares.select_related("created_by"), share_row)
    response: Any = _share(request, plan)
    # Added after the answer was kept for repeats, so that no secret lies in the database in the open
    secret = getattr(response, "secret_once", None)
    if secret is not None:
        path = reverse("planner:shared_plan", args=[secret])
        response.data = {**response.data, "url": request.build_absolute_uri(path)}
        response["Cache-Control"] = "no-store"
    return response


@idempotent
def _share(request: Request, plan: SavedPlan) -> HttpResponse:
    values, errors = read_body(request.data, SHARE)
    if errors:
        return invalid(errors)
    try:
        made, secret = share(plan, actor=actor_of(request), **values)
    except RefusedError as refusal:
        return refused(plan, refusal)
    response: Any = Response({**share_row(made), "url": None}, status=201)
    response.secret_once = secret
    return response


@extend_schema(
    operation_id="revoke_plan_share",
    summary="End a link",
    description="It opens nothing from then on. Ending it again changes nothing.",
    request=None,
    responses={204: None, **problems(404)},
    tags=["plans"],
)
@api_view(["DELETE"])
@permission_classes([HasScope("plans:write")])  # type: ignore[list-item]
def one_share(request: Request, uid: str, pk: int) -> HttpResponse:
    """End one link."""
    made = get_object_or_404(PlanShare.objects.select_related("plan"), pk=pk, plan__uid=uid)
    revoke_share(made, actor=actor_of(request))
    return Response(status=204)
