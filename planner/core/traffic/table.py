"""Logs of requests as tables of text: which column is what, and its lengths and times."""

import csv
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from planner.core.traffic.asked import NOTHING, Asked
from planner.core.traffic.cells import is_number
from planner.core.traffic.names import DURATION, INPUT, MAX_NAME, OUTPUT, ROLES, TIMES, candidates
from planner.core.traffic.rows import Collected, Rows

MAX_LINE_BYTES = 1_000_000
MAX_COLUMNS = 1_000
BLOCK = 20_000
DELIMITERS = ",;\t|"
LOOKED_AT = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Why a log cannot be read; `values` go into its words."""

    code: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """Which place of a row has which role. names: as they are shown; texts: columns that hold text."""

    places: Mapping[str, int]
    units: Mapping[str, float | None]
    names: Mapping[str, str]
    width: int
    texts: int


def read_table(lines: Iterable[str], asked: Asked = NOTHING) -> Collected | Refused:
    """Read a table with or without a line of names; comma, semicolon, tab or bar between cells.

    Rows are read a block at a time. A row that cannot be read is counted with its reason and left out.
    """
    iterator = iter(lines)
    first = next((line for line in iterator if line.strip()), None)
    if first is None:
        return Refused(code="empty", values={})
    delimiter = max(DELIMITERS, key=first.count)
    records = csv.reader(chain([first], iterator), delimiter=delimiter, skipinitialspace=True)
    try:
        return _read(records, asked)
    except csv.Error:
        return Refused(
            code="cell_too_long", values={"line": records.line_num, "limit": csv.field_size_limit()}
        )


def _read(records: Iterator[list[str]], asked: Asked) -> Collected | Refused:
    names = next(records)
    if len(names) > MAX_COLUMNS:
        return Refused(code="too_many_columns", values={"found": len(names), "limit": MAX_COLUMNS})
    looked = list(islice(records, LOOKED_AT))
    nameless = all(is_number(name) for name in names)
    if nameless:
        looked.insert(0, names)
    head = _head([] if nameless else names, looked, asked)
    if isinstance(head, Refused):
        return head
    rows = Rows(scales={role: head.units[role] for role in TIMES if head.units.get(role) is not None})
    source = chain(looked, records)
    while block := list(islice(source, BLOCK)):
        _add(rows, block, head)
    if not rows.kept:
        return Refused(code="no_rows", values={"read": rows.read})
    shown = [(role, head.names[role]) for role in ROLES if role in head.places]
    return rows.collected(shown, others=head.width - len(shown), texts=head.texts)


def _head(names: Sequence[str], looked: Sequence[Sequence[str]], asked: Asked) -> Head | Refused:
    width = len(names) or max((len(row) for row in looked), default=0)
    texts = {place for place in range(min(width, MAX_COLUMNS)) if _is_text(looked, place)}
    found = candidates(names)
    if not names and width == 2 and not asked.columns:
        found = {INPUT: [(0, None)], OUTPUT: [(1, None)]}
    chosen: dict[str, tuple[int, float | None]] = {}
    for role in ROLES:
        known = [item for item in found.get(role, ()) if role in TIMES or item[0] not in texts]
        wanted = asked.columns.get(role)
        place = _place(wanted, names, width) if wanted else None
        if wanted and place is None:
            return Refused(code="no_such_column", values={"name": wanted[:MAX_NAME], "role": role})
        if place is not None:
            chosen[role] = (place, None)
        elif known:
            chosen[role] = known[0]
        elif role in (INPUT, OUTPUT):
            return _without(role, found.get(role, ()), names, width)
    places = {role: place for role, (place, _unit) in chosen.items()}
    units = {role: unit for role, (_place, unit) in chosen.items()}
    if asked.unit_s is not None:
        units[DURATION] = asked.unit_s
    shown = {
        role: names[place].strip()[:MAX_NAME] if names else str(place + 1) for role, place in places.items()
    }
    return Head(places=places, units=units, names=shown, width=width, texts=len(texts - set(places.values())))


def _without(
    role: str, found: Sequence[tuple[int, float | None]], names: Sequence[str], width: int
) -> Refused:
    """Why no column has a role: none is called so, or the one that is holds text."""
    if found:
        values = {"role": role, "name": names[found[0][0]].strip()[:MAX_NAME]}
        return Refused(code="column_of_text", values=values)
    return Refused(code="no_column", values={"role": role, "names": _shown(names), "width": width})


def _is_text(looked: Sequence[Sequence[str]], place: int) -> bool:
    """Whether most of the first cells of a column are neither blank nor a number."""
    cells = [row[place] for row in looked if len(row) > place and row[place].strip()]
    return sum(not is_number(cell) for cell in cells) * 2 > len(cells)


def _place(asked: str, names: Sequence[str], width: int) -> int | None:
    """The place of a column by its name, or by its number from 1."""
    wanted = asked.strip()
    exact = [place for place, name in enumerate(names) if name.strip() == wanted]
    if exact:
        return exact[0]
    if wanted.isascii() and wanted.isdigit() and len(wanted) < 5 and 1 <= int(wanted) <= width:
        return int(wanted) - 1
    return None


def _shown(names: Sequence[str]) -> str:
    """The names of a table for a message: shortened, for they may be anything."""
    return ", ".join(name.strip()[:24] for name in names[:12])


def _add(rows: Rows, block: list[list[str]], head: Head) -> None:
    """Take a block; rows that are too short for the columns are counted and left out, blank ones passed over."""
    furthest = max(head.places.values())
    full = [row for row in block if len(row) > furthest]
    short = sum(1 for row in block if len(row) <= furthest and any(cell.strip() for cell in row))
    if short:
        rows.left_out["short_row"] += short
        rows.read += short
    if not full:
        return
    roles = list(head.places)
    picked = zip(*map(operator.itemgetter(*(head.places[role] for role in roles)), full), strict=True)
    rows.add(dict(zip(roles, picked, strict=True)))
