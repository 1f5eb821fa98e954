"""The document of a plan as Markdown, in which no text of anybody is markup."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from planner.amounts import amount, exact_amount
from planner.core.figures import DASH, count, short
from planner.messages.plan_files import ALTERNATIVE_COLUMNS, BILL_COLUMNS, SHEETS
from planner.plans.document import basis_text, headline
from planner.plans.tables import (
    Document,
    alternative_rows,
    bill_rows,
    cost_rows,
    plan_facts,
    power_text,
    total_sentence,
)

# What makes markup anywhere in a line, and what does at its beginning
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~&!$]|^[-+=])")
_SPACE = re.compile(r"[^\S\xa0]+")  # but not the one that keeps an amount with its currency


def as_markdown(found: Document) -> bytes:
    """The document for people to read and to paste."""
    money = found["bill"]["currency"]
    parts = [
        f"# {_md(found['plan']['name'])}",
        f"{_md(found['title'])} — {_md(headline(found))}",
        f"## {SHEETS['bill']}",
        _md_table([name for _key, name in BILL_COLUMNS], [_md_bill(row, money) for row in bill_rows(found)]),
        _md(total_sentence(found)),
        f"## {SHEETS['plan']}",
        _md_table(
            (_("What"), _("Value")), [[name, _value(value, unit)] for name, value, unit in plan_facts(found)]
        ),
        f"## {SHEETS['cost']}",
        _md_table((_("What"), money), [[name, amount(value, None)] for name, value in cost_rows(found)]),
        *(_md(text) for text in found["cost"]["remarks"]),
        *_md_alternatives(found),
        _md(basis_text(found)),
    ]
    return ("\n\n".join(str(part) for part in parts) + "\n").encode()


def _md_alternatives(found: Document) -> list[str]:
    rows = alternative_rows(found)
    if not rows:
        return []
    cells = [
        [
            row["set_up"],
            short(row["tpot_ms"]),
            short(row["output_tokens_per_s"]),
            count(row["power_w"]) if row["power_w"] is not None else DASH,
            amount(row["purchase"], row["currency"]),
            row["whose"],
        ]
        for row in rows
    ]
    head = f"## {SHEETS['alternatives']} ({found['alternatives']['on']})"
    return [head, _md_table([name for _key, name in ALTERNATIVE_COLUMNS], cells)]


def _md_bill(row: Mapping[str, Any], currency: str) -> list[str]:
    numbers = {
        "quantity": count(row["quantity"]),
        "unit_price": exact_amount(row["unit_price"], currency),
        "total": exact_amount(row["total"], currency),
        "power_w": power_text(row["power_w"]),
        "power_total_w": power_text(row["power_total_w"]),
    }
    return [str(numbers.get(key, row[key])) for key, _name in BILL_COLUMNS]


def _value(value: Any, unit: str) -> str:
    if value is None or value == "":
        return DASH
    if isinstance(value, int | float):
        text = count(value) if float(value).is_integer() else short(value)
        return f"{text} {unit}".strip()
    return str(value)


def _md(value: Any) -> str:
    """A text of somebody's as one line in which nothing is markup."""
    return _MARKUP.sub(r"\\\1", _SPACE.sub(" ", str(value)).strip())


def _md_table(head: Sequence[Any], rows: Sequence[Sequence[Any]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    texts = [[cell if index == 1 else _md(cell) for cell in line] for index, line in enumerate(lines)]
    return "\n".join(f"| {' | '.join(line)} |" for line in texts)
