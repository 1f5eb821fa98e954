"""From one JSON object to a checked question about cost, or to everything that is wrong with it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from planner.core.bill import Extra
from planner.core.cost.assumptions import BY_NAME, faults
from planner.core.cost.prices import PRICE_SOURCES
from planner.core.cost.rent import HOURS_PER_DAY, HOURS_PER_MONTH
from planner.core.outcome import Problem
from planner.core.parse import Rejected, Reserved, parse_request
from planner.core.parse.fields import Reader
from planner.core.parse.money import read_currency
from planner.core.request import EstimateRequest
from planner.core.specs import Catalog
from planner.core.values import kind_of

FIELDS = frozenset(
    ["id", "request", "currency", "price_source", "purchase", "bill", "load", "assumptions", "rent"]
)
BILL_FIELDS = frozenset(["currency", "platform", "spares", "extra"])
EXTRA_FIELDS = frozenset(["name", "quantity", "unit_price", "source"])
MAX_AMOUNT = 1e15
MAX_SPARES = 10_000
MAX_EXTRAS = 50
MAX_QUANTITY = 100_000
SHOWN = 60  # characters of what was given, in a message
# One dollar buys at most so much of any currency here; bounds of amounts are widened by it.
WIDEST_RATE = 2_000_000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BillAsked:
    """What a plan adds to the cards: `platform` is a catalog id."""

    currency: str | None = None
    platform: str | None = None
    spares: int = 0
    extras: tuple[Extra, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CostRequest:
    """A checked question. `unit_price` and `platform_price` are the asker's own and win over the book.

    `platform_price` is that of one platform where the bill names one, else of all servers together.
    The load is the request's own where that comes in requests a day, else a `utilization`, else hours a day.
    """

    id: str | None
    request: EstimateRequest
    currency: str | None = None  # None: the team's
    price_source: str = PRICE_SOURCES[0]
    unit_price: float | None = None
    platform_price: float | None = None
    bill: BillAsked = field(default_factory=BillAsked)
    utilization: float | None = None  # share of what the set-up can do
    assumptions: Mapping[str, float] = field(default_factory=dict)
    rent_per_hour: float | None = None  # of one accelerator
    rent_hours_per_day: float | None = None


def parse_cost(obj: Any, catalog: Catalog) -> CostRequest | Rejected:
    """Check one question about cost. The estimate request in it is judged by the estimate's own rules."""
    reader = Reader()
    fields = reader.mapping(obj, "")
    if fields is None:
        return Rejected(id=None, problems=(Problem(code="not_an_object", field=None),))
    asked_id = None if fields.get("id") is None else reader.text(fields["id"], "id")
    reader.only(fields, FIELDS, "")
    request = read_request(reader, fields.get("request"), catalog)
    purchase = _part(reader, fields, "purchase", frozenset(["unit_price", "platform_price"]))
    load = _part(reader, fields, "load", frozenset(["hours_per_day", "utilization"]))
    rent = _part(reader, fields, "rent", frozenset(["price_per_hour", "price_per_month", "hours_per_day"]))
    assumptions = read_assumptions(reader, fields.get("assumptions"), "assumptions")
    hours = _number(reader, load, "load.hours_per_day", high=HOURS_PER_DAY)
    if hours is not None:
        assumptions["busy_hours_per_day"] = hours
    if len(load) > 1 or (load and request and request.workload and request.workload.requests_per_day):
        reader.refuse("load_twice", "load")
    currency, source = _money(reader, fields)
    bill, amounts = read_bill(reader, fields.get("bill"), catalog), _amounts(reader, purchase, rent)
    utilization = _number(reader, load, "load.utilization", high=1)
    rented = _number(reader, rent, "rent.hours_per_day", high=HOURS_PER_DAY)
    if bill.currency and currency and bill.currency != currency:
        reader.refuse("two_currencies", "bill.currency", found=bill.currency, asked=currency)
    if reader.problems or request is None:
        return Rejected(id=asked_id, problems=tuple(reader.problems))
    return CostRequest(
        id=asked_id,
        request=request,
        currency=currency or bill.currency,
        price_source=source,
        bill=bill,
        utilization=utilization,
        assumptions=assumptions,
        rent_hours_per_day=rented,
        **amounts,
    )


def _money(reader: Reader, fields: Mapping[str, Any]) -> tuple[str | None, str]:
    """Currency, and where prices come from that are not given."""
    return read_currency(reader, fields.get("currency"), "currency"), _source(
        reader, fields.get("price_source")
    )


def _amounts(reader: Reader, purchase: Mapping[str, Any], rent: Mapping[str, Any]) -> dict[str, float | None]:
    """What the asker pays or would pay; a rent by the month as one by the hour."""
    hour = _number(reader, rent, "rent.price_per_hour", high=MAX_AMOUNT)
    month = _number(reader, rent, "rent.price_per_month", high=MAX_AMOUNT)
    if hour is not None and month is not None:
        reader.refuse("rent_twice", "rent")
    return {
        "unit_price": _number(reader, purchase, "purchase.unit_price", high=MAX_AMOUNT),
        "platform_price": _number(reader, purchase, "purchase.platform_price", high=MAX_AMOUNT),
        "rent_per_hour": hour if month is None else month / HOURS_PER_MONTH,
    }


