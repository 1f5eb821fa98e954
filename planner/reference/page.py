"""Everything that the reference sheet shows: recomputed from the catalog, once per process and state of it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _

from planner.answers.limits import layout
from planner.core import CORE_VERSION
from planner.core.figures import NBSP, count, short, span
from planner.core.recipe import CARD, CONTEXT, MODEL, USERS, Step, recipe
from planner.core.reference import LOADS, SPEED_OF, Held, Load, Precision, SheetRow, sheet
from planner.core.reference_rules import Checked, checked
from planner.core.request import EstimateRequest
from planner.core.search.answer import request_of
from planner.core.specs import Catalog
from planner.messages import word
from planner.messages.reference import CLAIMS, FINDINGS, SAYINGS, SOURCES, WHY
from planner.plan.form import plan_of_request

BILLION = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A set-up that holds a load, or why there is none. `fewest`: the one with fewer cards, where that is another."""

    text: str
    sub: str = ""
    link: str = ""
    fewest: str = ""
    fewest_link: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One precision of one model."""

    scheme: str
    published: bool
    weights: str
    kv: str
    cells: Sequence[Cell]
    tpot: str
    tpot_span: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One model with its lines."""

    label: str
    model: str
    size: str
    lines: Sequence[Line]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A saying and what is so. `marks`: per load, ok or crit, and how many contexts fit."""

    saying: str
    source: str
    reckons: str
    exactly: str
    marks: Sequence[tuple[str, str]]
    why: str
    link: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One claim of the recipe and what is found."""

    state: str
    claim: str
    finding: str
    link: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferencePage:
    """The context of templates/planner/reference.html."""

    title: str
    answer: str
    loads: Sequence[str]
    blocks: Sequence[Block]
    engine: str
    told: Sequence[Told]
    claims: Sequence[Claim]
    recipe_command: str
    check_link: str
    basis: Mapping[str, Any]


_sheets: dict[str, tuple[list[SheetRow], list[Checked], list[Step]]] = {}


def reference_page(catalog: Catalog) -> ReferencePage:
    """The sheet, the sayings and the recipe in words."""
    if catalog.hash not in _sheets:
        _sheets.clear()
        _sheets[catalog.hash] = (sheet(catalog), checked(catalog), recipe(catalog))
    rows, sayings, steps = _sheets[catalog.hash]
    command = recipe_command()
    return ReferencePage(
        title=_("What does it take at least?"),
        answer=_answer(rows),
        loads=[_load(load) for load in LOADS],
        blocks=[_block(row) for row in rows],
        engine=_engine(rows),
        told=[_told(item) for item in sayings],
        claims=[_claim(step) for step in steps],
        recipe_command=command,
        check_link=_check_link(command),
        basis={"catalog": catalog.hash, "core": CORE_VERSION, "calibration": None},
    )


def recipe_command() -> str:
    """The recipe as it goes round."""
    return (
        f"vllm serve {MODEL} --quantization awq --kv-cache-dtype int8 "
        f"--max-model-len {CONTEXT} --max-num-seqs {USERS} --gpu-memory-utilization 0.9"
    )


def _check_link(command: str) -> str:
    try:
        return f"{reverse('planner:check')}?{urlencode({'q': command, 'a': CARD})}"
    except NoReverseMatch:
        return ""


def _load(load: Load) -> str:
    return _("%(users)s × %(context)s tokens") % {"users": load.users, "context": count(load.context)}


def _engine(rows: Sequence[SheetRow]) -> str:
    held = [cell for row in rows for item in row.precisions for cell in item.smallest if cell]
    return f"vLLM{NBSP}{held[0].request.engine.version}" if held else "vLLM"


def _answer(rows: Sequence[SheetRow]) -> str:
    """The first sentence: the largest that 16 short contexts leave room for on one card of 24 and of 80 GB."""
    if not rows:
        return _("The catalog holds none of the models of this sheet.")
    parts = [
        _("%(model)s in %(scheme)s on %(card)s")
        % {
            "model": row.model.id.rpartition("/")[2],
            "scheme": item.scheme.id,
            "card": _cards(held),
        }
        for size in (24, 80)
        for row, item, held in [_largest_on(rows, size)]
        if held is not None
    ]
    load = _load(LOADS[SPEED_OF])
    return _("The largest that keep %(load)s on one card: %(models)s.") % {
        "load": load,
        "models": "; ".join(parts),
    }


