"""What differs between two states of a plan, what two people's changes make together, and what flipped."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

MISSING = object()
TPOT_PERCENT = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One field that differs; None where a side does not have it."""

    path: str
    before: Any
    after: Any


def leaves(value: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted path and value of every leaf; a list is a leaf, since its entries have no names of their own."""
    if not isinstance(value, Mapping):
        yield prefix, value
        return
    for key, item in value.items():
        yield from leaves(item, f"{prefix}.{key}" if prefix else str(key))


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Difference]:
    """Leaves that differ, in the order of their paths. Null and absent are the same: both leave it to the default."""
    old, new = dict(leaves(before)), dict(leaves(after))
    paths = sorted({*old, *new})
    return [
        Difference(path=path, before=old.get(path), after=new.get(path))
        for path in paths
        if old.get(path) != new.get(path)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """Two changes of one thing laid together. `conflicts` are leaves that both changed, each to something else."""

    merged: Mapping[str, Any]
    conflicts: tuple[Difference, ...]  # before: theirs, which stands; after: ours


def merge(base: Mapping[str, Any], *, theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> Merge:
    """Lay our changes of `base` over theirs. Where both changed a leaf differently, theirs stays in `merged`."""
    changed_by_them = {item.path: item.after for item in differences(base, theirs)}
    merged, conflicts = dict(leaves(theirs)), []
    for item in differences(base, ours):
        if item.path in changed_by_them and changed_by_them[item.path] != item.after:
            conflicts.append(Difference(path=item.path, before=changed_by_them[item.path], after=item.after))
        else:
            merged[item.path] = item.after
    return Merge(merged=nested(merged), conflicts=tuple(conflicts))


def nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Dotted paths as an object; what is None is left out, and so is an object that a longer path replaces."""
    result: dict[str, Any] = {}
    for path, value in flat.items():
        if value is None:
            continue
        *parents, name = path.split(".")
        place = result
        for parent in parents:
            inner = place.get(parent)
            if not isinstance(inner, dict):
                inner = place[parent] = {}
            place = inner
        place[name] = value
    return result


def flips(
    before: Mapping[str, Any], after: Mapping[str, Any], *, price_percent: float
) -> list[dict[str, Any]]:
    """What a new evaluation changed that somebody should know of: codes with both sides.

    Takes the figures of `planner.answers.plans.figures_of`. Gravest first: verdict, users that run, speed by 5 percent or
    more, price beyond `price_percent`, prices that came or went.
    """
    found = []
    if before.get("verdict") != after.get("verdict"):
        found.append(_flip("verdict", before, after, "verdict"))
    if before.get("running") != after.get("running"):
        found.append(_flip("running", before, after, "running"))
    if _moved(before.get("tpot_ms"), after.get("tpot_ms"), TPOT_PERCENT):
        found.append(_flip("speed", before, after, "tpot_ms"))
    if (before.get("purchase") is None) != (after.get("purchase") is None):
        found.append(_flip("price_known", before, after, "purchase"))
    elif before.get("currency") == after.get("currency") and _moved(
        before.get("purchase"), after.get("purchase"), price_percent
    ):
        found.append(_flip("price", before, after, "purchase"))
    return found


def _flip(code: str, before: Mapping[str, Any], after: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {"code": code, "before": before.get(name), "after": after.get(name)}


def _moved(before: Any, after: Any, percent: float) -> bool:
    if before is None or after is None:
        return (before is None) != (after is None)
    if before == 0:
        return bool(after != 0)
    return bool(abs(after - before) / abs(before) * 100 >= percent)
