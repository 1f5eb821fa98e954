"""What was read: each flag with its value and whether this version has it, and the engine it was held against."""

from typing import Any

from planner.core.check.arguments import Given
from planner.core.check.launch import Launch
from planner.core.engines import release_of
from planner.core.launch.lookup import concept_of, default_at

SHOWN = 300
HIDDEN = "…"  # in the place of a key


def explained(launch: Launch) -> list[dict[str, Any]]:
    """One record per flag in the order typed. status: present | removed | not_yet | unknown_between | beyond | before | unknown."""
    return [_record(launch, given) for given in launch.arguments.given]


def _record(launch: Launch, given: Given) -> dict[str, Any]:
    flag, status = given.found.flag, given.found.status
    concept = concept_of(launch.table, flag.name) if flag is not None else None
    key = f".{given.found.key}" if given.found.key else ""
    return {
        "flag": f"{flag.name}{key}" if flag is not None else None,
        "typed": given.typed[:SHOWN],
        "value": HIDDEN if concept == "api_key" and given.values else _joined(given),
        "about": None,
        "concept": concept,
        "status": status.kind if status is not None else "unknown",
        "since": flag.seen.first if flag is not None and flag.came is not None else None,
        "until": flag.seen.last if flag is not None and flag.went is not None else None,
        "default": _plain(default_at(flag, launch.version)) if flag is not None else None,
    }


def _plain(value: Any) -> str | None:
    return None if value is None else str(value)[:SHOWN]


def _joined(given: Given) -> str | None:
    return " ".join(given.values)[:SHOWN] if given.values else None


def engine_of(launch: Launch | None) -> dict[str, Any] | None:
    """Engine and version that the command was held against, and how well that version is known; None without one."""
    if launch is None:
        return None
    return {
        "name": launch.engine,
        "version": launch.version or launch.table.newest,
        "version_stated": launch.version is not None,
        "standing": launch.standing.kind,
        "verified": launch.standing.verified,
        "older": launch.standing.older,
        "newer": launch.standing.newer,
        "kind": launch.kind,
        **_driver(launch),
    }


def _driver(launch: Launch) -> dict[str, Any]:
    """CUDA of the published builds of this version, and the oldest NVIDIA driver that runs it; None where not known."""
    release = release_of(launch.standing.older or "")
    exact = launch.standing.kind in {"read", "line"}
    for row in launch.table.hosts.get("drivers", {}).get(launch.engine, ()) if exact else ():
        first, last = (release_of(version) for version in row["seen"])
        if release is not None and first is not None and last is not None and first <= release <= last:
            return {"cuda": row["cuda"], "driver": row["driver"]}
    return {"cuda": None, "driver": None}
