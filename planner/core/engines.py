"""Which rules hold for an engine at a version. Everything that a release changed is a row of a table, not an `if`."""

import re
from collections.abc import Mapping
from typing import Any

from planner.core.outcome import Problem
from planner.core.specs import EngineSpec, Provenance

Release = tuple[int, ...]
# A release, perhaps with v or b before it and a suffix behind it: "0.22.0 + patch", "b4500", "1.2.0rc5".
RELEASE = re.compile(
    r"\s*[vb]?(\d{1,6}(?:\.\d{1,6}){0,4})(?=$|[\s+\-_(,]|\.?(?:rc|a\d|b\d|dev|post))",
    re.IGNORECASE | re.ASCII,
)
COMMIT = re.compile(r"\s*[0-9a-f]{7,40}\s*", re.IGNORECASE)
REMEMBERED = 64
_resolved: dict[tuple[int, str | None], tuple[Mapping[str, Any], EngineSpec]] = {}


def release_of(version: str) -> Release | None:
    """The release part of a version as numbers without trailing zeros, None if there is none."""
    found = RELEASE.match(version)
    if found is None:
        return None
    numbers = [int(part) for part in found.group(1).split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def resolve_engine(
    tables: Mapping[str, Mapping[str, Any]], name: str, version: str | None
) -> EngineSpec | Problem:
    """The rules of one engine version: in each table the newest row that is not newer than it.

    None means the newest known version. Older than every row, or not readable as a version, is a problem.
    """
    table = tables.get(name)
    if table is None:
        return Problem(
            code="unknown_engine",
            field="engine.name",
            values={"found": name, "known": ", ".join(sorted(tables))},
        )
    remembered = _resolved.get((id(table), version))
    if remembered is not None and remembered[0] is table:
        return remembered[1]
    found = _resolve(table, name, version)
    if isinstance(found, EngineSpec):
        if len(_resolved) >= REMEMBERED:
            _resolved.clear()
        _resolved[id(table), version] = (table, found)
    return found


def _resolve(table: Mapping[str, Any], name: str, version: str | None) -> EngineSpec | Problem:
    newest = release_of(table["newest"]) or ()
    release = newest if version is None else release_of(version)
    if (
        release is None
        and version is not None
        and COMMIT.fullmatch(version)
        and "commit_versions" in table["values"]
    ):
        release = newest
    if release is None:
        return Problem(
            code="unreadable_engine_version",
            field="engine.version",
            values={"found": version, "engine": name, "example": table["newest"]},
        )
    values = {key: _value_at(rows["by_version"], release) for key, rows in table["values"].items()}
    if any(isinstance(value, _TooOld) for value in values.values()):
        oldest = next(iter(table["values"].values()))["by_version"][0]["from"]
        return Problem(
            code="engine_version_too_old",
            field="engine.version",
            values={"found": version, "engine": name, "oldest": oldest},
        )
    return EngineSpec(
        name=name,
        version=table["newest"] if version is None else version,
        values=values,
        beyond_newest=release > newest,
        provenance={
            key: Provenance(kind=rows["kind"], source=rows["source"]) for key, rows in table["values"].items()
        },
    )


class _TooOld:
    """No row of a table is as old as the version asked for."""


def _value_at(rows: list[Mapping[str, Any]], release: Release) -> Any:
    """The value of the last row whose `from` is not above `release`; rows are in ascending order."""
    found: Any = _TooOld()
    for row in rows:
        start = release_of(row["from"])
        if start is None or start > release:
            break
        found = row["value"]
    return found
