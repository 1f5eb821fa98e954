"""Several workers and people judge the same plans at the same time, and workers are killed over it."""

import os
import signal
from pathlib import Path

import pytest
from django.db.models import Count
from django.utils import timezone

from access.models import OutboxMessage, User
from access.roles import Role
from planner.actions.conflict import ConflictError
from planner.models import PlanEvaluation, SavedPlan
from planner.plans.evaluating import evaluate_due, evaluate_now
from tests.access.people import person
from tests.access.receiver import receiving
from tests.access.threads import at_once
from tests.config.conftest import WorkPlace, work_place
from tests.planner.browse.small import small_catalog
from tests.planner.evaluations.plans import SECRET, hook, kept_plan, shrink_card

pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["work_place"]


@pytest.fixture
def operator(transactional_db: None, tmp_path: Path) -> User:
    folder = tmp_path / "catalog"
    folder.mkdir()
    small_catalog(folder)
    return person(Role.OPERATOR, name="ada")


def told() -> int:
    return OutboxMessage.objects.count()


def most_rows_of_a_plan() -> int:
    rows = PlanEvaluation.objects.values("plan").annotate(number=Count("pk"))
    return max(row["number"] for row in rows)


def test_four_at_once_judge_each_plan_once(operator: User) -> None:
    hook()
    for number in range(12):
        kept_plan(operator, name=f"plan {number}")
    shrink_card(operator)
    assert sum(at_once(evaluate_due, times=4)) == 12
    assert (PlanEvaluation.objects.count(), most_rows_of_a_plan(), told()) == (12, 1, 12)


def test_people_and_a_worker_at_once_tell_a_flip_once(operator: User) -> None:
    hook()
    plan = kept_plan(operator)
    shrink_card(operator)

    def ask() -> bool:
        try:
            evaluate_now(plan, actor=operator)
        except ConflictError:
            return False
        return True

    answers = at_once(lambda: (evaluate_due(), ask()), times=3)
    # Each of those who asked and was answered has a row of their own; the flip is in one of all
    flips = [row.changes for row in PlanEvaluation.objects.all() if row.changes]
    assert (len(flips), told()) == (1, 1)
    assert any(asked for _due, asked in answers)
    plan.refresh_from_db()
    assert (plan.verdict, plan.claimed_until) == ("does_not_fit", None)


@pytest.mark.queue
def test_killed_worker_loses_and_repeats_nothing(operator: User, work_place: WorkPlace) -> None:
    with receiving() as receiver:
        made = hook(receiver.url)
        total = 120
        for number in range(total):
            kept_plan(operator, name=f"plan {number}")
        shrink_card(operator)
        worker = work_place.start_worker()
        work_place.send_tick()
        work_place.wait_for(PlanEvaluation.objects.exists)
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()
        before = PlanEvaluation.objects.count()
        assert 0 < before < total
        # What it was at is free again after its lease; here at once.
        SavedPlan.objects.exclude(claimed_until=None).update(claimed_until=timezone.now())
        work_place.start_worker()

        def finished() -> bool:
            work_place.send_tick()
            return PlanEvaluation.objects.count() == total

        work_place.wait_for(finished)
        assert (most_rows_of_a_plan(), told()) == (1, total)
        assert set(SavedPlan.objects.values_list("flipped", flat=True)) == {"verdict,running,speed"}
        # and the first of them arrives, signed
        work_place.wait_for(lambda: bool(receiver.calls))
        _path, headers, body = receiver.calls[0]
        assert receiver.signed_by(SECRET, headers, body)
        made.refresh_from_db()
