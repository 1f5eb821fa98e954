"""What the pages of plans show of their judgements."""

from typing import Any

import pytest
from django.test import Client

from access.models import User
from access.roles import Role
from planner.models import PlanEvaluation
from planner.plans.evaluating import evaluate_due
from tests.access.people import person, signed_in
from tests.planner.browse.small import CARD
from tests.planner.evaluations.plans import kept_plan, shrink_card

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser_of_operator(operator: User) -> Client:
    return signed_in(operator)


def test_page_says_what_flipped_and_why(browser_of_operator: Client, operator: User) -> None:
    plan = kept_plan(operator)
    evaluate_due()
    page = f"/plans/{plan.uid}/"
    assert (
        "Yes: nothing changed since this version was saved." in browser_of_operator.get(page).content.decode()
    )
    shrink_card(operator)
    evaluate_due()
    text = browser_of_operator.get(page).content.decode()
    assert "Changed since this version was saved: verdict, users that decode at once, time per token" in text
    assert "Verdict: fits → <b>does not fit</b>" in text
    # The one reason of all three stands once
    assert text.count(f"The catalog changed: {CARD}.") == 1
    assert "changed: verdict" in browser_of_operator.get("/plans/?show=flipped").content.decode()


def test_button_judges_and_says_what_came_out(browser_of_operator: Client, operator: User) -> None:
    plan = kept_plan(operator)
    address = f"/plans/{plan.uid}/evaluate/"
    answer = browser_of_operator.post(address, follow=True)
    assert answer.redirect_chain == [(f"/plans/{plan.uid}/#judged", 302)]
    assert "Evaluated again: nothing changed." in answer.content.decode()
    assert "asked by ada" in answer.content.decode()
    shrink_card(operator)
    assert (
        "Evaluated again. Changed: verdict" in browser_of_operator.post(address, follow=True).content.decode()
    )
    assert PlanEvaluation.objects.count() == 2


def test_viewer_reads_and_has_no_button(operator: User) -> None:
    plan = kept_plan(operator)
    viewer = signed_in(person(Role.VIEWER))
    text = viewer.get(f"/plans/{plan.uid}/").content.decode()
    assert 'id="judged"' in text
    assert "Evaluate again now" not in text
    assert viewer.post(f"/plans/{plan.uid}/evaluate/").status_code == 403


@pytest.mark.parametrize("number", [1, 10])
def test_page_takes_as_many_queries_for_one_judgement_as_for_many(
    browser_of_operator: Client, operator: User, number: int, django_assert_max_num_queries: Any
) -> None:
    plan = kept_plan(operator)
    for _each in range(number):
        browser_of_operator.post(f"/plans/{plan.uid}/evaluate/")
    with django_assert_max_num_queries(20) as asked:
        browser_of_operator.get(f"/plans/{plan.uid}/")
    assert sum("planner_planevaluation" in query["sql"] for query in asked.captured_queries) == 1
