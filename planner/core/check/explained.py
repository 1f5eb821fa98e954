"""Each flag of a command: what it is called, its value, and whether this version has it."""

from typing import Any

from planner.core.check.arguments import Given
from planner.core.check.launch import Launch
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