def _largest_on(rows: Sequence[SheetRow], gb: int) -> tuple[SheetRow, Precision, Held | None]:
    """The largest model, in its widest precision, whose smallest single card has at most `gb`."""
    found = [
        (row, item, held)
        for row in rows
        for item in row.precisions
        for held in [item.smallest[SPEED_OF]]
        if held is not None and held.request.count == 1 and held.total_gib <= gb
    ]
    if not found:
        return rows[0], rows[0].precisions[0], None
    return max(found, key=lambda item: (item[0].parameters, item[1].scheme.bytes_per_weight))


def _block(row: SheetRow) -> Block:
    return Block(
        label=row.label,
        model=row.model.id,
        size=short(row.parameters / BILLION),
        lines=[_line(row, item) for item in row.precisions],
    )


def _line(row: SheetRow, item: Precision) -> Line:
    held = item.smallest[SPEED_OF]
    known = held is not None and math.isfinite(held.tpot_ms)
    return Line(
        scheme=item.scheme.id,
        published=item.published,
        weights=short(item.weights_gib),
        kv=short(item.kv_gib_per_1k_tokens),
        cells=[
            _cell(smallest, fewest, beyond=beyond)
            for smallest, fewest, beyond in zip(item.smallest, item.fewest_cards, row.beyond, strict=True)
        ],
        tpot=short(held.tpot_ms) if held is not None and known else short(None),
        tpot_span=span(held.tpot_low_ms, held.tpot_high_ms) if held is not None and known else "",
    )


def _cell(smallest: Held | None, fewest: Held | None, *, beyond: bool) -> Cell:
    if beyond:
        return Cell(text=_("beyond the model's limit"))
    if smallest is None or fewest is None:
        return Cell(text=_("more than 8 cards"))
    other = fewest.request.count < smallest.request.count
    return Cell(
        text=_cards(smallest),
        sub=_spread(smallest.request),
        link=plan_link(smallest.request),
        fewest=_cards(fewest) if other else "",
        fewest_link=plan_link(fewest.request) if other else "",
    )


def _cards(held: Held) -> str:
    card = held.request.accelerator
    return f"{held.request.count}{NBSP}×{NBSP}{card.name if card else ''}"


def _spread(request: EstimateRequest) -> str:
    degrees = request.parallelism
    shown = layout({"tensor": degrees.tensor, "pipeline": degrees.pipeline, "data": degrees.data})
    return ", ".join(filter(None, (shown, "EP" if degrees.expert else "")))


def plan_link(request: EstimateRequest) -> str:
    """The address of the whole answer."""
    plan = plan_of_request(request_of(request))
    return "" if plan is None else f"{reverse('planner:plan')}?{plan.query()}"


def _told(item: Checked) -> Told:
    values = {
        "weights_gib": short(item.weights_gib),
        "left_gib": short(item.left_gib),
        "kv_gib": short(item.kv_per_context_gib),
        "short_gib": short(item.short_gib),
        "contexts": short(item.contexts[SPEED_OF], 2),
    }
    code = item.saying.code
    return Told(
        saying=str(SAYINGS[code]),
        source=str(SOURCES[code]),
        reckons=short(item.saying.stated_gb),
        exactly=f"{short(item.weights_gib)} / {short(item.card_gib)}",
        marks=[
            ("ok" if held else "crit", _mark(held, contexts, load))
            for held, contexts, load in zip(item.holds, item.contexts, LOADS, strict=True)
        ],
        why=word(WHY, code, values),
        link=plan_link(item.request),
    )


def _mark(held: bool, contexts: float, load: Load) -> str:
    if held:
        return _("holds")
    if not math.isfinite(contexts):
        return _("does not start")
    return _("%(some)s of %(all)s") % {"some": math.floor(contexts), "all": load.users}


def _claim(step: Step) -> Claim:
    values = {name: _shown(value) for name, value in step.values.items()}
    if "tpot_low_ms" in step.values:
        values["span"] = span(step.values["tpot_low_ms"], step.values["tpot_high_ms"])
    # the last two claims are refuted by what does hold
    holds = step.holds if step.code not in ("recipe_real_lengths", "recipe_grouped_heads") else not step.holds
    return Claim(
        state="ok" if holds else "crit",
        claim=word(CLAIMS, step.code, values),
        finding=word(FINDINGS, step.code, values),
        link=plan_link(step.request),
    )


def _shown(value: Any) -> str:
    if isinstance(value, str) or value is None:
        return value or ""
    return count(value) if isinstance(value, int) else short(value)
