"""The page of a plan's bill of materials, written out of the plan's document."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from planner.amounts import amount, exact_amount
from planner.core.figures import NBSP, count, short
from planner.plan.form import plan_of_request
from planner.plans.document import basis_text
from planner.plans.tables import Document, alternative_rows, bill_rows, power_text, total_sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One line of the bill. `kind` says whose word its price is; empty where there is none, and `whose` says why."""

    what: str
    name: str
    note: str
    quantity: str
    unit_price: str
    total: str
    kind: str
    whose: str
    source: str
    power: str
    power_total: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """Another set-up for the same load; `link` opens it on the plan page, `whose` says whose word its price is."""

    name: str
    tpot: str
    rate: str
    power: str
    purchase: str
    kind: str
    whose: str
    link: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BillPage:
    """A bill of materials, written out."""

    title: str
    sentence: str
    currency: str
    items: Sequence[Item]
    total: str
    power: str
    basis: str
    day: str
    alternatives: Sequence[Alternative]
    alternatives_day: str
    files: Sequence[tuple[str, str]]  # the ending, the address


def bill_page(found: Document) -> BillPage:
    """The page of a document."""
    bill, plan = found["bill"], found["plan"]
    return BillPage(
        title=found["title"],
        sentence=total_sentence(found),
        currency=bill["currency"],
        items=[_item(row) for row in bill_rows(found)],
        total=exact_amount(bill["total"], ""),
        power=power_text(bill["power_w"]),
        basis=basis_text(found),
        day=bill["on"],
        alternatives=[_alternative(item) for item in alternative_rows(found)],
        alternatives_day=found["alternatives"]["on"],
        files=[(ending, _address(plan, ending)) for ending in ("xlsx", "csv", "md", "json")],
    )


def _address(plan: Mapping[str, Any], ending: str) -> str:
    path = reverse("planner:plan_export", args=[plan["uid"], ending])
    return f"{path}?version={plan['version']}"


def _item(row: Mapping[str, Any]) -> Item:
    return Item(
        what=row["kind_name"],
        name=row["name"],
        note=row["note"],
        quantity=count(row["quantity"]),
        unit_price=exact_amount(row["unit_price"], ""),
        total=exact_amount(row["total"], ""),
        kind=row["price"]["kind"] if row["price"] else "",
        whose=row["whose"],
        source=row["source"],
        power=power_text(row["power_w"]),
        power_total=power_text(row["power_total_w"]),
    )


def _alternative(item: Mapping[str, Any]) -> Alternative:
    form = plan_of_request(item["request"])
    return Alternative(
        name=f"{item['count']}{NBSP}×{NBSP}{item['name']}",
        tpot=short(item["tpot_ms"]),
        rate=short(item["output_tokens_per_s"]),
        power=power_text(item["power_w"]),
        purchase=amount(item["purchase"], item["currency"]),
        kind=item["price"]["kind"] if item["price"] else "",
        whose=item["whose"],
        link=f"{reverse('planner:plan')}?{form.query()}" if form else "",
    )
