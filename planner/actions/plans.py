"""Writes of saved plans. Each names the revision that it started from; who was slower gets a ConflictError, nothing is lost."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from access.actions import record_audit
from access.announce import announce
from access.models import User
from access.roles import Role
from access.secret_text import digest_of, new_secret
from planner.actions.conflict import ConflictError
from planner.core.approval import STEPS, Refusal, refusal, state_after_change
from planner.models import PlanComment, PlanDecision, PlanShare, PlanVersion, SavedPlan
from planner.queries.team import team_settings

EVENT_OF_STEP = {"propose": "plan.proposed", "approve": "plan.approved", "reject": "plan.rejected"}
DETAILS = ("name", "notes", "owner")


class RefusedError(Exception):
    """A write that the plan's state or the rules of approval forbid; `refusal` says why. Nothing was written."""

    def __init__(self, refused: Refusal) -> None:
        super().__init__(refused.code)
        self.refusal = refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """What a version is saved with: content as stored, what was answered, on which basis, and what lists show."""

    content: Mapping[str, Any]
    answer: Mapping[str, Any]
    basis: Mapping[str, Any]
    key: str
    figures: Mapping[str, Any]


@transaction.atomic
def save_plan(saved: Saved, *, name: str, notes: str, note: str, actor: User) -> SavedPlan:
    """Keep a new plan as its first version."""
    now = timezone.now()
    plan = SavedPlan(name=name, notes=notes, owner=actor, created_at=now, updated_at=now)
    _show(plan, saved)
    plan.save()
    _version(plan, saved, note=note, actor=actor)
    record_audit("plan.create", actor=actor, about=plan, plan=plan.uid, name=name)
    return plan


@transaction.atomic
def save_version(plan: SavedPlan, saved: Saved, *, revision: int, note: str, actor: User) -> SavedPlan:
    """Keep another version. What was decided was decided on the one before, so the plan is a draft again."""
    current = _current(plan, revision)
    before = current.state
    current.number += 1
    current.state = state_after_change(before)
    current.flipped = ""
    _show(current, saved)
    _write(current)
    _version(current, saved, note=note, actor=actor)
    if before != current.state:
        _decision(current, before=before, actor=actor, reason=note)
    record_audit(
        "plan.version", actor=actor, about=current, reason=note, plan=plan.uid, number=current.number
    )
    return current


@transaction.atomic
def change_details(plan: SavedPlan, *, revision: int, actor: User, **changes: str) -> SavedPlan:
    """Change the name, the notes or the owner (by user name), which are not part of a version."""
    current = _current(plan, revision)
    there = {"name": current.name, "notes": current.notes, "owner": current.owner.username}
    before = {name: there[name] for name in DETAILS if name in changes}
    after = {name: changes[name] for name in before}
    current.name, current.notes = after.get("name", current.name), after.get("notes", current.notes)
    if "owner" in after:
        current.owner = User.objects.get(username=after["owner"])
    _write(current)
    record_audit("plan.details", actor=actor, about=current, plan=plan.uid, before=before, after=after)
    return current


@transaction.atomic
def take_step(plan: SavedPlan, name: str, *, revision: int, reason: str, actor: User) -> SavedPlan:
    """Propose, withdraw, approve, reject or reopen. Raises RefusedError where the table or the rules forbid it."""
    current = _locked(plan, revision)
    step = STEPS[name]
    refused = refusal(
        step,
        state=current.state,
        may_decide=actor.may(Role.APPROVER),
        is_own=actor.pk in authors(current),
        another_must=team_settings().approver_is_another,
        reason=reason,
        archived=current.archived_at is not None,
    )
    if refused is not None:
        raise RefusedError(refused)
    before, current.state = current.state, step.after
    _write(current)
    _decision(current, before=before, actor=actor, reason=reason)
    record_audit(
        f"plan.{name}", actor=actor, about=current, reason=reason, plan=plan.uid, number=current.number
    )
    if name in EVENT_OF_STEP:
        announce(EVENT_OF_STEP[name], summary(current, actor=actor, reason=reason))
    return current


def authors(plan: SavedPlan) -> set[int]:
    """Keys of who made the newest version or proposed it: nobody of them decides on it where another must."""
    author = plan.versions.filter(number=plan.number).values_list("author_id", flat=True)
    proposers = plan.decisions.filter(number=plan.number, after=SavedPlan.State.PROPOSED)
    return {*author, *proposers.values_list("actor_id", flat=True)}


