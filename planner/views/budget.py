"""What a budget buys."""

from django.http import HttpResponse, HttpResponseRedirect, QueryDict, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from access.declare import PersonRequest, require_role
from access.roles import Role
from planner.answers.budgets import answer
from planner.answers.estimates import is_problem
from planner.clock import today
from planner.core.specs import Catalog
from planner.cost import budget_csv
from planner.cost.budget_form import BudgetForm, read_budget
from planner.cost.budget_page import budget_page
from planner.csv_cells import csv_lines
from planner.presets import presets
from planner.queries import current_catalog
from planner.queries.prices import Books
from planner.queries.team import team_settings
from planner.recommend.choices import search_choices


@require_safe
@require_role(Role.VIEWER)
def budget(request: PersonRequest) -> HttpResponse:
    """Set-ups within a range of money; the whole page, or only what an edit changed when HTMX asks."""
    form = read_budget(request.GET)
    query = form.query()
    if request.headers.get("HX-Request"):
        return _update(request, form)
    if request.GET and dict(request.GET.items()) != dict(QueryDict(query).items()):
        return HttpResponseRedirect(_address(query))
    catalog = current_catalog()
    context = _context(request, form, catalog) | {"choices": search_choices(catalog)}
    return render(request, "planner/cost/budget.html", context)


def _update(request: PersonRequest, form: BudgetForm) -> HttpResponse:
    context = _context(request, form, current_catalog()) | {"update": True}
    response = render(request, "planner/cost/_budget_update.html", context)
    # The page says which of the two it wants: one entry per field that is edited, not one per key.
    header = "HX-Replace-Url" if request.headers.get("Plan-History") == "replace" else "HX-Push-Url"
    response[header] = _address(form.query())
    response["Vary"] = "HX-Request"
    return response


def _context(request: PersonRequest, form: BudgetForm, catalog: Catalog) -> dict[str, object]:
    return {
        "page": budget_page(form, catalog=catalog, books=Books(on=today()), team=team_settings()),
        "presets": presets(form, path=reverse("planner:budget")),
        "values": form.values,
        "query": form.query(),
        "may_write": request.user.may(Role.OPERATOR),
    }


@require_safe
@require_role(Role.VIEWER)
def budget_table(request: PersonRequest) -> HttpResponse | StreamingHttpResponse:
    """What a budget buys as CSV; a question with errors leads to its page, which says what they are."""
    form, catalog = read_budget(request.GET), current_catalog()
    found = answer(form.question(), catalog=catalog, books=Books(on=today()), team=team_settings())
    if is_problem(found):
        return HttpResponseRedirect(_address(form.query()))
    lines = csv_lines(budget_csv.HEAD, budget_csv.rows(found, catalog))
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="budget.csv"'
    return response


def _address(query: str) -> str:
    path = reverse("planner:budget")
    return f"{path}?{query}" if query else path
