"""States and verdicts as shape, colour and word; plans as lists show them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from planner.amounts import amount
from planner.core.figures import DASH, NBSP, short
from planner.core.specs import Catalog
from planner.messages.plans import FLIPS
from planner.models import SavedPlan
from planner.plans.fields import card_name
from planner.setup import ENGINE_NAMES

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
    engine: str
    tpot: str
    rate: str
    price: str
    flipped: str
    lost: bool  # the catalog has its accelerator no longer


def mark(table: Mapping[str, tuple[str, str, Any]], key: str) -> Mark:
    """How a state is drawn."""
    css, icon, word = table[key]
    return Mark(css=css, icon=icon, word=word)


def row_of(plan: SavedPlan, catalog: Catalog) -> PlanRow:
    """A plan with its figures written out."""
    return PlanRow(
        plan=plan,
        state=mark(STATES, plan.state),
        verdict=mark(VERDICTS, plan.verdict),
        cards=f"{plan.count}{NBSP}×{NBSP}{card_name(plan.accelerator, catalog)}"
        if plan.accelerator
        else DASH,
        engine=ENGINE_NAMES.get(plan.engine, plan.engine),
        tpot=short(plan.tpot_ms),
        rate=short(plan.output_tokens_per_s),
        price=amount(plan.purchase, plan.currency),
        flipped=flips_in_words(plan.flipped),
        lost=bool(plan.accelerator) and plan.accelerator not in catalog.accelerators,
    )


def flips_in_words(codes: str) -> str:
    """What an evaluation found changed, in words."""
    return _(", ").join(str(FLIPS[code]) for code in codes.split(",") if code in FLIPS)
