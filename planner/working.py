"""Show the working: each figure with its formula, the numbers put in, the source and how far to trust it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from planner.core.figures import NBSP, short

# A term that is not here is shown by its code.
TITLES: dict[str, Any] = {
    "kv_bytes_per_token": _("KV bytes per token"),
}
SPEED_TERMS = frozenset({"decode_step_ms", "tpot_ms", "ttft_ms", "mbu"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One term: `inputs` are name and value as text."""

    id: str
    title: str
    result: str
    formula: str
    inputs: Sequence[tuple[str, str]]
    source: str
    kind: str


def steps(answer: Mapping[str, Any]) -> list[Step]:
    """The terms of an answer in the order in which the core gives them."""
    return [_step(term) for term in answer["explain"]]


def _step(term: Mapping[str, Any]) -> Step:
    code = term["term"]
    return Step(
        id=code.replace(".", "-").replace("_", "-"),
        title=str(TITLES.get(code, code.replace("_", " "))),
        result=plain(term["result"])
        + (f"{NBSP}{term['unit']}" if term["unit"] and term["result"] is not None else ""),
        formula=term["formula"],
        inputs=[(name, plain(value)) for name, value in term["values"].items()],
        source=term["source"],
        kind=term.get("kind", "computed"),
    )


def plain(value: Any) -> str:
    """A value of the working: more digits than elsewhere, so that the sum can be done again by hand."""
    if value is None:
        return short(None)
    if isinstance(value, (bool, str)):
        return str(value)
    if isinstance(value, float):
        return f"{value:,.0f}" if value.is_integer() or abs(value) >= 1e5 else f"{value:,.5g}"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {plain(item)}" for name, item in value.items())
    return ", ".join(plain(item) for item in value)
