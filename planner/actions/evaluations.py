"""Writes of judgements: each plan is judged once on one ground, whoever else is at it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from access.actions import record_audit
from access.announce import announce
from access.models import User
from planner.actions.conflict import ConflictError
from planner.actions.plans import show_figures, summary
from planner.models import PlanEvaluation, SavedPlan

# Longer than one plan takes to judge by far: what a dead worker held is free again after it.
LEASE = timedelta(minutes=1)
SHOWN = ("verdict", "tpot_ms", "output_tokens_per_s", "purchase", "currency")
EVENT_OF_FLIP = {
    "verdict": "plan.verdict_changed",
    "price": "plan.price_changed",
    "price_known": "plan.price_changed",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What a plan comes to on one basis. Where it failed without an answer, `figures` is empty and none are shown."""

    key: str
    basis: Mapping[str, Any]
    figures: Mapping[str, Any] = field(default_factory=dict)
    changes: Sequence[Mapping[str, Any]] = ()  # against what was told last
    flipped: Sequence[str] = ()  # codes, against the version as it was saved
    failure: Mapping[str, Any] | None = None
    failed_before: Mapping[str, Any] | None = None  # the failure of the judgement before


def claim(plan: SavedPlan) -> bool:
    """Take a plan to judge it, unless somebody did since it was read."""
    free = SavedPlan.objects.filter(
        pk=plan.pk, judged_stamp=plan.judged_stamp, claimed_until=plan.claimed_until
    )
    return bool(free.update(claimed_until=timezone.now() + LEASE))


def still_holds(plans: Sequence[int], *, key: str, stamp: str) -> int:
    """Note that the basis of these plans is the one they were judged on; those judged elsewhere meanwhile are left."""
    same = SavedPlan.objects.filter(pk__in=plans, evaluated_key=key)
    return same.update(judged_stamp=stamp, evaluated_at=timezone.now(), claimed_until=None)


@transaction.atomic
def keep_judgement(
    plan: SavedPlan, judged: Judged, *, stamp: str, asked_by: User | None = None
) -> PlanEvaluation | None:
    """Show what a plan comes to now, keep what flipped, and tell the webhooks, all of it or nothing.

    A judgement that found nothing new is kept only where somebody asked for it: None otherwise. Raises ConflictError
    where the plan was judged or got another version since `plan` was read; nothing is written then.
    """
    unchanged = SavedPlan.objects.filter(
        pk=plan.pk, number=plan.number, evaluated_key=plan.evaluated_key, evaluated_at=plan.evaluated_at
    )
    now = timezone.now()
    plan.evaluated_key, plan.evaluated_at = judged.key, now
    plan.judged_stamp, plan.claimed_until = stamp, None
    plan.flipped = ",".join(judged.flipped)
    if judged.figures:
        show_figures(plan, judged.figures)
    written = {name: getattr(plan, name) for name in SHOWN} if judged.figures else {}
    taken = unchanged.update(
        evaluated_key=plan.evaluated_key,
        evaluated_at=now,
        judged_stamp=stamp,
        claimed_until=None,
        flipped=plan.flipped,
        **written,
    )
    if not taken:
        raise ConflictError(plan)
    if not judged.changes and judged.failure == judged.failed_before and asked_by is None:
        return None
    return _keep(plan, judged, asked_by)


def _keep(plan: SavedPlan, judged: Judged, asked_by: User | None) -> PlanEvaluation:
    kept = PlanEvaluation.objects.create(
        plan=plan,
        number=plan.number,
        key=judged.key,
        basis=dict(judged.basis),
        figures=dict(judged.figures),
        changes=[dict(change) for change in judged.changes],
        failure=judged.failure,
        asked_by=asked_by,
    )
    codes = [change["code"] for change in judged.changes]
    record_audit(
        "plan.evaluate", actor=asked_by, about=plan, plan=plan.uid, number=plan.number, changed=codes
    )
    for change in judged.changes:
        if change["code"] in EVENT_OF_FLIP:
            told = {name: change[name] for name in ("before", "after", "because")}
            announce(EVENT_OF_FLIP[change["code"]], summary(plan, evaluation=kept.pk, **told))
    return kept
