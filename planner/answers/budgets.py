"""What a budget buys, as the outside sees it: JSON in, JSON out, codes with their words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from planner.answers import recommendations
from planner.answers.costs import cost_of, team_values
from planner.answers.estimates import problem_object
from planner.core.cost.ask import CostRequest
from planner.core.cost.assumptions import in_force
from planner.core.cost.budget import (
    BudgetRequest,
    at_levels,
    parse_budget,
    priced_cards,
    purchase_per_cards,
    search_of,
)
from planner.core.cost.prices import PriceBook
from planner.core.estimate import estimate
from planner.core.figures import count
from planner.core.limits import MOST_USERS_PER_REPLICA, with_room
from planner.core.outcome import Problem
from planner.core.parse import Rejected, parse_request
from planner.core.reach import Crowd, crowds_of
from planner.core.request import EstimateRequest
from planner.core.search import recommend
from planner.core.search.answer import request_of
from planner.core.search.asked import SearchRequest
from planner.core.search.space import MAX_CANDIDATES, TooManyCandidatesError
from planner.core.specs import Catalog
from planner.messages import word
from planner.messages.limits import STOPS
from planner.models import TeamSettings
from planner.queries.prices import Books, exchange

# What a set-up of the answer keeps of the option that it was found as
KEPT = (
    *("accelerator", "count", "parallelism", "weights", "kv_cache_dtype", "engine"),
    *("power_w", "cost", "price_note"),
)


def answer(obj: Mapping[str, Any], *, catalog: Catalog, books: Books, team: TeamSettings) -> dict[str, Any]:
    """What the budget buys, or a problem object. Set-ups come by users at once, the most first."""
    asked = parse_budget(obj, catalog)
    if isinstance(asked, Rejected):
        return _problem(asked.problems)
    book = books.of(asked.currency, asked.price_source)
    usd = exchange("USD", book.currency, book.per_usd)
    if usd is None:
        return _problem(
            [Problem(code="rate_missing", field="budget.currency", values={"found": book.currency})]
        )
    used = in_force(given={}, team=team_values(team, book), usd=usd)
    factor = purchase_per_cards({name: item.value for name, item in used.items()})
    search = search_of(asked, catalog, book, factor=factor)
    prices = _prices(catalog, book)
    if not search.accelerators:
        return {**_nothing(asked, prices, factor), "basis": None}
    try:
        found = recommendations.in_words(recommend(search, catalog), model={"id": asked.search.model.id})
    except TooManyCandidatesError as error:
        values = {"found": count(error.found), "limit": count(MAX_CANDIDATES)}
        return _problem([Problem(code="too_many_candidates", field=None, values=values)])
    return {
        **_nothing(asked, prices, factor),
        "set_ups": _set_ups(asked, search, found["options"], catalog=catalog, book=book, team=team),
        "within": found["set_ups"],
        "searched": found["searched"],
        "excluded": found["excluded"],
        "reasons": found["reasons"],
        "basis": found["basis"],
    }


def _problem(problems: Sequence[Problem]) -> dict[str, Any]:
    return problem_object(None, problems, title=_("What this budget buys cannot be found."))


def _nothing(asked: BudgetRequest, prices: Mapping[str, int], factor: float) -> dict[str, Any]:
    """The answer before anything is found: `purchase_per_cards` is what a purchase costs for one unit of its cards."""
    return {
        "budget": {"low": asked.low, "high": asked.high, "currency": asked.currency},
        "purchase_per_cards": round(factor, 6),
        "prices": dict(prices),
        "set_ups": [],
        "within": 0,
        "searched": 0,
        "excluded": [],
        "reasons": [],
    }


def _prices(catalog: Catalog, book: PriceBook) -> dict[str, int]:
    """Cards by whose word their price is, and those on sale that nobody priced."""
    priced = priced_cards(catalog, book)
    quoted = sum(any(offer.kind == "quoted" for offer in book.purchase[name]) for name in priced)
    on_sale = [
        name for name, record in catalog.accelerator_records.items() if record.get("on_sale") is not False
    ]
    return {
        "quoted": quoted,
        "public": len(priced) - quoted,
        "without": len(set(on_sale) - set(priced)),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """One way to run a set-up of the answer: `place` is that of the set-up, `request` asks for the load as it was asked."""

    place: int
    option: Mapping[str, Any]
    request: EstimateRequest


def _set_ups(
    asked: BudgetRequest,
    search: SearchRequest,
    options: Sequence[Mapping[str, Any]],
    *,
    catalog: Catalog,
    book: PriceBook,
    team: TeamSettings,
) -> list[dict[str, Any]]:
    """Each set-up in the way that takes the most users, with its cost when there is a slot for each of them."""
    ways = _ways(asked, search, options, catalog)
    crowds = crowds_of([way.request for way in ways], catalog, targets=search.targets)
    best = _best(ways, crowds)
    raised = [
        with_room(way.request, crowd.users // way.request.parallelism.data) if crowd.users else way.request
        for way, crowd in best
    ]
    hours = {} if asked.hours_per_day is None else {"busy_hours_per_day": asked.hours_per_day}
    found = [
        {
            **{name: way.option[name] for name in KEPT},
            "rank": way.place + 1,
            "request": request_of(request),
            "speed": estimated["speed"],
            "users": _users(crowd),
            "owning": cost_of(
                CostRequest(id=None, request=request, currency=asked.currency, assumptions=hours),
                estimated,
                catalog=catalog,
                book=book,
                team=team,
            ),
        }
        for (way, crowd), request, estimated in zip(best, raised, estimate(raised, catalog), strict=True)
    ]
    return sorted(found, key=lambda item: (-(item["users"]["most"] or 0), item["rank"]))


def _ways(
    asked: BudgetRequest, search: SearchRequest, options: Sequence[Mapping[str, Any]], catalog: Catalog
) -> list[_Way]:
    """Ways to run each set-up: the one that does most at the load, then those that do most at more users."""
    if not options:
        return []
    place = {(option["accelerator"], option["count"]): index for index, option in enumerate(options)}
    more = [option for level in at_levels(search) for option in recommend(level, catalog)["options"]]
    found: dict[Any, _Way] = {}
    for option in (*options, *more):
        set_up = (option["accelerator"], option["count"])
        request = _parsed(option["request"], catalog) if set_up in place else None
        if request is not None:
            request = replace(request, workload=asked.search.workload)
            key = (
                set_up,
                request.scheme.id,
                request.kv_cache_dtype,
                request.parallelism,
                request.engine.name,
            )
            found.setdefault(key, _Way(place=place[set_up], option=option, request=request))
    return list(found.values())


def _best(ways: Sequence[_Way], crowds: Sequence[Crowd]) -> list[tuple[_Way, Crowd]]:
    """Of the ways of each set-up the one that takes the most users; the first of several."""
    best: dict[int, tuple[_Way, Crowd]] = {}
    for way, crowd in zip(ways, crowds, strict=True):
        if way.place not in best or (crowd.users or 0) > (best[way.place][1].users or 0):
            best[way.place] = (way, crowd)
    return [best[place] for place in sorted(best)]


def _parsed(request: Mapping[str, Any], catalog: Catalog) -> EstimateRequest:
    parsed = parse_request(request, catalog)
    assert isinstance(parsed, EstimateRequest)  # the search wrote it
    return replace(parsed, id=None)


def _users(crowd: Crowd) -> dict[str, Any]:
    values = {"users": count(MOST_USERS_PER_REPLICA)}
    return {"most": crowd.users, "code": crowd.code, "message": word(STOPS, crowd.code, values)}
