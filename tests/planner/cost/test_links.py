"""From a plan and from a recommendation to what it costs, and from there to what a budget buys."""

import re
from html import unescape

import pytest
from django.test import Client

from access.roles import Role
from tests.access.people import person, signed_in
from tests.planner.money.offers import offer

PLAN = "a=nvidia-l4&n=2&util=0.85"


@pytest.fixture
def viewer(db: None) -> Client:
    return signed_in(person(Role.VIEWER))


def links(client: Client, address: str, to: str) -> list[str]:
    body = client.get(address).content.decode()
    return [unescape(link) for link in re.findall(rf'href="({re.escape(to)}[^"]*)"', body)]


def test_plan_leads_to_its_cost(viewer: Client) -> None:
    assert links(viewer, f"/plan/?{PLAN}", "/buy/costs/?a=") == [f"/buy/costs/?{PLAN}"]


def test_rows_of_a_recommendation_lead_to_their_cost_at_their_price(viewer: Client) -> None:
    offer("nvidia-l40s", "8000")
    asked = "/recommend/?ps=public&pa=nvidia-l4&pn=900&oa=nvidia-l4&on=1&oa=nvidia-rtx-3090&on=1&oa=nvidia-l40s&on=1"
    found = links(viewer, asked, "/buy/costs/?")
    prices = {
        card: {re.sub(r".*(&cur=.*)", r"\1", link) for link in found if f"a={card}&" in link}
        for card in ("nvidia-rtx-3090", "nvidia-l4", "nvidia-l40s")
    }
    assert prices == {
        "nvidia-l40s": {"&cur=USD"},
        "nvidia-l4": {"&cur=USD&cp=900"},
        "nvidia-rtx-3090": {"&cur=USD&ps=public"},
    }
    for link in found:
        assert viewer.get(link).status_code == 200


def test_cost_leads_to_what_a_budget_buys_for_its_model_and_load(viewer: Client) -> None:
    (link,) = links(viewer, f"/buy/costs/?{PLAN}&ps=public&u=32", "/buy/budget/?")
    assert link == "/buy/budget/?m=Qwen%2FQwen2.5-7B-Instruct&u=32&tpot=&ttft=&ps=public"
    assert viewer.get(link).status_code == 200
