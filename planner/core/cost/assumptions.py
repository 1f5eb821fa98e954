"""What the cost of owning is assumed to be made of, until a team says otherwise. No price of a card is among them."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumption:
    """One figure that a question or a team may replace.

    Amounts of money (`money`) have their default in US dollars and are exchanged like any price.
    kind: rule_of_thumb (where the field has a figure, in `source`) | assumed (ours, to be replaced).
    """

    name: str
    default: float
    unit: str  # as the catalog of units in planner/messages/cost.py words it
    low: float
    high: float
    kind: str
    source: str
    money: bool = False


ASSUMPTIONS: tuple[Assumption, ...] = (
    Assumption(
        name="depreciation_years",
        default=4,
        unit="years",
        low=1,
        high=10,
        kind="rule_of_thumb",
        source="Useful lives of servers in annual reports of cloud companies: 4 to 6 years, GPU servers at the lower end",
    ),
    Assumption(
        name="residual_share",
        default=0.1,
        unit="share",
        low=0,
        high=0.9,
        kind="assumed",
        source="What the cards still bring when they are written off",
    ),
    Assumption(
        name="host_share",
        default=0.25,
        unit="share_of_cards",
        low=0,
        high=5,
        kind="assumed",
        source="Chassis, processors, memory, disks and network beside the cards; replaced by the price of a platform",
    ),
    Assumption(
        name="spare_share",
        default=0.05,
        unit="share_of_cards",
        low=0,
        high=1,
        kind="assumed",
        source="Cards kept in the cupboard, spread over the fleet",
    ),
    Assumption(
        name="tariff_per_kwh",
        default=0.12,
        unit="money_per_kwh",
        low=0,
        high=5,
        kind="assumed",
        source="Electricity for a business; it is on the bill",
        money=True,
    ),
    Assumption(
        name="pue",
        default=1.5,
        unit="factor",
        low=1,
        high=3,
        kind="rule_of_thumb",
        source="Uptime Institute, global surveys 2020 to 2024: 1.55 to 1.6 on average. Cooling is in it and nowhere else",
    ),
    Assumption(
        name="busy_power_share",
        default=0.8,
        unit="share_of_board_power",
        low=0.05,
        high=1,
        kind="assumed",
        source="Decode waits for memory, so a card that decodes draws less than its limit",
    ),
    Assumption(
        name="idle_power_share",
        default=0.2,
        unit="share_of_board_power",
        low=0,
        high=1,
        kind="assumed",
        source="A card with a model loaded and no request",
    ),
    Assumption(
        name="host_power_w",
        default=100,
        unit="w_per_card",
        low=0,
        high=2000,
        kind="assumed",
        source="Processors, memory, fans and network, for each card",
    ),
    Assumption(
        name="annual_failure_rate",
        default=0.09,
        unit="share_per_year",
        low=0,
        high=1,
        kind="rule_of_thumb",
        source="The Llama 3 Herd of Models (arXiv 2407.21783), table 5: 148 GPU and 72 HBM failures of 16,384 cards in 54 days",
    ),
    Assumption(
        name="failure_cost_share",
        default=0.3,
        unit="share_of_card",
        low=0,
        high=2,
        kind="assumed",
        source="What a failed card costs beyond its warranty, shipping and standing still included",
    ),
    Assumption(
        name="hosting_per_month",
        default=0,
        unit="money_per_month",
        low=0,
        high=1e7,
        kind="assumed",
        source="A room of one's own; colocation has a price, and often electricity in it",
        money=True,
    ),
    Assumption(
        name="licence_per_card_year",
        default=0,
        unit="money_per_card_year",
        low=0,
        high=1e6,
        kind="assumed",
        source="The four engines are free software",
        money=True,
    ),
    *(
        Assumption(
            name=name,
            default=hours,
            unit="hours_per_month",
            low=0,
            high=744,
            kind="assumed",
            source="A small team that does it by hand",
        )
        for name, hours in (
            ("driver_hours", 2),
            ("engine_hours", 4),
            ("monitoring_hours", 4),
            ("weights_hours", 2),
        )
    ),
    Assumption(
        name="hourly_rate",
        default=40,
        unit="money_per_hour",
        low=0,
        high=10_000,
        kind="assumed",
        source="An engineer with everything on top of the wage",
        money=True,
    ),
)
BY_NAME: Mapping[str, Assumption] = {assumption.name: assumption for assumption in ASSUMPTIONS}
OPERATIONS = ("driver_hours", "engine_hours", "monitoring_hours", "weights_hours")


@dataclass(frozen=True, slots=True, kw_only=True)
class InForce:
    """A value that counts, and whose word it is: given (this question) | team | default."""

    name: str
    value: float
    unit: str
    by: str
    kind: str
    source: str


def in_force(
    *, given: Mapping[str, float], team: Mapping[str, Mapping[str, object]], usd: float
) -> dict[str, InForce]:
    """Every assumption as it counts: what the question gives, else the team's, else ours at `usd` per dollar.

    `team` has {name: {"value", "source"}}, money in the currency of the question.
    """
    found = {}
    for item in ASSUMPTIONS:
        if item.name in given:
            value, by, kind, source = given[item.name], "given", "given", ""
        elif item.name in team:
            entry = team[item.name]
            value, by, kind = float(str(entry["value"])), "team", "assumed"
            source = str(entry.get("source", ""))
        else:
            value = item.default * (usd if item.money else 1.0)
            by, kind, source = "default", item.kind, item.source
        found[item.name] = InForce(
            name=item.name, value=value, unit=item.unit, by=by, kind=kind, source=source
        )
    return found


def faults(given: Mapping[str, object], *, money_scale: float = 1.0) -> list[tuple[str, str, float, float]]:
    """(name, code, low, high) of each value that cannot be used: assumption_unknown | not_a_number | out_of_range.

    `money_scale` widens the bounds of amounts in currencies of small units.
    """
    found = []
    for name, value in given.items():
        item = BY_NAME.get(name)
        if item is None:
            found.append((name, "assumption_unknown", 0.0, 0.0))
            continue
        high = item.high * (max(1.0, money_scale) if item.money else 1.0)
        if isinstance(value, bool) or not isinstance(value, int | float):
            found.append((name, "not_a_number", item.low, high))
        elif not item.low <= value <= high:
            found.append((name, "out_of_range", item.low, high))
    return found
