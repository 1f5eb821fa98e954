"""REST: quotes are listed page by page, written down one or many at once, corrected, withdrawn."""

import json
from datetime import date
from typing import Any

import pytest
from django.test import Client
from jsonschema import Draft202012Validator

from access.models import AuditEvent
from access.roles import Role
from access.scopes import Scope
from planner.models import Quote
from planner.schemas import PROBLEM
from planner.schemas.quotes import EXAMPLE_QUOTE, NEW_QUOTE, QUOTE
from tests.access.people import bearer, person, signed_in, token_text
from tests.planner.money.offers import offer

URL = "/api/v1/quotes"
pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> Client:
    return signed_in(person(Role.OPERATOR))


def post(client: Client, body: Any, address: str = URL, **headers: str) -> Any:
    return client.post(address, body, content_type="application/json", headers=headers)


def patch(client: Client, uid: str, body: Any, revision: int | None = 1) -> Any:
    headers = {} if revision is None else {"If-Match": f'"{revision}"'}
    return client.patch(f"{URL}/{uid}", body, content_type="application/json", headers=headers)


def refused(response: Any, status: int = 422) -> dict[str | None, str]:
    assert response.status_code == status, response.content
    Draft202012Validator(PROBLEM).validate(response.json())
    return {error["field"]: error["code"] for error in response.json()["errors"]}


def test_quote_is_written_down_and_read_again(client: Client) -> None:
    Draft202012Validator(NEW_QUOTE).validate(EXAMPLE_QUOTE)
    response = post(client, EXAMPLE_QUOTE)
    made = response.json()
    assert (response.status_code, response["ETag"], made["revision"], made["state"]) == (
        201,
        '"1"',
        1,
        "valid",
    )
    assert {name: made[name] for name in EXAMPLE_QUOTE} == EXAMPLE_QUOTE
    Draft202012Validator(QUOTE).validate(made)
    again = client.get(f"{URL}/{made['uid']}")
    assert (again.json(), again["ETag"]) == (made, '"1"')


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("15800.00", "15800.00"),
        (15800, "15800.00"),
        (0.1, "0.10"),
        ("0.0125", "0.0125"),
        ("1,234.5", "1234.50"),
    ],
)
def test_amount_is_exact_as_text_and_as_number(client: Client, given: Any, kept: str) -> None:
    assert post(client, {**EXAMPLE_QUOTE, "unit_price": given}).json()["unit_price"] == kept


def test_many_quotes_are_written_down_at_once(client: Client, django_assert_max_num_queries: Any) -> None:
    many = [{**EXAMPLE_QUOTE, "unit_price": number + 1} for number in range(1000)]
    with django_assert_max_num_queries(40):  # SQLite writes a few dozen rows at a time
        response = post(client, many)
    assert response.status_code == 201
    assert [item["unit_price"] for item in response.json()][:2] == ["1.00", "2.00"]
    assert Quote.objects.count() == 1000


def test_one_bad_quote_of_many_keeps_all_out(client: Client) -> None:
    bad = {**EXAMPLE_QUOTE, "subject": "nvidia-rtx-4900"}
    response = post(client, [EXAMPLE_QUOTE, bad])
    assert refused(response) == {"1.subject": "invalid"}
    assert "Did you mean nvidia-rtx-4" in response.json()["errors"][0]["message"]
    assert Quote.objects.count() == 0


@pytest.mark.parametrize("body", [[], [EXAMPLE_QUOTE] * 1001])
def test_list_of_none_or_too_many_is_refused(client: Client, body: Any) -> None:
    assert refused(post(client, body)) == {None: "batch_size"}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"unit_price": True}, {"unit_price": "wrong_type"}),
        ({"unit_price": [1]}, {"unit_price": "wrong_type"}),
        ({"unit_price": None}, {"unit_price": "required"}),
        ({"unit_price": "1,5"}, {"unit_price": "invalid"}),
        ({"unit_price": 1e300}, {"unit_price": "max_digits"}),
        ({"unit_price": "1.00001"}, {"unit_price": "max_decimal_places"}),
        ({"supplier": 7}, {"supplier": "wrong_type"}),
        ({"minimum_quantity": 1.5}, {"minimum_quantity": "invalid"}),
        ({"currency": "RMB"}, {"currency": "currency_unknown"}),
        ({"offer": "lease"}, {"offer": "invalid_choice"}),
        ({"quoted_on": "24.11.2026 "}, {"quoted_on": "invalid"}),
        ({"colour": "red"}, {"colour": "unknown_field"}),
        ({"subject": "x" * 201}, {"subject": "max_length"}),
    ],
)
def test_wrong_field_is_named(client: Client, change: dict[str, Any], expected: dict[str, str]) -> None:
    found = refused(post(client, {**EXAMPLE_QUOTE, **change}))
    assert {name: found.get(name) for name in expected} == expected
    assert Quote.objects.count() == 0


