"""Filters of a list in the API: those of its page, an unknown value refused rather than ignored."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from rest_framework.request import Request

from access.listing import ListFilters
from access.problems import invalid


def filtered(
    filters: type[ListFilters], request: Request, rows: QuerySet[Any]
) -> QuerySet[Any] | HttpResponse:
    """The rows that the query asks for, or a problem that names the filter which cannot be used."""
    found = filters(request.query_params, queryset=rows, request=request)
    if found.is_valid():
        return found.qs
    return invalid(
        [
            {"field": name, "code": item["code"] or "invalid", "message": item["message"]}
            for name, items in found.errors.get_json_data().items()
            for item in items
        ]
    )
