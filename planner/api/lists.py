"""What the calls share that list rows and change one: parameters, headers, problems, bodies."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse

from planner.api.bodies import PROBLEM_JSON
from planner.schemas import PROBLEM

CURSOR = OpenApiParameter("cursor", str, description="Where the page begins: `next` of the page before.")
LIMIT = OpenApiParameter("limit", int, description="Rows of a page, 50 unless said otherwise, at most 200.")
IF_MATCH = OpenApiParameter(
    "If-Match",
    str,
    OpenApiParameter.HEADER,
    required=True,
    description='The ETag that was read, such as `"3"`: a change of an older revision is refused with 412.',
)
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="Any text of up to 200 characters, such as a UUID: the same request again gets the first one's answer.",
)
ETAG = OpenApiParameter(
    "ETag",
    str,
    OpenApiParameter.HEADER,
    response=[200, 201],
    description="The revision, to send as If-Match with a change.",
)


def problems(*statuses: int) -> dict[Any, Any]:
    """Problem answers of a call, those that any call may give included."""
    return {(status, PROBLEM_JSON): PROBLEM for status in (401, 403, 429, *statuses)}


def page_of(schema: dict[str, Any]) -> OpenApiResponse:
    """One page of rows."""
    link = {"type": ["string", "null"], "format": "uri"}
    page = {
        "type": "object",
        "required": ["items", "next", "previous"],
        "properties": {"items": {"type": "array", "items": schema}, "next": link, "previous": link},
    }
    return OpenApiResponse(page, "One page.")


def filters(**described: str) -> list[OpenApiParameter]:
    """Parameters of a list: its filters, and the page."""
    return [
        *(OpenApiParameter(name, str, description=text) for name, text in described.items()),
        CURSOR,
        LIMIT,
    ]
