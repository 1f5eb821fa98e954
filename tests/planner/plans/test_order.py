"""What is ordered beside the cards, and what a plan assumes about its cost."""

from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from planner.models import PlanVersion, SavedPlan
from tests.planner.browse.small import CARD
from tests.planner.money.offers import offer
from tests.planner.plans.reading import address, text_of

pytestmark = pytest.mark.django_db
EMPTY = {"name": "", "quantity": "1", "unit_price": "", "source": ""}


def form(*items: dict[str, str], sv: str = "1", **more: str) -> dict[str, str]:
    """The form with these other items."""
    rows = {
        f"extra-{place}-{key}": value
        for place, item in enumerate(items)
        for key, value in {**EMPTY, **item}.items()
    }
    head = {"extra-TOTAL_FORMS": str(len(items)), "extra-INITIAL_FORMS": "0"}
    return {"sv": sv, "note": "What is ordered", "currency": "", "price_source": "", **head, **rows, **more}


def content(plan: SavedPlan) -> dict[str, Any]:
    found: dict[str, Any] = plan.versions.order_by("-number")[0].content
    return found


def test_order_is_kept_as_another_version_with_its_sum(client: Client, plan: SavedPlan) -> None:
    offer(CARD, "2500")
    switch = {"name": "100G switch", "unit_price": "18,000.00", "source": "offer 7"}
    done = client.post(address(plan, "order/"), form(switch, EMPTY, spares="1", **{"cost-pue": "1.3"}))
    assert done["Location"] == address(plan)
    assert content(plan)["bill"] == {
        "spares": 1,
        "extra": [{"name": "100G switch", "quantity": 1, "unit_price": 18000.0, "source": "offer 7"}],
    }
    assert content(plan)["cost"] == {"pue": 1.3}
    # 2,500 for the card, 2,500 for the spare, 18,000 for the switch
    assert SavedPlan.objects.get().purchase == Decimal(23000)
    text = text_of(client.get(address(plan)))
    assert "USD 23,000 by the prices of" in text
    again = client.get(address(plan, "order/")).content.decode()
    assert 'value="18000"' in again
    assert 'value="1.3"' in again


@pytest.mark.parametrize(
    ("items", "more", "said"),
    [
        ([{"name": "", "unit_price": "5"}], {}, "This field is required."),
        ([{"name": "switch", "unit_price": "1.234,5"}], {}, "This is not an amount."),
        ([{"name": "switch", "quantity": "0"}], {}, "greater than or equal to 1"),
        ([{"name": "switch"}, {"name": "switch"}], {}, "switch is here twice."),
        ([], {"spares": "-1"}, "greater than or equal to 0"),
        ([], {"platform": "dgx-h100"}, "not one of the available choices"),
        ([], {"currency": "XXX"}, "not one of the available choices"),
        ([], {"cost-pue": "many"}, "Enter a number."),
        ([], {"cost-pue": "0.5"}, "PUE"),
    ],
)
def test_what_cannot_be_ordered_is_said_and_what_was_typed_stays(
    client: Client, plan: SavedPlan, items: list[dict[str, str]], more: dict[str, str], said: str
) -> None:
    response = client.post(address(plan, "order/"), form(*items, **{"note": "typed by me", **more}))
    assert response.status_code == 422
    assert said in text_of(response)
    assert 'value="typed by me"' in response.content.decode()
    assert PlanVersion.objects.count() == 1


def test_items_of_two_people_are_both_ordered(client: Client, plan: SavedPlan) -> None:
    client.post(address(plan, "order/"), form({"name": "switch"}))
    client.post(address(plan, "order/"), form({"name": "rack"}))  # begun as version 1 too
    assert [item["name"] for item in content(plan)["bill"]["extra"]] == ["switch", "rack"]


def test_spares_that_two_people_changed_are_chosen_between(client: Client, plan: SavedPlan) -> None:
    client.post(address(plan, "order/"), form(spares="1"))
    asked = client.post(address(plan, "order/"), form(spares="2"))
    assert asked.status_code == 409
    assert "Spare cards – 1 2" in text_of(asked)
    assert content(plan)["bill"] == {"spares": 1}


def test_currency_without_a_rate_is_named_and_nothing_is_kept(client: Client, plan: SavedPlan) -> None:
    response = client.post(address(plan, "order/"), form(currency="KRW"))
    assert response.status_code == 422
    assert "There is no exchange rate for KRW." in text_of(response)
    assert PlanVersion.objects.count() == 1
