"""The steps that a plan may take now, and why somebody may not take them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from access.models import User
from access.roles import Role
from planner.actions.plans import authors
from planner.core.approval import legal, refusal
from planner.messages import word
from planner.messages.plans import REFUSALS, STEPS
from planner.models import SavedPlan
from planner.queries.team import team_settings


@dataclass(frozen=True, slots=True, kw_only=True)
class StepButton:
    """One step of the approval that may be taken now."""

    name: str
    label: Any
    needs_reason: bool
    css: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """What this user may do with a plan in its state, and why not the rest."""

    steps: Sequence[StepButton]
    why_not: Sequence[str]

    @property
    def needs_reason(self) -> bool:
        """Whether one of the steps is refused without a reason."""
        return any(step.needs_reason for step in self.steps)


def approval_for(plan: SavedPlan, user: User) -> Approval:
    """Asks the one table of core/approval.py; at most three queries."""
    steps, why_not = [], []
    if not user.may(Role.OPERATOR):
        return Approval(steps=[], why_not=[word(REFUSALS, "viewer", {})])
    deciding = any(step.decides for step in legal(plan.state))
    own = deciding and user.pk in authors(plan)
    another = deciding and team_settings().approver_is_another
    for step in legal(plan.state):
        refused = refusal(
            step,
            state=plan.state,
            may_decide=user.may(Role.APPROVER),
            is_own=own,
            another_must=another,
            reason="given",
            archived=plan.archived_at is not None,
        )
        if refused is None:
            steps.append(_button(step.name, needs_reason=step.needs_reason))
        else:
            why_not.append(word(REFUSALS, refused.code, {"state": plan.state}))
    return Approval(steps=steps, why_not=list(dict.fromkeys(why_not)))


def _button(name: str, *, needs_reason: bool) -> StepButton:
    css = {"propose": "is-primary", "approve": "is-primary", "reject": "is-danger"}.get(name, "")
    return StepButton(name=name, label=STEPS[name], needs_reason=needs_reason, css=css)
