"""REST: what one US dollar buys, read and set."""

from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from jsonschema import Draft202012Validator

from access.roles import Role
from planner.models import ExchangeRate
from planner.schemas.quotes import RATE
from tests.access.people import person, signed_in
from tests.planner.money.offers import rate

URL = "/api/v1/exchange-rates"
BODY = {"per_usd": "7.0512", "as_of": "2026-11-30", "source": "the bank's rate of the day"}
pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> Client:
    return signed_in(person(Role.OPERATOR))


def put(client: Client, currency: str, body: Any, revision: int | None = 0) -> Any:
    headers = {} if revision is None else {"If-Match": f'"{revision}"'}
    return client.put(f"{URL}/{currency}", body, content_type="application/json", headers=headers)


def test_rates_say_which_are_assumed(client: Client) -> None:
    rate("EUR", "0.92")
    found = client.get(URL).json()
    Draft202012Validator({"type": "array", "items": RATE}).validate(found)
    assert [(row["currency"], row["per_usd"], row["assumed"], row["revision"]) for row in found] == [
        ("CNY", 7.1, True, 0),
        ("EUR", 0.92, False, 1),
    ]


def test_rate_is_set_over_the_shipped_one(client: Client) -> None:
    response = put(client, "cny", BODY)
    assert (response.status_code, response["ETag"]) == (200, '"1"')
    assert response.json() == {
        "currency": "CNY",
        "per_usd": 7.0512,
        "as_of": "2026-11-30",
        "source": "the bank's rate of the day",
        "assumed": False,
        "revision": 1,
    }


def test_rate_of_an_older_revision_is_refused(client: Client) -> None:
    put(client, "CNY", BODY)
    response = put(client, "CNY", {**BODY, "per_usd": 7.2})
    assert (response.status_code, response["ETag"]) == (412, '"1"')
    assert put(client, "CNY", {**BODY, "per_usd": 7.2}, revision=1).status_code == 200
    assert ExchangeRate.objects.get().per_usd == Decimal("7.2")


@pytest.mark.parametrize(
    ("currency", "change", "field"),
    [
        ("USD", {}, "currency"),
        ("XYZ", {}, "currency"),
        ("CNY", {"per_usd": 0}, "per_usd"),
        ("CNY", {"per_usd": "7,1"}, "per_usd"),
        ("CNY", {"as_of": "30/11/2026"}, "as_of"),
        ("CNY", {"as_of": "2999-01-01"}, "as_of"),
        ("CNY", {"source": ""}, "source"),
        ("CNY", {"source": None}, "source"),
        ("CNY", {"colour": "red"}, None),
        ("CNY", {"per_usd": True}, "per_usd"),
    ],
)
def test_rate_that_cannot_be_is_refused(
    client: Client, currency: str, change: dict[str, Any], field: str | None
) -> None:
    response = put(client, currency, {**BODY, **change})
    assert response.status_code == 422
    assert [error["field"] for error in response.json()["errors"]] == [field]
    assert ExchangeRate.objects.count() == 0


def test_rate_without_a_revision_is_refused(client: Client) -> None:
    assert put(client, "CNY", BODY, revision=None).status_code == 428


def test_viewer_sets_no_rate() -> None:
    viewer = signed_in(person(Role.VIEWER))
    assert viewer.get(URL).status_code == 200
    assert put(viewer, "CNY", BODY).status_code == 403


@pytest.mark.parametrize(
    ("field", "value"), [("as_of", 20261130), ("source", 5), ("per_usd", True), ("per_usd", [])]
)
def test_value_of_another_type_is_named(client: Client, field: str, value: Any) -> None:
    response = put(client, "CNY", {**BODY, field: value})
    assert response.status_code == 422
    assert [(error["field"], error["code"]) for error in response.json()["errors"]] == [(field, "wrong_type")]
    assert ExchangeRate.objects.count() == 0
