"""Webhooks as administrators keep them: made, changed, tried, paused, deleted; each with its audit event."""

from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, OuterRef, QuerySet, Subquery
from django.utils import timezone

from access import outgoing
from access.actions import record_audit
from access.models import OutboxMessage, User, Webhook
from access.outbox import enqueue_webhook
from access.sealing import seal
from access.secret_text import new_secret

# Each event is held against each of them.
MOST_WEBHOOKS = 50
TEST_EVENT = "webhook.test"
FIELDS = ("name", "url", "events", "is_active")


class ChangedError(Exception):
    """Somebody else changed the webhook since it was read. `current` is how it stands; nothing was written."""

    def __init__(self, current: Webhook) -> None:
        super().__init__(f"{current} is at revision {current.revision} now")
        self.current = current


class TooManyError(Exception):
    """There are as many webhooks as there may be."""


def webhooks() -> QuerySet[Webhook]:
    """All webhooks that were not deleted."""
    return Webhook.objects.filter(deleted_at=None).select_related("created_by")


def webhooks_with_state() -> QuerySet[Webhook]:
    """All webhooks with `last_state`, `last_error` and `last_at` of what was sent to them last. One query."""
    newest = OutboxMessage.objects.filter(webhook=OuterRef("pk")).order_by("-pk")
    return webhooks().annotate(
        last_state=Subquery(newest.values("state")[:1]),
        last_error=Subquery(newest.values("last_error")[:1]),
        last_at=Subquery(newest.values("created_at")[:1]),
    )


def deliveries(hook: Webhook) -> QuerySet[OutboxMessage]:
    """What was sent to a webhook or waits for it, newest first."""
    return OutboxMessage.objects.filter(webhook=hook).order_by("-pk")


def check_address(url: str) -> None:
    """Hold an address against what may be called. Raises outgoing.RefusedError or outgoing.FailedError."""
    outgoing.check(url, allowed=settings.OUTGOING_ALLOWED)


@transaction.atomic
def create_webhook(
    *, name: str, url: str, events: list[str], actor: User, is_active: bool = True
) -> tuple[Webhook, str]:
    """A new webhook and its secret, which can't be had again. Raises TooManyError."""
    if webhooks().count() >= MOST_WEBHOOKS:
        raise TooManyError
    secret = new_secret()
    hook = Webhook.objects.create(
        name=name,
        url=url,
        events=sorted(events),
        is_active=is_active,
        sealed_secret=seal(secret),
        created_by=actor,
    )
    record_audit("webhook.create", actor=actor, about=hook, **_said(hook))
    return hook, secret


@transaction.atomic
def change_webhook(hook: Webhook, *, revision: int, actor: User, **values: Any) -> Webhook:
    """Change some of FIELDS. What waits goes to the new address. Raises ChangedError."""
    before = _said(hook)
    for name, value in values.items():
        setattr(hook, name, sorted(value) if name == "events" else value)
    _write(hook, revision, {name: getattr(hook, name) for name in values})
    if hook.url != before["url"]:
        deliveries(hook).filter(state=OutboxMessage.State.WAITING).update(target=hook.url)
    after = _said(hook)
    changed = {
        name: {"before": before[name], "after": after[name]} for name in after if before[name] != after[name]
    }
    record_audit("webhook.change", actor=actor, about=hook, changed=changed)
    return hook


@transaction.atomic
def renew_secret(hook: Webhook, *, revision: int, actor: User) -> str:
    """A new secret in place of the old one: what is sent from now on is signed with it. Raises ChangedError."""
    secret = new_secret()
    _write(hook, revision, {"sealed_secret": seal(secret)})
    record_audit("webhook.secret", actor=actor, about=hook, name=hook.name)
    return secret


@transaction.atomic
def delete_webhook(hook: Webhook, *, revision: int, actor: User) -> None:
    """Tell it nothing any more and forget its secret. What waits is given up. Raises ChangedError."""
    _write(hook, revision, {"deleted_at": timezone.now(), "is_active": False, "sealed_secret": ""})
    record_audit("webhook.delete", actor=actor, about=hook, **_said(hook))


@transaction.atomic
def try_webhook(hook: Webhook, *, actor: User) -> OutboxMessage:
    """Send it something harmless, the way that events go."""
    data: dict[str, object] = {"webhook": hook.name, "by": actor.username}
    record_audit("webhook.test", actor=actor, about=hook, name=hook.name)
    return enqueue_webhook(hook, event=TEST_EVENT, data=data)


def _write(hook: Webhook, revision: int, values: dict[str, Any]) -> None:
    """Compare and swap: write if the row stands at `revision`."""
    unchanged = Webhook.objects.filter(pk=hook.pk, revision=revision, deleted_at=None)
    if not unchanged.update(revision=F("revision") + 1, **values):
        raise ChangedError(Webhook.objects.get(pk=hook.pk))
    hook.revision = revision + 1


def _said(hook: Webhook) -> dict[str, Any]:
    return {name: getattr(hook, name) for name in FIELDS}
