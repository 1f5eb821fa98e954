"""Finalists of a search as full estimates, each with what put it at its rank and the request that gives it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from planner.core.cost.prices import PriceBook
from planner.core.estimate import estimate, number
from planner.core.launch.checkpoint import release_for
from planner.core.request import EstimateRequest
from planner.core.search.answer import parallelism_of, request_of, settings_of
from planner.core.search.asked import SearchRequest
from planner.core.search.boards import boards_for
from planner.core.search.figures import Figures
from planner.core.search.rank import Ranking, Scores
from planner.core.specs import AcceleratorSpec, Catalog

# Above this share of what a set-up carries, requests that come at random wait for each other.
BUSY_SHARE = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """The question and the order that its candidates came out in."""

    request: SearchRequest
    book: PriceBook
    figures: Figures
    ranking: Ranking
    scores: Scores
    winners: Mapping[str, int | None]

    def score(self, place: int) -> float:
        """What the set-up at a place (from 0) is ranked by; NaN where it is not known, or beyond the last place."""
        if place >= len(self.ranking.rows):
            return np.nan
        return float(self.scores.by_objective[self.request.objective][self.ranking.rows[place]])

    def capacity_per_s(self, place: int) -> float | None:
        """Requests/s that the set-up at a place could carry at most, None where none come at a rate."""
        capacity = self.figures.capacity_tokens_per_s[self.ranking.rows[place]]
        return number(capacity / self.request.workload.output_tokens, 6)

    def ms_per_token(self, place: int) -> float:
        """Mean time per output token at a place, waiting included."""
        return float(self.figures.ms_per_token[self.ranking.rows[place]])


def options(asked: Mapping[int, EstimateRequest], order: Order, catalog: Catalog) -> list[dict[str, Any]]:
    """Full estimates of some places (from 0) of the order, `asked` being their requests."""
    answers = estimate(list(asked.values()), catalog)
    return [
        _option(question, answer, place, order)
        for (place, question), answer in zip(asked.items(), answers, strict=True)
    ]


def _option(question: EstimateRequest, answer: Mapping[str, Any], place: int, order: Order) -> dict[str, Any]:
    ranking, card, book = order.ranking, _card(question), order.book
    load, cost = _load(question, place, order), _cost(question, book)
    return {
        **answer,
        "advice": [*answer["advice"], *_advice(question, load)],
        "rank": place + 1,
        "score": number(order.score(place), 4),
        "accelerator": card.id,
        "count": question.count,
        "parallelism": parallelism_of(question),
        "weights": question.scheme.id,
        "kv_cache_dtype": question.kv_cache_dtype,
        "engine": {"name": question.engine.name, "version": question.engine.version},
        "release": release_for(question),
        "settings_used": settings_of(question),
        "load": load,
        "power_w": _power(question),
        "cost": cost,
        "price_note": None if cost is not None else _price_note(question, book),
        "reason": _reason(question, answer, place, order),
        "winner_of": [name for name, winner in order.winners.items() if winner == place + 1],
        "on_frontier": bool(np.isin(ranking.rows[place], ranking.frontier)),
        "variations": int(ranking.variations[place]),
        "bill_of_materials": [_bill(question, cost)],
        "request": request_of(_as_asked(question, order.request)),
    }


def _as_asked(question: EstimateRequest, request: SearchRequest) -> EstimateRequest:
    """The question with its load as it came: a rate stays one, and is solved anew to the same concurrency."""
    if request.workload.requests_per_day is None:
        return question
    return replace(question, workload=request.workload)


def _load(question: EstimateRequest, place: int, order: Order) -> dict[str, Any]:
    """What is asked of a set-up, and which share that is of what it could carry."""
    assert question.workload is not None  # every candidate has one
    rate, capacity = order.request.workload.requests_per_s, order.capacity_per_s(place)
    return {
        "concurrency": question.workload.concurrency,
        "requests_per_s": rate,
        "capacity_per_s": capacity,
        "share_of_capacity": number(rate / capacity, 4) if rate and capacity else None,
    }


def _advice(question: EstimateRequest, load: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What speaks against a set-up though it carries the load: little room, modules that come with others."""
    found, share = [], load["share_of_capacity"]
    if share is not None and share > BUSY_SHARE:
        values = {"percent": round(100 * share), "limit_percent": round(100 * BUSY_SHARE)}
        found.append(_item("load_near_capacity", "warning", values))
    boards = boards_for(_card(question), question.count)
    if boards is not None and boards.held > boards.used:
        values = {**asdict(boards), "held": boards.held, "accelerator": _card(question).name}
        found.append(_item("part_of_board", "info", values))
    return found


def _item(code: str, severity: str, values: Mapping[str, Any]) -> dict[str, Any]:
    return {"code": code, "severity": severity, "values": dict(values), "source": ""}


def _card(question: EstimateRequest) -> AcceleratorSpec:
    assert question.accelerator is not None  # every candidate has one
    return question.accelerator


def _reason(question: EstimateRequest, answer: Mapping[str, Any], place: int, order: Order) -> dict[str, Any]:
    """What put this set-up at its rank: the figures that were multiplied or compared, and how far the next is behind."""
    here, behind, cost = order.score(place), order.score(place + 1), _cost(question, order.book)
    objective = order.request.objective
    values: dict[str, Any] = {
        "rank": place + 1,
        "of": len(order.ranking.rows),
        "tpot_ms": answer["speed"]["tpot_ms"],
        "ms_per_token": number(order.ms_per_token(place), 4),
        "capacity_per_s": order.capacity_per_s(place),
        "output_tokens_per_s": answer["speed"]["output_tokens_per_s"],
        "power_w": _power(question),
        "purchase": None if cost is None else cost["purchase"],
        "next_percent": number(100 * (behind - here) / abs(here), 1) if here else None,
    }
    if objective == "highest_throughput":
        values["by"] = "served" if values["capacity_per_s"] is None else "capacity"
    if objective == "balanced":
        values["by"] = order.scores.balanced_by
        values["product"] = number(here, 1)
    code = f"ranked_by_{objective}" if np.isfinite(here) else f"not_ranked_by_{objective}"
    return {"code": code, "values": values}


def _power(question: EstimateRequest) -> float | int | None:
    """Board power of all accelerators, None where the datasheet has none."""
    watts = _card(question).tdp_w
    return None if watts is None else number(watts * question.count, 1)


def _cost(question: EstimateRequest, book: PriceBook) -> dict[str, Any] | None:
    """What the accelerators cost to buy, and by whose word; None where nobody priced so many of them."""
    price = book.buy(_card(question).id, quantity=question.count)
    if price is None:
        return None
    return {
        "purchase": number(price.amount * question.count, 2),
        "currency": book.currency,
        "unit_price": number(price.amount, 2),
        "price": asdict(price),
    }


def _price_note(question: EstimateRequest, book: PriceBook) -> dict[str, Any]:
    """Why there is no price."""
    lack = book.lack(_card(question).id, quantity=question.count)
    return {"code": lack.code, "values": dict(lack.values)}


def _bill(question: EstimateRequest, cost: Mapping[str, Any] | None) -> dict[str, Any]:
    card = _card(question)
    boards = boards_for(card, question.count)
    return {
        "item": "accelerator",
        "id": card.id,
        "name": card.name,
        "quantity": question.count,
        "unit_price": None if cost is None else cost["unit_price"],
        "currency": None if cost is None else cost["currency"],
        "total": None if cost is None else cost["purchase"],
        "boards": None if boards is None else {**asdict(boards), "held": boards.held},
    }
