"""docs/costs.md says what the code does: every assumption with its default, unit, bounds and basis, every formula."""

from pathlib import Path

from planner.core.cost.assumptions import ASSUMPTIONS, Assumption
from planner.messages import word
from planner.messages.cost import ASSUMPTION_NAMES, FORMULAS, SOURCES, UNITS

DOCS = (Path(__file__).parents[3] / "docs" / "costs.md").read_text()
KINDS = {"rule_of_thumb": "rule of thumb", "assumed": "assumed"}


def row(item: Assumption) -> str:
    """The line of the table that an assumption has."""
    cells = [
        f"`{item.name}`",
        str(ASSUMPTION_NAMES[item.name]),
        f"{item.default:g}",
        word(UNITS, item.unit, {"currency": "USD"}),
        f"{item.low:g} to {item.high:,.10g}",
        KINDS[item.kind],
        str(SOURCES[item.name]),
    ]
    return f"| {' | '.join(cells)} |"


def test_table_of_assumptions_is_that_of_the_code() -> None:
    lines = [line for line in DOCS.splitlines() if line.startswith("| `") and line.count("|") == 8]
    assert lines == [row(item) for item in ASSUMPTIONS]


def test_every_formula_is_told() -> None:
    assert [formula for formula in sorted(FORMULAS) if formula not in DOCS] == []
