"""docs/plans.md says of the approval what the table in the code says."""

import re
from pathlib import Path

from planner.core.approval import STEPS


def test_table_of_approval_is_the_table_of_the_code(root: Path) -> None:
    text = (root / "docs" / "plans.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| (\w+)(, with a reason)? \| ([\w, ]+) \| (\w+) \| (\w+) \|$", text, flags=re.MULTILINE
    )
    said = {
        name: (bool(reason), set(before.split(", ")), after, who)
        for name, reason, before, after, who in rows
        if name != "step"  # the head
    }
    assert said == {
        name: (step.needs_reason, set(step.before), step.after, "approver" if step.decides else "operator")
        for name, step in STEPS.items()
    }
