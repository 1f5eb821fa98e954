"""The candidates of a search as index arrays: one row per accelerator, spread, weight format, cache format, engine."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from planner.core.cost.prices import PriceBook
from planner.core.engines import resolve_engine
from planner.core.request import EstimateRequest, Parallelism, Settings, Targets, Workload
from planner.core.search.asked import SearchRequest
from planner.core.search.boards import is_sold
from planner.core.search.plans import Span, plans_for, span_of
from planner.core.search.schemes import cache_dtypes_for, is_computed, schemes_for
from planner.core.specs import AcceleratorSpec, Catalog, EngineSpec, ModelSpec, Scheme
from planner.core.weights import published_scheme_id

Index = NDArray[np.intp]
T = TypeVar("T")
# What a server can weigh in a few seconds: the whole catalog on every engine up to 8 cards is a quarter of it.
MAX_CANDIDATES = 400_000
EDGE_CLASSES = frozenset({"edge", "apple", "npu"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Set:
    """Accelerators that are offered the same spreads and formats on one engine: their rows are a full product."""

    engine: int
    accelerators: tuple[int, ...]
    plans: tuple[int, ...]
    variants: tuple[tuple[int, int], ...]  # (scheme, cache dtype)

    @property
    def rows_of_one(self) -> int:
        """Rows that each accelerator of the set has."""
        return len(self.plans) * len(self.variants)


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """What there is to choose from, and rows (n,) of indices into it; rows are in the order of `sets`.

    `filtered` are accelerators left out before rows were made: (reason, accelerator, rows that it would have had).
    """

    model: ModelSpec
    engines: tuple[EngineSpec, ...]
    accelerators: tuple[AcceleratorSpec, ...]
    plans: tuple[Parallelism, ...]
    schemes: tuple[Scheme, ...]
    cache_dtypes: tuple[str, ...]
    engine: Index
    accelerator: Index
    plan: Index
    scheme: Index
    cache_dtype: Index
    count: Index  # accelerators
    filtered: tuple[tuple[str, int, int], ...]

    def __len__(self) -> int:
        return len(self.engine)

    def request(
        self, row: int, *, settings: Settings, workload: Workload, targets: Targets | None = None
    ) -> EstimateRequest:
        """The estimate of one row."""
        plan, card = self.plans[self.plan[row]], self.accelerators[self.accelerator[row]]
        scheme = self.schemes[self.scheme[row]]
        return EstimateRequest(
            id=None,
            model=self.model,
            scheme=scheme,
            scheme_as_published=scheme.id == published_scheme_id(self.model),
            kv_cache_dtype=self.cache_dtypes[self.cache_dtype[row]],
            accelerator=card,
            count=plan.tensor * plan.pipeline * plan.data,
            parallelism=plan,
            link=card.link or card.pcie,
            engine=self.engines[self.engine[row]],
            settings=settings,
            workload=workload,
            targets=targets,
        )


class _Numbered(Generic[T]):
    """Things in the order in which they were first met."""

    def __init__(self) -> None:
        self.numbers: dict[T, int] = {}

    def number(self, thing: T) -> int:
        return self.numbers.setdefault(thing, len(self.numbers))

    @property
    def all(self) -> tuple[T, ...]:
        return tuple(self.numbers)


class TooManyCandidatesError(Exception):
    """A question that is too wide to be answered: `found` candidates, more than MAX_CANDIDATES."""

    def __init__(self, found: int) -> None:
        super().__init__(f"{found} candidates, at most {MAX_CANDIDATES}")
        self.found = found


def space_of(request: SearchRequest, catalog: Catalog) -> Space:
    """Every candidate that makes sense for a question, those of accelerators that are ruled out by name aside.

    Raises TooManyCandidatesError before a question that lists too much takes the memory for it.
    """
    accelerators = request.accelerators or tuple(catalog.accelerators.values())
    engines = request.engines or tuple(_newest(catalog, name) for name in sorted(catalog.engines))
    reasons = [_filter(card, request, catalog.accelerator_records) for card in accelerators]
    plans, schemes, dtypes = _Numbered[Parallelism](), _Numbered[Scheme](), _Numbered[str]()
    sets: list[Set] = []
    for number, engine in enumerate(engines):
        formats = request.schemes or schemes_for(request.model, engine, catalog)
        caches = request.kv_cache_dtypes or cache_dtypes_for(engine)
        groups = _groups(request, accelerators, engine, formats)
        for (span, kept, counts), members in groups.items():
            spreads = plans_for(request.model, engine, span, counts)
            sets.append(
                Set(
                    engine=number,
                    accelerators=tuple(members),
                    plans=tuple(plans.number(plan) for plan in spreads),
                    variants=tuple(
                        (schemes.number(scheme), dtypes.number(dtype)) for scheme in kept for dtype in caches
                    ),
                )
            )
    found = sum(len(part.accelerators) * part.rows_of_one for part in sets)
    if found > MAX_CANDIDATES:
        raise TooManyCandidatesError(found)
    rows = _rows(sets, reasons)
    return Space(
        model=request.model,
        engines=engines,
        accelerators=accelerators,
        plans=plans.all,
        schemes=schemes.all,
        cache_dtypes=dtypes.all,
        engine=rows[0],
        accelerator=rows[1],
        plan=rows[2],
        scheme=rows[3],
        cache_dtype=rows[4],
        count=np.array([plan.tensor * plan.pipeline * plan.data for plan in plans.all], dtype=np.intp)[
            rows[2]
        ],
        filtered=tuple(
            (reason, index, part.rows_of_one)
            for part in sets
            for index in part.accelerators
            if (reason := reasons[index]) is not None
        ),
    )


def _newest(catalog: Catalog, name: str) -> EngineSpec:
    engine = resolve_engine(catalog.engines, name, None)
    assert isinstance(engine, EngineSpec)  # the newest version of a table is always known
    return engine


def _counts(request: SearchRequest) -> tuple[int, ...]:
    most = request.constraints.max_count
    counts = request.counts or tuple(range(1, most + 1))
    return tuple(count for count in counts if count <= most)


def _counts_of(card: AcceleratorSpec, request: SearchRequest) -> tuple[int, ...]:
    """Counts that are searched of one accelerator: of modules what machines have, unless the asker says how many."""
    counts = _counts(request)
    if request.counts or card.id in request.constraints.owned:
        return counts
    return tuple(count for count in counts if is_sold(card, count))


# What is offered alike: spans, formats and counts.
Offer = tuple[Span, tuple[Scheme, ...], tuple[int, ...]]


def _groups(
    request: SearchRequest,
    accelerators: tuple[AcceleratorSpec, ...],
    engine: EngineSpec,
    formats: tuple[Scheme, ...],
) -> dict[Offer, list[int]]:
    """Accelerators by how far they reach, which formats they are offered and in which numbers they come."""
    published = published_scheme_id(request.model)
    most = max(_counts(request), default=0)
    groups: dict[Offer, list[int]] = {}
    for index, card in enumerate(accelerators):
        kept = formats
        if not request.schemes:
            kept = tuple(scheme for scheme in formats if is_computed(engine, scheme, card, published))
        offer = (span_of(card, most), kept, _counts_of(card, request))
        groups.setdefault(offer, []).append(index)
    return groups


def _filter(
    card: AcceleratorSpec, request: SearchRequest, records: Mapping[str, Mapping[str, object]]
) -> str | None:
    """Why an accelerator is out whatever the spread, None if it is not."""
    constraints = request.constraints
    if constraints.owned and card.id not in constraints.owned:
        return "not_owned"
    if constraints.vendors and card.vendor.casefold() not in {
        name.casefold() for name in constraints.vendors
    }:
        return "filtered_by_vendor"
    if constraints.classes and card.accelerator_class not in constraints.classes:
        return "filtered_by_class"
    at_edge = card.accelerator_class in EDGE_CLASSES
    if constraints.place is not None and at_edge != (constraints.place == "edge"):
        return "filtered_by_place"
    if constraints.ecc is not None and records.get(card.id, {}).get("ecc") is not constraints.ecc:
        return "filtered_by_ecc"
    if records.get(card.id, {}).get("on_sale") is False and not _is_meant(card, request):
        return "not_on_sale"
    return None


def _is_meant(card: AcceleratorSpec, request: SearchRequest) -> bool:
    """Whether this very accelerator is in mind: named, owned, priced by the asker or offered by a supplier."""
    limits = request.constraints
    named = bool(request.accelerators) or card.id in limits.owned or card.id in limits.prices
    return named or _is_offered(card.id, request.book)


def _is_offered(card: str, book: PriceBook | None) -> bool:
    return book is not None and any(price.kind == "quoted" for price in book.purchase.get(card, ()))


def _rows(sets: list[Set], reasons: list[str | None]) -> list[Index]:
    """Index columns of all sets: engine, accelerator, plan, scheme, cache dtype."""
    columns: list[list[Index]] = [[], [], [], [], []]
    for part in sets:
        members = np.array([i for i in part.accelerators if reasons[i] is None], dtype=np.intp)
        plans = np.array(part.plans, dtype=np.intp)
        variants = np.array(part.variants, dtype=np.intp).reshape(-1, 2)
        size = len(members) * part.rows_of_one
        columns[0].append(np.full(size, part.engine, dtype=np.intp))
        columns[1].append(np.repeat(members, part.rows_of_one))
        columns[2].append(np.tile(np.repeat(plans, len(variants)), len(members)))
        columns[3].append(np.tile(variants[:, 0], len(members) * len(plans)))
        columns[4].append(np.tile(variants[:, 1], len(members) * len(plans)))
    return [np.concatenate(column) if column else np.zeros(0, dtype=np.intp) for column in columns]
