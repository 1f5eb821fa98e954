"""Judging saved plans again: those whose basis changed, a few at a time, and one that somebody asks for."""

import logging
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from django.db import Error as DatabaseError

from access.models import User
from planner.actions.conflict import ConflictError
from planner.actions.evaluations import Judged, claim, keep_judgement, still_holds
from planner.answers.plans import Content, answer_content, basis_key, figures_of, parse_content
from planner.core import CORE_VERSION
from planner.core.cost.prices import PriceBook
from planner.core.parse import Rejected
from planner.core.plan_changes import flips
from planner.core.plan_flips import flipped_since, moved_parts, reasons, told_last
from planner.models import PlanEvaluation, PlanVersion, SavedPlan
from planner.queries.evaluations import (
    Ground,
    due_plans,
    ground_now,
    judgements,
    newest_contents,
    records_changed,
)
from planner.queries.plans import version_of
from planner.queries.prices import Books

log = logging.getLogger("decodeck.evaluations")

BATCH = 200
SECONDS = 5.0  # of one task: what is left is the next one's


def evaluate_due(*, seconds: float = SECONDS, on: date | None = None) -> int:
    """Hold plans that are due against what they rest on now, for so many seconds; return how many were.

    `on` is the day, today unless given. A plan whose basis is the one that it was judged on costs no estimate. One that fails is kept with the reason.
    """
    ground = ground_now(on)
    books, deadline = Books(on=ground.on), time.monotonic() + seconds
    plans = list(due_plans(ground.stamp)[:BATCH])
    contents = newest_contents(plans)
    same: dict[str, list[int]] = defaultdict(list)
    others = []
    for plan in plans:
        key = basis_key(basis_on(ground, book_for(contents[plan.pk].content, ground, books)))
        if key == plan.evaluated_key:
            same[key].append(plan.pk)
        else:
            others.append(plan)
    done = sum(still_holds(held, key=key, stamp=ground.stamp) for key, held in same.items())
    for plan in others:
        if time.monotonic() > deadline:
            break
        done += claim(plan) and _evaluate(plan, ground, books)
    return done


def _evaluate(plan: SavedPlan, ground: Ground, books: Books) -> bool:
    try:
        keep_judgement(plan, judge(plan, ground, books), stamp=ground.stamp)
    except ConflictError:  # another version, or somebody asked for it meanwhile
        return False
    return True


def evaluate_now(plan: SavedPlan, *, actor: User) -> PlanEvaluation:
    """Judge one plan because somebody asks for it. Raises ConflictError where others are faster time and again."""
    ground = ground_now()
    books = Books(on=ground.on)
    for last in (False, False, True):
        current = SavedPlan.objects.get(pk=plan.pk)
        try:
            kept = keep_judgement(current, judge(current, ground, books), stamp=ground.stamp, asked_by=actor)
        except ConflictError:
            if last:
                raise
            continue
        break
    assert kept is not None  # what somebody asked for is kept
    return kept


@dataclass(frozen=True, slots=True, kw_only=True)
class _Before:
    """How a plan stood before it is judged."""

    plan: SavedPlan
    version: PlanVersion
    told: Mapping[str, Any]
    failure: Mapping[str, Any] | None
    unit_prices: Mapping[str, Any]


def judge(plan: SavedPlan, ground: Ground, books: Books) -> Judged:
    """What a plan comes to on this ground, and what that changed. Writes nothing."""
    version = version_of(plan)
    assert version is not None  # every plan has its newest version
    book = book_for(version.content, ground, books)
    earlier = judgements(plan)
    try:
        return _judge(_stood(plan, version, earlier), ground, book)
    except DatabaseError:
        raise  # not the plan's fault: the whole task is tried again
    except Exception as error:  # whatever it is: the other plans go on, and people read why this one did not
        log.exception("plan could not be judged", extra={"plan": plan.uid})
        codes = [code for code in plan.flipped.split(",") if code and code != "failed"]
        basis = basis_on(ground, book)
        return Judged(
            key=basis_key(basis),
            basis=basis,
            flipped=["failed", *codes],
            failure={"code": "error", "error": type(error).__name__},
            failed_before=earlier[-1].failure if earlier else None,
        )


def _stood(plan: SavedPlan, version: PlanVersion, earlier: Sequence[PlanEvaluation]) -> _Before:
    kept: Iterator[Mapping[str, Any]] = (
        row.figures["unit_prices"] for row in reversed(earlier) if "unit_prices" in row.figures
    )
    return _Before(
        plan=plan,
        version=version,
        told=told_last(figures_of(version.answer), ((row.changes, row.figures) for row in earlier)),
        failure=earlier[-1].failure if earlier else None,
        unit_prices=next(kept, unit_prices(version.answer["bill"])),
    )


