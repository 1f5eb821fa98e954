"""The form of "I have these cards": the plan's keys where they mean the same, and what the list of models shows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from planner.core.owned import GROUPS
from planner.form_inputs import Input, counts, positive, put, read_input, typed
from planner.plan.form import BY_KEY, KEY_OF_PATH

SHARED = (
    *("a", "n", "e", "v"),
    *("d", "i", "o", "i50", "i90", "i99", "o50", "o90", "o99"),
    *("by", "u", "day", "peak", "tpot", "ttft", "tps"),
)
SORTS = ("", "speed", "users", "context", "name")
SIZES = ("", "4", "15", "40", "150", "more")
SHOWN = (
    Input(key="q"),
    Input(key="fam"),
    Input(key="size", kind="switch", options=SIZES),
    Input(key="sort", kind="switch", options=SORTS),
    Input(key="all", kind="switch", options=("", *GROUPS)),
)
INPUTS = (*(BY_KEY[key] for key in SHARED), *SHOWN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What stands in the form, as text."""

    values: Mapping[str, str]

    def request(self, model: str) -> dict[str, Any]:
        """An estimate request for any one model: cards, engine, workload and targets are what is asked."""
        request: dict[str, Any] = {"model": {"id": model}, "settings": "derive"}
        for item in INPUTS:
            value = typed(item, self.values[item.key]) if item.path and counts(item, self.values) else None
            if value is not None:
                put(request, item.path, value)
        if positive(request.get("count")):
            request["parallelism"] = {"data": request["count"]}
        return request

    def query(self, changes: Mapping[str, str] | None = None) -> str:
        """The address of this question, or of one with `changes`: only what counts and differs from the example."""
        known = {key: text for key, text in (changes or {}).items() if key in self.values}
        values = {**self.values, **known}
        return urlencode(
            [
                (item.key, values[item.key])
                for item in INPUTS
                if values[item.key] != item.default and (item.kind == "switch" or counts(item, values))
                if not (item.kind == "switch" and values[item.key] == item.options[0])
            ]
        )


def read_asked(given: Mapping[str, str]) -> Asked:
    """The question that an address holds. A key that is absent has its default, a blank one is blank."""
    return Asked(values={item.key: read_input(item, given) for item in INPUTS})


def key_of(path: str | None) -> str:
    """Which input a problem belongs to; the cards where the form has none for it."""
    key = KEY_OF_PATH.get(path or "", "a")
    return key if key in SHARED else "a"
