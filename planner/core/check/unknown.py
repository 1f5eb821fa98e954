"""A flag that no version of an engine has: what may have been meant by it."""

import difflib
import shlex
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from planner.core.check.arguments import Given
from planner.core.check.docker import WITH_VALUE, WITHOUT_VALUE
from planner.core.check.found import Edit, Finding
from planner.core.check.launch import Launch, number_of
from planner.core.check.meant import WISHED
from planner.core.launch.lookup import choices_at, concept_of, kind_at, names_of, status_at, takes_value
from planner.core.launch.spelling import find
from planner.core.launch.tables import ENGINES, FlagTable
from planner.core.launch.tables import table as table_of

LEAST_LIKENESS = 0.72
WHOLE_KINDS = frozenset({"integer", "readable_integer", "readable_integer_or_auto", "number"})


def unknown_flag(launch: Launch, given: Given) -> Finding:
    """A name that no version read has: with a stray =, another engine's, a wished one, or a slip."""
    head, sign, value = given.typed.partition("=")
    if sign and head in launch.table.flags and not launch.table.names["equals"]:
        fix = f"{head} {shlex.quote(value)}"
        edits = (Edit(given.start, given.end, fix),)
        if launch.text.startswith(f"{head}=", given.start):  # the value stays as it was quoted
            edits = (Edit(given.start + len(head), given.start + len(head) + 1, " "),)
        return Finding(code="flag_with_equals", flag=head, fix=fix, edits=edits)
    container = launch.program.container
    name = head.lstrip("-")
    if (
        container is not None
        and head.startswith("--")
        and name in (WITH_VALUE | WITHOUT_VALUE)
        and not container.compose
    ):
        return _behind_image(launch, given, container.insert_at)
    names, owner = _meant_names(launch, given)
    values = {"engine": launch.engine, "version": launch.version, "other": owner}
    in_file = next((name for name in names if name.startswith("config:")), None)
    if in_file is not None:
        key = in_file.removeprefix("config:")
        fix = f"{key}: {given.value or ''}".strip()
        return Finding(code="flag_is_in_file", flag=given.typed, values={**values, "key": key}, fix=fix)
    if names:
        code = "flag_of_other_engine" if owner else "flag_unknown"
        fix = given.piece(names[0], launch.text)
        edits = (given.renamed(names[0]),)
        return Finding(
            code=code, flag=given.typed, values={**values, "instead": names[0]}, fix=fix, edits=edits
        )
    if owner is None and launch.standing.kind in {"beyond", "between"}:
        return Finding(code="flag_unknown_here", severity="warning", flag=given.typed, values=values)
    code = "flag_of_other_engine" if owner else "flag_unknown"
    return Finding(code=code, flag=given.typed, values=values, fix="", edits=(given.dropped(launch.text),))


def as_meant(launch: Launch, findings: Sequence[Finding]) -> Launch:
    """The launch with each slip of a flag read as the flag that was meant, where that one is not given itself.

    Memory is judged on this: a misspelt tensor-parallel size is one mistake, and not a plan for a single card besides.
    """
    meant = {
        item.flag: item.values["instead"]
        for item in findings
        if item.code in ("flag_unknown", "flag_of_other_engine") and item.values.get("instead")
    }
    given = [
        _named(launch, item, meant[item.typed]) if item.name is None and item.typed in meant else item
        for item in launch.arguments.given
    ]
    return replace(launch, arguments=replace(launch.arguments, given=given))


def _named(launch: Launch, given: Given, name: str) -> Given:
    found = find(launch.table, name, launch.version)
    if found.flag is None or launch.arguments.last(found.flag.name) is not None:
        return given
    return replace(given, found=found, kind=kind_at(found.flag, launch.version))


def _behind_image(launch: Launch, given: Given, before: int) -> Finding:
    """An option of the container runtime that was typed behind the image, where the engine gets it."""
    piece = launch.text[given.start : given.end]
    edits = (given.dropped(launch.text), Edit(before, before, f" {piece}"))
    return Finding(code="option_behind_image", flag=given.typed, fix=piece, edits=edits)


def _meant_names(launch: Launch, given: Given) -> tuple[list[str], str | None]:
    """(flags of this engine that may be meant and take this value, the engine that the name belongs to)."""
    plain = _plain(given.typed)
    same = [
        name
        for name, flag in launch.table.flags.items()
        if (_plain(name) == plain or any(_plain(also) == plain for also in flag.also))
        and usable(launch, flag)
    ]
    if same:
        spelled = [also for also in launch.table.flags[same[0]].also if _plain(also) == plain]
        return [*spelled, *same], None
    for other in ENGINES:
        theirs = table_of(launch.flags, other)
        name = _exact(theirs, given.typed) if other != launch.engine else None
        concept = concept_of(theirs, name) if name else None
        if concept is not None:
            return _taking(launch, names_of(launch.table, concept), given.value), other
    wished = WISHED.get(plain)
    if wished:
        return _taking(launch, names_of(launch.table, wished), given.value), None
    close = [name for name in given.found.candidates[:1] if _is_close(given.typed, name, launch)]
    return [name for name in close if _says_no(name) == _says_no(given.typed)], None


def _says_no(name: str) -> bool:
    """Whether a name switches something off: a slip must not become its opposite."""
    return bool({"no", "disable", "without"} & set(_plain(name).split("-")))


def _is_close(typed: str, name: str, launch: Launch) -> bool:
    """A slip of the same name, or a name that the table holds for this wish."""
    ratio = difflib.SequenceMatcher(None, _plain(typed), _plain(name)).ratio()
    said = any(record["word"] == typed for record in launch.table.hosts.get("mistaken", ()))
    return ratio >= LEAST_LIKENESS or said


def _taking(launch: Launch, names: Sequence[str], value: str | None) -> list[str]:
    """Flags of these that are there and take such a value."""
    fitting = []
    for name in names:
        flag = launch.table.flags.get(name)
        if flag is None:
            fitting.append(name)  # a key of a configuration file
            continue
        kind = kind_at(flag, launch.version)
        choices = choices_at(launch.table, flag, launch.version)
        refused = choices is not None and value is not None and value not in choices.allowed
        wrong = (kind in WHOLE_KINDS and number_of(value) is None) or (kind == "choice" and refused)
        if usable(launch, flag) and takes_value(kind) == (value is not None) and not wrong:
            fitting.append(name)
    return fitting


def _exact(table: FlagTable, typed: str) -> str | None:
    """The flag of another engine with this name, dashes and underscores aside."""
    return _plain_names(table).get(_plain(typed)) if typed.startswith("--") else None


@lru_cache(maxsize=8)
def _plain_names(table: FlagTable) -> dict[str, str]:
    names: dict[str, str] = {}
    for name, flag in table.flags.items():
        for spelled in (name, *flag.also):
            if spelled.startswith("--"):
                names.setdefault(_plain(spelled), name)
    return names


def _plain(name: str) -> str:
    return name.lstrip("-").replace("_", "-").lower()


def usable(launch: Launch, flag: Any) -> bool:
    return status_at(launch.table, flag, launch.version).usable
