"""Saved plans: the list, one plan, and what people do to it."""

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
from planner.actions.plans import (
    StepRefusedError,
    archive,
    change_details,
    comment,
    take_step,
)
from planner.clock import today
from planner.core.approval import STEPS
from planner.core.plan_changes import merge
from planner.forms.plans import CommentForm, DetailsForm, SaveForm, ShareForm, StepForm
from planner.messages import word
from planner.messages.plans import REFUSALS
from planner.models import SavedPlan
from planner.plans.evaluations_page import judgements
from planner.plans.page import STATES, flips_in_words, mark, row_of, steps_for, title_of, version_page
from planner.plans.saving import Faults, checked, content_of_query, keep_new
from planner.queries import current_catalog
from planner.queries.plans import COLUMNS, DEFAULT_SORT, PlanFilters, history, version_of
from planner.queries.plans import plans as all_plans

MAX_QUERY_CHARS = 20_000


@require_safe
@require_role(Role.VIEWER)
def plans(request: PersonRequest) -> HttpResponse:
    """Every plan, with search, filters and sort in the address."""
    found = listing(request, all_plans(), filters=PlanFilters, columns=COLUMNS, sort=DEFAULT_SORT)
    context = {
        "listing": found,
        "rows": [row_of(plan) for plan in found.rows],
        "may_write": request.user.may(Role.OPERATOR),
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
    catalog = current_catalog()
    content = checked(content_of_query(query), catalog)
    raw = content_of_query(query)["request"]
    form = SaveForm(given, initial={"name": title_of(raw)[:120]})
    context = {"form": form, "query": query, "title": title_of(raw), "faults": []}
    if isinstance(content, Faults):
        return render(request, "planner/plans/new.html", {**context, "faults": content.messages}, status=422)
    if form.is_valid():
        data = form.cleaned_data
        plan = keep_new(
            content,
            catalog=catalog,
            on=today(),
            name=data["name"],
            notes=data["notes"],
            note="",
            actor=request.user,
        )
        messages.success(request, _("The plan is kept."))
        return redirect("planner:saved_plan", uid=plan.uid)
    return render(request, "planner/plans/new.html", context, status=422 if given else 200)


@require_safe
@require_role(Role.VIEWER)
def saved_plan(request: PersonRequest, uid: str) -> HttpResponse:
    """One plan: what it says, what it rests on, and what was said and decided about it."""
    plan = get_object_or_404(all_plans(), uid=uid)
    version = version_of(plan)
    assert version is not None  # every plan has its newest version
    context = {
        "plan": plan,
        "version": version,
        "page": version_page(version, current_catalog()),
        "state": mark(STATES, plan.state),
        "flipped": flips_in_words(plan.flipped),
        "judgements": judgements(plan),
        "steps": steps_for(plan, request.user),
        "step_form": StepForm(initial={"revision": plan.revision}),
        "comment_form": CommentForm(),
        "share_form": ShareForm(),
        "may_write": request.user.may(Role.OPERATOR),
        **history(plan),
    }
    return render(request, "planner/plans/plan.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@require_role(Role.OPERATOR)
def edit_details(request: PersonRequest, uid: str) -> HttpResponse:
    """Change name and notes; what somebody else changed meanwhile stays, and what both changed is asked about."""
    plan = get_object_or_404(all_plans(), uid=uid)
    given = request.POST if request.method == "POST" else None
    start = {
        "name": plan.name,
        "notes": plan.notes,
        "revision": plan.revision,
        "base_name": plan.name,
        "base_notes": plan.notes,
    }
    form = DetailsForm(given, initial=start)
    if form.is_valid():
        data = form.cleaned_data
        found = merge(
            {"name": data["base_name"], "notes": data["base_notes"].replace("\r\n", "\n")},
            theirs={"name": plan.name, "notes": plan.notes},
            ours={"name": data["name"], "notes": data["notes"].replace("\r\n", "\n")},
        )
        if not found.conflicts:
            return _write_details(request, plan, dict(found.merged))
        form.data = {
            **form.data.dict(),  # type: ignore[attr-defined]
            "base_name": plan.name,
            "base_notes": plan.notes,
            "revision": plan.revision,
        }
        context = {"plan": plan, "form": form, "conflicts": found.conflicts}
        return render(request, "planner/plans/details.html", context, status=409)
    context = {"plan": plan, "form": form}
    return render(request, "planner/plans/details.html", context, status=422 if given else 200)


def _write_details(request: PersonRequest, plan: SavedPlan, merged: dict[str, str]) -> HttpResponse:
    values = {"name": merged.get("name", plan.name), "notes": merged.get("notes", "")}
    try:
        change_details(plan, revision=plan.revision, actor=request.user, **values)
    except ConflictError:
        messages.error(request, _("Somebody was faster in this moment. Save again."))
        return redirect("planner:edit_plan", uid=plan.uid)
    messages.success(request, _("Name and notes are changed."))
    return redirect("planner:saved_plan", uid=plan.uid)


@require_POST
@require_role(Role.OPERATOR)
def add_comment(request: PersonRequest, uid: str) -> HttpResponse:
    """Say something about a plan."""
    plan = get_object_or_404(SavedPlan, uid=uid)
    form = CommentForm(request.POST)
    if form.is_valid():
        comment(plan, form.cleaned_data["text"], actor=request.user)
    else:
        messages.error(request, _("A comment has from 1 to 4,000 characters. Yours was not kept."))
    return HttpResponseRedirect(reverse("planner:saved_plan", args=[uid]) + "#comments")


@require_POST
@require_role(Role.OPERATOR)
def step(request: PersonRequest, uid: str, name: str) -> HttpResponse:
    """Take one step of the approval."""
    plan = get_object_or_404(SavedPlan, uid=uid)
    form = StepForm(request.POST)
    if name not in STEPS or not form.is_valid():
        messages.error(request, _("This step cannot be taken like that. Look at the plan again."))
        return redirect("planner:saved_plan", uid=uid)
    data = form.cleaned_data
    try:
        take_step(plan, name, revision=data["revision"], reason=data["reason"], actor=request.user)
    except ConflictError:
        messages.error(
            request, _("Somebody changed this plan since you saw it. Nothing was decided: look at it again.")
        )
    except StepRefusedError as refused:
        state = str(STATES[plan.state][2])
        messages.error(request, word(REFUSALS, refused.refusal.code, {"state": state}))
    return redirect("planner:saved_plan", uid=uid)


@require_POST
@require_role(Role.OPERATOR)
def archive_plan(request: PersonRequest, uid: str) -> HttpResponse:
    """Take a plan out of the list, or bring it back."""
    plan = get_object_or_404(SavedPlan, uid=uid)
    back = plan.archived_at is not None
    try:
        archive(plan, revision=plan.revision, actor=request.user, back=back)
    except ConflictError:
        messages.error(request, _("Somebody changed this plan in this moment. Try again."))
    else:
        said = _("%(name)s is back in the list.") if back else _("%(name)s is archived.")
        messages.success(request, said % {"name": plan.name})
    return redirect("planner:saved_plan", uid=uid)
