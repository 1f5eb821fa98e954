"""Deny by default: every address, asked by people and tokens that may and that may not.

An address that is missing in ADDRESSES fails the first test: add a line that says who may call it. The
table is written by hand on purpose, so that a view can't widen its own declaration unnoticed.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from access.declare import Access, access_of
from access.roles import Role
from access.scopes import Scope
from tests.access.people import bearer, person, signed_in, token_text

PUBLIC = Access(public=True)
VIEWER = Access(role=Role.VIEWER)
OPERATOR = Access(role=Role.OPERATOR)
ADMIN = Access(role=Role.ADMIN)
CATALOG = Access(scope=Scope.CATALOG_READ, write=Scope.CATALOG_WRITE)
QUOTES = Access(scope=Scope.QUOTES_READ, write=Scope.QUOTES_WRITE)
PLANS = Access(scope=Scope.PLANS_READ, write=Scope.PLANS_WRITE)
PLANS_READ = Access(scope=Scope.PLANS_READ)
PLANS_WRITE = Access(scope=Scope.PLANS_WRITE)
PLANS_APPROVE = Access(scope=Scope.PLANS_APPROVE)


@dataclass(frozen=True)
class Address:
    """Who may call it, how it is called, and what stands in its path."""

    access: Access
    method: str = "GET"
    args: dict[str, Any] = field(default_factory=dict)


ADDRESSES = {
    "access:sign_in": Address(PUBLIC),
    "access:sign_in_link": Address(PUBLIC, args={"secret": "unknown"}),
    "access:sign_out": Address(VIEWER, "POST"),
    "access:account": Address(VIEWER),
    "access:password": Address(VIEWER),
    "access:tokens": Address(VIEWER),
    "access:token_revoke": Address(VIEWER, "POST", {"pk": 1}),
    "access:users": Address(ADMIN),
    "access:user": Address(ADMIN, args={"pk": 1}),
    "access:user_link": Address(ADMIN, "POST", {"pk": 1}),
    "access:audit": Address(ADMIN),
    "access:webhooks": Address(ADMIN),
    "access:webhook": Address(ADMIN, args={"pk": 1}),
    "access:webhook_deliveries": Address(ADMIN, args={"pk": 1}),
    "access:webhook_pause": Address(ADMIN, "POST", {"pk": 1}),
    "access:webhook_test": Address(ADMIN, "POST", {"pk": 1}),
    "access:webhook_secret": Address(ADMIN, "POST", {"pk": 1}),
    "access:webhook_delete": Address(ADMIN, "POST", {"pk": 1}),
    "planner:home": Address(VIEWER),
    "planner:recommend": Address(VIEWER),
    "planner:read_search_config": Address(VIEWER, "POST"),
    "planner:winners": Address(VIEWER),
    "planner:options_csv": Address(VIEWER),
    "planner:recommendations": Address(Access(scope=Scope.ESTIMATES_READ), "POST"),
    "planner:plan": Address(VIEWER),
    "planner:chart_data": Address(VIEWER, args={"chart": "curve"}),
    "planner:read_pasted_config": Address(VIEWER, "POST"),
    "planner:keyboard": Address(PUBLIC),
    "planner:fits": Address(VIEWER),
    "planner:reference": Address(VIEWER),
    "planner:estimates": Address(Access(scope=Scope.ESTIMATES_READ), "POST"),
    "planner:check": Address(VIEWER),
    "planner:command_checks": Address(Access(scope=Scope.ESTIMATES_READ), "POST"),
    "planner:create_fits": Address(Access(scope=Scope.ESTIMATES_READ), "POST"),
    "planner:limits": Address(Access(scope=Scope.ESTIMATES_READ), "POST"),
    "planner:accelerators": Address(VIEWER),
    "planner:bandwidth": Address(VIEWER),
    "planner:compare_accelerators": Address(VIEWER),
    "planner:new_accelerator": Address(OPERATOR),
    "planner:accelerator": Address(VIEWER, args={"key": "nothing"}),
    "planner:edit_accelerator": Address(OPERATOR, args={"key": "nothing"}),
    "planner:reset_accelerator": Address(OPERATOR, args={"key": "nothing"}),
    "planner:retire_accelerator": Address(OPERATOR, args={"key": "nothing"}),
    "planner:platforms": Address(VIEWER),
    "planner:new_platform": Address(OPERATOR),
    "planner:platform": Address(VIEWER, args={"key": "nothing"}),
    "planner:edit_platform": Address(OPERATOR, args={"key": "nothing"}),
    "planner:reset_platform": Address(OPERATOR, args={"key": "nothing"}),
    "planner:retire_platform": Address(OPERATOR, args={"key": "nothing"}),
    "planner:models": Address(VIEWER),
    "planner:model": Address(VIEWER, args={"key": "some/thing"}),
    "planner:edit_model": Address(OPERATOR, args={"key": "some/thing"}),
    "planner:reset_model": Address(OPERATOR, args={"key": "some/thing"}),
    "planner:engines": Address(VIEWER),
    "planner:engine": Address(VIEWER, args={"key": "nothing"}),
    "planner:schemes": Address(VIEWER),
    "planner:scheme": Address(VIEWER, args={"key": "nothing"}),
    "planner:mappings": Address(VIEWER),
    "planner:map_name": Address(OPERATOR, "POST"),
    "planner:unmap_name": Address(OPERATOR, "POST", {"pk": 1}),
    "planner:api_accelerators": Address(CATALOG),
    "planner:api_accelerator": Address(CATALOG, args={"key": "nothing"}),
    "planner:api_platforms": Address(CATALOG),
    "planner:api_platform": Address(CATALOG, args={"key": "nothing"}),
    "planner:api_models": Address(Access(scope=Scope.CATALOG_READ)),
    "planner:api_model": Address(CATALOG, args={"key": "some/thing"}),
    "planner:api_engines": Address(Access(scope=Scope.CATALOG_READ)),
    "planner:api_engine": Address(Access(scope=Scope.CATALOG_READ), args={"key": "nothing"}),
    "planner:api_schemes": Address(Access(scope=Scope.CATALOG_READ)),
    "planner:api_scheme": Address(Access(scope=Scope.CATALOG_READ), args={"key": "nothing"}),
    "planner:api_names": Address(CATALOG),
    "planner:api_name": Address(CATALOG, args={"pk": 1}),
    "planner:costs": Address(VIEWER),
    "planner:cost_table": Address(VIEWER, args={"table": "terms"}),
    "planner:budget": Address(VIEWER),
    "planner:budget_table": Address(VIEWER),
    "planner:assumptions": Address(VIEWER),
    "planner:change_assumptions": Address(OPERATOR, "POST"),
    "planner:api_costs": Address(Access(scope=Scope.QUOTES_READ), "POST"),
    "planner:api_cost_assumptions": Address(QUOTES),
    "planner:quotes": Address(VIEWER),
    "planner:new_quote": Address(OPERATOR),
    "planner:import_quotes": Address(OPERATOR),
    "planner:quote_template": Address(VIEWER),
    "planner:quotes_csv": Address(VIEWER),
    "planner:quote": Address(VIEWER, args={"uid": "none"}),
    "planner:edit_quote": Address(OPERATOR, args={"uid": "none"}),
    "planner:withdraw_quote": Address(OPERATOR, "POST", {"uid": "none"}),
    "planner:rates": Address(VIEWER),
    "planner:change_rate": Address(OPERATOR, "POST"),
    "planner:api_quotes": Address(QUOTES),
    "planner:api_quote": Address(QUOTES, args={"uid": "none"}),
    "planner:api_withdraw_quote": Address(Access(scope=Scope.QUOTES_WRITE), "POST", {"uid": "none"}),
    "planner:api_rates": Address(Access(scope=Scope.QUOTES_READ)),
    "planner:api_rate": Address(Access(scope=Scope.QUOTES_WRITE), "PUT", {"currency": "CNY"}),
    "planner:plans": Address(VIEWER),
    "planner:new_plan": Address(OPERATOR),
    "planner:plan_rules": Address(ADMIN),
    "planner:compare_plans": Address(VIEWER),
    "planner:saved_plan": Address(VIEWER, args={"uid": "none"}),
    "planner:edit_plan": Address(OPERATOR, args={"uid": "none"}),
    "planner:change_plan": Address(OPERATOR, args={"uid": "none"}),
    "planner:edit_order": Address(OPERATOR, args={"uid": "none"}),
    "planner:plan_version": Address(VIEWER, args={"uid": "none", "number": 1}),
    "planner:plan_diff": Address(VIEWER, args={"uid": "none"}),
    "planner:comment_plan": Address(OPERATOR, "POST", {"uid": "none"}),
    "planner:step_plan": Address(OPERATOR, "POST", {"uid": "none", "name": "propose"}),
    "planner:archive_plan": Address(OPERATOR, "POST", {"uid": "none"}),
    "planner:share_plan": Address(OPERATOR, "POST", {"uid": "none"}),
    "planner:unshare_plan": Address(OPERATOR, "POST", {"uid": "none", "pk": 1}),
    "planner:shared_plan": Address(PUBLIC, args={"secret": "unknown"}),
    "planner:plan_bill": Address(VIEWER, args={"uid": "none"}),
    "planner:plan_export": Address(VIEWER, args={"uid": "none", "ending": "csv"}),
    "planner:api_plan_bill": Address(PLANS_READ, args={"uid": "none"}),
    "planner:api_plan_export": Address(PLANS_READ, args={"uid": "none"}),
    "planner:api_plans": Address(PLANS),
    "planner:api_plan_comparisons": Address(PLANS_READ, "POST"),
    "planner:api_plan": Address(PLANS, args={"uid": "none"}),
    "planner:api_plan_versions": Address(PLANS, args={"uid": "none"}),
    "planner:api_plan_version": Address(PLANS_READ, args={"uid": "none", "number": 1}),
    "planner:api_plan_diff": Address(PLANS_READ, args={"uid": "none"}),
    "planner:api_plan_comments": Address(PLANS, args={"uid": "none"}),
    "planner:api_propose_plan": Address(PLANS_WRITE, "POST", {"uid": "none"}),
    "planner:api_withdraw_plan": Address(PLANS_WRITE, "POST", {"uid": "none"}),
    "planner:api_approve_plan": Address(PLANS_APPROVE, "POST", {"uid": "none"}),
    "planner:api_reject_plan": Address(PLANS_APPROVE, "POST", {"uid": "none"}),
    "planner:api_reopen_plan": Address(PLANS_WRITE, "POST", {"uid": "none"}),
    "planner:api_plan_shares": Address(PLANS_WRITE, args={"uid": "none"}),
    "planner:api_plan_share": Address(PLANS_WRITE, "DELETE", {"uid": "none", "pk": 1}),
    "planner:evaluate_plan": Address(OPERATOR, "POST", {"uid": "none"}),
    "planner:api_plan_evaluations": Address(
        Access(scope=Scope.PLANS_READ, write=Scope.PLANS_WRITE), args={"uid": "none"}
    ),
    "planner:import_model": Address(OPERATOR),
    "planner:keep_model_import": Address(OPERATOR, "POST"),
    "planner:api_model_imports": Address(CATALOG),
    "planner:hubs": Address(ADMIN),
    "planner:hub": Address(ADMIN, args={"uid": "none"}),
    "planner:try_hub": Address(ADMIN, "POST", {"uid": "none"}),
    "planner:delete_hub": Address(ADMIN, "POST", {"uid": "none"}),
    "planner:length_logs": Address(VIEWER),
    "planner:new_length_log": Address(OPERATOR),
    "planner:length_log": Address(VIEWER, args={"uid": "none"}),
    "planner:length_log_csv": Address(VIEWER, args={"uid": "none", "length": "input"}),
    "planner:rename_length_log": Address(OPERATOR, "POST", {"uid": "none"}),
    "planner:archive_length_log": Address(OPERATOR, "POST", {"uid": "none"}),
    "planner:api_length_logs": Address(Access(scope=Scope.PLANS_READ, write=Scope.PLANS_WRITE)),
    "planner:api_length_log": Address(Access(scope=Scope.PLANS_READ), args={"uid": "none"}),
    "planner:kv_exhaustion": Address(Access(scope=Scope.ESTIMATES_READ), "POST"),
    "planner:api_webhooks": Address(Access(scope=Scope.WEBHOOKS_WRITE)),
    "planner:api_webhook": Address(Access(scope=Scope.WEBHOOKS_WRITE), args={"pk": 1}),
    "planner:api_webhook_deliveries": Address(Access(scope=Scope.WEBHOOKS_WRITE), args={"pk": 1}),
    "planner:api_test_webhook": Address(Access(scope=Scope.WEBHOOKS_WRITE), "POST", {"pk": 1}),
    "set_language": Address(PUBLIC, "POST"),
    "api_schema": Address(PUBLIC),
    "api_docs": Address(PUBLIC),
    "healthz": Address(PUBLIC),
    "readyz": Address(PUBLIC),
    "metrics": Address(Access(scope=Scope.METRICS_READ)),
}

by_role = [name for name, address in ADDRESSES.items() if address.access.role]
by_scope = [name for name, address in ADDRESSES.items() if address.access.scope]


def walk(patterns: list[Any], namespace: str = "") -> Iterator[tuple[str, Any]]:
    """Every view with its name, or its route where it has none."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            inner = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
            yield from walk(pattern.url_patterns, inner)
        elif isinstance(pattern, URLPattern):
            yield f"{namespace}{pattern.name or pattern.pattern}", pattern.callback


