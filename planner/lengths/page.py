"""What the pages of a length log show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from planner.answers.length_files import left_out
from planner.core.figures import count
from planner.core.settings import LENGTH_STEP
from planner.core.traffic.summary import Filled, filled, histograms_of
from planner.lengths.figures import LoadFigure, Row, duration, load, rows, unit_name
from planner.lengths.plot import histogram_plot
from planner.messages import word
from planner.messages.lengths import LEFT_OUT, ROLES
from planner.models import LengthLog
from planner.plots import Plot
from planner.setup import ENGINE_NAMES


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One line of how a log was read."""

    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogPage:
    """A log, kept or only looked at."""

    sentence: str
    rows: Sequence[Row]
    load: Sequence[LoadFigure]
    load_hint: str
    plots: Sequence[Plot]
    facts: Sequence[Fact]
    warnings: Sequence[str]
    fill: Filled
    kinds: Sequence[str]

    @property
    def input_filled(self) -> str:
        """Quantiles of the input as a plan takes them."""
        return " · ".join(count(value) for value in self.fill.input_tokens.values())

    @property
    def output_filled(self) -> str:
        """Quantiles of the output as a plan takes them."""
        return " · ".join(count(value) for value in self.fill.output_tokens.values())

    @property
    def load_filled(self) -> str:
        """The load as a plan takes it."""
        return load_text(self.fill) or _("none: it has no times, so the plan keeps its own")

    @property
    def length_filled(self) -> str:
        """The context and the rule that it comes from."""
        return _("%(length)s: 1.2 × P99 of the whole request (%(longest)s), in steps of %(step)s") % {
            "length": count(self.fill.max_model_len),
            "longest": count(self.fill.longest_tokens),
            "step": LENGTH_STEP,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRow:
    """A log as the list shows it."""

    log: LengthLog
    requests: str
    input: str
    output: str
    load: str


def row_of(log: LengthLog) -> LogRow:
    """A log with its quantiles and its load written out."""
    return LogRow(
        log=log,
        requests=count(log.requests),
        input=_three(log.summary["input"]),
        output=_three(log.summary["output"]),
        load=load_text(filled(log.summary)),
    )


def _three(figures: Mapping[str, Any]) -> str:
    return " / ".join(
        ("≥\u00a0" if figures[name]["high"] is None else "") + count(figures[name]["value"])
        for name in ("p50", "p90", "p99")
    )


def load_text(found: Filled) -> str:
    """The load of a log in words, empty where it has no times."""
    if found.requests_per_day is not None:
        return _("%(requests)s a day, peak × %(factor)s") % {
            "requests": count(found.requests_per_day),
            "factor": f"{found.peak_factor:g}",
        }
    if found.concurrency is not None:
        return _("%s at once") % count(found.concurrency)
    return ""


def log_page(summary: Mapping[str, Any], histograms: Mapping[str, Any], *, requests: int) -> LogPage:
    """The page of one log from what is stored of it."""
    found = histograms_of(histograms)
    titles = {"input": _("Input lengths"), "output": _("Output lengths")}
    shown, figures = rows(summary), load(summary)
    marks = [cell.kind for row in shown for cell in row.cells] + [figure.kind for figure in figures]
    return LogPage(
        sentence=_sentence(summary, requests),
        rows=shown,
        load=figures,
        load_hint=_load_hint(summary),
        plots=[histogram_plot(found[key], key=key, title=title) for key, title in titles.items()],
        facts=_facts(summary["read"], summary["span_s"]["value"]),
        warnings=_warnings(summary, requests),
        fill=filled(summary),
        kinds=[kind for kind in dict.fromkeys(marks) if kind],
    )


def _sentence(summary: Mapping[str, Any], requests: int) -> str:
    values = {
        "requests": count(requests),
        "input": _at_most(summary["input"]["p99"]),
        "output": _at_most(summary["output"]["p99"]),
    }
    text = ngettext(
        "%(requests)s request: 99 %% have up to %(input)s tokens of input and %(output)s of output.",
        "%(requests)s requests: 99 %% have up to %(input)s tokens of input and %(output)s of output.",
        requests,
    )
    return text % values


def _load_hint(summary: Mapping[str, Any]) -> str:
    """How the load could be known, where it is not."""
    if summary["requests_per_day"]["value"] is not None:
        return ""
    if "engine" in summary["read"]:
        return _("Read it again with the hours that it counted, and the load follows.")
    return _(
        "The log has no times that can be read. With a start, and an end or a duration, the load follows."
    )


def _at_most(figure: Mapping[str, Any]) -> str:
    """What a quantile is, or where only its bucket is known, the end of that."""
    if figure["high"] is None:
        return _("at least %s") % count(figure["low"])
    return count(figure["value"] if figure["kind"] == "measured" else figure["high"])


def _facts(read: Mapping[str, Any], span_s: float | None) -> list[Fact]:
    facts = []
    if "engine" in read:
        facts += _engine_facts(read)
    for column in read.get("columns", ()):
        name = _("Column for %s") % ROLES[column["role"]]
        facts.append(Fact(name=name, text=_column_text(column)))
    if read.get("other_columns"):
        facts.append(Fact(name=_("Not read"), text=_others(read)))
    if span_s is not None:
        facts.append(Fact(name=_("Time covered"), text=duration(span_s)))
    return facts


def _column_text(column: Mapping[str, Any]) -> str:
    unit = unit_name(column["unit_s"])
    if not unit:
        return str(column["name"])
    text = _("%(name)s, in %(unit)s") % {"name": column["name"], "unit": unit}
    return _("%s, taken from the size of its numbers") % text if column["assumed"] else text


def _others(read: Mapping[str, Any]) -> str:
    others, texts = read["other_columns"], read.get("text_columns", 0)
    text = ngettext("%s more column", "%s more columns", others) % count(others)
    if not texts:
        return text
    held = ngettext("%s of them holds text", "%s of them hold text", texts) % count(texts)
    return f"{text}; {held}"


def _engine_facts(read: Mapping[str, Any]) -> list[Fact]:
    facts = [Fact(name=_("Engine"), text=ENGINE_NAMES.get(read["engine"], read["engine"]))]
    if read["model"]:
        facts.append(Fact(name=_("Model"), text=read["model"]))
    between = (
        _("what came between two readings")
        if read["two_readings"]
        else _("everything since the engine started")
    )
    facts.append(Fact(name=_("Counted"), text=between))
    gauges = {
        "running": _("Running when read"),
        "waiting": _("Waiting when read"),
        "preemptions": _("Preemptions in that time"),
    }
    facts += [Fact(name=name, text=count(read[key])) for key, name in gauges.items() if read[key] is not None]
    if read["kv_usage"] is not None:
        facts.append(Fact(name=_("KV cache in use when read"), text=f"{100 * read['kv_usage']:.0f}\u00a0%"))
    return facts


def _warnings(summary: Mapping[str, Any], requests: int) -> list[str]:
    read, found = summary["read"], []
    if dropped := left_out(summary):
        reasons = "; ".join(
            f"{count(rows)}: {word(LEFT_OUT, code, {})}" for code, rows in sorted(read["left_out"].items())
        )
        text = ngettext("%(rows)s row was left out.", "%(rows)s rows were left out.", dropped)
        found.append(f"{text % {'rows': count(dropped)}} {reasons}.")
    if read.get("without_times"):
        text = ngettext(
            "%(rows)s row has times that cannot be read or end before they start: it counts for lengths and not for load.",
            "%(rows)s rows have times that cannot be read or end before they start: they count for lengths and not for load.",
            read["without_times"],
        )
        found.append(text % {"rows": count(read["without_times"])})
    if read.get("reset"):
        found.append(
            _("The engine started anew between the two readings: only what it counted since is here.")
        )
    if requests < 100:
        found.append(_("Fewer than 100 requests say little about P99."))
    return found


def plan_query(found: Filled, uid: str) -> str:
    """The address of a plan with these lengths, this load and this context; model and cards stay those of the example."""
    return urlencode([*_workload_pairs(found), ("len", found.max_model_len), ("ll", uid)])


def recommend_query(found: Filled) -> str:
    """The address of a search for what would do it."""
    return urlencode(_workload_pairs(found))


def _workload_pairs(found: Filled) -> list[tuple[str, Any]]:
    pairs: list[tuple[str, Any]] = [("d", "q")]
    for letter, quantiles in (("i", found.input_tokens), ("o", found.output_tokens)):
        pairs += [(f"{letter}{name.removeprefix('p')}", value) for name, value in quantiles.items()]
    if found.requests_per_day is not None:
        pairs += [("by", "day"), ("day", found.requests_per_day), ("peak", f"{found.peak_factor:g}")]
    elif found.concurrency is not None:
        pairs.append(("u", found.concurrency))
    return pairs
