"""What the pages of saved plans show."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from access.models import User
from access.roles import Role
from planner import pictures, presentation
from planner.amounts import amount
from planner.answers.plans import figures_of, in_words
from planner.charts import Bar
from planner.core.approval import legal
from planner.core.figures import DASH, count, short
from planner.core.parse import parse_request
from planner.core.plan_changes import differences
from planner.core.request import EstimateRequest
from planner.core.specs import Catalog
from planner.messages.plans import FIGURES, FLIPS, STEPS
from planner.models import PlanVersion, SavedPlan
from planner.plan.form import plan_of_request
from planner.presentation import Verdict
from planner.setup import ENGINE_NAMES, setup_of

STATES: dict[str, tuple[str, str, Any]] = {
    "draft": ("is-off", "i-never", gettext_lazy("draft")),
    "proposed": ("is-run", "i-info", gettext_lazy("proposed")),
    "approved": ("is-ok", "i-ok", gettext_lazy("approved")),
    "rejected": ("is-crit", "i-crit", gettext_lazy("rejected")),
}
VERDICTS: dict[str, tuple[str, str, Any]] = {
    "fits": ("is-ok", "i-ok", gettext_lazy("fits")),
    "does_not_fit": ("is-crit", "i-crit", gettext_lazy("does not fit")),
    "unsupported": ("is-off", "i-off", gettext_lazy("not supported")),
    "unknown": ("is-off", "i-off", gettext_lazy("not known")),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A state drawn as shape, colour and word."""

    css: str
    icon: str
    word: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRow:
    """A plan as lists show it."""

    plan: SavedPlan
    state: Mark
    verdict: Mark
    cards: str
    tpot: str
    rate: str
    price: str
    flipped: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepButton:
    """One step of the approval that may be taken now, or why it may not."""

    name: str
    label: Any
    needs_reason: bool
    primary: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BillRow:
    """One line of a bill, written out."""

    kind: str
    name: str
    note: str
    quantity: str
    unit_price: str
    total: str
    whose: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A figure with its name, written out."""

    name: Any
    value: str
    sub: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionPage:
    """One version of a plan: what it said, on which basis. `verdict` is None where the catalog lost a part of it."""

    title: str
    plan_query: str  # address of the set-up on the plan page, "" where its form has no input for something
    verdict: Verdict | None
    step: Bar | None
    memory: Bar | None
    figures: Sequence[Fact]
    bill: Sequence[BillRow]
    bill_total: str
    unpriced: str
    cost: Sequence[Fact]
    remarks: Sequence[str]
    basis: Mapping[str, Any]
    command: str
    lost: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """One field that differs between two versions."""

    path: str
    before: str
    after: str


def mark(table: Mapping[str, tuple[str, str, Any]], key: str) -> Mark:
    """How a state is drawn."""
    css, icon, word = table[key]
    return Mark(css=css, icon=icon, word=word)


def row_of(plan: SavedPlan) -> PlanRow:
    """A plan with its figures written out."""
    return PlanRow(
        plan=plan,
        state=mark(STATES, plan.state),
        verdict=mark(VERDICTS, plan.verdict),
        cards=f"{plan.count} × {plan.accelerator}" if plan.accelerator else DASH,
        tpot=short(plan.tpot_ms),
        rate=short(plan.output_tokens_per_s),
        price=amount(plan.purchase, plan.currency),
        flipped=flips_in_words(plan.flipped),
    )


def flips_in_words(codes: str) -> str:
    """What an evaluation found changed, in words."""
    return ", ".join(str(FLIPS[code]) for code in codes.split(",") if code in FLIPS)


def steps_for(plan: SavedPlan, user: User) -> list[StepButton]:
    """The steps that this user may at least try; the rules have the last word."""
    needed = {True: Role.APPROVER, False: Role.OPERATOR}
    return [
        StepButton(
            name=step.name,
            label=STEPS[step.name],
            needs_reason=step.needs_reason,
            primary=step.name in ("propose", "approve"),
        )
        for step in legal(plan.state)
        if user.may(needed[step.decides])
    ]


def version_page(version: PlanVersion, catalog: Catalog, *, with_prices: bool = True) -> VersionPage:
    """One version, in the reader's language, as it was answered then."""
    answer = in_words(copy.deepcopy(version.answer))
    request = version.content["request"]
    parsed = parse_request(request, catalog)
    known = isinstance(parsed, EstimateRequest)
    found, plan = answer["estimate"], plan_of_request(request)
    verdict = step = memory = None
    if isinstance(parsed, EstimateRequest):
        setup = setup_of(parsed, found["settings"] or ())
        if plan is not None:
            verdict = presentation.verdict(found, request, setup, plan)
        step, memory = pictures.step_bar(found), pictures.memory_bar(found, setup)
    bill, cost = answer["bill"], answer["cost"]
    return VersionPage(
        title=title_of(request),
        plan_query=plan.query() if plan is not None else "",
        verdict=verdict,
        step=step,
        memory=memory,
        figures=facts(figures_of(answer), with_prices=with_prices),
        bill=[bill_row(item, with_prices=with_prices) for item in bill["items"]],
        bill_total=amount(bill["total"], bill["currency"]) if with_prices else "",
        unpriced=", ".join(bill["unpriced"]) if with_prices else "",
        cost=cost_facts(cost) if with_prices else [],
        remarks=[remark["message"] for remark in cost["remarks"]] if with_prices else [],
        basis=version.basis,
        command=(found["commands"] or {}).get("shell") or "",
        lost=""
        if known
        else _("The catalog no longer has a part of this set-up; below is what was answered then."),
    )


