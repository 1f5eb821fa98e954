"""The team's assumptions about cost."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from access.declare import PersonRequest, require_role
from access.revisions import typed_revision
from access.roles import Role
from planner.actions.conflict import ConflictError
from planner.actions.team import change_team_settings
from planner.core.parse.money import COMMON_CURRENCIES
from planner.cost.assumptions_page import checked, differences, page_of, read_typed, typed_of
from planner.models import TeamSettings
from planner.queries.prices import exchange_rates
from planner.queries.team import team_settings


@require_safe
@require_role(Role.VIEWER)
def assumptions(request: PersonRequest) -> HttpResponse:
    """What a cost is assumed to be made of, and whose word each figure is."""
    team = team_settings()
    return _page(request, {"page": page_of(typed_of(team), team, exchange_rates()), "team": team})


@require_POST
@require_role(Role.OPERATOR)
def change_assumptions(request: PersonRequest) -> HttpResponse:
    """Replace them. Where somebody else did meanwhile, theirs stand beside what was typed and nothing is lost."""
    team, rates, typed = team_settings(), exchange_rates(), read_typed(request.POST)
    changes, errors = checked(typed, team, rates)
    if errors:
        return _page(request, {"page": page_of(typed, team, rates, errors), "team": team}, status=422)
    try:
        revision = typed_revision(request.POST.get("revision", ""))
        change_team_settings(revision=revision, actor=request.user, **changes)
    except ConflictError as conflict:
        current = conflict.current
        assert isinstance(current, TeamSettings)
        context = {
            "page": page_of(typed, current, rates),
            "team": current,
            "conflict": differences(typed, current),
        }
        return _page(request, context, status=409)
    messages.success(request, _("Every cost is computed with these from now on."))
    return redirect("planner:assumptions")


def _page(request: PersonRequest, context: dict[str, object], *, status: int = 200) -> HttpResponse:
    context |= {"currencies": COMMON_CURRENCIES, "may_write": request.user.may(Role.OPERATOR)}
    return render(request, "planner/cost/assumptions.html", context, status=status)
