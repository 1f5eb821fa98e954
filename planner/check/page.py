"""Everything that the page of the command check shows for one pasted command."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from planner import pictures
from planner.answers.command_checks import answer
from planner.answers.estimates import is_problem
from planner.charts import Bar
from planner.check.form import Pasted
from planner.core.parse import parse_request
from planner.core.request import EstimateRequest
from planner.core.specs import Catalog
from planner.plan.form import plan_of_request
from planner.plan.startup_lines import startup_lines
from planner.presentation import ICON_OF_STATE
from planner.setup import ENGINE_NAMES, Setup, setup_of

STATES = {
    "present": "ok",
    "beyond": "off",
    "before": "off",
    "unknown_between": "off",
    "removed": "crit",
    "not_yet": "crit",
    "unknown": "crit",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One problem: what is at fault, why, and the mended piece. `leave_out`: the mend is to take it away."""

    state: str
    icon: str
    flag: str
    message: str
    fix: str
    leave_out: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagRow:
    """One flag explained."""

    name: str
    typed: str
    value: str
    about: str
    state: str
    icon: str
    standing: str
    versions: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of the pasted command; `state` where it is at fault."""

    text: str
    state: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckPage:
    """The context of templates/planner/check.html and its parts. `errors`: inputs that cannot be read."""

    title: str
    pasted: Pasted
    errors: Mapping[str, str]
    state: str = "off"
    icon: str = "i-off"
    headline: str = ""
    sentence: str = ""
    problems: Sequence[Row] = ()
    pieces: Sequence[Piece] = ()
    mended: str = ""
    flags: Sequence[FlagRow] = ()
    memory: Bar | None = None
    memory_sentence: str = ""
    startup: Sequence[str] = ()
    engine: str = ""
    driver: str = ""
    plan_query: str = ""
    link: str = ""
    basis: Mapping[str, Any] | None = None


def check_page(pasted: Pasted, *, catalog: Catalog) -> CheckPage:
    """Ask the core and put its answer into words and pictures."""
    found = answer([pasted.request()], catalog=catalog)[0]
    title = _("Is this launch command right?")
    if is_problem(found):
        errors = {(item["field"] or "command"): item["message"] for item in found["errors"]}
        return CheckPage(
            title=title, pasted=pasted, errors=errors, headline=_("This cannot be checked yet."), pieces=()
        )
    parsed = parse_request(found["read"], catalog) if found["read"] else None
    setup = setup_of(parsed) if isinstance(parsed, EstimateRequest) else None
    estimate = found["estimate"]
    sized = estimate is not None and setup is not None and bool(estimate["memory"])
    memory = (
        pictures.memory_bar(estimate, setup, found["read"]["settings"]["gpu_memory_utilization"])
        if sized and setup is not None and setup.card
        else None
    )
    problems = [_row(item) for item in found["problems"]]
    state = "crit" if not found["valid"] else "warn" if problems else "ok"
    return CheckPage(
        title=title,
        pasted=pasted,
        errors={},
        state=state,
        icon=ICON_OF_STATE[state],
        headline=_headline(found),
        sentence=_sentence(found, setup),
        problems=problems,
        pieces=_pieces(pasted.values["q"], found["problems"]),
        mended=found["mended_command"] or "",
        flags=[_flag_row(item) for item in found["flags"]],
        memory=memory,
        memory_sentence=pictures.memory_sentence(estimate, None, setup) if memory and setup else "",
        startup=_startup(estimate, setup) if estimate and setup and setup.card else (),
        engine=_engine_name(found),
        driver=_driver(found),
        plan_query=_plan_query(found),
        link="" if _has_secret(found) or pasted.is_example else pasted.query(),
        basis=estimate["basis"] if estimate else None,
    )


def _headline(found: Mapping[str, Any]) -> str:
    errors = [item for item in found["problems"] if item["severity"] == "error"]
    if found["engine"] is None:
        return _("No launch command was found here.")
    if errors:
        return ngettext(
            "Would not start: %(count)s thing is wrong.",
            "Would not start: %(count)s things are wrong.",
            len(errors),
        ) % {"count": len(errors)}
    risks = len(found["problems"])
    if risks:
        return ngettext(
            "Should start; %(count)s thing to know.", "Should start; %(count)s things to know.", risks
        ) % {"count": risks}
    return _("Should start as it stands.")


def _engine_name(found: Mapping[str, Any]) -> str:
    engine = found["engine"]
    return f"{ENGINE_NAMES.get(engine['name'], engine['name'])} {engine['version']}" if engine else ""


def _driver(found: Mapping[str, Any]) -> str:
    engine = found["engine"]
    if engine is None or engine["driver"] is None:
        return ""
    return _("Its published builds are made with CUDA %(cuda)s: NVIDIA driver %(driver)s or newer.") % engine


def _sentence(found: Mapping[str, Any], setup: Setup | None) -> str:
    """What it was held against, and how well that version is known."""
    engine = found["engine"]
    if engine is None:
        return ""
    name = _engine_name(found)
    if not engine["version_stated"]:
        said = _("No version is named, so it was held against the newest one known, %s.") % name
    elif engine["verified"]:
        said = _("Held against %s, whose flags were read one by one.") % name
    elif engine["standing"] == "line":
        said = _("Held against the source of the line of %s; its exact release is not known.") % name
    else:
        said = _("Held against what is known around %s: that version itself was not read.") % name
    if setup is None or not setup.card:
        return said + " " + _("Name model and accelerator to learn whether it fits.")
    verdict = found["estimate"]["verdict"] if found["estimate"] else "unknown"
    words = {
        "fits": _("%(model)s fits on %(cards)s."),
        "does_not_fit": _("%(model)s does not start on %(cards)s as asked."),
    }
    if verdict in words:
        said += " " + words[verdict] % {"model": setup.model, "cards": setup.cards}
    return said


def _row(item: Mapping[str, Any]) -> Row:
    state = "crit" if item["severity"] == "error" else "warn"
    return Row(
        state=state,
        icon=ICON_OF_STATE[state],
        flag=item["flag"] or "",
        message=item["message"],
        fix=item["fix"] or "",
        leave_out=item["fix"] == "",
    )


def _flag_row(item: Mapping[str, Any]) -> FlagRow:
    state = STATES[item["status"]]
    standing = {
        "present": _("there"),
        "removed": _("gone"),
        "not_yet": _("not yet there"),
        "unknown": _("unknown"),
    }.get(item["status"], _("not verified"))
    parts = []
    if item["since"]:
        parts.append(_("from %s") % item["since"])
    if item["until"]:
        parts.append(_("to %s") % item["until"])
    name = item["flag"] or item["typed"]
    return FlagRow(
        name=name,
        typed=item["typed"] if item["typed"] != name else "",
        value=item["value"] or "",
        about=item["about"] or "",
        state=state,
        icon=ICON_OF_STATE[state],
        standing=standing,
        versions=" ".join(parts),
    )


def _pieces(text: str, problems: Sequence[Mapping[str, Any]]) -> list[Piece]:
    """The command with what is at fault marked, where it can be found in the text."""
    states: dict[str, str] = {}
    for item in problems:
        flag = item["flag"]
        if flag and flag in text:
            states.setdefault(flag, "crit" if item["severity"] == "error" else "warn")
    if not states:
        return [Piece(text=text)]
    names = sorted(states, key=len, reverse=True)
    pattern = re.compile("(" + "|".join(rf"(?<![\w-]){re.escape(name)}(?![\w-])" for name in names) + ")")
    return [Piece(text=part, state=states.get(part, "")) for part in pattern.split(text) if part]


def _startup(estimate: Mapping[str, Any], setup: Setup) -> Sequence[str]:
    if not estimate["startup_log"] or estimate["verdict"] != "fits":
        return ()
    return startup_lines(
        setup.engine_name,
        setup.engine_version,
        estimate["startup_log"],
        max_model_len=setup.max_model_len,
        block_size=setup.block_size,
    )


def _plan_query(found: Mapping[str, Any]) -> str:
    plan = plan_of_request(found["read"]) if found["read"] and found["read"]["model"] else None
    return plan.query() if plan is not None else ""


def _has_secret(found: Mapping[str, Any]) -> bool:
    """Whether a link would carry a key: into histories, logs and chats."""
    return any(item["code"].startswith("secret_") for item in found["problems"])
