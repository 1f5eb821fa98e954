"""Webhooks by REST, and the snippet of docs/webhooks.md against a call that really came."""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from jsonschema import Draft202012Validator

from access.models import IdempotencyKey, Webhook
from access.outbox import deliver_due
from access.roles import Role
from access.scopes import Scope
from planner.schemas import PROBLEM
from planner.schemas.webhooks import DELIVERY, EXAMPLE_WEBHOOK, MADE_WEBHOOK, NEW_WEBHOOK, WEBHOOK
from tests.access.people import bearer, person, token_text
from tests.access.receiver import Receiver, receiving

pytestmark = pytest.mark.django_db
HOOKS = "/api/v1/webhooks"


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.OUTGOING_ALLOWED = ["127.0.0.0/8"]
    with receiving() as server:
        yield server


@pytest.fixture
def script(db: None) -> Client:
    return bearer(token_text(person(Role.ADMIN, name="root"), Scope.WEBHOOKS_WRITE))


def asked(receiver: Receiver, **more: Any) -> dict[str, Any]:
    return {**EXAMPLE_WEBHOOK, "url": receiver.url, **more}


def make(script: Client, receiver: Receiver) -> dict[str, Any]:
    made: dict[str, Any] = script.post(HOOKS, asked(receiver), content_type="application/json").json()
    return made


def patch(script: Client, pk: int, body: Any, revision: int | None) -> Any:
    headers = {} if revision is None else {"If-Match": f'"{revision}"'}
    return script.patch(f"{HOOKS}/{pk}", body, content_type="application/json", headers=headers)


def test_example_keeps_the_contract(script: Client, receiver: Receiver) -> None:
    Draft202012Validator(NEW_WEBHOOK).validate(EXAMPLE_WEBHOOK)
    answer = script.post(HOOKS, asked(receiver), content_type="application/json")
    assert (answer.status_code, answer["ETag"], answer["Cache-Control"]) == (201, '"1"', "no-store")
    Draft202012Validator(MADE_WEBHOOK).validate(answer.json())
    [listed] = script.get(HOOKS).json()["items"]
    Draft202012Validator(WEBHOOK).validate(listed)
    assert answer.json()["secret"] not in script.get(HOOKS).content.decode()
    assert script.get(f"{HOOKS}/{listed['id']}").json() == listed


def test_repeat_makes_no_second_one_and_keeps_no_secret(script: Client, receiver: Receiver) -> None:
    headers = {"Idempotency-Key": "one"}
    answers = [
        script.post(HOOKS, asked(receiver), content_type="application/json", headers=headers).json()
        for _try in range(2)
    ]
    assert Webhook.objects.count() == 1
    assert answers[1] == {**answers[0], "secret": None}
    assert answers[0]["secret"] not in str(IdempotencyKey.objects.values().get())


@pytest.mark.parametrize(
    ("change", "field", "code"),
    [
        ({"url": "http://10.0.0.1/"}, "url", "not_allowed"),
        ({"url": 5}, "url", "wrong_type"),
        ({"url": None}, "url", "required"),
        ({"events": ["plan.eaten"]}, "events", "invalid_choice"),
        ({"events": []}, "events", "required"),
        ({"events": "plan.approved"}, "events", "wrong_type"),
        ({"events": [["plan.approved"]]}, "events", "wrong_type"),
        ({"is_active": "yes"}, "is_active", "wrong_type"),
        ({"name": "x" * 81}, "name", "max_length"),
        ({"secret": "my own"}, "secret", "unknown_field"),
    ],
)
def test_body_that_cannot_be_is_refused(
    script: Client, receiver: Receiver, change: dict[str, Any], field: str, code: str
) -> None:
    answer = script.post(HOOKS, asked(receiver, **change), content_type="application/json")
    assert answer.status_code == 422
    Draft202012Validator(PROBLEM).validate(answer.json())
    assert [(item["field"], item["code"]) for item in answer.json()["errors"]] == [(field, code)]
    assert not Webhook.objects.exists()


@pytest.mark.parametrize("body", ["[]", "5", '"x"', "null"])
def test_body_of_another_shape_is_refused(script: Client, receiver: Receiver, body: str) -> None:
    assert script.post(HOOKS, body, content_type="application/json").status_code in (400, 422)


def test_change_names_the_revision_that_it_starts_from(script: Client, receiver: Receiver) -> None:
    pk = make(script, receiver)["id"]
    assert patch(script, pk, {"is_active": False}, None).status_code == 428
    assert patch(script, pk, {"is_active": False}, 1).json()["is_active"] is False
    late = patch(script, pk, {"name": "late"}, 1)
    assert (late.status_code, late["ETag"]) == (412, '"2"')
    assert script.post(f"{HOOKS}/{pk}/test").json()["code"] == "paused"
    assert patch(script, pk, {"name": "new", "is_active": True}, 2).json()["name"] == "new"


def test_deleted_webhook_is_not_found(script: Client, receiver: Receiver) -> None:
    pk = make(script, receiver)["id"]
    assert script.delete(f"{HOOKS}/{pk}").status_code == 428
    assert script.delete(f"{HOOKS}/{pk}", headers={"If-Match": '"1"'}).status_code == 204
    assert script.delete(f"{HOOKS}/{pk}", headers={"If-Match": '"2"'}).status_code == 404
    assert script.get(HOOKS).json()["items"] == []


def test_documented_check_knows_a_real_call(script: Client, receiver: Receiver, root: Path) -> None:
    made = make(script, receiver)
    sent = script.post(f"{HOOKS}/{made['id']}/test").json()
    Draft202012Validator(DELIVERY).validate(sent)
    assert sent["state"] == "waiting"
    assert deliver_due() == 1
    [(_path, headers, body)] = receiver.calls
    snippet = re.search(r"```python\n(.*?)```", (root / "docs/webhooks.md").read_text("utf-8"), re.DOTALL)
    assert snippet is not None
    documented: dict[str, Any] = {}
    exec(snippet[1], documented)  # noqa: S102  # our own page
    is_ours, header, secret = documented["is_ours"], headers["Decodeck-Signature"], made["secret"]
    assert is_ours(secret, header, body)
    assert not is_ours(secret, header, body + b" ")
    assert not is_ours("another", header, body)
    assert not is_ours(secret, "", body)
    assert not is_ours(secret, header.replace("t=", "t=1"), body)
    old = f"t={int(time.time()) - 301},v1={header.partition('v1=')[2]}"
    assert not is_ours(secret, old, body)
    [delivery] = script.get(f"{HOOKS}/{made['id']}/deliveries").json()["items"]
    Draft202012Validator(DELIVERY).validate(delivery)
    assert (delivery["id"], delivery["state"], delivery["attempts"]) == (sent["id"], "sent", 1)
