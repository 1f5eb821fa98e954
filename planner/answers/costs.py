"""What a set-up costs, as the outside sees it: JSON in, JSON out, codes with their words."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import date
from functools import cache
from typing import Any

from django.utils.translation import gettext as _

from planner.answers import bills
from planner.answers.estimates import problem_object
from planner.core import CORE_VERSION
from planner.core.bill import Bill
from planner.core.cost.ask import DEFAULT_HOURS_PER_DAY, CostRequest, parse_cost
from planner.core.cost.assumptions import OPERATIONS, InForce, in_force
from planner.core.cost.own import (
    MONTHS_PER_YEAR,
    SECONDS_PER_DAY,
    Owned,
    Term,
    Tokens,
    per_million,
    purchase_terms,
    total,
    yearly_terms,
)
from planner.core.cost.prices import Price, PriceBook
from planner.core.cost.rent import Meeting, Rented, meeting, spent
from planner.core.estimate import estimate
from planner.core.outcome import Problem
from planner.core.parse import Rejected
from planner.core.request import EstimateRequest
from planner.core.specs import Catalog
from planner.messages import word
from planner.messages.cost import ASSUMPTION_NAMES, ITEMS, REMARKS, UNITS
from planner.models import TeamSettings
from planner.queries.prices import exchange, price_book

CURVE_MONTHS = 60
BUSY_HALF = 0.5
SECONDS_PER_HOUR = 3600
Books = Callable[[str, bool], PriceBook]


def answer(objects: Sequence[Any], *, catalog: Catalog, team: TeamSettings, on: date) -> list[dict[str, Any]]:
    """One answer or problem object per question, in order. A bad one does not stop the others."""

    @cache
    def books(currency: str, public: bool) -> PriceBook:
        return price_book(on=on, currency=currency, public=public)

    return [_answer(obj, catalog, team, books) for obj in objects]


def _answer(obj: Any, catalog: Catalog, team: TeamSettings, books: Books) -> dict[str, Any]:
    title = _("The cost of this request cannot be found.")
    if isinstance(obj, Problem):
        return problem_object(None, (obj,), title=title)
    asked = parse_cost(obj, catalog)
    if isinstance(asked, Rejected):
        return problem_object(asked.id, asked.problems, title=title)
    currency = asked.currency or team.currency
    book = books(currency, asked.price_source == "public")
    if exchange("USD", currency, book.per_usd) is None:
        problem = Problem(code="rate_missing", field="currency", values={"found": currency})
        return problem_object(asked.id, (problem,), title=title)
    found = estimate([asked.request], catalog)[0]
    return cost_of(asked, found, catalog=catalog, book=book, team=team)


def cost_of(
    asked: CostRequest,
    estimated: Mapping[str, Any],
    *,
    catalog: Catalog,
    book: PriceBook,
    team: TeamSettings,
) -> dict[str, Any]:
    """The cost of a checked question whose set-up is estimated already."""
    usd = exchange("USD", book.currency, book.per_usd) or 1.0
    used = in_force(given=asked.assumptions, team=_team_values(team, book), usd=usd)
    a = {name: item.value for name, item in used.items()}
    if asked.price_source == "none":
        book = replace(book, purchase={}, rent_hour={})
    bill = _bill(asked, catalog, book)
    owned = _owned(asked, bill)
    tokens = _tokens(asked, estimated, catalog)
    bought = purchase_terms(owned, a)
    purchase = total(bought)
    real = yearly_terms(owned, a, purchase=purchase, duty=tokens.duty)
    full = yearly_terms(owned, a, purchase=purchase, duty=1.0)
    yearly, yearly_full = total(real), total(full)
    rent = _rent(asked, book, a, tokens, purchase=purchase, real=real)
    return {
        "id": asked.id,
        "currency": book.currency,
        "purchase": {"terms": [_term(term) for term in bought], "total": bills.money(purchase)},
        "yearly": {"terms": [_term(term) for term in real], "total": bills.money(yearly)},
        "yearly_at_full_load": bills.money(yearly_full),
        "tokens_per_day": {"at_load": tokens.at_load, "at_full_load": tokens.at_full_load},
        "utilization": tokens.duty,
        "per_million_output_tokens": {
            "at_load": bills.money(per_million(yearly, tokens.at_load)),
            "at_full_load": bills.money(per_million(yearly_full, tokens.at_full_load)),
            "interval_at_full_load": _interval(yearly_full, tokens, estimated),
        },
        "per_million_tokens": {
            "at_load": bills.money(per_million(yearly, _all_tokens(tokens.at_load, tokens))),
            "at_full_load": bills.money(per_million(yearly_full, _all_tokens(tokens.at_full_load, tokens))),
        },
        "rent": rent,
        "bill": bills.shown(bill),
        "assumptions": [_assumption(item, book.currency) for item in used.values()],
        "remarks": _remarks(asked, bill, tokens, a=a, rent=rent),
        "basis": {
            "catalog": catalog.hash,
            "core": CORE_VERSION,
            "calibration": None,
            "prices": book.key,
        },
    }


def _team_values(team: TeamSettings, book: PriceBook) -> dict[str, Any]:
    """The team's assumptions, money exchanged from the team's currency."""
    factor = exchange(team.currency, book.currency, book.per_usd) or 1.0
    money = {"tariff_per_kwh", "hosting_per_month", "licence_per_card_year", "hourly_rate"}
    return {
        name: {**entry, "value": entry["value"] * (factor if name in money else 1.0)}
        for name, entry in team.cost.items()
    }


def _bill(asked: CostRequest, catalog: Catalog, book: PriceBook) -> Bill:
    """The bill at the prices of the book, with the asker's own in their place."""
    request, own = asked.request, {}
    if asked.unit_price is not None and request.accelerator is not None:
        own[request.accelerator.id] = (Price(amount=asked.unit_price, kind="given", source=""),)
    if asked.platform_price is not None and asked.bill.platform is not None:
        own[asked.bill.platform] = (Price(amount=asked.platform_price, kind="given", source=""),)
    if own:
        book = replace(book, purchase={**book.purchase, **own})
    return bills.bill_for(request, asked.bill, catalog=catalog, book=book)


