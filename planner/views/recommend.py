"""The page that recommends. Its address is the question: every input is in the query, and nothing is kept elsewhere."""

import csv

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from access.declare import require_role
from access.models import User
from access.roles import Role
from planner.answers.estimates import is_problem, problem_message
from planner.answers.recommendations import answer_for_page
from planner.clock import today
from planner.core.outcome import Problem
from planner.core.specs import Catalog
from planner.csv_cells import guarded
from planner.plan.form import read_config, read_plan
from planner.presets import presets
from planner.queries import current_catalog
from planner.queries.prices import Books
from planner.recommend import options_csv as recommend_csv
from planner.recommend.choices import search_choices
from planner.recommend.form import CLASSES, OWNED, OWNED_COUNT, PRICE, PRICED, VENDORS, Search, read_search
from planner.recommend.page import recommend_page
from planner.recommend.winners import winners_of_plan

LEAST_ROWS = 3  # of cards and prices, so that the next one can be typed without asking for a row


@require_safe
@require_role(Role.VIEWER)
def recommend(request: HttpRequest) -> HttpResponse:
    """The whole page, or only what an edit changed when HTMX asks."""
    books = Books(on=today())
    search = read_search(request.GET, team_currency=books.team_currency)
    query = search.query()
    if request.headers.get("HX-Request"):
        return _update(request, search, books)
    if request.GET and dict(request.GET.lists()) != dict(QueryDict(query).lists()):
        return HttpResponseRedirect(_address(query))
    return _page(request, search, books)


@require_safe
@require_role(Role.VIEWER)
def options_csv(request: HttpRequest) -> HttpResponse:
    """The options of a search as CSV; a search with errors leads to its page, which says what they are."""
    books, catalog = Books(on=today()), current_catalog()
    search = read_search(request.GET, team_currency=books.team_currency)
    answer = None if search.problems else answer_for_page(search.request(), catalog=catalog, books=books)
    if answer is None or is_problem(answer):
        return HttpResponseRedirect(_address(search.query()))
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="options.csv"'
    writer = csv.writer(response)
    writer.writerow(recommend_csv.HEAD)
    writer.writerows([guarded(cell) for cell in row] for row in recommend_csv.rows(answer, catalog))
    return response


@require_POST
@require_role(Role.VIEWER)
def read_search_config(request: HttpRequest) -> HttpResponse:
    """Put a pasted config.json into the address of the search that was open."""
    given = QueryDict(request.POST.get("plan", "").lstrip("?")[:20_000], mutable=True)
    text = request.POST.get("config", "")
    packed = read_config(text)
    if isinstance(packed, Problem):
        error = problem_message(packed)
        books = Books(on=today())
        search = read_search(given, team_currency=books.team_currency)
        return _page(request, search, books, config_text=text, config_error=error, status=422)
    given["c"] = packed
    return HttpResponseRedirect(_address(read_search(given).query()))


@require_safe
@require_role(Role.VIEWER)
def winners(request: HttpRequest) -> HttpResponse:
    """The set-ups that lead for the model, workload and targets of a plan: a part of its page, loaded after it."""
    found = winners_of_plan(read_plan(request.GET).request(), current_catalog(), Books(on=today()))
    return render(request, "planner/_winners.html", {"winners": found})


def _page(
    request: HttpRequest,
    search: Search,
    books: Books,
    *,
    config_text: str = "",
    config_error: str = "",
    status: int = 200,
) -> HttpResponse:
    catalog = current_catalog()
    context = {
        **_context(request, search, books, catalog),
        "choices": search_choices(catalog),
        "lists": search.lists,
        "owned_rows": _rows(search, OWNED, OWNED_COUNT),
        "price_rows": _rows(search, PRICED, PRICE),
        "open": {
            "money": any(search.values[key] for key in ("bud", "cur", "ps")) or bool(search.lists[PRICED]),
            "owned": bool(search.lists[OWNED]),
            "hardware": bool(search.values["ecc"] or search.lists[VENDORS] or search.lists[CLASSES]),
        },
        "without_config": f"?{search.without_config().query()}",
        "config_text": config_text,
        "config_error": config_error,
    }
    return render(request, "planner/recommend.html", context, status=status)


def _update(request: HttpRequest, search: Search, books: Books) -> HttpResponse:
    context = {**_context(request, search, books, current_catalog()), "update": True}
    response = render(request, "planner/_recommend_update.html", context)
    # The page says which of the two it wants: one entry per field that is edited, not one per key.
    header = "HX-Replace-Url" if request.headers.get("Plan-History") == "replace" else "HX-Push-Url"
    response[header] = _address(search.query())
    response["Vary"] = "HX-Request"
    return response


def _context(request: HttpRequest, search: Search, books: Books, catalog: Catalog) -> dict[str, object]:
    address = request.build_absolute_uri(reverse("planner:recommendations"))
    return {
        "page": recommend_page(search, catalog=catalog, books=books, address=address),
        "presets": presets(search, path=reverse("planner:recommend")),
        "values": search.values,
        "query": search.query(),
        "may_write": isinstance(request.user, User) and request.user.may(Role.OPERATOR),
    }


def _rows(search: Search, names: str, numbers: str) -> list[tuple[str, str]]:
    rows = search.rows(names, numbers)
    return rows + [("", "")] * max(1, LEAST_ROWS - len(rows))


def _address(query: str) -> str:
    path = reverse("planner:recommend")
    return f"{path}?{query}" if query else path
