"""The page of exchange rates."""

from typing import Any

import pytest
from django.test import Client

from access.models import AuditEvent
from access.roles import Role
from planner.models import ExchangeRate
from tests.access.people import person, signed_in
from tests.planner.money.offers import rate
from tests.planner.money.test_pages import text_of

RATES = "/buy/rates/"
SET = f"{RATES}set/"
FORM = {
    "currency": "CNY",
    "per_usd": "7.0512",
    "as_of": "2026-11-30",
    "source": "the bank's rate of the day",
    "revision": "0",
}
pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> Client:
    return signed_in(person(Role.OPERATOR))


def test_shipped_rate_is_shown_as_assumed(client: Client) -> None:
    assert "CNY 7.1 2026 A round figure for a first look. Set the rate of the day. assumed" in text_of(
        client.get(RATES)
    )


def test_rate_of_the_team_takes_its_place(client: Client) -> None:
    text = text_of(client.post(SET, FORM, follow=True))
    assert "CNY 7.0512 2026-11-30 the bank's rate of the day set by the team" in text
    event = AuditEvent.objects.get(action="rate.set")
    assert (event.data["before"], event.data["after"]) == (None, "7.0512")


def test_form_starts_with_the_rate_that_is_to_be_changed(client: Client) -> None:
    rate("EUR", "0.92")
    html = client.get(f"{RATES}?currency=EUR").content.decode()
    assert 'value="0.92"' in html and 'name="revision" value="1"' in html


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("currency", "USD", "Rates are against the US dollar, which has none of its own."),
        ("currency", "euro", "Ensure this value has at most 3 characters"),
        ("currency", "RMB", "Did you mean CNY?"),
        ("per_usd", "0", "greater than or equal to"),
        ("per_usd", "7,05", "This is not an amount"),
        ("as_of", "2999-01-01", "A rate is of the past"),
        ("source", "", "This field is required."),
    ],
)
def test_rate_that_cannot_be_is_refused(client: Client, field: str, value: str, message: str) -> None:
    response = client.post(SET, {**FORM, field: value})
    assert (response.status_code, ExchangeRate.objects.count()) == (422, 0)
    assert message in text_of(response) or field == "currency"


def test_rate_that_somebody_set_meanwhile_is_shown_beside_what_was_typed(client: Client) -> None:
    rate("CNY", "7.2")
    response = client.post(SET, FORM)
    assert response.status_code == 409
    html, text = response.content.decode(), text_of(response)
    assert "Somebody else set this rate meanwhile." in text
    assert "One US dollar buys 7.2 7.0512" in text
    assert 'value="7.0512"' in html and 'name="revision" value="1"' in html
    assert client.post(SET, {**FORM, "revision": "1"}).status_code == 302
    assert ExchangeRate.objects.get().revision == 2


def test_viewer_reads_rates_and_sets_none() -> None:
    viewer = signed_in(person(Role.VIEWER))
    assert "Set a rate" not in text_of(viewer.get(RATES))
    assert viewer.post(SET, FORM).status_code == 403


def test_page_of_rates_asks_the_database_a_fixed_number_of_times(
    client: Client, django_assert_num_queries: Any
) -> None:
    for code in ("EUR", "GBP", "JPY"):
        rate(code, "2")
    with django_assert_num_queries(3):  # session, user, rates
        client.get(RATES)
