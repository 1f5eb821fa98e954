"""The cost of owning a set-up for a year, term by term, and of a million tokens.

Each term keeps its formula and values, so that a page can show the sum. Cooling is in the PUE and nowhere else.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from planner.core.cost.assumptions import OPERATIONS

HOURS_PER_YEAR = 8_760
DAYS_PER_YEAR = 365
SECONDS_PER_DAY = 86_400
MONTHS_PER_YEAR = 12
MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Owned:
    """What is bought. Amounts are in one currency; None is not known, never free."""

    count: int
    card_price: float | None
    platform_price: float | None  # of all servers together; None: the share that is assumed
    extra_price: float  # other items of a bill that have a price
    board_power_w: float | None  # of one card


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """What it does: output tokens a day as it is used and flat out, and the share of time that it works."""

    at_load: float | None
    at_full_load: float | None
    duty: float | None
    input_per_output: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One part of a sum. `amount` is in the currency; None where an input is not known."""

    item: str
    amount: float | None
    formula: str
    values: Mapping[str, Any]


def purchase_terms(owned: Owned, a: Mapping[str, float]) -> list[Term]:
    """What is paid at the start."""
    cards = None if owned.card_price is None else owned.card_price * owned.count
    host = owned.platform_price if owned.platform_price is not None else _times(cards, a["host_share"])
    host_formula = "price of the platform" if owned.platform_price is not None else "cards × host share"
    return [
        Term(
            item="cards",
            amount=cards,
            formula="price of one × count",
            values={"unit_price": owned.card_price, "count": owned.count},
        ),
        Term(
            item="host",
            amount=host,
            formula=host_formula,
            values={"cards": cards, "host_share": a["host_share"]},
        ),
        Term(
            item="spares",
            amount=_times(cards, a["spare_share"]),
            formula="cards × spare share",
            values={"cards": cards, "spare_share": a["spare_share"]},
        ),
        Term(item="extras", amount=owned.extra_price, formula="other items of the bill", values={}),
    ]


def total(terms: list[Term]) -> float | None:
    """The sum; None as soon as one part is not known."""
    amounts = [term.amount for term in terms]
    return None if any(amount is None for amount in amounts) else sum(amount or 0.0 for amount in amounts)


def yearly_terms(
    owned: Owned, a: Mapping[str, float], *, purchase: float | None, duty: float | None
) -> list[Term]:
    """What a year costs when the cards work the share `duty` of the time."""
    return [
        _depreciation(purchase, a),
        _power(owned, a, duty),
        Term(
            item="hosting",
            amount=a["hosting_per_month"] * MONTHS_PER_YEAR,
            formula="hosting per month × 12",
            values={"hosting_per_month": a["hosting_per_month"]},
        ),
        _failures(owned, a),
        *_operations(a),
        Term(
            item="licence",
            amount=a["licence_per_card_year"] * owned.count,
            formula="licence per card × count",
            values={"licence_per_card_year": a["licence_per_card_year"], "count": owned.count},
        ),
    ]


def _depreciation(purchase: float | None, a: Mapping[str, float]) -> Term:
    amount = None if purchase is None else purchase * (1 - a["residual_share"]) / a["depreciation_years"]
    return Term(
        item="depreciation",
        amount=amount,
        formula="purchase × (1 − residual share) ÷ years",
        values={
            "purchase": purchase,
            "residual_share": a["residual_share"],
            "years": a["depreciation_years"],
        },
    )


def _power(owned: Owned, a: Mapping[str, float], duty: float | None) -> Term:
    """Board power between idle and busy by the share of time that the card works, host beside it, all times PUE."""
    watts = None
    if owned.board_power_w is not None and duty is not None:
        share = a["idle_power_share"] + (a["busy_power_share"] - a["idle_power_share"]) * duty
        watts = owned.count * (owned.board_power_w * share + a["host_power_w"])
    kwh = None if watts is None else watts / 1000 * HOURS_PER_YEAR * a["pue"]
    return Term(
        item="power",
        amount=_times(kwh, a["tariff_per_kwh"]),
        formula="cards × (board power × (idle + (busy − idle) × duty) + host) × 8,760 h × PUE × tariff",
        values={
            "count": owned.count,
            "board_power_w": owned.board_power_w,
            "idle": a["idle_power_share"],
            "busy": a["busy_power_share"],
            "duty": duty,
            "host_w": a["host_power_w"],
            "pue": a["pue"],
            "tariff": a["tariff_per_kwh"],
            "kwh": kwh,
        },
    )


def _failures(owned: Owned, a: Mapping[str, float]) -> Term:
    rate = a["annual_failure_rate"] * a["failure_cost_share"] * owned.count
    return Term(
        item="failures",
        amount=_times(owned.card_price, rate),
        formula="cards × failures a year × cost of one, as a share of a card × price of one",
        values={
            "count": owned.count,
            "annual_failure_rate": a["annual_failure_rate"],
            "failure_cost_share": a["failure_cost_share"],
            "unit_price": owned.card_price,
        },
    )


def _operations(a: Mapping[str, float]) -> list[Term]:
    return [
        Term(
            item=name,
            amount=a[name] * MONTHS_PER_YEAR * a["hourly_rate"],
            formula="hours a month × 12 × hourly rate",
            values={"hours": a[name], "hourly_rate": a["hourly_rate"]},
        )
        for name in OPERATIONS
    ]


def per_million(yearly: float | None, tokens_per_day: float | None) -> float | None:
    """Cost of a million tokens; None without a cost or without tokens."""
    if yearly is None or not tokens_per_day:
        return None
    return yearly / (tokens_per_day * DAYS_PER_YEAR) * MILLION


def _times(amount: float | None, factor: float) -> float | None:
    return None if amount is None else amount * factor
