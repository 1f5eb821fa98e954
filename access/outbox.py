"""Mail and webhooks: written in the transaction that makes them necessary, delivered afterwards, at least once.

A message that was claimed and not finished, since the worker died, is due again when its lease runs out.
Receivers tell repeats by the message's id.
"""

import hashlib
import hmac
import json
import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import F, QuerySet
from django.utils import timezone

from access import outgoing
from access.models import OutboxMessage, Webhook
from access.sealing import CannotUnsealError, unseal

log = logging.getLogger("decodeck.outbox")

BATCH = 20
# Longer than any sender takes: nobody else takes the message while this one may still be at it.
LEASE = timedelta(minutes=2)
FIRST_WAIT = timedelta(minutes=1)
LONGEST_WAIT = timedelta(hours=6)
# With waits of 1, 2, 4 … minutes up to 6 hours: about a day and a half.
ATTEMPTS = 14

State = OutboxMessage.State


def enqueue_mail(to: str, *, subject: str, body: str) -> OutboxMessage:
    """Send a mail once the running transaction is committed."""
    payload = {"subject": subject, "body": body}
    return OutboxMessage.objects.create(kind=OutboxMessage.Kind.MAIL, target=to, payload=payload)


def enqueue_webhook(webhook: Webhook, *, event: str, data: dict[str, object]) -> OutboxMessage:
    """Tell a machine of an event once the running transaction is committed."""
    return OutboxMessage.objects.create(
        kind=OutboxMessage.Kind.WEBHOOK,
        webhook=webhook,
        target=webhook.url,
        payload={"event": event, "data": data},
    )


def is_due() -> bool:
    """Is there a message to try now?"""
    return OutboxMessage.objects.filter(state=State.WAITING, next_attempt_at__lte=timezone.now()).exists()


def deliver_due() -> int:
    """Try every message that is due, oldest first, and return how many were sent."""
    due = OutboxMessage.objects.filter(state=State.WAITING, next_attempt_at__lte=timezone.now())
    messages = due.select_related("webhook").order_by("next_attempt_at", "pk")[:BATCH]
    return sum(_deliver(message) for message in messages if _claim(message))


def _claim(message: OutboxMessage) -> bool:
    """Take the message unless another worker did since we read it."""
    unchanged = OutboxMessage.objects.filter(
        pk=message.pk, state=State.WAITING, next_attempt_at=message.next_attempt_at
    )
    message.next_attempt_at = timezone.now() + LEASE
    message.attempts += 1
    return bool(unchanged.update(next_attempt_at=message.next_attempt_at, attempts=F("attempts") + 1))


def _deliver(message: OutboxMessage) -> bool:
    try:
        SENDERS[message.kind](message)
    except (outgoing.RefusedError, CannotUnsealError) as error:
        _finish(message, state=State.GIVEN_UP, error=str(error))
    except (outgoing.FailedError, OSError) as error:  # smtplib's errors are OSErrors too
        _try_again(message, error=f"{type(error).__name__}: {error}")
    except Exception as error:  # unforeseen: it must hold up neither the other messages nor its own end
        log.exception("outbox message failed", extra={"outbox_message": message.pk})
        _try_again(message, error=type(error).__name__)
    else:
        _finish(message, state=State.SENT, error="")
        return True
    return False


def _finish(message: OutboxMessage, *, state: str, error: str) -> None:
    _claimed(message).update(state=state, finished_at=timezone.now(), last_error=error[:500])


def _try_again(message: OutboxMessage, *, error: str) -> None:
    if message.attempts >= ATTEMPTS:
        _finish(message, state=State.GIVEN_UP, error=f"given up after {ATTEMPTS} attempts: {error}")
        return
    _claimed(message).update(next_attempt_at=_next_attempt(message.attempts), last_error=error[:500])


def _next_attempt(attempts: int) -> datetime:
    return timezone.now() + min(FIRST_WAIT * 2 ** (attempts - 1), LONGEST_WAIT)


def _claimed(message: OutboxMessage) -> QuerySet[OutboxMessage]:
    """The row as long as it is ours: a worker that slept through its lease must not overwrite the next one's result."""
    return OutboxMessage.objects.filter(
        pk=message.pk, state=State.WAITING, next_attempt_at=message.next_attempt_at
    )


def _send_mail(message: OutboxMessage) -> None:
    if not settings.EMAIL_HOST:
        raise outgoing.RefusedError("there is no mail server: set DECODECK_SMTP_HOST")
    mail = EmailMessage(
        subject=" ".join(message.payload["subject"].split()),
        body=message.payload["body"],
        to=[message.target],
    )
    mail.send()


def _send_webhook(message: OutboxMessage) -> None:
    if message.webhook is None or not message.webhook.is_active:
        raise outgoing.RefusedError("the webhook is switched off")
    body = json.dumps({"id": message.pk, **message.payload}, separators=(",", ":")).encode()
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "decodeck",
        **signature(body, secret=unseal(message.webhook.sealed_secret), at=int(timezone.now().timestamp())),
    }
    outgoing.post(message.target, body=body, headers=headers, allowed=settings.OUTGOING_ALLOWED)


def signature(body: bytes, *, secret: str, at: int) -> dict[str, str]:
    """Return the headers by which a receiver knows that the body is ours and fresh.

    `Decodeck-Signature: t=<seconds since 1970>,v1=<hex HMAC-SHA256 of "<t>.<body>">`; the time is signed
    too, so that a recorded call can be refused as old.
    """
    signed = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return {"Decodeck-Signature": f"t={at},v1={signed}"}


SENDERS: dict[str, Callable[[OutboxMessage], None]] = {
    OutboxMessage.Kind.MAIL: _send_mail,
    OutboxMessage.Kind.WEBHOOK: _send_webhook,
}
