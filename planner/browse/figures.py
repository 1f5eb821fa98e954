"""Figures of a record as pages show them: with unit, kind and source, and what is shipped where the team says otherwise."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planner.answers.catalog import shown_figures
from planner.core.figures import DASH, short
from planner.messages.catalog import FIGURES
from planner.models import CatalogEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureRow:
    """One figure. `shipped`: what is shipped where the team says otherwise, `own`: the team's word."""

    key: str
    name: Any
    value: str
    unit: str
    kind: str
    source: str
    own: bool
    shipped: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """A figure that follows from others: its formula, and the same with the numbers put in."""

    name: Any
    value: str
    unit: Any
    formula: str
    worked: str
    note: Any = ""


def figure_rows(entry: CatalogEntry, words: Mapping[str, str], order: Sequence[str]) -> list[FigureRow]:
    """Every figure of a record; those of `order` first, then the rest as they come."""
    shown = shown_figures(entry, words)
    names = [*(name for name in order if name in shown), *(name for name in shown if name not in order)]
    return [_row(name, shown[name], own_record=entry.shipped is None) for name in names]


def _row(name: str, figure: Mapping[str, Any], *, own_record: bool) -> FigureRow:
    under = figure["shipped"]
    return FigureRow(
        key=name,
        name=FIGURES[name],
        value=exactly(figure["value"]),
        unit=figure["unit"] or "",
        kind=figure["kind"],
        source=figure["source"],
        own=figure["origin"] == "team" and not own_record,
        shipped=f"{exactly(under['value'])} {figure['unit'] or ''}".strip() if under else "",
    )


def whole_if_whole(value: float | None) -> str:
    """Four significant digits, and no zeros behind the point that nobody stated: 300 · 1,008 · 22.49."""
    text = short(value, 4)
    return text.rstrip("0").rstrip(".") if "." in text else text


def exactly(value: float | Sequence[float] | None) -> str:
    """A figure as it is stated, not rounded; two ends where it is a span."""
    if isinstance(value, Sequence):
        return f" {DASH} ".join(exactly(end) for end in value)
    return DASH if value is None else f"{value:,.8g}"
