"""Links to a plan for people without an account."""

import re

import pytest
from django.test import Client

from access.models import User
from planner.actions.plans import archive, share
from planner.models import PlanShare, SavedPlan
from tests.planner.browse.small import CARD
from tests.planner.evaluations.plans import kept_plan
from tests.planner.money.offers import offer
from tests.planner.plans.reading import address, text_of

pytestmark = pytest.mark.django_db


def link_from(client: Client, plan: SavedPlan, **form: str) -> str:
    """Make a link by the page; its path."""
    page = client.post(address(plan, "share/"), {"days": "30", **form})
    assert page.status_code == 200
    assert "no-store" in page["Cache-Control"]
    found = re.search(r"http://testserver(/shared/[^<]+/)", page.content.decode())
    assert found
    return found.group(1)


def test_link_shows_the_plan_to_anybody_and_leads_nowhere(client: Client, operator: User) -> None:
    offer(CARD, "2500")
    plan = kept_plan(operator)
    path = link_from(client, plan)
    page = Client().get(path)
    assert page.status_code == 200
    assert page["X-Robots-Tag"] == "noindex, nofollow"
    assert page["Referrer-Policy"] == "no-referrer"
    assert "no-store" in page["Cache-Control"]
    text = text_of(page)
    assert "Fits: all 8 users decode at once." in text
    for hidden in ("2,500", "Cost of a year", "Comment", "Versions"):
        assert hidden not in text
    main = re.search(r"<main.*</main>", page.content.decode(), flags=re.DOTALL)
    assert main
    assert re.findall(r'<a [^>]*href="([^"]+)"', main.group(0)) == []


def test_prices_are_shown_where_they_were_ticked(client: Client, operator: User) -> None:
    offer(CARD, "2500")
    plan = kept_plan(operator)
    assert "USD 2,500" in text_of(Client().get(link_from(client, plan, with_prices="on")))


def test_link_that_was_ended_opens_nothing(client: Client, plan: SavedPlan) -> None:
    path = link_from(client, plan)
    made = PlanShare.objects.get()
    page = client.post(address(plan, f"share/{made.pk}/end/"), follow=True)
    assert "The link opens nothing any more." in text_of(page)
    assert Client().get(path).status_code == 404


def test_secret_stands_on_the_page_that_made_it_alone(client: Client, plan: SavedPlan) -> None:
    secret = link_from(client, plan).split("/")[2]
    assert secret not in client.get(address(plan)).content.decode()


def test_link_of_another_plan_cannot_be_ended_from_here(
    client: Client, plan: SavedPlan, operator: User
) -> None:
    made, _secret = share(kept_plan(operator, name="other"), days=7, with_prices=False, actor=operator)
    assert client.post(address(plan, f"share/{made.pk}/end/")).status_code == 404
    assert PlanShare.objects.get().is_live


def test_archived_plan_has_no_links(client: Client, plan: SavedPlan, operator: User) -> None:
    path = link_from(client, plan)
    archive(plan, revision=1, actor=operator)
    assert Client().get(path).status_code == 404
    page = client.post(address(plan, "share/"), {"days": "30"}, follow=True)
    assert "This plan is archived. Bring it back first." in text_of(page)
    assert PlanShare.objects.count() == 1


@pytest.mark.parametrize("secret", ["none", "x" * 500, "%00", "../../plans"])
def test_wrong_secret_is_not_found(plan: SavedPlan, secret: str) -> None:
    assert Client().get(f"/shared/{secret}/").status_code == 404


def test_days_are_one_of_the_choices(client: Client, plan: SavedPlan) -> None:
    page = client.post(address(plan, "share/"), {"days": "4000"}, follow=True)
    assert "Choose how long the link is good for." in text_of(page)
    assert not PlanShare.objects.exists()
