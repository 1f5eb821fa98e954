"""A recipe that goes round, worked through: 7B with full heads, INT4 weights, KV "int8", 16 × 4,096 tokens on 24 GB."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from planner.core.batch import MemoryBatch, SpeedBatch
from planner.core.engines import resolve_engine
from planner.core.estimate import evaluate
from planner.core.request import EstimateRequest, Parallelism, Settings, Workload
from planner.core.specs import Catalog, EngineSpec
from planner.core.units import GIB
from planner.core.weights import published_scheme_id

MODEL, GROUPED = "meta-llama/Llama-2-7b-hf", "Qwen/Qwen2.5-7B-Instruct"
SCHEME, CARD, ENGINE = "awq-int4", "nvidia-rtx-4090", "vllm"
CONTEXT, USERS = 4096, 16
OUTPUT = 1024  # a quarter of a full context is answer
REAL_INPUT, REAL_OUTPUT = 1024, 256
LESS = 0.9  # the share that recipes take, and the default of older versions
SCALED = "int8_per_token_head"
SIDE_BYTES = 2.0  # embedding and head stay in 16 bits


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One claim of the recipe: its code, the figures, and whether it holds. `request` gives the figures again."""

    code: str
    holds: bool
    values: Mapping[str, Any]
    request: EstimateRequest


def recipe(catalog: Catalog) -> list[Step]:
    """The steps in the order in which one would reckon; none where the catalog lacks what they need."""
    engine = resolve_engine(catalog.engines, ENGINE, None)
    if not isinstance(engine, EngineSpec) or not {MODEL, GROUPED} <= catalog.models.keys():
        return []
    plain = _request(catalog, engine, MODEL, SCHEME)
    whole, asked_int8 = replace(plain, kv_cache_dtype="auto"), replace(plain, kv_cache_dtype="int8")
    fp8 = replace(plain, kv_cache_dtype="fp8")
    scaled = replace(plain, kv_cache_dtype=SCALED)
    real = _with_lengths(whole, REAL_INPUT, REAL_OUTPUT)
    full = replace(fp8, settings=replace(fp8.settings, gpu_memory_utilization=LESS))
    grouped = _request(catalog, engine, GROUPED, published_scheme_id(catalog.models[GROUPED]))
    requests = [whole, asked_int8, fp8, scaled, full, real, grouped]
    _, memory, speed = evaluate(requests, catalog)
    return [
        _weights(whole, memory),
        _cache(whole, memory),
        _spelling(asked_int8, memory, catalog),
        *(_eight_bits(request, memory, speed, row) for row, request in ((2, fp8), (3, scaled))),
        _utilization(full, memory),
        _real_lengths(real, memory, speed),
        _grouped(grouped, memory, speed),
    ]


def _request(catalog: Catalog, engine: EngineSpec, model: str, scheme: str) -> EstimateRequest:
    card = catalog.accelerators[CARD]
    return EstimateRequest(
        id=None,
        model=catalog.models[model],
        scheme=catalog.schemes[scheme],
        scheme_as_published=scheme == published_scheme_id(catalog.models[model]),
        kv_cache_dtype="auto",
        accelerator=card,
        count=1,
        parallelism=Parallelism(),
        link=card.link or card.pcie,
        engine=engine,
        settings=Settings(max_model_len=CONTEXT, max_num_seqs=USERS),
        workload=Workload(input_tokens=CONTEXT - OUTPUT, output_tokens=OUTPUT, concurrency=USERS),
    )


def _with_lengths(request: EstimateRequest, given: int, made: int) -> EstimateRequest:
    return replace(request, workload=Workload(input_tokens=given, output_tokens=made, concurrency=USERS))


def _weights(request: EstimateRequest, memory: MemoryBatch) -> Step:
    """Half a byte for each parameter forgets what stays wide, scales and zeros."""
    model = request.model
    wide = (model.embedding_params + model.lm_head_params) * SIDE_BYTES / GIB
    exact, said = float(memory.weights_gib[0]), 7e9 / 2 / GIB
    return Step(
        code="recipe_weights",
        holds=abs(exact / said - 1) <= 0.15,
        values={"said_gib": said, "weights_gib": exact, "wide_gib": wide},
        request=request,
    )


