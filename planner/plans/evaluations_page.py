"""What the page of a plan shows of how it was judged since it was saved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from planner.answers.evaluations import shown
from planner.core.figures import DASH
from planner.core.plan_flips import FIGURE_OF
from planner.models import PlanEvaluation, SavedPlan
from planner.plans.page import figure_text
from planner.queries.evaluations import HISTORY, evaluations


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """One figure that flipped, written out."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Flips:
    """Figures that flipped for the same reasons."""

    flips: Sequence[Flip]
    why: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One judgement, written out. `by` is empty where nobody asked; `failure` where it could be judged."""

    at: datetime
    number: int
    by: str
    flips: Sequence[Flips]
    failure: str
    problems: Sequence[str]


def judgements(plan: SavedPlan) -> list[Judgement]:
    """The newest judgements of a plan. One query."""
    return [_judgement(row, plan) for row in evaluations(plan)[:HISTORY]]


def _judgement(row: PlanEvaluation, plan: SavedPlan) -> Judgement:
    said = shown(row, plan=plan.uid)
    currency = row.figures.get("currency") or plan.currency
    failure = said["failure"] or {"message": "", "problems": []}
    return Judgement(
        at=row.at,
        number=row.number,
        by=said["asked_by"] or "",
        flips=[
            Flips(flips=[_flip(change, currency) for change in changes], why=why)
            for why, changes in groupby(said["changes"], key=_why)
        ],
        failure=failure["message"],
        problems=[item["message"] for item in failure["problems"]],
    )


def _why(change: Mapping[str, Any]) -> list[str]:
    return [reason["message"] for reason in change["because"]]


def _flip(change: Mapping[str, Any], currency: str) -> Flip:
    return Flip(
        name=change["name"],
        before=_side(change["code"], change["before"], currency),
        after=_side(change["code"], change["after"], currency),
    )


def _side(code: str, value: Any, currency: str) -> str:
    if code == "currency":
        return value or DASH
    name = FIGURE_OF[code]
    return figure_text(name, {name: value, "currency": currency})
