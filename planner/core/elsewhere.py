"""Where an engine, a version or a format does not exist on a card: what does, nearest first."""

from collections.abc import Iterator

from planner.core.batch import MemoryBatch
from planner.core.candidate import Candidate
from planner.core.engines import release_of, resolve_engine
from planner.core.launch.flags import table
from planner.core.layout import cuda_capability
from planner.core.request import EstimateRequest
from planner.core.search.schemes import is_computed, schemes_for
from planner.core.specs import AcceleratorSpec, Catalog, EngineSpec, Scheme
from planner.core.weights import published_scheme_id

OF_FORMAT = frozenset(
    {
        "scheme_not_in_engine",
        "scheme_not_on_card",
        "scheme_not_on_maker",
        "scheme_not_here",
        "scheme_not_for_experts",
    }
)
EIGHT_BITS, WIDE = 0.9, 1.5  # bytes per weight from which on a format has eight bits, and sixteen


def where_it_runs(request: EstimateRequest, memory: MemoryBatch, catalog: Catalog) -> Iterator[Candidate]:
    """Other formats, an older version and other engines for a set-up that does not exist (row 0 of `memory`)."""
    card = request.accelerator
    if card is None or memory.verdicts[0] != "unsupported":
        return
    codes = {reason.code for reason in memory.reasons[0]}
    if codes & OF_FORMAT:
        for scheme in _formats(request, request.engine, card, catalog):
            yield Candidate(
                code="narrow_weights",
                kind="weights",
                effort=35,
                price=_quality(scheme),
                change={"weights": scheme.id},
                values={"scheme": scheme.id},
            )
    if "card_below_engine_floor" in codes:
        yield from _older(request, card, catalog)
    for name in sorted(set(catalog.engines) - {request.engine.name}):
        yield from _engine(name, request, card, catalog)


def _quality(scheme: Scheme) -> tuple[str, ...]:
    if scheme.bytes_per_weight >= WIDE:
        return ()
    return ("weights_quality_8",) if scheme.bytes_per_weight >= EIGHT_BITS else ("weights_quality_4",)


def _formats(
    request: EstimateRequest, engine: EngineSpec, card: AcceleratorSpec, catalog: Catalog
) -> list[Scheme]:
    """Formats of the model that the engine loads and the card computes, others than the one asked, narrow ones last."""
    published = published_scheme_id(request.model)
    offered = [
        scheme
        for scheme in schemes_for(request.model, engine, catalog)
        if scheme.id != request.scheme.id and is_computed(engine, scheme, card, published)
    ]
    return sorted(offered, key=lambda scheme: -scheme.bytes_per_weight)


def _older(request: EstimateRequest, card: AcceleratorSpec, catalog: Catalog) -> Iterator[Candidate]:
    """The newest version that was read and still takes the card."""
    asked, capability = release_of(request.engine.version), cuda_capability(card)
    for release, version in reversed(table(catalog.flags, request.engine.name).read):
        engine = resolve_engine(catalog.engines, request.engine.name, version)
        if not isinstance(engine, EngineSpec) or asked is None or capability is None or release >= asked:
            continue
        floor = tuple(int(part) for part in str(engine.values["min_compute_capability"]).split("."))
        if capability >= floor:
            yield Candidate(
                code="older_engine",
                kind="engine",
                effort=25,
                price=("other_version",),
                change={"engine": {"name": engine.name, "version": version}},
                values={"engine": engine.name, "version": version},
            )
            return


def _engine(
    name: str, request: EstimateRequest, card: AcceleratorSpec, catalog: Catalog
) -> Iterator[Candidate]:
    """Another engine with the weights as they are where it loads them, else with the narrowest of eight bits or more."""
    engine = resolve_engine(catalog.engines, name, None)
    assert isinstance(engine, EngineSpec)  # the newest version of a table is always known
    published = published_scheme_id(request.model)
    kept = [
        scheme
        for scheme in schemes_for(request.model, engine, catalog)
        if scheme.id == request.scheme.id and is_computed(engine, scheme, card, published)
    ]
    offered = _formats(request, engine, card, catalog)
    wide = [scheme for scheme in offered if scheme.bytes_per_weight >= EIGHT_BITS]
    for scheme in (kept or wide[-1:] or offered[:1])[:1]:
        yield Candidate(
            code="other_engine",
            kind=f"engine_{name}",
            effort=46,
            price=("other_engine", *(() if kept else _quality(scheme))),
            change={
                "engine": {"name": name, "version": engine.version},
                "weights": scheme.id,
                "kv_cache_dtype": "auto",
            },
            values={"engine": name, "version": engine.version, "scheme": scheme.id},
        )
