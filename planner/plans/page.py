"""What the pages of saved plans show of one version: what it said when it was kept, in the reader's language."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from planner import pictures, presentation
from planner.amounts import amount, exact_amount
from planner.answers.estimates import problem_message
from planner.answers.plans import figures_of, in_words, parse_content
from planner.charts import Bar
from planner.core.figures import DASH, count, short
from planner.core.outcome import Problem
from planner.core.parse import Rejected
from planner.core.request import EstimateRequest
from planner.core.specs import Catalog
from planner.messages.money import price_sentence
from planner.messages.plans import FIGURES
from planner.models import PlanVersion
from planner.plan.figures import Figure
from planner.plan.form import Plan, plan_of_request, read_plan
from planner.plans.fields import Changed, card_name, engine_text, model_name
from planner.plans.marks import VERDICTS
from planner.presentation import Verdict
from planner.setup import Setup, setup_of

WHOLE = ("running", "kv_cache_tokens", "power_w")


@dataclass(frozen=True, slots=True, kw_only=True)
class BillRow:
    """One line of a bill, written out. `kind` says whose word its price is; empty where there is none."""

    name: str
    note: str
    quantity: str
    unit_price: str
    total: str
    kind: str
    whose: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A figure with its name, written out."""

    name: Any
    value: str
    strong: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionPage:
    """One version of a plan: what it said, on which basis. `lost` says what the catalog has no longer."""

    title: str
    edit_link: str  # the set-up on the plan page, "" where its form has no input for something
    verdict: Verdict
    money: Sequence[Figure]
    kinds: Sequence[str]
    step: Bar | None
    step_sentence: str
    memory: Bar | None
    memory_sentence: str
    bill: Sequence[BillRow]
    bill_currency: str
    bill_total: str
    bill_day: str
    unpriced: str
    cost: Sequence[Fact]
    remarks: Sequence[str]
    basis: Mapping[str, Any]
    command: str
    lost: Sequence[str]
    with_prices: bool


def version_page(version: PlanVersion, catalog: Catalog, *, with_prices: bool = True) -> VersionPage:
    """One version as it was answered then. Nothing is asked anew, so it stays what it was whatever the catalog says now."""
    answer = in_words(copy.deepcopy(version.answer))
    content, found = version.content, answer["estimate"]
    request = content["request"]
    parsed = parse_content(content, catalog)
    lost = lost_sentences(parsed.problems) if isinstance(parsed, Rejected) else []
    known = None if isinstance(parsed, Rejected) else parsed.request
    setup = setup_of(known, found["settings"] or ()) if known else _setup_as_written(request, found, catalog)
    form = None if lost else _carried(request, version)
    verdict = _verdict(found, request, setup, form)
    step, memory = pictures.step_bar(found), pictures.memory_bar(found, setup)
    money = _money(answer) if with_prices else []
    return VersionPage(
        title=title_of(request, catalog),
        edit_link=f"{reverse('planner:plan')}?{form.query()}" if form else "",
        verdict=verdict,
        money=money,
        kinds=list(dict.fromkeys(figure.kind for figure in [*verdict.figures, *money] if figure.kind)),
        step=step,
        step_sentence=pictures.step_sentence(found) if step else "",
        memory=memory,
        memory_sentence=_memory_sentence(found, known, setup) if memory else "",
        **_bill(answer["bill"], with_prices=with_prices),
        cost=cost_facts(answer["cost"]) if with_prices else [],
        remarks=[remark["message"] for remark in answer["cost"]["remarks"]] if with_prices else [],
        basis=version.basis,
        command=(found["commands"] or {}).get("shell") or "",
        lost=lost,
        with_prices=with_prices,
    )


def lost_sentences(problems: Sequence[Problem]) -> list[str]:
    """What speaks against a set-up that was accepted once."""
    return [problem_message(problem) for problem in problems]


def _carried(request: Mapping[str, Any], version: PlanVersion) -> Plan | None:
    """The form of the plan page with this set-up in it, and with what it was opened from."""
    form = plan_of_request(request)
    if form is None:
        return None
    return form.changed(
        {
            "sp": version.plan.uid,
            "sv": str(version.number),
            "ll": str(version.content.get("length_log") or ""),
        }
    )


def _verdict(
    found: Mapping[str, Any], request: Mapping[str, Any], setup: Setup, form: Plan | None
) -> Verdict:
    """The verdict; what would mend it leads to the plan page, where that is possible at all."""
    made = presentation.verdict(found, request, setup, form or read_plan({}))
    page = reverse("planner:plan")
    reasons = [
        replace(reason, link=f"{page}{reason.link}" if reason.link and form else "")
        for reason in made.reasons
    ]
    return replace(made, reasons=reasons)


