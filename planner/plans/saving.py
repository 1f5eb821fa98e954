"""From what stands in the address of a plan page to something that is kept; two people's changes laid together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from django.http import QueryDict

from access.models import User
from planner.actions.conflict import ConflictError
from planner.actions.plans import save_plan, save_version
from planner.answers.estimates import problem_message
from planner.answers.plans import Content, answer_content, parse_content, saved_of
from planner.core.outcome import Problem
from planner.core.parse import Rejected
from planner.core.plan_changes import Conflict, Difference, applied, choose, differences, merge
from planner.core.specs import Catalog
from planner.models import PlanVersion, SavedPlan
from planner.plan.form import plan_of_request, read_plan
from planner.plans.fields import field_name
from planner.queries.plans import version_of
from planner.queries.team import team_settings

TRIES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """Why a content cannot be kept."""

    problems: Sequence[Problem]

    @property
    def messages(self) -> list[str]:
        """One sentence per problem, with the field that it is about."""
        return [_with_field(problem) for problem in self.problems]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What somebody wants a plan to hold, begun as version `began_as`; `mine` are fields in which they win a conflict.

    `apart` when each field that differs was chosen by hand, since the two changes made no set-up together.
    """

    ours: Mapping[str, Any]
    began_as: int
    note: str = ""
    mine: frozenset[str] = field(default=frozenset())
    answered: frozenset[str] = field(default=frozenset())  # fields that were chosen, either way
    seen: int | None = None  # the version of the others that was seen when choosing
    apart: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Laid:
    """What a change comes to on the newest version. With open conflicts it is not to be kept."""

    content: dict[str, Any]
    newest: PlanVersion
    conflicts: Sequence[Conflict] = ()  # all of them, chosen or not
    others: Sequence[Difference] = ()  # what others changed since it began
    apart: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """Somebody else changed the same; nothing was written. `laid.conflicts` are to be chosen between."""

    laid: Laid


@dataclass(frozen=True, slots=True, kw_only=True)
class Same:
    """Nothing to keep: content and basis are those of the newest version already."""

    plan: SavedPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A version that was kept, and what others had changed meanwhile that is in it too."""

    plan: SavedPlan
    others: Sequence[Difference] = ()


def _with_field(problem: Problem) -> str:
    text = problem_message(problem)
    return f"{field_name(tuple(problem.field.split('.')))}: {text}" if problem.field else text


def content_of_query(query: str) -> dict[str, Any]:
    """The content that the address of a plan page stands for, with the currency and prices that a search asked with."""
    given = QueryDict(query)
    asked = read_plan(given)
    content: dict[str, Any] = {"request": asked.request()}
    if given.get("cur"):
        content["bill"] = {"currency": given["cur"][:3].upper()}
    if given.get("ps"):
        content["price_source"] = given["ps"]
    if asked.values["ll"]:
        content["length_log"] = asked.values["ll"]
    return content


def changed_by_query(base: Mapping[str, Any], query: str) -> dict[str, Any]:
    """A content with what was changed on the plan page that it was opened on; the rest stays as it was written.

    The form states what a request may leave to the defaults: compared with the form as it opened, that is no change.
    """
    asked = read_plan(QueryDict(query))
    opened = plan_of_request(base["request"])
    before = read_plan(QueryDict(opened.query())).request() if opened else dict(base["request"])
    changes = differences({"request": before}, {"request": asked.request()})
    content = applied(base, changes)
    return {**content, "length_log": asked.values["ll"]} if asked.values["ll"] else content


def checked(value: Any, catalog: Catalog) -> Content | Faults:
    """A content, or why it cannot be kept."""
    found = parse_content(value, catalog)
    return Faults(problems=found.problems) if isinstance(found, Rejected) else found


def keep_new(
    content: Content, *, catalog: Catalog, on: date, name: str, notes: str, note: str, actor: User
) -> SavedPlan | Faults:
    """Keep a content as a new plan."""
    answered = answer_content(content, catalog=catalog, team=team_settings(), on=on)
    if isinstance(answered, Rejected):
        return Faults(problems=answered.problems)
    return save_plan(saved_of(content, answered), name=name, notes=notes, note=note, actor=actor)


def keep_version(
    plan: SavedPlan, change: Change, *, catalog: Catalog, on: date, actor: User
) -> Kept | Same | Clash | Faults:
    """Keep a change as the next version.

    Where other versions came between, both changes are laid together; where both changed one field, nothing is
    written and the clash is told. Tries again when somebody is faster still. Raises RefusedError for an archived plan.
    """
    for _try in range(TRIES):
        current = SavedPlan.objects.get(pk=plan.pk)
        laid = laid_on(current, change, catalog=catalog)
        if _open(laid, change):
            return Clash(laid=laid)
        content = checked(laid.content, catalog)
        if isinstance(content, Faults):
            return content
        answered = answer_content(content, catalog=catalog, team=team_settings(), on=on)
        if isinstance(answered, Rejected):
            return Faults(problems=answered.problems)
        if content.raw == laid.newest.content and answered.basis == laid.newest.basis:
            return Same(plan=current)
        try:
            saved = save_version(
                current, saved_of(content, answered), revision=current.revision, note=change.note, actor=actor
            )
        except ConflictError:
            continue
        return Kept(plan=saved, others=laid.others)
    return Faults(problems=[Problem(code="changed_too_often", field=None)])


def _open(laid: Laid, change: Change) -> bool:
    """Whether a conflict is still to be chosen, or was chosen before somebody changed the plan once more."""
    if not laid.conflicts:
        return False
    seen = change.seen == laid.newest.number
    return not (seen and all(item.path in change.answered for item in laid.conflicts))


def laid_on(plan: SavedPlan, change: Change, *, catalog: Catalog) -> Laid:
    """A change laid on the newest version of its plan. A version that it claims to have begun as must exist."""
    newest = version_of(plan)
    assert newest is not None  # every plan has its newest version
    if change.began_as >= newest.number:
        return Laid(content=dict(change.ours), newest=newest)
    base = version_of(plan, change.began_as)
    began = base.content if base is not None else {}
    others = differences(began, newest.content)
    sides = {"theirs": newest.content, "ours": change.ours, "mine": change.mine}
    found = choose(began, **sides) if change.apart else merge(began, **sides)
    settled = all(item.path in change.answered for item in found.conflicts)
    if not change.apart and settled and _breaks(found.merged, change.ours, catalog):
        found = choose(began, **sides)
        return Laid(content=found.merged, newest=newest, conflicts=found.conflicts, others=others, apart=True)
    return Laid(
        content=found.merged, newest=newest, conflicts=found.conflicts, others=others, apart=change.apart
    )


def _breaks(merged: Mapping[str, Any], ours: Mapping[str, Any], catalog: Catalog) -> bool:
    """Whether two changes that each make a set-up make none together: a count by one, its spread by the other."""
    return isinstance(checked(merged, catalog), Faults) and not isinstance(checked(ours, catalog), Faults)
