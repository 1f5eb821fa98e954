"""REST: saved plans, their details and their comparison."""

from typing import Any

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
from access.problems import invalid, problem
from access.revisions import asked_revision, changed_meanwhile, etag
from planner.actions.conflict import ConflictError
from planner.actions.plans import RefusedError
from planner.answers.plan_input import (
    COMPARISON,
    NEW_PLAN,
    details_of,
    error,
    problem_errors,
    read_body,
)
from planner.answers.plan_rows import row, whole
from planner.api.bodies import PROBLEM_JSON
from planner.api.filtering import filtered
from planner.api.lists import ETAG, IDEMPOTENCY_KEY, IF_MATCH, filters, page_of, problems
from planner.clock import today
from planner.messages import word
from planner.messages.plans import REFUSALS
from planner.models import SavedPlan
from planner.plans.compared import side_by_side
from planner.plans.keeping import change_plan
from planner.plans.marks import STATES
from planner.plans.saving import Faults, checked, keep_new
from planner.queries import current_catalog
from planner.queries.plans import PlanFilters, newest_versions, possible_owners, version_of
from planner.queries.plans import plans as all_plans
from planner.schemas import plans as schemas

MOST_COMPARED = 6
FORBIDDEN = frozenset({"not_an_approver", "own_plan"})
CONFLICTED: dict[Any, Any] = {(412, PROBLEM_JSON): schemas.CONFLICT}
READ_WRITE = [HasScope("plans:read", write="plans:write")]


@extend_schema(
    methods=["GET"],
    operation_id="list_plans",
    summary="List saved plans",
    description="The plan changed last comes first. Archived ones are not listed unless they are asked for.",
    parameters=filters(
        q="Words in the name, the model or the accelerator.",
        state="draft, proposed, approved or rejected.",
        model="Part of a model's id.",
        accelerator="Part of an accelerator's id.",
        verdict="fits, does_not_fit, unsupported or unknown.",
        owner="User name of the owner.",
        show="archived: those alone; flipped: those that came out differently when judged again.",
    ),
    responses={200: page_of(schemas.PLAN_ROW), **problems(404, 422)},
    tags=["plans"],
)
@extend_schema(
    methods=["POST"],
    operation_id="create_plan",
    summary="Keep a new plan",
    description="Estimate, bill and cost are answered now and kept with it as version 1.",
    parameters=[IDEMPOTENCY_KEY, ETAG],
    request={"application/json": schemas.NEW_PLAN},
    responses={201: schemas.PLAN, **problems(400, 409, 413, 422)},
    examples=[OpenApiExample("One card with a spare", value=schemas.EXAMPLE_PLAN, request_only=True)],
    tags=["plans"],
)
@api_view(["GET", "POST"])
@permission_classes(READ_WRITE)  # type: ignore[arg-type]  # an instance makes itself
def plans(request: Request) -> HttpResponse:
    """List plans, or keep a new one."""
    if request.method == "POST":
        return _create(request)
    found = filtered(PlanFilters, request, all_plans())
    if isinstance(found, HttpResponse):
        return found
    return paged(request, found, row, ordering=("-updated_at", "-pk"))


@idempotent
def _create(request: Request) -> HttpResponse:
    values, errors = read_body(request.data, NEW_PLAN)
    if errors:
        return invalid(errors)
    catalog = current_catalog()
    content = checked(values.pop("content"), catalog)
    if not isinstance(content, Faults):
        made = keep_new(content, catalog=catalog, on=today(), actor=actor_of(request), **values)
        if isinstance(made, SavedPlan):
            return one(made, status=201)
        content = made
    return invalid(problem_errors(content.problems, under="content"))


def shown(plan: SavedPlan) -> dict[str, Any]:
    """A plan as it stands now."""
    version = version_of(plan)
    assert version is not None  # every plan has its newest version
    return whole(plan, version)


def one(plan: SavedPlan, *, status: int = 200) -> Response:
    """The answer that is one plan."""
    return Response(shown(plan), status=status, headers={"ETag": etag(plan.revision)})


