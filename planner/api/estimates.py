"""REST: the estimate, for procurement tooling and scripts."""

from typing import Any

from django.conf import settings
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.decorators import api_view, permission_classes
from rest_framework.request import Request
from rest_framework.response import Response

from access.permissions import HasScope
from planner.answers.estimates import answer
from planner.api.bodies import PROBLEM_RESPONSES, answer_or_list, one_or_list, respond
from planner.metrics import count_estimates
from planner.queries import current_catalog
from planner.schemas import ANSWER, EXAMPLE, REQUEST


@extend_schema(
    operation_id="create_estimate",
    summary="Estimate memory and decode speed",
    description=(
        "One request object gives one answer. A list of requests gives a list in the same order, in which a bad "
        "request becomes a problem object at its place and the others are still answered."
    ),
    request={"application/json": one_or_list(REQUEST)},
    responses={200: answer_or_list(ANSWER), **PROBLEM_RESPONSES},
    examples=[OpenApiExample("A 7B chat model on one 24 GB card", value=EXAMPLE, request_only=True)],
    tags=["estimates"],
)
@api_view(["POST"])
@permission_classes([HasScope("estimates:read")])  # type: ignore[list-item]  # an instance makes itself
def estimates(request: Request) -> Response:
    """Answer one estimate request or a list of them."""
    return respond(request.data, _answer, limit=settings.ESTIMATES_PER_CALL)


def _answer(requests: list[Any]) -> list[dict[str, Any]]:
    found = answer(requests, catalog=current_catalog())
    count_estimates(found)
    return found
