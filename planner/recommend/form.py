"""The form of a search: short keys in the address, shared with the plan's where they mean the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict

from planner.core.outcome import Problem
from planner.form_inputs import MAX_TYPED_CHARS, Input, counts, number, put, read_input, typed
from planner.plan.form import BY_KEY, unpack_config

# Choices of weights that stand for several schemes, each engine's names among them; None is as published.
WIDTHS: dict[str, list[str | None]] = {
    "published": [None],
    "16-bit": ["bf16", "fp16", "gguf-bf16"],
    "8-bit": ["bf16", "fp16", "gguf-bf16", "fp8", "int8-w8a8", "gptq-int8", "gguf-q8_0"],
}
ANYWHERE = ANY_ENGINE = "any"
# Weights and place are open here, where the plan has to name one, and the engine can be.
OWN = (
    Input(key="w", path="weights"),
    Input(key="kv", path="kv_cache_dtype"),
    Input(key="e", path="engine.name", default="vllm"),
    Input(key="v", path="engine.version"),
    Input(key="place", path="constraints.place", default="server"),
    Input(key="max", path="constraints.max_count", default="8", kind="number"),
    Input(key="pw", path="constraints.power_w", kind="number"),
    Input(key="bud", path="constraints.budget", kind="number"),
    Input(key="cur", path="constraints.currency"),  # blank: the team's
    Input(key="ps", path="constraints.price_source"),  # blank: what suppliers quoted
    Input(key="ecc", path="constraints.ecc", kind="flag"),
    Input(key="obj", path="objective", default="balanced"),
)
SHARED = (
    *("m", "d", "i", "o", "i50", "i90", "i99", "o50", "o90", "o99"),
    *("by", "u", "day", "peak", "tpot", "ttft", "tps"),
)
EXAMPLE_TARGETS = {"tpot": "50", "ttft": "2000"}
# How the answer is shown; nothing of it is asked of the search.
SHOWN = (
    Input(
        key="sort",
        kind="switch",
        options=("", "tpot", "ttft", "all", "card", "load", "power", "cost", "value", "kv"),
    ),
    Input(key="diff", kind="flag"),
    Input(key="hide"),  # columns of the list that are left out, by their keys, with dots between
)
INPUTS = (
    *(replace(BY_KEY[key], default=EXAMPLE_TARGETS.get(key, BY_KEY[key].default)) for key in SHARED),
    *OWN,
    *SHOWN,
)
INPUT_OF_KEY = {item.key: item for item in INPUTS}
# Lists: checked vendors and classes; rows of accelerators that one owns, and of prices that one pays.
VENDORS, CLASSES = "ven", "cls"
OWNED, OWNED_COUNT, PRICED, PRICE = "oa", "on", "pa", "pn"
LISTS = (VENDORS, CLASSES, OWNED, OWNED_COUNT, PRICED, PRICE)
MAX_ROWS = 12
SHOWN_OPTIONS = 12
KEY_OF_PATH = {item.path: item.key for item in INPUTS if item.path} | {
    "model": "m",
    "model.config": "c",
    "engine": "e",
    "workload": "u",
    "targets": "tpot",
    "constraints": "max",
    "constraints.vendors": VENDORS,
    "constraints.classes": CLASSES,
    "constraints.owned": OWNED,
    "constraints.prices": PRICED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What stands in the form, as text, and the config.json that replaces the model where one was pasted."""

    values: Mapping[str, str]
    lists: Mapping[str, Sequence[str]]
    packed_config: str = ""
    config: Mapping[str, Any] | None = None
    problems: tuple[Problem, ...] = field(default=())
    team_currency: str = "USD"

    def request(self) -> dict[str, Any]:
        """The search as a question of the contract. Blank fields are left to its defaults."""
        asked: dict[str, Any] = {"limit": SHOWN_OPTIONS}
        for item in INPUTS:
            value = typed(item, self.values[item.key]) if item.path and counts(item, self.values) else None
            if value is not None:
                put(asked, item.path, value)
        _settle(asked, self)
        return asked

    def rows(self, names: str, numbers: str) -> list[tuple[str, str]]:
        """The rows of a list of accelerators with a number each."""
        return list(zip(self.lists[names], self.lists[numbers], strict=True))

    def changed(self, changes: Mapping[str, str]) -> "Search":
        """The same search with other texts in some inputs."""
        return replace(self, values={**self.values, **changes})

    def without(self, *keys: str) -> "Search":
        """The same search with some lists empty."""
        return replace(self, lists={key: () if key in keys else rows for key, rows in self.lists.items()})

    def without_config(self) -> "Search":
        """The same search for a model of the catalog."""
        return replace(self, packed_config="", config=None, problems=())

    def query(self, changes: Mapping[str, str] | None = None) -> str:
        """The address of this search, or of one with `changes`: only what counts and differs from the example."""
        known = {key: text for key, text in (changes or {}).items() if key in self.values}
        values = {**self.values, **known}
        pairs = [
            (item.key, values[item.key])
            for item in INPUTS
            if values[item.key] != item.default and (item.kind == "switch" or counts(item, values))
        ]
        if self.packed_config:
            pairs = [("c", self.packed_config), *((key, text) for key, text in pairs if key != "m")]
        return urlencode([*pairs, *((key, text) for key in LISTS for text in self.lists[key])])


