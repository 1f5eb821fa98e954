"""Plans side by side: what came out and what was asked, the best of each row marked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from planner.answers.plans import figures_of
from planner.core.plan_changes import Path, leaves
from planner.core.specs import Catalog
from planner.messages.plans import FIGURES
from planner.models import PlanVersion
from planner.plans.fields import field_name, value_text
from planner.plans.marks import STATES, Mark, mark
from planner.plans.page import figure_text

BEST = {
    "running": max,
    "tpot_ms": min,
    "ttft_ms": min,
    "output_tokens_per_s": max,
    "kv_cache_tokens": max,
    "power_w": min,
    "purchase": min,
    "yearly": min,
    "per_million_output_tokens": min,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One value; `best` where no other of its row is better and some is worse."""

    text: str
    best: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One thing that plans are compared by."""

    name: str
    cells: Sequence[Cell]

    @property
    def differs(self) -> bool:
        """Whether the plans differ in it."""
        return len({cell.text for cell in self.cells}) > 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """One plan of the comparison. `without` is the address of the same comparison without it."""

    version: PlanVersion
    state: Mark
    without: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Figures first, then what was asked for them. `hidden` rows are those in which all agree."""

    heads: Sequence[Head]
    figures: Sequence[Row]
    inputs: Sequence[Row]
    hidden: int
    mixed_currencies: bool


def comparison(versions: Sequence[PlanVersion], catalog: Catalog, *, only_different: bool) -> Comparison:
    """The table of some versions; with `only_different` without the rows in which they agree."""
    figures = [figures_of(version.answer) for version in versions]
    rows = [_figure_row(key, str(name), figures) for key, (name, _unit) in FIGURES.items()]
    inputs = [_input_row(path, versions, catalog) for path in _paths(versions)]
    agreeing = sum(not row.differs for row in (*rows, *inputs))
    if only_different:
        rows, inputs = [row for row in rows if row.differs], [row for row in inputs if row.differs]
    priced = {each["currency"] for each in figures if each["purchase"] is not None}
    return Comparison(
        heads=_heads(versions),
        figures=rows,
        inputs=inputs,
        hidden=agreeing if only_different else 0,
        mixed_currencies=len(priced) > 1,
    )


def _heads(versions: Sequence[PlanVersion]) -> list[Head]:
    uids = [version.plan.uid for version in versions]
    return [
        Head(
            version=version,
            state=mark(STATES, version.plan.state),
            without="&".join(f"id={uid}" for uid in uids if uid != version.plan.uid),
        )
        for version in versions
    ]


def _paths(versions: Sequence[PlanVersion]) -> list[Path]:
    """Every field that one of them holds, each once, in the order met."""
    return list(dict.fromkeys(path for version in versions for path in leaves(version.content)))


def _input_row(path: Path, versions: Sequence[PlanVersion], catalog: Catalog) -> Row:
    values = [leaves(version.content).get(path) for version in versions]
    return Row(name=field_name(path), cells=[Cell(text=value_text(path, value, catalog)) for value in values])


def _figure_row(key: str, name: str, figures: Sequence[dict[str, Any]]) -> Row:
    best = best_of(key, figures)
    return Row(
        name=name,
        cells=[
            Cell(text=figure_text(key, each), best=best is not None and each.get(key) == best)
            for each in figures
        ],
    )


def best_of(key: str, figures: Sequence[dict[str, Any]]) -> Any:
    """The best value of a row; None where it has no order, all look alike, or amounts are in different currencies."""
    known = [each for each in figures if each.get(key) is not None]
    alike = len({figure_text(key, each) for each in known}) < 2
    currencies = {each.get("currency") for each in known}
    if key not in BEST or alike or (FIGURES[key][1] == "money" and len(currencies) > 1):
        return None
    return BEST[key](each[key] for each in known)
