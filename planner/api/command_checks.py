"""REST: is this launch command right, and what would mend it."""

from typing import Any

from django.conf import settings
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.decorators import api_view, permission_classes
from rest_framework.request import Request
from rest_framework.response import Response

from access.permissions import HasScope
from planner.answers.command_checks import answer
from planner.api.bodies import PROBLEM_RESPONSES, answer_or_list, one_or_list, respond
from planner.queries import current_catalog
from planner.schemas.check import CHECK_ANSWER, EXAMPLE_CHECK, REQUEST_OF_CHECK


@extend_schema(
    operation_id="create_command_check",
    summary="Judge a launch command and mend it",
    description=(
        "Reads a launch command of vLLM, SGLang, TensorRT-LLM or llama-server as its shell and its parser would, docker "
        "included, judges each flag against the tables of that version, and estimates what it amounts to. Nothing is "
        "executed and nothing is kept. One command gives one answer, a list gives a list in its order."
    ),
    request={"application/json": one_or_list(REQUEST_OF_CHECK)},
    responses={200: answer_or_list(CHECK_ANSWER), **PROBLEM_RESPONSES},
    examples=[OpenApiExample("A value that no version takes", value=EXAMPLE_CHECK, request_only=True)],
    tags=["command checks"],
)
@api_view(["POST"])
@permission_classes([HasScope("estimates:read")])  # type: ignore[list-item]  # an instance makes itself
def command_checks(request: Request) -> Response:
    """Judge one command or a list of them."""
    return respond(request.data, _answer, limit=settings.CHECKS_PER_CALL)


def _answer(requests: list[Any]) -> list[dict[str, Any]]:
    return answer(requests, catalog=current_catalog())
