"""What the plan page says about one answer: sentences and figures, so that its templates only loop."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from planner.core.figures import NBSP, count, short, with_unit
from planner.core.parse.workload import SECONDS_PER_DAY
from planner.plan import target_words
from planner.plan.figures import Figure, figures, seconds
from planner.plan.form import Plan, changes_of
from planner.plan.trades_card import is_trade
from planner.setup import Setup

STATE_OF_VERDICT = {"fits": "ok", "does_not_fit": "crit", "unsupported": "off", "unknown": "off"}
ICON_OF_STATE = {"ok": "i-ok", "warn": "i-warn", "crit": "i-crit", "off": "i-off"}
STATE_OF_SEVERITY = {"info": "off", "warning": "warn", "error": "crit"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """A reason or a piece of advice. `link` applies its fix."""

    state: str
    icon: str
    text: str
    link: str = ""
    link_text: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    state: str
    icon: str
    headline: str
    sentences: str
    figures: Sequence[Figure]
    reasons: Sequence[Remark]


def verdict(
    answer: Mapping[str, Any],
    request: Mapping[str, Any],
    setup: Setup,
    plan: Plan,
    *,
    room: str = "",
    more: Sequence[Figure] = (),
) -> Verdict:
    """The answer in one headline with its distance, a few sentences, the figures and the reasons.

    `room` is how many users could decode at once, where that is known; `more` are figures from elsewhere.
    """
    reasons = _each_link_once(
        [remark(reason, plan, state=_reason_state(answer)) for reason in answer["reasons"]]
    )
    state = STATE_OF_VERDICT[answer["verdict"]]
    missed = any(target["met"] is False for target in answer.get("targets") or [])
    if state == "ok" and (missed or any(reason.state == "warn" for reason in reasons)):
        state = "warn"
    return Verdict(
        state=state,
        icon=ICON_OF_STATE[state],
        headline=_headline(answer, request, setup, room),
        sentences=_sentences(answer, request, setup),
        figures=[*figures(answer, request, setup), *more],
        reasons=reasons,
    )


def refusal(answer: Mapping[str, Any], plan: Plan) -> Verdict:
    """The verdict on a model of which nothing can be computed."""
    return Verdict(
        state="off",
        icon=ICON_OF_STATE["off"],
        headline=_("Not supported: this model cannot be sized."),
        sentences="",
        figures=[],
        reasons=[remark(reason, plan, state="off") for reason in answer["reasons"]],
    )


def _reason_state(answer: Mapping[str, Any]) -> str:
    return {"does_not_fit": "crit", "fits": "warn"}.get(answer["verdict"], "off")


def _each_link_once(remarks: Sequence[Remark]) -> list[Remark]:
    """Several reasons may have the same mend: the last of them offers it."""
    last = {item.link: index for index, item in enumerate(remarks)}
    return [
        item if last[item.link] == index else replace(item, link="", link_text="")
        for index, item in enumerate(remarks)
    ]


def _headline(answer: Mapping[str, Any], request: Mapping[str, Any], setup: Setup, room: str) -> str:
    if answer["verdict"] == "does_not_fit":
        short_by = missing_gib(answer)
        if short_by is None:
            return _("Does not start.")
        return _("Does not fit: short by %s per card.") % with_unit(short_by, "GiB")
    if answer["verdict"] == "unsupported":
        return _("Not supported: this combination does not exist.")
    if answer["verdict"] == "unknown":
        return _("Cannot tell yet.")
    return _fits(answer, request, setup, room)


def _fits(answer: Mapping[str, Any], request: Mapping[str, Any], setup: Setup, room: str) -> str:
    speed, asked = answer["speed"], asked_users(answer, request)
    if not speed or asked is None:
        return _holds(answer, setup)
    if any(reason["code"] == "load_above_capacity" for reason in answer["reasons"]):
        return _("Fits, but the load is more than it serves.")
    values = {"asked": count(asked), "room": room}
    if _waiting(answer, request):
        running = users(running_users(answer, request))
        return _("Fits, but only %(running)s of %(asked)s users decode at once.") % {
            **values,
            "running": running,
        }
    if targets := target_words.judged(answer):
        return target_words.headline(targets)
    # Not ngettext: where a language has one form, it names the users, and gettext's tools refuse a name that the
    # singular lacks.
    if not room:
        return (
            _("Fits: the user decodes alone.")
            if asked == 1
            else _("Fits: all %(asked)s users decode at once.") % values
        )
    if asked == 1:
        return _("Fits: the user decodes alone, and there is room for %(room)s.") % values
    return _("Fits: all %(asked)s users decode at once, and there is room for %(room)s.") % values


def _holds(answer: Mapping[str, Any], setup: Setup) -> str:
    room = answer["memory"] and answer["memory"]["max_concurrency"]
    if room is None:
        return _("Fits.")
    return _("Fits: the KV cache holds %(room)s requests of the full %(length)s tokens.") % {
        "room": short(room),
        "length": count(setup.max_model_len),
    }


def asked_users(answer: Mapping[str, Any], request: Mapping[str, Any]) -> int | None:
    """Requests at the same time: as asked, or as they follow from the requests of a day."""
    workload = request.get("workload")
    if not workload:
        return None
    if "concurrency" in workload:
        return int(workload["concurrency"])
    solved = _value_of(answer, "running", "concurrency")
    return None if solved is None else int(solved)


def running_users(answer: Mapping[str, Any], request: Mapping[str, Any]) -> float:
    """Requests that decode at the same time, all replicas together; never more than asked."""
    replicas = request.get("parallelism", {}).get("data", 1)
    return float(min(answer["speed"]["running"] * replicas, asked_users(answer, request) or math.inf))


def spare_gib(answer: Mapping[str, Any]) -> float | None:
    """How far the plan is from not starting, per card: KV pool beyond one full request, and budget nobody takes.

    Engines with a pool of fixed size leave budget free; the others put all of it into the pool.
    """
    memory = answer["memory"]
    sizes = memory and memory["per_accelerator"]
    if not sizes or not sizes["kv_cache_gib"] or not memory["max_concurrency"]:
        return None
    beyond_one = sizes["kv_cache_gib"] * (1 - 1 / memory["max_concurrency"])
    return max(0.0, beyond_one) + max(0.0, sizes["budget_gib"] - inside_budget_gib(sizes))


def inside_budget_gib(sizes: Mapping[str, float | None]) -> float:
    """What one card holds within the budget; graphs count unless they lie outside of it."""
    names = ["weights_gib", "activation_gib", "non_torch_gib", "kv_cache_gib"]
    if not sizes["outside_budget_gib"]:
        names.append("cuda_graph_gib")
    return sum(sizes[name] or 0.0 for name in names)


def missing_gib(answer: Mapping[str, Any]) -> float | None:
    """How much memory one accelerator lacks to start, or None when memory is not what is in the way.

    A pool below zero is the whole gap; a reason may speak of weights alone.
    """
    gaps = [reason["values"]["short_gib"] for reason in answer["reasons"] if "short_gib" in reason["values"]]
    pool = answer["memory"] and answer["memory"]["per_accelerator"]["kv_cache_gib"]
    return max([*gaps, *([-pool] if pool is not None and pool < 0 else [])], default=None)


def users(number: float) -> str:
    """How many users decode: a whole number where it is one."""
    return count(number) if abs(number - round(number)) < 0.05 else short(number)


def _sentences(answer: Mapping[str, Any], request: Mapping[str, Any], setup: Setup) -> str:
    speed, workload = answer["speed"], request.get("workload")
    if not speed or not workload:
        return _("%(model)s on %(cards)s with %(engine)s.") % _names(setup)
    interval = speed["interval"]["tpot_ms"]
    said = _(
        "%(model)s on %(cards)s with %(engine)s gives each user a token every %(tpot)s, "
        "%(per_user)s tokens per second, after %(ttft)s of waiting for the first."
    ) % {
        **_names(setup),
        "tpot": with_unit(speed["tpot_ms"], "ms"),
        "per_user": short(speed["output_tokens_per_s_per_user"]),
        "ttft": seconds(speed["ttft_ms"]),
    }
    if interval is None:
        return said
    between = _("Four of five such set-ups land between %(low)s and %(high)s.") % {
        "low": short(interval[0], 2),
        "high": with_unit_short(interval[1], "ms"),
    }
    targets = target_words.judged(answer)
    too = target_words.missed_too(targets) if _waiting(answer, request) else ""
    parts = (_load(answer, request), said, between, target_words.certainty(targets), too)
    return " ".join(part for part in parts if part)


def _waiting(answer: Mapping[str, Any], request: Mapping[str, Any]) -> bool:
    """Whether some of the users asked for do not decode."""
    return running_users(answer, request) + 0.01 < (asked_users(answer, request) or 0)


def _load(answer: Mapping[str, Any], request: Mapping[str, Any]) -> str:
    """How the requests of a day become requests at the same time, by Little's law."""
    workload, asked = request["workload"], asked_users(answer, request)
    tokens = _value_of(answer, "output_tokens_per_s", "output_tokens")
    if "requests_per_day" not in workload or asked is None or tokens is None:
        return ""
    per_second = workload["requests_per_day"] / SECONDS_PER_DAY * workload.get("peak_factor", 1)
    stay_ms = answer["speed"]["ttft_ms"] + (tokens - 1) * answer["speed"]["tpot_ms"]
    return _(
        "%(day)s requests a day are %(rate)s per second at the peak; each stays for %(stay)s, so %(mean)s are there at a "
        "time on average, planned as %(users)s."
    ) % {
        "day": count(workload["requests_per_day"]),
        "rate": short(per_second),
        "stay": seconds(stay_ms),
        "mean": short(per_second * stay_ms / 1000),
        "users": count(asked),
    }