def _owned(asked: CostRequest, bill: Bill) -> Owned:
    """Cards, platform and the rest out of a bill. A platform that comes with its cards is the cards' price."""
    request, card = asked.request, asked.request.accelerator
    lines = {line.kind: line for line in bill.lines}
    cards, platform = lines.get("accelerator"), lines.get("platform")
    with_cards = cards is None and platform is not None
    card_price = cards.unit_price if cards else None
    if with_cards and platform is not None and platform.total is not None:
        card_price = platform.total / request.count
    host: float | None = asked.platform_price
    if platform is not None:
        host = 0.0 if with_cards else platform.total
    spares = bill.total_of("spare") or 0.0
    return Owned(
        count=request.count,
        card_price=card_price,
        platform_price=host,
        extra_price=(bill.total_of("extra") or 0.0) + spares,
        board_power_w=card.tdp_w if card else None,
    )


def _tokens(asked: CostRequest, estimated: Mapping[str, Any], catalog: Catalog) -> Tokens:
    """Output tokens a day as used and flat out. Flat out is as many users as the settings let run together."""
    speed, workload = estimated["speed"], asked.request.workload
    if speed is None or workload is None:
        return Tokens(at_load=None, at_full_load=None, duty=None, input_per_output=None)
    full = _flat_out(asked.request, estimated, catalog) * SECONDS_PER_DAY
    daily = asked.raw.get("workload", {}).get("requests_per_day")
    if daily is not None:
        at_load = float(daily) * workload.output_tokens
    else:
        hours = DEFAULT_HOURS_PER_DAY if asked.hours_per_day is None else asked.hours_per_day
        at_load = speed["output_tokens_per_s"] * SECONDS_PER_HOUR * hours
    return Tokens(
        at_load=at_load,
        at_full_load=full,
        duty=min(1.0, at_load / full) if full else None,
        input_per_output=workload.input_tokens / workload.output_tokens if workload.output_tokens else None,
    )


def _flat_out(request: EstimateRequest, estimated: Mapping[str, Any], catalog: Catalog) -> float:
    """Output tokens per second of all replicas when every slot is taken; never less than at the load asked for."""
    slots = next((item["value"] for item in estimated["settings"] if item["name"] == "max_num_seqs"), None)
    speed, workload = estimated["speed"], request.workload
    asked = float(speed["output_tokens_per_s"])
    if slots is None or workload is None:
        return asked
    busy = replace(
        workload, concurrency=max(workload.concurrency, slots * request.parallelism.data), requests_per_s=None
    )
    found = estimate([replace(request, workload=busy, targets=None)], catalog)[0]["speed"]
    return max(asked, float(found["output_tokens_per_s"])) if found else asked


def _all_tokens(output: float | None, tokens: Tokens) -> float | None:
    if output is None or tokens.input_per_output is None:
        return None
    return output * (1 + tokens.input_per_output)


def _interval(yearly: float | None, tokens: Tokens, estimated: Mapping[str, Any]) -> list[float] | None:
    """Cost of a million output tokens at the ends of the speed's interval; faster is cheaper."""
    if yearly is None or not tokens.at_full_load or not estimated["speed"]:
        return None
    speed = estimated["speed"]
    low, high = speed["interval"]["output_tokens_per_s"]
    middle = speed["output_tokens_per_s"]
    if not (low and high and middle):
        return None
    ends = [per_million(yearly, tokens.at_full_load * end / middle) for end in (high, low)]
    return [round(end, bills.CENTS) for end in ends if end is not None]


