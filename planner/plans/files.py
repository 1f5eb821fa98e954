"""The files of a plan, all of one document."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from planner.csv_cells import csv_lines
from planner.plans.markdown import as_markdown
from planner.plans.tables import Document
from planner.plans.workbook import as_xlsx

CSV_COLUMNS = (
    "plan",
    "version",
    "on",
    "kind",
    "id",
    "name",
    "quantity",
    "unit_price",
    "total",
    "currency",
    "price_kind",
    "supplier",
    "source",
    "quoted_on",
    "valid_until",
    "power_w",
    "power_total_w",
    "note",
    "no_price_because",
)


def as_json(found: Document) -> bytes:
    """The document as it is."""
    return (json.dumps(found, ensure_ascii=False, indent=2) + "\n").encode()


def as_csv(found: Document) -> bytes:
    """The bill alone, one line per item, and one of kind `total` whose total is empty where an item has no price."""
    plan, bill = found["plan"], found["bill"]
    start = [plan["uid"], plan["version"], bill["on"]]
    rows = [[*start, *_csv_cells(item)] for item in bill["items"]]
    total: dict[str, Any] = {
        "kind": "total",
        "total": bill["total"],
        "currency": bill["currency"],
        "power_total_w": bill["power_w"],
    }
    rows.append([*start, *(total.get(name) for name in CSV_COLUMNS[3:])])
    return "".join(csv_lines(CSV_COLUMNS, rows)).encode("utf-8-sig")


def _csv_cells(item: Mapping[str, Any]) -> list[Any]:
    price = item["price"] or {}
    cells = {
        **item,
        "price_kind": price.get("kind"),
        "note": item["note"] and item["note"]["message"],
        "no_price_because": item["lack"] and item["lack"]["message"],
        **{name: price.get(name) or None for name in ("supplier", "source", "quoted_on", "valid_until")},
    }
    return [cells[name] for name in CSV_COLUMNS[3:]]


WRITERS: dict[str, tuple[str, Callable[[Document], bytes]]] = {
    "json": ("application/json", as_json),
    "csv": ("text/csv", as_csv),
    "md": ("text/markdown", as_markdown),
    "xlsx": ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", as_xlsx),
}
