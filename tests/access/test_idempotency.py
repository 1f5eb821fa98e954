"""Idempotency keys: the same answer for the same request, and what happens to the rest."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from access.idempotency import LEASE
from access.models import AuditEvent, IdempotencyKey
from tests.access.people import person, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.access.urls")]


@pytest.fixture
def ada() -> Client:
    return signed_in(person(name="ada"))


def post(client: Client, body: dict[str, Any], *, key: str | None = "k") -> Any:
    headers = {} if key is None else {"Idempotency-Key": key}
    return client.post("/api/create", body, content_type="application/json", headers=headers)


def made() -> int:
    return AuditEvent.objects.filter(action="test.create").count()


def test_repeat_gets_the_first_answer(ada: Client) -> None:
    first, second = post(ada, {"a": 1}), post(ada, {"a": 1})
    assert (first.status_code, first.json()) == (second.status_code, second.json())
    assert (first.status_code, made()) == (201, 1)
    assert second["Idempotency-Replayed"] == "true"


def test_another_body_under_the_same_key_is_refused(ada: Client) -> None:
    post(ada, {"a": 1})
    answer = post(ada, {"a": 2})
    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_key_reused")
    assert made() == 1


def test_key_of_another_user_is_another_key(ada: Client) -> None:
    post(ada, {"a": 1})
    assert "Idempotency-Replayed" not in post(signed_in(person(name="eve")), {"a": 1})
    assert made() == 2


def test_request_without_a_key_is_done_each_time(ada: Client) -> None:
    assert [post(ada, {}, key=None).status_code for _ in range(2)] == [201, 201]
    assert made() == 2


def test_failure_writes_nothing_and_gives_the_key_back(ada: Client) -> None:
    assert post(ada, {"fail": True}).status_code == 422
    assert (made(), IdempotencyKey.objects.count()) == (0, 0)
    assert post(ada, {}).status_code == 201


def test_request_in_flight_is_told_to_wait(ada: Client) -> None:
    post(ada, {"a": 1})
    IdempotencyKey.objects.update(status=None, answer=None)
    answer = post(ada, {"a": 1})
    assert (answer.status_code, answer.json()["code"], answer["Retry-After"]) == (
        409,
        "idempotency_key_in_flight",
        "1",
    )


def test_claim_of_a_dead_process_is_taken_over(ada: Client) -> None:
    post(ada, {"a": 1})
    IdempotencyKey.objects.update(status=None, answer=None, created_at=timezone.now() - LEASE)
    assert post(ada, {"a": 1}).status_code == 201
    assert made() == 2


def test_key_is_free_again_after_its_life(ada: Client) -> None:
    post(ada, {"a": 1})
    IdempotencyKey.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert post(ada, {"a": 2}).status_code == 201


@pytest.mark.parametrize("key", ["", " ", "x" * 201, "a b", "ключ"])
def test_key_of_another_form_is_refused(ada: Client, key: str) -> None:
    answer = post(ada, {}, key=key)
    assert (answer.status_code, answer.json()["code"]) == (400, "idempotency_key_malformed")
