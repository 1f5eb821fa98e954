"""The card "How fast for hours, not minutes?": burst, sustained and capped speed of one answer, as bars and a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from planner.charts import Tick, axis_text
from planner.core.figures import DASH, NBSP, percent, short, span, with_unit
from planner.core.geometry import Scale, linear_ticks, nice_ceiling
from planner.messages import word
from planner.messages.edge import CAUSES

CONFIDENT = {"high": gettext_lazy("high"), "medium": gettext_lazy("medium"), "low": gettext_lazy("low")}
SAME_SHARE = 0.995


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """One state of the machine: a bar and a row of the table. Speeds are tokens/s of one user."""

    name: str
    kind: str
    confidence: str
    speed: str
    interval: str
    width: str
    whisker: tuple[str, str]
    first_token: str
    together: str
    power: str
    energy: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SustainedCard:
    """The context of templates/planner/_sustained.html."""

    lead: str
    sentence: str
    paces: Sequence[Pace]
    ticks: Sequence[Tick]
    note: str
    sources: Sequence[str]
    shows_energy: bool


def sustained_card(answer: Mapping[str, Any]) -> SustainedCard | None:
    """The card of one answer with words; None where long runs are as short ones."""
    found = answer.get("sustained")
    if not found:
        return None
    rows = [(_("First minutes"), found["burst"], "computed")]
    if found["sustained"] is not None:
        rows.append((_("For hours"), found["sustained"], found["sustained"]["kind"]))
    rows.extend((_cap_name(cap), cap, cap["kind"]) for cap in found["capped"])
    end, step = nice_ceiling(max(1e3 / pace["interval"]["tpot_ms"][0] for _name, pace, _kind in rows))
    scale = Scale(low=0, high=end)
    return SustainedCard(
        lead=_lead(found),
        sentence=_sentence(found),
        paces=[_pace(name, pace, kind, scale) for name, pace, kind in rows],
        ticks=_ticks(end, step, scale),
        note=_cap_sentence(found),
        sources=list(dict.fromkeys(pace["source"] for _name, pace, _kind in rows if pace.get("source"))),
        shows_energy=any(cap["energy_per_token_j"] is not None for cap in found["capped"]),
    )


def _ticks(end: float, step: float, scale: Scale) -> list[Tick]:
    values = linear_ticks(end, step)
    unit = f"{NBSP}{_('tokens/s')}"
    return [
        Tick(
            at=scale.x(value),
            text=axis_text(value) + (unit if value == values[-1] else ""),
            css="end" if value == values[-1] else "wide" if index % 2 or index == len(values) - 2 else "",
        )
        for index, value in enumerate(values)
    ]


def _per_user(pace: Mapping[str, Any]) -> float:
    return float(1e3 / pace["tpot_ms"])


def _pace(name: str, pace: Mapping[str, Any], kind: str, scale: Scale) -> Pace:
    low, high = (1e3 / ms for ms in reversed(pace["interval"]["tpot_ms"]))
    confidence = pace.get("confidence")
    speed = with_unit(_per_user(pace), _("tokens/s"))
    energy, power = pace.get("energy_per_token_j"), pace.get("power_w")
    return Pace(
        name=name,
        kind=kind,
        confidence=str(CONFIDENT[confidence]) if confidence else "",
        speed=speed,
        interval=span(low, high),
        width=scale.x(_per_user(pace)),
        whisker=(scale.x(low), scale.x(high)),
        first_token=_seconds(pace["ttft_ms"]),
        together=short(pace["output_tokens_per_s"]),
        power=with_unit(power, "W") if power is not None else DASH,
        energy=with_unit(energy, "J") if energy is not None else DASH,
        title=f"{name}: {speed}",
    )


def _seconds(milliseconds: float) -> str:
    return with_unit(milliseconds, "ms") if milliseconds < 1000 else with_unit(milliseconds / 1e3, "s")


def _cap_name(cap: Mapping[str, Any]) -> str:
    if cap["mode"] is not None:
        return _("Mode %s") % cap["mode"]
    if cap["power_w"] is not None:
        return _("Capped at %s") % with_unit(cap["power_w"], "W")
    return _("Held at %s percent") % percent(cap["frequency_share"])


def _lead(found: Mapping[str, Any]) -> str:
    first, settled = found["burst"], found["sustained"]
    if settled is None:
        return _("Nobody measured a long run of this machine.")
    values = {"now": with_unit(_per_user(first), ""), "later": with_unit(_per_user(settled), "")}
    values = {key: text.strip(NBSP) for key, text in values.items()}
    if settled["share"] >= SAME_SHARE:
        return _("It keeps its %(now)s tokens/s per user.") % values
    return _("%(later)s tokens/s per user for hours, %(now)s at first.") % values


def _sentence(found: Mapping[str, Any]) -> str:
    settled = found["sustained"]
    if settled is None:
        return ""
    message = settled.get("message") or word(CAUSES, settled["cause"], settled)
    return _("%(message)s Confidence: %(confidence)s.") % {
        "message": message,
        "confidence": CONFIDENT[settled["confidence"]],
    }


def _cap_sentence(found: Mapping[str, Any]) -> str:
    """What the mildest cap costs and saves."""
    caps = [cap for cap in found["capped"] if cap["power_share"] is not None and cap["mode"] is None]
    if not caps:
        return _without_watts(found)
    cap = caps[len(caps) // 2]
    lost = 1 - found["burst"]["tpot_ms"] / cap["tpot_ms"]
    return _(
        "A cap at %(power)s saves %(saved)s percent of the power and costs %(lost)s percent of the speed per token: "
        "decode waits for memory, prompts wait longer."
    ) % {
        "power": with_unit(cap["power_w"], "W"),
        "saved": percent(1 - cap["power_share"]),
        "lost": percent(max(lost, 0.0)),
    }


def _without_watts(found: Mapping[str, Any]) -> str:
    if any(cap["mode"] is not None for cap in found["capped"]):
        return _(
            "Slower modes lower the clock of memory, of the cores, or both: the step follows whichever binds."
        )
    if found["capped"]:
        return _("Held at that pace from the start, it keeps the same speed for hours without the fall.")
    return ""
