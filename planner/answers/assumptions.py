"""A team's assumptions about cost: as they are shown, and checked before they are kept."""

from collections.abc import Mapping
from typing import Any

from planner.answers.estimates import problem_message
from planner.core.cost.ask import fault_problem
from planner.core.cost.assumptions import ASSUMPTIONS, BY_NAME, Assumption, faults
from planner.core.outcome import Problem
from planner.core.parse.fields import Reader
from planner.core.parse.money import read_currency
from planner.messages import word
from planner.messages.cost import ASSUMPTION_NAMES, SOURCES, UNITS
from planner.models import TeamSettings

MAX_SOURCE = 300
ENTRY_FIELDS = frozenset({"value", "source"})
Rates = Mapping[str, float]


def shown(team: TeamSettings, per_usd: Rates) -> dict[str, Any]:
    """Every assumption with the value that counts, its default and its bounds, in the team's currency."""
    usd = per_usd.get(team.currency, 1.0)
    return {
        "currency": team.currency,
        "revision": team.revision,
        "assumptions": [_one(item, team, usd) for item in ASSUMPTIONS],
    }


def _one(item: Assumption, team: TeamSettings, usd: float) -> dict[str, Any]:
    own, scale = team.cost.get(item.name), usd if item.money else 1.0
    default = round(item.default * scale, 6)
    return {
        "name": item.name,
        "label": str(ASSUMPTION_NAMES[item.name]),
        "group": item.group,
        "unit": word(UNITS, item.unit, {"currency": team.currency}),
        "unit_code": item.unit,
        "value": default if own is None else own["value"],
        "by": "default" if own is None else "team",
        "kind": item.kind if own is None else "assumed",
        "source": str(SOURCES[item.name]) if own is None else own["source"],
        "default": default,
        "low": item.low,
        "high": item.high * (max(1.0, usd) if item.money else 1.0),
    }


def check(body: Any, team: TeamSettings, per_usd: Rates) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """(changes, errors) of {"currency", "assumptions": {name: number | {"value", "source"} | null}}.

    What is not named has its default again. The currency stays where none is given.
    """
    reader = Reader()
    fields = reader.mapping(body, "")
    if fields is None:
        return {}, [_error(problem) for problem in reader.problems]
    reader.only(fields, frozenset({"currency", "assumptions"}), "")
    currency = read_currency(reader, fields.get("currency"), "currency") or team.currency
    if currency not in per_usd:
        reader.refuse("rate_missing", "currency", found=currency)
    given = fields.get("assumptions")
    entries = {} if given is None else reader.mapping(given, "assumptions") or {}
    values = {name: _value(entry) for name, entry in entries.items() if entry is not None}
    for name, code, low, high in faults(values, money_scale=per_usd.get(currency, 1.0)):
        reader.problems.append(fault_problem(name, code, low, high, found=values[name], field="assumptions"))
    cost = {
        name: {"value": value, "source": _source(reader, entries[name], name)}
        for name, value in values.items()
        if name in BY_NAME
    }
    return {"currency": currency, "cost": cost}, [_error(problem) for problem in reader.problems]


def _value(entry: Any) -> Any:
    return entry.get("value") if isinstance(entry, Mapping) else entry


def _source(reader: Reader, entry: Any, name: str) -> str:
    if not isinstance(entry, Mapping):
        return ""
    reader.only(entry, ENTRY_FIELDS, f"assumptions.{name}")
    source = entry.get("source")
    return "" if source is None else (reader.text(source, f"assumptions.{name}.source") or "").strip()


def _error(problem: Problem) -> dict[str, Any]:
    return {"field": problem.field or None, "code": problem.code, "message": problem_message(problem)}
