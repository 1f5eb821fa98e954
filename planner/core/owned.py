"""From cards to models: which models of the catalog run on the cards that a team has, and how well."""

import math
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from planner.core.batch import MemoryBatch, SpeedBatch
from planner.core.estimate import evaluate
from planner.core.improve import NOT_STARTED, WELL, State, states
from planner.core.outcome import Problem
from planner.core.request import EstimateRequest, Parallelism
from planner.core.search.plans import plans_for, span_of
from planner.core.search.schemes import cache_dtypes_for, is_computed, schemes_for
from planner.core.specs import AcceleratorSpec, Catalog, EngineSpec, ModelSpec, Scheme
from planner.core.validity import UNSUPPORTED_CODES
from planner.core.weights import published_scheme_id

AS_PUBLISHED, QUANTIZED, TOO_LARGE, UNSUPPORTED = "as_published", "quantized", "too_large", "unsupported"
MOST_CARDS = 64  # of one question: ways to spread a model grow with the number of cards
LARGEST_GROUP = 16  # cards that hold one copy of a model: two full machines
GROUPS = (AS_PUBLISHED, QUANTIZED, TOO_LARGE, UNSUPPORTED)
AS_WIDE = (
    0.9  # of the published bytes: another container of the same precision, such as GGUF, narrows nothing
)
NOT_OF_CACHE = UNSUPPORTED_CODES | {"weights_exceed_budget"}
REMEMBERED = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A model of the catalog and the other names of exactly its shape."""

    model: ModelSpec
    others: tuple[str, ...]
    parameters: float  # in all, vision included


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFit:
    """How one model does on the cards: the best of its set-ups, settings put in, as a request that gives just this.

    group: as_published | quantized (only narrower weights start, serve all users or meet the targets) | too_large |
    unsupported (or not to be told). tpot_low_ms … tpot_high_ms: 80 %. reasons: codes against it.
    """

    shape: Shape
    request: EstimateRequest
    group: str
    state: State
    tpot_low_ms: float
    tpot_high_ms: float
    output_tokens_per_s: float
    kv_cache_tokens: float  # of all replicas together
    reason: str | None

    @property
    def does_all(self) -> bool | None:
        """Whether it starts, serves all users and meets the targets; None where its speed is not known."""
        if self.state.level != WELL:
            return False
        return None if math.isnan(self.state.users) else True


def too_many_cards(count: int) -> Problem | None:
    """What is wrong with a number of cards that a list of models is not worked out for."""
    if count <= MOST_CARDS:
        return None
    return Problem(code="out_of_range", field="count", values={"found": count, "low": 1, "high": MOST_CARDS})


def fits_on(base: EstimateRequest, catalog: Catalog) -> list[ModelFit]:
    """Every shape of the catalog on the cards, engine, workload and targets of `base`; its model does not count.

    Per model the least narrow weights that do best, and among their spreads the fastest. An 8-bit cache is tried where
    the plain one does not do all that was asked.
    """
    card = base.accelerator
    assert card is not None  # the question is about cards
    prototypes = _prototypes(card, base.count, base.engine, catalog)
    plain = [[_of(base, item) for item in items] for _, items in prototypes]
    judged = _judged(plain, catalog)
    wanting = [index for index, rows in enumerate(judged) if _wants_narrow_cache(rows)]
    narrow_cache = cache_dtypes_for(base.engine)[1:]
    again = _judged(
        [[replace(row, kv_cache_dtype=dtype) for row in plain[i] for dtype in narrow_cache] for i in wanting],
        catalog,
    )
    for index, rows in zip(wanting, again, strict=True):
        judged[index] += rows
    return [
        _best(shape, rows, catalog.schemes[published_scheme_id(shape.model)])
        for (shape, _), rows in zip(prototypes, judged, strict=True)
        if rows
    ]


def _wants_narrow_cache(rows: Sequence["_Row"]) -> bool:
    """Whether a narrower cache may change anything: not where all is well, nor where it is not the cache that fails."""
    hopeless = all(row.state.reason in NOT_OF_CACHE for row in rows)
    return not hopeless and max(row.state.level for row in rows) < WELL


def shapes(catalog: Catalog) -> list[Shape]:
    """The models of the catalog, each shape once, quantized releases left out; in the catalog's order."""
    found: OrderedDict[ModelSpec, list[str]] = OrderedDict()
    for model in catalog.models.values():
        if model.scheme is None and model.cache_groups:
            found.setdefault(replace(model, id=""), []).append(model.id)
    return [
        Shape(
            model=catalog.models[first], others=tuple(others), parameters=parameters_of(catalog.models[first])
        )
        for first, *others in found.values()
    ]


def parameters_of(model: ModelSpec) -> float:
    """All parameters of a model, vision included."""
    return float(
        model.embedding_params
        + model.lm_head_params
        + model.routed_params
        + model.linear_params
        + model.router_params
        + model.other_params
        + model.vision_params
    )