def read_search(given: QueryDict, *, team_currency: str = "USD") -> Search:
    """The search that an address holds. A key that is absent has its default, a blank one is blank."""
    values = {item.key: read_input(item, given) for item in INPUTS}
    search = Search(values=values, lists=_lists(given), team_currency=team_currency)
    packed = given.get("c", "")
    if not packed:
        return search
    config = unpack_config(packed)
    if isinstance(config, Problem):
        return replace(search, packed_config=packed, problems=(config,))
    return replace(search, packed_config=packed, config=config)


def key_of(path: str | None) -> str | None:
    """Which input a problem belongs to; the nearest one when the path goes deeper than the form."""
    while path:
        if path in KEY_OF_PATH:
            return KEY_OF_PATH[path]
        path = path.rpartition("[" if path.endswith("]") else ".")[0]
    return None


def _lists(given: QueryDict) -> dict[str, list[str]]:
    lists = {
        key: [text.strip()[:MAX_TYPED_CHARS] for text in given.getlist(key)][: 4 * MAX_ROWS] for key in LISTS
    }
    for names, numbers in ((OWNED, OWNED_COUNT), (PRICED, PRICE)):
        rows = [
            (name, lists[numbers][index] if index < len(lists[numbers]) else "")
            for index, name in enumerate(lists[names])
        ]
        kept = [row for row in rows if any(row)][:MAX_ROWS]
        lists[names], lists[numbers] = [name for name, _ in kept], [number for _, number in kept]
    for key in (VENDORS, CLASSES):
        lists[key] = sorted({text for text in lists[key] if text})
    return lists


def _settle(asked: dict[str, Any], search: Search) -> None:
    """What is more than one text: lists, words that mean nothing is asked, the currency of what is typed."""
    if asked.get("weights") in WIDTHS:
        asked["weights"] = WIDTHS[asked["weights"]]
    if asked.get("engine", {}).get("name", ANY_ENGINE) == ANY_ENGINE:
        asked.pop("engine", None)  # a version of no engine
    limits = asked.setdefault("constraints", {})
    if limits.get("place") == ANYWHERE:
        del limits["place"]
    for key, name in ((VENDORS, "vendors"), (CLASSES, "classes")):
        if search.lists[key]:
            limits[name] = list(search.lists[key])
    owned, prices = _numbers(search.rows(OWNED, OWNED_COUNT), "1"), _numbers(search.rows(PRICED, PRICE), "")
    if owned:
        limits["owned"] = owned
    if prices:
        limits["prices"] = prices
    if prices or "budget" in limits:
        limits.setdefault("currency", search.team_currency)
    if search.packed_config:
        asked["model"] = {"config": search.config if search.config is not None else {}}


def _numbers(rows: Sequence[tuple[str, str]], blank: str) -> dict[str, Any]:
    """Rows as an object. A row without a number has `blank`, or does not count where that is blank too."""
    found = {name: number(text or blank) if text or blank else None for name, text in rows if name}
    return {name: value for name, value in found.items() if value is not None}
