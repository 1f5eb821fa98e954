"""Versions of saved plans: another one, an old one, what differs, and plans side by side."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from access.declare import PersonRequest, require_role
from access.roles import Role
from planner.answers.bills import platforms_for
from planner.clock import today
from planner.core.parse import parse_request
from planner.core.request import EstimateRequest
from planner.forms.plans import BillForm, ExtraFormSet, VersionForm
from planner.models import SavedPlan
from planner.plans.compare import comparison
from planner.plans.page import changed_fields, changed_figures, title_of, version_page
from planner.plans.saving import Clash, Faults, Kept, content_of_query, keep_version, resolved
from planner.queries import current_catalog
from planner.queries.plans import newest_versions, version_of
from planner.queries.plans import plans as all_plans
from planner.queries.team import team_settings
from planner.views.plans import MAX_QUERY_CHARS

MOST_COMPARED = 6


@require_http_methods(["GET", "HEAD", "POST"])
@require_role(Role.OPERATOR)
def change_plan(request: PersonRequest, uid: str) -> HttpResponse:
    """Keep the set-up of an address as another version of a plan."""
    plan = get_object_or_404(all_plans(), uid=uid)
    given = request.POST if request.method == "POST" else None
    query = (given.get("query", "") if given else request.GET.urlencode())[:MAX_QUERY_CHARS]
    began_as = _number((given or request.GET).get("sv", ""), plan)
    base = version_of(plan, began_as)
    if base is None:
        raise Http404
    ours = {**base.content, **content_of_query(query)}
    form = VersionForm(given)
    context = {
        "plan": plan,
        "form": form,
        "query": query,
        "began_as": began_as,
        "title": title_of(ours["request"]),
        "fields": changed_fields(base.content, ours),
    }
    if not form.is_valid():
        return render(request, "planner/plans/change.html", context, status=422 if given else 200)
    return _keep(request, plan, ours, base.content, context)


def _keep(
    request: PersonRequest,
    plan: SavedPlan,
    ours: dict[str, Any],
    base: dict[str, Any],
    context: dict[str, Any],
) -> HttpResponse:
    """Keep a version, ask about what both changed, or say what is wrong."""
    note, began_as = context["form"].cleaned_data["note"], context["began_as"]
    chosen = {key.removeprefix("take:"): value for key, value in request.POST.items() if key[:5] == "take:"}
    catalog = current_catalog()
    found = keep_version(
        plan, ours, began_as=began_as, catalog=catalog, on=today(), note=note, actor=request.user
    )
    seen = request.POST.get("theirs", "")
    if isinstance(found, Clash) and chosen and seen == str(found.number):
        # Both sides were seen and chosen between: what comes of it begins as theirs.
        mine = {path for path, side in chosen.items() if side == "ours"}
        found = keep_version(
            plan,
            resolved(found, base, mine),
            began_as=found.number,
            catalog=catalog,
            on=today(),
            note=note,
            actor=request.user,
        )
    if isinstance(found, Kept):
        said = (
            _("Version %(number)s is kept, with what somebody else changed meanwhile.")
            if found.merged
            else _("Version %(number)s is kept.")
        )
        messages.success(request, said % {"number": found.plan.number})
        return redirect("planner:saved_plan", uid=plan.uid)
    if isinstance(found, Faults):
        faults = found.messages or [_("Others are changing this plan right now. Save again.")]
        return render(request, "planner/plans/change.html", {**context, "faults": faults}, status=422)
    clash = {"conflicts": found.conflicts, "theirs": found.number}
    return render(request, "planner/plans/change.html", {**context, **clash}, status=409)


def _number(text: str, plan: SavedPlan) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else plan.number


@require_http_methods(["GET", "HEAD", "POST"])
@require_role(Role.OPERATOR)
def edit_bill(request: PersonRequest, uid: str) -> HttpResponse:
    """Choose the platform, spares and other items of a plan; what comes of it is another version."""
    plan = get_object_or_404(all_plans(), uid=uid)
    given = request.POST if request.method == "POST" else None
    began_as = _number((given or request.GET).get("sv", ""), plan)
    base = version_of(plan, began_as)
    if base is None:
        raise Http404
    bill = base.content.get("bill", {})
    start = {**bill, "price_source": base.content.get("price_source", "")}
    form = BillForm(_platforms(base.content), team_settings().currency, given, initial=start)
    extras = ExtraFormSet(given, initial=bill.get("extra", []), prefix="extra")
    note = VersionForm(given, initial={"note": _("Bill of materials")})
    context = {"plan": plan, "bill_form": form, "extras": extras, "form": note, "began_as": began_as}
    if not (given and form.is_valid() and extras.is_valid() and note.is_valid()):
        return render(request, "planner/plans/edit_bill.html", context, status=422 if given else 200)
    ours = {**base.content, "bill": _bill(form.cleaned_data, extras)}
    source = form.cleaned_data["price_source"]
    ours = (
        {**ours, "price_source": source} if source else {k: v for k, v in ours.items() if k != "price_source"}
    )
    context |= {"query": "", "title": plan.name, "fields": changed_fields(base.content, ours)}
    return _keep(request, plan, ours, base.content, context)


def _platforms(content: dict[str, Any]) -> list[tuple[str, str]]:
    catalog = current_catalog()
    parsed = parse_request(content["request"], catalog)
    if not isinstance(parsed, EstimateRequest):
        return []
    return [(record["id"], str(record["name"])) for record in platforms_for(parsed, catalog)]


def _bill(data: dict[str, Any], extras: Any) -> dict[str, Any]:
    """The bill of a content out of clean forms."""
    kept = [form.cleaned_data for form in extras if form.cleaned_data and not form.cleaned_data.get("DELETE")]
    items = [
        {
            "name": item["name"],
            "quantity": item["quantity"],
            "unit_price": None if item["unit_price"] is None else float(item["unit_price"]),
            "source": item["source"],
        }
        for item in kept
    ]
    bill = {
        "currency": data["currency"] or None,
        "platform": data["platform"] or None,
        "spares": data["spares"] or None,
        "extra": [{key: value for key, value in item.items() if value not in (None, "")} for item in items]
        or None,
    }
    return {key: value for key, value in bill.items() if value is not None}


@require_safe
@require_role(Role.VIEWER)
def plan_version(request: PersonRequest, uid: str, number: int) -> HttpResponse:
    """One version as it was answered when it was kept."""
    plan = get_object_or_404(all_plans(), uid=uid)
    version = version_of(plan, number)
    if version is None:
        raise Http404
    context = {"plan": plan, "version": version, "page": version_page(version, current_catalog())}
    return render(request, "planner/plans/version.html", context)


@require_safe
@require_role(Role.VIEWER)
def plan_diff(request: PersonRequest, uid: str) -> HttpResponse:
    """What differs between two versions: what was asked, and what came out."""
    plan = get_object_or_404(all_plans(), uid=uid)
    last = _number(request.GET.get("to", ""), plan)
    first = _number(request.GET.get("from", str(max(1, last - 1))), plan)
    before, after = version_of(plan, first), version_of(plan, last)
    if before is None or after is None:
        raise Http404
    context = {
        "plan": plan,
        "before": before,
        "after": after,
        "fields": changed_fields(before.content, after.content),
        "figures": changed_figures(before, after),
        "numbers": range(plan.number, 0, -1),
    }
    return render(request, "planner/plans/diff.html", context)


@require_safe
@require_role(Role.VIEWER)
def compare_plans(request: PersonRequest) -> HttpResponse:
    """Plans side by side; which ones is in the address."""
    uids = list(dict.fromkeys(request.GET.getlist("id")))[:MOST_COMPARED]
    versions = newest_versions(uids)
    context = {
        "table": comparison(versions, only_different=request.GET.get("only") == "different"),
        "versions": versions,
        "missing": len(uids) - len(versions),
        "only": request.GET.get("only", ""),
        "ids": [version.plan.uid for version in versions],
    }
    return render(request, "planner/plans/compare.html", context)
