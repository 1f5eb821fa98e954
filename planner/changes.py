"""The smallest changes that would mend a plan: each is tried, and only what really helps is offered."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from planner import estimates
from planner.core.figures import count, short, with_unit
from planner.core.request import EstimateRequest
from planner.core.specs import Catalog
from planner.forms import Plan
from planner.presentation import running_users, spare_gib, users

QUANTIZED = ("fp8", "awq-int4")
# Weights of nearly the same size, such as int4 for mxfp4, are no way out.
SMALLER = 0.9
GGUF = ("gguf-q8_0", "gguf-q4_k_m")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change of the plan, in words, with what it brings and the address of the changed plan."""

    name: str
    state: str  # ok when every user decodes at once, warn when only more of them do
    gain: str
    detail: str
    link: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    name: str
    keys: Mapping[str, str]


def helpful_changes(
    plan: Plan,
    answer: Mapping[str, Any],
    request: Mapping[str, Any],
    parsed: EstimateRequest,
    catalog: Catalog,
) -> list[Change]:
    """Changes that make the plan fit, or let all its users decode at once. Cheapest for the team first.

    Empty when nothing is wrong, or when memory is not what is wrong.
    """
    if parsed.accelerator is None or _serves_all(answer, request):
        return []
    candidates = list(_candidates(parsed, request, catalog))
    changed = [plan.changed(candidate.keys) for candidate in candidates]
    requests = [item.request() for item in changed]
    answers = estimates.answer(requests, catalog=catalog)
    found: list[Change] = []
    more_cards = False
    for candidate, item, after, asked in zip(candidates, changed, answers, requests, strict=True):
        if estimates.is_problem(after) or not _better(answer, after, request, asked):
            continue
        if "n" in candidate.keys and more_cards:
            break
        more_cards = "n" in candidate.keys
        found.append(_change(candidate, item, after, asked))
    return found


def _serves_all(answer: Mapping[str, Any], request: Mapping[str, Any]) -> bool:
    if answer["verdict"] != "fits":
        return answer["verdict"] != "does_not_fit"
    return not answer["speed"] or running_users(answer, request) >= request["workload"]["concurrency"] - 0.01


def _candidates(parsed: EstimateRequest, request: Mapping[str, Any], catalog: Catalog) -> Iterator[Candidate]:
    """In the order of what they cost: a setting, precision, then another card."""
    workload, length = request.get("workload"), parsed.settings.max_model_len
    if workload:
        needed = workload["input_tokens"] + workload["output_tokens"]
        if length is None or length > 2 * needed:
            yield _length(_rounded(needed))
        if parsed.engine.name == "llama.cpp" and length is not None:
            # its cache has a fixed size, that of one context, which all requests share
            yield _length(_rounded(needed * workload["concurrency"]))
    if not parsed.kv_cache_dtype.startswith("fp8") and parsed.engine.name != "llama.cpp":
        yield Candidate(name=_("FP8 KV cache"), keys={"kv": "fp8"})
    for scheme in GGUF if parsed.engine.name == "llama.cpp" else QUANTIZED:
        if catalog.schemes[scheme].bytes_per_weight < SMALLER * parsed.scheme.bytes_per_weight:
            yield Candidate(name=_("%s weights") % scheme, keys={"w": scheme})
    for factor in (2, 4, 8):
        tensor = parsed.parallelism.tensor * factor
        if tensor <= 8:
            name = _("%(count)s cards, tensor parallel %(tensor)s") % {
                "count": parsed.count * factor,
                "tensor": tensor,
            }
            yield Candidate(name=name, keys={"n": str(parsed.count * factor), "tp": str(tensor)})


def _length(tokens: int) -> Candidate:
    return Candidate(name=_("max_model_len %s") % count(tokens), keys={"len": str(tokens)})


def _rounded(tokens: int) -> int:
    """A length with a fifth of headroom, in steps of 256."""
    return -(-(tokens * 6 // 5) // 256) * 256


def _better(
    before: Mapping[str, Any], after: Mapping[str, Any], request: Mapping[str, Any], asked: Mapping[str, Any]
) -> bool:
    if after["verdict"] != "fits":
        return False
    if before["verdict"] != "fits":
        return True
    return bool(after["speed"]) and running_users(after, asked) > 1.1 * running_users(before, request)


def _change(candidate: Candidate, plan: Plan, after: Mapping[str, Any], asked: Mapping[str, Any]) -> Change:
    speed, link = after["speed"], "?" + plan.query()
    if not speed:
        return Change(
            name=candidate.name, state="ok", gain=_("fits"), detail=_spare(spare_gib(after)), link=link
        )
    return Change(
        name=candidate.name,
        state="ok" if _serves_all(after, asked) else "warn",
        gain=_("%(running)s of %(asked)s users")
        % {"running": users(running_users(after, asked)), "asked": count(asked["workload"]["concurrency"])},
        detail=_("%(tpot)s per token, %(throughput)s tok/s in all.")
        % {"tpot": with_unit(speed["tpot_ms"], "ms"), "throughput": short(speed["output_tokens_per_s"])},
        link=link,
    )


def _spare(spare: float | None) -> str:
    return "" if spare is None else _("%s to spare per card.") % with_unit(spare, "GiB")
