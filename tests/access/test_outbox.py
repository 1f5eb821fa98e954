"""Mail and webhooks against real receivers: signed, tried again, given up with a reason."""

import hashlib
import hmac
import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from access import outbox
from access.models import OutboxMessage, Webhook
from access.outbox import ATTEMPTS, LEASE, deliver_due, enqueue_mail, enqueue_webhook
from access.sealing import seal
from tests.access.receiver import Receiver, receiving

pytestmark = pytest.mark.django_db
SECRET = "a secret of the receiver"


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.OUTGOING_ALLOWED = ["127.0.0.0/8"]
    with receiving() as server:
        yield server


def webhook(url: str) -> Webhook:
    return Webhook.objects.create(name="pager", url=url, sealed_secret=seal(SECRET))


def make_due() -> None:
    OutboxMessage.objects.update(next_attempt_at=timezone.now())


def test_webhook_is_signed_so_that_the_receiver_can_check_it(receiver: Receiver) -> None:
    message = enqueue_webhook(webhook(receiver.url), event="node.stale", data={"node": "gpu-03"})
    assert deliver_due() == 1
    [(path, headers, body)] = receiver.calls
    assert path == "/hook?a=1"
    assert json.loads(body) == {"id": message.pk, "event": "node.stale", "data": {"node": "gpu-03"}}
    stamp, _comma, given = headers["Decodeck-Signature"].partition(",")
    # What a receiver does: the same sum over the time, a dot and the body as it came.
    expected = hmac.new(SECRET.encode(), stamp[2:].encode() + b"." + body, hashlib.sha256).hexdigest()
    assert given == f"v1={expected}"
    assert abs(int(stamp[2:]) - timezone.now().timestamp()) < 60
    assert deliver_due() == 0


def test_secret_is_not_in_the_database() -> None:
    row = webhook("https://hooks.example/")
    assert SECRET not in str(Webhook.objects.filter(pk=row.pk).values().get())


@pytest.mark.parametrize("answer", [500, 404, 301, 307])
def test_answer_that_is_no_success_is_tried_again_later(receiver: Receiver, answer: int) -> None:
    receiver.answers = [answer]
    message = enqueue_webhook(webhook(receiver.url), event="e", data={})
    before = timezone.now()
    assert deliver_due() == 0
    message.refresh_from_db()
    assert (message.state, message.attempts) == ("waiting", 1)
    assert message.last_error == f"FailedError: answered {answer}"
    assert message.next_attempt_at >= before + timedelta(minutes=1)
    assert deliver_due() == 0
    make_due()
    assert deliver_due() == 1
    # A redirect was not followed.
    assert [path for path, _headers, _body in receiver.calls] == ["/hook?a=1"] * 2


def test_waits_double_up_to_a_longest_one() -> None:
    now = timezone.now()
    waits = [round((outbox._next_attempt(number) - now).total_seconds() / 60) for number in (1, 2, 3, 9, 13)]
    assert waits == [1, 2, 4, 256, 360]


def test_last_attempt_gives_up_with_the_reason(receiver: Receiver) -> None:
    receiver.answers = [500]
    message = enqueue_webhook(webhook(receiver.url), event="e", data={})
    OutboxMessage.objects.update(attempts=ATTEMPTS - 1)
    deliver_due()
    message.refresh_from_db()
    assert message.state == "given_up"
    assert message.last_error == f"given up after {ATTEMPTS} attempts: FailedError: answered 500"
    assert message.finished_at is not None


def test_private_address_is_given_up_at_once(receiver: Receiver, settings: Any) -> None:
    settings.OUTGOING_ALLOWED = ["127.0.0.1.example", "10.0.0.0/8"]
    message = enqueue_webhook(webhook(receiver.url), event="e", data={})
    deliver_due()
    message.refresh_from_db()
    assert (message.state, receiver.calls) == ("given_up", [])
    assert "private address" in message.last_error


def test_nobody_listening_is_tried_again(receiver: Receiver) -> None:
    message = enqueue_webhook(webhook("http://127.0.0.1:9/"), event="e", data={})
    deliver_due()
    message.refresh_from_db()
    assert (message.state, message.attempts) == ("waiting", 1)
    assert "ConnectionRefusedError" in message.last_error


@pytest.mark.parametrize("change", [{"is_active": False}, {"sealed_secret": "made with another key"}])
def test_webhook_that_cannot_be_used_is_given_up(receiver: Receiver, change: dict[str, Any]) -> None:
    message = enqueue_webhook(webhook(receiver.url), event="e", data={})
    Webhook.objects.update(**change)
    deliver_due()
    message.refresh_from_db()
    assert (message.state, receiver.calls) == ("given_up", [])


def test_message_of_a_dead_worker_is_due_again_after_its_lease(receiver: Receiver) -> None:
    message = enqueue_webhook(webhook(receiver.url), event="e", data={})
    assert outbox._claim(OutboxMessage.objects.get())
    assert deliver_due() == 0
    message.refresh_from_db()
    assert message.next_attempt_at <= timezone.now() + LEASE
    make_due()
    assert deliver_due() == 1


def test_worker_that_slept_through_its_lease_overwrites_nothing(receiver: Receiver) -> None:
    enqueue_webhook(webhook(receiver.url), event="e", data={})
    sleeper = OutboxMessage.objects.get()
    assert outbox._claim(sleeper)
    make_due()
    deliver_due()
    outbox._try_again(sleeper, error="late")
    assert OutboxMessage.objects.values_list("state", "last_error").get() == ("sent", "")


def test_rolled_back_transaction_sends_nothing(mailoutbox: list[Any]) -> None:
    with transaction.atomic():
        enqueue_mail("a@example.com", subject="s", body="b")
        transaction.set_rollback(True)
    assert deliver_due() == 0
    assert mailoutbox == []


def test_mail_is_sent_once_with_a_subject_of_one_line(settings: Any, mailoutbox: list[Any]) -> None:
    settings.EMAIL_HOST = "mail.example"
    enqueue_mail("a@example.com", subject="two\r\nBcc: eve@example.com", body="你好 <b>")
    assert [deliver_due(), deliver_due()] == [1, 0]
    [mail] = mailoutbox
    assert (mail.to, mail.subject, mail.body) == (["a@example.com"], "two Bcc: eve@example.com", "你好 <b>")


def test_mail_without_a_server_is_given_up_with_the_mend() -> None:
    message = enqueue_mail("a@example.com", subject="s", body="b")
    deliver_due()
    message.refresh_from_db()
    assert (message.state, message.last_error) == (
        "given_up",
        "there is no mail server: set DECODECK_SMTP_HOST",
    )


def test_one_bad_message_does_not_hold_up_the_others(settings: Any, mailoutbox: list[Any]) -> None:
    settings.EMAIL_HOST = "mail.example"
    OutboxMessage.objects.create(kind="mail", target="a@example.com", payload={"nothing": "expected"})
    enqueue_mail("b@example.com", subject="s", body="b")
    assert deliver_due() == 1
    assert list(OutboxMessage.objects.order_by("pk").values_list("state", "last_error")) == [
        ("waiting", "KeyError"),
        ("sent", ""),
    ]
