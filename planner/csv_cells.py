"""CSV files that spreadsheets open: no cell of ours is ever taken for a formula."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def guarded(cell: Any) -> Any:
    """A cell that no spreadsheet takes for a formula; numbers stay numbers."""
    if cell is None or isinstance(cell, int | float):
        return cell
    text = str(cell)
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def unguarded(cell: str) -> str:
    """What `guarded` was given."""
    return cell[1:] if cell[:1] == "'" and cell[1:2] in FORMULA_STARTS else cell


def csv_lines(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """The lines of a CSV file, one at a time, so that a long one is never whole in memory."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(head)
    yield _taken(buffer)
    for row in rows:
        writer.writerow([guarded(cell) for cell in row])
        yield _taken(buffer)


def _taken(buffer: io.StringIO) -> str:
    text = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return text