@pytest.mark.parametrize("body", ["text", 7, None, True])
def test_what_is_no_object_is_refused(client: Client, body: Any) -> None:
    assert post(client, json.dumps(body)).status_code in (400, 422)


def test_same_key_writes_once(client: Client) -> None:
    first = post(client, EXAMPLE_QUOTE, **{"Idempotency-Key": "a"})
    second = post(client, EXAMPLE_QUOTE, **{"Idempotency-Key": "a"})
    assert (first.json()["uid"], Quote.objects.count()) == (second.json()["uid"], 1)


def test_list_is_paged_by_cursor_and_filtered_like_the_page(client: Client) -> None:
    for number in range(3):
        offer("nvidia-l4", str(100 + number))
    offer("nvidia-a10", "7", "CNY", valid_until=date(2026, 11, 25), quoted_on=date(2020, 1, 1))
    first = client.get(f"{URL}?limit=2&q=l4").json()
    second = client.get(first["next"]).json()
    assert [item["unit_price"] for item in first["items"] + second["items"]] == ["102.00", "101.00", "100.00"]
    assert (first["previous"], second["next"]) == (None, None)
    found = client.get(f"{URL}?currency=CNY&offer=purchase&subject_kind=accelerator&supplier=dong").json()
    assert [item["subject"] for item in found["items"]] == ["nvidia-a10"]


def test_unknown_value_of_a_filter_is_refused(client: Client) -> None:
    assert refused(client.get(f"{URL}?state=fresh")) == {"state": "invalid_choice"}


def test_list_asks_the_database_a_fixed_number_of_times(
    client: Client, django_assert_num_queries: Any
) -> None:
    for number in range(60):
        offer("nvidia-l4", str(100 + number))
    # session, user, the counter of calls in its transaction, quotes with their authors
    with django_assert_num_queries(7):
        client.get(URL)


def test_correction_changes_what_it_names_alone(client: Client) -> None:
    uid = offer("nvidia-l4", "2500", note="net").uid
    response = patch(client, uid, {"unit_price": "2400.50", "valid_until": None})
    changed = response.json()
    assert (response.status_code, response["ETag"]) == (200, '"2"')
    assert (changed["unit_price"], changed["valid_until"], changed["note"]) == ("2400.50", None, "net")
    assert set(AuditEvent.objects.get(action="quote.change").data["changed"]) == {"unit_price", "valid_until"}


def test_correction_of_an_older_revision_is_refused(client: Client) -> None:
    uid = offer().uid
    patch(client, uid, {"note": "first"})
    response = patch(client, uid, {"note": "second"})
    assert (response.status_code, response["ETag"], response.json()["code"]) == (
        412,
        '"2"',
        "changed_meanwhile",
    )
    assert Quote.objects.get().note == "first"


def test_correction_without_a_revision_is_refused(client: Client) -> None:
    assert patch(client, offer().uid, {"note": "x"}, revision=None).status_code == 428


def test_wrong_correction_is_refused(client: Client) -> None:
    assert refused(patch(client, offer().uid, {"currency": "EURO"})) == {"currency": "currency_unknown"}


def test_withdrawal_keeps_its_reason(client: Client) -> None:
    quote = offer()
    address = f"{URL}/{quote.uid}/withdraw"
    assert refused(post(client, {"reason": " "}, address, **{"If-Match": '"1"'})) == {"reason": "required"}
    response = post(client, {"reason": "sold out "}, address, **{"If-Match": '"1"'})
    assert (response.status_code, response.json()["state"], response["ETag"]) == (200, "withdrawn", '"2"')
    assert AuditEvent.objects.get(action="quote.withdraw").reason == "sold out"
    again = post(client, {"reason": "sold out"}, address, **{"If-Match": '"2"'})
    assert (again.status_code, again.json()["revision"]) == (200, 2)


def test_quote_that_is_not_there_is_a_problem(client: Client) -> None:
    response = client.get(f"{URL}/nothing")
    assert (response.status_code, response["Content-Type"]) == (404, "application/problem+json")


def test_reading_and_writing_have_scopes_of_their_own() -> None:
    operator = person(Role.OPERATOR)
    reader, writer = (
        bearer(token_text(operator, scope)) for scope in (Scope.QUOTES_READ, Scope.QUOTES_WRITE)
    )
    assert reader.get(URL).status_code == 200
    assert post(reader, EXAMPLE_QUOTE).status_code == 403
    assert post(writer, EXAMPLE_QUOTE).status_code == 201
    assert post(signed_in(person(Role.VIEWER)), EXAMPLE_QUOTE).status_code == 403
