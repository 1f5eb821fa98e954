"""Work of access that the tick wakes up."""

from datetime import timedelta

from celery import shared_task

from access.actions import forget_expired
from access.counters import allow
from access.outbox import deliver_due, is_due

PRUNE_EVERY = timedelta(hours=1)


@shared_task
def deliver_outbox() -> None:
    """Deliver the mail and the webhooks that are due."""
    deliver_due()


@shared_task
def prune_access() -> None:
    """Remove counters, keys and links whose time is over."""
    forget_expired()


def wake() -> None:
    """Called with each tick: queue what is due."""
    if is_due():
        deliver_outbox.delay()
    if allow("prune-access", limit=1, window=PRUNE_EVERY):
        prune_access.delay()
