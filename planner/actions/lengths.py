"""Writes of length logs."""

from django.db import transaction
from django.utils import timezone

from access.actions import record_audit
from access.models import User
from planner.core.traffic.summary import Summary
from planner.models import LengthLog


@transaction.atomic
def keep_length_log(found: Summary, *, name: str, origin: str, actor: User) -> LengthLog:
    """Keep what a log comes to: its counts and figures. Its rows are not among them."""
    log = LengthLog.objects.create(
        name=name,
        origin=origin,
        requests=found.requests,
        summary=found.summary,
        histograms=found.histograms,
        owner=actor,
    )
    record_audit(
        "length_log.create",
        actor=actor,
        about=log,
        log=log.uid,
        name=name,
        origin=origin,
        requests=log.requests,
    )
    return log


@transaction.atomic
def rename_length_log(log: LengthLog, *, name: str, actor: User) -> LengthLog:
    """Give a log another name."""
    current = LengthLog.objects.select_for_update().get(pk=log.pk)
    before, current.name = current.name, name
    if before != name:
        current.save(update_fields=["name"])
        record_audit(
            "length_log.rename", actor=actor, about=current, log=current.uid, before=before, after=name
        )
    return current


@transaction.atomic
def archive_length_log(log: LengthLog, *, actor: User, back: bool = False) -> LengthLog:
    """Take a log out of the list, or bring it back; plans that were filled from it keep their numbers."""
    current = LengthLog.objects.select_for_update().get(pk=log.pk)
    if (current.archived_at is None) != back:
        current.archived_at = None if back else timezone.now()
        current.save(update_fields=["archived_at"])
        action = "length_log.restore" if back else "length_log.archive"
        record_audit(action, actor=actor, about=current, log=current.uid)
    return current
