"""Quotes in CSV files: read as people's spreadsheets write them, written so that no cell is a formula."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from planner.answers.quotes import FIELDS
from planner.csv_cells import unguarded

MAX_ROWS = 10_000
MAX_BYTES = 8_000_000
ENCODINGS = ("utf-8-sig", "gb18030")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """The rows of a file as quotes to check, and the line that each of them began on."""

    rows: Sequence[dict[str, Any]]
    lines: Sequence[int]


def read_sheet(data: bytes) -> Sheet | str:
    """The rows of a CSV file with a head of FIELDS, or what is wrong with the file as a whole.

    Comma, semicolon or tab; UTF-8 or GB 18030. Blank lines are skipped, blank cells left to the defaults.
    """
    text = _decoded(data)
    if text is None:
        return _("This file is neither UTF-8 nor GB 18030 text. Save it as CSV in UTF-8.")
    if "\x00" in text:
        return _("This is no text file: it holds the character NUL.")
    head, _newline, _rest = text.partition("\n")
    delimiter = max(",;\t", key=head.count)
    reader = csv.reader(io.StringIO(text), delimiter=delimiter)
    try:
        return _rows(reader)
    except csv.Error as error:
        return _("Line %(line)s cannot be read: %(error)s.") % {"line": reader.line_num, "error": error}


def _decoded(data: bytes) -> str | None:
    for encoding in ENCODINGS:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return None


def _rows(reader: Any) -> Sheet | str:
    names = [name.strip().lower().replace(" ", "_") for name in next(reader, [])]
    unknown = [name for name in names if name and name not in FIELDS]
    if unknown:
        return _("No column is called %(unknown)s. Known: %(known)s.") % {
            "unknown": ", ".join(unknown)[:200],
            "known": ", ".join(FIELDS),
        }
    if "subject" not in names or "unit_price" not in names:
        return _("The first line names the columns; subject and unit_price must be among them.")
    rows: list[dict[str, Any]] = []
    lines: list[int] = []
    for cells in reader:
        if not any(cell.strip() for cell in cells):
            continue
        if len(rows) == MAX_ROWS:
            return _("This file has more than %(limit)s rows. Import it in parts.") % {"limit": MAX_ROWS}
        pairs = zip(names, cells, strict=False)
        rows.append({name: unguarded(cell.strip()) for name, cell in pairs if name and cell.strip()})
        lines.append(reader.line_num)
    return Sheet(rows=rows, lines=lines) if rows else _("This file has a head and no rows beneath it.")
