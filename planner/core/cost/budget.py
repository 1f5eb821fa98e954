"""What a sum of money buys: from one JSON object to a checked question, and what a purchase is made of beside its cards."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from planner.core.cost.ask import MAX_AMOUNT
from planner.core.cost.prices import PriceBook
from planner.core.cost.rent import HOURS_PER_DAY
from planner.core.limits import MOST_USERS_PER_REPLICA
from planner.core.outcome import Problem
from planner.core.parse import Rejected
from planner.core.parse.fields import Reader
from planner.core.parse.money import read_currency
from planner.core.search.asked import SearchRequest
from planner.core.search.parse import parse_search
from planner.core.specs import Catalog

SEARCHED = ("model", "weights", "engine", "workload", "targets")
LIMITS = ("place", "max_count", "price_source")
FIELDS = frozenset(["budget", "hours_per_day", *SEARCHED, *LIMITS])
BUDGET_FIELDS = frozenset(["low", "high", "currency"])
MOST_SET_UPS = 50
SHARES = (
    "host_share",
    "network_share",
    "spare_share",
)  # what is bought beside the cards, as shares of their price
# How much more than the asked load is tried: what serves a few users best is not what serves the most
LEVELS = (4, 16, 64)
LEAST_USERS = 16  # that these are multiples of
ROUNDING = 1e-9  # of a sum that is exactly an end of the budget but for binary fractions


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetRequest:
    """A checked question: set-ups that cost from `low` to `high` with everything that is bought. `search` names no card."""

    low: float
    high: float
    currency: str
    price_source: str  # of PRICE_SOURCES
    hours_per_day: float | None  # at the load, where users at once are asked for; None: the team's
    search: SearchRequest


def parse_budget(obj: Mapping[str, Any], catalog: Catalog) -> BudgetRequest | Rejected:
    """Check one question. Model, load and targets are judged by the rules of a search."""
    reader = Reader()
    reader.only(obj, FIELDS, "")
    budget = reader.mapping(obj.get("budget"), "budget") or {}
    reader.only(budget, BUDGET_FIELDS, "budget")
    low, high = _ends(reader, budget)
    currency = read_currency(reader, budget.get("currency"), "budget.currency")
    if budget.get("currency") is None:
        reader.refuse("missing", "budget.currency")
    given = obj.get("hours_per_day")
    hours = None if given is None else reader.number(given, "hours_per_day", low=0, high=HOURS_PER_DAY)
    search = parse_search(_question(obj), catalog)
    problems = [*reader.problems, *(_placed(search) if isinstance(search, Rejected) else ())]
    if problems or isinstance(search, Rejected):
        return Rejected(id=None, problems=tuple(problems))
    assert high is not None and currency is not None  # each would have been a problem
    return BudgetRequest(
        low=low,
        high=high,
        currency=currency,
        price_source=search.constraints.price_source,
        hours_per_day=hours,
        search=search,
    )


def _ends(reader: Reader, budget: Mapping[str, Any]) -> tuple[float, float | None]:
    """The least and the most; without a least, nothing is too cheap."""
    given = budget.get("low")
    low = None if given is None else reader.number(given, "budget.low", low=0, high=MAX_AMOUNT)
    if budget.get("high") is None:
        reader.refuse("missing", "budget.high")
        return low or 0.0, None
    high = reader.positive(budget["high"], "budget.high", high=MAX_AMOUNT)
    if low is not None and high is not None and low > high:
        reader.refuse("budget_reversed", "budget.low", low=f"{low:,.0f}", high=f"{high:,.0f}")
    return low or 0.0, high


def _question(obj: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **{name: obj[name] for name in SEARCHED if obj.get(name) is not None},
        "constraints": {name: obj[name] for name in LIMITS if obj.get(name) is not None},
        "objective": "highest_throughput",
        "limit": MOST_SET_UPS,
    }


def _placed(rejected: Rejected) -> list[Problem]:
    """Problems of the search with fields as this question has them."""
    return [
        replace(problem, field=(problem.field or "").removeprefix("constraints.") or None)
        for problem in rejected.problems
    ]


def purchase_per_cards(a: Mapping[str, float]) -> float:
    """What a whole purchase costs for each unit of money that its cards cost, at the shares assumed."""
    return 1.0 + sum(a[name] for name in SHARES)


def priced_cards(catalog: Catalog, book: PriceBook) -> list[str]:
    """Accelerators that can be bought at a price of the book. What is on sale no more needs somebody who offers it."""
    return [
        name
        for name, offers in book.purchase.items()
        if name in catalog.accelerators
        and (
            any(offer.kind == "quoted" for offer in offers)
            or catalog.accelerator_records.get(name, {}).get("on_sale") is not False
        )
    ]


def search_of(asked: BudgetRequest, catalog: Catalog, book: PriceBook, *, factor: float) -> SearchRequest:
    """The search for what the budget buys: priced cards only, whose price leaves room for what is bought beside them."""
    constraints = replace(
        asked.search.constraints,
        budget=asked.high / factor * (1 + ROUNDING),
        spend_from=asked.low / factor * (1 - ROUNDING),
    )
    cards = tuple(catalog.accelerators[name] for name in priced_cards(catalog, book))
    return replace(asked.search, accelerators=cards, constraints=constraints, book=book)


def at_levels(search: SearchRequest) -> list[SearchRequest]:
    """The same search at ever more users: each finds ways to run a set-up that suit so many."""
    workload = search.workload
    users = LEAST_USERS if workload.requests_per_s is not None else max(workload.concurrency, LEAST_USERS)
    plain = replace(workload, requests_per_s=None, requests_per_day=None, peak_factor=1.0)
    return [
        replace(search, workload=replace(plain, concurrency=min(users * level, MOST_USERS_PER_REPLICA)))
        for level in LEVELS
    ]
