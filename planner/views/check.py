"""The page that checks a pasted command. It is posted, judged and forgotten; a short one can be linked to."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from access.declare import require_role
from access.roles import Role
from planner.check.form import Pasted, read_pasted
from planner.check.page import check_page
from planner.choices import choices
from planner.core.specs import Catalog
from planner.queries import current_catalog


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@require_role(Role.VIEWER)
def check(request: HttpRequest) -> HttpResponse:
    """The whole page, or only the answer when HTMX asks."""
    pasted = read_pasted(request.POST if request.method == "POST" else request.GET)
    catalog = current_catalog()
    context = _context(pasted, catalog)
    if request.headers.get("HX-Request"):
        return render(request, "planner/_check_answer.html", {**context, "update": True})
    return render(request, "planner/check.html", {**context, "choices": choices(catalog)})


def _context(pasted: Pasted, catalog: Catalog) -> dict[str, object]:
    page = check_page(pasted, catalog=catalog)
    link = f"{reverse('planner:check')}?{page.link}" if page.link else ""
    return {"page": page, "values": pasted.values, "link": link}
