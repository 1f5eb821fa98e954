"""API tokens: what is kept, who may make them, and what a call costs."""

import hashlib
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from access.actions import create_token, revoke_token
from access.models import ApiToken, AuditEvent
from access.roles import Role
from access.scopes import Scope
from access.tokens import find_token
from tests.access.people import bearer, person, signed_in, token_text

pytestmark = pytest.mark.django_db


def test_token_is_kept_as_the_hash_of_its_secret() -> None:
    user = person()
    token, text = create_token(user, name="script", scopes=[Scope.ESTIMATES_READ], days=1, actor=user)
    start, prefix, secret = text.split("_", 2)
    assert (start, prefix) == ("dk", token.prefix)
    assert token.digest == hashlib.sha256(secret.encode()).hexdigest()
    row = str(ApiToken.objects.filter(pk=token.pk).values().get())
    assert secret not in row
    assert all(secret not in str(event.data) for event in AuditEvent.objects.all())


def test_use_is_noted_once_an_hour(django_assert_num_queries: Any) -> None:
    text = token_text(person(), Scope.ESTIMATES_READ)
    with django_assert_num_queries(2):
        assert find_token(text)
    with django_assert_num_queries(1):
        assert find_token(text)
    ApiToken.objects.update(last_used_at=timezone.now() - timedelta(hours=2))
    with django_assert_num_queries(2):
        assert find_token(text)


def test_text_of_another_form_costs_no_query(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(0):
        assert find_token("dk_short") is None
        assert find_token("dk_" + "é" * 56) is None


def test_new_token_is_shown_once() -> None:
    client = signed_in(person())
    answer = client.post("/account/tokens/", {"name": "<b>ci</b>", "scopes": ["estimates:read"], "days": "7"})
    text = answer.context["made"]
    assert text in answer.content.decode()
    assert "no-store" in answer["Cache-Control"]
    again = client.get("/account/tokens/").content.decode()
    assert text not in again
    assert "&lt;b&gt;ci&lt;/b&gt;" in again
    assert find_token(text) is not None


def test_scope_beyond_ones_role_is_not_given() -> None:
    answer = signed_in(person(Role.VIEWER)).post(
        "/account/tokens/", {"name": "x", "scopes": ["metrics:read"], "days": "7"}
    )
    assert answer.context["form"].has_error("scopes", code="invalid_choice")
    assert not ApiToken.objects.exists()


def test_token_of_a_colleague_is_not_found() -> None:
    ada, eve = person(name="ada"), person(name="eve")
    token, _text = create_token(ada, name="x", scopes=[], days=1, actor=ada)
    assert signed_in(eve).post(f"/account/tokens/{token.pk}/revoke/").status_code == 404
    assert "ada" not in signed_in(eve).get("/account/tokens/").content.decode()


def test_administrator_revokes_anybodys_token() -> None:
    ada, admin = person(name="ada"), person(Role.ADMIN, name="root")
    token, text = create_token(ada, name="x", scopes=[], days=1, actor=ada)
    assert signed_in(admin).post(f"/account/tokens/{token.pk}/revoke/").status_code == 302
    assert find_token(text) is None
    event = AuditEvent.objects.first()
    assert event is not None
    assert (event.action, event.actor, event.object_id) == ("token.revoke", admin, str(token.pk))


def test_token_is_revoked_once() -> None:
    ada = person()
    token, _text = create_token(ada, name="x", scopes=[], days=1, actor=ada)
    assert [revoke_token(token, actor=ada), revoke_token(token, actor=ada)] == [True, False]
    assert AuditEvent.objects.filter(action="token.revoke").count() == 1


@pytest.mark.parametrize("count", [1, 20])
def test_page_of_tokens_takes_as_many_queries_for_one_as_for_many(
    count: int, django_assert_num_queries: Any
) -> None:
    admin = person(Role.ADMIN)
    for _ in range(count):
        token_text(admin)
    client = signed_in(admin)
    # The session, its user, the tokens with their users.
    with django_assert_num_queries(3):
        client.get("/account/tokens/")


def test_token_may_no_more_than_its_owner_may_today() -> None:
    owner = person(Role.OPERATOR)
    script = bearer(token_text(owner, Scope.METRICS_READ))
    assert script.get("/metrics").status_code == 200
    owner.role = Role.VIEWER
    owner.save()
    assert script.get("/metrics").status_code == 403


def test_scope_that_this_version_does_not_know_is_shown_as_stored() -> None:
    user = person()
    token, _text = create_token(user, name="x", scopes=[Scope.ESTIMATES_READ], days=1, actor=user)
    token.scopes = ["gone:read", *token.scopes]
    assert token.scope_names == ["gone:read", "Ask for estimates"]


@pytest.mark.parametrize("name", ["a\u202egnp.exe", "a\u200bb", "a\tb", "\u2067x"])
def test_name_that_does_not_show_what_it_is_is_refused(name: str) -> None:
    answer = signed_in(person()).post(
        "/account/tokens/", {"name": name, "scopes": ["estimates:read"], "days": "7"}
    )
    assert answer.context["form"].errors.as_data()["name"][0].code == "not_printable"
    assert not ApiToken.objects.exists()


def test_name_in_any_script_is_taken() -> None:
    signed_in(person()).post(
        "/account/tokens/", {"name": "采购脚本 <b>", "scopes": ["estimates:read"], "days": "7"}
    )
    assert ApiToken.objects.get().name == "采购脚本 <b>"
