"""Saved plans: the list, a new one, one plan, and what people say and decide about it."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from access.declare import PersonRequest, require_role
from access.listing import listing, render_list
from access.roles import Role
from planner.actions.conflict import ConflictError
from planner.actions.plans import RefusedError, archive, comment, take_step
from planner.clock import today
from planner.core.approval import STEPS
from planner.forms.plans import CommentForm, RevisionForm, SaveForm, ShareForm, StepForm
from planner.messages import word
from planner.messages.plans import REFUSALS, STEPS_DONE
from planner.models import SavedPlan
from planner.plans.approval import approval_for
from planner.plans.changing import MAX_QUERY_CHARS
from planner.plans.evaluations_page import judgements
from planner.plans.marks import STATES, flips_in_words, mark, row_of
from planner.plans.page import title_of, version_page
from planner.plans.saving import Faults, checked, content_of_query, keep_new
from planner.queries import current_catalog
from planner.queries.plans import (
    COLUMNS,
    DEFAULT_SORT,
    PlanFilters,
    history,
    version_of,
)
from planner.queries.plans import plans as all_plans

CONFLICT = 409
UNFIT = 422


@require_safe
@require_role(Role.VIEWER)
def plans(request: PersonRequest) -> HttpResponse:
    """Every plan, with search, filters and sort in the address."""
    found = listing(request, all_plans(), filters=PlanFilters, columns=COLUMNS, sort=DEFAULT_SORT)
    catalog = current_catalog()
    context = {
        "listing": found,
        "rows": [row_of(plan, catalog) for plan in found.rows],
        "may_write": request.user.may(Role.OPERATOR),
        "may_rule": request.user.may(Role.ADMIN),
    }
    return render_list(
        request, page="planner/plans/plans.html", part="planner/plans/_plans.html", context=context
    )


@require_http_methods(["GET", "HEAD", "POST"])
@require_role(Role.OPERATOR)
def new_plan(request: PersonRequest) -> HttpResponse:
    """Keep the set-up of an address under a name."""
    given = request.POST if request.method == "POST" else None
    query = (given.get("query", "") if given else request.GET.urlencode())[:MAX_QUERY_CHARS]
    catalog, raw = current_catalog(), content_of_query(query)
    content, title = checked(raw, catalog), title_of(raw["request"], catalog)
    form = SaveForm(given, initial={"name": title[:120]})
    faults = content.messages if isinstance(content, Faults) else []
    if not isinstance(content, Faults) and form.is_valid():
        kept = keep_new(content, catalog=catalog, on=today(), actor=request.user, **form.cleaned_data)
        if isinstance(kept, SavedPlan):
            messages.success(request, _("The plan is kept."))
            return redirect("planner:saved_plan", uid=kept.uid)
        faults = kept.messages
    context = {"form": form, "query": query, "title": title, "faults": faults}
    unfit = given is not None or faults
    return render(request, "planner/plans/new.html", context, status=UNFIT if unfit else 200)


@require_safe
@require_role(Role.VIEWER)
def saved_plan(request: PersonRequest, uid: str) -> HttpResponse:
    """One plan: what it says, what it rests on, and what was said and decided about it."""
    return plan_response(request, get_object_or_404(all_plans(), uid=uid))


def plan_response(
    request: PersonRequest, plan: SavedPlan, *, status: int = 200, **forms: Any
) -> HttpResponse:
    """The page of a plan; `forms` are those in which something was typed that could not be kept."""
    version = version_of(plan)
    assert version is not None  # every plan has its newest version
    context = {
        "plan": plan,
        "version": version,
        "page": version_page(version, current_catalog()),
        "state": mark(STATES, plan.state),
        "flipped": flips_in_words(plan.flipped),
        "judgements": judgements(plan),
        "approval": approval_for(plan, request.user),
        "step_form": StepForm(initial={"revision": plan.revision}),
        "archive_form": RevisionForm(initial={"revision": plan.revision}),
        "comment_form": CommentForm(),
        "share_form": ShareForm(),
        "may_write": request.user.may(Role.OPERATOR),
        **history(plan),
        **forms,
    }
    return render(request, "planner/plans/plan.html", context, status=status)


@require_POST
@require_role(Role.OPERATOR)
def add_comment(request: PersonRequest, uid: str) -> HttpResponse:
    """Say something about a plan."""
    plan = get_object_or_404(all_plans(), uid=uid)
    form = CommentForm(request.POST)
    if not form.is_valid():
        return plan_response(request, plan, status=UNFIT, comment_form=form)
    comment(plan, form.cleaned_data["text"], actor=request.user)
    return HttpResponseRedirect(reverse("planner:saved_plan", args=[uid]) + "#comments")


@require_POST
@require_role(Role.OPERATOR)
def step(request: PersonRequest, uid: str, name: str) -> HttpResponse:
    """Take one step of the approval. What stands in its way is said beside the reason that was typed."""
    plan = get_object_or_404(all_plans(), uid=uid)
    form = StepForm(request.POST)
    if name not in STEPS or not form.is_valid():
        return plan_response(request, plan, status=UNFIT, step_form=form)
    data = form.cleaned_data
    try:
        take_step(plan, name, revision=data["revision"], reason=data["reason"], actor=request.user)
    except ConflictError:
        text = _("Somebody changed this plan since you saw it. Nothing was decided: look at it again.")
        return _refused(request, uid, data["reason"], text, status=CONFLICT)
    except RefusedError as error:
        text = word(REFUSALS, error.refusal.code, {"state": str(STATES[plan.state][2])})
        return _refused(request, uid, data["reason"], text, status=UNFIT)
    messages.success(request, STEPS_DONE[name])
    return redirect("planner:saved_plan", uid=uid)


def _refused(request: PersonRequest, uid: str, reason: str, text: str, *, status: int) -> HttpResponse:
    """The plan as it is now, with the reason still in its field."""
    plan = all_plans().get(uid=uid)
    form = StepForm({"revision": plan.revision, "reason": reason})
    form.add_error("reason", text)
    return plan_response(request, plan, status=status, step_form=form)


@require_POST
@require_role(Role.OPERATOR)
def archive_plan(request: PersonRequest, uid: str) -> HttpResponse:
    """Take a plan out of the list, or bring it back."""
    plan = get_object_or_404(SavedPlan, uid=uid)
    back, form = request.POST.get("back") == "1", RevisionForm(request.POST)
    revision = form.cleaned_data["revision"] if form.is_valid() else -1
    try:
        archive(plan, revision=revision, actor=request.user, back=back)
    except ConflictError:
        messages.error(request, _("Somebody changed this plan since you saw it. Look at it again."))
    else:
        said = _("%(name)s is back in the list.") if back else _("%(name)s is archived.")
        messages.success(request, said % {"name": plan.name})
    return redirect("planner:saved_plan", uid=uid)
