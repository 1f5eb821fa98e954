"""REST: how far a set-up goes and the smallest changes that would help it; which models fit one's own cards."""

from typing import Any

from django.conf import settings
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.decorators import api_view, permission_classes, throttle_classes
from rest_framework.request import Request
from rest_framework.response import Response

from access.counters import SearchThrottle
from access.permissions import HasScope
from planner.answers import fits as fit_answers
from planner.answers.limits import answer
from planner.api.bodies import PROBLEM_RESPONSES, answer_or_list, one_or_list, respond
from planner.queries import current_catalog
from planner.schemas import EXAMPLE
from planner.schemas.fits import FITS_ANSWER, FITS_EXAMPLE, FITS_REQUEST
from planner.schemas.limits import LIMITS_ANSWER, REQUEST_OF_LIMITS


@extend_schema(
    operation_id="create_limits",
    summary="Find the longest context, the most users and what would help",
    description=(
        "Takes the request of an estimate, or a list of them. Limits are exact: at the limit an estimate says that it "
        "works, one step further that it does not. Each change was tried with everything else as it is; `change` is a "
        "partial request to lay over the one that was asked."
    ),
    request={"application/json": one_or_list(REQUEST_OF_LIMITS)},
    responses={200: answer_or_list(LIMITS_ANSWER), **PROBLEM_RESPONSES},
    examples=[OpenApiExample("A 7B chat model on one 24 GB card", value=EXAMPLE, request_only=True)],
    tags=["limits"],
)
@api_view(["POST"])
@permission_classes([HasScope("estimates:read")])  # type: ignore[list-item]  # an instance makes itself
@throttle_classes([SearchThrottle])
def limits(request: Request) -> Response:
    """Answer one estimate request or a list of them with its limits."""
    return respond(request.data, _answer, limit=settings.LIMITS_PER_CALL)


def _answer(requests: list[Any]) -> list[dict[str, Any]]:
    return answer(requests, catalog=current_catalog())


@extend_schema(
    operation_id="create_fits",
    summary="Find the models that fit the cards at hand",
    description=(
        "Cards, engine, workload and targets without a model: every model of the catalog is answered with the widest "
        "weights that do most of what was asked, its limits, and the estimate request that gives its figures."
    ),
    request={"application/json": one_or_list(FITS_REQUEST)},
    responses={200: answer_or_list(FITS_ANSWER), **PROBLEM_RESPONSES},
    examples=[OpenApiExample("Two 24 GB cards", value=FITS_EXAMPLE, request_only=True)],
    tags=["limits"],
)
@api_view(["POST"])
@permission_classes([HasScope("estimates:read")])  # type: ignore[list-item]  # an instance makes itself
@throttle_classes([SearchThrottle])
def fits(request: Request) -> Response:
    """Answer one question about cards or a few of them."""
    return respond(request.data, _fits, limit=settings.FITS_PER_CALL)


def _fits(requests: list[Any]) -> list[dict[str, Any]]:
    return fit_answers.answer(requests, catalog=current_catalog())
