"""The document of a plan as rows and sentences, which its page and its files share."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from planner.amounts import exact_amount
from planner.core.figures import DASH, count
from planner.plans.marks import STATES, VERDICTS

Document = Mapping[str, Any]


def bill_rows(found: Document) -> list[dict[str, Any]]:
    """The lines of the bill with the keys of BILL_COLUMNS: numbers where it has numbers, else text or None."""
    return [
        {
            **item,
            "whose": item["price"]["message"] if item["price"] else item["lack"]["message"],
            "source": item["price"]["source"] if item["price"] else "",
            "power_w": _whole(item["power_w"]),
            "power_total_w": _whole(item["power_total_w"]),
            "note": item["note"]["message"] if item["note"] else "",
        }
        for item in found["bill"]["items"]
    ]


def _whole(value: float | None) -> float | None:
    """Watts as a whole number where they are one."""
    return int(value) if value is not None and float(value).is_integer() else value


def alternative_rows(found: Document) -> list[dict[str, Any]]:
    """The alternatives with the keys of ALTERNATIVE_COLUMNS."""
    return [
        {
            **item,
            "set_up": f"{item['count']} × {item['name']}",
            "power_w": _whole(item["power_w"]),
            "whose": item["price"]["message"] if item["price"] else "",
        }
        for item in found["alternatives"]["items"]
    ]


def plan_facts(found: Document) -> list[tuple[str, Any, str]]:
    """Name, value and unit of what the plan is, asks and comes to."""
    plan = found["plan"]
    own = [
        (_("Plan"), plan["name"], ""),
        (_("Version"), plan["version"], ""),
        (_("State"), str(STATES[plan["state"]][2]), ""),
        (_("Owner"), plan["owner"], ""),
        (_("Kept by"), plan["author"], ""),
        (_("Kept at"), plan["created_at"], ""),
        (_("Why"), plan["note"], ""),
        (_("Notes"), plan["notes"], ""),
    ]
    asked = [(item["name"], item["text"], "") for item in found["inputs"]]
    came = [(item["name"], _figure_value(item), item["unit"]) for item in found["figures"]]
    basis = [(_("Basis: %s") % name, value, "") for name, value in found["basis"].items()]
    return [*own, *asked, *came, *basis]


def _figure_value(item: Mapping[str, Any]) -> Any:
    """The value of a figure, a verdict in words."""
    return str(VERDICTS[item["value"]][2]) if item["key"] == "verdict" else item["value"]


def cost_rows(found: Document) -> list[tuple[str, float | None]]:
    """Terms of a year, its sum, and what tokens come to."""
    cost = found["cost"]
    tokens = cost["per_million_output_tokens"]
    return [
        *((term["name"], term["amount"]) for term in cost["yearly"]),
        (_("In a year"), cost["yearly_total"]),
        (_("A million output tokens, at this load"), tokens["at_load"]),
        (_("A million output tokens, flat out"), tokens["at_full_load"]),
    ]


def power_text(value: float | None) -> str:
    """Watts; a dash where nobody states them."""
    return DASH if value is None else count(value)


def total_sentence(found: Document) -> str:
    """What the bill adds up to, or why it does not."""
    bill = found["bill"]
    if not bill["items"]:
        return _("Nothing is ordered: the plan names no accelerator.")
    if bill["complete"]:
        values = {"total": exact_amount(bill["total"], bill["currency"]), "day": bill["on"]}
        return _("%(total)s in all, by the prices of %(day)s.") % values
    values = {
        "names": _(", ").join(bill["unpriced"]),
        "rest": exact_amount(bill["priced_total"], bill["currency"]),
    }
    return _("No total: %(names)s without a price. The rest comes to %(rest)s.") % values
