"""Cost to own and to rent, what a budget buys, and the team's assumptions."""

from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseRedirect,
    QueryDict,
    StreamingHttpResponse,
)
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from access.declare import PersonRequest, require_role
from access.roles import Role
from planner.answers.costs import answer
from planner.answers.estimates import is_problem
from planner.choices import choices
from planner.clock import today
from planner.core.specs import Catalog
from planner.cost.budget_form import query_for_plan
from planner.cost.form import CostForm, read_form
from planner.cost.page import CostPage, cost_page
from planner.cost.tables import TABLES
from planner.csv_cells import csv_lines
from planner.presets import presets
from planner.queries import current_catalog
from planner.queries.prices import Books
from planner.queries.team import team_settings
from planner.recommend.choices import search_choices


@require_safe
@require_role(Role.VIEWER)
def costs(request: PersonRequest) -> HttpResponse:
    """What a set-up costs; the whole page, or only what an edit changed when HTMX asks."""
    form = read_form(request.GET)
    query = form.query()
    if request.headers.get("HX-Request"):
        return _update(request, form)
    if request.GET and dict(request.GET.items()) != dict(QueryDict(query).items()):
        return HttpResponseRedirect(_address("planner:costs", query))
    catalog = current_catalog()
    card = form.plan.values["a"]
    context = _context(request, form, catalog) | {
        "choices": choices(catalog),
        "money": search_choices(catalog),
        "unlisted_card": bool(card) and card not in catalog.accelerators,
        "open": any(form.values[item] for item in ("cp", "plat", "platp", "spare", "ps", "cur")),
    }
    return render(request, "planner/cost/costs.html", context)


def _update(request: PersonRequest, form: CostForm) -> HttpResponse:
    response = render(
        request, "planner/cost/_update.html", _context(request, form, current_catalog()) | {"update": True}
    )
    # The page says which of the two it wants: one entry per field that is edited, not one per key.
    header = "HX-Replace-Url" if request.headers.get("Plan-History") == "replace" else "HX-Push-Url"
    response[header] = _address("planner:costs", form.query())
    response["Vary"] = "HX-Request"
    return response


def _context(request: PersonRequest, form: CostForm, catalog: Catalog) -> dict[str, object]:
    return {
        "page": _page(request, form, catalog),
        "presets": presets(form, path=reverse("planner:costs")),
        "values": form.all_values,
        "query": form.query(),
        "plan_query": form.plan.query(),
        "budget_query": query_for_plan(form.plan, price_source=form.values["ps"]),
        "may_write": request.user.may(Role.OPERATOR),
    }


def _page(request: HttpRequest, form: CostForm, catalog: Catalog) -> CostPage:
    address = request.build_absolute_uri(reverse("planner:api_costs"))
    return cost_page(form, catalog=catalog, books=Books(on=today()), team=team_settings(), address=address)


@require_safe
@require_role(Role.VIEWER)
def cost_table(request: HttpRequest, table: str) -> HttpResponse | StreamingHttpResponse:
    """The numbers of a card as CSV; a question with errors leads to its page, which says what they are."""
    if table not in TABLES:
        raise Http404
    form = read_form(request.GET)
    (cost,) = answer(
        [form.question()], catalog=current_catalog(), books=Books(on=today()), team=team_settings()
    )
    if form.plan.problems or is_problem(cost):
        return HttpResponseRedirect(_address("planner:costs", form.query()))
    head, rows = TABLES[table](cost)
    response = StreamingHttpResponse(csv_lines(head, rows), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{table}.csv"'
    return response


def _address(name: str, query: str) -> str:
    return f"{reverse(name)}?{query}" if query else reverse(name)
