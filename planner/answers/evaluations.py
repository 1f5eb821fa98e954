"""Judgements of saved plans as the outside sees them: what flipped, from what to what, and why."""

from collections.abc import Mapping
from typing import Any

from planner.answers.estimates import problem_message
from planner.core.outcome import Problem
from planner.messages import word
from planner.messages.evaluations import FAILURES, OFFERS, PARTS, RECORDS
from planner.messages.money import LACKS, price_sentence
from planner.messages.plans import FLIPS
from planner.models import PlanEvaluation


def shown(row: PlanEvaluation, *, plan: str) -> dict[str, Any]:
    """One judgement, with its words; `plan` is the uid of the plan."""
    currency = row.figures.get("currency") or ""
    return {
        "id": row.pk,
        "plan": plan,
        "version": row.number,
        "at": row.at,
        "asked_by": row.asked_by.username if row.asked_by else None,
        "basis": row.basis,
        "figures": {name: value for name, value in row.figures.items() if name != "unit_prices"},
        "changes": [change_shown(change, currency) for change in row.changes],
        "failure": failure_shown(row.failure),
    }


def change_shown(change: Mapping[str, Any], currency: str) -> dict[str, Any]:
    """One flip with both sides and a sentence for each reason; `currency` is what prices are in now."""
    because = [{**reason, "message": reason_text(reason, currency)} for reason in change["because"]]
    return {**change, "name": str(FLIPS[change["code"]]), "because": because}


def reason_text(reason: Mapping[str, Any], currency: str) -> str:
    """Why something flipped, in one sentence."""
    if reason.get("records"):
        names = ", ".join(record["id"] for record in reason["records"])
        return str(RECORDS).format(names=names)
    if reason.get("offers"):
        offers = "; ".join(_offer_text(offer, currency) for offer in reason["offers"])
        return str(OFFERS).format(offers=offers.rstrip(".。"))
    return str(PARTS[reason["part"]])


def _offer_text(offer: Mapping[str, Any], currency: str) -> str:
    if offer["price"]:
        return f"{offer['item']}, {price_sentence(offer['price'], currency)}"
    lack = offer["lack"]
    return f"{offer['item']}: {word(LACKS, lack['code'], lack['values'])}"


def failure_shown(failure: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Why a plan could not be judged, in words."""
    if failure is None:
        return None
    problems = [{**item, "message": problem_message(Problem(**item))} for item in failure.get("problems", [])]
    message = word(FAILURES, failure["code"], {"error": failure.get("error", "")})
    return {"code": failure["code"], "message": message, "problems": problems}
