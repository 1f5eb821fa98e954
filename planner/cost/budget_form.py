"""The form of a budget: its ends, model, load and targets. Its address is its state, with the keys of a plan and a search."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from planner.form_inputs import Input, counts, put, read_input, typed
from planner.plan.form import BY_KEY, Plan
from planner.recommend.form import ANY_ENGINE, ANYWHERE, SHARED, WIDTHS

# The worked example: a model that needs such a budget, and a team that uses it
EXAMPLE = {"m": "Qwen/Qwen3-32B", "u": "64", "tpot": "50", "ttft": "2000"}
SORTS = ("", "tokens", "purchase", "yearly", "load", "full")  # the first: users at once
# Keys are part of saved links: never rename one, never give one another meaning.
OWN = (
    Input(key="lo", path="budget.low", default="200000", kind="number"),
    Input(key="hi", path="budget.high", default="300000", kind="number"),
    Input(key="cur", path="budget.currency", default="CNY"),
    Input(key="ps", path="price_source"),  # blank: what suppliers quoted
    Input(key="w", path="weights", default="8-bit"),
    Input(key="e", path="engine.name", default="vllm"),
    Input(key="place", path="place", default="server"),
    Input(key="max", path="max_count", default="8", kind="number"),
    Input(key="busy_hours_per_day", path="hours_per_day", kind="number", used_when=("by", "")),
    Input(key="sort", kind="switch", options=SORTS),
)
INPUTS = (
    *(replace(BY_KEY[key], default=EXAMPLE.get(key, BY_KEY[key].default)) for key in SHARED),
    *OWN,
)
KEY_OF_PATH = {item.path: item.key for item in INPUTS if item.path} | {
    "budget": "hi",
    "model": "m",
    "engine": "e",
    "workload": "u",
    "targets": "tpot",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetForm:
    """What stands in the form, as text."""

    values: Mapping[str, str]

    def question(self) -> dict[str, Any]:
        """The form as a question about a budget. Blank fields are left to its defaults."""
        asked: dict[str, Any] = {"budget": {}}
        for item in INPUTS:
            value = typed(item, self.values[item.key]) if item.path and counts(item, self.values) else None
            if value is not None:
                put(asked, item.path, value)
        if asked.get("weights") in WIDTHS:
            asked["weights"] = WIDTHS[asked["weights"]]
        if asked.get("engine", {}).get("name", ANY_ENGINE) == ANY_ENGINE:
            asked.pop("engine", None)
        if asked.get("place") == ANYWHERE:
            del asked["place"]
        return asked

    def query(self, changes: Mapping[str, str] | None = None) -> str:
        """The address of this question, or of one with `changes`: only what counts and differs from the example."""
        values = {**self.values, **{key: text for key, text in (changes or {}).items() if key in self.values}}
        return urlencode(
            [
                (item.key, values[item.key])
                for item in INPUTS
                if values[item.key] != item.default and (item.kind == "switch" or counts(item, values))
            ]
        )


def read_budget(given: Mapping[str, str]) -> BudgetForm:
    """The question that an address holds. A key that is absent has its default, a blank one is blank."""
    return BudgetForm(values={item.key: read_input(item, given) for item in INPUTS})


def query_for_plan(plan: Plan, *, price_source: str = "") -> str:
    """The address that asks what a budget buys for the model, load and targets of a plan."""
    kept = {key: plan.values[key] for key in SHARED}
    return read_budget({}).query({**kept, "ps": price_source})


def key_of(path: str | None) -> str:
    """Which input a problem belongs to; the nearest one when the path goes deeper than the form."""
    while path:
        if path in KEY_OF_PATH:
            return KEY_OF_PATH[path]
        path = path.rpartition("[" if path.endswith("]") else ".")[0]
    return "hi"
