"""What the cards of a plan cost, on its page."""

from datetime import date
from typing import Any

import pytest
from django.test import Client

from access.roles import Role
from planner.models import TeamSettings
from tests.access.people import person, signed_in
from tests.planner.money.offers import offer, rate
from tests.planner.plan.test_page import text_of

TWO = "/plan/?a=nvidia-l4&n=2&tp=2"
pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> Client:
    return signed_in(person(Role.VIEWER))


def price(client: Client, address: str = TWO, **more: Any) -> str:
    return text_of(client.get(address, **more), "price").partition("Show the working")[0]


def test_plan_says_what_its_cards_cost_and_by_whose_word(client: Client) -> None:
    made = offer("nvidia-l4", "2500", quoted_on=date(2020, 1, 1), valid_until=None)
    assert "USD 5,000 for 2 × L4 at USD 2,500, quoted by Hua Dong Trading on 2020-01-01." in price(client)
    assert f'href="/buy/quotes/{made.uid}/"' in client.get(TWO).content.decode()


def test_price_of_a_plan_follows_an_edit(client: Client) -> None:
    offer("nvidia-l4", "2500", quoted_on=date(2020, 1, 1), valid_until=None)
    assert "USD 2,500 for 1 × L4" in price(client, "/plan/?a=nvidia-l4", headers={"HX-Request": "true"})


def test_price_of_a_plan_is_in_the_team_s_currency(client: Client) -> None:
    TeamSettings.objects.create(pk=1, currency="CNY")
    rate("CNY", "7.2")
    offer("nvidia-l4", "2500", quoted_on=date(2020, 1, 1), valid_until=None)
    assert "CNY 36,000 for 2 × L4 at CNY 18,000" in price(client)
    assert "USD 2,500 at CNY 7.2 for one USD" in price(client)


def test_plan_without_a_price_says_so_and_leads_to_a_new_quote(client: Client) -> None:
    assert "No price. Nobody has priced it. Write a quote down" in price(client)
    link = 'href="/buy/quotes/new/?kind=accelerator&amp;subject=nvidia-l4"'
    assert link in client.get(TWO).content.decode()


def test_plan_names_a_quote_that_expired(client: Client) -> None:
    offer("nvidia-l4", "2500", quoted_on=date(2020, 1, 1), valid_until=date(2020, 2, 1))
    assert "No price. A quote expired on 2020-02-01." in price(client)


def test_plan_in_chinese_shows_the_same_form_of_amounts(client: Client) -> None:
    offer("nvidia-l4", "2500", quoted_on=date(2020, 1, 1), valid_until=None)
    response = client.get(TWO, headers={"Accept-Language": "zh-hans"})
    assert "USD\u00a05,000" in response.content.decode()
