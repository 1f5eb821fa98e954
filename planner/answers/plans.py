"""Saved plans as the outside sees them: what a plan holds is checked here, and asked of the core."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from planner.actions.plans import Saved
from planner.answers import bills, costs, estimates
from planner.core import CORE_VERSION
from planner.core.cost.ask import BillAsked, CostRequest, read_assumptions, read_bill, read_request
from planner.core.cost.prices import PriceBook
from planner.core.estimate import estimate
from planner.core.outcome import Problem
from planner.core.parse import Rejected
from planner.core.parse.fields import Reader
from planner.core.request import EstimateRequest
from planner.core.specs import Catalog
from planner.models import TeamSettings
from planner.queries.prices import exchange, price_book

FIELDS = frozenset(["request", "bill", "cost", "length_log", "price_source"])
MAX_CONTENT_BYTES = 300_000
PRICE_SOURCES = ("quotes", "public")


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What a plan holds, checked. `raw` is what is stored."""

    raw: Mapping[str, Any]
    request: EstimateRequest
    bill: BillAsked
    assumptions: Mapping[str, float] = field(default_factory=dict)
    public_prices: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What a plan's content comes to on one basis."""

    answer: dict[str, Any]
    figures: dict[str, Any]
    basis: dict[str, Any]


def parse_content(value: Any, catalog: Catalog) -> Content | Rejected:
    """Check what a plan is to hold: {"request", "bill", "cost", "length_log", "price_source"}, request alone required."""
    reader = Reader()
    fields = reader.mapping(value, "content")
    if fields is None:
        return Rejected(id=None, problems=tuple(reader.problems))
    if len(json.dumps(value, ensure_ascii=False)) > MAX_CONTENT_BYTES:
        problem = Problem(code="too_long", field="content", values={"limit": MAX_CONTENT_BYTES})
        return Rejected(id=None, problems=(problem,))
    reader.only(fields, FIELDS, "")
    request = read_request(reader, fields.get("request"), catalog, field="request")
    bill = read_bill(reader, fields.get("bill"), catalog, field="bill")
    assumptions = read_assumptions(reader, fields.get("cost"), "cost")
    source = fields.get("price_source")
    if source is not None and source not in PRICE_SOURCES:
        known = ", ".join(PRICE_SOURCES)
        reader.refuse("unknown_choice", "price_source", found=str(source)[:60], known=known)
    log = fields.get("length_log")
    if log is not None:
        reader.text(log, "length_log")
    if reader.problems or request is None:
        return Rejected(id=None, problems=tuple(reader.problems))
    return Content(
        raw=stored(fields),
        request=request,
        bill=bill,
        assumptions=assumptions,
        public_prices=source == "public",
    )


def stored(content: Mapping[str, Any]) -> dict[str, Any]:
    """A content as it is kept: without what says nothing, and without an id that an answer would echo.

    The model stays as it was given: in a config.json null and absent are two things.
    """
    request = {key: value for key, value in content["request"].items() if key not in ("id", "model")}
    kept = without_nulls({**content, "request": request})
    return {**kept, "request": {"model": content["request"].get("model"), **kept.get("request", {})}}


def without_nulls(value: Mapping[str, Any]) -> dict[str, Any]:
    """The same object without what is null or an empty object: all mean that nothing was said."""
    parts = {key: without_nulls(item) if isinstance(item, Mapping) else item for key, item in value.items()}
    return {key: item for key, item in parts.items() if item is not None and item != {}}


def content_currency(content: Content, team: TeamSettings) -> str:
    """The currency of a plan's money."""
    return content.bill.currency or team.currency


def answer_content(
    content: Content, *, catalog: Catalog, team: TeamSettings, on: date, book: PriceBook | None = None
) -> Answered | Rejected:
    """Ask the core for estimate, bill and cost of a plan. `book`, where given, is in the plan's currency.

    Rejected where the currency has no exchange rate: its assumptions in dollars would be worth nothing known.
    """
    if book is None:
        book = price_book(on=on, currency=content_currency(content, team), public=content.public_prices)
    if exchange("USD", book.currency, book.per_usd) is None:
        problem = Problem(code="rate_missing", field="bill.currency", values={"found": book.currency})
        return Rejected(id=None, problems=(problem,))
    found = estimate([content.request], catalog)[0]
    bill = bills.bill_for(content.request, content.bill, catalog=catalog, book=book)
    cost = costs.cost_of(cost_request(content), found, catalog=catalog, book=book, team=team)
    answer = {
        "estimate": estimates.in_words(found),
        "bill": bills.shown(bill),
        "cost": {key: value for key, value in cost.items() if key not in ("id", "bill", "basis")},
        "running": _running(found["speed"] or {}, content.raw["request"]),
    }
    basis = {"catalog": catalog.hash, "core": CORE_VERSION, "calibration": None, "prices": book.key}
    return Answered(answer=answer, figures=figures_of(answer), basis=basis)


def cost_request(content: Content) -> CostRequest:
    """The question about cost that a plan's content is."""
    return CostRequest(
        id=None,
        request=content.request,
        currency=content.bill.currency,
        price_source="public" if content.public_prices else "quotes",
        bill=content.bill,
        assumptions=content.assumptions,
    )


def figures_of(answer: Mapping[str, Any]) -> dict[str, Any]:
    """What lists show of a plan and what is watched for changes. `running` counts users, all replicas together."""
    found, bill, cost = answer["estimate"], answer["bill"], answer["cost"]
    speed, memory = found["speed"] or {}, found["memory"] or {}
    return {
        "verdict": found["verdict"],
        "running": answer["running"],
        "tpot_ms": speed.get("tpot_ms"),
        "ttft_ms": speed.get("ttft_ms"),
        "output_tokens_per_s": speed.get("output_tokens_per_s"),
        "kv_cache_tokens": memory.get("kv_cache_tokens"),
        "purchase": bill["total"],
        "currency": bill["currency"],
        "yearly": cost["yearly"]["total"],
        "per_million_output_tokens": cost["per_million_output_tokens"]["at_load"],
        "power_w": bill["power_w"],
    }


def _running(speed: Mapping[str, Any], request: Mapping[str, Any]) -> float | None:
    """The steady batch of all replicas, never more than the users asked for."""
    if not speed:
        return None
    replicas = (request.get("parallelism") or {}).get("data") or 1
    asked = (request.get("workload") or {}).get("concurrency")
    running = float(speed["running"]) * replicas
    return running if asked is None else min(running, float(asked))


def basis_key(basis: Mapping[str, Any]) -> str:
    """Names a basis in one column: plans whose column differs are due."""
    return ".".join(str(basis[name]) for name in ("catalog", "core", "calibration", "prices"))[:64]


def in_words(answer: dict[str, Any]) -> dict[str, Any]:
    """The words of a stored answer again, in the reader's language."""
    estimates.in_words(answer["estimate"])
    bills.in_words(answer["bill"])
    costs.in_words(answer["cost"])
    return answer


def saved_of(content: Content, answered: Answered) -> Saved:
    """What the actions keep of an answered content."""
    return Saved(
        content=content.raw,
        answer=answered.answer,
        basis=answered.basis,
        key=basis_key(answered.basis),
        figures=answered.figures,
    )
