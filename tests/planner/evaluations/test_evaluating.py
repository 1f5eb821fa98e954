"""Plans judged again: what flips, why, once, and no more than asked."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone

from access.models import AuditEvent, OutboxMessage, User
from planner.actions.plans import archive
from planner.actions.team import change_team_settings
from planner.answers.plans import basis_key
from planner.clock import today
from planner.models import PlanEvaluation, PlanVersion, Quote, SavedPlan, TeamSettings
from planner.plans.evaluating import evaluate_due, evaluate_now
from planner.queries.evaluations import are_due
from tests.planner.browse.small import CARD
from tests.planner.evaluations.plans import hook, kept_plan, shrink_card
from tests.planner.money.offers import offer

pytestmark = pytest.mark.django_db


def told() -> list[tuple[str, Any, Any]]:
    """What waits for webhooks: event, before, after."""
    rows = OutboxMessage.objects.order_by("pk").values_list("payload", flat=True)
    return [(row["event"], row["data"]["before"], row["data"]["after"]) for row in rows]


def quote(price: str, **more: Any) -> Quote:
    return offer(CARD, price, quoted_on=today() - timedelta(days=7), **{"valid_until": None, **more})


def test_new_plan_is_looked_at_once_and_costs_no_row(operator: User) -> None:
    plan = kept_plan(operator)
    assert (are_due(), evaluate_due(), are_due(), evaluate_due()) == (True, 1, False, 0)
    plan.refresh_from_db()
    assert (plan.flipped, plan.verdict, PlanEvaluation.objects.count()) == ("", "fits", 0)


def test_card_with_less_memory_flips_the_verdict_and_says_why(operator: User) -> None:
    hook()
    plan = kept_plan(operator)
    evaluate_due()
    revision = plan.revision
    shrink_card(operator)
    assert (are_due(), evaluate_due(), are_due()) == (True, 1, False)
    kept = PlanEvaluation.objects.get()
    assert kept.number == 1
    assert kept.key == basis_key(kept.basis)
    assert kept.asked_by is None
    verdict, running, speed = kept.changes
    because = [{"part": "catalog", "records": [{"kind": "accelerator", "id": CARD}]}]
    assert verdict == {"code": "verdict", "before": "fits", "after": "does_not_fit", "because": because}
    assert (running["code"], running["before"], running["after"]) == ("running", 8, None)
    assert (speed["code"], speed["after"]) == ("speed", None)
    plan.refresh_from_db()
    assert (plan.verdict, plan.flipped, plan.tpot_ms) == ("does_not_fit", "verdict,running,speed", None)
    # Nobody who edits the plan meanwhile is told of a conflict
    assert plan.revision == revision
    assert told() == [("plan.verdict_changed", "fits", "does_not_fit")]
    event = AuditEvent.objects.get(action="plan.evaluate")
    assert (event.actor, event.data["changed"]) == (None, ["verdict", "running", "speed"])


def test_what_flips_back_is_told_again_and_the_plan_holds(operator: User) -> None:
    hook()
    plan = kept_plan(operator)
    for memory in (12, None, 12):
        shrink_card(operator, memory)
        evaluate_due()
        evaluate_due()
    assert told() == [
        ("plan.verdict_changed", "fits", "does_not_fit"),
        ("plan.verdict_changed", "does_not_fit", "fits"),
        ("plan.verdict_changed", "fits", "does_not_fit"),
    ]
    shrink_card(operator, None)
    evaluate_due()
    plan.refresh_from_db()
    assert (plan.verdict, plan.flipped) == ("fits", "")


def test_newer_version_is_judged_against_itself(operator: User) -> None:
    plan = kept_plan(operator)
    shrink_card(operator)
    again = kept_plan(operator, name="later")
    evaluate_due()
    assert list(SavedPlan.objects.order_by("pk").values_list("flipped", flat=True)) == [
        "verdict,running,speed",
        "",
    ]
    assert [row.plan_id for row in PlanEvaluation.objects.all()] == [plan.pk]
    assert again.verdict == "does_not_fit"


def test_new_quote_changes_the_price_and_is_named(operator: User) -> None:
    hook()
    first = quote("2500")
    plan = kept_plan(operator)
    assert plan.purchase == 2500
    evaluate_due()
    # 4 percent less: below the 5 percent that are told
    quote("2400")
    evaluate_due()
    assert (told(), PlanEvaluation.objects.count()) == ([], 0)
    plan.refresh_from_db()
    assert plan.purchase == Decimal(2400)
    # and another 4: together more than 5 against what was told last
    cheaper = quote("2300", supplier="Bei Fang")
    evaluate_due()
    [change] = PlanEvaluation.objects.get().changes
    assert (change["code"], change["before"], change["after"]) == ("price", 2500.0, 2300.0)
    [reason] = change["because"]
    [named] = reason["offers"]
    assert reason["part"] == "prices"
    assert (named["item"], named["lack"]) == ("L4", None)
    assert (named["price"]["supplier"], named["price"]["quote"]) == ("Bei Fang", cheaper.uid)
    assert told() == [("plan.price_changed", 2500.0, 2300.0)]
    assert first.uid != cheaper.uid


def test_quote_of_something_else_adds_no_row(operator: User) -> None:
    plan = kept_plan(operator)
    evaluate_due()
    before = SavedPlan.objects.get(pk=plan.pk)
    offer("nvidia-rtx-4090", "1600", quoted_on=today(), valid_until=None)
    assert evaluate_due() == 1
    plan.refresh_from_db()
    assert plan.evaluated_key != before.evaluated_key
    assert (plan.flipped, PlanEvaluation.objects.count()) == ("", 0)


def test_quote_expires_overnight(operator: User) -> None:
    hook()
    quote("2500", valid_until=today())
    plan = kept_plan(operator)
    evaluate_due()
    tomorrow = today() + timedelta(days=1)
    assert (evaluate_due(on=tomorrow), evaluate_due(on=tomorrow)) == (1, 0)
    [change] = PlanEvaluation.objects.get().changes
    assert (change["code"], change["before"], change["after"]) == ("price_known", 2500.0, None)
    [named] = change["because"][0]["offers"]
    assert (named["price"], named["lack"]["code"]) == (None, "price_expired")
    assert told() == [("plan.price_changed", 2500.0, None)]
    plan.refresh_from_db()
    assert (plan.purchase, plan.flipped) == (None, "price_known")


def test_currency_of_the_team_is_a_flip_of_its_own(operator: User) -> None:
    hook()
    quote("2500")
    kept_plan(operator)
    evaluate_due()
    TeamSettings.objects.get_or_create(pk=1)
    change_team_settings(revision=1, actor=operator, currency="CNY")
    evaluate_due()
    [change] = PlanEvaluation.objects.get().changes
    assert (change["code"], change["before"], change["after"]) == ("currency", "USD", "CNY")
    assert told() == []
    # From then on prices are compared in the new one
    quote("1250")
    evaluate_due()
    newest = PlanEvaluation.objects.first()
    assert newest is not None
    [change] = newest.changes
    assert (change["code"], change["before"] / change["after"]) == ("price", 2.0)


def test_part_that_the_catalog_lost_is_a_reason_and_stops_nobody(operator: User) -> None:
    hook()
    lost, fine = kept_plan(operator, name="lost"), kept_plan(operator, name="fine")
    evaluate_due()
    broken = {**PlanVersion.objects.get(plan=lost).content}
    broken["request"] = {**broken["request"], "accelerator": "gone-card"}
    rewrite(lost, content=broken)
    shrink_card(operator)
    evaluate_due()
    kept = PlanEvaluation.objects.get(plan=lost)
    assert kept.failure is not None
    assert kept.failure["code"] == "rejected"
    assert [item["code"] for item in kept.failure["problems"]] == ["unknown_accelerator"]
    assert kept.changes[0]["after"] == "unknown"
    assert PlanEvaluation.objects.get(plan=fine).changes[0]["after"] == "does_not_fit"
    # The same reason again is no news
    shrink_card(operator, 11)
    evaluate_due()
    assert PlanEvaluation.objects.filter(plan=lost).count() == 1


def rewrite(plan: SavedPlan, **columns: Any) -> None:
    """Change what is never changed, as a damaged database would."""
    super(type(PlanVersion.objects.all()), PlanVersion.objects.filter(plan=plan)).update(**columns)


def test_plan_that_breaks_is_kept_with_the_reason_and_stops_nobody(operator: User) -> None:
    broken, fine = kept_plan(operator, name="broken"), kept_plan(operator, name="fine")
    evaluate_due()
    rewrite(broken, answer={"nothing": "expected"})
    shrink_card(operator)
    assert evaluate_due() == 2
    kept = PlanEvaluation.objects.get(plan=broken)
    assert (kept.failure, kept.changes) == ({"code": "error", "error": "KeyError"}, [])
    broken.refresh_from_db()
    # What was known of it stays
    assert (broken.verdict, broken.flipped) == ("fits", "failed")
    assert PlanEvaluation.objects.get(plan=fine).failure is None
    assert not are_due()


def test_archived_plan_rests_until_it_is_back(operator: User) -> None:
    plan = kept_plan(operator)
    archive(plan, revision=1, actor=operator)
    shrink_card(operator)
    assert (are_due(), evaluate_due()) == (False, 0)
    archive(plan, revision=2, actor=operator, back=True)
    assert (are_due(), evaluate_due()) == (True, 1)


def test_plan_that_a_dead_worker_holds_is_free_after_its_lease(operator: User) -> None:
    plan = kept_plan(operator)
    shrink_card(operator)
    SavedPlan.objects.update(claimed_until=timezone.now() + timedelta(seconds=30))
    assert (are_due(), evaluate_due()) == (False, 0)
    SavedPlan.objects.update(claimed_until=timezone.now())
    assert (are_due(), evaluate_due()) == (True, 1)
    plan.refresh_from_db()
    assert (plan.verdict, plan.claimed_until) == ("does_not_fit", None)


def test_work_of_one_task_is_bounded(operator: User) -> None:
    for number in range(3):
        kept_plan(operator, name=f"plan {number}")
    shrink_card(operator)
    assert (evaluate_due(seconds=0.0), are_due()) == (0, True)
    assert (evaluate_due(), are_due()) == (3, False)


def test_somebody_asks_and_is_answered_though_nothing_changed(operator: User) -> None:
    plan = kept_plan(operator)
    kept = evaluate_now(plan, actor=operator)
    assert (kept.changes, kept.failure, kept.asked_by) == ([], None, operator)
    assert kept.figures["verdict"] == "fits"
    assert not are_due()
    shrink_card(operator)
    assert [change["code"] for change in evaluate_now(plan, actor=operator).changes] == [
        "verdict",
        "running",
        "speed",
    ]
    assert evaluate_due() == 0


@pytest.mark.parametrize("number", [1, 12])
def test_plans_that_hold_cost_as_many_queries_for_one_as_for_many(
    operator: User, number: int, django_assert_num_queries: Any
) -> None:
    for each in range(number):
        kept_plan(operator, name=f"plan {each}")
    # Catalog (2 and 4 savepoints), team, quotes, rates; plans, contents; the book (3) and one write.
    with django_assert_num_queries(15):
        assert evaluate_due() == number


def test_looking_for_what_is_due_is_six_queries(operator: User, django_assert_num_queries: Any) -> None:
    kept_plan(operator)
    # Four more are savepoints, which only a test's transaction needs.
    with django_assert_num_queries(10):
        assert are_due()
