"""Writes of plans: what each leaves behind in rows, in the audit log and in the outbox, and what is refused."""

from datetime import timedelta

import pytest
from django.utils import timezone

from access.models import AuditEvent, OutboxMessage, User
from access.secret_text import digest_of
from planner.actions.conflict import ConflictError
from planner.actions.plans import (
    RefusedError,
    archive,
    change_details,
    comment,
    revoke_share,
    save_version,
    share,
    take_step,
)
from planner.answers.plans import Answered, answer_content, parse_content, saved_of
from planner.clock import today
from planner.core.parse import Rejected
from planner.models import PlanShare, PlanVersion, SavedPlan, TeamSettings
from planner.queries import current_catalog
from planner.queries.plans import live_share
from planner.queries.team import team_settings
from tests.planner.evaluations.plans import content, hook

pytestmark = pytest.mark.django_db


def another(plan: SavedPlan, actor: User, *, revision: int | None = None) -> SavedPlan:
    """The plan with another version: 16 users."""
    catalog = current_catalog()
    asked = content()
    asked["request"]["workload"]["concurrency"] = 16
    parsed = parse_content(asked, catalog)
    assert not isinstance(parsed, Rejected)
    answered = answer_content(parsed, catalog=catalog, team=team_settings(), on=today())
    assert isinstance(answered, Answered)
    saved = saved_of(parsed, answered)
    return save_version(plan, saved, revision=revision or plan.revision, note="more users", actor=actor)


def actions() -> list[str]:
    return list(
        AuditEvent.objects.filter(action__startswith="plan.").order_by("pk").values_list("action", flat=True)
    )


def step(plan: SavedPlan, name: str, actor: User, reason: str = "") -> SavedPlan:
    return take_step(plan, name, revision=plan.revision, reason=reason, actor=actor)


def test_new_plan_is_a_draft_with_its_first_version(plan: SavedPlan, operator: User) -> None:
    assert (plan.state, plan.number, plan.revision, plan.owner) == ("draft", 1, 1, operator)
    assert (plan.model, plan.accelerator, plan.count, plan.engine) == (
        "Qwen/Qwen2.5-7B-Instruct",
        "nvidia-l4",
        1,
        "vllm",
    )
    version = PlanVersion.objects.get(plan=plan)
    assert version.content == content()
    assert set(version.answer) == {"estimate", "bill", "cost", "running"}
    assert set(version.basis) == {"catalog", "core", "calibration", "prices"}
    assert actions() == ["plan.create"]


def test_version_keeps_the_one_before_and_makes_a_draft(
    plan: SavedPlan, operator: User, approver: User
) -> None:
    approved = step(step(plan, "propose", operator), "approve", approver)
    changed = another(approved, operator)
    assert (changed.number, changed.state, changed.revision) == (2, "draft", 4)
    assert [version.number for version in changed.versions.all()] == [2, 1]
    assert changed.versions.get(number=1).content == content()
    decision = changed.decisions.order_by("-pk")[0]
    assert (decision.before, decision.after, decision.number, decision.reason) == (
        "approved",
        "draft",
        2,
        "more users",
    )
    assert actions() == ["plan.create", "plan.propose", "plan.approve", "plan.version"]


def test_write_on_an_older_revision_is_told_and_writes_nothing(plan: SavedPlan, operator: User) -> None:
    change_details(plan, revision=1, actor=operator, name="chat 2")
    before = actions()
    with pytest.raises(ConflictError):
        another(plan, operator, revision=1)
    with pytest.raises(ConflictError):
        change_details(plan, revision=1, actor=operator, notes="lost?")
    with pytest.raises(ConflictError):
        take_step(plan, "propose", revision=1, reason="", actor=operator)
    with pytest.raises(ConflictError):
        archive(plan, revision=1, actor=operator)
    kept = SavedPlan.objects.get()
    assert (kept.name, kept.notes, kept.number, kept.state, kept.revision) == ("chat 2", "", 1, "draft", 2)
    assert actions() == before


def test_owner_and_notes_are_changed_with_both_sides_in_the_audit_log(
    plan: SavedPlan, operator: User, approver: User
) -> None:
    changed = change_details(plan, revision=1, actor=operator, notes="for chat", owner="grace")
    assert (changed.owner, changed.notes, changed.name) == (approver, "for chat", "chat")
    said = AuditEvent.objects.get(action="plan.details").data
    assert said["before"] == {"notes": "", "owner": "ada"}
    assert said["after"] == {"notes": "for chat", "owner": "grace"}