def _cache(request: EstimateRequest, memory: MemoryBatch) -> Step:
    per_token = float(memory.kv_bytes_per_token[0])
    needed, pool = per_token * CONTEXT * USERS / GIB, float(memory.kv_cache_gib[0])
    return Step(
        code="recipe_cache_16_bit",
        holds=needed <= pool,
        values={
            "per_token_mib": per_token / (1 << 20),
            "tokens": CONTEXT * USERS,
            "needed_gib": needed,
            "pool_gib": pool,
            "contexts": float(memory.max_concurrency[0]),
        },
        request=request,
    )


def _spelling(request: EstimateRequest, memory: MemoryBatch, catalog: Catalog) -> Step:
    """Whether any version takes the name, and since when there is one of that width with scales."""
    versions = catalog.engines[ENGINE]["values"]["kv_cache_dtypes"]["by_version"]
    return Step(
        code="recipe_int8",
        holds=any("int8" in row["value"] for row in versions),
        values={
            "version": request.engine.version,
            "verdict": memory.verdicts[1],
            "dtype": SCALED,
            "since": _first_read(catalog, versions),
        },
        request=request,
    )


def _first_read(catalog: Catalog, versions: Sequence[Mapping[str, Any]]) -> str | None:
    """The first version whose flags were read and have the scaled format; else that of the engine's table."""
    for flag in catalog.flags.get(ENGINE, {}).get("flags", ()):
        if flag["name"] == "--kv-cache-dtype" and SCALED in flag.get("choices", {}):
            return str(flag["choices"][SCALED][0][0])
    return next((str(row["from"]) for row in versions if SCALED in row["value"]), None)


def _eight_bits(request: EstimateRequest, memory: MemoryBatch, speed: SpeedBatch, row: int) -> Step:
    """Whether 16 full contexts fit at 8 bits, with the mean and at the low end of the interval of the pool."""
    needed = float(memory.kv_bytes_per_token[row]) * CONTEXT * USERS / GIB
    pool, low = float(memory.kv_cache_gib[row]), float(memory.kv_cache_low_gib[row])
    return Step(
        code="recipe_cache_8_bit",
        holds=needed <= pool,
        values={
            "dtype": request.kv_cache_dtype,
            "needed_gib": needed,
            "pool_gib": pool,
            "low_gib": low,
            "left_gib": pool - needed,
            **_speed(speed, row),
        },
        request=request,
    )


def _utilization(request: EstimateRequest, memory: MemoryBatch) -> Step:
    """The 8-bit cache again, with the share of memory that recipes take."""
    needed, pool = float(memory.kv_bytes_per_token[4]) * CONTEXT * USERS / GIB, float(memory.kv_cache_gib[4])
    return Step(
        code="recipe_utilization",
        holds=needed <= pool,
        values={
            "share": LESS,
            "default": float(memory.gpu_memory_utilization[0]),
            "pool_gib": pool,
            "left_gib": pool - needed,
        },
        request=request,
    )


def _real_lengths(request: EstimateRequest, memory: MemoryBatch, speed: SpeedBatch) -> Step:
    """Users seldom hold a full context: at real mean lengths the 16-bit cache may do."""
    row = 5
    mean = REAL_INPUT + REAL_OUTPUT / 2
    return Step(
        code="recipe_real_lengths",
        holds=float(speed.running[row]) >= USERS - 1e-6,
        values={
            "input": REAL_INPUT,
            "output": REAL_OUTPUT,
            "users": USERS,
            "needed_gib": float(memory.kv_bytes_per_token[row]) * mean * USERS / GIB,
            "pool_gib": float(memory.kv_cache_gib[row]),
            **_speed(speed, row),
        },
        request=request,
    )


def _grouped(request: EstimateRequest, memory: MemoryBatch, speed: SpeedBatch) -> Step:
    """The same job with a model of today, nothing quantized."""
    row = 6
    per_token = float(memory.kv_bytes_per_token[row])
    return Step(
        code="recipe_grouped_heads",
        holds=float(memory.max_concurrency[row]) >= USERS,
        values={
            "model": request.model.id,
            "per_token_kib": per_token / 1024,
            "weights_gib": float(memory.weights_gib[row]),
            "needed_gib": per_token * CONTEXT * USERS / GIB,
            "pool_gib": float(memory.kv_cache_gib[row]),
            **_speed(speed, row),
        },
        request=request,
    )


def _speed(speed: SpeedBatch, row: int) -> dict[str, float]:
    return {
        "tpot_ms": float(speed.tpot_ms[row]),
        "tpot_low_ms": float(speed.tpot_low_ms[row]),
        "tpot_high_ms": float(speed.tpot_high_ms[row]),
    }
