"""The card with the launch commands of a plan, and what the same plan would be on the other engines."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from planner.answers import estimates
from planner.core.figures import count, with_unit
from planner.core.launch.elsewhere import DERIVE, on_engine
from planner.core.request import EstimateRequest
from planner.core.specs import Catalog
from planner.plan.form import OURS, Plan, changes_of
from planner.setup import ENGINE_NAMES

FORM_NAMES = {"shell": "Shell", "docker": "Docker", "compose": "Compose", "systemd": "systemd"}
# Notes that are about one form alone
NOTES_OF_FORM = {"unit_assumes": "systemd"}
OTHER_FORMS = ("shell", "docker")
# Settings that are an engine's own: another one starts with its defaults.
OWN_SETTINGS = ("gpu_memory_utilization", "max_num_batched_tokens", "block_size")
FLAG = re.compile(r"(?<![\w-])(--?[A-Za-z][\w.-]*)")
VERDICTS = {
    "fits": "ok",
    "does_not_fit": "crit",
    "unsupported": "off",
    "unknown": "off",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a command; flags are set apart."""

    text: str
    is_flag: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """One way to start it: the text in pieces, or why it is missing. `number` is its place among the tabs."""

    id: str
    name: str
    number: int
    pieces: Sequence[Piece]
    missing: str
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """A flag with its value, and why it is there."""

    flag: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Other:
    """The same plan on another engine: verdict, figures, commands."""

    id: str
    name: str
    state: str
    icon: str
    verdict: str
    tpot: str
    figures: str
    stored: str
    forms: Sequence[Form]
    reasons: Sequence[str]
    notes: Sequence[str]
    verified: bool
    link: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandCard:
    """The context of templates/planner/_commands.html. Without forms the plan does not start, and `others` may."""

    engine: str
    verified: bool
    forms: Sequence[Form]
    whys: Sequence[Why]
    notes: Sequence[str]
    others: Sequence[Other]


def command_card(
    plan: Plan,
    answer: Mapping[str, Any],
    request: Mapping[str, Any],
    parsed: EstimateRequest,
    catalog: Catalog,
) -> CommandCard | None:
    """Commands of an answered plan; None where there is none and no other engine has one."""
    if parsed.accelerator is None:
        return None
    commands = answer["commands"]
    others = _others(plan, request, parsed, catalog)
    if commands is None and not any(other.forms for other in others):
        return None
    return CommandCard(
        engine=_named(parsed.engine.name, parsed.engine.version),
        verified=bool(commands and commands["verified"]),
        forms=_forms(commands, FORM_NAMES, prefix="cmd") if commands else [],
        whys=[_why(flag) for flag in commands["flags"]] if commands else [],
        notes=_notes(commands, "") if commands else [],
        others=others,
    )


def _others(plan: Plan, request: Mapping[str, Any], parsed: EstimateRequest, catalog: Catalog) -> list[Other]:
    engines = [name for name in ENGINE_NAMES if name in catalog.engines and name != parsed.engine.name]
    asked = [on_engine(request, parsed, name) for name in engines]
    answers = estimates.answer(asked, catalog=catalog)
    return [
        _other(plan, name, question, answer)
        for name, question, answer in zip(engines, asked, answers, strict=True)
        if not estimates.is_problem(answer)
    ]


def _other(plan: Plan, name: str, asked: Mapping[str, Any], answer: Mapping[str, Any]) -> Other:
    commands, speed, state = answer["commands"], answer["speed"], VERDICTS[answer["verdict"]]
    return Other(
        id=name.replace(".", "").replace("-", ""),
        name=_named(name, commands["version"] if commands else ""),
        state=state,
        icon=f"i-{state}",
        verdict=_verdict(answer["verdict"]),
        tpot=with_unit(speed["tpot_ms"], "ms") if speed else "",
        figures=_figures(answer) if speed else "",
        stored=_stored(asked),
        forms=_forms(commands, OTHER_FORMS, prefix=name.replace(".", "")) if commands else [],
        reasons=[reason["message"] for reason in answer["reasons"]],
        notes=_notes(commands, "") if commands else [],
        verified=bool(commands and commands["verified"]),
        link="?" + plan.query(_changes(asked)),
    )


def _changes(asked: Mapping[str, Any]) -> dict[str, str]:
    """The form's keys for the other engine: what it does not share is left to that engine."""
    settings = asked["settings"]
    changes = {"kv": asked.get("kv_cache_dtype", "auto"), "w": asked["weights"] or "", "v": ""}
    if settings == DERIVE:
        return {**changes_of({"engine": asked["engine"]}), **changes, "s": OURS}
    blank = dict.fromkeys((*changes_of({"settings": dict.fromkeys(OWN_SETTINGS, 1)}),), "")
    return {**changes_of({"engine": asked["engine"], "settings": settings}), **changes, **blank}


def _figures(answer: Mapping[str, Any]) -> str:
    return _("%(tpot)s per token, KV cache of %(tokens)s tokens") % {
        "tpot": with_unit(answer["speed"]["tpot_ms"], "ms"),
        "tokens": count(answer["memory"]["kv_cache_tokens"]),
    }


def _stored(asked: Mapping[str, Any]) -> str:
    """How weights and cache are stored there, where the engine needs another format than the plan."""
    weights = asked["weights"] or _("as published")
    return _("Weights %(weights)s, KV cache %(cache)s") % {
        "weights": weights,
        "cache": asked.get("kv_cache_dtype", "auto"),
    }


def _verdict(code: str) -> str:
    words = {
        "fits": _("starts"),
        "does_not_fit": _("does not fit"),
        "unsupported": _("not supported"),
        "unknown": _("not known"),
    }
    return words[code]


def _forms(commands: Mapping[str, Any], names: Any, *, prefix: str) -> list[Form]:
    return [
        Form(
            id=f"{prefix}-{key}",
            name=FORM_NAMES[key],
            number=number,
            pieces=pieces(commands[key] or ""),
            missing=commands["missing"].get(key, {}).get("message", ""),
            notes=_notes(commands, key),
        )
        for number, key in enumerate(names, start=1)
    ]


def _notes(commands: Mapping[str, Any], form: str) -> list[str]:
    """What one form of a command cannot say itself; with "", what none of them can."""
    return [note["message"] for note in commands["notes"] if NOTES_OF_FORM.get(note["code"], "") == form]


def pieces(text: str) -> list[Piece]:
    """A command cut at its flags, so that they can be set apart."""
    cut = FLAG.split(text)
    return [Piece(text=part, is_flag=place % 2 == 1) for place, part in enumerate(cut) if part]


def _why(flag: Mapping[str, Any]) -> Why:
    name = flag["flag"] if flag["value"] is None else f"{flag['flag']} {flag['value']}"
    return Why(flag=name, text=flag["reason"]["message"])


def _named(engine: str, version: str) -> str:
    return f"{ENGINE_NAMES.get(engine, engine)} {version}".strip()
