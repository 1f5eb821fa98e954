"""The document of a plan as a workbook: text is text, whatever it begins with, and numbers are numbers."""

import io
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import xlsxwriter
from django.utils.translation import gettext as _

from planner.messages.plan_files import ALTERNATIVE_COLUMNS, BILL_COLUMNS, SHEETS
from planner.plans.document import basis_text, headline
from planner.plans.tables import (
    Document,
    alternative_rows,
    bill_rows,
    cost_rows,
    plan_facts,
    total_sentence,
)


def as_xlsx(found: Document) -> bytes:
    """A workbook of the same: the bill, the plan, the cost of a year, the alternatives. Text is text, numbers are numbers."""
    buffer = io.BytesIO()
    plain = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    book = xlsxwriter.Workbook(buffer, {**plain, "strings_to_numbers": False})
    # Not the moment of writing: the same document is the same file
    book.set_properties(
        {
            "title": found["plan"]["name"],
            "created": datetime.fromisoformat(found["plan"]["created_at"]).replace(tzinfo=None),
        }
    )
    write = _Writer(book)
    bill, names = found["bill"], [str(name) for _key, name in BILL_COLUMNS]
    rows = [[row[key] for key, _name in BILL_COLUMNS] for row in bill_rows(found)]
    total = {"name": _("In all"), "total": bill["total"], "power_total_w": bill["power_w"]}
    write.sheet(
        "bill",
        above=[headline(found), f"{found['title']} · {bill['currency']}", basis_text(found)],
        head=names,
        rows=rows,
        last=[total.get(key) for key, _name in BILL_COLUMNS],
        below=total_sentence(found),
    )
    facts = [list(fact) for fact in plan_facts(found)]
    write.sheet("plan", head=[_("What"), _("Value"), _("Unit")], rows=facts)
    write.sheet(
        "cost", head=[_("What"), found["cost"]["currency"]], rows=[list(row) for row in cost_rows(found)]
    )
    others = [[row[key] for key, _name in ALTERNATIVE_COLUMNS] for row in alternative_rows(found)]
    write.sheet(
        "alternatives",
        above=[found["alternatives"]["on"]],
        head=[str(name) for _key, name in ALTERNATIVE_COLUMNS],
        rows=others,
    )
    book.close()
    return buffer.getvalue()


class _Writer:
    """Sheets of one workbook, in its formats."""

    def __init__(self, book: Any) -> None:
        self.book = book
        self.bold = book.add_format({"bold": True, "bottom": 1})
        self.whole = book.add_format({"num_format": "#,##0", "valign": "top"})
        self.number = book.add_format({"num_format": "#,##0.00##", "valign": "top"})
        self.sum = book.add_format({"bold": True, "top": 1, "num_format": "#,##0.00"})
        self.text = book.add_format({"text_wrap": True, "valign": "top"})

    def sheet(
        self,
        key: str,
        *,
        head: Sequence[str],
        rows: Sequence[Sequence[Any]],
        above: Sequence[str] = (),
        last: Sequence[Any] = (),
        below: str = "",
    ) -> None:
        """One sheet: lines above, a head, rows, a last row that adds up, a line below."""
        page = self.book.add_worksheet(str(SHEETS[key])[:31])
        page.set_paper(9)  # A4
        page.set_landscape()
        page.fit_to_pages(1, 0)
        line = 0
        for text in above:
            page.write_string(line, 0, text)
            line += 1
        for place, name in enumerate(head):
            page.write_string(line, place, str(name), self.bold)
            page.set_column(place, place, _width(place, head, rows))
        for line, row in enumerate(rows, start=line + 1):  # noqa: B020  # goes on beneath
            self._row(page, line, row)
        if last:
            line += 1
            self._row(page, line, last, form=self.sum)
        if below:
            page.write_string(line + 2, 0, below)

    def _row(self, page: Any, line: int, row: Sequence[Any], *, form: Any = None) -> None:
        for place, cell in enumerate(row):
            if cell is None or cell == "":
                page.write_blank(line, place, None, form or self.text)
            elif isinstance(cell, int | float):
                number = self.whole if isinstance(cell, int) else self.number
                page.write_number(line, place, cell, form or number)
            else:
                page.write_string(line, place, str(cell), form or self.text)


def _width(place: int, head: Sequence[str], rows: Sequence[Sequence[Any]]) -> int:
    """Characters that a column is wide: as its longest cell, within bounds."""
    longest = max((len(str(row[place])) for row in rows if row[place] is not None), default=0)
    return min(60, max(10, len(head[place]), longest) + 2)
