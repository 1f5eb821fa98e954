"""From the bytes of a file to what would be kept of it: every quote checked, repeats named, nothing written yet."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from planner.amounts import exact_amount
from planner.answers.quotes import check_quotes, repeated
from planner.core.specs import Catalog
from planner.models import Quote
from planner.money.files import Sheet, read_sheet
from planner.money.page import subject_name
from planner.queries.quotes import identity_of, kept_already

ROWS_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What is wrong in one cell of a file; `column` is empty where it is about the line."""

    line: int
    column: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Why nothing of a file can be kept: what is wrong with it as a whole, or cell by cell."""

    whole: str = ""
    faults: Sequence[Fault] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A line of a file as it was understood. `uid` is of the quote that says the same and is here already."""

    line: int
    name: str
    offer: str
    values: Mapping[str, Any]
    price: str
    uid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A file that can be kept: `new` are the quotes that are not here already, `rows` the first of all, `text` it all."""

    new: Sequence[Mapping[str, Any]]
    known: int
    rows: Sequence[Row]
    text: str

    @property
    def total(self) -> int:
        """Quotes in the file."""
        return len(self.new) + self.known

    @property
    def more(self) -> int:
        """Quotes beyond those shown."""
        return self.total - len(self.rows)


def read_import(data: bytes, catalog: Catalog) -> Read | Refused:
    """What a CSV file holds, or everything that is wrong with it."""
    sheet = read_sheet(data)
    if not isinstance(sheet, Sheet):
        return Refused(whole=sheet)
    rows, errors = check_quotes(sheet.rows, catalog)
    if errors:
        return Refused(faults=[_fault(error, sheet) for error in errors])
    twice = repeated(rows)
    if twice:
        return Refused(faults=[_twice(place, before, sheet) for place, before in twice.items()])
    known = kept_already(rows)
    new = [row for row in rows if identity_of(row) not in known]
    shown = [
        _row(line, values, known, catalog)
        for line, values in zip(sheet.lines[:ROWS_SHOWN], rows, strict=False)
    ]
    return Read(new=new, known=len(rows) - len(new), rows=shown, text=sheet.text)


def _row(line: int, values: Mapping[str, Any], known: Mapping[tuple[Any, ...], str], catalog: Catalog) -> Row:
    return Row(
        line=line,
        name=subject_name(values["subject_kind"], values["subject"], catalog),
        offer=str(Quote.Offer(values["offer"]).label),
        values=values,
        price=exact_amount(values["unit_price"], values["currency"]),
        uid=known.get(identity_of(values), ""),
    )


def _fault(error: Mapping[str, Any], sheet: Sheet) -> Fault:
    place, _dot, column = error["field"].partition(".")
    return Fault(line=sheet.lines[int(place)], column=column, message=error["message"])


def _twice(place: int, before: int, sheet: Sheet) -> Fault:
    message = _("The same offer as in line %s. Take one of them out.") % sheet.lines[before]
    return Fault(line=sheet.lines[place], column="", message=message)
