"""Versions of plans held against each other, as data: what differs between two, and several side by side."""

from collections.abc import Sequence
from typing import Any

from planner.answers.plans import figures_of
from planner.core.plan_changes import differences, leaves
from planner.messages.plans import FIGURES
from planner.models import PlanVersion
from planner.plans.compare import best_of
from planner.plans.fields import field_name


def difference(before: PlanVersion, after: PlanVersion) -> dict[str, Any]:
    """What was asked and what was answered differently in two versions of one plan."""
    old, new = figures_of(before.answer), figures_of(after.answer)
    return {
        "from": before.number,
        "to": after.number,
        "fields": [
            {
                "path": item.path,
                "name": field_name(item.parts),
                "before": item.before,
                "after": item.after,
            }
            for item in differences(before.content, after.content)
        ],
        "figures": [
            {"key": key, "name": str(name), "before": old.get(key), "after": new.get(key)}
            for key, (name, _unit) in FIGURES.items()
            if old.get(key) != new.get(key)
        ],
        "currency": new["currency"],
        "same_basis": before.basis == after.basis,
    }


def side_by_side(versions: Sequence[PlanVersion]) -> dict[str, Any]:
    """Several plans: values in the order of `plans`; `best` are the places of the best ones of a row."""
    figures = [figures_of(version.answer) for version in versions]
    opened = [leaves(version.content) for version in versions]
    paths = list(dict.fromkeys(path for fields in opened for path in fields))
    return {
        "plans": [
            {
                "uid": version.plan.uid,
                "name": version.plan.name,
                "state": version.plan.state,
                "version": version.number,
                "currency": each["currency"],
            }
            for version, each in zip(versions, figures, strict=True)
        ],
        "figures": [
            {
                "key": key,
                "name": str(name),
                "unit": "" if unit == "money" else str(unit),
                "values": [each.get(key) for each in figures],
                "best": _best_places(key, figures),
            }
            for key, (name, unit) in FIGURES.items()
        ],
        "inputs": [
            {
                "path": ".".join(path),
                "name": field_name(path),
                "values": [fields.get(path) for fields in opened],
            }
            for path in paths
        ],
    }


def _best_places(key: str, figures: Sequence[dict[str, Any]]) -> list[int]:
    best = best_of(key, figures)
    return [place for place, each in enumerate(figures) if best is not None and each.get(key) == best]
