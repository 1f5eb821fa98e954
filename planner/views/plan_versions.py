"""Versions of saved plans: another one, an old one, what differs, and plans side by side."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from access.declare import PersonRequest, require_role
from access.roles import Role
from planner.actions.plans import RefusedError
from planner.answers.estimates import problem_message
from planner.clock import today
from planner.core.outcome import Problem
from planner.core.plan_changes import differences
from planner.core.specs import Catalog
from planner.forms.plans import VersionForm
from planner.messages import word
from planner.messages.plans import REFUSALS
from planner.models import PlanVersion, SavedPlan
from planner.plans.changing import change_page, read_change
from planner.plans.compare import comparison
from planner.plans.fields import changed
from planner.plans.page import changed_figures, version_page
from planner.plans.saving import Change, Clash, Faults, Kept, checked, keep_version, laid_on
from planner.queries import current_catalog
from planner.queries.plans import newest_versions, version_of
from planner.queries.plans import plans as all_plans
from planner.views.plans import CONFLICT, UNFIT

MOST_COMPARED = 6


@require_http_methods(["GET", "HEAD", "POST"])
@require_role(Role.OPERATOR)
def change_plan(request: PersonRequest, uid: str) -> HttpResponse:
    """Keep a set-up as another version of a plan: first what it changes, then, with a reason, the version."""
    plan = get_object_or_404(all_plans(), uid=uid)
    given = request.POST if request.method == "POST" else None
    base = version_or_404(plan, (given or request.GET).get("sv", ""))
    change = read_change(given or request.GET, base)
    form = VersionForm(given)
    if isinstance(change, Problem):
        return change_response(
            request, plan, base, None, form=form, faults=[problem_message(change)], status=UNFIT
        )
    content = checked(change.ours, current_catalog())
    if isinstance(content, Faults):
        return change_response(request, plan, base, None, form=form, faults=content.messages, status=UNFIT)
    if form.is_valid():
        return keep_change(request, plan, base, change, form)
    return change_response(request, plan, base, change, form=form, faults=[], status=UNFIT if given else 200)


def keep_change(
    request: PersonRequest, plan: SavedPlan, base: PlanVersion, change: Change, form: VersionForm
) -> HttpResponse:
    """Keep a version, ask about what two people changed, or say what is wrong. Nothing is half written."""
    catalog = current_catalog()
    try:
        found = keep_version(plan, change, catalog=catalog, on=today(), actor=request.user)
    except RefusedError as error:
        faults = [word(REFUSALS, error.refusal.code, {})]
        return change_response(request, plan, base, change, form=form, faults=faults, status=UNFIT)
    if isinstance(found, Clash):
        faults = [_("Choose for each field.")] if change.answered else []
        return change_response(request, plan, base, change, form=form, faults=faults, status=CONFLICT)
    if isinstance(found, Faults):
        return change_response(request, plan, base, change, form=form, faults=found.messages, status=UNFIT)
    if isinstance(found, Kept):
        messages.success(request, _kept_sentence(found, catalog))
    else:
        messages.info(request, _("Nothing differs from the newest version, so none was added."))
    return redirect("planner:saved_plan", uid=plan.uid)


def _kept_sentence(found: Kept, catalog: Catalog) -> str:
    """What was kept, and what others had changed that is in it too."""
    kept = _("Version %(number)s is kept.") % {"number": found.plan.number}
    if not found.others:
        return kept
    names = _(", ").join(changed(item, catalog).name for item in found.others)
    text = ngettext(
        "Somebody else had changed %(names)s meanwhile: that is in it too.",
        "Others had changed these meanwhile, and they are in it too: %(names)s.",
        len(found.others),
    )
    return f"{kept} {text % {'names': names}}"


def change_response(
    request: PersonRequest,
    plan: SavedPlan,
    base: PlanVersion,
    change: Change | None,
    *,
    form: VersionForm,
    faults: list[str],
    status: int,
) -> HttpResponse:
    """The page of another version. `change` is None where what was sent is no content, so nothing of it is shown."""
    plan, catalog = all_plans().get(pk=plan.pk), current_catalog()
    back = request.GET.urlencode() if "sp" in request.GET else ""
    laid = change and laid_on(plan, change, catalog=catalog)
    page = change_page(base, change, laid, catalog) if change and laid else None
    context = {
        "plan": plan,
        "form": form,
        "page": page,
        "faults": faults,
        "back": back,
        "action": _action(plan, back),
    }
    return render(request, "planner/plans/change.html", context, status=status)


def _action(plan: SavedPlan, back: str) -> str:
    """Where the form goes: with the set-up it came from, so that the way back stays."""
    address = reverse("planner:change_plan", args=[plan.uid])
    return f"{address}?{back}" if back else address


def version_or_404(plan: SavedPlan, text: str) -> PlanVersion:
    """The version of this number; the newest where none is named."""
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 9 else None
    found = version_of(plan, number)
    if found is None:
        raise Http404
    return found


@require_safe
@require_role(Role.VIEWER)
def plan_version(request: PersonRequest, uid: str, number: int) -> HttpResponse:
    """One version as it was answered when it was kept."""
    plan = get_object_or_404(all_plans(), uid=uid)
    version = version_or_404(plan, str(number))
    context = {"plan": plan, "version": version, "page": version_page(version, current_catalog())}
    return render(request, "planner/plans/version.html", context)


@require_safe
@require_role(Role.VIEWER)
def plan_diff(request: PersonRequest, uid: str) -> HttpResponse:
    """What differs between two versions: what was asked, and what came out."""
    plan, catalog = get_object_or_404(all_plans(), uid=uid), current_catalog()
    after = version_or_404(plan, request.GET.get("to", ""))
    before = version_or_404(plan, request.GET.get("from", "") or str(max(1, after.number - 1)))
    context: dict[str, Any] = {
        "plan": plan,
        "before": before,
        "after": after,
        "fields": [changed(item, catalog) for item in differences(before.content, after.content)],
        "figures": changed_figures(before, after),
        "numbers": range(plan.number, 0, -1),
        "new_basis": _other_basis(before, after),
    }
    return render(request, "planner/plans/diff.html", context)


def _other_basis(before: PlanVersion, after: PlanVersion) -> bool:
    """Whether catalog or prices moved between two versions; prices in two currencies are two bases anyway."""
    sides = [dict(version.basis) for version in (before, after)]
    if before.answer["bill"]["currency"] != after.answer["bill"]["currency"]:
        sides = [{**side, "prices": None} for side in sides]
    return sides[0] != sides[1]


@require_safe
@require_role(Role.VIEWER)
def compare_plans(request: PersonRequest) -> HttpResponse:
    """Plans side by side; which ones is in the address."""
    uids = list(dict.fromkeys(request.GET.getlist("id")))
    versions = newest_versions(uids[:MOST_COMPARED])
    only = request.GET.get("only") == "different"
    context = {
        "table": comparison(versions, current_catalog(), only_different=only),
        "missing": len(uids[:MOST_COMPARED]) - len(versions),
        "too_many": len(uids) > MOST_COMPARED,
        "most": MOST_COMPARED,
        "only": only,
        "ids": "&".join(f"id={version.plan.uid}" for version in versions),
    }
    return render(request, "planner/plans/compare.html", context)