def _judge(before: _Before, ground: Ground, book: PriceBook) -> Judged:
    content = parse_content(before.version.content, ground.catalog)
    if isinstance(content, Rejected):
        return _rejected(before, ground, book, content)
    answered = answer_content(content, catalog=ground.catalog, team=ground.team, on=ground.on, book=book)
    if isinstance(answered, Rejected):
        return _rejected(before, ground, book, answered)
    bill = answered.answer["bill"]
    figures = {**answered.figures, "unit_prices": unit_prices(bill)}
    return _held_against(before, ground, book, figures, bill=bill, ids=_records_of(content))


def _rejected(before: _Before, ground: Ground, book: PriceBook, rejected: Rejected) -> Judged:
    """Nothing is known of a plan that can no longer be asked, and the reason is kept."""
    figures = dict.fromkeys(figures_of(before.version.answer))
    figures |= {"verdict": "unknown", "currency": book.currency}
    problems = [
        {"code": item.code, "field": item.field, "values": dict(item.values)} for item in rejected.problems
    ]
    return _held_against(before, ground, book, figures, failure={"code": "rejected", "problems": problems})


def _held_against(
    before: _Before,
    ground: Ground,
    book: PriceBook,
    figures: Mapping[str, Any],
    *,
    bill: Mapping[str, Any] | None = None,
    ids: Mapping[str, str] | None = None,
    failure: Mapping[str, Any] | None = None,
) -> Judged:
    basis = basis_on(ground, book)
    percent, key = ground.team.price_change_percent, basis_key(basis)
    changes = flipped_since(before.told, figures, price_percent=percent)
    moved = moved_parts(before.plan.evaluated_key, key)
    records = records_changed(ids or {}, before.plan.evaluated_at) if changes and "catalog" in moved else []
    offers = _offers_changed(before.unit_prices, bill, book) if changes and "prices" in moved else []
    details = {"catalog": {"records": records}, "prices": {"offers": offers}}
    for change in changes:
        parts = reasons(change["code"], moved)
        change["because"] = [{"part": part, **details.get(part, {})} for part in parts]
    since_saved = flips(figures_of(before.version.answer), figures, price_percent=percent)
    return Judged(
        key=key,
        basis=basis,
        figures=figures,
        changes=changes,
        flipped=[flip["code"] for flip in since_saved],
        failure=failure,
        failed_before=before.failure,
    )


def book_for(content: Mapping[str, Any], ground: Ground, books: Books) -> PriceBook:
    """The prices that a stored content is answered with."""
    bill = content.get("bill")
    currency = bill.get("currency") if isinstance(bill, Mapping) else None
    source = "public" if content.get("price_source") == "public" else "quotes"
    return books.of(currency or ground.team.currency, source)


def basis_on(ground: Ground, book: PriceBook) -> dict[str, Any]:
    """The basis of an answer on this ground, as `answer_content` stamps it."""
    return {"catalog": ground.catalog.hash, "core": CORE_VERSION, "calibration": None, "prices": book.key}


def unit_prices(bill: Mapping[str, Any]) -> dict[str, Any]:
    """Catalog id -> what one costs, of everything that quotes are for."""
    return {item["id"]: item["unit_price"] for item in bill["items"] if item["kind"] != "extra"}


def _offers_changed(
    known: Mapping[str, Any], bill: Mapping[str, Any] | None, book: PriceBook
) -> list[dict[str, Any]]:
    """Lines of a bill whose price is another one: whose word it is now, or why there is none."""
    items = {item["id"]: item for item in bill["items"] if item["kind"] != "extra"} if bill else {}
    return [
        {
            "item": item["name"],
            "price": item["price"],
            "lack": None if item["price"] else asdict(book.lack(key, quantity=item["quantity"])),
        }
        for key, item in items.items()
        if known.get(key) != item["unit_price"]
    ]


def _records_of(content: Content) -> dict[str, str]:
    """Kind -> id of the catalog records that a set-up is made of."""
    request = content.request
    found = {
        "accelerator": request.accelerator.id if request.accelerator else None,
        "model": (content.raw["request"].get("model") or {}).get("id"),
        "engine": (content.raw["request"].get("engine") or {}).get("name") or "vllm",
        "platform": content.bill.platform,
    }
    return {kind: key for kind, key in found.items() if key}