def title_of(request: Mapping[str, Any]) -> str:
    """A set-up in one line."""
    model = str(request.get("model", {}).get("id") or "config.json").rpartition("/")[2]
    engine = (request.get("engine") or {}).get("name") or "vllm"
    card = request.get("accelerator") or _("no accelerator")
    cards = request.get("count") or 1
    return f"{model} · {cards} × {card} · {ENGINE_NAMES.get(engine, engine)}"


def facts(figures: Mapping[str, Any], *, with_prices: bool = True) -> list[Fact]:
    """The figures that plans are compared by, written out."""
    return [
        Fact(name=name, value=figure_text(key, figures))
        for key, (name, unit) in FIGURES.items()
        if with_prices or unit != "money"
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
    text = count(value) if key in ("running", "kv_cache_tokens", "power_w") else short(value)
    return f"{text} {unit}".strip()


def bill_row(item: Mapping[str, Any], *, with_prices: bool = True) -> BillRow:
    """One line of a bill, written out with whose word its price is."""
    price = item["price"] if with_prices else None
    return BillRow(
        kind=item["kind"],
        name=item["name"],
        note=item["note"]["message"] if item["note"] else "",
        quantity=count(item["quantity"]),
        unit_price=amount(item["unit_price"], item["currency"]) if with_prices else "",
        total=amount(item["total"], item["currency"]) if with_prices else "",
        whose=whose(price),
        source=price["source"] if price else "",
    )


def whose(price: Mapping[str, Any] | None) -> str:
    """Whose word a price is, and from when until when."""
    if price is None:
        return _("no price")
    if price["kind"] == "given":
        return _("given here")
    if price["kind"] == "public":
        low = price.get("stated_low")
        asked = (
            f"{amount(low, 'USD')}–{amount(price['stated'], 'USD')}"
            if low
            else amount(price["stated"], "USD")
        )
        return _("public, %(date)s: %(what)s (%(asked)s)") % {
            "date": price["quoted_on"],
            "what": price.get("basis_name", ""),
            "asked": asked,
        }
    parts = [price["supplier"], price["quoted_on"]]
    if price["valid_until"]:
        parts.append(_("valid until %s") % price["valid_until"])
    return " · ".join(parts)


def cost_facts(cost: Mapping[str, Any]) -> list[Fact]:
    """What a year costs, term by term, and what tokens come to."""
    currency = cost["currency"]
    terms = [
        Fact(name=term["name"], value=amount(term["amount"], currency))
        for term in cost["yearly"]["terms"]
        if term["amount"] != 0
    ]
    tokens = cost["per_million_output_tokens"]
    return [
        *terms,
        Fact(name=_("In a year"), value=amount(cost["yearly"]["total"], currency)),
        Fact(name=_("A million output tokens, at this load"), value=amount(tokens["at_load"], currency)),
        Fact(name=_("A million output tokens, flat out"), value=amount(tokens["at_full_load"], currency)),
    ]


def changed_fields(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Changed]:
    """Fields of two contents that differ, as text."""
    return [
        Changed(path=item.path, before=text_of(item.before), after=text_of(item.after))
        for item in differences(before, after)
    ]


def text_of(value: Any) -> str:
    """A value of a content as a table shows it."""
    if value is None:
        return DASH
    if isinstance(value, list):
        return "; ".join(text_of(item) for item in value) or DASH
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {text_of(item)}" for key, item in value.items())
    return str(value)


def changed_figures(before: PlanVersion, after: PlanVersion) -> list[Changed]:
    """Figures that two versions were answered with, where they differ."""
    old, new = figures_of(before.answer), figures_of(after.answer)
    return [
        Changed(path=str(name), before=figure_text(key, old), after=figure_text(key, new))
        for key, (name, _unit) in FIGURES.items()
        if old.get(key) != new.get(key)
    ]
