"""The figures of a length log as its pages show them, each with its ends and its kind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from planner.core.figures import DASH, NBSP, count, short
from planner.messages.lengths import UNITS

QUANTILES = ("mean", "p50", "p90", "p99", "max")
DAY_S, HOUR_S, MINUTE_S = 86_400.0, 3_600.0, 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One figure of a table: its value, its ends in words, and its kind; the kind is empty where it is not known."""

    value: str
    sub: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The figures of one length."""

    name: str
    cells: Sequence[Cell]


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadFigure:
    """One figure of the load."""

    name: str
    value: str
    unit: str
    sub: str
    kind: str


def rows(summary: Mapping[str, Any]) -> list[Row]:
    """Input, output and their sum, each with mean, quantiles and maximum."""
    names = {"input": _("Input"), "output": _("Output"), "total": _("Input and output together")}
    return [
        Row(name=name, cells=[_cell(summary[key][quantile]) for quantile in QUANTILES])
        for key, name in names.items()
    ]


def _cell(figure: Mapping[str, Any]) -> Cell:
    value, low, high = figure["value"], figure["low"], figure["high"]
    if value is None:
        return Cell(value=DASH, sub="", kind="")
    if high is None:
        return Cell(value="≥" + NBSP + count(low), sub=_("beyond the last bucket"), kind=figure["kind"])
    sub = "" if figure["kind"] == "measured" else between(low, high)
    return Cell(value=count(value), sub=sub, kind=figure["kind"])


def between(low: float, high: float) -> str:
    """What a figure lies between, in words."""
    return _("between %(low)s and %(high)s") % {"low": count(low), "high": count(high)}


def load(summary: Mapping[str, Any]) -> list[LoadFigure]:
    """Requests a day, peak, how many at once, how long one takes, and whether long prompts get long answers."""
    per_day = summary["requests_per_day"]
    scaled = summary["day"] == "scaled" and per_day["value"] is not None
    return [
        _figure(
            _("Requests a day"),
            per_day,
            value=count(per_day["value"]),
            sub=_scaled(summary["span_s"]["value"]) if scaled else "",
        ),
        _figure(_("Peak over mean"), summary["peak_factor"], unit="×", sub=_("busiest hour over a mean one")),
        _at_once(summary["peak_concurrency"]),
        _figure(_("At once, mean"), summary["mean_concurrency"], unit=_("requests")),
        _figure(_("Time of a request"), summary["request_s"], unit="s", sub=_("mean, waiting included")),
        _correlation(summary["correlation"]),
    ]


def _scaled(seconds: float | None) -> str:
    return _("scaled from %s") % duration(seconds) if seconds else ""


def _figure(
    name: str, figure: Mapping[str, Any], *, value: str | None = None, unit: str = "", sub: str = ""
) -> LoadFigure:
    known = figure["value"] is not None
    text = value if value is not None else short(figure["value"])
    return LoadFigure(
        name=name,
        value=text if known else DASH,
        unit=unit if known else "",
        sub=sub if known else _("not known"),
        kind=figure["kind"] if known else "",
    )


def _at_once(figure: Mapping[str, Any]) -> LoadFigure:
    if figure["value"] is not None and figure["high"] is None:
        value, sub = "≥" + NBSP + short(figure["value"]), _("the mean, or what a gauge showed")
        return _figure(_("At once, peak"), figure, value=value, unit=_("requests"), sub=sub)
    sub = _("exact, from starts and ends")
    return _figure(_("At once, peak"), figure, value=count(figure["value"]), unit=_("requests"), sub=sub)


def _correlation(figure: Mapping[str, Any]) -> LoadFigure:
    value = figure["value"]
    if value is None:
        return _figure(_("Input with output"), figure)
    if abs(value) < 0.2:
        sub = _("hardly hang together")
    elif value > 0:
        sub = _("long prompts get long answers")
    else:
        sub = _("long prompts get short answers")
    return _figure(_("Input with output"), figure, value=f"{value:.2f}".replace("-", "−"), sub=sub)


def duration(seconds: float) -> str:
    """A span of time in the largest unit that fits."""
    if seconds >= DAY_S:
        return ngettext("%s day", "%s days", _plural(seconds / DAY_S)) % short(seconds / DAY_S, 2)
    if seconds >= HOUR_S:
        return ngettext("%s hour", "%s hours", _plural(seconds / HOUR_S)) % short(seconds / HOUR_S, 2)
    if seconds >= MINUTE_S:
        return ngettext("%s minute", "%s minutes", _plural(seconds / MINUTE_S)) % short(seconds / MINUTE_S, 2)
    return ngettext("%s second", "%s seconds", _plural(seconds)) % short(seconds, 2)


def _plural(amount: float) -> int:
    return 1 if short(amount, 2) in ("1", "1.0") else 2


def unit_name(unit_s: float | None) -> str:
    """The name of a unit of time."""
    return str(UNITS.get(unit_s, "")) if unit_s is not None else ""
