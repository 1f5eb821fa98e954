"""Pages with which a team makes the catalog its own: new, changed, reset and retired records."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from access.declare import PersonRequest, require_role
from access.revisions import typed_revision
from access.roles import Role
from planner.actions.conflict import ConflictError
from planner.actions.entries import EntryExistsError, EntryInUseError, edit_entry, retire_entry
from planner.answers.catalog import ACCELERATORS, PLATFORMS, Stated, change, create, without_figure
from planner.answers.catalog_fields import ACCELERATOR_FIGURES, PLATFORM_FIGURES
from planner.answers.catalog_models import change_model
from planner.browse import model_form
from planner.browse.entry_form import differing, entry_form, stated_instead, statement_of
from planner.messages.catalog import FIGURES
from planner.models import Accelerator, CatalogEntry, ModelShape, Platform
from planner.queries import current_catalog
from planner.queries.entries import source_words, uses_of

GET_POST = ["GET", "HEAD", "POST"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A table with the pages of its records."""

    stated: Stated
    figures: Sequence[str]
    name: str  # of the page of one record


CARD = Kind(stated=ACCELERATORS, figures=ACCELERATOR_FIGURES, name="accelerator")
PLATFORM = Kind(stated=PLATFORMS, figures=PLATFORM_FIGURES, name="platform")


@require_http_methods(GET_POST)
@require_role(Role.OPERATOR)
def new_accelerator(request: PersonRequest) -> HttpResponse:
    """Add an accelerator of the team's own."""
    return _new(request, CARD)


@require_http_methods(GET_POST)
@require_role(Role.OPERATOR)
def new_platform(request: PersonRequest) -> HttpResponse:
    """Add a platform of the team's own."""
    return _new(request, PLATFORM)


@require_http_methods(GET_POST)
@require_role(Role.OPERATOR)
def edit_accelerator(request: PersonRequest, key: str) -> HttpResponse:
    """Lay the team's words over an accelerator."""
    return _edit(request, CARD, get_object_or_404(Accelerator, key=key))


@require_http_methods(GET_POST)
@require_role(Role.OPERATOR)
def edit_platform(request: PersonRequest, key: str) -> HttpResponse:
    """Lay the team's words over a platform."""
    return _edit(request, PLATFORM, get_object_or_404(Platform, key=key))


@require_http_methods(GET_POST)
@require_role(Role.OPERATOR)
def reset_accelerator(request: PersonRequest, key: str) -> HttpResponse:
    """Take the team's words back, all or one figure."""
    return _reset(request, CARD, get_object_or_404(Accelerator, key=key))


@require_http_methods(GET_POST)
@require_role(Role.OPERATOR)
def reset_platform(request: PersonRequest, key: str) -> HttpResponse:
    """Take the team's words back, all or one figure."""
    return _reset(request, PLATFORM, get_object_or_404(Platform, key=key))


@require_http_methods(GET_POST)
@require_role(Role.OPERATOR)
def retire_accelerator(request: PersonRequest, key: str) -> HttpResponse:
    """Let an accelerator of the team's own count no more, or again."""
    return _retire(request, CARD, get_object_or_404(Accelerator, key=key, shipped__isnull=True))


@require_http_methods(GET_POST)
@require_role(Role.OPERATOR)
def retire_platform(request: PersonRequest, key: str) -> HttpResponse:
    """Let a platform of the team's own count no more, or again."""
    return _retire(request, PLATFORM, get_object_or_404(Platform, key=key, shipped__isnull=True))


def _new(request: PersonRequest, kind: Kind) -> HttpResponse:
    post = request.POST if request.method == "POST" else None
    errors: list[dict[str, Any]] = []
    if post is not None:
        said = {"id": post.get("id", "").strip(), **statement_of(post, kind.stated, kind.figures)}
        try:
            entry, errors = create(kind.stated, said, actor=request.user)
        except EntryExistsError:
            entry, message = None, _("There is one of this id already. Edit that, or take another id.")
            errors = [{"field": "id", "code": "exists", "message": message}]
        if entry is not None:
            messages.success(request, _("It is in the catalog, and plans find it from now on."))
            return redirect(f"planner:{kind.name}", key=entry.key)
    form = entry_form(kind.stated, kind.figures, entry=None, words={}, post=post, errors=errors)
    return render(
        request, "planner/browse/entry_form.html", _context(kind, form), status=422 if errors else 200
    )


def _context(kind: Kind, form: Any, **more: Any) -> dict[str, Any]:
    cards = [(key, spec.name) for key, spec in current_catalog().accelerators.items()]
    return {"form": form, "kind": kind, "cards": cards if kind is PLATFORM else [], **more}


