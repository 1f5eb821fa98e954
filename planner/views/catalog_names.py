"""The page of reported names: what the team says of them, and a box to try one."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from access.declare import PersonRequest, require_role
from access.listing import listing, render_list
from access.revisions import typed_revision
from access.roles import Role
from planner.actions.conflict import ConflictError
from planner.actions.entries import map_accelerator, remove_mapping
from planner.answers.names import mapping_errors
from planner.browse.names import name_row, tested
from planner.core.matching import collapse
from planner.core.specs import Catalog
from planner.models import Accelerator, AcceleratorMapping
from planner.queries import browse as queries
from planner.queries import current_catalog


@require_safe
@require_role(Role.VIEWER)
def mappings(request: PersonRequest) -> HttpResponse:
    """Every mapping of the team, and what the name of the address is taken for."""
    catalog = current_catalog()
    context = _context(request, catalog)
    if not request.headers.get("HX-Request"):
        context["tested"] = tested(request.GET.dict(), catalog)
        context |= _typed(request)
    page, part = "planner/browse/mappings.html", "planner/browse/_mappings.html"
    return render_list(request, page=page, part=part, context=context)


def _context(request: PersonRequest, catalog: Catalog) -> dict[str, Any]:
    shown = listing(
        request,
        queries.mappings(),
        filters=queries.MappingFilters,
        columns=queries.MAPPING_COLUMNS,
        sort="name",
    )
    return {
        "listing": shown,
        "rows": [name_row(mapping, catalog) for mapping in shown.rows],
        "cards": [(key, spec.name) for key, spec in catalog.accelerators.items()],
        "may_write": request.user.may(Role.OPERATOR),
    }


def _typed(request: PersonRequest) -> dict[str, Any]:
    """What the form to add or change one starts from."""
    asked = request.GET.get("change", "")
    found = queries.mappings().filter(pk=typed_revision(asked)).first() if asked else None
    if found is not None:
        return {
            "typed": {
                "reported": found.reported_name,
                "accelerator": found.accelerator.key,
                "revision": found.revision,
            }
        }
    reported, card = collapse(request.GET.get("name", ""))[:200], request.GET.get("was", "")[:200]
    return {"typed": {"reported": reported, "accelerator": card, "revision": 0}}


@require_POST
@require_role(Role.OPERATOR)
def map_name(request: PersonRequest) -> HttpResponse:
    """Say which card a reported name is, or change that."""
    post, catalog = request.POST, current_catalog()
    name, key = collapse(post.get("reported", "")[:400]), post.get("accelerator", "").strip()[:200]
    revision = typed_revision(post.get("revision", ""))
    errors = mapping_errors(name, key, catalog)
    status, note = 422, ""
    if not errors:
        card = get_object_or_404(Accelerator, key=key)
        try:
            map_accelerator(name, card, actor=request.user, revision=revision)
        except ConflictError as conflict:
            current = conflict.current
            assert isinstance(current, AcceleratorMapping)
            status, revision = 409, current.revision
            there = current.accelerator.name if current.revision else _("nothing")
            note = (
                _("Somebody else said meanwhile that it is %s. Save again to put yours in place of that.")
                % there
            )
        else:
            messages.success(
                request, _("%(name)s counts as %(card)s from now on.") % {"name": name, "card": card.name}
            )
            return redirect("planner:mappings")
    context = _context(request, catalog) | {
        "errors": errors,
        "note": note,
        "typed": {"reported": name, "accelerator": key, "revision": revision},
    }
    return render(request, "planner/browse/mappings.html", context, status=status)


@require_POST
@require_role(Role.OPERATOR)
def unmap_name(request: PersonRequest, pk: int) -> HttpResponse:
    """Take a mapping back."""
    mapping = get_object_or_404(queries.mappings(), pk=pk)
    try:
        revision = typed_revision(request.POST.get("revision", ""))
        remove_mapping(mapping, revision=revision, actor=request.user)
    except ConflictError:
        messages.error(request, _("Somebody changed it meanwhile. Look at it again first."))
    else:
        text = _("%s is no longer mapped. The form below puts it back.")
        messages.success(request, text % mapping.reported_name)
        query = urlencode({"name": mapping.reported_name, "was": mapping.accelerator.key})
        return redirect(f"{reverse('planner:mappings')}?{query}")
    return redirect("planner:mappings")