def conflicted(plan: SavedPlan) -> HttpResponse:
    """The answer to a write that started from an older revision, with the plan as it is now."""
    current = all_plans().get(pk=plan.pk)
    return changed_meanwhile(current.revision, shown=shown(current))


def refused(plan: SavedPlan, found: RefusedError) -> HttpResponse:
    """The answer to a write that the plan's state or the rules of approval forbid."""
    refusal = found.refusal
    text = word(REFUSALS, refusal.code, {"state": str(STATES[plan.state][2])})
    if refusal.code == "reason_missing":
        return invalid([error(refusal.field, refusal.code, text)])
    status = 403 if refusal.code in FORBIDDEN else 409
    return problem(refusal.code, status=status, title=_("The plan stays as it is."), detail=text)


@extend_schema(
    methods=["GET"],
    operation_id="get_plan",
    summary="One plan with what its newest version asks",
    parameters=[ETAG],
    responses={200: schemas.PLAN, **problems(404)},
    tags=["plans"],
)
@extend_schema(
    methods=["PATCH"],
    operation_id="change_plan",
    summary="Change name, notes or owner, archive a plan or bring it back",
    description=(
        "What is not given stays. An archived plan takes no other change until `archived` is false. "
        "After a conflict the answer has the plan as it is now in `current`."
    ),
    parameters=[IF_MATCH, ETAG],
    request={"application/json": schemas.PLAN_CHANGE},
    responses={200: schemas.PLAN, **problems(400, 404, 409, 413, 422, 428), **CONFLICTED},
    examples=[OpenApiExample("Another owner", value={"owner": "ada"}, request_only=True)],
    tags=["plans"],
)
@api_view(["GET", "PATCH"])
@permission_classes(READ_WRITE)  # type: ignore[arg-type]
def plan(request: Request, uid: str) -> HttpResponse:
    """Read a plan, or change what is no part of a version."""
    found = get_object_or_404(all_plans(), uid=uid)
    if request.method == "GET":
        return one(found)
    revision = asked_revision(request)
    if isinstance(revision, HttpResponse):
        return revision
    changes, errors = read_body(request.data, details_of(possible_owners(found)), partial=True)
    if errors:
        return invalid(errors)
    try:
        return one(change_plan(found, changes, revision=revision, actor=actor_of(request)))
    except ConflictError:
        return conflicted(found)
    except RefusedError as error:
        return refused(found, error)


@extend_schema(
    operation_id="compare_plans",
    summary="Plans side by side",
    description="Keeps nothing. `values` are in the order of `plans`; `best` are the places of the best of a row.",
    request={"application/json": schemas.NEW_COMPARISON},
    responses={200: schemas.COMPARISON, **problems(400, 413, 422)},
    examples=[OpenApiExample("Two plans", value=schemas.EXAMPLE_COMPARISON, request_only=True)],
    tags=["plans"],
)
@api_view(["POST"])
@permission_classes([HasScope("plans:read")])  # type: ignore[list-item]
def comparisons(request: Request) -> HttpResponse:
    """Compare the newest versions of some plans."""
    values, errors = read_body(request.data, COMPARISON)
    if errors:
        return invalid(errors)
    uids = values["plans"]
    if not isinstance(uids, list) or not all(isinstance(uid, str) for uid in uids):
        return invalid([error("plans", "wrong_type", _("Send a list of uids of plans."))])
    if not 2 <= len(set(uids)) == len(uids) <= MOST_COMPARED:
        text = _("Name from 2 to %(most)s plans, each once.") % {"most": MOST_COMPARED}
        return invalid([error("plans", "batch_size", text)])
    versions = newest_versions(uids)
    known = {version.plan.uid for version in versions}
    missing = [
        error(f"plans.{place}", "not_found", _("There is no such plan."))
        for place, uid in enumerate(uids)
        if uid not in known
    ]
    return invalid(missing) if missing else Response(side_by_side(versions))
