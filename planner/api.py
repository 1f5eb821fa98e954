"""REST: the estimate, for procurement tooling and scripts."""

from typing import Any

from django.conf import settings
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework.decorators import api_view, permission_classes
from rest_framework.request import Request
from rest_framework.response import Response

from access.permissions import HasScope
from planner.core.outcome import Problem
from planner.estimates import answer, is_problem, problem_object
from planner.metrics import count_estimates
from planner.queries import current_catalog
from planner.schemas import ANSWER, EXAMPLE, PROBLEM, REQUEST

PROBLEM_JSON = "application/problem+json"


@extend_schema(
    operation_id="create_estimate",
    summary="Estimate memory and decode speed",
    description=(
        "One request object gives one answer. A list of requests gives a list in the same order, in which a bad "
        "request becomes a problem object at its place and the others are still answered."
    ),
    request={"application/json": {"oneOf": [REQUEST, {"type": "array", "items": REQUEST, "minItems": 1}]}},
    responses={
        200: OpenApiResponse(
            {"oneOf": [ANSWER, {"type": "array", "items": {"oneOf": [ANSWER, PROBLEM]}}]}, "The answer."
        ),
        (400, PROBLEM_JSON): PROBLEM,
        (401, PROBLEM_JSON): PROBLEM,
        (403, PROBLEM_JSON): PROBLEM,
        (413, PROBLEM_JSON): PROBLEM,
        (422, PROBLEM_JSON): PROBLEM,
        (429, PROBLEM_JSON): PROBLEM,
    },
    examples=[OpenApiExample("A 7B chat model on one 24 GB card", value=EXAMPLE, request_only=True)],
    tags=["estimates"],
)
@api_view(["POST"])
@permission_classes([HasScope("estimates:read")])  # type: ignore[list-item]  # an instance makes itself
def estimates(request: Request) -> Response:
    """Answer one estimate request or a list of them."""
    body: Any = request.data
    if not isinstance(body, list):
        return _one(_answer([body])[0])
    limit = settings.ESTIMATES_PER_CALL
    if not 1 <= len(body) <= limit:
        code = "batch_too_long" if body else "batch_empty"
        return _one(
            problem_object(
                None, [Problem(code=code, field=None, values={"found": len(body), "limit": limit})]
            )
        )
    return Response(_answer(body))


def _answer(requests: list[Any]) -> list[dict[str, Any]]:
    found = answer(requests, catalog=current_catalog())
    count_estimates(found)
    return found


def _one(found: dict[str, Any]) -> Response:
    if is_problem(found):
        return Response(found, status=found["status"], content_type=PROBLEM_JSON)
    return Response(found)