def call(client: Client, name: str) -> Any:
    address = ADDRESSES[name]
    client.raise_request_exception = False
    return client.generic(address.method, reverse(name, kwargs=address.args))


def sends_to_sign_in(response: Any) -> bool:
    return response.status_code == 302 and response["Location"].startswith("/sign-in/")


def test_every_address_is_in_the_table_and_nothing_else_is() -> None:
    assert sorted(name for name, _view in walk(get_resolver().url_patterns)) == sorted(ADDRESSES)


def test_every_view_declares_what_the_table_says() -> None:
    declared = {name: access_of(view) for name, view in walk(get_resolver().url_patterns)}
    assert declared == {name: address.access for name, address in ADDRESSES.items()}


@pytest.mark.django_db
@pytest.mark.parametrize("name", [name for name, address in ADDRESSES.items() if address.access.public])
def test_public_address_answers_nobody(name: str) -> None:
    response = call(Client(), name)
    assert response.status_code not in (401, 403)
    assert not sends_to_sign_in(response)


@pytest.mark.django_db
@pytest.mark.parametrize("name", by_role)
def test_page_sends_nobody_and_tokens_to_sign_in(name: str) -> None:
    token = token_text(person(Role.ADMIN), *Scope)
    assert sends_to_sign_in(call(Client(), name))
    assert sends_to_sign_in(call(bearer(token), name))


