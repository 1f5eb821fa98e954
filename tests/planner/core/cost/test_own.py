"""The cost of owning: one example added up by hand, and what follows when a part of it is not known."""

import math
from dataclasses import replace

import numpy as np
import pytest

from planner.core.cost.assumptions import ASSUMPTIONS, BY_NAME, GROUPS, OPERATIONS, faults, in_force
from planner.core.cost.own import (
    Owned,
    Term,
    Tokens,
    by_utilization,
    effort_per_year,
    per_million,
    purchase_terms,
    total,
    yearly_terms,
)

# Two cards of 2,000 each, 400 W, a quarter of the time at work.
CARDS = Owned(count=2, card_price=2000, platform_price=None, extra_price=150, board_power_w=400)
GIVEN = {
    "depreciation_years": 4,
    "residual_share": 0.1,
    "host_share": 0.25,
    "network_share": 0.05,
    "spare_share": 0.05,
    "tariff_per_kwh": 0.1,
    "pue": 1.5,
    "busy_power_share": 0.8,
    "idle_power_share": 0.2,
    "host_power_w": 100,
    "annual_failure_rate": 0.1,
    "failure_cost_share": 0.3,
    "hosting_per_month": 10,
    "hosting_per_kw_month": 20,
    "hosting_per_unit_month": 5,
    "rack_units_per_card": 0.5,
    "licence_per_card_year": 50,
    "driver_hours": 1,
    "engine_hours": 2,
    "monitoring_hours": 3,
    "weights_hours": 4,
    "oncall_hours": 0,
    "hourly_rate": 30,
}


def amounts(terms: list[Term]) -> dict[str, float | None]:
    return {term.item: term.amount and round(term.amount, 6) for term in terms}


def test_purchase_by_hand() -> None:
    # cards 2 × 2,000; servers a quarter of them; network and spares a twentieth each; 150 of other items: 5,550
    terms = purchase_terms(CARDS, GIVEN)
    assert amounts(terms) == {"cards": 4000, "host": 1000, "network": 200, "spares": 200, "extras": 150}
    assert total(terms) == 5550


def test_year_by_hand() -> None:
    # depreciation 5,550 × 0.9 ÷ 4 = 1,248.75
    # power: 400 W × (0.2 + 0.6 × 0.25) + 100 W = 240 W; 2 × 240 W × 8,760 h × 1.5 = 6,307.2 kWh × 0.1 = 630.72
    # hosting: (10 + 2 × 0.5 kW × 20 + 2 × 0.5 units × 5) × 12 = 35 × 12 = 420
    # failures: 2 × 0.1 × 0.3 × 2,000 = 120; work (1 + 2 + 3 + 4) h × 12 × 30 = 3,600; licences 2 × 50 = 100
    terms = yearly_terms(CARDS, GIVEN, purchase=5550, duty=0.25)
    assert amounts(terms) == {
        "depreciation": 1248.75,
        "power": 630.72,
        "hosting": 420,
        "failures": 120,
        "driver_hours": 360,
        "engine_hours": 720,
        "monitoring_hours": 1080,
        "weights_hours": 1440,
        "oncall_hours": 0,
        "licence": 100,
    }
    assert total(terms) == pytest.approx(6119.47)
    # 10 million tokens a day are 3,650 million a year
    assert per_million(total(terms), 10e6) == pytest.approx(6119.47 / 3650)


def test_cooling_is_in_the_pue_and_nowhere_else() -> None:
    at = {
        factor: yearly_terms(CARDS, {**GIVEN, "pue": factor}, purchase=5550, duty=0.25) for factor in (1, 2)
    }
    changed = [a.item for a, b in zip(at[1], at[2], strict=True) if a.amount != b.amount]
    assert changed == ["power"]
    assert amounts(at[2])["power"] == 2 * 420.48  # 4,204.8 kWh without any cooling


def test_price_of_a_platform_replaces_the_share_of_servers() -> None:
    terms = purchase_terms(replace(CARDS, platform_price=900), GIVEN)
    assert amounts(terms)["host"] == 900


def test_spares_by_number_replace_the_share() -> None:
    terms = purchase_terms(replace(CARDS, spare_cards=1), GIVEN)
    assert amounts(terms)["spares"] == 2000


