"""What the calls of the planner share: a body with one request or a list of them, answered in its order."""

from collections.abc import Callable
from typing import Any

from drf_spectacular.utils import OpenApiResponse
from rest_framework.response import Response

from planner.answers.estimates import is_problem, problem_object
from planner.core.outcome import Problem
from planner.schemas import PROBLEM

PROBLEM_JSON = "application/problem+json"
PROBLEM_RESPONSES: dict[Any, Any] = {
    (status, PROBLEM_JSON): PROBLEM for status in (400, 401, 403, 413, 422, 429)
}


def one_or_list(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a body that is one request or a list of them."""
    return {"oneOf": [schema, {"type": "array", "items": schema, "minItems": 1}]}


def answer_or_list(schema: dict[str, Any]) -> OpenApiResponse:
    """The schema of its answer, in which a bad request of a list is a problem at its place."""
    listed = {"type": "array", "items": {"oneOf": [schema, PROBLEM]}}
    return OpenApiResponse({"oneOf": [schema, listed]}, "The answer.")


def respond(body: Any, answer: Callable[[list[Any]], list[dict[str, Any]]], *, limit: int) -> Response:
    """Answer one request or up to `limit` of them. One that is a problem alone has its status."""
    if not isinstance(body, list):
        return _one(answer([body])[0])
    if not 1 <= len(body) <= limit:
        code = "batch_too_long" if body else "batch_empty"
        values = {"found": len(body), "limit": limit}
        return _one(problem_object(None, [Problem(code=code, field=None, values=values)]))
    return Response(answer(body))


def _one(found: dict[str, Any]) -> Response:
    if is_problem(found):
        return Response(found, status=found["status"], content_type=PROBLEM_JSON)
    return Response(found)
