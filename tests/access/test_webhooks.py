"""The pages of webhooks: who may, what is refused, a secret shown once, a test that arrives."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from access.models import AuditEvent, OutboxMessage, User, Webhook
from access.outbox import deliver_due, enqueue_webhook
from access.roles import Role
from access.sealing import unseal
from access.webhooks import MOST_WEBHOOKS, create_webhook
from tests.access.people import person, signed_in
from tests.access.receiver import Receiver, receiving

pytestmark = pytest.mark.django_db
PAGE = "/account/webhooks/"


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.OUTGOING_ALLOWED = ["127.0.0.0/8"]
    with receiving() as server:
        yield server


@pytest.fixture
def admin() -> User:
    return person(Role.ADMIN, name="root")


@pytest.fixture
def browser_of_admin(admin: User) -> Client:
    return signed_in(admin)


def asked(url: str, **more: Any) -> dict[str, Any]:
    return {"name": "procurement", "url": url, "events": ["plan.approved", "plan.price_changed"], **more}


def made(admin: User, receiver: Receiver) -> tuple[Webhook, str]:
    return create_webhook(name="procurement", url=receiver.url, events=["plan.price_changed"], actor=admin)


def test_operator_sees_no_webhooks(receiver: Receiver) -> None:
    assert signed_in(person(Role.OPERATOR)).get(PAGE).status_code == 403


def test_webhook_is_added_and_its_secret_shown_once(browser_of_admin: Client, receiver: Receiver) -> None:
    assert "No webhooks yet" in browser_of_admin.get(PAGE).content.decode()
    answer = browser_of_admin.post(PAGE, asked(receiver.url))
    hook = Webhook.objects.get()
    secret = answer.context["secret"]
    assert secret in answer.content.decode()
    assert "no-store" in answer["Cache-Control"]
    assert unseal(hook.sealed_secret) == secret
    assert secret not in str(AuditEvent.objects.get(action="webhook.create").data)
    assert secret not in browser_of_admin.get(PAGE).content.decode()
    assert hook.events == ["plan.approved", "plan.price_changed"]


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://10.1.2.3/hook", "not_allowed"),
        ("http://169.254.169.254/latest/meta-data", "not_allowed"),
        ("http://[::1]/", "not_allowed"),
        ("ftp://127.0.0.1/", "invalid"),
        ("http://ada:secret@127.0.0.1/", "invalid"),
        ("http://127.0.0.1/#part", "invalid"),
        ("http://127.0.0.1:99999/", "invalid"),
        ("javascript:alert(1)", "invalid"),
        ("http://[nonsense/", "invalid"),
        ("http://no-such-host.invalid/", "no_address"),
        ("", "required"),
    ],
)
def test_address_that_may_not_be_called_is_refused(
    browser_of_admin: Client, receiver: Receiver, url: str, code: str
) -> None:
    answer = browser_of_admin.post(PAGE, asked(url))
    assert answer.status_code == 422
    assert answer.context["form"].errors.as_data()["url"][0].code == code
    assert not Webhook.objects.exists()


def test_number_of_webhooks_is_bounded(admin: User, browser_of_admin: Client, receiver: Receiver) -> None:
    for _each in range(MOST_WEBHOOKS):
        made(admin, receiver)
    assert browser_of_admin.post(PAGE, asked(receiver.url)).status_code == 422
    assert Webhook.objects.count() == MOST_WEBHOOKS


def test_test_arrives_signed_and_stands_among_what_was_sent(
    admin: User, browser_of_admin: Client, receiver: Receiver
) -> None:
    hook, secret = made(admin, receiver)
    address = f"{PAGE}{hook.pk}/"
    browser_of_admin.post(f"{address}test/")
    waiting = browser_of_admin.get(address).content.decode()
    assert 'hx-trigger="every 2s"' in waiting
    assert deliver_due() == 1
    [(_path, headers, body)] = receiver.calls
    assert json.loads(body)["event"] == "webhook.test"
    assert receiver.signed_by(secret, headers, body)
    part = browser_of_admin.get(f"{address}sent/", headers={"HX-Request": "true"}).content.decode()
    assert "delivered" in part
    # What arrived is asked for no more
    assert "hx-trigger" not in part
    assert browser_of_admin.get(f"{address}sent/")["Location"] == address


def test_failure_is_shown_with_its_next_attempt(
    admin: User, browser_of_admin: Client, receiver: Receiver
) -> None:
    hook, _secret = made(admin, receiver)
    receiver.answers = [500]
    message = enqueue_webhook(hook, event="plan.price_changed", data={})
    deliver_due()
    message.refresh_from_db()
    shown = browser_of_admin.get(f"{PAGE}{hook.pk}/").content.decode()
    assert "tried again later" in shown
    assert "FailedError: answered 500" in shown
    assert f"next {message.next_attempt_at:%Y-%m-%d %H:%M:%S}" in shown


def test_paused_webhook_hears_nothing(admin: User, browser_of_admin: Client, receiver: Receiver) -> None:
    hook, _secret = made(admin, receiver)
    address = f"{PAGE}{hook.pk}/"
    browser_of_admin.post(f"{address}pause/", {"active": "0"})
    hook.refresh_from_db()
    assert not hook.is_active
    browser_of_admin.post(f"{address}test/")
    assert not OutboxMessage.objects.exists()
    browser_of_admin.post(f"{address}pause/", {"active": "1"})
    hook.refresh_from_db()
    assert (hook.is_active, hook.revision) == (True, 3)


def test_new_address_takes_over_what_waits(admin: User, browser_of_admin: Client, receiver: Receiver) -> None:
    hook, _secret = made(admin, receiver)
    enqueue_webhook(hook, event="plan.price_changed", data={})
    url = receiver.url.replace("/hook", "/other")
    answer = browser_of_admin.post(f"{PAGE}{hook.pk}/", asked(url, revision="1"))
    assert answer.status_code == 302
    assert OutboxMessage.objects.get().target == url
    assert deliver_due() == 1
    assert [path for path, _headers, _body in receiver.calls] == ["/other?a=1"]


def test_older_revision_overwrites_nothing_and_keeps_what_was_typed(
    admin: User, browser_of_admin: Client, receiver: Receiver
) -> None:
    hook, _secret = made(admin, receiver)
    address = f"{PAGE}{hook.pk}/"
    browser_of_admin.post(address, asked(receiver.url, name="theirs", revision="1"))
    answer = browser_of_admin.post(address, asked(receiver.url, name="ours", revision="1"))
    text = answer.content.decode()
    assert answer.status_code == 409
    assert 'value="ours"' in text
    assert "it is called theirs now" in text
    assert Webhook.objects.get().name == "theirs"
    revision = re.search(r'name="revision" value="(\d+)"', text)
    assert revision is not None
    browser_of_admin.post(address, asked(receiver.url, name="ours", revision=revision[1]))
    assert Webhook.objects.get().name == "ours"


def test_new_secret_signs_what_is_sent_from_now_on(
    admin: User, browser_of_admin: Client, receiver: Receiver
) -> None:
    hook, old = made(admin, receiver)
    secret = browser_of_admin.post(f"{PAGE}{hook.pk}/secret/").context["secret"]
    assert secret != old
    enqueue_webhook(hook, event="plan.price_changed", data={})
    deliver_due()
    [(_path, headers, body)] = receiver.calls
    assert (receiver.signed_by(secret, headers, body), receiver.signed_by(old, headers, body)) == (
        True,
        False,
    )


def test_deleting_asks_for_the_name(admin: User, browser_of_admin: Client, receiver: Receiver) -> None:
    hook, _secret = made(admin, receiver)
    message = enqueue_webhook(hook, event="plan.price_changed", data={})
    address = f"{PAGE}{hook.pk}/"
    assert browser_of_admin.post(f"{address}delete/", {"delete-name": "another"}).status_code == 422
    assert browser_of_admin.post(f"{address}delete/", {"delete-name": "procurement"}).status_code == 302
    hook.refresh_from_db()
    assert (hook.is_active, hook.sealed_secret) == (False, "")
    assert browser_of_admin.get(address).status_code == 404
    assert browser_of_admin.get(PAGE).context["rows"] == []
    deliver_due()
    message.refresh_from_db()
    assert (message.state, receiver.calls) == ("given_up", [])


@pytest.mark.parametrize("count", [1, 20])
def test_page_of_webhooks_takes_as_many_queries_for_one_as_for_many(
    admin: User, browser_of_admin: Client, receiver: Receiver, count: int, django_assert_num_queries: Any
) -> None:
    for _each in range(count):
        enqueue_webhook(made(admin, receiver)[0], event="plan.approved", data={})
    # The session, its user, the webhooks with what was sent last.
    with django_assert_num_queries(3):
        browser_of_admin.get(PAGE)


@pytest.mark.parametrize("count", [1, 20])
def test_page_of_one_webhook_takes_as_many_queries_for_one_delivery_as_for_many(
    admin: User, browser_of_admin: Client, receiver: Receiver, count: int, django_assert_num_queries: Any
) -> None:
    hook, _secret = made(admin, receiver)
    for _each in range(count):
        enqueue_webhook(hook, event="plan.approved", data={})
    with django_assert_num_queries(4):
        browser_of_admin.get(f"{PAGE}{hook.pk}/")