def _rent(
    asked: CostRequest,
    book: PriceBook,
    a: Mapping[str, float],
    tokens: Tokens,
    *,
    purchase: float | None,
    real: Sequence[Term],
) -> dict[str, Any] | None:
    """Renting the same cards, and where it meets buying; None where no rent is known."""
    request = asked.request
    if request.accelerator is None:
        return None
    quoted = book.rent(request.accelerator.id, quantity=request.count)
    price = (
        Price(amount=asked.rent_per_hour, kind="given", source="")
        if asked.rent_per_hour is not None
        else quoted
    )
    if price is None:
        return None
    hours = 24.0 if asked.rent_hours_per_day is None else asked.rent_hours_per_day
    effort = sum(a[name] for name in OPERATIONS) * MONTHS_PER_YEAR * a["hourly_rate"]
    rented = Rented(
        count=request.count, price_per_hour=price.amount, hours_per_day=hours, effort_per_year=effort
    )
    running = total([term for term in real if term.item != "depreciation"])
    yearly = total(list(real))
    known = purchase is not None and running is not None and yearly is not None
    met = meeting(rented, purchase=purchase, running=running, yearly=yearly) if known else None  # type: ignore[arg-type]
    return {
        "price_per_hour": bills.money(price.amount),
        "price": bills.price_shown(price),
        "hours_per_day": hours,
        "yearly": bills.money(rented.yearly),
        "per_million_output_tokens": bills.money(per_million(rented.yearly, tokens.at_load)),
        "effort_per_year": bills.money(effort),
        "break_even": asdict(met) if met else None,
        "curve": _curve(rented, met, purchase, running) if known else [],
    }


def _curve(
    rented: Rented, met: Meeting | None, purchase: float | None, running: float | None
) -> list[dict[str, float]]:
    at, bought, paid = spent(rented, purchase=purchase or 0.0, running=running or 0.0, months=CURVE_MONTHS)
    return [
        {"month": int(month), "bought": round(one, 2), "rented": round(other, 2)}
        for month, one, other in zip(at, bought, paid, strict=True)
    ]


def in_words(cost: dict[str, Any]) -> dict[str, Any]:
    """The words of a cost again, in the reader's language: a saved one has those of its author."""
    for term in (*cost["purchase"]["terms"], *cost["yearly"]["terms"]):
        term["name"] = str(ITEMS[term["item"]])
    for item in cost["assumptions"]:
        item["label"] = str(ASSUMPTION_NAMES[item["name"]])
        item["unit"] = word(UNITS, item["unit_code"], {"currency": cost["currency"]})
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
        "by": item.by,
        "kind": item.kind,
        "source": item.source,
    }


def _remarks(
    asked: CostRequest, bill: Bill, tokens: Tokens, *, a: Mapping[str, float], rent: Mapping[str, Any] | None
) -> list[dict[str, Any]]:
    found = [*_load_remarks(asked, tokens), *_price_remarks(asked, bill, a, rent)]
    return [
        {"code": code, "values": values, "message": word(REMARKS, code, values)} for code, values in found
    ]


Remark = tuple[str, dict[str, Any]]


def _load_remarks(asked: CostRequest, tokens: Tokens) -> Iterator[Remark]:
    """What the load leaves open."""
    if asked.request.workload is None:
        yield "no_load", {}
    elif tokens.at_full_load is None or tokens.at_load is None:
        yield "no_speed", {}
    elif tokens.at_load > tokens.at_full_load:
        yield "load_above_capacity", {}
    elif tokens.duty is not None and tokens.duty < BUSY_HALF:
        yield "utilization_dominates", {"percent": f"{100 * tokens.duty:.0f}"}


def _price_remarks(
    asked: CostRequest, bill: Bill, a: Mapping[str, float], rent: Mapping[str, Any] | None
) -> Iterator[Remark]:
    """Which prices are missing, assumed or nobody's offer."""
    card = asked.request.accelerator
    if bill.unpriced:
        yield "no_price", {"name": ", ".join(bill.unpriced)}
    if card is not None and card.tdp_w is None:
        yield "power_unknown", {"name": card.name}
    if a["host_share"] and not any(line.kind == "platform" for line in bill.lines):
        yield "host_assumed", {"percent": f"{100 * a['host_share']:.0f}"}
    public = [line.name for line in bill.lines if line.price is not None and line.price.kind == "public"]
    if public:
        yield "public_prices", {"names": ", ".join(dict.fromkeys(public))}
    if card is not None and rent is None:
        yield "no_rent", {"name": card.name}
    elif rent is not None and rent["break_even"] and rent["break_even"]["months"] is None:
        yield "never_pays", {}