@pytest.mark.django_db
@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize("name", by_role)
def test_page_answers_its_role_and_those_above(name: str, role: Role) -> None:
    needed = ADDRESSES[name].access.role
    assert needed is not None
    response = call(signed_in(person(role)), name)
    allowed = list(Role).index(role) >= list(Role).index(needed)
    assert (response.status_code != 403) is allowed
    # Signing out ends there; all others stay.
    assert sends_to_sign_in(response) is (name == "access:sign_out")


@pytest.mark.django_db
@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize("name", by_scope)
def test_scope_answers_people_with_its_role(name: str, role: Role) -> None:
    scope = ADDRESSES[name].access.scope
    assert scope is not None
    allowed = list(Role).index(role) >= list(Role).index(scope.role)
    assert (call(signed_in(person(role)), name).status_code != 403) is allowed


@pytest.mark.django_db
@pytest.mark.parametrize("name", by_scope)
def test_scope_refuses_nobody_and_worthless_tokens(name: str) -> None:
    admin = person(Role.ADMIN)
    refused = {
        "nobody": Client(),
        "nonsense": bearer("nonsense"),
        "expired": bearer(token_text(admin, *Scope, expired=True)),
        "revoked": bearer(token_text(admin, *Scope, revoked=True)),
        "another secret": bearer(token_text(admin, *Scope)[:-4] + "AAAA"),
    }
    answers = {who: call(client, name) for who, client in refused.items()}
    assert {who: answer.status_code for who, answer in answers.items()} == dict.fromkeys(refused, 401)
    assert {answer["Content-Type"] for answer in answers.values()} == {"application/problem+json"}
    assert {answer["WWW-Authenticate"] for answer in answers.values()} == {'Bearer realm="decodeck"'}


