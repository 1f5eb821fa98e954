"""The cost of owning a set-up for a year, term by term, and of a million tokens.

Each term keeps its formula and values, so that a page can show the sum. Cooling is in the PUE and nowhere else.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from planner.core.batch import FloatArray
from planner.core.cost.assumptions import OPERATIONS

HOURS_PER_YEAR = 8_760
DAYS_PER_YEAR = 365
SECONDS_PER_DAY = 86_400
MONTHS_PER_YEAR = 12
MILLION = 1_000_000
WATTS_PER_KW = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Owned:
    """What is bought. Amounts are in one currency; None is not known, never free."""

    count: int
    card_price: float | None
    platform_price: float | None  # of all servers together; None: the share that is assumed
    extra_price: float | None  # other items of a bill
    board_power_w: float | None  # of one card
    spare_cards: int = 0  # named by number; 0: the share that is assumed


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """What it does: output tokens a day as it is used and flat out, and the share of time that it works.

    `asked` is what the load asks for: more than `at_load` where the set-up cannot serve it.
    """

    asked: float | None
    at_load: float | None
    at_full_load: float | None
    input_per_output: float | None

    @property
    def duty(self) -> float | None:
        """Share of time at work; None where it does not decode, or nothing is asked of it."""
        if self.at_load is None or not self.at_full_load:
            return None
        return self.at_load / self.at_full_load


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One part of a sum. `amount` is in the currency; None where an input is not known.

    Names in `values` that are assumptions have the name of the assumption.
    """

    item: str
    amount: float | None
    formula: str
    values: Mapping[str, float | int | None]


def purchase_terms(owned: Owned, a: Mapping[str, float]) -> list[Term]:
    """What is paid at the start."""
    cards = _times(owned.card_price, owned.count)
    return [
        Term(
            item="cards",
            amount=cards,
            formula="price of one × count",
            values={"unit_price": owned.card_price, "count": owned.count},
        ),
        _host(owned, a, cards),
        _share_term("network", cards, "network_share", a),
        _spares(owned, a, cards),
        Term(item="extras", amount=owned.extra_price, formula="other items of the bill", values={}),
    ]


def _host(owned: Owned, a: Mapping[str, float], cards: float | None) -> Term:
    if owned.platform_price is None:
        return _share_term("host", cards, "host_share", a)
    return Term(
        item="host",
        amount=owned.platform_price,
        formula="price of the platform",
        values={"platform_price": owned.platform_price},
    )


def _spares(owned: Owned, a: Mapping[str, float], cards: float | None) -> Term:
    """Spare cards by number where a number is named, else by share: never both."""
    if not owned.spare_cards:
        return _share_term("spares", cards, "spare_share", a)
    return Term(
        item="spares",
        amount=_times(owned.card_price, owned.spare_cards),
        formula="price of one × count",
        values={"unit_price": owned.card_price, "count": owned.spare_cards},
    )


def _share_term(item: str, cards: float | None, name: str, a: Mapping[str, float]) -> Term:
    return Term(
        item=item,
        amount=_times(cards, a[name]),
        formula="cards × share",
        values={"cards": cards, name: a[name]},
    )


def total(terms: Sequence[Term]) -> float | None:
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
        _hosting(owned, a),
        _failures(owned, a),
        *_operations(a),
        Term(
            item="licence",
            amount=a["licence_per_card_year"] * owned.count,
            formula="licence of one × count",
            values={"licence_per_card_year": a["licence_per_card_year"], "count": owned.count},
        ),
    ]


def _depreciation(purchase: float | None, a: Mapping[str, float]) -> Term:
    names = ("residual_share", "depreciation_years")
    amount = None if purchase is None else purchase * (1 - a["residual_share"]) / a["depreciation_years"]
    return Term(
        item="depreciation",
        amount=amount,
        formula="purchase × (1 − residual share) ÷ years",
        values={"purchase": purchase, **{name: a[name] for name in names}},
    )


