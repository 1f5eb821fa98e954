"""Lists in the REST interface: a page at a time, by cursor, so that rows added meanwhile neither hide nor repeat others."""

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response

PAGE_SIZE = 50
MAX_PAGE_SIZE = 200


class Cursor(CursorPagination):
    """`?limit=` rows from `?cursor=` on. `items` are the rows; `next` is the address of the following page, or null."""

    page_size = PAGE_SIZE
    max_page_size = MAX_PAGE_SIZE
    page_size_query_param = "limit"
    cursor_query_param = "cursor"
    ordering = ("-created_at", "-pk")

    def get_paginated_response(self, data: Any) -> Response:
        return Response({"items": data, "next": self.get_next_link(), "previous": self.get_previous_link()})

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        link = {"type": ["string", "null"], "format": "uri"}
        return {
            "type": "object",
            "required": ["items", "next", "previous"],
            "properties": {"items": schema, "next": link, "previous": link},
        }


def paged(
    request: Request,
    rows: QuerySet[Any],
    shown: Callable[[Any], dict[str, Any]],
    *,
    ordering: tuple[str, str] = ("-created_at", "-pk"),
) -> Response:
    """One page of `rows`, each as `shown` gives it. A cursor that is not ours is a 404 problem."""
    cursor = Cursor()
    cursor.ordering = ordering
    found = cursor.paginate_queryset(rows, request)
    return cursor.get_paginated_response([shown(row) for row in found or []])