@pytest.mark.parametrize(
    ("lacks", "unknown"),
    [
        ({"card_price": None}, {"cards", "host", "network", "spares", "depreciation", "failures"}),
        ({"board_power_w": None}, {"power", "hosting"}),
        ({"extra_price": None}, {"extras", "depreciation"}),
    ],
)
def test_what_is_not_known_leaves_its_terms_and_the_sums_unknown(
    lacks: dict[str, None], unknown: set[str]
) -> None:
    owned = replace(CARDS, **lacks)
    bought = purchase_terms(owned, GIVEN)
    yearly = yearly_terms(owned, GIVEN, purchase=total(bought), duty=0.25)
    assert {term.item for term in [*bought, *yearly] if term.amount is None} == unknown
    assert total(yearly) is None


def test_unknown_power_is_no_matter_to_hosting_that_is_not_paid_by_power() -> None:
    owned = replace(CARDS, board_power_w=None)
    terms = yearly_terms(owned, {**GIVEN, "hosting_per_kw_month": 0}, purchase=5550, duty=0.25)
    assert amounts(terms)["hosting"] == 180  # (10 + 5) × 12


@pytest.mark.parametrize(("yearly", "tokens"), [(None, 1e6), (100.0, None), (100.0, 0.0), (None, None)])
def test_million_tokens_cost_nothing_known_without_cost_or_tokens(
    yearly: float | None, tokens: float | None
) -> None:
    assert per_million(yearly, tokens) is None


@pytest.mark.parametrize(
    ("at_load", "full", "duty"), [(5.0, 20.0, 0.25), (None, 20.0, None), (5.0, 0.0, None)]
)
def test_duty_is_the_share_of_what_could_be_made(
    at_load: float | None, full: float, duty: float | None
) -> None:
    assert Tokens(asked=at_load, at_load=at_load, at_full_load=full, input_per_output=None).duty == duty


def test_tokens_cost_less_the_more_a_set_up_works() -> None:
    shares = np.array([0.0, 0.05, 0.1, 0.5, 1.0])
    costs = by_utilization(CARDS, GIVEN, purchase=5550, at_full_load=1e6, shares=shares)
    assert math.isnan(costs[0])  # no tokens to divide by
    assert (np.diff(costs[1:]) < 0).all()
    # nearly everything is paid whether it works or not: at a twentieth the same tokens cost 15 to 20 times as much
    assert 15 < costs[1] / costs[4] < 20


def test_effort_is_the_same_whether_owned_or_rented() -> None:
    terms = yearly_terms(CARDS, GIVEN, purchase=5550, duty=0.25)
    assert effort_per_year(GIVEN) == sum(term.amount or 0 for term in terms if term.item in OPERATIONS)


def test_values_of_a_term_that_are_assumptions_have_their_names() -> None:
    terms = [*purchase_terms(CARDS, GIVEN), *yearly_terms(CARDS, GIVEN, purchase=5550, duty=0.25)]
    used = {name for term in terms for name in term.values if name in BY_NAME}
    assert used == set(BY_NAME) - {"busy_hours_per_day"}  # which the load is found with


def test_failure_rate_is_that_of_the_paper() -> None:
    # Llama 3 herd of models, table 5: 148 GPU and 72 HBM failures of 16,384 cards in 54 days
    rate = (148 + 72) / 16_384 * 365 / 54
    assert BY_NAME["annual_failure_rate"].default == pytest.approx(rate, abs=0.002)


def test_defaults_lie_within_their_bounds_and_groups() -> None:
    assert [item.name for item in ASSUMPTIONS if not item.low <= item.default <= item.high] == []
    assert {item.group for item in ASSUMPTIONS} == set(GROUPS)


def test_question_comes_before_team_and_team_before_default() -> None:
    team = {"pue": {"value": 1.3, "source": "meter of the room"}, "hourly_rate": {"value": 300}}
    used = in_force(given={"hourly_rate": 200.0}, team=team, usd=7.1)
    assert (used["hourly_rate"].value, used["hourly_rate"].by) == (200, "given")
    assert (used["pue"].value, used["pue"].by, used["pue"].source) == (1.3, "team", "meter of the room")
    assert used["tariff_per_kwh"].value == pytest.approx(0.12 * 7.1)
    assert used["depreciation_years"].kind == "rule_of_thumb"


def test_values_that_cannot_be_are_named_with_their_bounds() -> None:
    given = {
        "pue": 0.9,
        "nonsense": 1,
        "tariff_per_kwh": 30,
        "hourly_rate": True,
        "spare_share": float("nan"),
    }
    assert [(name, code) for name, code, _low, _high in faults(given)] == [
        ("pue", "out_of_range"),
        ("nonsense", "assumption_unknown"),
        ("tariff_per_kwh", "out_of_range"),
        ("hourly_rate", "not_a_number"),
        ("spare_share", "out_of_range"),
    ]
    assert faults({"tariff_per_kwh": 30}, money_scale=7.1) == []
