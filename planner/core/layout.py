"""What of an estimate depends only on model, scheme, engine and parallelism: worked out once, used in every batch.

A layout is a row of numbers (see the column slices) so that a batch is one array.
"""

import math
from collections import Counter, OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from planner.core.kv import MODEL_DTYPE_BYTES, LayerCache, default_dtype, layer_caches, resolved_dtype
from planner.core.kv_groups import Pool, separate_pools, v4_pool, vllm_pool
from planner.core.request import EstimateRequest, Parallelism
from planner.core.specs import AcceleratorSpec, EngineSpec, LinkSpec, ModelSpec, Scheme
from planner.core.units import GIB
from planner.core.weights import DTYPE_SCHEMES, RankWeights, rank_weights

STAGES = 3  # first, a middle and the last stage stand for all
GROUPS = 6  # distinct groups of a pool; equal ones are counted
FAST_LINKS = frozenset({"nvlink", "xgmi", "hccs"})
WIDE = 8  # ranks from which collective buffers outgrow those of two to four
FUSED_LINK_CAPABILITY = (
    9,
    0,
)  # from here on NVLink carries reductions by itself, and engines reserve room for that
REMEMBERED = 8192

# Columns of a layout row.
WEIGHTS = slice(0, STAGES)
KV_SHARE = slice(STAGES, 2 * STAGES)
HAS_HEAD = slice(2 * STAGES, 3 * STAGES)
GRAPH_LAYERS = slice(3 * STAGES, 4 * STAGES)
_SCALARS = 4 * STAGES
(
    LOGIT_BYTES,  # per sequence that is sampled
    EMBED_BYTES,  # per token of the batch
    STAGE_BYTES,  # per token of the batch on a pipeline stage: what it receives
    FORWARD_BYTES,  # per token of the batch
    EXPERT_BYTES,  # per token of the batch
    SCORE_BYTES,  # per token of the micro-batch and of the context
    FIXED_BYTES,
    NON_TORCH,  # GiB
    GRAPH_FIXED,  # GiB, whenever graphs are captured
    GRAPH_FULL,  # GiB, at the largest number of sizes
    GRAPH_PER_LAYER,  # GiB per layer at the largest number of sizes
    GRAPH_MAX_SIZE,
    QUANTUM,
    BLOCK_TOKENS,
    GROUP_COUNT,
    BYTES_PER_TOKEN,
) = range(_SCALARS, _SCALARS + 16)
_GROUPS = _SCALARS + 16
GROUP_BYTES = slice(_GROUPS, _GROUPS + GROUPS)
GROUP_TOKENS = slice(_GROUPS + GROUPS, _GROUPS + 2 * GROUPS)
GROUP_CAP = slice(_GROUPS + 2 * GROUPS, _GROUPS + 3 * GROUPS)
GROUP_IN_FLIGHT = slice(_GROUPS + 3 * GROUPS, _GROUPS + 4 * GROUPS)
GROUP_EXTRA = slice(_GROUPS + 4 * GROUPS, _GROUPS + 5 * GROUPS)
GROUP_WINDOW = slice(_GROUPS + 5 * GROUPS, _GROUPS + 6 * GROUPS)
GROUP_COUNTS = slice(_GROUPS + 6 * GROUPS, _GROUPS + 7 * GROUPS)
COLUMNS = _GROUPS + 7 * GROUPS
# Where the columns of each part stand.
WEIGHTS_PART = slice(0, NON_TORCH)
OVERHEADS_PART = slice(NON_TORCH, QUANTUM)
POOL_PART = slice(QUANTUM, COLUMNS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """One row of numbers, and the objects that explain it."""

    row: NDArray[np.float64]
    pool: Pool
    stages: tuple[RankWeights, ...]
    model_bytes: float
    has_state: bool
    engine: EngineSpec  # kept so that the identity of its tables stays taken


_layouts: OrderedDict[tuple[object, ...], Layout] = OrderedDict()


def layout_of(request: EstimateRequest) -> Layout:
    """The layout of a request, from memory where the same combination was met before."""
    engine = request.engine
    slots = request.settings.max_num_seqs if engine.values["split"] == "layers" else None
    link = wires(request.link, request.accelerator)
    key = (
        request.model,
        request.scheme,
        request.kv_cache_dtype,
        engine.name,
        engine.version,
        id(engine.values),
        request.parallelism,
        link,
        request.settings.block_size,
        request.settings.enforce_eager,
        slots,
    )
    found = _layouts.get(key)
    if found is None:
        found = _build(request, link, slots)
        _layouts[key] = found
        if len(_layouts) > REMEMBERED:
            _layouts.popitem(last=False)
    return found


def forget() -> None:
    """Drop every remembered layout."""
    _layouts.clear()


def wires(link: LinkSpec | None, card: AcceleratorSpec | None) -> str:
    """What ranks of one replica talk over, as the table of overheads names it: pcie, fast_link or fused_link."""
    if link is None or link.kind not in FAST_LINKS:
        return "pcie"
    capability = cuda_capability(card)
    fused = link.kind == "nvlink" and capability is not None and capability >= FUSED_LINK_CAPABILITY
    return "fused_link" if fused else "fast_link"


def cuda_capability(card: AcceleratorSpec | None) -> tuple[int, ...] | None:
    """Compute capability of an NVIDIA card as numbers, None for others or where it is not known."""
    if card is None or card.vendor.casefold() != "nvidia" or card.compute_capability is None:
        return None
    return tuple(int(part) for part in card.compute_capability.split("."))


def spread(engine: EngineSpec, parallelism: Parallelism) -> Parallelism:
    """How the engine really spreads a model: llama.cpp gives whole layers to each device."""
    if engine.values["split"] != "layers":
        return parallelism
    return Parallelism(tensor=1, pipeline=parallelism.tensor * parallelism.pipeline, data=parallelism.data)


def model_dtype_bytes(model: ModelSpec, scheme: Scheme) -> float:
    """Bytes per element of activations and of a cache in the model's own dtype.

    Engines run float32 checkpoints in 16 bits unless 32 are asked for by name.
    """
    return MODEL_DTYPE_BYTES["float32"] if scheme.id == DTYPE_SCHEMES["float32"] else 2.0


def caches_of(request: EstimateRequest) -> tuple[LayerCache, ...]:
    """Cache of every layer kind on one rank, before stages and pools."""
    values = request.engine.values
    default = default_dtype(request.engine, request.model, request.scheme)
    return layer_caches(
        request.model,
        dtype=resolved_dtype(request.kv_cache_dtype, default),
        model_bytes=model_dtype_bytes(request.model, request.scheme),
        tensor=spread(request.engine, request.parallelism).tensor,
        materialized_head_dims=None if values["latent_cache"] else tuple(values["materialized_head_dims"]),
        sparse_latent_records=values["sparse_latent_records"],
    )


def _build(request: EstimateRequest, link: str, slots: int | None) -> Layout:
    stages, columns = weights_part(request)
    pool = _pool(request, slots)
    return Layout(
        row=np.array((*columns, *overheads_part(request, link), *pool_part(request))),
        pool=pool,
        stages=stages,
        model_bytes=model_dtype_bytes(request.model, request.scheme),
        has_state=any(math.isinf(g.block_tokens) for g in pool.groups),
        engine=request.engine,
    )


def weights_part(request: EstimateRequest) -> tuple[tuple[RankWeights, ...], tuple[float, ...]]:
    """Stages and their columns, and those of activations: they depend on model, scheme, engine and spread."""
    model, values = request.model, request.engine.values
    parallelism = _staged(request)
    stages = rank_weights(
        model,
        request.scheme,
        parallelism,
        replicated_vision=any(a in values["replicated_vision"] for a in model.architectures),
        padded_experts=values["mxfp4_padding"] and request.scheme.id == "mxfp4",
        cpu_embedding=values["split"] == "layers",
    )
    return stages, (*_stage_columns(stages, model), *_activation_columns(request, parallelism))


def overheads_part(request: EstimateRequest, link: str) -> tuple[float, ...]:
    """Columns of framework and graphs: they depend on engine, spread and what ranks talk over, see `wires`."""
    return _overhead_columns(request, _staged(request), link)


def pool_part(request: EstimateRequest) -> tuple[float, ...]:
    """Columns of the cache pool: they depend on model, cache format, engine and tensor degree.

    As for one sequence: memory multiplies by the slots that an engine reserves, so that a row serves any number.
    """
    return _pool_columns(_pool(request, 1))


def _staged(request: EstimateRequest) -> Parallelism:
    """The spread that the sum is for. More stages than layers are refused; the sum still needs a layer on each."""
    parallelism = spread(request.engine, request.parallelism)
    return replace(parallelism, pipeline=min(parallelism.pipeline, request.model.num_layers))


def _pool(request: EstimateRequest, slots: int | None) -> Pool:
    values = request.engine.values
    caches = caches_of(request)
    hybrid = values["hybrid_pages"]
    compressed = next((g for g in request.model.cache_groups if g.kind == "dsv4"), None)
    if compressed is not None:
        return v4_pool(compressed)
    latent = any(c.kind == "latent" for c in caches)
    block = request.settings.block_size
    if block is None:
        block = values.get("mla_block_size", 0) if latent else 0
        block = block or values["default_block_size"]
    if hybrid in ("separate_pools", "grown_pools"):
        if hybrid == "grown_pools":
            caches = tuple(
                LayerCache(
                    kind=c.kind, layers=c.layers, bytes_per_token=c.bytes_per_token, state_bytes=c.state_bytes
                )
                for c in caches
            )
        return separate_pools(
            caches,
            block_tokens=block,
            in_flight=values["split"] == "layers",
            sequences=slots or 1,
            state_blocks=values["state_blocks"],
        )
    return vllm_pool(
        caches,
        block_tokens=block,
        hybrid_pages=hybrid,
        chunked_grouped=values["chunked_local_grouped"],
        group_size_ratio=values["group_size_ratio"],
        state_blocks=values["state_blocks"],
    )


def _stage_columns(stages: tuple[RankWeights, ...], model: ModelSpec) -> tuple[float, ...]:
    padded = [*stages, *[stages[-1]] * (STAGES - len(stages))]
    return (
        *(stage.total for stage in padded),
        *(stage.layers / model.num_layers for stage in padded),
        *(float(stage.has_head) for stage in padded),
        *(stage.layers for stage in padded),
    )


def _activation_columns(request: EstimateRequest, parallelism: Parallelism) -> tuple[float, ...]:
    """Peak of the profile run: sampler on full-vocabulary logits, or the widest layer; plus the experts' workspace."""
    model, values = request.model, request.engine.values
    rule, width = values["activation"], model_dtype_bytes(model, request.scheme)
    tensor, hidden = parallelism.tensor, model.hidden_size
    intermediate = model.intermediate_size or (model.moe.moe_intermediate_size if model.moe else 4 * hidden)
    experts, moe = 0.0, model.moe
    if moe is not None and request.scheme.kernel != "gguf" and model.native_weight_format != "mxfp4_moe":
        inner = moe.moe_intermediate_size / (1 if parallelism.expert else tensor)
        experts = moe.experts_per_token * (max(inner, hidden) + max(2 * inner, hidden)) * width
    return (
        rule["bytes_per_logit"] * model.vocab_size,
        hidden * width,
        2 * hidden * width if parallelism.pipeline > 1 else 0.0,
        3 * (intermediate / tensor + hidden) * width + _format_scratch(request, tensor),
        experts,
        model.num_attention_heads * 4.0 if values.get("attention_scratch") else 0.0,
        (rule["fixed_gib"] + _vision_profile_gib(model, values["vision_profile_gib"])) * GIB,
    )


def _vision_profile_gib(model: ModelSpec, by_architecture: Mapping[str, float]) -> float:
    """What the largest image takes in the profile run."""
    if not model.vision_params:
        return 0.0
    known = (by_architecture[name] for name in model.architectures if name in by_architecture)
    return next(known, by_architecture["default"])


def _format_scratch(request: EstimateRequest, tensor: int) -> float:
    """Bytes per token of the batch that a weight format or a cache format makes a layer need beside its results."""
    model, values = request.model, request.engine.values
    scratch = 0.0
    if request.scheme.id == "awq-int4" and values.get("awq_split_k"):
        whole_experts = model.moe.moe_intermediate_size if model.moe is not None else 0
        widest = max(whole_experts, 2 * (model.intermediate_size or 0) / tensor)
        scratch += values["awq_split_k"] * widest * 2.0
    if any(group.kind in ("dsv4", "dsv41") for group in model.cache_groups):
        scratch += values["compressed_cache_activation"] * model.hidden_size
    return scratch


def _overhead_columns(request: EstimateRequest, parallelism: Parallelism, link: str) -> tuple[float, ...]:
    values, model = request.engine.values, request.model
    non_torch = values["non_torch_gib"]
    if parallelism.tensor > 1:
        by_link = non_torch.get(link, non_torch["fast_link"])
        taken = max(by_link, non_torch.get("wide", 0.0) if parallelism.tensor >= WIDE else 0.0)
    else:
        taken = non_torch["pipeline" if parallelism.pipeline > 1 else "alone"]
    if request.settings.enforce_eager:
        return (taken, 0.0, 0.0, 0.0, 0.0)
    cost, moe = values["graph_cost"], model.moe is not None
    per_layer = cost["per_layer_and_size_mib"] / 1024 * capture_sizes(cost["max_size"])
    return (
        taken,
        cost["fixed_gib"],
        cost["fixed_by_size_gib"] + (cost["moe_by_size_gib"] if moe else 0.0),
        per_layer * (cost["moe_layer_factor"] if moe else 1.0),
        cost["max_size"],
    )


def capture_sizes(largest: float) -> float:
    """How many batch sizes are captured up to `largest`: 1, 2, 4, then every 8 to 256, then every 16."""
    eights = min(largest, 248.0) // 8
    sixteens = max(0.0, largest - 256) // 16 + (1 if largest >= 256 else 0)
    return 3 + eights + sixteens


def _pool_columns(pool: Pool) -> tuple[float, ...]:
    counted = Counter(pool.groups)
    free = GROUPS - len(counted)
    return (
        pool.quantum,
        pool.block_tokens,
        len(pool.groups),
        pool.bytes_per_token,
        *(group.bytes_per_block for group in counted),
        *(0.0,) * free,
        *(group.block_tokens for group in counted),
        *(math.inf,) * free,
        *(group.cap for group in counted),
        *(0.0,) * free,
        *(float(group.in_flight) for group in counted),
        *(0.0,) * free,
        *(group.extra_blocks for group in counted),
        *(0.0,) * free,
        *(group.window for group in counted),
        *(0.0,) * free,
        *counted.values(),
        *(0.0,) * free,
    )
