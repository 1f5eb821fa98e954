"""Lists of rows on pages: search, filters, sort and page are in the address, and it costs the same whatever is in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext_lazy as _
from django_filters import CharFilter, FilterSet

PER_PAGE = 50
MAX_SEARCH_CHARS = 200


class ListFilters(FilterSet):
    """A search in the text columns `search`, and whatever filters a subclass adds; both in the address."""

    search: Sequence[str] = ()
    q = CharFilter(method="find", label=_("Search"), max_length=MAX_SEARCH_CHARS)

    def find(self, rows: QuerySet[Any], _name: str, text: str) -> QuerySet[Any]:
        """Rows in which each word of `text` stands somewhere."""
        for word in text.split():
            rows = rows.filter(_any_of(self.search, word))
        return rows

    def get_form_class(self) -> type[forms.Form]:
        """The form of the filters, its fields with the classes of our own parts."""
        form: type[forms.Form] = super().get_form_class()
        for field in form.base_fields.values():
            field.widget.attrs.setdefault(
                "class", "select" if isinstance(field.widget, forms.Select) else "input"
            )
        return form


def _any_of(columns: Sequence[str], word: str) -> Q:
    found = Q()
    for column in columns:
        found |= Q(**{f"{column}__icontains": word})
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column of a list: `order` is what its sort orders by, empty for one that cannot be sorted."""

    key: str
    label: Any
    order: Sequence[str] = ()
    unit: Any = ""
    numeric: bool = False
    descending_first: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """A column as its head is drawn. `aria_sort` is ascending, descending or empty; `address` sorts by it."""

    column: Column
    aria_sort: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """One page of a list, with what its parts need to be drawn (templates/list/)."""

    rows: Sequence[Any]
    total: int  # rows that match
    page: int
    pages: int
    heads: Sequence[Head]
    filters: FilterSet
    filtered: bool  # whether a search or a filter narrows it: none match, or none yet?
    previous: str
    next: str
    path: str
    sort: str

    @property
    def first(self) -> int:
        """The number of the first row shown, from 1."""
        return (self.page - 1) * PER_PAGE + 1

    @property
    def span(self) -> dict[str, str]:
        """The numbers of the first and the last row shown, and of all that match, as they are read: 1,001 of 10,000."""
        last = self.first + len(self.rows) - 1
        return {"first": f"{self.first:,}", "last": f"{last:,}", "total": f"{self.total:,}"}


def listing(
    request: HttpRequest,
    rows: QuerySet[Any],
    *,
    filters: type[FilterSet],
    columns: Sequence[Column],
    sort: str,
) -> Listing:
    """The page of `rows` that the address asks for; `sort` is the key of the default column, with - for descending.

    Two queries: one counts and one reads. A sort or page that does not exist is the nearest one that does.
    """
    filtered = filters(request.GET, queryset=rows, request=request)
    asked = _sort_of(request.GET.get("sort", ""), columns) or sort
    paginator: Paginator[Model] = Paginator(filtered.qs.order_by(*_order(asked, columns)), PER_PAGE)
    page = paginator.get_page(request.GET.get("page"))
    return Listing(
        rows=list(page.object_list),
        total=paginator.count,
        page=page.number,
        pages=paginator.num_pages,
        heads=[_head(column, asked, request.GET) for column in columns],
        filters=filtered,
        filtered=any(request.GET.get(name) for name in filtered.filters),
        previous=address(request.GET, page=str(page.number - 1)) if page.has_previous() else "",
        next=address(request.GET, page=str(page.number + 1)) if page.has_next() else "",
        path=request.path,
        sort=request.GET.get("sort", ""),
    )


def render_list(request: HttpRequest, *, page: str, part: str, context: Mapping[str, Any]) -> HttpResponse:
    """The whole page, or only the template `part` of it, with which HTMX replaces #list."""
    short = bool(request.headers.get("HX-Request")) and not request.headers.get("HX-Boosted")
    response = render(request, part if short else page, dict(context))
    patch_vary_headers(response, ["HX-Request"])
    return response


def address(given: QueryDict, **changes: str) -> str:
    """The query of this list with some keys changed; an empty text takes a key out."""
    query = given.copy()
    for key, value in changes.items():
        query.pop(key, None)
        if value:
            query[key] = value
    return f"?{query.urlencode()}"


def _sort_of(text: str, columns: Sequence[Column]) -> str:
    return text if any(column.key == text.removeprefix("-") and column.order for column in columns) else ""


def _order(sort: str, columns: Sequence[Column]) -> list[str]:
    """What to order by; the primary key last, so that rows of equal value keep their order from page to page."""
    column = next(column for column in columns if column.key == sort.removeprefix("-"))
    fields = [*column.order, "pk"]
    return [_reversed(field) for field in fields] if sort.startswith("-") else fields


def _reversed(field: str) -> str:
    return field.removeprefix("-") if field.startswith("-") else f"-{field}"


def _head(column: Column, sort: str, given: QueryDict) -> Head:
    if not column.order:
        return Head(column=column, aria_sort="", address="")
    now = {column.key: "ascending", f"-{column.key}": "descending"}.get(sort, "")
    down = now == "ascending" or (not now and column.descending_first)
    key = f"-{column.key}" if down else column.key
    return Head(column=column, aria_sort=now, address=address(given, sort=key, page=""))
