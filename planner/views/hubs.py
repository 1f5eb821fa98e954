"""Hubs that models may be fetched from: the pages of an administrator."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from access.declare import PersonRequest, require_role
from access.roles import Role
from planner.actions.imports import change_hub, create_hub, delete_hub
from planner.answers.hubs import HubError, Wanted, try_hub
from planner.answers.imports import message
from planner.core.figures import count
from planner.forms.imports import DeleteHubForm, HubForm, TryForm
from planner.models import HubEndpoint
from planner.queries.imports import hub as hub_of
from planner.queries.imports import hubs as all_hubs

MOST_HUBS = 50
GET_POST = ["GET", "HEAD", "POST"]


@require_role(Role.ADMIN)
@never_cache
@require_http_methods(GET_POST)
def hubs(request: PersonRequest) -> HttpResponse:
    """List hubs and add one."""
    form = HubForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        if all_hubs().count() >= MOST_HUBS:
            form.add_error(None, _("There may be %s hubs.") % MOST_HUBS)
        else:
            made = create_hub(actor=request.user, **form.values())
            messages.success(request, _("%(name)s is added. Try it.") % {"name": made.name})
            return redirect("planner:hub", uid=made.uid)
    context = {"form": form, "rows": all_hubs()}
    return render(request, "planner/imports/hubs.html", context, status=422 if form.errors else 200)


@require_role(Role.ADMIN)
@never_cache
@require_http_methods(GET_POST)
def hub(request: PersonRequest, uid: str) -> HttpResponse:
    """One hub: change it."""
    found = _found(uid)
    if request.method != "POST":
        return _page(request, found)
    form = HubForm(request.POST, instance=_found(uid))
    if not form.is_valid():
        return _page(request, found, form=form, status=422)
    change_hub(found, actor=request.user, **form.values())
    messages.success(request, _("%(name)s is changed.") % {"name": form.cleaned_data["name"]})
    return redirect("planner:hub", uid=uid)


@require_role(Role.ADMIN)
@require_POST
def try_hub_now(request: PersonRequest, uid: str) -> HttpResponse:
    """Read the config of a model from a hub, to see that it answers. Nothing is kept."""
    found, form = _found(uid), TryForm(request.POST)
    if not form.is_valid():
        return _page(request, found, try_form=form, status=422)
    try:
        size = try_hub(Wanted(hub=found, model=form.cleaned_data["model"]))
    except HubError as error:
        form.add_error("model", message(error.problem))
        return _page(request, found, try_form=form, status=422)
    values = {"name": found.name, "bytes": count(size), "model": form.cleaned_data["model"]}
    messages.success(
        request, _("%(name)s answers: the config.json of %(model)s has %(bytes)s bytes.") % values
    )
    return redirect("planner:hub", uid=uid)


@require_role(Role.ADMIN)
@require_POST
def delete_hub_now(request: PersonRequest, uid: str) -> HttpResponse:
    """Forget a hub whose name was typed."""
    found = _found(uid)
    form = DeleteHubForm(found.name, request.POST, prefix="delete")
    if not form.is_valid():
        return _page(request, found, delete_form=form, status=422)
    delete_hub(found, actor=request.user)
    messages.success(request, _("%(name)s is deleted.") % {"name": found.name})
    return redirect("planner:hubs")


def _page(request: PersonRequest, found: HubEndpoint, *, status: int = 200, **more: Any) -> HttpResponse:
    context = {
        "hub": found,
        "form": HubForm(instance=found),
        "try_form": TryForm(),
        "delete_form": DeleteHubForm(found.name, prefix="delete"),
        **more,
    }
    return render(request, "planner/imports/hub.html", context, status=status)


def _found(uid: str) -> HubEndpoint:
    found = hub_of(uid)
    if found is None:
        raise Http404
    return found