def test_each_step_is_told_once_to_those_who_asked(plan: SavedPlan, operator: User, approver: User) -> None:
    hook("https://hooks.example/a", "plan.proposed", "plan.approved", "plan.rejected")
    proposed = step(plan, "propose", operator)
    approved = step(proposed, "approve", approver)
    with pytest.raises(RefusedError):
        step(approved, "approve", approver)
    assert OutboxMessage.objects.count() == 2
    assert actions() == ["plan.create", "plan.propose", "plan.approve"]


@pytest.mark.parametrize("another_must", [True, False])
def test_author_or_proposer_decides_only_where_the_team_lets_them(
    plan: SavedPlan, approver: User, operator: User, *, another_must: bool
) -> None:
    TeamSettings.objects.update_or_create(pk=1, defaults={"approver_is_another": another_must})
    proposed = step(plan, "propose", approver)  # grace proposes what ada made
    if another_must:
        with pytest.raises(RefusedError, match="own_plan"):
            step(proposed, "approve", approver)
        assert SavedPlan.objects.get().state == "proposed"
    else:
        assert step(proposed, "approve", approver).state == "approved"
    with pytest.raises(RefusedError):
        step(SavedPlan.objects.get(), "approve", operator)


def test_rejection_keeps_its_reason_and_the_way_back_is_a_draft(
    plan: SavedPlan, operator: User, approver: User
) -> None:
    proposed = step(plan, "propose", operator)
    with pytest.raises(RefusedError, match="reason_missing"):
        step(proposed, "reject", approver)
    rejected = step(proposed, "reject", approver, "too dear")
    assert rejected.decisions.order_by("-pk")[0].reason == "too dear"
    with pytest.raises(RefusedError, match="illegal_step"):
        step(rejected, "propose", operator)
    assert step(rejected, "reopen", operator, "a new quote").state == "draft"


def test_archived_plan_takes_nothing_until_it_is_back(plan: SavedPlan, operator: User) -> None:
    _made, secret = share(plan, days=7, with_prices=False, actor=operator)
    gone = archive(plan, revision=plan.revision, actor=operator)
    for write in (
        lambda: another(gone, operator),
        lambda: change_details(gone, revision=gone.revision, actor=operator, name="other"),
        lambda: step(gone, "propose", operator),
        lambda: share(gone, days=7, with_prices=False, actor=operator),
    ):
        with pytest.raises(RefusedError, match="archived"):
            write()
    assert live_share(secret) is None
    back = archive(gone, revision=gone.revision, actor=operator, back=True)
    assert live_share(secret) is not None
    assert step(back, "propose", operator).state == "proposed"
    assert actions() == ["plan.create", "plan.share", "plan.archive", "plan.restore", "plan.propose"]


def test_comments_need_no_revision_and_know_their_version(plan: SavedPlan, operator: User) -> None:
    comment(plan, "one", actor=operator)
    changed = another(plan, operator)
    comment(plan, "two", actor=operator)  # written beside version 1, said about what is newest
    assert [(said.number, said.text) for said in changed.comments.all()] == [(1, "one"), (2, "two")]


def test_secret_of_a_link_is_kept_as_a_digest_alone(plan: SavedPlan, operator: User) -> None:
    made, secret = share(plan, days=7, with_prices=True, actor=operator)
    assert len(secret) >= 40
    assert made.digest == digest_of(secret)
    assert secret not in repr(list(PlanShare.objects.values()))
    assert secret not in repr(list(AuditEvent.objects.values()))
    found = live_share(secret)
    assert found is not None
    assert found.plan == plan


def test_link_ends_by_time_and_by_hand_once(plan: SavedPlan, operator: User) -> None:
    by_hand, first = share(plan, days=7, with_prices=False, actor=operator)
    by_time, second = share(plan, days=7, with_prices=False, actor=operator)
    assert revoke_share(by_hand, actor=operator)
    assert not revoke_share(by_hand, actor=operator)
    PlanShare.objects.filter(pk=by_time.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert (live_share(first), live_share(second), live_share("")) == (None, None, None)
    assert actions().count("plan.unshare") == 1
