"""Prices on the recommend page: the team's quotes, whose word each is, and what is offered instead where there is none."""

from datetime import date
from typing import Any

import pytest
from django.test import Client

from access.roles import Role
from planner.models import TeamSettings
from tests.access.people import person, signed_in
from tests.planner.money.offers import offer
from tests.planner.plan.test_page import text_of
from tests.planner.recommend.test_page import page

ONE = "oa=nvidia-l4&on=2"
pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> Client:
    return signed_in(person(Role.VIEWER))


def lasting(price: str = "2500", currency: str = "USD", **more: Any) -> Any:
    """A quote that holds whenever the test runs."""
    return offer("nvidia-l4", price, currency, **{"quoted_on": date(2020, 1, 1), "valid_until": None, **more})


def test_price_of_a_quote_is_shown_with_whose_it_is(client: Client) -> None:
    made = lasting()
    response = page(client, ONE, follow=True)
    answer = text_of(response, "answer")
    assert "1 × USD 2,500, Hua Dong Trading" in answer
    assert "quoted by Hua Dong Trading on 2020-01-01" in answer
    assert f'href="/buy/quotes/{made.uid}/"' in response.content.decode()


def test_list_of_options_says_the_kind_of_each_price(client: Client) -> None:
    lasting()
    assert "Price, USD" in text_of(page(client, ONE, follow=True), "rest")
    assert "2,500 best quoted" in text_of(page(client, ONE, follow=True), "rest")


def test_card_without_a_price_leads_to_a_new_quote_of_it(client: Client) -> None:
    html = page(client, ONE, follow=True).content.decode()
    assert 'href="/buy/quotes/new/?kind=accelerator&amp;subject=nvidia-l4"' in html


def test_expired_quote_is_said(client: Client) -> None:
    lasting(valid_until=date(2020, 2, 1))
    assert "A quote expired on 2020-02-01." in text_of(page(client, ONE, follow=True), "bill")


def test_prices_are_in_the_team_s_currency_until_another_is_chosen(client: Client) -> None:
    TeamSettings.objects.create(pk=1, currency="CNY")
    lasting("18000", "CNY")
    assert "Price, CNY" in text_of(page(client, ONE, follow=True), "rest")
    assert "Price, USD" in text_of(page(client, f"{ONE}&cur=USD", follow=True), "rest")


def test_budget_without_a_currency_is_in_the_team_s(client: Client) -> None:
    TeamSettings.objects.create(pk=1, currency="CNY")
    lasting("18000", "CNY")
    response = page(client, f"{ONE}&bud=20000", follow=True)
    assert "Over the budget" in text_of(response, "rest")


def test_public_prices_are_used_only_when_ticked(client: Client) -> None:
    query = "oa=nvidia-rtx-4090&on=1"
    assert "public, not an offer" not in text_of(page(client, query, follow=True), "answer")
    response = page(client, f"{query}&ps=public", follow=True)
    assert "public, not an offer" in text_of(response, "bill")
    assert '<option value="public" selected>' in response.content.decode()


def test_prices_can_be_left_out(client: Client) -> None:
    lasting()
    assert "2,500" not in text_of(page(client, f"{ONE}&ps=none", follow=True), "answer")


def test_csv_of_options_has_no_formula_of_a_supplier(client: Client) -> None:
    lasting(supplier="=cmd()")
    response = client.get(f"/recommend/options.csv?{ONE}")
    assert "'=cmd()" in response.content.decode() and ",=cmd()" not in response.content.decode()


def test_winners_beside_a_plan_know_the_cheapest(client: Client) -> None:
    assert "Cheapest" not in client.get("/recommend/winners/").content.decode()
    lasting()
    assert "Cheapest" in client.get("/recommend/winners/").content.decode()
