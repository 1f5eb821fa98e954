"""From what stands in the address of a plan page to something that is kept; two people's changes laid together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.http import QueryDict

from access.models import User
from planner.actions.conflict import ConflictError
from planner.actions.plans import save_plan, save_version
from planner.answers.estimates import problem_message
from planner.answers.plans import Content, answer_content, parse_content, saved_of
from planner.core.parse import Rejected
from planner.core.plan_changes import Difference, merge, nested
from planner.core.specs import Catalog
from planner.models import SavedPlan
from planner.plan.form import read_plan
from planner.queries.plans import version_of
from planner.queries.team import team_settings

TRIES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """Why a content cannot be kept: one sentence per field."""

    messages: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """Fields that somebody else changed too, each to something else. `before` is theirs, `after` ours."""

    theirs: Mapping[str, Any]
    ours: Mapping[str, Any]
    conflicts: Sequence[Difference]
    number: int  # of their version


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A version that was kept; `merged` when somebody else's changes are in it too."""

    plan: SavedPlan
    merged: bool


def content_of_query(query: str) -> dict[str, Any]:
    """The content that the address of a plan page stands for."""
    return {"request": read_plan(QueryDict(query)).request()}


def checked(value: Any, catalog: Catalog) -> Content | Faults:
    """A content, or why it cannot be kept."""
    found = parse_content(value, catalog)
    if isinstance(found, Rejected):
        texts = (
            f"{problem.field}: {problem_message(problem)}" if problem.field else problem_message(problem)
            for problem in found.problems
        )
        return Faults(messages=[text.removeprefix("content.request.") for text in texts])
    return found


def keep_new(
    content: Content, *, catalog: Catalog, on: date, name: str, notes: str, note: str, actor: User
) -> SavedPlan:
    """Keep a content as a new plan."""
    answered = answer_content(content, catalog=catalog, team=team_settings(), on=on)
    return save_plan(saved_of(content, answered), name=name, notes=notes, note=note, actor=actor)


def keep_version(
    plan: SavedPlan,
    ours: Mapping[str, Any],
    *,
    began_as: int,
    catalog: Catalog,
    on: date,
    note: str,
    actor: User,
) -> Kept | Clash | Faults:
    """Keep `ours`, which began as version `began_as`, as the next version.

    Where other versions came between, both changes are laid together; where both changed one field, nothing is
    written and the clash is told. Tries again when somebody is faster still.
    """
    for _try in range(TRIES):
        current = SavedPlan.objects.get(pk=plan.pk)
        wanted, merged = dict(ours), False
        if current.number != began_as:
            found = _laid_together(current, ours, began_as)
            if isinstance(found, Clash):
                return found
            wanted, merged = found, True
        content = checked(wanted, catalog)
        if isinstance(content, Faults):
            return content
        answered = answer_content(content, catalog=catalog, team=team_settings(), on=on)
        try:
            saved = save_version(
                current, saved_of(content, answered), revision=current.revision, note=note, actor=actor
            )
        except ConflictError:
            continue
        return Kept(plan=saved, merged=merged)
    return Faults(messages=[])


def _laid_together(current: SavedPlan, ours: Mapping[str, Any], began_as: int) -> dict[str, Any] | Clash:
    base, theirs = version_of(current, began_as), version_of(current)
    assert theirs is not None  # every plan has its newest version
    base_content = base.content if base is not None else {}
    found = merge(base_content, theirs=theirs.content, ours=ours)
    if found.conflicts:
        return Clash(theirs=theirs.content, ours=ours, conflicts=found.conflicts, number=current.number)
    return dict(found.merged)


def resolved(clash: Clash, base: Mapping[str, Any], take_ours: set[str]) -> dict[str, Any]:
    """The content in which each clashing field has the side that was chosen."""
    found = merge(base, theirs=clash.theirs, ours=clash.ours)
    flat = {item.path: item.after for item in clash.conflicts if item.path in take_ours}
    return _over(dict(found.merged), nested(flat))


def _over(under: dict[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    for key, value in over.items():
        inner = under.get(key)
        under[key] = _over(inner, value) if isinstance(inner, dict) and isinstance(value, Mapping) else value
    return under
