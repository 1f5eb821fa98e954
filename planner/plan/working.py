"""Show the working: each figure with its formula, the numbers put in, the source and how far to trust it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from planner.core.figures import MINUS, NBSP, short
from planner.messages.working import WORKING_TEXTS
from planner.plan.figures import term_anchor

# A term that is not here is shown by its code.
TITLES: dict[str, Any] = {
    "mean_input_tokens": _("Input, mean"),
    "mean_output_tokens": _("Output, mean"),
    "requests_per_s": _("Requests per second at the peak"),
    "concurrency": _("Users at once"),
    "total_gib": _("Memory of one card"),
    "budget_gib": _("Budget of the engine"),
    "weights_gib": _("Weights"),
    "activation_gib": _("Activation peak"),
    "non_torch_gib": _("Framework"),
    "cuda_graph_gib": _("CUDA graphs"),
    "outside_budget_gib": _("Outside the budget"),
    "kv_bytes_per_token": _("KV bytes per token"),
    "kv_cache_gib": _("KV cache"),
    "kv_cache_tokens": _("KV cache, tokens"),
    "one_request_gib": _("One full request"),
    "max_concurrency": _("Full requests at once"),
    "distinct_experts": _("Experts read in one step"),
    "running": _("Users that decode at once"),
    "weights_ms": _("Weights read"),
    "kv_ms": _("KV read"),
    "prefill_ms": _("Prefill share"),
    "interconnect_ms": _("Interconnect"),
    "host_ms": _("Host overhead"),
    "decode_step_ms": _("One decode step"),
    "tpot_ms": _("TPOT"),
    "ttft_ms": _("TTFT"),
    "output_tokens_per_s": _("Throughput"),
    "output_tokens_per_s_per_user": _("Per user"),
    "mbu": _("MBU"),
}
# A unit that is not here is written alike in every language.
UNITS: dict[str, Any] = {
    "tokens": _("tokens"),
    "tokens/s": _("tokens/s"),
    "sequences": _("users"),
    "requests": _("users"),
    "requests/s": _("requests/s"),
    "experts per layer": _("experts per layer"),
}


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
        id=term_anchor(code),
        title=str(TITLES.get(code, code.replace("_", " "))),
        result=_result(term["result"], term["unit"]),
        formula=_in_words(term["formula"]),
        inputs=[(name, plain(value)) for name, value in term["values"].items()],
        source=_in_words(term["source"]),
        kind=term.get("kind", "computed"),
    )


def _in_words(text: str) -> str:
    """A formula or source in the language in force; citations stay as they are."""
    return gettext(text) if text in WORKING_TEXTS else text


def _result(value: Any, unit: str | None) -> str:
    if value is None or not unit:
        return plain(value)
    if unit == "share":
        return f"{plain(100 * value)}{NBSP}%"
    if unit in ("sequences", "requests") and value == 1:
        return f"1{NBSP}{_('user')}"
    return f"{plain(value)}{NBSP}{UNITS.get(unit, unit)}"


def plain(value: Any) -> str:
    """A value of the working: more digits than elsewhere, so that the sum can be done again by hand."""
    if value is None:
        return short(None)
    if isinstance(value, bool):
        return str(_("yes") if value else _("no"))
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        return _digits(value).replace("-", MINUS)
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {plain(item)}" for name, item in value.items())
    return ", ".join(plain(item) for item in value)


def _digits(value: float) -> str:
    whole = float(value).is_integer() or abs(value) >= 1e5
    return f"{value:,.0f}" if whole else f"{value:,.5g}"
