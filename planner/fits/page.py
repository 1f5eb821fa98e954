"""Everything that the page "I have these cards" shows, put together once per request."""

import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from planner.answers.estimates import problem_message
from planner.answers.fits import FIELDS
from planner.core import CORE_VERSION
from planner.core.figures import NBSP, count, short, span
from planner.core.outcome import Problem
from planner.core.owned import AS_PUBLISHED, QUANTIZED, TOO_LARGE, ModelFit, fits_on, too_many_cards
from planner.core.parse import Rejected, Reserved, parse_request
from planner.core.reach import Reach, reach_of
from planner.core.request import EstimateRequest
from planner.core.settings import derive_settings
from planner.core.specs import Catalog
from planner.fits.form import INPUTS, Asked, key_of
from planner.fits.rows import Group, groups, kept, plan_link
from planner.messages import REASONS, word
from planner.plan.figures import Figure
from planner.plan.page import FieldError, field_label
from planner.presentation import ICON_OF_STATE, Verdict
from planner.setup import ENGINE_NAMES

REMEMBERED = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class FitsPage:
    """The context of templates/planner/fits.html and its parts. `verdict` is None when the input has errors."""

    asked: Asked
    title: str
    errors: Mapping[str, str]
    error_list: Sequence[FieldError]
    hints: Mapping[str, str] = field(default_factory=dict)
    verdict: Verdict | None = None
    groups: Sequence[Group] = ()
    largest_link: str = ""
    other_engine: str = ""
    none_match: bool = False
    without_filters: str = ""
    settings: str = ""
    curl: str = ""
    command: str = ""
    kinds: Sequence[str] = ("computed",)
    basis: Mapping[str, Any] = field(default_factory=dict)

    @property
    def quantile_messages(self) -> dict[str, str]:
        """The messages of the quantiles, which share a place beneath their rows."""
        return {key: self.errors.get(key, "") for key in ("i50", "i90", "i99", "o50", "o90", "o99")}

    @property
    def messages(self) -> dict[str, str]:
        """A message for every input, empty where all is well: an update must also take old ones away."""
        typed = [item.key for item in INPUTS if item.kind in ("text", "number") and item.path]
        return {key: self.errors.get(key, "") for key in typed}


def fits_page(asked: Asked, catalog: Catalog, *, address: str) -> FitsPage:
    """Ask the core about every model and put its answers into words. `address` is that of the API, for the copied call."""
    if not asked.values["a"]:
        return _with_errors(asked, [Problem(code="missing", field="accelerator")])
    request = asked.request(next(iter(catalog.models)))
    parsed = parse_request(request, catalog)
    if isinstance(parsed, Rejected):
        # settings are always derived here: without a workload its own problem says enough
        own = [item for item in parsed.problems if item.code != "derive_needs_workload"]
        return _with_errors(asked, own)
    if isinstance(parsed, Reserved):  # the form has no input for what is reserved
        return _with_errors(asked, [Problem(code="unknown_field", field=parsed.fields[0])])
    too_many = too_many_cards(parsed.count)
    if too_many is not None:
        return _with_errors(asked, [too_many])
    all_fits = _answers(json.dumps(request, sort_keys=True), parsed, catalog)
    fits = kept(all_fits, asked)
    return FitsPage(
        asked=asked,
        title=_("What runs on %s?") % _cards(parsed),
        errors={},
        error_list=[],
        hints={"v": parsed.engine.version, "a": _bandwidth(parsed)},
        verdict=_verdict(all_fits, fits, parsed),
        groups=groups(fits, asked, lambda chosen: _reach(chosen, catalog)),
        largest_link=_largest_link(fits),
        other_engine=_other_engine(all_fits, parsed, asked),
        none_match=not fits,
        without_filters=f"?{asked.query({'q': '', 'fam': '', 'size': ''})}",
        settings=_settings(parsed),
        curl=_curl(asked, address),
        command=f"python manage.py fits <<'EOF'\n{json.dumps(_question(asked))}\nEOF",
        basis={"catalog": catalog.hash, "core": CORE_VERSION, "calibration": None},
    )


