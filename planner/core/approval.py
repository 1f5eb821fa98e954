"""The one table of what may become of a plan, and who may do it."""

from dataclasses import dataclass

DRAFT, PROPOSED, APPROVED, REJECTED = "draft", "proposed", "approved", "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """From one of `before` to `after`. `decides`: only an approver may, and where set not on a plan of their own."""

    name: str
    before: frozenset[str]
    after: str
    decides: bool = False
    needs_reason: bool = False


STEPS = {
    step.name: step
    for step in (
        Step(name="propose", before=frozenset({DRAFT}), after=PROPOSED),
        Step(name="withdraw", before=frozenset({PROPOSED}), after=DRAFT),
        Step(name="approve", before=frozenset({PROPOSED}), after=APPROVED, decides=True),
        Step(name="reject", before=frozenset({PROPOSED}), after=REJECTED, decides=True, needs_reason=True),
        Step(name="reopen", before=frozenset({APPROVED, REJECTED}), after=DRAFT, needs_reason=True),
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a step is not taken: archived | illegal_step | not_an_approver | own_plan | reason_missing."""

    code: str
    field: str | None = None


def refusal(
    step: Step,
    *,
    state: str,
    may_decide: bool,
    is_own: bool,
    another_must: bool,
    reason: str,
    archived: bool = False,
) -> Refusal | None:
    """Why this step cannot be taken now; None where it can. `is_own`: who asks made or proposed this version."""
    if archived:
        return Refusal(code="archived")
    if state not in step.before:
        return Refusal(code="illegal_step", field="state")
    if step.decides and not may_decide:
        return Refusal(code="not_an_approver")
    if step.decides and another_must and is_own:
        return Refusal(code="own_plan")
    if step.needs_reason and not reason.strip():
        return Refusal(code="reason_missing", field="reason")
    return None


def legal(state: str) -> list[Step]:
    """The steps that a plan in this state may take."""
    return [step for step in STEPS.values() if state in step.before]


def state_after_change(state: str) -> str:
    """Whatever was decided was decided on the version before: a changed plan is a draft."""
    return DRAFT
