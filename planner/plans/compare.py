"""Plans side by side: what was asked and what came out, the best of each row marked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from planner.answers.plans import figures_of
from planner.core.plan_changes import leaves
from planner.messages.plans import FIGURES
from planner.models import PlanVersion
from planner.plans.page import figure_text, text_of

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
class Comparison:
    """Figures first, then what was asked for them."""

    figures: Sequence[Row]
    inputs: Sequence[Row]


def comparison(versions: Sequence[PlanVersion], *, only_different: bool) -> Comparison:
    """The table of some versions; with `only_different` without the rows in which they agree."""
    figures = [figures_of(version.answer) for version in versions]
    rows = [_figure_row(key, str(name), figures) for key, (name, _unit) in FIGURES.items()]
    asked = [dict(leaves(version.content)) for version in versions]
    paths = sorted({path for content in asked for path in content})
    inputs = [
        Row(name=path, cells=[Cell(text=text_of(content.get(path))) for content in asked]) for path in paths
    ]
    if only_different:
        rows, inputs = [row for row in rows if row.differs], [row for row in inputs if row.differs]
    return Comparison(figures=rows, inputs=inputs)


def _figure_row(key: str, name: str, figures: Sequence[dict[str, Any]]) -> Row:
    best = _best(key, figures)
    return Row(
        name=name,
        cells=[
            Cell(text=figure_text(key, each), best=best is not None and each.get(key) == best)
            for each in figures
        ],
    )


def _best(key: str, figures: Sequence[dict[str, Any]]) -> Any:
    """The best value of a row; None where it has no order, all are alike, or amounts are in different currencies."""
    values = [each[key] for each in figures if each.get(key) is not None]
    currencies = {each.get("currency") for each in figures}
    if key not in BEST or len(set(values)) < 2 or (FIGURES[key][1] == "money" and len(currencies) > 1):
        return None
    return BEST[key](values)
