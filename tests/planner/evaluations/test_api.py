"""Judgements by REST."""

from typing import Any

import pytest
from django.test import Client
from jsonschema import Draft202012Validator

from access.models import User
from access.scopes import Scope
from planner.actions.plans import archive
from planner.models import PlanEvaluation, SavedPlan
from planner.plans.evaluating import evaluate_due
from planner.schemas.evaluations import EVALUATION, EXAMPLE_EVALUATION
from tests.access.people import bearer, token_text
from tests.planner.browse.small import CARD
from tests.planner.evaluations.plans import kept_plan, shrink_card

pytestmark = pytest.mark.django_db


@pytest.fixture
def script(operator: User) -> Client:
    return bearer(token_text(operator, Scope.PLANS_READ, Scope.PLANS_WRITE))


def address(plan: SavedPlan) -> str:
    return f"/api/v1/plans/{plan.uid}/evaluations"


def test_example_keeps_the_contract() -> None:
    Draft202012Validator(EVALUATION).validate(EXAMPLE_EVALUATION)


def test_plan_is_judged_when_it_is_asked_for(script: Client, operator: User) -> None:
    plan = kept_plan(operator)
    assert script.get(address(plan)).json() == {"items": [], "next": None, "previous": None}
    answer = script.post(address(plan))
    assert answer.status_code == 201
    found = answer.json()
    Draft202012Validator(EVALUATION).validate(found)
    assert (found["plan"], found["version"], found["asked_by"]) == (plan.uid, 1, "ada")
    assert (found["changes"], found["figures"]["verdict"]) == ([], "fits")
    assert script.get(address(plan)).json()["items"] == [found]


def test_flips_have_words_and_reasons(script: Client, operator: User) -> None:
    plan = kept_plan(operator)
    shrink_card(operator)
    evaluate_due()
    [found] = script.get(address(plan)).json()["items"]
    Draft202012Validator(EVALUATION).validate(found)
    verdict = found["changes"][0]
    assert (verdict["name"], verdict["before"], verdict["after"]) == ("verdict", "fits", "does_not_fit")
    assert verdict["because"][0]["message"] == f"The catalog changed: {CARD}."
    chinese = script.get(address(plan), headers={"Accept-Language": "zh-hans"})
    assert chinese.status_code == 200


def test_repeat_judges_once(script: Client, operator: User) -> None:
    plan = kept_plan(operator)
    answers = [script.post(address(plan), headers={"Idempotency-Key": "one"}).json() for _try in range(2)]
    assert answers[0] == answers[1]
    assert PlanEvaluation.objects.count() == 1


def test_archived_plan_is_not_judged(script: Client, operator: User) -> None:
    plan = kept_plan(operator)
    archive(plan, revision=1, actor=operator)
    answer = script.post(address(plan))
    assert (answer.status_code, answer.json()["code"]) == (409, "archived")


def test_reading_does_not_allow_asking(operator: User) -> None:
    plan = kept_plan(operator)
    reader = bearer(token_text(operator, Scope.PLANS_READ))
    assert (reader.get(address(plan)).status_code, reader.post(address(plan)).status_code) == (200, 403)


@pytest.mark.parametrize("number", [1, 10])
def test_list_takes_as_many_queries_for_one_as_for_many(
    script: Client, operator: User, number: int, django_assert_num_queries: Any
) -> None:
    plan = kept_plan(operator)
    for _each in range(number):
        script.post(address(plan))
    # The token, its limit, the plan, its judgements with who asked.
    with django_assert_num_queries(4):
        assert len(script.get(address(plan)).json()["items"]) == number