@pytest.mark.django_db
@pytest.mark.parametrize("name", by_scope)
def test_scope_answers_tokens_that_have_it_only(name: str) -> None:
    scope = ADDRESSES[name].access.scope
    assert scope is not None
    admin = person(Role.ADMIN)
    others = [other for other in Scope if other != scope]
    assert call(bearer(token_text(admin, scope)), name).status_code not in (401, 403)
    assert call(bearer(token_text(admin, *others)), name).status_code == 403


@pytest.mark.django_db
@pytest.mark.parametrize("name", by_scope)
def test_token_of_someone_barred_is_worthless(name: str) -> None:
    admin = person(Role.ADMIN)
    text = token_text(admin, *Scope)
    admin.is_active = False
    admin.save()
    assert call(bearer(text), name).status_code == 401


@pytest.mark.django_db
@pytest.mark.parametrize("name", [name for name, address in ADDRESSES.items() if address.method == "POST"])
def test_change_from_a_browser_needs_the_csrf_secret(name: str) -> None:
    client = signed_in(person(Role.ADMIN), enforce_csrf_checks=True)
    assert call(client, name).status_code == 403


@pytest.mark.django_db
@pytest.mark.parametrize("name", by_role)
def test_part_of_a_page_is_refused_in_place(name: str) -> None:
    """HTMX would follow a redirect and put the sign-in page inside the page that asked."""
    assert call(Client(headers={"HX-Request": "true"}), name).status_code == 401