def _edit(request: PersonRequest, kind: Kind, entry: CatalogEntry) -> HttpResponse:
    """Nothing typed is lost: on a conflict it stands in the form, beside what somebody else wrote meanwhile."""
    words = source_words()
    if request.method != "POST":
        form = entry_form(kind.stated, kind.figures, entry=entry, words=words)
        context = _context(kind, form, entry=entry, revision=entry.revision)
        return render(request, "planner/browse/entry_form.html", context)
    post = request.POST
    said = statement_of(post, kind.stated, kind.figures)
    more: dict[str, Any] = {"entry": entry, "revision": post.get("revision", "")}
    status = 422
    errors: list[dict[str, Any]] = []
    try:
        revision = typed_revision(post.get("revision", ""))
        changed, errors = change(kind.stated, entry, said, revision=revision, actor=request.user)
    except ConflictError as conflict:
        current = conflict.current
        assert isinstance(current, CatalogEntry)
        changed, status = None, 409
        more = {"entry": current, "revision": current.revision}
        more["conflict"] = differing(said, current, kind.stated, words)
    if changed is not None:
        messages.success(request, _("It is kept, and every estimate uses it from now on."))
        return redirect(f"planner:{kind.name}", key=entry.key)
    form = entry_form(kind.stated, kind.figures, entry=entry, words=words, post=post, errors=errors)
    return render(request, "planner/browse/entry_form.html", _context(kind, form, **more), status=status)


def _reset(request: PersonRequest, kind: Kind, entry: CatalogEntry) -> HttpResponse:
    """A page that names what is taken back; only its button does it."""
    figure = (request.POST if request.method == "POST" else request.GET).get("figure", "")
    if (
        entry.shipped is None
        or not entry.edited
        or (figure and figure not in entry.edited.get("figures", {}))
    ):
        messages.info(request, _("It is as shipped already."))
        return redirect(f"planner:{kind.name}", key=entry.key)
    if request.method == "POST":
        kept = without_figure(entry, figure) if figure else None
        try:
            edit_entry(
                entry, kept, actor=request.user, revision=typed_revision(request.POST.get("revision", ""))
            )
        except ConflictError:
            messages.error(request, _("Somebody changed it meanwhile. Look at it again before you reset it."))
        else:
            messages.success(request, _("It is as shipped again."))
        return redirect(f"planner:{kind.name}", key=entry.key)
    form = entry_form(kind.stated, kind.figures, entry=entry, words=source_words())
    context = {
        "address": _address(kind.name, entry),
        "entry": entry,
        "figure": figure,
        "figure_name": FIGURES.get(figure, figure),
        "fields": [] if figure else stated_instead(entry, kind.stated),
        "rows": [
            row
            for row in form.figures
            if row.name in entry.edited.get("figures", {}) and figure in ("", row.name)
        ],
    }
    return render(request, "planner/browse/reset.html", context)


def _address(name: str, entry: CatalogEntry) -> str:
    return reverse(f"planner:{name}", kwargs={"key": entry.key})


def _retire(request: PersonRequest, kind: Kind, entry: CatalogEntry) -> HttpResponse:
    back = entry.retired_at is not None
    uses = [] if back else uses_of(entry)
    status = 200
    if request.method == "POST":
        try:
            revision = typed_revision(request.POST.get("revision", ""))
            retire_entry(entry, revision=revision, actor=request.user, back=back)
        except ConflictError:
            messages.error(request, _("Somebody changed it meanwhile. Look at it again first."))
            return redirect(f"planner:{kind.name}", key=entry.key)
        except EntryInUseError as error:
            uses, status = error.uses, 409
        else:
            text = _("%s counts again.") if back else _("%s is retired. What names it stays readable.")
            messages.success(request, text % entry)
            return redirect(f"planner:{kind.name}", key=entry.key)
    context = {"address": _address(kind.name, entry), "entry": entry, "uses": uses, "back": back}
    return render(request, "planner/browse/retire.html", context, status=status)


@require_http_methods(GET_POST)
@require_role(Role.OPERATOR)
def edit_model(request: PersonRequest, key: str) -> HttpResponse:
    """State a model's context, engines and a note."""
    entry = get_object_or_404(ModelShape, key=key)
    engines = list(current_catalog().engines)
    post = request.POST if request.method == "POST" else None
    errors: list[dict[str, Any]] = []
    revision, status, conflict = entry.revision, 200, False
    if post is not None:
        status, revision = 422, typed_revision(post.get("revision", ""))
        said = model_form.statement_of(post, engines)
        tables = current_catalog().engines
        try:
            changed, errors = change_model(entry, said, engines=tables, revision=revision, actor=request.user)
        except ConflictError as error:
            changed, status, conflict = None, 409, True
            entry = error.current  # type: ignore[assignment]
            revision = entry.revision
        if changed is not None:
            messages.success(request, _("It is kept, and every estimate uses it from now on."))
            return redirect("planner:model", key=key)
    words = source_words()
    context = {
        "entry": entry,
        "revision": revision,
        "form": model_form.model_form(entry, engines=engines, words=words, post=post, errors=errors),
        "now": model_form.model_form(entry, engines=engines, words=words) if conflict else None,
    }
    return render(request, "planner/browse/model_form.html", context, status=status)


@require_http_methods(GET_POST)
@require_role(Role.OPERATOR)
def reset_model(request: PersonRequest, key: str) -> HttpResponse:
    """Take everything back that the team states of a shipped model."""
    entry = get_object_or_404(ModelShape, key=key, shipped__isnull=False)
    if request.method == "POST":
        try:
            edit_entry(
                entry, None, actor=request.user, revision=typed_revision(request.POST.get("revision", ""))
            )
        except ConflictError:
            messages.error(request, _("Somebody changed it meanwhile. Look at it again before you reset it."))
        else:
            messages.success(request, _("It is as shipped again."))
        return redirect("planner:model", key=key)
    context = {"address": _address("model", entry), "entry": entry, "rows": []}
    return render(request, "planner/browse/reset.html", context)
