"""The six figures beneath a verdict, each with where it comes from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from planner.core.figures import NBSP, count, percent, short, span, with_unit
from planner.setup import Setup

PER_USER = "output_tokens_per_s_per_user"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A hero figure: value and unit, where it comes from, the line beneath it.

    `anchor` is the id of what shows how it comes about: a term of the working, or a card; `missed` says that it lies
    beyond its target.
    """

    name: str
    value: str
    unit: str
    kind: str
    sub: str
    anchor: str = ""
    missed: bool = False


def term_anchor(term: str) -> str:
    """The id of a term in the working."""
    return "term-" + term.replace(".", "-").replace("_", "-")


def figures(answer: Mapping[str, Any], request: Mapping[str, Any], setup: Setup) -> list[Figure]:
    """The six defining figures, in a fixed order; those of memory where there is no speed to tell."""
    room = _room(answer, request, setup)
    if answer["speed"]:
        return [*_speed_figures(answer), room, _bandwidth_use(answer["speed"])]
    return [*_memory_figures(answer["memory"], setup), room] if answer["memory"] else []


def _speed_figures(answer: Mapping[str, Any]) -> list[Figure]:
    speed, interval = answer["speed"], answer["speed"]["interval"]
    targets = {item["name"]: item for item in answer.get("targets") or []}
    ttft, _space, ttft_unit = seconds(speed["ttft_ms"]).partition(NBSP)
    rows = (
        (_("TPOT"), "tpot_ms", short(speed["tpot_ms"]), "ms", _span(interval["tpot_ms"]), ""),
        (_("TTFT"), "ttft_ms", ttft, ttft_unit, _("mean"), _("queueing included")),
        (
            _("Throughput"),
            "output_tokens_per_s",
            short(speed["output_tokens_per_s"]),
            "tok/s",
            _span(interval["output_tokens_per_s"]),
            "",
        ),
        (
            _("Per user"),
            PER_USER,
            short(speed["output_tokens_per_s_per_user"]),
            "tok/s",
            "",
            _("while it decodes"),
        ),
    )
    return [
        Figure(
            name=name,
            value=value,
            unit=unit,
            kind=speed["provenance"],
            sub=_(", ").join(part for part in (sub, _limit(targets.get(term)) or otherwise) if part),
            # a user's speed is the time per token turned over
            anchor=term_anchor("tpot_ms" if term == PER_USER else term),
            missed=targets.get(term, {}).get("met") is False,
        )
        for name, term, value, unit, sub, otherwise in rows
    ]


def _limit(target: Mapping[str, Any] | None) -> str:
    """The limit as the line beneath a figure has it; its unit is that of the value."""
    if target is None:
        return ""
    limit = target["limit"]
    return _("limit %s") % (seconds(limit) if target["name"] == "ttft_ms" else short(limit))


def _span(interval: Sequence[float] | None) -> str:
    return span(*interval) if interval else ""


def _memory_figures(memory: Mapping[str, Any], setup: Setup) -> list[Figure]:
    sizes, per_token = memory["per_accelerator"], memory["kv_bytes_per_token"]
    rows = (
        (_memory_name(setup), "total_gib", sizes["total_gib"], "GiB", setup.each),
        (_("Budget"), "budget_gib", sizes["budget_gib"], "GiB", _("up to the utilization line")),
        (_("Weights"), "weights_gib", sizes["weights_gib"], "GiB", setup.each),
        (
            _("KV per token"),
            "kv_bytes_per_token",
            None if per_token is None else per_token / 1024,
            "KiB",
            setup.each,
        ),
        (_("KV cache"), "kv_cache_gib", sizes["kv_cache_gib"], "GiB", _("what is left for it")),
    )
    return [
        Figure(
            name=name,
            value=short(value),
            unit="" if value is None else unit,
            kind="" if value is None else "computed",
            sub=sub,
            anchor="" if value is None else term_anchor(term),
        )
        for name, term, value, unit, sub in rows
    ]


def _memory_name(setup: Setup) -> str:
    # Chinese has a word of its own for the memory of a card
    return pgettext("main memory", "Memory") if setup.main_memory else _("Memory")


def _room(answer: Mapping[str, Any], request: Mapping[str, Any], setup: Setup) -> Figure:
    memory = answer["memory"] or {}
    room, tokens = memory.get("max_concurrency"), memory.get("kv_cache_tokens")
    if room is None:
        return Figure(name=_("KV room"), value=short(None), unit="", kind="", sub=_("needs a card"))
    replicas = request.get("parallelism", {}).get("data", 1)
    sub = _("full requests of %(length)s; %(tokens)s tokens") % {
        "length": count(setup.max_model_len),
        "tokens": count(tokens),
    }
    return Figure(
        name=_("KV room"),
        value=short(room * replicas),
        unit="×",
        kind="computed",
        sub=sub,
        anchor=term_anchor("kv_cache_tokens"),
    )


def _bandwidth_use(speed: Mapping[str, Any]) -> Figure:
    sub = _("%s-bound step") % bound_word(speed["bound"])
    return Figure(
        name="MBU",
        value=percent(speed["mbu"]),
        unit="%",
        kind=speed["provenance"],
        sub=sub,
        anchor=term_anchor("mbu"),
    )


def seconds(milliseconds: float | None) -> str:
    """A waiting time: ms below one second, else s."""
    if milliseconds is None:
        return short(None)
    return with_unit(milliseconds, "ms") if milliseconds < 1000 else with_unit(milliseconds / 1000, "s")


def bound_word(bound: str) -> str:
    """What limits a decode step, as a word."""
    return {
        "memory": _("memory"),
        "compute": _("compute"),
        "interconnect": _("interconnect"),
        "host": _("host"),
    }.get(bound, bound)
