"""Logs of requests as JSON values: usage objects of APIs, results of benchmarks, our own names; nested or flat."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from planner.core.traffic.asked import NOTHING, Asked
from planner.core.traffic.names import INPUT, MAX_NAME, OUTPUT, ROLES, TIMES, role_of
from planner.core.traffic.rows import Collected, Rows
from planner.core.traffic.table import BLOCK, Refused

MAX_DEPTH = 5
MAX_FIELDS = 400  # looked at in one value
Path = tuple[str, ...]


def read_records(values: Iterable[Any], asked: Asked = NOTHING) -> Collected | Refused:
    """Read requests from JSON values. A value without lengths is counted and left out.

    A value may be one request, a list of requests, or lists of lengths side by side as `vllm bench serve` writes them.
    """
    rows = Rows(scales={} if asked.unit_s is None else {"duration": asked.unit_s})
    paths: dict[str, Path] = {}
    block: list[dict[str, Any]] = []
    others = 0
    for request in _requests(values):
        found, fields = _fields(request, paths, rows.scales, asked)
        others = max(others, fields)
        if found is None:
            rows.left_out["no_lengths"] += 1
            rows.read += 1
            continue
        block.append(found)
        if len(block) == BLOCK:
            _add(rows, block)
            block = []
    if block:
        _add(rows, block)
    if not rows.kept:
        return Refused(code="no_requests", values={"read": rows.read})
    # The last name alone: those before it may be anybody's text
    shown = [(role, paths[role][-1][:MAX_NAME]) for role in ROLES if role in paths]
    return rows.collected(shown, others=max(0, others - len(shown)))


def _requests(values: Iterable[Any]) -> Iterator[Any]:
    """Single requests: lists are taken apart, and lists of lengths side by side become rows."""
    for value in values:
        if isinstance(value, list):
            yield from _requests(value)
        elif isinstance(value, Mapping) and (columns := _side_by_side(value)):
            yield from _rows_of(columns)
        elif isinstance(value, Mapping) and isinstance(value.get("rows"), list):
            yield from _requests(value["rows"])
        else:
            yield value


def _side_by_side(value: Mapping[str, Any]) -> dict[str, Sequence[Any]]:
    """Lists of lengths and times of one value by role; empty unless both lengths are lists."""
    found: dict[str, tuple[int, str, Sequence[Any]]] = {}
    for name, item in value.items():
        match = role_of(name) if isinstance(item, list) else None
        if match is not None and (match[0] not in found or match[1] < found[match[0]][0]):
            found[match[0]] = (match[1], name, item)
    if INPUT not in found or OUTPUT not in found:
        return {}
    rows = len(found[INPUT][2])
    return {name: items for _rank, name, items in found.values() if len(items) == rows}


def _rows_of(columns: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    names = list(columns)
    for cells in zip(*columns.values(), strict=True):
        yield dict(zip(names, cells, strict=True))


def _fields(
    request: Any, paths: dict[str, Path], scales: dict[str, float | None], asked: Asked
) -> tuple[dict[str, Any] | None, int]:
    """(role to value of one request, None where a length is missing; how many fields it has).

    The paths of the first request, and the units in their names, serve for those like it.
    """
    if not isinstance(request, Mapping):
        return None, 0
    if paths:
        found = {role: _at(request, path) for role, path in paths.items()}
        if found[INPUT] is not None and found[OUTPUT] is not None:
            return found, len(request)
    places = _search(request, asked)
    values = {role: _at(request, place.path) for role, place in places.items()}
    if values.get(INPUT) is None or values.get(OUTPUT) is None:
        return None, len(request)
    if not paths:
        paths.update({role: place.path for role, place in places.items()})
        stated = {role: place.unit_s for role, place in places.items() if place.unit_s is not None}
        scales.update({**stated, **scales})
    return {role: values.get(role) for role in paths}, len(request)


def _at(value: Any, path: Path) -> Any:
    for name in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a role stands in a request; of two, the one with the smaller rank and depth is meant."""

    rank: int
    path: Path
    unit_s: float | None = None

    def before(self, other: "_Place | None") -> bool:
        return other is None or (self.rank, len(self.path)) < (other.rank, len(other.path))


def _search(request: Mapping[str, Any], asked: Asked) -> dict[str, _Place]:
    """Role to its field: what the asker named, else the best spelling; of equal ones the one nearer to the root."""
    found: dict[str, _Place] = {}
    for path, item in _leaves(request):
        match = role_of(path[-1])
        if match is None or not _may_be(item, match[0]):
            continue
        place = _Place(rank=match[1], path=path, unit_s=match[2])
        if place.before(found.get(match[0])):
            found[match[0]] = place
    for role, name in asked.columns.items():
        if name:
            found[role] = _Place(rank=0, path=tuple(name.split(".")))
    return found


def _leaves(request: Mapping[str, Any]) -> Iterator[tuple[Path, Any]]:
    """Path and value of every field, nested ones after those of the level above; bounded in depth and number."""
    queue: list[tuple[Path, Mapping[str, Any]]] = [((), request)]
    looked = 0
    for path, value in queue:
        for name, item in islice(value.items(), MAX_FIELDS - looked):
            looked += 1
            here = (*path, str(name))
            if not isinstance(item, Mapping):
                yield here, item
            elif len(here) < MAX_DEPTH:
                queue.append((here, item))


def _may_be(item: Any, role: str) -> bool:
    """Whether a value can have this role: a length is a number, a moment may be a written one."""
    if isinstance(item, bool) or not isinstance(item, int | float | str):
        return False
    return role in TIMES or not isinstance(item, str) or item.strip().isdigit()


def _add(rows: Rows, block: Sequence[Mapping[str, Any]]) -> None:
    roles = [role for role in ROLES if any(item.get(role) is not None for item in block)]
    rows.add({role: [item.get(role) for item in block] for role in roles})
