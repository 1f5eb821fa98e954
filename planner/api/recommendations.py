"""REST: ranked set-ups for a model and a load."""

from typing import Any

from django.conf import settings
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.decorators import api_view, permission_classes, throttle_classes
from rest_framework.request import Request
from rest_framework.response import Response

from access.counters import SearchThrottle
from access.permissions import HasScope
from planner.answers.recommendations import answer
from planner.api.bodies import PROBLEM_RESPONSES, answer_or_list, one_or_list, respond
from planner.clock import today
from planner.metrics import count_recommendations
from planner.queries import current_catalog
from planner.queries.prices import Books
from planner.schemas.recommend import RECOMMENDATION, SEARCH, SEARCH_EXAMPLE


@extend_schema(
    operation_id="create_recommendation",
    summary="Rank set-ups for a model and a load",
    description=(
        "Searches accelerators, counts, parallelism, weights, KV cache and engines. Each option is a full estimate "
        "with the request that gives exactly it, the reason of its rank, and its bill of materials; what was left out "
        "is grouped by reason. A list of questions gives a list in the same order."
    ),
    request={"application/json": one_or_list(SEARCH)},
    responses={200: answer_or_list(RECOMMENDATION), **PROBLEM_RESPONSES},
    examples=[
        OpenApiExample("Chat with a 7B model on up to 8 cards", value=SEARCH_EXAMPLE, request_only=True)
    ],
    tags=["recommendations"],
)
@api_view(["POST"])
@permission_classes([HasScope("estimates:read")])  # type: ignore[list-item]  # an instance makes itself
@throttle_classes([SearchThrottle])
def recommendations(request: Request) -> Response:
    """Answer one question or a list of them."""
    return respond(request.data, _answer, limit=settings.RECOMMENDATIONS_PER_CALL)


def _answer(requests: list[Any]) -> list[dict[str, Any]]:
    found = answer(requests, catalog=current_catalog(), books=Books(on=today()))
    count_recommendations(found)
    return found