def _setup_as_written(request: Mapping[str, Any], found: Mapping[str, Any], catalog: Catalog) -> Setup:
    """The names of a set-up that the catalog cannot resolve any more."""
    degrees, settings = request.get("parallelism") or {}, request.get("settings")
    in_force = {item["name"]: item["value"] for item in found["settings"] or ()}
    given = settings if isinstance(settings, Mapping) else {}
    card = request.get("accelerator")
    return Setup(
        model=model_name(request.get("model") or {}),
        card=card_name(card, catalog) if card else None,
        count=request.get("count") or 1,
        cards_per_replica=(degrees.get("tensor") or 1) * (degrees.get("pipeline") or 1),
        engine=engine_text(request.get("engine") or {}),
        parallelism="",
        max_model_len=in_force.get("max_model_len") or given.get("max_model_len"),
        utilization=in_force.get("gpu_memory_utilization"),
    )


def _memory_sentence(found: Mapping[str, Any], known: EstimateRequest | None, setup: Setup) -> str:
    return pictures.memory_sentence(found, known.workload if known else None, setup)


def title_of(request: Mapping[str, Any], catalog: Catalog) -> str:
    """A set-up in one line."""
    model = model_name(request.get("model") or {}).rpartition("/")[2]
    card, cards = request.get("accelerator"), request.get("count") or 1
    set_up = f"{cards} × {card_name(card, catalog)}" if card else _("no accelerator")
    return f"{model} · {set_up} · {engine_text(request.get('engine') or {})}"


def _money(answer: Mapping[str, Any]) -> list[Figure]:
    """What it costs and draws, as figures beneath those of the verdict."""
    figures = figures_of(answer)
    bill, tokens = answer["bill"], answer["cost"]["per_million_output_tokens"]
    unpriced = _("no price: %s") % _(", ").join(bill["unpriced"]) if bill["unpriced"] else ""
    flat_out = amount(tokens["at_full_load"], bill["currency"])
    rows = (
        ("purchase", unpriced or _("all that is ordered")),
        ("yearly", _("as used, work included")),
        ("per_million_output_tokens", _("flat out %s") % flat_out),
        ("power_w", _("boards, at their limit")),
    )
    return [
        Figure(
            name=str(FIGURES[key][0]),
            value=figure_text(key, figures),
            unit="",
            kind="" if figures[key] is None else "computed",
            sub=sub,
        )
        for key, sub in rows
    ]


def figure_text(key: str, figures: Mapping[str, Any]) -> str:
    """One figure with its unit; a dash where it is not known."""
    value, unit = figures.get(key), FIGURES[key][1]
    if key == "verdict":
        return str(VERDICTS[value][2]) if value in VERDICTS else DASH
    if value is None:
        return DASH
    if unit == "money":
        return amount(value, figures.get("currency"))
    text = count(value) if key in WHOLE else short(value)
    return f"{text} {unit}".strip()


def _bill(bill: Mapping[str, Any], *, with_prices: bool) -> dict[str, Any]:
    """The parts of a VersionPage that are the bill."""
    return {
        "bill": [bill_row(item, bill["currency"], with_prices=with_prices) for item in bill["items"]],
        "bill_currency": bill["currency"],
        "bill_total": exact_amount(bill["total"], bill["currency"]) if with_prices else "",
        "bill_day": bill["on"],
        "unpriced": _(", ").join(bill["unpriced"]) if with_prices else "",
    }


def bill_row(item: Mapping[str, Any], currency: str, *, with_prices: bool) -> BillRow:
    """One line of a bill, written out with whose word its price is."""
    price = item["price"] if with_prices else None
    said = item["note"]["message"] if item["note"] and with_prices else ""
    return BillRow(
        name=item["name"],
        note=" · ".join(part for part in (_("spare") if item["kind"] == "spare" else "", said) if part),
        quantity=count(item["quantity"]),
        unit_price=exact_amount(item["unit_price"], None) if with_prices else "",
        total=exact_amount(item["total"], None) if with_prices else "",
        kind=price["kind"] if price else "",
        whose=price_sentence(price, currency) if price else _("no price"),
        source=price["source"] if price else "",
    )


def cost_facts(cost: Mapping[str, Any]) -> list[Fact]:
    """What a year costs, term by term, and what tokens come to."""
    currency, tokens = cost["currency"], cost["per_million_output_tokens"]
    terms = [
        Fact(name=term["name"], value=amount(term["amount"], currency))
        for term in cost["yearly"]["terms"]
        if term["amount"] != 0
    ]
    return [
        *terms,
        Fact(name=_("In a year"), value=amount(cost["yearly"]["total"], currency), strong=True),
        Fact(name=_("A million output tokens, at this load"), value=amount(tokens["at_load"], currency)),
        Fact(name=_("A million output tokens, flat out"), value=amount(tokens["at_full_load"], currency)),
    ]


def changed_figures(before: PlanVersion, after: PlanVersion) -> list[Changed]:
    """Figures that two versions were answered with, where they differ as they are shown."""
    old, new = figures_of(before.answer), figures_of(after.answer)
    pairs = [(str(name), figure_text(key, old), figure_text(key, new)) for key, (name, _u) in FIGURES.items()]
    return [Changed(name=name, before=one, after=other) for name, one, other in pairs if one != other]
