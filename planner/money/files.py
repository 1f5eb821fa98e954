"""Quotes in CSV files, as people's spreadsheets write them."""

import csv
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from planner.answers.quotes import FIELDS
from planner.csv_cells import unguarded

MAX_ROWS = 10_000
MAX_BYTES = 8_000_000
ENCODINGS = ("utf-8-sig", "gb18030")
UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
NAMES_SHOWN = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """The rows of a file as quotes to check, the line that each of them began on, and the text of it all."""

    rows: Sequence[dict[str, Any]]
    lines: Sequence[int]
    text: str


def read_sheet(data: bytes) -> Sheet | str:
    """The rows of a CSV file with a head of FIELDS, or what is wrong with the file as a whole.

    Comma, semicolon or tab; UTF-8 or GB 18030, UTF-16 with its mark. Blank lines are skipped, blank cells left to the
    defaults.
    """
    text = _decoded(data)
    if text is None:
        return _("This file is neither UTF-8 nor GB 18030 text. Save it as CSV in UTF-8.")
    if len(text.encode()) > MAX_BYTES:  # it comes back as UTF-8 when it is kept
        return _("This file is larger than %(limit)s MB.") % {"limit": MAX_BYTES // 1_000_000}
    if "\x00" in text:
        return _("This is no text file: it holds the character NUL. Save the sheet as CSV.")
    head, _newline, _rest = text.partition("\n")
    delimiter = max(",;\t", key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        return _rows(reader, text)
    except csv.Error as error:
        return _("Line %(line)s cannot be read: %(error)s.") % {"line": reader.line_num, "error": error}


def _decoded(data: bytes) -> str | None:
    encodings = ("utf-16",) if data.startswith(UTF_16_MARKS) else ENCODINGS
    for encoding in encodings:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return None


def _rows(reader: Any, text: str) -> Sheet | str:
    names = [name.strip().lower().replace(" ", "_") for name in next(reader, [])]
    if fault := _head_fault(names):
        return fault
    rows: list[dict[str, Any]] = []
    lines: list[int] = []
    before = reader.line_num
    for cells in reader:
        line, before = before + 1, reader.line_num
        if not any(cell.strip() for cell in cells):
            continue
        if len(rows) == MAX_ROWS:
            return _("This file has more than %(limit)s rows. Import it in parts.") % {
                "limit": f"{MAX_ROWS:,}"
            }
        if any(cell.strip() for cell in cells[len(names) :]):
            return _(
                "Line %(line)s has more cells than the head: a comma within a cell needs quotes around it."
            ) % {"line": line}
        pairs = zip(names, cells, strict=False)
        rows.append({name: unguarded(cell.strip()) for name, cell in pairs if name and cell.strip()})
        lines.append(line)
    if not rows:
        return _("This file has a head and no rows beneath it.")
    return Sheet(rows=rows, lines=lines, text=text)


def _head_fault(names: Sequence[str]) -> str:
    """What is wrong with the first line; empty where it can be used."""
    unknown = [name for name in names if name and name not in FIELDS]
    if unknown:
        return _("No column is called %(unknown)s. Known: %(known)s.") % {
            "unknown": ", ".join(unknown)[:NAMES_SHOWN],
            "known": ", ".join(FIELDS),
        }
    if "subject" not in names or "unit_price" not in names:
        return _("The first line names the columns; subject and unit_price must be among them.")
    double = sorted(name for name, times in Counter(names).items() if name and times > 1)
    if double:
        return _("Two columns are called %s. Take one of them out.") % ", ".join(double)
    return ""