@dataclass(frozen=True, slots=True)
class _Row:
    """One candidate of one model."""

    request: EstimateRequest
    state: State
    tpot_low_ms: float
    tpot_high_ms: float
    output_tokens_per_s: float
    kv_cache_tokens: float


_Prototype = tuple[ModelSpec, Scheme, Parallelism]
_remembered: OrderedDict[tuple[object, ...], list[tuple[Shape, list[_Prototype]]]] = OrderedDict()


def _prototypes(
    card: AcceleratorSpec, count: int, engine: EngineSpec, catalog: Catalog
) -> list[tuple[Shape, list[_Prototype]]]:
    """What is tried for every shape. Remembered: it costs as much as judging it."""
    key = (card.id, count, engine.name, engine.version, catalog.hash)
    if key not in _remembered:
        if len(_remembered) >= REMEMBERED:
            _remembered.popitem(last=False)
        _remembered[key] = [
            (shape, list(_tried(shape.model, card, count, engine, catalog))) for shape in shapes(catalog)
        ]
    return _remembered[key]


def _tried(
    model: ModelSpec, card: AcceleratorSpec, count: int, engine: EngineSpec, catalog: Catalog
) -> Iterable[_Prototype]:
    published = published_scheme_id(model)
    # cards that a machine cannot hold together are replicas
    plans = plans_for(model, engine, span_of(card, count), (count,))
    spreads = [plan for plan in plans if plan.tensor * plan.pipeline <= LARGEST_GROUP] or [
        Parallelism(data=count)
    ]
    for scheme in schemes_for(model, engine, catalog):
        if is_computed(engine, scheme, card, published):
            for spread in spreads:
                yield model, scheme, spread


def _of(base: EstimateRequest, prototype: _Prototype) -> EstimateRequest:
    model, scheme, spread = prototype
    return replace(
        base,
        model=model,
        scheme=scheme,
        scheme_as_published=scheme.id == published_scheme_id(model),
        parallelism=spread,
    )


def _judged(groups: Sequence[Sequence[EstimateRequest]], catalog: Catalog) -> list[list[_Row]]:
    """All rows of all groups in one batch, back in their groups."""
    rows = [request for group in groups for request in group]
    if not rows:
        return [[] for _ in groups]
    settled, memory, speed = evaluate(rows, catalog)
    found = iter(_rows(settled, memory, speed))
    return [[next(found) for _ in group] for group in groups]


def _rows(settled: Sequence[EstimateRequest], memory: MemoryBatch, speed: SpeedBatch) -> list[_Row]:
    return [
        _Row(
            request,
            state,
            float(speed.tpot_low_ms[row]),
            float(speed.tpot_high_ms[row]),
            float(speed.output_tokens_per_s[row]),
            float(memory.kv_cache_tokens[row]) * request.parallelism.data,
        )
        for row, (request, state) in enumerate(zip(settled, states(settled, memory, speed), strict=True))
    ]


def _best(shape: Shape, rows: Sequence[_Row], published: Scheme) -> ModelFit:
    best = max(rows, key=_rank)
    return ModelFit(
        shape=shape,
        request=replace(best.request, derive_settings=False),
        group=_group(best, published),
        state=best.state,
        tpot_low_ms=best.tpot_low_ms,
        tpot_high_ms=best.tpot_high_ms,
        output_tokens_per_s=best.output_tokens_per_s,
        kv_cache_tokens=best.kv_cache_tokens,
        reason=best.state.reason,
    )


def _group(row: _Row, published: Scheme) -> str:
    if row.state.level == NOT_STARTED:
        other = row.state.verdict == "unknown" or row.state.reason in UNSUPPORTED_CODES
        return UNSUPPORTED if other else TOO_LARGE
    narrower = row.request.scheme.bytes_per_weight < AS_WIDE * published.bytes_per_weight
    return QUANTIZED if narrower else AS_PUBLISHED


def _rank(row: _Row) -> tuple[float, ...]:
    """Larger is better: does more of what was asked, then with wider weights and cache, then faster.

    Of those that do not start the one that lacks least; what the engine cannot run at all comes last.
    """
    state, request = row.state, row.request
    spare = state.figures["spare_gib"]
    supported = state.reason not in UNSUPPORTED_CODES
    lacking = float(spare) if state.level == NOT_STARTED and spare is not None else 0.0
    partly = round(state.users, 1) if state.level < WELL and math.isfinite(state.users) else 0.0
    missed = -state.miss if state.level < WELL and math.isfinite(state.miss) else 0.0
    throughput = row.output_tokens_per_s if math.isfinite(row.output_tokens_per_s) else 0.0
    return (
        state.level,
        supported,
        lacking,
        partly,
        missed,
        request.scheme.bytes_per_weight,
        request.kv_cache_dtype == "auto",
        throughput,
    )
