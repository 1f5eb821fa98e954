"""What a set-up costs, as the outside sees it: JSON in, JSON out, codes with their words."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from planner.answers import bills
from planner.answers.cost_load import Load, load_of
from planner.answers.cost_remarks import remarks
from planner.answers.cost_rent import rent_of, rounded
from planner.answers.estimates import problem_object
from planner.core import CORE_VERSION
from planner.core.bill import Bill
from planner.core.cost.ask import CostRequest, parse_cost
from planner.core.cost.assumptions import BY_NAME, MONEY, InForce, in_force
from planner.core.cost.own import (
    Owned,
    Term,
    Tokens,
    by_utilization,
    per_million,
    purchase_terms,
    total,
    yearly_terms,
)
from planner.core.cost.prices import PriceBook
from planner.core.estimate import estimate
from planner.core.outcome import Problem
from planner.core.parse import Rejected
from planner.core.specs import Catalog
from planner.messages import word
from planner.messages.cost import ASSUMPTION_NAMES, ITEMS, REMARKS, SOURCES, UNITS
from planner.models import TeamSettings
from planner.queries.prices import Books, exchange

SHARES = (0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.18, 0.25, 0.35, 0.5, 0.7, 0.85, 1.0)


def answer(
    objects: Sequence[Any], *, catalog: Catalog, books: Books, team: TeamSettings
) -> list[dict[str, Any]]:
    """One answer or problem object per question, in order. A bad one does not stop the others."""
    return [_answer(obj, catalog, books, team) for obj in objects]


def _answer(obj: Any, catalog: Catalog, books: Books, team: TeamSettings) -> dict[str, Any]:
    title = _("The cost of this request cannot be found.")
    if isinstance(obj, Problem):  # a line that was not JSON
        return problem_object(None, (obj,), title=title)
    asked = parse_cost(obj, catalog)
    if isinstance(asked, Rejected):
        return problem_object(asked.id, asked.problems, title=title)
    book = book_for(asked, books, team)
    if exchange("USD", book.currency, book.per_usd) is None:
        problem = Problem(code="rate_missing", field="currency", values={"found": book.currency})
        return problem_object(asked.id, (problem,), title=title)
    found = estimate([asked.request], catalog)[0]
    return cost_of(asked, found, catalog=catalog, book=book, team=team)


def book_for(asked: CostRequest, books: Books, team: TeamSettings) -> PriceBook:
    """The prices that a question is answered with; "none" has rates, which assumptions are exchanged at, and no prices."""
    source = asked.price_source
    book = books.of(asked.currency or team.currency, "quotes" if source == "none" else source)
    return replace(book, key="", purchase={}, rent_hour={}) if source == "none" else book


def cost_of(
    asked: CostRequest,
    estimated: Mapping[str, Any],
    *,
    catalog: Catalog,
    book: PriceBook,
    team: TeamSettings,
) -> dict[str, Any]:
    """The cost of a checked question whose set-up is estimated already."""
    used = in_force(
        given=asked.assumptions,
        team=team_values(team, book),
        usd=exchange("USD", book.currency, book.per_usd) or 1.0,
    )
    a = {name: item.value for name, item in used.items()}
    bill = _bill(asked, catalog, book)
    owned = _owned(asked, bill)
    load = load_of(asked, estimated, catalog, hours=a["busy_hours_per_day"])
    tokens = load.tokens
    bought = purchase_terms(owned, a)
    purchase = total(bought)
    real = yearly_terms(owned, a, purchase=purchase, duty=tokens.duty)
    full = total(yearly_terms(owned, a, purchase=purchase, duty=1.0))
    rent = rent_of(asked, book, a, tokens, purchase=purchase, yearly=real)
    return {
        "id": asked.id,
        "currency": book.currency,
        "purchase": {"terms": [_term(term) for term in bought], "total": bills.money(purchase)},
        "yearly": {"terms": [_term(term) for term in real], "total": bills.money(total(real))},
        "yearly_at_full_load": bills.money(full),
        "load": _load(load, asked, a),
        "tokens_per_day": _tokens(load),
        "utilization": None if tokens.duty is None else round(tokens.duty, 6),
        **_per_million(load, owned, a, purchase=purchase),
        "by_utilization": _by_utilization(load, owned, a, purchase=purchase),
        "rent": rent,
        "bill": bills.shown(bill),
        "assumptions": [_assumption(item, book.currency) for item in used.values()],
        "remarks": remarks(asked, bill, load, a=a, rent=rent),
        "basis": {
            "catalog": catalog.hash,
            "core": CORE_VERSION,
            "calibration": None,
            "prices": book.key or None,
        },
    }


def team_values(team: TeamSettings, book: PriceBook) -> dict[str, Any]:
    """The team's assumptions, money exchanged from the team's currency."""
    factor = exchange(team.currency, book.currency, book.per_usd) or 1.0
    return {
        name: {**entry, "value": entry["value"] * (factor if name in MONEY else 1.0)}
        for name, entry in team.cost.items()
        if name in BY_NAME
    }


def _bill(asked: CostRequest, catalog: Catalog, book: PriceBook) -> Bill:
    """The bill at the prices of the book, with the asker's own in their place."""
    given = {}
    if asked.unit_price is not None and asked.request.accelerator is not None:
        given[asked.request.accelerator.id] = asked.unit_price
    if asked.platform_price is not None and asked.bill.platform is not None:
        given[asked.bill.platform] = asked.platform_price
    return bills.bill_for(asked.request, asked.bill, catalog=catalog, book=book.with_given(given))


