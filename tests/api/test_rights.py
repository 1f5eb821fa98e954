"""Nothing is read or written without the right to: every operation, asked by everybody who may not."""

import hashlib
from typing import Any

import pytest
from django.apps import apps
from django.db import transaction
from django.test import Client

from access.models import ApiToken, Counter, User
from access.roles import Role
from access.scopes import Scope
from tests.access.people import bearer, person, token_text
from tests.api.described import Operation, faults, operations
from tests.api.world import World, example

UNSTABLE = (ApiToken, Counter, User)  # a call notes that its token was used, and counts itself


def rows() -> dict[str, str]:
    """A digest of every table of ours."""
    models = [
        model
        for label in ("access", "planner", "fleet", "ops")
        for model in apps.get_app_config(label).get_models()
    ]
    return {
        model.__name__: hashlib.sha256(
            repr(list(model._default_manager.order_by("pk").values())).encode()
        ).hexdigest()
        for model in models
        if model not in UNSTABLE
    }


def strangers(operation: Operation) -> dict[str, Client]:
    """Those who may not call an operation, as they call it."""
    scope = Scope(operation.scope)
    admin = User.objects.get(username="root")
    found = {
        "no token": Client(),
        "a token that is none": bearer("dk_0123456789ab_" + "x" * 43),
        "a revoked token": bearer(token_text(admin, *Scope, revoked=True)),
        "an expired token": bearer(token_text(admin, *Scope, expired=True)),
        "every other scope": bearer(token_text(admin, *(other for other in Scope if other != scope))),
    }
    lower = [role for role in Role if not User(role=role).may(scope.role)]
    for role in lower:
        user = User.objects.filter(username=role).first() or person(role)
        found[f"a token of a {role}"] = bearer(token_text(user, *Scope))
    return found


def test_nobody_reads_or_writes_without_the_right(world: World, subtests: Any) -> None:
    before = rows()
    for operation in operations():
        with subtests.test(operation.name), transaction.atomic():
            body, revision = example(operation), {"If-Match": '"1"'}
            for name, client in strangers(operation).items():
                answer = world.send(operation, body, client=client, headers=revision)
                status = 403 if "scope" in name or "token of" in name else 401
                assert answer.status_code == status, (name, answer.content)
                kind = answer.headers["Content-Type"]
                assert faults(operation, status, kind, answer.json()) == []
            transaction.set_rollback(True)
    assert rows() == before


def test_reading_writes_nothing(world: World) -> None:
    """Questions that are asked by POST included."""
    before = rows()
    for operation in operations():
        if not operation.writes:
            assert world.send(operation, example(operation)).status_code < 500, operation.name
    assert rows() == before


@pytest.mark.parametrize("role", list(Role))
def test_a_role_may_what_its_scopes_say(role: Role, world: World) -> None:
    """Writes that a role includes are not refused for want of a right; a decision on one's own plan is another matter."""
    client = bearer(token_text(User.objects.filter(role=role).first() or person(role), *Scope))
    for operation in operations():
        may = User(role=role).may(Scope(operation.scope).role)
        with transaction.atomic():
            answer = world.send(operation, example(operation), client=client)
            transaction.set_rollback(True)
        denied = answer.status_code == 403 and answer.json()["code"] == "permission_denied"
        assert denied != may, (operation.name, answer.content[:200])


def test_tokens_of_one_person_count_apart(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("access.counters.CALLS_PER_MINUTE", 2)
    first, second = (bearer(token_text(world.admin, *Scope)) for _ in range(2))
    statuses = [first.get("/api/v1/schemes").status_code for _ in range(3)]
    assert statuses == [200, 200, 429]
    refused = first.get("/api/v1/schemes")
    assert (refused.json()["code"], 0 < int(refused.headers["Retry-After"]) <= 60) == ("throttled", True)
    assert second.get("/api/v1/schemes").status_code == 200
