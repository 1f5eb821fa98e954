"""Bringing in a model: from files or from a hub, looked at first and kept then."""

from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from access.counters import allow
from access.declare import PersonRequest, require_role
from access.revisions import typed_revision
from access.roles import Role
from planner.actions.catalog import CatalogFaultsError
from planner.actions.conflict import ConflictError
from planner.actions.entries import EntryExistsError
from planner.actions.imports import keep_import
from planner.answers.hubs import HubError, Wanted, fetch
from planner.answers.imports import Looked, Offered, look, message, name_problem, pack, unpack
from planner.core.outcome import Problem
from planner.core.specs import Catalog
from planner.forms.imports import GivenForm, WantedForm
from planner.imports.page import plan_address, preview
from planner.queries import current_catalog
from planner.queries.imports import hubs, own_model

PAGE = "planner/imports/import.html"
FETCHES_PER_MINUTE = 10


@require_http_methods(["GET", "HEAD", "POST"])
@require_role(Role.OPERATOR)
def import_model(request: PersonRequest) -> HttpResponse:
    """Read a model from what is pasted or chosen, or from a hub, and show what was read."""
    is_hub = request.method == "POST" and "hub" in request.POST
    wanted = WantedForm(request.POST if is_hub else request.GET if "model" in request.GET else None)
    given = GivenForm(*((request.POST, request.FILES) if request.method == "POST" and not is_hub else ()))
    if request.method != "POST":
        start = {name: request.GET[name] for name in wanted.fields if name in request.GET}
        return _page(request, given=given, wanted=WantedForm(initial=start))
    found = _fetched(request, wanted) if is_hub else _given(given)
    form: forms.Form = wanted if is_hub else given
    catalog = current_catalog()
    looked = look(found, catalog) if isinstance(found, Offered) else found
    if isinstance(looked, Looked):
        return _preview(request, looked, catalog, key=looked.name)
    for problem in looked:
        form.add_error(_place(form, problem), message(problem))
    return _page(request, given=given, wanted=wanted, status=422)


def _place(form: forms.Form, problem: Problem) -> str | None:
    """The field beside which a problem is said; None where it is none of the form's."""
    place = (problem.field or "").split(".")[0]
    if isinstance(form, WantedForm):
        return place if place in form.fields else None
    pasted = place in ("config", "model", "index") and form.cleaned_data.get("config")
    return "config" if pasted else "chosen" if form.cleaned_data.get("chosen") else None


def _given(form: GivenForm) -> Offered | list[Problem]:
    if not form.is_valid():
        return []
    origin = "upload" if form.cleaned_data["chosen"] else "paste"
    return Offered(files=form.given(), origin=origin)


def _fetched(request: PersonRequest, form: WantedForm) -> Offered | list[Problem]:
    if not form.is_valid():
        return []
    if not allow(f"hub:user:{request.user.pk}", limit=FETCHES_PER_MINUTE, window=timedelta(minutes=1)):
        return [Problem(code="hub_too_often", field=None)]
    asked = form.cleaned_data
    try:
        found = fetch(Wanted(**{name: asked[name] for name in ("hub", "model", "revision", "file")}))
    except HubError as error:
        return [error.problem]
    return Offered(
        files=found.files,
        origin=asked["hub"].kind,
        name=asked["model"],
        address=found.address,
        commit=found.commit,
        remarks=found.remarks,
    )


@require_POST
@require_role(Role.OPERATOR)
def keep_model_import(request: PersonRequest) -> HttpResponse:
    """Put what was looked at into the catalog. The same again changes nothing."""
    looked = unpack(request.POST.get("package", ""), user=request.user.pk)
    if looked is None:
        messages.error(request, message(Problem(code="package_stale", field=None)))
        return redirect("planner:import_model")
    key, catalog = request.POST.get("id", "").strip(), current_catalog()
    wrong = name_problem(key, catalog, own=own_model(key) is not None)
    if wrong is not None:
        return _preview(request, looked, catalog, key=key, error=message(wrong))
    revision = typed_revision(request.POST["revision"]) if "revision" in request.POST else None
    try:
        entry, done = keep_import(
            looked.named(key),
            sources=looked.sources,
            given=looked.given(),
            actor=request.user,
            revision=revision,
        )
    except EntryExistsError:
        return _preview(request, looked, catalog, key=key)
    except ConflictError:
        changed = message(Problem(code="name_changed", field="id"))
        return _preview(request, looked, catalog, key=key, error=changed)
    except CatalogFaultsError as error:
        return _preview(request, looked, catalog, key=key, error=str(error))
    _tell(request, key, done)
    return redirect("planner:model", key=entry.key)


def _tell(request: HttpRequest, key: str, done: str) -> None:
    text = {
        "created": _("%(name)s is in the catalog."),
        "updated": _("%(name)s is as it was just read."),
        "unchanged": _("%(name)s is in the catalog already, with the same figures."),
    }[done] % {"name": key}
    messages.success(request, format_html('{} <a href="{}">{}</a>', text, plan_address(key), _("Plan it")))


def _preview(
    request: PersonRequest, looked: Looked, catalog: Catalog, *, key: str, error: str = ""
) -> HttpResponse:
    existing = own_model(key)
    package = pack(looked, user=request.user.pk)
    shown = preview(looked, catalog=catalog, package=package, key=key, existing=existing)
    if not error and existing is None:
        wrong = name_problem(key, catalog, own=False)
        error = message(wrong) if wrong is not None else ""
    context: dict[str, Any] = {"page": shown, "error": error}
    is_refused = bool(error) and "id" in request.POST
    return render(request, PAGE, context, status=422 if is_refused else 200)


def _page(request: PersonRequest, *, given: GivenForm, wanted: WantedForm, status: int = 200) -> HttpResponse:
    context = {
        "given": given,
        "wanted": wanted,
        "hubs": list(hubs(in_use=True)),
        "may_set_hubs": request.user.may(Role.ADMIN),
    }
    return render(request, PAGE, context, status=status)
