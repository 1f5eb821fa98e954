"""What the cost of owning is assumed to be made of, until a team says otherwise. No price of a card is among them."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumption:
    """One figure that a question or a team may replace.

    Amounts of money have their default in US dollars and are exchanged like any price.
    kind: rule_of_thumb (the field has a figure) | assumed (ours, to be replaced). group: of GROUPS.
    """

    name: str
    default: float
    unit: str  # as the catalog of units in planner/messages/cost.py words it
    low: float
    high: float
    kind: str
    group: str

    @property
    def money(self) -> bool:
        """Whether it is an amount of money."""
        return self.name in MONEY


# (name, default, unit, low, high, kind, group); where each comes from is in planner/messages/cost.py.
_TABLE: tuple[tuple[str, float, str, float, float, str, str], ...] = (
    ("busy_hours_per_day", 8, "hours_per_day", 0, 24, "assumed", "load"),
    ("depreciation_years", 4, "years", 1, 10, "rule_of_thumb", "purchase"),
    ("residual_share", 0.1, "share", 0, 0.9, "assumed", "purchase"),
    ("host_share", 0.2, "share_of_cards", 0, 5, "assumed", "purchase"),
    ("network_share", 0.05, "share_of_cards", 0, 5, "assumed", "purchase"),
    ("spare_share", 0.05, "share_of_cards", 0, 1, "assumed", "purchase"),
    ("tariff_per_kwh", 0.12, "money_per_kwh", 0, 5, "assumed", "power"),
    ("pue", 1.5, "factor", 1, 3, "rule_of_thumb", "power"),
    ("busy_power_share", 0.8, "share_of_board_power", 0.05, 1, "assumed", "power"),
    ("idle_power_share", 0.2, "share_of_board_power", 0, 1, "assumed", "power"),
    ("host_power_w", 100, "w_per_card", 0, 2000, "assumed", "power"),
    ("hosting_per_month", 0, "money_per_month", 0, 1e7, "assumed", "hosting"),
    ("hosting_per_kw_month", 0, "money_per_kw_month", 0, 1e5, "assumed", "hosting"),
    ("hosting_per_unit_month", 0, "money_per_unit_month", 0, 1e5, "assumed", "hosting"),
    ("rack_units_per_card", 0.5, "units_per_card", 0, 48, "assumed", "hosting"),
    ("licence_per_card_year", 0, "money_per_card_year", 0, 1e6, "assumed", "hosting"),
    ("annual_failure_rate", 0.09, "share_per_year", 0, 1, "rule_of_thumb", "failures"),
    ("failure_cost_share", 0.3, "share_of_card", 0, 2, "assumed", "failures"),
    ("driver_hours", 2, "hours_per_month", 0, 744, "assumed", "work"),
    ("engine_hours", 4, "hours_per_month", 0, 744, "assumed", "work"),
    ("monitoring_hours", 4, "hours_per_month", 0, 744, "assumed", "work"),
    ("weights_hours", 2, "hours_per_month", 0, 744, "assumed", "work"),
    ("oncall_hours", 0, "hours_per_month", 0, 744, "assumed", "work"),
    ("hourly_rate", 40, "money_per_hour", 0, 10000, "assumed", "work"),
)
MONEY = frozenset(row[0] for row in _TABLE if row[2].startswith("money_"))
ASSUMPTIONS = tuple(
    Assumption(name=name, default=default, unit=unit, low=low, high=high, kind=kind, group=group)
    for name, default, unit, low, high, kind, group in _TABLE
)
BY_NAME: Mapping[str, Assumption] = {item.name: item for item in ASSUMPTIONS}
GROUPS = ("load", "purchase", "power", "hosting", "failures", "work")
OPERATIONS = ("driver_hours", "engine_hours", "monitoring_hours", "weights_hours", "oncall_hours")


@dataclass(frozen=True, slots=True, kw_only=True)
class InForce:
    """A value that counts, and whose word it is: given (this question) | team | default. `source` is the team's own."""

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
            by, kind, source = "default", item.kind, ""
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
