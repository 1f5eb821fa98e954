"""The table of approval, by hand: every state and every step."""

import pytest

from planner.core.approval import STEPS, legal, refusal, state_after_change

# From the rules of the product: a draft is proposed, a proposal decided or withdrawn, what was decided reopened.
TABLE = {
    ("draft", "propose"): "proposed",
    ("proposed", "withdraw"): "draft",
    ("proposed", "approve"): "approved",
    ("proposed", "reject"): "rejected",
    ("approved", "reopen"): "draft",
    ("rejected", "reopen"): "draft",
}
STATES = ("draft", "proposed", "approved", "rejected")


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("name", ["propose", "withdraw", "approve", "reject", "reopen"])
def test_step_is_legal_where_the_table_says_so(state: str, name: str) -> None:
    step = STEPS[name]
    refused = refusal(step, state=state, may_decide=True, is_own=False, another_must=True, reason="why")
    if (state, name) in TABLE:
        assert refused is None
        assert step.after == TABLE[state, name]
        assert step in legal(state)
    else:
        assert refused is not None
        assert (refused.code, refused.field) == ("illegal_step", "state")
        assert step not in legal(state)


# (step, may decide, own plan, another must, reason) -> why not
WHO = {
    ("approve", False, False, False, ""): "not_an_approver",
    ("approve", True, True, True, ""): "own_plan",
    ("approve", True, True, False, ""): None,
    ("approve", True, False, True, ""): None,
    ("reject", True, False, True, "  "): "reason_missing",
    ("reject", True, True, True, "dear"): "own_plan",
    ("reject", True, False, True, "dear"): None,
    ("reopen", False, True, True, ""): "reason_missing",
    ("reopen", False, True, True, "prices"): None,
    ("propose", False, True, True, ""): None,
    ("withdraw", False, False, True, ""): None,
}


@pytest.mark.parametrize(("case", "code"), WHO.items())
def test_who_may_take_a_step_and_with_what_reason(
    case: tuple[str, bool, bool, bool, str], code: str | None
) -> None:
    name, may_decide, is_own, another_must, reason = case
    refused = refusal(
        STEPS[name],
        state=min(STEPS[name].before),
        may_decide=may_decide,
        is_own=is_own,
        another_must=another_must,
        reason=reason,
    )
    assert (refused.code if refused else None) == code


@pytest.mark.parametrize("name", list(STEPS))
def test_archived_plan_takes_no_step(name: str) -> None:
    for state in STATES:
        refused = refusal(
            STEPS[name],
            state=state,
            may_decide=True,
            is_own=False,
            another_must=False,
            reason="why",
            archived=True,
        )
        assert refused is not None
        assert refused.code == "archived"


@pytest.mark.parametrize("state", STATES)
def test_changed_plan_is_a_draft(state: str) -> None:
    assert state_after_change(state) == "draft"
