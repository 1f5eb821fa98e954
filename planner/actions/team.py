"""Changes of what the team decides once."""

from typing import Any

from django.db import transaction

from access.actions import record_audit
from access.models import User
from planner.actions.conflict import ConflictError
from planner.models import TeamSettings

FIELDS = ("currency", "cost", "approver_is_another", "price_change_percent")


@transaction.atomic
def change_team_settings(*, revision: int, actor: User, **changes: Any) -> TeamSettings:
    """Change some of FIELDS. Raises ConflictError when somebody else changed them since `revision` was read."""
    TeamSettings.objects.get_or_create(pk=1)
    current = TeamSettings.objects.select_for_update().get(pk=1)
    if current.revision != revision:
        raise ConflictError(current)
    before = {name: getattr(current, name) for name in changes}
    for name, value in changes.items():
        setattr(current, name, value)
    current.revision += 1
    current.updated_by = actor
    current.save()
    record_audit("team.change", actor=actor, about=current, before=before, after=dict(changes))
    return current