def _value_of(answer: Mapping[str, Any], term: str, name: str) -> Any:
    """A value that a term of the working was computed from."""
    return next((item["values"].get(name) for item in answer["explain"] if item["term"] == term), None)


def with_unit_short(value: float, unit: str) -> str:
    """Two significant digits, for ends of intervals."""
    return f"{short(value, 2)}{NBSP}{unit}"


def _names(setup: Setup) -> dict[str, str]:
    cards = f"{setup.cards} ({setup.parallelism})" if setup.parallelism else setup.cards
    return {"model": setup.model, "cards": cards, "engine": setup.engine}


def remark(reason: Mapping[str, Any], plan: Plan, *, state: str) -> Remark:
    """A reason with the link that applies its fix."""
    changes = changes_of(reason.get("fix") or {})
    return Remark(
        state=state,
        icon=ICON_OF_STATE[state],
        text=reason["message"],
        link="?" + plan.query(changes) if changes else "",
        link_text=_("Apply: %s") % spelled(reason["fix"]) if changes else "",
    )


def spelled(fix: Mapping[str, Any]) -> str:
    """A partial request as a person would say it to a colleague: max_model_len 3072."""
    parts = []
    for key, value in fix.items():
        if isinstance(value, Mapping):
            parts.append(spelled(value))
        else:
            parts.append(f"{key}{NBSP}{value}")
    return ", ".join(parts)


def advice(answer: Mapping[str, Any]) -> list[Remark]:
    """Remarks that do not change the verdict, gravest first; both sides of a choice have a card of their own."""
    order = {"error": 0, "warning": 1, "info": 2}
    plain = (item for item in answer["advice"] if not is_trade(item))
    items = sorted(plain, key=lambda item: order.get(item["severity"], 3))
    return [
        Remark(
            state=STATE_OF_SEVERITY.get(item["severity"], "off"),
            icon={"error": "i-crit", "warning": "i-warn"}.get(item["severity"], "i-info"),
            text=item["message"],
            source=item.get("source") or "",
        )
        for item in items
    ]
