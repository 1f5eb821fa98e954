"""What holds for every plan of the team: who approves, and from when on a price has changed."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from access.declare import PersonRequest, require_role
from access.roles import Role
from planner.actions.conflict import ConflictError
from planner.actions.team import change_team_settings
from planner.forms.plans import RulesForm
from planner.queries.team import team_settings
from planner.views.plans import CONFLICT, UNFIT


@require_http_methods(["GET", "HEAD", "POST"])
@require_role(Role.ADMIN)
def plan_rules(request: PersonRequest) -> HttpResponse:
    """Read and change them; where somebody else did meanwhile, theirs stand beside what was typed."""
    team, given = team_settings(), request.POST if request.method == "POST" else None
    start = {name: getattr(team, name) for name in RulesForm.base_fields}
    form = RulesForm(given, initial=start)
    if not form.is_valid():
        return render(request, "planner/plans/rules.html", {"form": form}, status=UNFIT if given else 200)
    changes = dict(form.cleaned_data)
    try:
        change_team_settings(revision=changes.pop("revision"), actor=request.user, **changes)
    except ConflictError:
        typed = RulesForm({**form.data.dict(), "revision": team.revision})  # type: ignore[attr-defined]
        context = {"form": typed, "theirs": team}
        return render(request, "planner/plans/rules.html", context, status=CONFLICT)
    messages.success(request, _("The rules hold from now on."))
    return redirect("planner:plans")