def _power(owned: Owned, a: Mapping[str, float], duty: float | None) -> Term:
    """Board power between idle and busy by the share of time that the card works, host beside it, all times PUE."""
    watts = None
    if owned.board_power_w is not None and duty is not None:
        share = a["idle_power_share"] + (a["busy_power_share"] - a["idle_power_share"]) * duty
        watts = owned.count * (owned.board_power_w * share + a["host_power_w"])
    kwh = None if watts is None else watts / WATTS_PER_KW * HOURS_PER_YEAR * a["pue"]
    names = ("idle_power_share", "busy_power_share", "host_power_w", "pue", "tariff_per_kwh")
    return Term(
        item="power",
        amount=_times(kwh, a["tariff_per_kwh"]),
        formula="cards × (board power × (idle + (busy − idle) × duty) + host) × 8,760 h × PUE × tariff",
        values={
            "count": owned.count,
            "board_power_w": owned.board_power_w,
            "duty": duty,
            **{name: a[name] for name in names},
            "kwh": kwh,
        },
    )


def _hosting(owned: Owned, a: Mapping[str, float]) -> Term:
    """A room by the month, by the kilowatt of full board power, and by the rack unit: what is not paid is 0."""
    watts = None if owned.board_power_w is None else owned.board_power_w + a["host_power_w"]
    by_power = 0.0
    if a["hosting_per_kw_month"]:
        by_power = np.nan if watts is None else owned.count * watts / WATTS_PER_KW * a["hosting_per_kw_month"]
    by_unit = owned.count * a["rack_units_per_card"] * a["hosting_per_unit_month"]
    month = a["hosting_per_month"] + by_power + by_unit
    names = ("hosting_per_month", "hosting_per_kw_month", "hosting_per_unit_month", "rack_units_per_card")
    return Term(
        item="hosting",
        amount=month * MONTHS_PER_YEAR if np.isfinite(month) else None,
        formula="(room + kW × price of one + rack units × price of one) × 12",
        values={
            "count": owned.count,
            "board_power_w": owned.board_power_w,
            "host_power_w": a["host_power_w"],
            **{name: a[name] for name in names},
        },
    )


def _failures(owned: Owned, a: Mapping[str, float]) -> Term:
    names = ("annual_failure_rate", "failure_cost_share")
    return Term(
        item="failures",
        amount=_times(owned.card_price, a["annual_failure_rate"] * a["failure_cost_share"] * owned.count),
        formula="cards × failures a year × cost of one, as a share of a card × price of one",
        values={"count": owned.count, **{name: a[name] for name in names}, "unit_price": owned.card_price},
    )


def _operations(a: Mapping[str, float]) -> list[Term]:
    return [
        Term(
            item=name,
            amount=a[name] * MONTHS_PER_YEAR * a["hourly_rate"],
            formula="hours a month × 12 × hourly rate",
            values={name: a[name], "hourly_rate": a["hourly_rate"]},
        )
        for name in OPERATIONS
    ]


def effort_per_year(a: Mapping[str, float]) -> float:
    """What the work of a year costs, owned or rented."""
    return sum(a[name] for name in OPERATIONS) * MONTHS_PER_YEAR * a["hourly_rate"]


def per_million(yearly: float | None, tokens_per_day: float | None) -> float | None:
    """Cost of a million tokens; None without a cost or without tokens, or with too few of them for a finite one."""
    if yearly is None or not tokens_per_day:
        return None
    cost = yearly / (tokens_per_day * DAYS_PER_YEAR) * MILLION
    return cost if np.isfinite(cost) else None


def by_utilization(
    owned: Owned, a: Mapping[str, float], *, purchase: float | None, at_full_load: float, shares: FloatArray
) -> FloatArray:
    """Cost of a million output tokens (n,) at shares (n,) of what the set-up can do; NaN where it is not known."""
    costs = [total(yearly_terms(owned, a, purchase=purchase, duty=float(share))) for share in shares]
    each = [per_million(cost, at_full_load * float(share)) for cost, share in zip(costs, shares, strict=True)]
    return np.array([np.nan if one is None else one for one in each], dtype=np.float64)


def _times(amount: float | None, factor: float) -> float | None:
    return None if amount is None else amount * factor