def _settings(parsed: EstimateRequest) -> str:
    ours = derive_settings(parsed)
    return _(
        "Settings are ours, from the load: max_model_len %(length)s, max_num_seqs %(slots)s for each replica."
    ) % {
        "length": count(ours.max_model_len),
        "slots": count(ours.max_num_seqs),
    }


def _question(asked: Asked) -> dict[str, Any]:
    """What the page asks, for programs: it has no model, and settings are always derived."""
    request = asked.request("")
    return {name: value for name, value in request.items() if name in FIELDS}


def _curl(asked: Asked, address: str) -> str:
    body = json.dumps(_question(asked)).replace("'", "\\u0027")
    return (
        f"curl -sS {address} \\\n"
        f'  -H "Authorization: Bearer $DECODECK_TOKEN" \\\n'
        f'  -H "Content-Type: application/json" \\\n'
        f"  -d '{body}'"
    )


_remembered: OrderedDict[tuple[str, str], list[ModelFit]] = OrderedDict()


def _answers(question: str, parsed: EstimateRequest, catalog: Catalog) -> list[ModelFit]:
    """All models for one question; filters and order do not ask again."""
    key = (question, catalog.hash)
    if key not in _remembered:
        _remembered[key] = fits_on(parsed, catalog)
        while len(_remembered) > REMEMBERED:
            _remembered.popitem(last=False)
    return _remembered[key]


def _reach(fits: Sequence[ModelFit], catalog: Catalog) -> Sequence[Reach]:
    return reach_of([fit.request for fit in fits], catalog)


def _with_errors(asked: Asked, problems: Sequence[Problem]) -> FitsPage:
    errors: dict[str, str] = {}
    for item in problems:
        key, message = key_of(item.field), problem_message(item)
        errors[key] = f"{errors[key]} {message}" if key in errors else message
    return FitsPage(
        asked=asked,
        title=_("My cards"),
        errors=errors,
        error_list=[
            FieldError(key=key, label=field_label(key), message=message) for key, message in errors.items()
        ],
    )


def _cards(parsed: EstimateRequest) -> str:
    assert parsed.accelerator is not None  # the page asks for a card first
    return f"{parsed.count}{NBSP}×{NBSP}{parsed.accelerator.name}"


def _bandwidth(parsed: EstimateRequest) -> str:
    card = parsed.accelerator
    known = card is not None and card.bandwidth_gb_s
    return f"{count(card.bandwidth_gb_s)}{NBSP}GB/s" if card is not None and known else ""


def _verdict(all_fits: Sequence[ModelFit], fits: Sequence[ModelFit], parsed: EstimateRequest) -> Verdict:
    running = [fit for fit in fits if fit.group in (AS_PUBLISHED, QUANTIZED)]
    if not fits:
        return _said(
            "off",
            _("No model matches these filters."),
            _("%s models are in the catalog.") % count(len(all_fits)),
        )
    if not running:
        unknown = [fit for fit in fits if fit.state.verdict == "unknown"]
        if unknown:
            return _said("off", _("Cannot tell yet."), _why_none(unknown))
        return _said("crit", _("None of these models runs here."), _why_none(fits))
    narrow = sum(fit.group == QUANTIZED for fit in running)
    headline = ngettext(
        "%(running)s of %(all)s model runs here, %(narrow)s only quantized.",
        "%(running)s of %(all)s models run here, %(narrow)s only quantized.",
        len(fits),
    ) % {"running": count(len(running)), "all": count(len(fits)), "narrow": count(narrow)}
    state = _verdict_state(fits)
    return Verdict(
        state=state,
        icon=ICON_OF_STATE[state],
        headline=headline,
        sentences=_largest_sentence(fits, parsed),
        figures=_figures(fits),
        reasons=[],
    )


def _verdict_state(fits: Sequence[ModelFit]) -> str:
    answers = {fit.does_all for fit in fits}
    return "ok" if True in answers else "off" if None in answers else "warn"


