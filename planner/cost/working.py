"""Each term of a cost opened: its formula, the numbers put in, and whose word each is; and the form of assumptions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from planner.amounts import amount
from planner.core.cost.assumptions import BY_NAME, GROUPS, MONEY
from planner.core.figures import DASH, count, short
from planner.messages import word
from planner.messages.cost import ASSUMPTION_NAMES, FORMULAS, SOURCES, UNITS, VALUES
from planner.messages.cost import GROUPS as GROUP_NAMES

MONEY_VALUES = frozenset({"unit_price", "platform_price", "cards", "purchase"})
WHOLE = frozenset({"count", "kwh", "board_power_w"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One number of a formula. `kind` and `source` where it is an assumption."""

    name: str
    text: str
    kind: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Worked:
    """One term, opened."""

    id: str
    title: str
    result: str
    formula: str
    values: Sequence[Value]


@dataclass(frozen=True, slots=True, kw_only=True)
class AssumptionRow:
    """One assumption as a form has it. `placeholder` is what counts where nothing is typed."""

    key: str
    label: str
    unit: str
    value: str
    placeholder: str
    source: str
    kind: str
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AssumptionGroup:
    """Assumptions that belong together."""

    key: str
    name: str
    rows: Sequence[AssumptionRow]


def worked(cost: Mapping[str, Any]) -> list[Worked]:
    """The terms of purchase and year in their order; those that are nothing are left out."""
    used = {item["name"]: item for item in cost["assumptions"]}
    return [
        Worked(
            id=f"term-{term['item'].replace('_', '-')}",
            title=term["name"],
            result=amount(term["amount"], cost["currency"]),
            formula=_(term["formula"]) if term["formula"] in FORMULAS else term["formula"],
            values=[_value(name, value, used, cost["currency"]) for name, value in term["values"].items()],
        )
        for part in ("purchase", "yearly")
        for term in cost[part]["terms"]
        if term["amount"] != 0
    ]


def _value(name: str, value: float | None, used: Mapping[str, Any], currency: str) -> Value:
    item = used.get(name)
    if item is not None:
        text = number_text(name, value)
        unit = str(item["unit"])
        return Value(name=item["label"], text=f"{text} {unit}", kind=item["kind"], source=item["source"])
    if value is None:
        text = DASH
    elif name in MONEY_VALUES:
        text = amount(value, currency)
    else:
        text = count(value) if name in WHOLE else short(value)
    return Value(name=str(VALUES[name]), text=text)


def number_text(name: str, value: float | None) -> str:
    """An assumption as it is typed: amounts with four digits at most, the rest as they are."""
    if value is None:
        return DASH
    return f"{value:.4g}" if name in MONEY and abs(value) < 1000 else f"{value:.10g}"


def groups(
    used: Sequence[Mapping[str, Any]],
    typed: Mapping[str, str],
    errors: Mapping[str, str],
    *,
    but: frozenset[str],
) -> list[AssumptionGroup]:
    """The assumptions as groups of inputs, `but` for some that stand elsewhere."""
    rows = {
        name: [item for item in used if item["group"] == name and item["name"] not in but] for name in GROUPS
    }
    return [
        AssumptionGroup(
            key=name,
            name=str(GROUP_NAMES[name]),
            rows=[_row(item, typed.get(item["name"], ""), errors.get(item["name"], "")) for item in items],
        )
        for name, items in rows.items()
        if items
    ]


def _row(item: Mapping[str, Any], typed: str, message: str) -> AssumptionRow:
    return AssumptionRow(
        key=item["name"],
        label=item["label"],
        unit=item["unit"],
        value=typed,
        placeholder=number_text(item["name"], item["value"]) if item["by"] != "given" else "",
        source=item["source"],
        kind=item["kind"],
        message=message,
    )


def defaults_of(currency: str) -> list[dict[str, Any]]:
    """Assumptions with nothing put in: what a form shows whose question cannot be answered."""
    return [
        {
            "name": item.name,
            "label": str(ASSUMPTION_NAMES[item.name]),
            "group": item.group,
            "unit": word(UNITS, item.unit, {"currency": currency}),
            "value": None,
            "by": "given",
            "kind": item.kind,
            "source": str(SOURCES[item.name]),
        }
        for item in BY_NAME.values()
    ]
