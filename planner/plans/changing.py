"""The page on which another version is kept: what changes, what others changed meanwhile, and what is to be chosen."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from django.http import QueryDict

from planner.core.outcome import Problem
from planner.core.plan_changes import differences
from planner.core.specs import Catalog
from planner.lines import read_json
from planner.models import PlanVersion
from planner.plans.fields import Changed, Choice, changed, choice
from planner.plans.page import title_of
from planner.plans.saving import Change, Laid, changed_by_query

TAKE = "take:"
MAX_QUERY_CHARS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangePage:
    """What stands beside the form of another version. `choices` are fields that two people changed."""

    title: str
    content: str  # as JSON, for the form to carry
    fields: Sequence[Changed]
    others: Sequence[Changed]
    choices: Sequence[Choice]
    began_as: int
    newest: int
    apart: bool

    @property
    def number(self) -> int:
        """The number that the version will have."""
        return self.newest + 1


def read_change(given: QueryDict, base: PlanVersion) -> Change | Problem:
    """What is to be kept: as JSON where the page's own form sends it, else as the address of the plan page says."""
    if "content" in given:
        ours = read_json(given.get("content", ""))
        if isinstance(ours, Problem):
            return Problem(code=ours.code, field="content", values=ours.values)
        if not isinstance(ours, dict):
            return Problem(code="not_an_object", field="content")
    elif "sp" in given:
        ours = changed_by_query(base.content, given.urlencode()[:MAX_QUERY_CHARS])
    else:
        ours = base.content  # the same again, on what counts today
    sides = {key.removeprefix(TAKE): side for key, side in given.items() if key.startswith(TAKE)}
    seen = given.get("theirs", "")
    return Change(
        ours=ours,
        began_as=base.number,
        note=given.get("note", ""),
        mine=frozenset(path for path, side in sides.items() if side == "ours"),
        answered=frozenset(path for path, side in sides.items() if side in ("ours", "theirs")),
        seen=int(seen) if seen.isascii() and seen.isdigit() and len(seen) < 9 else None,
        apart=given.get("apart") == "1",
    )


def change_page(base: PlanVersion, change: Change, laid: Laid, catalog: Catalog) -> ChangePage:
    """The page of a change, which holds a checked content, as it lies on the newest version."""
    return ChangePage(
        title=title_of(change.ours["request"], catalog),
        content=json.dumps(change.ours, ensure_ascii=False),
        fields=[changed(item, catalog) for item in differences(base.content, change.ours)],
        others=[changed(item, catalog) for item in laid.others],
        choices=[choice(item, catalog, chosen=_chosen(item.path, change)) for item in laid.conflicts],
        began_as=base.number,
        newest=laid.newest.number,
        apart=laid.apart,
    )


def _chosen(path: str, change: Change) -> str:
    if path not in change.answered:
        return ""
    return "ours" if path in change.mine else "theirs"
