"""The page "I have these cards". Its address is the question; nothing is kept anywhere else."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from access.declare import require_role
from access.roles import Role
from planner.choices import choices
from planner.fits.form import SIZES, SORTS, Asked, read_asked
from planner.fits.page import fits_page
from planner.presets import presets
from planner.queries import current_catalog


@require_safe
@require_role(Role.VIEWER)
def fits(request: HttpRequest) -> HttpResponse:
    """The whole page, or only what an edit changed when HTMX asks."""
    asked = read_asked(request.GET)
    address = _address(asked.query())
    if request.headers.get("HX-Request"):
        response = render(request, "planner/_fits_update.html", {**_context(request, asked), "update": True})
        header = "HX-Replace-Url" if request.headers.get("Plan-History") == "replace" else "HX-Push-Url"
        response[header] = address
        response["Vary"] = "HX-Request"
        return response
    if request.GET and dict(request.GET.items()) != dict(QueryDict(asked.query()).items()):
        return HttpResponseRedirect(address)
    catalog = current_catalog()
    card = asked.values["a"]
    context = {
        **_context(request, asked),
        "choices": choices(catalog),
        "families": sorted({model.family for model in catalog.models.values() if model.family}),
        "unlisted_card": bool(card) and card not in catalog.accelerators,
    }
    return render(request, "planner/fits.html", context)


def _context(request: HttpRequest, asked: Asked) -> dict[str, object]:
    path = reverse("planner:fits")
    address = request.build_absolute_uri(reverse("planner:create_fits"))
    return {
        "page": fits_page(asked, current_catalog(), address=address),
        "presets": presets(asked, path=path),
        "values": asked.values,
        "sorts": [
            (key, f"{path}?{asked.query({'sort': key})}", asked.values["sort"] == key) for key in SORTS
        ],
        "sizes": SIZES,
    }


def _address(query: str) -> str:
    path = reverse("planner:fits")
    return f"{path}?{query}" if query else path