def read_request(
    reader: Reader, value: Any, catalog: Catalog, *, field: str = "request"
) -> EstimateRequest | None:
    """An estimate request inside another object; its problems have their fields prefixed."""
    if value is None:
        reader.refuse("missing", field)
        return None
    parsed = parse_request(value, catalog)
    if isinstance(parsed, EstimateRequest):
        return parsed
    if isinstance(parsed, Reserved):
        for name in parsed.fields:
            place = f"{field}.{name}"
            reader.problems.append(Problem(code="reserved_field", field=place, values={"field": name}))
        return None
    for problem in parsed.problems:
        place = f"{field}.{problem.field}" if problem.field else field
        reader.problems.append(Problem(code=problem.code, field=place, values=problem.values))
    return None


def _part(reader: Reader, fields: Mapping[str, Any], name: str, known: frozenset[str]) -> Mapping[str, Any]:
    value = fields.get(name)
    found = None if value is None else reader.mapping(value, name)
    if found is None:
        return {}
    reader.only(found, known, name)
    return {key: value for key, value in found.items() if value is not None}


def _number(reader: Reader, part: Mapping[str, Any], field: str, *, high: float) -> float | None:
    value = part.get(field.rpartition(".")[2])
    return None if value is None else reader.number(value, field, low=0, high=high)


def _source(reader: Reader, value: Any) -> str:
    if value is None:
        return PRICE_SOURCES[0]
    if value in PRICE_SOURCES:
        return str(value)
    reader.refuse("unknown_choice", "price_source", found=str(value)[:SHOWN], known=", ".join(PRICE_SOURCES))
    return PRICE_SOURCES[0]


def read_bill(reader: Reader, value: Any, catalog: Catalog, *, field: str = "bill") -> BillAsked:
    """What is ordered beside the cards."""
    fields = None if value is None else reader.mapping(value, field)
    if not fields:
        return BillAsked()
    reader.only(fields, BILL_FIELDS, field)
    platform, spares = fields.get("platform"), fields.get("spares")
    if platform is not None and (not isinstance(platform, str) or platform not in catalog.platform_records):
        reader.refuse("unknown_platform", f"{field}.platform", found=str(platform)[:SHOWN])
    return BillAsked(
        currency=read_currency(reader, fields.get("currency"), f"{field}.currency"),
        platform=platform if isinstance(platform, str) else None,
        spares=0
        if spares is None
        else reader.integer(spares, f"{field}.spares", low=0, high=MAX_SPARES) or 0,
        extras=_extras(reader, fields.get("extra"), f"{field}.extra"),
    )


def _extras(reader: Reader, value: Any, field: str) -> tuple[Extra, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or len(value) > MAX_EXTRAS:
        reader.refuse("not_a_short_list", field, limit=MAX_EXTRAS)
        return ()
    found = (_one_extra(reader, item, f"{field}.{place}") for place, item in enumerate(value))
    return tuple(extra for extra in found if extra is not None)


def _one_extra(reader: Reader, value: Any, field: str) -> Extra | None:
    fields = reader.mapping(value, field)
    if fields is None:
        return None
    reader.only(fields, EXTRA_FIELDS, field)
    name = reader.text(fields.get("name"), f"{field}.name")
    if name is not None and not name.strip():
        reader.refuse("missing", f"{field}.name")
    quantity = reader.integer(fields.get("quantity", 1), f"{field}.quantity", low=1, high=MAX_QUANTITY)
    price, source = fields.get("unit_price"), fields.get("source")
    amount = None if price is None else reader.number(price, f"{field}.unit_price", low=0, high=MAX_AMOUNT)
    said = "" if source is None else reader.text(source, f"{field}.source") or ""
    return Extra(name=name or "", quantity=quantity or 1, unit_price=amount, source=said)


def read_assumptions(reader: Reader, value: Any, field: str) -> dict[str, float]:
    """Assumptions by name, each within its bounds; one that is null is left to the team's or ours."""
    fields = None if value is None else reader.mapping(value, field)
    given = {name: number for name, number in (fields or {}).items() if number is not None}
    wrong = faults(given, money_scale=WIDEST_RATE)
    for name, code, low, high in wrong:
        reader.problems.append(fault_problem(name, code, low, high, found=given[name], field=field))
    return {} if wrong else {name: float(number) for name, number in given.items()}


def fault_problem(name: str, code: str, low: float, high: float, *, found: Any, field: str) -> Problem:
    """The problem that a fault of `assumptions.faults` is."""
    values: dict[str, Any] = {
        "low": f"{low:g}",
        "high": f"{high:,.0f}" if high >= 1000 else f"{high:g}",
        "found": str(found)[:SHOWN],
    }
    if code == "assumption_unknown":
        values = {"known": ", ".join(BY_NAME)}
    elif code == "not_a_number":
        code, values = "wrong_type", {"expected": "a number", "found": kind_of(found)}
    return Problem(code=code, field=f"{field}.{str(name)[:SHOWN]}", values=values)
