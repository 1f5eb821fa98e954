"""From one JSON object to a checked `SearchRequest`, or to everything that is wrong with it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from planner.core.cost.prices import PRICE_SOURCES
from planner.core.parse import (
    Rejected,
    read_accelerator,
    read_engine,
    read_kv_cache_dtype,
    read_model,
    read_scheme,
)
from planner.core.parse.close import close_to
from planner.core.parse.fields import Reader
from planner.core.parse.money import read_currency
from planner.core.parse.workload import read_targets, read_workload
from planner.core.request import Targets
from planner.core.search.asked import OBJECTIVES, PLACES, Constraints, SearchRequest
from planner.core.specs import AcceleratorSpec, Catalog, EngineSpec, ModelSpec, Scheme

TOP_FIELDS = frozenset(
    [
        "id",
        "model",
        "weights",
        "kv_cache_dtype",
        "engine",
        "engines",
        "accelerators",
        "counts",
        "workload",
        "targets",
        "constraints",
        "objective",
        "limit",
    ]
)
CONSTRAINT_FIELDS = frozenset(
    [
        "budget",
        "currency",
        "prices",
        "price_source",
        "power_w",
        "vendors",
        "classes",
        "ecc",
        "owned",
        "place",
        "max_count",
    ]
)
BUDGET_FIELDS = frozenset({"amount", "currency"})
# Entries of a list: together with the bound on candidates they keep a question from being all the work of a server.
MAX_SCHEMES, MAX_CACHES, MAX_ENGINES, MAX_COUNTS, MAX_NAMES = 64, 16, 8, 64, 64
MAX_ACCELERATORS = 1000
MAX_CARDS = 64  # of one option
MAX_OWNED = 100_000
MAX_AMOUNT = 1e15
MAX_POWER_W = 1e9
DEFAULT_MAX_COUNT = 8
DEFAULT_LIMIT, MAX_LIMIT = 20, 50
T = TypeVar("T")


def parse_search(obj: Any, catalog: Catalog) -> SearchRequest | Rejected:
    """Check one question against the catalog. Never raises for bad input; every problem is found at once."""
    reader = Reader()
    if not isinstance(obj, Mapping):
        reader.refuse("not_an_object", None)
        return Rejected(id=None, problems=tuple(reader.problems))
    request_id = reader.text(obj["id"], "id") if obj.get("id") is not None else None
    reader.only(obj, TOP_FIELDS, "")
    request = _read(reader, obj, request_id, catalog)
    if reader.problems:
        return Rejected(id=request_id, problems=tuple(reader.problems))
    assert request is not None  # no problem was noted, so every part was read
    return request


def _read(
    reader: Reader, obj: Mapping[str, Any], request_id: str | None, catalog: Catalog
) -> SearchRequest | None:
    model = read_model(reader, obj.get("model"), catalog)
    schemes = _schemes(reader, obj.get("weights"), model, catalog)
    kv_cache_dtypes = _kv_cache_dtypes(reader, obj.get("kv_cache_dtype"), catalog)
    engines = _engines(reader, obj, catalog)
    accelerators = _accelerators(reader, obj.get("accelerators"), catalog)
    counts = _counts(reader, obj.get("counts"))
    constraints = read_constraints(reader, obj.get("constraints"), catalog)
    workload = read_workload(reader, obj.get("workload"))
    if obj.get("workload") is None:
        reader.refuse("missing", "workload")
    targets = read_targets(reader, obj.get("targets")) or Targets()
    objective = _one_of(reader, obj.get("objective"), "objective", OBJECTIVES, default=OBJECTIVES[0])
    given = obj.get("limit")
    limit = DEFAULT_LIMIT if given is None else reader.integer(given, "limit", low=1, high=MAX_LIMIT)
    _contradictions(reader, obj, accelerators, counts, constraints)
    if model is None or workload is None or objective is None or limit is None:
        return None
    return SearchRequest(
        id=request_id,
        model=model,
        schemes=schemes,
        kv_cache_dtypes=kv_cache_dtypes,
        engines=engines,
        accelerators=accelerators,
        counts=counts,
        workload=workload,
        targets=targets,
        constraints=constraints,
        objective=objective,
        limit=limit,
    )


def _schemes(reader: Reader, value: Any, model: ModelSpec | None, catalog: Catalog) -> tuple[Scheme, ...]:
    """One scheme or several; within a list null means: as published."""
    given = _entries(reader, value, "weights", high=MAX_SCHEMES)
    return _each(reader, given, "weights", lambda inner, item: read_scheme(inner, item, model, catalog))


def _kv_cache_dtypes(reader: Reader, value: Any, catalog: Catalog) -> tuple[str, ...]:
    def read(inner: Reader, item: Any) -> str | None:
        if isinstance(item, Mapping):
            inner.refuse("not_answered_yet", "kv_cache_dtype")
            return None
        return read_kv_cache_dtype(inner, item, catalog)

    given = _entries(reader, value, "kv_cache_dtype", high=MAX_CACHES)
    return _each(reader, given, "kv_cache_dtype", read)


def _engines(reader: Reader, obj: Mapping[str, Any], catalog: Catalog) -> tuple[EngineSpec, ...]:
    """`engines` is a list, `engine` one of them; never both."""
    if obj.get("engine") is not None and obj.get("engines") is not None:
        reader.refuse("engine_or_engines", "engines")
        return ()
    if obj.get("engine") is not None:
        one = read_engine(reader, obj["engine"], catalog)
        return () if one is None else (one,)
    given = _entries(reader, obj.get("engines"), "engines", high=MAX_ENGINES)
    return _each(reader, given, "engine", lambda inner, item: read_engine(inner, item, catalog))


def _accelerators(reader: Reader, value: Any, catalog: Catalog) -> tuple[AcceleratorSpec, ...]:
    def read(inner: Reader, item: Any) -> AcceleratorSpec | None:
        if item is None:
            inner.refuse("missing", "accelerator")
        return read_accelerator(inner, item, catalog)

    given = _entries(reader, value, "accelerators", high=MAX_ACCELERATORS)
    return _each(reader, given, "accelerator", read)


def _counts(reader: Reader, value: Any) -> tuple[int, ...]:
    given = _entries(reader, value, "counts", high=MAX_COUNTS)
    counts = _each(
        reader, given, "count", lambda inner, item: inner.integer(item, "count", low=1, high=MAX_CARDS)
    )
    return tuple(sorted(counts))


def read_constraints(reader: Reader, value: Any, catalog: Catalog) -> Constraints:
    """What an option must respect; every part may be left out."""
    fields = reader.mapping(value, "constraints") if value is not None else {}
    if not fields:
        return Constraints()
    reader.only(fields, CONSTRAINT_FIELDS, "constraints")
    budget, currency = _budget(reader, fields)
    prices = _by_accelerator(
        reader,
        fields.get("prices"),
        "constraints.prices",
        catalog,
        lambda amount, field: reader.positive(amount, field, high=MAX_AMOUNT),
    )
    if prices and currency is None and fields.get("currency") is None:
        reader.refuse("prices_need_currency", "constraints.currency")
    owned = _by_accelerator(
        reader,
        fields.get("owned"),
        "constraints.owned",
        catalog,
        lambda cards, field: reader.integer(cards, field, low=1, high=MAX_OWNED),
    )
    power, ecc, most = fields.get("power_w"), fields.get("ecc"), fields.get("max_count")
    return Constraints(
        budget=budget,
        currency=currency,
        prices=prices,
        price_source=_one_of(
            reader,
            fields.get("price_source"),
            "constraints.price_source",
            PRICE_SOURCES,
            default=PRICE_SOURCES[0],
        )
        or PRICE_SOURCES[0],
        power_w=None if power is None else reader.positive(power, "constraints.power_w", high=MAX_POWER_W),
        vendors=_vendors(reader, fields.get("vendors"), catalog),
        classes=_classes(reader, fields.get("classes"), catalog),
        ecc=None if ecc is None else reader.boolean(ecc, "constraints.ecc"),
        owned=owned,
        place=_one_of(reader, fields.get("place"), "constraints.place", PLACES, default=None),
        max_count=DEFAULT_MAX_COUNT
        if most is None
        else reader.integer(most, "constraints.max_count", low=1, high=MAX_CARDS) or DEFAULT_MAX_COUNT,
    )


def _budget(reader: Reader, fields: Mapping[str, Any]) -> tuple[float | None, str | None]:
    """Amount and currency: {"amount", "currency"}, or a number beside `currency`."""
    budget, place = fields.get("budget"), "constraints.budget"
    outer = read_currency(reader, fields.get("currency"), "constraints.currency")
    if not isinstance(budget, Mapping):
        amount = None if budget is None else reader.positive(budget, place, high=MAX_AMOUNT)
        if amount is not None and fields.get("currency") is None:
            reader.refuse("budget_needs_currency", "constraints.currency")
        return amount, outer
    reader.only(budget, BUDGET_FIELDS, place)
    inner = read_currency(reader, budget.get("currency"), f"{place}.currency")
    if budget.get("amount") is None:
        reader.refuse("missing", f"{place}.amount")
        return None, outer
    if budget.get("currency") is None and fields.get("currency") is None:
        reader.refuse("budget_needs_currency", f"{place}.currency")
    if inner and outer and inner != outer:
        reader.refuse("currencies_differ", f"{place}.currency", budget=inner, prices=outer)
    return reader.positive(budget["amount"], f"{place}.amount", high=MAX_AMOUNT), inner or outer


def _by_accelerator(
    reader: Reader,
    value: Any,
    field: str,
    catalog: Catalog,
    read: Callable[[Any, str], T | None],
) -> dict[str, T]:
    """A number per accelerator, whose key is an id or a name that the vendor's tool prints."""
    fields = reader.mapping(value, field) if value is not None else {}
    found: dict[str, T] = {}
    if fields is not None and len(fields) > MAX_ACCELERATORS:
        reader.refuse("too_many_entries", field, found=len(fields), limit=MAX_ACCELERATORS)
        return found
    for key, item in (fields or {}).items():
        place = f"{field}.{str(key)[:60]}"
        inner = Reader()
        card = read_accelerator(inner, key, catalog)
        _take(reader, inner, "accelerator", place)
        number = read(item, place)
        if card is None or number is None:
            continue
        if card.id in found:
            reader.refuse("accelerator_named_twice", place, accelerator=card.id)
        found[card.id] = number
    return found


