"""What the tick wakes up."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone

from access.actions import SIGN_IN_LINK_KEPT, create_sign_in_link, record_audit
from access.counters import allow
from access.models import AuditEvent, Counter, IdempotencyKey, OutboxMessage, SignInLink
from access.outbox import enqueue_mail
from access.tasks import deliver_outbox, prune_access, wake
from config.celery import app
from tests.access.people import person, signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def queued() -> list[str]:
    """The tasks that wait in the queue, in their order."""
    names: list[str] = []
    with app.connection_for_read() as broker:
        queue = broker.SimpleQueue(app.conf.task_default_queue)
        queue.clear()
        wake()
        while queue.qsize():
            names.append(queue.get_nowait().headers["task"])
        queue.close()
    return names


def test_tick_without_work_only_prunes(queued: list[str]) -> None:
    assert queued == ["access.tasks.prune_access"]


@pytest.fixture
def waiting() -> OutboxMessage:
    return enqueue_mail("a@example.com", subject="s", body="b")


def test_tick_wakes_the_outbox_when_something_is_due(waiting: OutboxMessage, queued: list[str]) -> None:
    assert queued == ["access.tasks.deliver_outbox", "access.tasks.prune_access"]


@pytest.fixture
def pruned() -> None:
    allow("prune-access", limit=1, window=timedelta(hours=1))


def test_tick_prunes_once_an_hour(pruned: None, queued: list[str]) -> None:
    assert queued == []


def test_outbox_task_delivers(settings: Any, mailoutbox: list[Any], waiting: OutboxMessage) -> None:
    settings.EMAIL_HOST = "mail.example"
    deliver_outbox()
    assert [mail.to for mail in mailoutbox] == [["a@example.com"]]


def test_pruning_takes_what_is_over_and_nothing_else() -> None:
    now = timezone.now()
    user = person()
    signed_in(user)
    record_audit("test.do", actor=user)
    allow("over", limit=1, window=timedelta(0))
    allow("running", limit=1, window=timedelta(hours=1))
    for key, expires_at in (("over", now), ("running", now + timedelta(hours=1))):
        IdempotencyKey.objects.create(user=user, key=key, fingerprint="", expires_at=expires_at)
    for age in (timedelta(0), SIGN_IN_LINK_KEPT):
        link, _secret = create_sign_in_link(user, actor=None)
        SignInLink.objects.filter(pk=link.pk).update(expires_at=now - age)
    before = AuditEvent.objects.count()
    prune_access()
    assert list(Counter.objects.values_list("key", flat=True)) == ["running"]
    assert list(IdempotencyKey.objects.values_list("key", flat=True)) == ["running"]
    assert (SignInLink.objects.count(), Session.objects.count(), AuditEvent.objects.count()) == (1, 1, before)
    Session.objects.update(expire_date=now - timedelta(seconds=1))
    prune_access()
    assert not Session.objects.exists()
