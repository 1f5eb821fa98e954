"""Two figures for the plan page: the longest context and the most users of this set-up."""

from dataclasses import replace

from django.utils.translation import gettext as _

from planner.answers.limits import stop
from planner.core.figures import DASH, count
from planner.core.limits import Limit, Limits, limits_of
from planner.core.request import EstimateRequest
from planner.core.specs import Catalog
from planner.plan.figures import Figure


def limit_figures(parsed: EstimateRequest, catalog: Catalog) -> list[Figure]:
    """Longest context and most users, each with what stops the next step. Empty where neither is known (about 10 ms)."""
    found = limits_of(parsed, catalog)
    return [figure for figure in (_context(found, parsed), _users(found)) if figure is not None]


def _context(found: Limits, parsed: EstimateRequest) -> Figure | None:
    if found.longest_context.value is None:
        return None
    together = found.longest_context_for_users
    if together is None or together.value is None or parsed.workload is None:
        return _figure(_("Longest context"), found.longest_context, _("tokens"), anchor="memory")
    users = count(parsed.workload.concurrency)
    sub = _("%(tokens)s each for %(users)s at once; alone, the limit is %(stop)s") % {
        "tokens": count(together.value),
        "users": users,
        "stop": stop(found.longest_context)["message"],
    }
    return Figure(
        name=_("Longest context"),
        value=count(found.longest_context.value),
        unit=_("tokens"),
        kind="computed",
        sub=sub,
        anchor="memory",
    )


def _users(found: Limits) -> Figure | None:
    """Within the targets where there are some, else with the settings as they are, as the curve beside it."""
    if found.most_users_within_targets is not None:
        return _figure(_("Most users"), found.most_users_within_targets, "", anchor="curve-card")
    if found.most_users is None:
        return None
    figure = _figure(_("Most users"), found.most_users, "", anchor="curve-card")
    more = found.most_users_by_cache
    if more is None or not (more.value or 0) > (found.most_users.value or 0):
        return figure
    return replace(
        figure,
        sub=_("%(limited)s; with a slot for each, %(users)s")
        % {"limited": figure.sub, "users": count(more.value)},
    )


def _figure(name: str, limit: Limit, unit: str, *, anchor: str) -> Figure:
    return Figure(
        name=name,
        value=DASH if limit.value is None else count(limit.value),
        unit="" if limit.value is None else unit,
        kind="" if limit.value is None else "computed",
        sub=_("limited by %s") % stop(limit)["message"],
        anchor=anchor,
    )