def _vendors(reader: Reader, value: Any, catalog: Catalog) -> frozenset[str]:
    """Vendors in the catalog's spelling; capitals do not matter."""
    known = {card.vendor.casefold(): card.vendor for card in catalog.accelerators.values()}
    return _named(reader, value, "constraints.vendors", known, code="unknown_vendor")


def _classes(reader: Reader, value: Any, catalog: Catalog) -> frozenset[str]:
    known = {
        card.accelerator_class.casefold(): card.accelerator_class for card in catalog.accelerators.values()
    }
    return _named(reader, value, "constraints.classes", known, code="unknown_class")


def _named(reader: Reader, value: Any, field: str, known: Mapping[str, str], *, code: str) -> frozenset[str]:
    names = sorted(known.values())
    found = set()
    for place, item in _entries(reader, value, field, high=MAX_NAMES):
        text = reader.text(item, place)
        if text is None:
            continue
        name = known.get(text.strip().casefold())
        if name is None:
            reader.refuse(code, place, found=text, close=close_to(text, names), known=", ".join(names))
        else:
            found.add(name)
    return frozenset(found)


def _one_of(
    reader: Reader, value: Any, field: str, known: Sequence[str], *, default: str | None
) -> str | None:
    if value is None:
        return default
    text = reader.text(value, field)
    if text is None or text in known:
        return text
    reader.refuse("unknown_choice", field, found=text, known=", ".join(known))
    return None


