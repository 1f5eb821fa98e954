"""The pictures of a plan, out of one answer: step bar, memory bar, roofline, latency against throughput."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from planner.charts import Bar, Part, bar
from planner.core.figures import NBSP, count, percent, short, span, with_unit
from planner.core.geometry import nice_ceiling
from planner.core.request import Workload
from planner.presentation import missing_gib
from planner.setup import Setup

RULER_STEPS = 6


def step_bar(answer: Mapping[str, Any]) -> Bar | None:
    """What one token costs, part by part; None where speed is not known."""
    step, speed = answer["step"], answer["speed"]
    if not step or not speed:
        return None
    parts = [
        Part(
            series="weights",
            value=step["weights_ms"],
            name=_("Weights read"),
            label=_("Weights"),
            note=_("bytes ÷ bandwidth"),
        ),
        Part(
            series="kv",
            value=step["kv_ms"],
            name=_("KV read"),
            label="KV",
            note=_("grows with users × context"),
        ),
        Part(
            series="compute",
            value=step["prefill_ms"],
            name=_("Prefill share"),
            label=_("Prefill"),
            note=_("prompts of the other users"),
        ),
        Part(
            series="link",
            value=step["interconnect_ms"],
            name=_("Interconnect"),
            note=_("grows with layers × cards")
            if step["interconnect_ms"]
            else _("no other card to wait for"),
        ),
        Part(
            series="host",
            value=step["host_ms"],
            name=_("Host overhead"),
            label=_("Host"),
            note=_("grows with layers"),
        ),
    ]
    total = speed["tpot_ms"]
    interval = speed["interval"]["tpot_ms"]
    target = _tpot_target(answer)
    # a target far beyond is out of the picture, so that the parts stay large enough to be read
    target = target if target is not None and target <= 2 * total else None
    end, tick = nice_ceiling(max(total, target or 0.0, *(interval or ())) * 1.02, ticks=RULER_STEPS)
    return bar(
        parts,
        unit="ms",
        end=end,
        step=tick,
        name=_("Predicted"),
        sub="",
        kind=speed["provenance"],
        total=with_unit(total, "ms"),
        total_sub=span(*interval) if interval else "",
        title=_("Predicted time per token: %s") % with_unit(total, "ms"),
        interval=interval,
        limit=target,
        limit_text=_("target %s") % short(target) if target else "",
    )


def _tpot_target(answer: Mapping[str, Any]) -> float | None:
    """The limit on the time per token, where one was asked for."""
    given = (item["limit"] for item in answer.get("targets") or [] if item["name"] == "tpot_ms")
    return next(given, None)


def step_sentence(answer: Mapping[str, Any]) -> str:
    """The answer of the step bar in a sentence: what fills it, largest part first."""
    step, total = answer["step"], answer["speed"]["tpot_ms"]
    parts = {
        _("reads weights"): step["weights_ms"],
        _("reads the KV cache"): step["kv_ms"],
        _("computes prompts of other users"): step["prefill_ms"],
        _("waits for other cards"): step["interconnect_ms"],
        _("is overhead of the host"): step["host_ms"],
    }
    largest = sorted(parts.items(), key=lambda item: -item[1])[:3]
    said = [f"{percent(value / total)}{NBSP}% {words}" for words, value in largest if value >= 0.03 * total]
    return _("Of the time per token, %s.") % _(", ").join(said)


def memory_bar(answer: Mapping[str, Any], setup: Setup, utilization: float | None = None) -> Bar | None:
    """One accelerator's memory with the line up to which the engine may fill it; None without a card.

    `utilization` is the share of it that is in force, where the set-up does not know it.
    """
    memory = answer["memory"]
    sizes = memory and memory["per_accelerator"]
    if not sizes or not sizes["total_gib"] or sizes["weights_gib"] is None:
        return None
    total, budget = sizes["total_gib"], sizes["budget_gib"]
    parts = _memory_parts(answer, sizes)
    used = sum(part.value for part in parts)
    if used < total:
        parts.append(Part(series="free", value=total - used, name=_("Free"), note=_free_note(budget, total)))
    end, tick = nice_ceiling(max(total, used), ticks=RULER_STEPS)
    missing = missing_gib(answer)
    return bar(
        parts,
        unit="GiB",
        end=end,
        step=tick,
        name=setup.each,
        sub=setup.card or "",
        kind="",
        total=with_unit(total, "GiB"),
        total_sub=_("%s short") % short(missing) if missing else _("%s free") % short(total - used),
        title=_("Memory of one %(card)s: %(total)s") % {"card": setup.card, "total": with_unit(total, "GiB")},
        limit=budget,
        limit_text=_limit_text(budget, total, utilization or setup.utilization),
        beyond=total if used > total else None,
    )


def _memory_parts(answer: Mapping[str, Any], sizes: Mapping[str, float]) -> list[Part]:
    """In the order of the look: weights, framework, activation, KV, then what lies outside the budget."""
    outside = sizes["outside_budget_gib"] or 0.0
    graphs = sizes["cuda_graph_gib"] or 0.0
    inside_graphs = 0.0 if outside else graphs
    pool = sizes["kv_cache_gib"] or 0.0
    parts = [
        Part(series="weights", value=sizes["weights_gib"], name=_("Weights")),
        Part(
            series="host",
            value=(sizes["non_torch_gib"] or 0.0) + inside_graphs,
            name=_("Framework, graphs") if inside_graphs else _("Framework"),
            label=_("Framework"),
        ),
        Part(
            series="compute",
            value=sizes["activation_gib"] or 0.0,
            name=_("Activation peak"),
            label=_("Activation"),
        ),
    ]
    if pool > 0:
        parts.append(Part(series="kv", value=pool, name=_("KV cache"), note=_tokens_note(answer["memory"])))
    if needed := _needed_gib(answer):
        parts.append(
            Part(
                series="need",
                value=needed - max(0.0, pool),
                name=_("Missing for one full request"),
                label=_("Missing"),
            )
        )
    if outside > 0:
        parts.append(
            Part(series="host", value=outside, name=_("Graphs, outside the budget"), label=_("Graphs"))
        )
    return parts


def _needed_gib(answer: Mapping[str, Any]) -> float | None:
    """KV cache that one request of max_model_len needs, where the pool is too small for it."""
    return next(
        (item["values"]["needed_gib"] for item in answer["reasons"] if "needed_gib" in item["values"]), None
    )


def _tokens_note(memory: Mapping[str, Any]) -> str:
    if memory["kv_cache_tokens"] is None or not memory["kv_bytes_per_token"]:
        return ""
    return _("%(tokens)s tokens, %(size)s each") % {
        "tokens": count(memory["kv_cache_tokens"]),
        "size": with_unit(memory["kv_bytes_per_token"] / 1024, "KiB"),
    }


def _free_note(budget: float | None, total: float) -> str:
    return _("above the utilization line") if budget and budget < total else ""


def _limit_text(budget: float | None, total: float, utilization: float | None) -> str:
    if budget is None:
        return ""
    # not every engine takes its share of the whole memory
    if utilization is None or abs(utilization * total - budget) > 0.01 * total:
        return _("budget %s") % short(budget)
    return _("utilization %(share)s = %(size)s") % {"share": f"{utilization:.2f}", "size": short(budget)}


def memory_sentence(answer: Mapping[str, Any], workload: Workload | None, setup: Setup) -> str:
    """What the memory bar means: how many full requests the pool holds."""
    memory = answer["memory"]
    if memory["kv_cache_tokens"] is None:
        return ""
    if memory["kv_cache_tokens"] <= 0:
        return _("Weights and overhead leave no room for a KV cache.")
    held = _("The KV cache holds %(tokens)s tokens: %(room)s requests of the full %(length)s.") % {
        "tokens": count(memory["kv_cache_tokens"]),
        "room": short(memory["max_concurrency"]),
        "length": count(setup.max_model_len),
    } + _windows_note(answer, workload)
    interval = memory["interval"]["kv_cache_gib"]
    if not interval or interval[0] == interval[1]:
        return held
    left = _("Four of five such starts leave %s GiB for it.") % span(*(max(0.0, end) for end in interval))
    return f"{held} {left}"


def _windows_note(answer: Mapping[str, Any], workload: Workload | None) -> str:
    """Why more run than the pool seems to hold: engines count the peak of a request, before windows cut it."""
    speed = answer["speed"]
    if not speed or workload is None:
        return ""
    context = workload.input_tokens + workload.output_tokens / 2
    if speed["running"] * context <= 1.1 * answer["memory"]["kv_cache_tokens"]:
        return ""
    return " " + _(
        "That counts each at its peak, while its prompt is read; later, layers with a window keep less, so more run."
    )
