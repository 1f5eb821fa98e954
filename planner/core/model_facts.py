"""What follows from a model's shape whatever it runs on: bytes of its cache and weights, degrees that divide it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from planner.core.engines import resolve_engine
from planner.core.estimate import evaluate
from planner.core.reference import LOADS, asked
from planner.core.request import Parallelism
from planner.core.search.plans import divides
from planner.core.search.schemes import schemes_for
from planner.core.specs import Catalog, EngineSpec, ModelSpec, Scheme
from planner.core.weights import part_bytes, published_scheme_id

DEGREES = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 32, 64)
SPARSE_RECORDS = "_ds_mla"  # layouts that only sparse latent attention has
CACHE_OF = ("vllm", "llama.cpp")  # a paged cache and one per slot; the other engines store what vLLM does


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheFact:
    """Bytes that one more token costs in an engine's pool, for all spellings that cost the same. Layers all counted."""

    engine: str
    version: str
    dtypes: tuple[str, ...]
    bytes_per_token: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightFact:
    """Stored bytes of the whole model in one scheme, and the engines that are offered it."""

    scheme: Scheme
    published: bool
    total_bytes: float
    engines: tuple[str, ...]


def cache_facts(model: ModelSpec, catalog: Catalog) -> list[CacheFact]:
    """The cache per token on one rank, by engine and KV dtype, widest first; what no rule is known for is left out."""
    found: list[CacheFact] = []
    for engine in _engines(model, catalog, CACHE_OF):
        found += _cache_of(model, engine, catalog)
    return found


def _cache_of(model: ModelSpec, engine: EngineSpec, catalog: Catalog) -> list[CacheFact]:
    scheme = catalog.schemes[published_scheme_id(model)]
    base = asked(model, scheme, engine, card=None, plan=Parallelism(), load=LOADS[0])
    sparse = any(group.kind == "mla_dsa" for group in model.cache_groups)
    accepted: Sequence[str] = engine.values["kv_cache_dtypes"]
    dtypes = [name for name in accepted if sparse or not name.endswith(SPARSE_RECORDS)]
    _, memory, _ = evaluate([replace(base, kv_cache_dtype=dtype) for dtype in dtypes], catalog)
    by_bytes: dict[float, list[str]] = {}
    for row, dtype in enumerate(dtypes):
        size = float(memory.kv_bytes_per_token[row])
        if math.isfinite(size) and not any(item.field == "kv_cache_dtype" for item in memory.reasons[row]):
            by_bytes.setdefault(size, []).append(dtype)
    return [
        CacheFact(engine=engine.name, version=engine.version, dtypes=tuple(names), bytes_per_token=size)
        for size, names in sorted(by_bytes.items(), reverse=True)
    ]


def weight_facts(model: ModelSpec, catalog: Catalog) -> list[WeightFact]:
    """What the weights weigh in each scheme that some engine is offered, widest first."""
    engines: dict[str, list[str]] = {}
    for engine in _engines(model, catalog, tuple(catalog.engines)):
        for scheme in schemes_for(model, engine, catalog):
            engines.setdefault(scheme.id, []).append(engine.name)
    facts = [
        WeightFact(
            scheme=catalog.schemes[name],
            published=name == published_scheme_id(model),
            total_bytes=part_bytes(model, catalog.schemes[name]).total,
            engines=tuple(names),
        )
        for name, names in engines.items()
    ]
    return sorted(facts, key=lambda fact: -fact.total_bytes)


def tensor_degrees(model: ModelSpec) -> list[int]:
    """Tensor parallel degrees that divide heads, vocabulary and experts' widths, of those that machines have."""
    return [degree for degree in DEGREES if divides(model, degree, expert=False)]


def _engines(model: ModelSpec, catalog: Catalog, names: Sequence[str]) -> list[EngineSpec]:
    """The newest version of each engine that is not known to lack the model."""
    found = [resolve_engine(catalog.engines, name, None) for name in names if name in catalog.engines]
    return [
        item
        for item in found
        if isinstance(item, EngineSpec) and model.engine_support.get(item.name) != "absent"
    ]
