"""REST: versions of saved plans and what differs between them."""

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.decorators import api_view, permission_classes
from rest_framework.request import Request
from rest_framework.response import Response

from access.idempotency import idempotent
from access.paging import paged
from access.permissions import HasScope, actor_of
from access.problems import invalid
from access.revisions import asked_revision
from planner.actions.conflict import ConflictError
from planner.actions.plans import RefusedError
from planner.answers.plan_input import NEW_VERSION, error, problem_errors, read_body
from planner.answers.plan_rows import version_row, version_whole
from planner.api.lists import ETAG, IDEMPOTENCY_KEY, IF_MATCH, filters, page_of, problems
from planner.api.plans import CONFLICTED, READ_WRITE, conflicted, one, refused
from planner.clock import today
from planner.models import PlanVersion, SavedPlan
from planner.plans.compared import difference
from planner.plans.keeping import keep_as_given
from planner.plans.saving import Faults, Same
from planner.queries import current_catalog
from planner.queries.plans import named_version
from planner.queries.plans import plans as all_plans
from planner.schemas import plans as schemas


def version_or_404(plan: SavedPlan, text: str | None) -> PlanVersion:
    """The version of this number; the newest where none is named."""
    found = named_version(plan, text)
    if found is None:
        raise Http404
    return found


@extend_schema(
    methods=["GET"],
    operation_id="list_plan_versions",
    summary="Versions of a plan",
    description="Newest first, without what they hold: that is in each.",
    parameters=filters(),
    responses={200: page_of(schemas.VERSION_ROW), **problems(404)},
    tags=["plans"],
)
@extend_schema(
    methods=["POST"],
    operation_id="create_plan_version",
    summary="Keep another version of a plan",
    description=(
        "`content` is the whole of it: read the plan, change its content, and send it back with the ETag. The plan is a "
        "draft again. Where nothing differs from the newest version, none is added and the answer is 200. After a conflict "
        "the answer has the plan as it is now in `current`."
    ),
    parameters=[IF_MATCH, IDEMPOTENCY_KEY, ETAG],
    request={"application/json": schemas.NEW_VERSION},
    responses={
        200: schemas.PLAN,
        201: schemas.PLAN,
        **problems(400, 404, 409, 413, 422, 428),
        **CONFLICTED,
    },
    examples=[
        OpenApiExample(
            "Two cards",
            value={
                "note": "Both shifts at once",
                "content": {
                    **schemas.EXAMPLE_CONTENT,
                    "request": {
                        **schemas.EXAMPLE_CONTENT["request"],
                        "count": 2,
                        "parallelism": {"data": 2},
                    },
                },
            },
            request_only=True,
        )
    ],
    tags=["plans"],
)
@api_view(["GET", "POST"])
@permission_classes(READ_WRITE)  # type: ignore[arg-type]
def versions(request: Request, uid: str) -> HttpResponse:
    """List the versions of a plan, or keep another."""
    plan = get_object_or_404(all_plans(), uid=uid)
    if request.method == "POST":
        return _keep(request, plan)
    rows = plan.versions.defer("content", "answer").select_related("author")
    return paged(request, rows, version_row, ordering=("-number", "-pk"))


@idempotent
def _keep(request: Request, plan: SavedPlan) -> HttpResponse:
    revision = asked_revision(request)
    if isinstance(revision, HttpResponse):
        return revision
    values, errors = read_body(request.data, NEW_VERSION)
    if errors:
        return invalid(errors)
    try:
        kept = keep_as_given(
            plan,
            values["content"],
            note=values["note"],
            revision=revision,
            catalog=current_catalog(),
            on=today(),
            actor=actor_of(request),
        )
    except ConflictError:
        return conflicted(plan)
    except RefusedError as refusal:
        return refused(plan, refusal)
    if isinstance(kept, Faults):
        return invalid(problem_errors(kept.problems, under="content"))
    return one(kept.plan) if isinstance(kept, Same) else one(kept, status=201)


@extend_schema(
    operation_id="get_plan_version",
    summary="One version with what was answered then",
    responses={200: schemas.VERSION, **problems(404)},
    tags=["plans"],
)
@api_view(["GET"])
@permission_classes([HasScope("plans:read")])  # type: ignore[list-item]
def version(request: Request, uid: str, number: int) -> HttpResponse:
    """Read one version."""
    plan = get_object_or_404(all_plans(), uid=uid)
    return Response(version_whole(version_or_404(plan, str(number))))


@extend_schema(
    operation_id="diff_plan_versions",
    summary="What differs between two versions",
    parameters=[
        OpenApiParameter("from", int, description="The earlier one; the one before `to` unless named."),
        OpenApiParameter("to", int, description="The later one; the newest unless named."),
    ],
    responses={200: schemas.DIFFERENCE, **problems(404, 422)},
    tags=["plans"],
)
@api_view(["GET"])
@permission_classes([HasScope("plans:read")])  # type: ignore[list-item]
def diff(request: Request, uid: str) -> HttpResponse:
    """Hold two versions of a plan against each other."""
    plan = get_object_or_404(all_plans(), uid=uid)
    named = {side: request.query_params.get(side, "") for side in ("from", "to")}
    wrong = [side for side, text in named.items() if text and not (text.isascii() and text.isdigit())]
    if wrong:
        text = _("Expected the number of a version.")
        return invalid([error(side, "wrong_type", text) for side in wrong])
    after = version_or_404(plan, named["to"])
    before = version_or_404(plan, named["from"] or str(max(1, after.number - 1)))
    return Response({"plan": plan.uid, **difference(before, after)})
