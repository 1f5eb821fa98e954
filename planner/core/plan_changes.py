"""What differs between two states of a plan, what two people's changes make together, and what flipped.

A state is an object of JSON. What is null and what is absent are the same: both leave it to the default.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Path = tuple[str, ...]

# Places that are one thing, though they are written in parts: an engine and its version, a length and its quantiles.
WHOLE: frozenset[Path] = frozenset(
    [
        ("request", "model"),
        ("request", "engine"),
        ("request", "workload", "input_tokens"),
        ("request", "workload", "output_tokens"),
    ]
)
# Lists whose entries have names: two people who each add one disturb nobody.
NAMED: frozenset[Path] = frozenset([("bill", "extra")])
TPOT_PERCENT = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One field that differs; None where a side does not have it."""

    parts: Path
    before: Any
    after: Any

    @property
    def path(self) -> str:
        """The field with dots."""
        return ".".join(self.parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """One field that two people changed, each to something else; `base` is what both began with."""

    parts: Path
    base: Any
    theirs: Any
    ours: Any

    @property
    def path(self) -> str:
        """The field with dots."""
        return ".".join(self.parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """Two changes of one state laid together. At a conflict `merged` has theirs, or ours where that was chosen."""

    merged: dict[str, Any]
    conflicts: tuple[Conflict, ...]


Decide = Callable[[Path, Any, Any, Any], Any]


def leaves(state: Mapping[str, Any]) -> dict[Path, Any]:
    """Every field of a state with its value, in the order of the state."""
    return dict(_leaves(state, ()))


def _leaves(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    value = _opened(value, path)
    if not isinstance(value, Mapping) or _is_whole(path):
        if value is not None:
            yield path, value
        return
    for key, item in value.items():
        yield from _leaves(item, (*path, str(key)))


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Difference]:
    """Fields that differ, those of `before` first, each in the order of its state."""
    found: list[Difference] = []

    def note(path: Path, _base: Any, old: Any, new: Any) -> Any:
        found.append(Difference(parts=path, before=old, after=new))
        return new

    _walk((), {}, before, after, note)
    return found


def merge(
    base: Mapping[str, Any],
    *,
    theirs: Mapping[str, Any],
    ours: Mapping[str, Any],
    mine: frozenset[str] = frozenset(),
) -> Merge:
    """Lay our changes of `base` over theirs. `mine` are the fields, with dots, in which ours wins a conflict."""
    conflicts: list[Conflict] = []

    def decide(path: Path, old: Any, their: Any, our: Any) -> Any:
        if their == old:
            return our
        if our == old:
            return their
        conflict = Conflict(parts=path, base=old, theirs=their, ours=our)
        conflicts.append(conflict)
        return our if conflict.path in mine else their

    merged = _walk((), base, theirs, ours, decide)
    return Merge(merged=merged or {}, conflicts=tuple(conflicts))


def choose(
    base: Mapping[str, Any],
    *,
    theirs: Mapping[str, Any],
    ours: Mapping[str, Any],
    mine: frozenset[str] = frozenset(),
) -> Merge:
    """As `merge`, but every field in which the two differ is a conflict: for changes that only make sense apart."""
    conflicts: list[Conflict] = []

    def decide(path: Path, old: Any, their: Any, our: Any) -> Any:
        conflict = Conflict(parts=path, base=old, theirs=their, ours=our)
        conflicts.append(conflict)
        return our if conflict.path in mine else their

    merged = _walk((), base, theirs, ours, decide)
    return Merge(merged=merged or {}, conflicts=tuple(conflicts))


def applied(state: Mapping[str, Any], changes: Sequence[Difference]) -> dict[str, Any]:
    """A state with some fields set to what they are after `changes`."""
    wanted: dict[str, Any] = {}
    for change in changes:
        *parents, name = change.parts
        place = wanted
        for parent in parents:
            place = place.setdefault(parent, {})
        place[name] = change.after
    return _set(state, wanted, ()) or {}


def _set(state: Any, wanted: Mapping[str, Any], path: Path) -> Any:
    opened = _opened(state, path)
    result = dict(opened) if isinstance(opened, Mapping) else {}
    for key, value in wanted.items():
        inner = (*path, key)
        partly = isinstance(value, Mapping) and not _is_whole(inner) and inner[:-1] not in NAMED
        result[key] = _set(result.get(key), value, inner) if partly else value
    return _closed({key: value for key, value in result.items() if value is not None}, path)


def _walk(path: Path, base: Any, theirs: Any, ours: Any, decide: Decide) -> Any:
    """Both sides laid together, field by field; `decide` is asked where they differ."""
    if theirs == ours:
        return theirs
    opened = [_opened(value, path) for value in (base, theirs, ours)]
    sides = [side for side in opened[1:] if side is not None]
    if _is_whole(path) or not all(isinstance(side, Mapping) for side in sides):
        return decide(path, base, theirs, ours)
    old, their, our = (value if isinstance(value, Mapping) else {} for value in opened)
    result = {}
    for key in dict.fromkeys([*their, *our]):
        value = _walk((*path, str(key)), old.get(key), their.get(key), our.get(key), decide)
        if value is not None:
            result[key] = value
    return _closed(result, path)


def _is_whole(path: Path) -> bool:
    return path in WHOLE or path[:-1] in NAMED


def _opened(value: Any, path: Path) -> Any:
    """A list of named entries as an object of them; as it is where two have one name."""
    if path not in NAMED or not isinstance(value, list):
        return value
    names = [item.get("name") if isinstance(item, Mapping) else None for item in value]
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        return value
    return {str(item["name"]): item for item in value}


def _closed(value: dict[str, Any], path: Path) -> Any:
    """The list again; nothing at all where nothing is left of an object."""
    if not value:
        return None
    return list(value.values()) if path in NAMED else value


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
