"""The reference sheet: one page to read and to print."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from access.declare import require_role
from access.roles import Role
from planner.queries import current_catalog
from planner.reference.page import reference_page


@require_safe
@require_role(Role.VIEWER)
def reference(request: HttpRequest) -> HttpResponse:
    """Sizes × precision, the sayings that they correct, and the recipe worked through."""
    return render(request, "planner/reference.html", {"page": reference_page(current_catalog())})
