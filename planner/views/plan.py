"""The plan page. Its address is the plan: every input is in the query, and nothing is kept anywhere else."""

import csv

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from access.declare import public, require_role
from access.models import User
from access.roles import Role
from planner.answers.estimates import problem_message
from planner.choices import choices
from planner.clock import today
from planner.core.outcome import Problem
from planner.core.specs import Catalog
from planner.plan.form import Plan, read_config, read_plan
from planner.plan.page import PlanPage, plan_page
from planner.plots import plain_cell
from planner.presets import presets
from planner.queries import current_catalog
from planner.queries.lengths import length_log
from planner.queries.prices import Books


@require_safe
@require_role(Role.VIEWER)
def home(request: HttpRequest) -> HttpResponse:
    """The first page is the plan, with its worked example."""
    return HttpResponseRedirect(reverse("planner:plan"))


@require_safe
@require_role(Role.VIEWER)
def plan(request: HttpRequest) -> HttpResponse:
    """The whole page, or only what an edit changed when HTMX asks."""
    asked = read_plan(request.GET)
    query = asked.query()
    if request.headers.get("HX-Request"):
        return _update(request, asked, query)
    if request.GET and dict(request.GET.items()) != dict(QueryDict(query).items()):
        return HttpResponseRedirect(_address(query))
    return _page(request, asked)


@require_safe
@require_role(Role.VIEWER)
def chart_data(request: HttpRequest, chart: str) -> HttpResponse:
    """The table beneath a chart as CSV: numbers without separators, for a spreadsheet."""
    page = _plan_page(request, read_plan(request.GET), current_catalog())
    picture = {"curve": page.curve, "roofline": page.roof, "runs-out": page.runs_out}.get(chart)
    if picture is None or picture.plot is None:
        raise Http404
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{chart}.csv"'
    writer = csv.writer(response)
    writer.writerow(picture.plot.table.head)
    writer.writerows([plain_cell(cell) for cell in row] for row in picture.plot.table.rows)
    return response


@require_POST
@require_role(Role.VIEWER)
def read_pasted_config(request: HttpRequest) -> HttpResponse:
    """Put a pasted config.json into the address of the plan that was open."""
    before = read_plan(QueryDict(request.POST.get("plan", "").lstrip("?")[:20_000]))
    text = request.POST.get("config", "")
    packed = read_config(text)
    if isinstance(packed, Problem):
        return _page(request, before, config_text=text, config_error=problem_message(packed), status=422)
    return HttpResponseRedirect(_address(before.query({"c": packed})))


@require_safe
@public
def keyboard(request: HttpRequest) -> HttpResponse:
    """The list of shortcuts."""
    return render(request, "keyboard.html")


def _page(
    request: HttpRequest, asked: Plan, *, config_text: str = "", config_error: str = "", status: int = 200
) -> HttpResponse:
    card, catalog = asked.values["a"], current_catalog()
    context = {
        **_context(request, asked, catalog),
        "choices": choices(catalog),
        "unlisted_card": bool(card) and card not in catalog.accelerators,
        "more_open": any(asked.values[key] for key in ("util", "seqs", "block", "batch", "eager")),
        "without_config": f"?{asked.query({'c': ''})}",
        "config_text": config_text,
        "config_error": config_error,
    }
    return render(request, "planner/plan.html", context, status=status)


def _update(request: HttpRequest, asked: Plan, query: str) -> HttpResponse:
    response = render(
        request, "planner/_update.html", {**_context(request, asked, current_catalog()), "update": True}
    )
    # The page says which of the two it wants: one entry per field that is edited, not one per key.
    header = "HX-Replace-Url" if request.headers.get("Plan-History") == "replace" else "HX-Push-Url"
    response[header] = _address(query)
    response["Vary"] = "HX-Request"
    return response


def _context(request: HttpRequest, asked: Plan, catalog: Catalog) -> dict[str, object]:
    page = _plan_page(request, asked, catalog, Books(on=today()))
    return {
        "page": page,
        "presets": presets(asked, path=reverse("planner:plan")),
        "values": asked.values,
        "query": asked.query(),
        "may_write": isinstance(request.user, User) and request.user.may(Role.OPERATOR),
    }


def _plan_page(request: HttpRequest, asked: Plan, catalog: Catalog, books: Books | None = None) -> PlanPage:
    address = request.build_absolute_uri(reverse("planner:estimates"))
    log = length_log(asked.values["ll"]) if asked.values["ll"] else None
    return plan_page(asked, catalog=catalog, address=address, log=log, books=books)


def _address(query: str) -> str:
    path = reverse("planner:plan")
    return f"{path}?{query}" if query else path