def _entries(reader: Reader, value: Any, field: str, *, high: int) -> Sequence[tuple[str, Any]]:
    """The entries of a list with the place of each; one value stands for a list of one, null for none."""
    if value is None:
        return ()
    if not isinstance(value, (list, tuple)):
        return ((field, value),)
    if not value:
        reader.refuse("list_empty", field)
    if len(value) > high:
        reader.refuse("too_many_entries", field, found=len(value), limit=high)
        return ()
    return [(f"{field}[{index}]", item) for index, item in enumerate(value)]


def _each(
    reader: Reader, given: Sequence[tuple[str, Any]], read_as: str, read: Callable[[Reader, Any], T | None]
) -> tuple[T, ...]:
    """Every entry once, in order. What a reader says about the field `read_as` is said about the entry's place."""
    found: list[T] = []
    for place, item in given:
        inner = Reader()
        value = read(inner, item)
        _take(reader, inner, read_as, place)
        if value is not None and value not in found:
            found.append(value)
    return tuple(found)


def _take(reader: Reader, inner: Reader, read_as: str, field: str) -> None:
    """Bring the problems of an inner reader to the place where the asker wrote the value."""
    reader.problems.extend(
        replace(item, field=field + (item.field or "").removeprefix(read_as)) for item in inner.problems
    )


def _contradictions(
    reader: Reader,
    obj: Mapping[str, Any],
    accelerators: Sequence[AcceleratorSpec],
    counts: Sequence[int],
    constraints: Constraints,
) -> None:
    """Parts that are well-formed each and cannot hold together."""
    listed = {card.id for card in accelerators}
    for card in constraints.owned if listed else ():
        if card not in listed:
            reader.refuse("owned_not_in_accelerators", f"constraints.owned.{card}", accelerator=card)
    if counts and counts[0] > constraints.max_count:
        reader.refuse("counts_above_max_count", "counts", least=counts[0], max_count=constraints.max_count)
    if constraints.place == "edge" and counts and counts[0] > 1:
        reader.refuse("edge_is_one_device", "counts", least=counts[0])
    workload = obj.get("workload")
    if isinstance(workload, Mapping) and workload.get("shared_prefix_tokens") is not None:
        reader.refuse("not_answered_yet", "workload.shared_prefix_tokens")
