"""The form of a cost: the keys of a plan, and beside them prices, rent and assumptions. Its address is its state."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from planner.core.cost.assumptions import ASSUMPTIONS
from planner.form_inputs import Input, put, read_input, typed
from planner.plan import form as plan_form
from planner.plan.form import Plan, read_plan

MONTH = "month"
# Keys are part of saved links: never rename one, never give one another meaning. `cur` and `ps` are those of a search.
OWN = (
    Input(key="cur", path="currency"),  # blank: the team's
    Input(key="ps", path="price_source"),  # blank: what suppliers quoted
    Input(key="cp", path="purchase.unit_price", kind="number"),
    Input(key="plat", path="bill.platform"),
    Input(key="platp", path="purchase.platform_price", kind="number"),
    Input(key="spare", path="bill.spares", kind="number"),
    Input(key="rent", path="rent.price_per_hour", kind="number"),
    Input(key="per", kind="switch", options=("", MONTH)),  # what the rent is for: an hour | a month
    Input(key="rh", path="rent.hours_per_day", kind="number"),
    *(Input(key=item.name, path=f"assumptions.{item.name}", kind="number") for item in ASSUMPTIONS),
)
KEY_OF_PATH = {item.path: item.key for item in OWN if item.path} | {
    "rent.price_per_month": "rent",
    "rent": "rent",
    "bill": "plat",
    "load": "busy_hours_per_day",
}
# Inputs of a plan that this form shows; the others stay in the address.
SHOWN = frozenset(
    [
        *("m", "w", "a", "n", "tp", "dp", "e", "d", "by", "i", "o", "u", "day", "peak"),
        *("i50", "i90", "i99", "o50", "o90", "o99"),
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CostForm:
    """What stands in the form, as text."""

    plan: Plan
    values: Mapping[str, str]

    def question(self) -> dict[str, Any]:
        """The form as a question of the cost contract."""
        asked: dict[str, Any] = {"request": self.plan.request()}
        for item in OWN:
            value = typed(item, self.values[item.key])
            if value is not None:
                put(asked, item.path, value)
        rent = asked.get("rent", {})
        if self.values["per"] == MONTH and "price_per_hour" in rent:
            rent["price_per_month"] = rent.pop("price_per_hour")
        return asked

    def query(self, changes: Mapping[str, str] | None = None) -> str:
        """The address of this question, or of one with `changes`: only what differs from the worked example."""
        values = {**self.values, **(changes or {})}
        own = [(item.key, values[item.key]) for item in OWN if values[item.key]]
        return "&".join(part for part in (self.plan.query(changes), urlencode(own)) if part)

    @property
    def all_values(self) -> dict[str, str]:
        """The text of every input."""
        return {**self.plan.values, **self.values}

    @property
    def carried(self) -> list[tuple[str, str]]:
        """Inputs of the plan that are not shown and are not as in the worked example: key and text."""
        kept = [
            (item.key, self.plan.values[item.key])
            for item in plan_form.INPUTS
            if item.key not in SHOWN and self.plan.values[item.key] != item.default
        ]
        return [("c", self.plan.packed_config), *kept] if self.plan.packed_config else kept


def read_form(given: Mapping[str, str]) -> CostForm:
    """The question that an address holds."""
    return CostForm(plan=read_plan(given), values={item.key: read_input(item, given) for item in OWN})


def key_of(path: str | None) -> str:
    """Which input a problem belongs to; the nearest one when the path goes deeper than the form."""
    if path and path.startswith("request."):
        return plan_form.key_of(path.removeprefix("request.")) or "m"
    nearest = path
    while nearest:
        if nearest in KEY_OF_PATH:
            return KEY_OF_PATH[nearest]
        nearest = nearest.rpartition(".")[0]
    return plan_form.key_of(path) or "m"