def _owned(asked: CostRequest, bill: Bill) -> Owned:
    """Cards, platform and the rest out of a bill. A platform that comes with its cards is the cards' price."""
    request, card = asked.request, asked.request.accelerator
    lines = {line.kind: line for line in bill.lines}
    cards, platform = lines.get("accelerator"), lines.get("platform")
    card_price = cards.unit_price if cards else None
    host = asked.platform_price
    if platform is not None:
        host = platform.total
        if cards is None:  # the platform has them in it
            host = 0.0
            card_price = None if platform.total is None else platform.total / request.count
    return Owned(
        count=request.count,
        card_price=card_price,
        platform_price=host,
        extra_price=bill.total_of("extra"),
        board_power_w=card.tdp_w if card else None,
        spare_cards=asked.bill.spares,
    )


def _load(load: Load, asked: CostRequest, a: Mapping[str, float]) -> dict[str, Any]:
    """How the load was said; what was not is null."""
    workload = asked.request.workload
    return {
        "by": load.by,
        "requests_per_day": workload.requests_per_day if workload else None,
        "hours_per_day": a["busy_hours_per_day"] if load.by == "hours_per_day" else None,
        "utilization": asked.utilization if load.by == "utilization" else None,
    }


def _tokens(load: Load) -> dict[str, float | None]:
    tokens = load.tokens
    found = {"asked": tokens.asked, "at_load": tokens.at_load, "at_full_load": tokens.at_full_load}
    return {name: None if value is None else round(value, 1) for name, value in found.items()}


def _per_million(
    load: Load, owned: Owned, a: Mapping[str, float], *, purchase: float | None
) -> dict[str, dict[str, Any]]:
    """Cost of a million output tokens, and of a million of either kind, as used and flat out, with its interval."""

    def at(tokens: Tokens, *, full: bool, every: bool) -> float | None:
        made = tokens.at_full_load if full else tokens.at_load
        cost = total(yearly_terms(owned, a, purchase=purchase, duty=1.0 if full else tokens.duty))
        both = None if tokens.input_per_output is None else 1 + tokens.input_per_output
        if every:
            made = None if made is None or both is None else made * both
        return rounded(per_million(cost, made))

    def figures(*, every: bool) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, full in (("at_load", False), ("at_full_load", True)):
            found[name] = at(load.tokens, full=full, every=every)
            ends = [at(end, full=full, every=every) for end in load.ends or ()]
            known = [end for end in ends if end is not None]
            found[f"interval_{name}"] = sorted(known) if len(known) == 2 else None
        return found

    return {
        "per_million_output_tokens": figures(every=False),
        "per_million_tokens": figures(every=True),
    }


def _by_utilization(
    load: Load, owned: Owned, a: Mapping[str, float], *, purchase: float | None
) -> list[dict[str, float]]:
    """Cost of a million output tokens at shares of what the set-up can do; empty where it is not known."""
    most = load.tokens.at_full_load
    if not most:
        return []
    shares = np.array(SHARES)
    costs = by_utilization(owned, a, purchase=purchase, at_full_load=most, shares=shares)
    return [
        {"utilization": float(share), "per_million_output_tokens": round(float(cost), 6)}
        for share, cost in zip(shares, costs, strict=True)
        if np.isfinite(cost)
    ]


def in_words(cost: dict[str, Any]) -> dict[str, Any]:
    """The words of a cost again, in the reader's language: a saved one has those of its author."""
    for term in (*cost["purchase"]["terms"], *cost["yearly"]["terms"]):
        term["name"] = str(ITEMS[term["item"]])
    for item in cost["assumptions"]:
        item["label"] = str(ASSUMPTION_NAMES[item["name"]])
        item["unit"] = word(UNITS, item["unit_code"], {"currency": cost["currency"]})
        if item["by"] == "default":
            item["source"] = str(SOURCES[item["name"]])
    for remark in cost["remarks"]:
        remark["message"] = word(REMARKS, remark["code"], remark["values"])
    return cost


def _term(term: Term) -> dict[str, Any]:
    return {
        "item": term.item,
        "name": str(ITEMS[term.item]),
        "amount": bills.money(term.amount),
        "formula": term.formula,
        "values": dict(term.values),
        "kind": "computed",
    }


def _assumption(item: InForce, currency: str) -> dict[str, Any]:
    return {
        "name": item.name,
        "label": str(ASSUMPTION_NAMES[item.name]),
        "value": item.value,
        "unit": word(UNITS, item.unit, {"currency": currency}),
        "unit_code": item.unit,
        "group": BY_NAME[item.name].group,
        "by": item.by,
        "kind": item.kind,
        "source": str(SOURCES[item.name]) if item.by == "default" else item.source,
    }
