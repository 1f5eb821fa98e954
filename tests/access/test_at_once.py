"""What must hold when several processes do the same thing at the same time, on each database."""

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, connections
from django.test import Client

from access.actions import LastAdminError, change_user, create_sign_in_link, first_admin, use_sign_in_link
from access.counters import allow
from access.models import AuditEvent, Counter, IdempotencyKey, OutboxMessage, User
from access.outbox import deliver_due, enqueue_mail
from access.roles import Role
from tests.access import urls
from tests.access.people import person, signed_in
from tests.access.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)
MINUTE = timedelta(minutes=1)


def test_counter_never_lets_more_through_than_its_limit() -> None:
    answers = at_once(lambda: [allow("k", limit=5, window=MINUTE) for _ in range(4)], times=4)
    assert sum(sum(each) for each in answers) == 5
    assert Counter.objects.get().count == 5


def test_link_signs_in_one_of_many() -> None:
    link, _secret = create_sign_in_link(person(), actor=None)
    assert sorted(at_once(lambda: use_sign_in_link(link), times=4)) == [False, False, False, True]


def test_first_administrator_is_one() -> None:
    assert len({user.pk for user in at_once(first_admin, times=4)}) == 1
    assert User.objects.count() == 1


def test_two_administrators_cannot_take_the_role_from_each_other() -> None:
    pair = [person(Role.ADMIN, name=name) for name in ("ada", "bob")]
    turns = iter(zip(pair, reversed(pair), strict=True))

    def demote() -> bool:
        found, actor = next(turns)
        found.role = Role.VIEWER
        try:
            change_user(found, fields=["role"], actor=actor)
        except LastAdminError:
            return False
        return True

    assert sorted(at_once(demote, times=2)) == [False, True]
    assert User.objects.filter(role=Role.ADMIN).count() == 1


def test_message_is_delivered_by_one_worker(settings: Any, mailoutbox: list[Any]) -> None:
    settings.EMAIL_HOST = "mail.example"
    for number in range(8):
        enqueue_mail(f"{number}@example.com", subject="s", body="b")
    assert sum(at_once(deliver_due, times=4)) == 8
    assert sorted(mail.to[0] for mail in mailoutbox) == [f"{number}@example.com" for number in range(8)]
    assert set(OutboxMessage.objects.values_list("state", "attempts")) == {("sent", 1)}


@pytest.mark.urls("tests.access.urls")
def test_write_repeated_at_once_is_done_once() -> None:
    user = person()

    def create() -> int:
        client = signed_in_quietly(user)
        headers = {"Idempotency-Key": "k"}
        return client.post("/api/create", {}, content_type="application/json", headers=headers).status_code

    answers = at_once(create, times=3)
    assert set(answers) <= {201, 409}
    assert 201 in answers
    assert AuditEvent.objects.filter(action="test.create").count() == 1
    assert create() == 201
    assert AuditEvent.objects.filter(action="test.create").count() == 1


def signed_in_quietly(user: User) -> Client:
    client = signed_in(user)
    client.raise_request_exception = False
    return client


@pytest.mark.urls("tests.access.urls")
def test_claim_is_seen_while_the_first_request_is_answered() -> None:
    user = person()
    urls.started.clear()
    urls.release.clear()
    found: list[int] = []

    def post() -> None:
        answer = signed_in(user).post(
            "/api/slow", {}, content_type="application/json", headers={"Idempotency-Key": "k"}
        )
        found.append(answer.status_code)

    def post_elsewhere() -> None:
        post()
        connections.close_all()

    first = threading.Thread(target=post_elsewhere)
    first.start()
    assert urls.started.wait(20)
    assert IdempotencyKey.objects.get().status is None
    # SQLite has one writer: there the second request waits for the first one's transaction instead.
    if connection.vendor == "postgresql":
        post()
    urls.release.set()
    first.join(20)
    post()
    assert found == ([409, 201, 201] if connection.vendor == "postgresql" else [201, 201])
