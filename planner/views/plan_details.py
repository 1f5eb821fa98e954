"""The name, the owner and the notes of a plan, which are no part of a version."""

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from access.declare import PersonRequest, require_role
from access.roles import Role
from planner.actions.conflict import ConflictError
from planner.actions.plans import RefusedError, change_details
from planner.core.plan_changes import Merge, merge
from planner.forms.plans import DetailsForm
from planner.messages import word
from planner.messages.plans import REFUSALS
from planner.models import SavedPlan
from planner.plans.fields import field_name
from planner.queries.plans import plans as all_plans
from planner.queries.plans import possible_owners
from planner.views.plans import CONFLICT, UNFIT

TRIES = 3


@require_http_methods(["GET", "HEAD", "POST"])
@require_role(Role.OPERATOR)
def edit_details(request: PersonRequest, uid: str) -> HttpResponse:
    """Change name, owner and notes; what somebody else changed meanwhile stays, and what both changed is asked about."""
    plan = get_object_or_404(all_plans(), uid=uid)
    given = request.POST if request.method == "POST" else None
    form = DetailsForm(possible_owners(plan), given, initial=_start(plan))
    if form.is_valid():
        return _keep(request, plan, form)
    context = {"plan": plan, "form": form}
    return render(request, "planner/plans/details.html", context, status=UNFIT if given else 200)


def _start(plan: SavedPlan) -> dict[str, str]:
    there = _there(plan)
    return {**there, **{f"base_{name}": value for name, value in there.items()}}


def _there(plan: SavedPlan) -> dict[str, str]:
    return {"name": plan.name, "owner": plan.owner.username, "notes": plan.notes}


def _keep(request: PersonRequest, plan: SavedPlan, form: DetailsForm) -> HttpResponse:
    """Lay what was typed over what stands there now, until nobody is faster."""
    for _try in range(TRIES):
        plan = all_plans().get(pk=plan.pk)
        found = _laid(plan, form)
        if found.conflicts:
            return _conflict(request, plan, form, found)
        try:
            _write(request, plan, found)
        except ConflictError:
            continue
        except RefusedError as error:
            form.add_error(None, word(REFUSALS, error.refusal.code, {}))
            break
        messages.success(request, _("The changes are kept."))
        return redirect("planner:saved_plan", uid=plan.uid)
    return render(request, "planner/plans/details.html", {"plan": plan, "form": form}, status=CONFLICT)


def _write(request: PersonRequest, plan: SavedPlan, found: Merge) -> None:
    wanted = {**_there(plan), "notes": "", **found.merged}
    changes = {name: value for name, value in wanted.items() if value != _there(plan)[name]}
    if changes:
        change_details(plan, revision=plan.revision, actor=request.user, **changes)


def _laid(plan: SavedPlan, form: DetailsForm) -> Merge:
    data = form.cleaned_data
    there = _there(plan)
    return merge(
        {name: data[f"base_{name}"] for name in there},
        theirs=there,
        ours={name: data[name] for name in there},
    )


def _conflict(request: PersonRequest, plan: SavedPlan, form: DetailsForm, found: Merge) -> HttpResponse:
    """Both sides; the form keeps what was typed where both changed, and takes theirs where they alone did."""
    ours = {conflict.path: conflict.ours or "" for conflict in found.conflicts}
    data = QueryDict(mutable=True)
    data.update({**_start(plan), **found.merged, **ours})
    theirs = [(field_name(conflict.parts), conflict.theirs or "") for conflict in found.conflicts]
    context = {"plan": plan, "form": DetailsForm(possible_owners(plan), data), "theirs": theirs}
    return render(request, "planner/plans/details.html", context, status=CONFLICT)
