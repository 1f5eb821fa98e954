"""The page of the team's assumptions: ours beside each, bounded, and nobody's word lost."""

from html import unescape
from typing import Any

import pytest
from django.test import Client

from access.models import AuditEvent
from access.roles import Role
from planner.models import TeamSettings
from tests.access.people import person, signed_in

PAGE, CHANGE = "/buy/assumptions/", "/buy/assumptions/change/"
START = {"revision": "1", "currency": "USD", "amounts_in": "USD"}


@pytest.fixture
def operator(db: None) -> Client:
    return signed_in(person(Role.OPERATOR))


def body_of(response: Any) -> str:
    return unescape(response.content.decode())


def test_first_load_shows_ours_with_source_and_bounds(operator: Client) -> None:
    body = body_of(operator.get(PAGE))
    assert "Nobody has replaced any of them yet." in body
    # Uptime Institute's surveys put the mean PUE between 1.55 and 1.6; ours is 1.5, a rule of thumb
    assert 'name="pue" value="" placeholder="1.5"' in body
    assert "Uptime Institute" in body
    assert "0 to 10,000,000" in body


def test_viewer_reads_and_cannot_change(db: None) -> None:
    viewer = signed_in(person(Role.VIEWER))
    body = body_of(viewer.get(PAGE))
    assert ">Save</button>" not in body
    assert 'aria-label="Electricity: value" disabled' in body
    assert viewer.post(CHANGE, START).status_code == 403
    assert TeamSettings.objects.count() == 0


def test_value_with_its_source_counts_and_is_audited(operator: Client) -> None:
    typed = {**START, "tariff_per_kwh": "0.31", "tariff_per_kwh.source": "bill of November", "pue": ""}
    response = operator.post(CHANGE, typed)
    assert (response.status_code, response["Location"]) == (302, PAGE)
    team = TeamSettings.objects.get()
    assert team.cost == {"tariff_per_kwh": {"value": 0.31, "source": "bill of November"}}
    assert team.revision == 2
    body = body_of(operator.get(PAGE))
    assert "One figure is the team's own word" in body
    assert 'value="bill of November"' in body
    event = AuditEvent.objects.get(action="team.change")
    assert event.data["after"]["cost"] == team.cost


def test_blank_gives_ours_back(operator: Client) -> None:
    operator.post(CHANGE, {**START, "pue": "1.2"})
    operator.post(CHANGE, {**START, "revision": "2", "pue": ""})
    assert TeamSettings.objects.get().cost == {}


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ({"pue": "0.9"}, "0.9 is out of range: allowed is 1 to 3."),
        ({"hourly_rate": "forty"}, "Expected a number, found text."),
        ({"currency": "XXX"}, "No currency"),
        ({"currency": "KRW", "amounts_in": "KRW"}, "There is no exchange rate for KRW."),
    ],
)
def test_wrong_input_is_named_kept_and_nothing_written(
    operator: Client, typed: dict[str, str], message: str
) -> None:
    response = operator.post(CHANGE, {**START, "engine_hours": "6", **typed})
    body = body_of(response)
    assert response.status_code == 422
    assert message in body
    assert 'name="engine_hours" value="6"' in body
    assert TeamSettings.objects.count() == 0


def test_second_of_two_editors_sees_the_first_and_keeps_what_they_typed(operator: Client) -> None:
    operator.post(CHANGE, {**START, "pue": "1.2"})
    response = operator.post(CHANGE, {**START, "pue": "1.4", "hourly_rate": "55"})
    body = body_of(response)
    assert response.status_code == 409
    assert "Somebody else changed this meanwhile." in body
    assert "<td>1.2</td><td>1.4</td>" in body
    assert 'name="hourly_rate" value="55"' in body
    assert 'name="revision" value="2"' in body
    assert TeamSettings.objects.get().cost == {"pue": {"value": 1.2, "source": ""}}


def test_amount_is_not_taken_for_another_currency_unseen(operator: Client) -> None:
    operator.post(CHANGE, {**START, "hourly_rate": "55"})
    turned = {"revision": "2", "currency": "CNY", "amounts_in": "USD", "hourly_rate": "55"}
    response = operator.post(CHANGE, turned)
    body = body_of(response)
    assert response.status_code == 422
    assert "This amount was in USD. Write what it is in CNY" in body
    assert 'name="amounts_in" value="CNY"' in body
    assert TeamSettings.objects.get().currency == "USD"
    assert operator.post(CHANGE, {**turned, "amounts_in": "CNY", "hourly_rate": "390"}).status_code == 302
    assert TeamSettings.objects.get().currency == "CNY"


def test_page_asks_few_queries(operator: Client, django_assert_max_num_queries: Any) -> None:
    operator.get(PAGE)
    # Session, user, team, rates
    with django_assert_max_num_queries(4):
        operator.get(PAGE)