def _said(state: str, headline: str, sentences: str) -> Verdict:
    icon = ICON_OF_STATE[state]
    return Verdict(state=state, icon=icon, headline=headline, sentences=sentences, figures=[], reasons=[])


def _why_none(fits: Sequence[ModelFit]) -> str:
    first = fits[0]
    card, engine = first.request.accelerator, first.request.engine
    values = {
        "engine": ENGINE_NAMES.get(engine.name, engine.name),
        "version": engine.version,
        "accelerator": card.name if card else "",
        "vendor": card.vendor if card else "",
        "name": card.name if card else "",
        "architecture": ", ".join(first.request.model.architectures),
        "floor": engine.values["min_compute_capability"],
        "capability": card.compute_capability if card else "",
    }
    same = len({fit.reason for fit in fits}) == 1 and first.group != TOO_LARGE
    return (
        word(REASONS, first.reason or "", values)
        if same
        else _("The list says what is short, the least first.")
    )


def _largest(fits: Sequence[ModelFit]) -> ModelFit | None:
    """The model with most parameters that does all that was asked, as far as that is known."""
    well = [fit for fit in fits if fit.does_all is not False]
    return max(well, key=lambda fit: (fit.shape.parameters, fit.shape.model.id), default=None)


def _largest_link(fits: Sequence[ModelFit]) -> str:
    largest = _largest(fits)
    return plan_link(largest) if largest is not None else ""


def _largest_sentence(fits: Sequence[ModelFit], parsed: EstimateRequest) -> str:
    largest = _largest(fits)
    if largest is None:
        return _("None of them does all that was asked: the list says what each one misses.")
    tpot = largest.state.figures["tpot_ms"]
    if tpot is None:
        return (
            _("The largest is %s; how fast is not known, since nobody states the bandwidth.")
            % largest.shape.model.id
        )
    values = {
        "model": largest.shape.model.id,
        "weights": largest.request.scheme.id,
        "tpot": short(tpot),
        "span": span(largest.tpot_low_ms, largest.tpot_high_ms),
        "users": count(largest.state.asked),
        "engine": f"{ENGINE_NAMES.get(parsed.engine.name, parsed.engine.name)} {parsed.engine.version}",
    }
    return (
        _(
            "The largest that does all that was asked is %(model)s with %(weights)s weights: %(users)s users at once, "
            "a token every %(tpot)s ms (%(span)s in four of five such set-ups) with %(engine)s."
        )
        % values
    )


def _figures(fits: Sequence[ModelFit]) -> list[Figure]:
    by_group = {
        group: sum(fit.group == group for fit in fits) for group in (AS_PUBLISHED, QUANTIZED, TOO_LARGE)
    }
    largest = _largest(fits)
    names = {
        AS_PUBLISHED: (_("As published"), _("in the publisher's precision")),
        QUANTIZED: (_("Only quantized"), _("8 bits or fewer")),
        TOO_LARGE: (_("Too large"), _("even at four bits")),
    }
    found = [
        Figure(name=names[group][0], value=count(number), unit="", kind="computed", sub=names[group][1])
        for group, number in by_group.items()
    ]
    size = Figure(
        name=_("Largest that starts") if largest and largest.does_all is None else _("Largest that does all"),
        value=short(largest.shape.parameters / 1e9 if largest else None),
        unit="B" if largest else "",
        kind="computed" if largest else "",
        sub=largest.shape.model.id.rpartition("/")[2] if largest else "",
    )
    return [*found, size]


def _other_engine(fits: Sequence[ModelFit], parsed: EstimateRequest, asked: Asked) -> str:
    """The same question for an engine that runs on such cards, where the chosen one runs on none."""
    card = parsed.accelerator
    if card is None or any(fit.reason != "engine_not_for_vendor" for fit in fits):
        return ""
    name = "llama.cpp" if parsed.engine.name != "llama.cpp" else "vllm"
    return f"?{asked.query({'e': name, 'v': ''})}"
