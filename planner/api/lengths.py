"""REST: length logs, and how likely the KV cache runs out."""

from typing import Any

from django.conf import settings
from django.http import Http404, HttpResponse
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.decorators import api_view, permission_classes, throttle_classes
from rest_framework.request import Request
from rest_framework.response import Response

from access.counters import SearchThrottle
from access.idempotency import idempotent
from access.paging import paged
from access.permissions import HasScope, actor_of, may_use
from access.problems import invalid, problem
from access.scopes import Scope
from planner.actions.lengths import keep_length_log
from planner.answers import kv_exhaustion as exhaustion_answers
from planner.answers.lengths import Asking, read_body, shown, whole
from planner.api.bodies import PROBLEM_RESPONSES, answer_or_list, one_or_list, respond
from planner.api.filtering import filtered
from planner.api.lists import IDEMPOTENCY_KEY, filters, page_of, problems
from planner.queries import current_catalog
from planner.queries.lengths import LengthLogFilters, length_log, length_logs
from planner.schemas.lengths import (
    EXAMPLE_LOG,
    EXHAUSTION_ANSWER,
    EXHAUSTION_EXAMPLE,
    EXHAUSTION_REQUEST,
    LOG,
    NEW_LOG,
    WHOLE_LOG,
)


@extend_schema(
    methods=["GET"],
    operation_id="list_length_logs",
    summary="List length logs",
    parameters=filters(
        q="Words in the name.",
        origin="csv, jsonl or metrics.",
        owner="Name of who read it in.",
        show="archived: those that were archived.",
    ),
    responses={200: page_of(LOG), **problems(404, 422)},
    tags=["length logs"],
)
@extend_schema(
    methods=["POST"],
    operation_id="create_length_log",
    summary="Read a length log",
    description=(
        "Requests as objects, or the text of a CSV file, of JSON Lines or of an engine's /metrics. Kept are counts by length "
        "and figures; neither rows nor texts are."
    ),
    parameters=[IDEMPOTENCY_KEY],
    request={"application/json": NEW_LOG},
    responses={201: WHOLE_LOG, **problems(400, 409, 413, 422)},
    examples=[OpenApiExample("Two requests", value=EXAMPLE_LOG, request_only=True)],
    tags=["length logs"],
)
@api_view(["GET", "POST"])
@permission_classes([HasScope("plans:read", write="plans:write")])  # type: ignore[list-item]  # an instance makes itself
def logs(request: Request) -> HttpResponse:
    """List length logs, or read one."""
    if request.method == "POST":
        return _create(request)
    found = filtered(LengthLogFilters, request, length_logs())
    if isinstance(found, HttpResponse):
        return found
    return paged(request, found, shown)


@idempotent
def _create(request: Request) -> HttpResponse:
    asking = read_body(request.data)
    if not isinstance(asking, Asking):
        return invalid(asking)
    log = keep_length_log(
        asking.read.found, name=asking.name, origin=asking.read.kind, actor=actor_of(request)
    )
    return Response(whole(log), status=201)


@extend_schema(
    operation_id="get_length_log",
    summary="One length log, with its histograms",
    responses={200: WHOLE_LOG, **problems(404)},
    tags=["length logs"],
)
@api_view(["GET"])
@permission_classes([HasScope("plans:read")])  # type: ignore[list-item]
def log(request: Request, uid: str) -> Response:
    """Read one length log."""
    found = length_log(uid)
    if found is None:
        raise Http404
    return Response(whole(found))


@extend_schema(
    operation_id="create_kv_exhaustion",
    summary="Find how likely the KV cache runs out",
    description=(
        "Takes the request of an estimate, or a list of such questions, and answers the probability that the requests which run "
        "at a random moment need more KV cache than there is. Lengths are those of a log (which needs the scope plans:read too), "
        "else log-normal through the quantiles of the workload, else its means. Each of `help` was tried."
    ),
    request={"application/json": one_or_list(EXHAUSTION_REQUEST)},
    responses={200: answer_or_list(EXHAUSTION_ANSWER), **PROBLEM_RESPONSES},
    examples=[OpenApiExample("A hundred users of one card", value=EXHAUSTION_EXAMPLE, request_only=True)],
    tags=["length logs"],
)
@api_view(["POST"])
@permission_classes([HasScope("estimates:read")])  # type: ignore[list-item]
@throttle_classes([SearchThrottle])
def kv_exhaustion(request: Request) -> HttpResponse:
    """Answer one question or a list of them."""
    if _names_a_log(request.data) and not may_use(Scope.PLANS_READ, user=request.user, token=request.auth):
        detail = _("A length log needs the scope plans:read.")
        return problem("permission_denied", status=403, title=_("This is not allowed."), detail=detail)
    return respond(request.data, _answer, limit=settings.LIMITS_PER_CALL)


def _names_a_log(body: Any) -> bool:
    questions = body if isinstance(body, list) else [body]
    return any(isinstance(item, dict) and item.get("length_log") is not None for item in questions)


def _answer(questions: list[Any]) -> list[dict[str, Any]]:
    return exhaustion_answers.answer(questions, catalog=current_catalog(), logs=length_log)
