"""Writes of saved plans that name the revision they started from: all of it is written on that, or nothing."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.db import transaction

from access.models import User
from planner.actions.conflict import ConflictError
from planner.actions.plans import archive, change_details, save_version
from planner.answers.plans import answer_content, saved_of
from planner.core.parse import Rejected
from planner.core.specs import Catalog
from planner.models import SavedPlan
from planner.plans.saving import Faults, Same, checked
from planner.queries.plans import version_of
from planner.queries.team import team_settings


def keep_as_given(
    plan: SavedPlan,
    value: Any,
    *,
    revision: int,
    note: str,
    catalog: Catalog,
    on: date,
    actor: User,
) -> SavedPlan | Same | Faults:
    """Keep a content as the next version of a plan that stands at `revision`. Raises ConflictError and RefusedError."""
    if plan.revision != revision:
        raise ConflictError(plan)
    content = checked(value, catalog)
    if isinstance(content, Faults):
        return content
    answered = answer_content(content, catalog=catalog, team=team_settings(), on=on)
    if isinstance(answered, Rejected):
        return Faults(problems=answered.problems)
    newest = version_of(plan)
    if newest is not None and content.raw == newest.content and answered.basis == newest.basis:
        return Same(plan=plan)
    return save_version(plan, saved_of(content, answered), revision=revision, note=note, actor=actor)


@transaction.atomic
def change_plan(plan: SavedPlan, changes: Mapping[str, Any], *, revision: int, actor: User) -> SavedPlan:
    """Change name, notes, owner or `archived`: brought back before anything else, archived after it.

    Raises ConflictError, and RefusedError where something else of an archived plan is to change.
    """
    if plan.revision != revision:
        raise ConflictError(plan)
    details = {name: value for name, value in changes.items() if name != "archived"}
    wanted, is_archived = changes.get("archived"), plan.archived_at is not None
    if wanted is False and is_archived:
        plan = archive(plan, revision=plan.revision, actor=actor, back=True)
    if details:
        plan = change_details(plan, revision=plan.revision, actor=actor, **details)
    if wanted is True and not is_archived:
        plan = archive(plan, revision=plan.revision, actor=actor)
    return plan
