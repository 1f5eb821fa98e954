"""Plans when several people write at the same moment: nothing is lost, nothing is done twice."""

from itertools import count
from pathlib import Path
from typing import Any

import pytest

from access.models import AuditEvent, OutboxMessage, User
from access.roles import Role
from planner.actions.conflict import ConflictError
from planner.actions.plans import RefusedError, change_details, comment, take_step
from planner.clock import today
from planner.models import PlanComment, PlanDecision, SavedPlan
from planner.plans.saving import Change, Clash, Kept, keep_version
from planner.queries import current_catalog
from tests.access.people import person
from tests.access.threads import at_once
from tests.planner.browse.small import small_catalog
from tests.planner.evaluations.plans import content, hook, kept_plan

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def operator(transactional_db: None, tmp_path: Path) -> User:
    folder = tmp_path / "catalog"
    folder.mkdir()
    small_catalog(folder)
    return person(Role.OPERATOR, name="ada")


def asked(**changes: Any) -> dict[str, Any]:
    made = content()
    made["request"] = {**made["request"], **changes}
    return made


def test_changes_of_different_fields_at_once_are_all_in_the_newest_version(operator: User) -> None:
    plan = kept_plan(operator)
    fields: list[dict[str, Any]] = [
        {"count": 2, "parallelism": {"data": 2}},
        {"power_limit_w": 60},
        {"kv_cache_dtype": "fp8"},
    ]
    turns = count()

    def keep() -> Any:
        change = Change(ours=asked(**fields[next(turns)]), began_as=1, note="one of three")
        return keep_version(plan, change, catalog=current_catalog(), on=today(), actor=operator)

    kept = at_once(keep, times=3)
    assert all(isinstance(found, Kept) for found in kept), kept
    newest = SavedPlan.objects.get()
    assert newest.number == 4
    request = newest.versions.get(number=4).content["request"]
    assert {name: request[name] for name in ("count", "power_limit_w", "kv_cache_dtype")} == {
        "count": 2,
        "power_limit_w": 60,
        "kv_cache_dtype": "fp8",
    }


def test_one_field_changed_at_once_is_kept_once_and_told_to_the_others(operator: User) -> None:
    plan, limits = kept_plan(operator), count(50)

    def keep() -> Any:
        change = Change(ours=asked(power_limit_w=next(limits)), began_as=1, note="less power")
        return keep_version(plan, change, catalog=current_catalog(), on=today(), actor=operator)

    found = at_once(keep, times=4)
    assert sorted(type(each).__name__ for each in found) == ["Clash", "Clash", "Clash", "Kept"]
    assert SavedPlan.objects.get().number == 2
    clashes = [each for each in found if isinstance(each, Clash)]
    assert {conflict.path for each in clashes for conflict in each.laid.conflicts} == {
        "request.power_limit_w"
    }


def test_step_taken_by_four_at_once_is_taken_and_told_once(operator: User) -> None:
    plan = kept_plan(operator)
    proposed = take_step(plan, "propose", revision=1, reason="", actor=operator)
    grace = person(Role.APPROVER, name="grace")
    hook("https://hooks.example/a", "plan.approved")

    def approve() -> bool:
        try:
            take_step(plan, "approve", revision=proposed.revision, reason="", actor=grace)
        except (ConflictError, RefusedError):
            return False
        return True

    assert sorted(at_once(approve, times=4)) == [False, False, False, True]
    assert PlanDecision.objects.filter(after="approved").count() == 1
    assert AuditEvent.objects.filter(action="plan.approve").count() == 1
    assert OutboxMessage.objects.count() == 1


def test_one_of_many_changes_of_the_name_is_kept_and_comments_all_are(operator: User) -> None:
    plan, names = kept_plan(operator), count()

    def rename() -> bool:
        comment(plan, "said", actor=operator)
        try:
            change_details(plan, revision=1, actor=operator, name=f"name {next(names)}")
        except ConflictError:
            return False
        return True

    assert sorted(at_once(rename, times=4)) == [False, False, False, True]
    assert SavedPlan.objects.get().revision == 2
    assert PlanComment.objects.count() == 4