@transaction.atomic
def comment(plan: SavedPlan, text: str, *, actor: User) -> PlanComment:
    """Say something about the newest version; comments of two people never disturb each other."""
    number = SavedPlan.objects.filter(pk=plan.pk).values_list("number", flat=True).get()
    said = PlanComment.objects.create(plan=plan, number=number, author=actor, text=text)
    record_audit("plan.comment", actor=actor, about=plan, plan=plan.uid, comment=said.pk)
    return said


@transaction.atomic
def archive(plan: SavedPlan, *, revision: int, actor: User, back: bool = False) -> SavedPlan:
    """Take a plan out of the lists and shut its links, or bring it back with them."""
    current = _locked(plan, revision)
    current.archived_at = None if back else timezone.now()
    _write(current)
    record_audit("plan.restore" if back else "plan.archive", actor=actor, about=current, plan=plan.uid)
    return current


@transaction.atomic
def share(plan: SavedPlan, *, days: int, with_prices: bool, actor: User) -> tuple[PlanShare, str]:
    """A link for somebody without an account, and the secret in it, which can't be had again."""
    if SavedPlan.objects.filter(pk=plan.pk).exclude(archived_at=None).exists():
        raise RefusedError(Refusal(code="archived"))
    secret = new_secret()
    made = PlanShare.objects.create(
        plan=plan,
        digest=digest_of(secret),
        with_prices=with_prices,
        created_by=actor,
        expires_at=timezone.now() + timedelta(days=days),
    )
    record_audit("plan.share", actor=actor, about=plan, plan=plan.uid, share=made.pk, with_prices=with_prices)
    return made, secret


@transaction.atomic
def revoke_share(made: PlanShare, *, actor: User) -> bool:
    """End a link; False when it was ended before."""
    ended = PlanShare.objects.filter(pk=made.pk, revoked_at=None).update(revoked_at=timezone.now())
    if ended:
        record_audit("plan.unshare", actor=actor, about=made.plan, plan=made.plan.uid, share=made.pk)
    return bool(ended)


def summary(plan: SavedPlan, **more: Any) -> dict[str, Any]:
    """What a webhook says of a plan."""
    actor = more.pop("actor", None)
    return {
        "plan": plan.uid,
        "name": plan.name,
        "version": plan.number,
        "state": plan.state,
        "verdict": plan.verdict,
        "purchase": None if plan.purchase is None else float(plan.purchase),
        "currency": plan.currency,
        "by": actor.username if actor else None,
        **more,
    }


def _locked(plan: SavedPlan, revision: int) -> SavedPlan:
    """The row, locked, if it stands at `revision`. Raises ConflictError."""
    current = SavedPlan.objects.select_for_update().select_related("owner").get(pk=plan.pk)
    if current.revision != revision:
        raise ConflictError(current)
    return current


def _current(plan: SavedPlan, revision: int) -> SavedPlan:
    """The row, locked, for a write that an archived plan does not take."""
    current = _locked(plan, revision)
    if current.archived_at is not None:
        raise RefusedError(Refusal(code="archived"))
    return current


def _write(plan: SavedPlan) -> None:
    plan.revision += 1
    plan.updated_at = timezone.now()
    plan.save()


def _version(plan: SavedPlan, saved: Saved, *, note: str, actor: User) -> None:
    PlanVersion.objects.create(
        plan=plan,
        number=plan.number,
        content=dict(saved.content),
        answer=dict(saved.answer),
        basis=dict(saved.basis),
        note=note,
        author=actor,
    )


def _decision(plan: SavedPlan, *, before: str, actor: User, reason: str) -> None:
    PlanDecision.objects.create(
        plan=plan, number=plan.number, before=before, after=plan.state, actor=actor, reason=reason
    )


def _show(plan: SavedPlan, saved: Saved) -> None:
    """Put what lists show into the plan's columns."""
    request = saved.content["request"]
    model = request.get("model", {})
    plan.model = str(model.get("id") or "config.json")[:200]
    plan.accelerator = str(request.get("accelerator") or "")[:200]
    plan.count = request.get("count") or 1
    plan.engine = str((request.get("engine") or {}).get("name") or "vllm")[:40]
    show_figures(plan, saved.figures)
    plan.evaluated_key, plan.evaluated_at = saved.key, timezone.now()
    plan.judged_stamp = ""  # what it rests on may have changed since it was asked


def show_figures(plan: SavedPlan, figures: Mapping[str, Any]) -> None:
    """Put the figures of an evaluation into the plan's columns."""
    plan.verdict = figures["verdict"]
    plan.tpot_ms, plan.output_tokens_per_s = figures["tpot_ms"], figures["output_tokens_per_s"]
    plan.purchase, plan.currency = figures["purchase"], figures["currency"]
