"""The same request with one thing changed: what advice and rules of thumb are held against.

The variants are evaluated in one batch with the request itself, so that each is an estimate like any other.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from planner.core.batch import MemoryBatch, SpeedBatch
from planner.core.request import EstimateRequest, Parallelism
from planner.core.specs import AcceleratorSpec, Catalog, Scheme

START_SEQUENCES = 8
OFFLINE_CHUNK = 16_384
# Fewer requests than this at once are no batch job.
OFFLINE_REQUESTS = 32
CARDS = frozenset({"datacenter", "workstation", "consumer"})
# In the order in which engines are asked for an 8-bit cache.
EIGHT_BIT_CACHES = ("fp8", "fp8_e4m3", "q8_0")
WIDE_CACHES = frozenset({"auto", "bf16", "bfloat16", "f16", "float16"})
FOUR_BIT = {"gguf": "gguf-q4_k_m", "other": "int4-g128"}
SIXTEEN_BIT_BYTES = 2.0
SIXTEEN_BIT = {"gguf": "gguf-f16", "other": "bf16"}


@dataclass(frozen=True, slots=True)
class Case:
    """One row of a pair of batches."""

    request: EstimateRequest
    memory: MemoryBatch
    speed: SpeedBatch
    row: int
    served: bool = True  # False where requests of this workload are refused, whatever the speed

    def of_memory(self, name: str) -> float:
        """A figure of the memory batch, NaN where it is not known."""
        return float(getattr(self.memory, name)[self.row])

    def of_speed(self, name: str) -> float:
        """A figure of the speed batch, NaN where it is not known."""
        return float(getattr(self.speed, name)[self.row]) if self.served else math.nan

    def sequence_gib(self, context: float) -> float:
        """Cache that one request of `context` tokens holds on one rank."""
        return self.memory.sequence_gib(self.row, context)

    @property
    def fits(self) -> bool:
        """Whether the engine starts."""
        return self.memory.verdicts[self.row] == "fits"


@dataclass(frozen=True, slots=True)
class Beside:
    """A plan, and its variants by name; one that makes no sense for this plan is absent."""

    plan: Case
    variants: Mapping[str, Case]

    def running(self, name: str) -> Case | None:
        """A variant that starts and whose speed is known."""
        found = self.variants.get(name)
        if found is None or not (self.plan.served and found.fits):
            return None
        return found if math.isfinite(found.of_speed("tpot_ms")) else None


def with_variants(
    requests: Sequence[EstimateRequest], catalog: Catalog
) -> tuple[list[EstimateRequest], list[list[str]]]:
    """The requests followed by the variants of all of them, to be evaluated at once, and each one's variants by name."""
    named = [list(_variants(request, catalog)) for request in requests]
    rows = [*requests, *(variant for variants in named for _, variant in variants)]
    return rows, [[name for name, _ in variants] for variants in named]


def besides(
    rows: Sequence[EstimateRequest],
    names: Sequence[Sequence[str]],
    memory_batch: MemoryBatch,
    speed_batch: SpeedBatch,
    served: Sequence[bool],
) -> list[Beside]:
    """What `with_variants` laid out, with the figures of its rows put in; no variants where nothing is served."""
    found: list[Beside] = []
    start = len(names)
    for row, variants in enumerate(names):
        cases = {
            name: Case(rows[start + index], memory_batch, speed_batch, start + index)
            for index, name in enumerate(variants)
        }
        start += len(variants)
        plan = Case(rows[row], memory_batch, speed_batch, row, served[row])
        found.append(Beside(plan, cases))
    return found


def _variants(request: EstimateRequest, catalog: Catalog) -> Iterator[tuple[str, EstimateRequest]]:
    if request.accelerator is None:
        return
    yield from _formats(request, catalog)
    yield from _loads(request)
    yield from _spreads(request)


def _loads(request: EstimateRequest) -> Iterator[tuple[str, EstimateRequest]]:
    """One request at a time, the start that is often advised, and a longer chunk where nobody waits."""
    workload, replicas = request.workload, request.parallelism.data
    if workload is None:
        return
    if workload.concurrency > replicas:
        yield "alone", replace(request, workload=replace(workload, concurrency=replicas))
    if workload.concurrency > START_SEQUENCES * replicas:
        yield "eight", replace(request, settings=replace(request.settings, max_num_seqs=START_SEQUENCES))
    chunk = request.settings.max_num_batched_tokens
    many = workload.concurrency >= OFFLINE_REQUESTS * replicas
    if many and request.targets is None and (chunk is None or chunk < OFFLINE_CHUNK):
        yield (
            "offline",
            replace(request, settings=replace(request.settings, max_num_batched_tokens=OFFLINE_CHUNK)),
        )


def _formats(request: EstimateRequest, catalog: Catalog) -> Iterator[tuple[str, EstimateRequest]]:
    family = "gguf" if request.scheme.kernel == "gguf" else "other"
    stored = request.scheme.bytes_per_weight
    if stored >= 1.0:
        yield "narrow", _in_scheme(request, catalog.schemes[FOUR_BIT[family]])
    if stored < SIXTEEN_BIT_BYTES and request.model.native_weight_format is None:
        yield "wide", _in_scheme(request, catalog.schemes[SIXTEEN_BIT[family]])
    accepted = request.engine.values["kv_cache_dtypes"]
    dtype = next((name for name in EIGHT_BIT_CACHES if name in accepted), None)
    if dtype is not None and request.kv_cache_dtype in WIDE_CACHES:
        yield "narrow_cache", replace(request, kv_cache_dtype=dtype)


def _in_scheme(request: EstimateRequest, scheme: Scheme) -> EstimateRequest:
    return replace(request, scheme=scheme, scheme_as_published=False)


def _spreads(request: EstimateRequest) -> Iterator[tuple[str, EstimateRequest]]:
    """The same cards otherwise shared out, and groups of half and twice the size."""
    degrees = request.parallelism
    group = degrees.tensor * degrees.pipeline
    if group > 1:
        yield "replicas", _spread(request, Parallelism(data=group * degrees.data, expert=degrees.expert))
    if degrees.tensor == 1:
        if is_card(request.accelerator):
            yield "double", _spread(request, replace(degrees, tensor=2))
        return
    if degrees.tensor % 2 == 0:
        yield "half", _spread(request, replace(degrees, tensor=degrees.tensor // 2))
    yield "stages", _spread(request, replace(degrees, tensor=1, pipeline=group))
    for tensor in (4, 8):
        if tensor != degrees.tensor:
            yield f"tensor_{tensor}", _spread(request, replace(degrees, tensor=tensor))
    card, link = request.accelerator, request.link
    if card is not None and card.pcie is not None and link is not None and not link.kind.startswith("pcie"):
        yield "over_pcie", replace(request, link=card.pcie)


def is_card(accelerator: AcceleratorSpec | None) -> bool:
    """Whether it is bought as a card for a case, of which two may stand side by side."""
    return accelerator is not None and accelerator.accelerator_class in CARDS


def _spread(request: EstimateRequest, degrees: Parallelism) -> EstimateRequest:
    return replace(request, parallelism=degrees, count=degrees.tensor * degrees.pipeline * degrees.data)
