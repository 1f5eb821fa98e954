"""What one layout has to read and compute: everything that does not depend on batch, context or coefficients."""

import math
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar

from planner.core.batch import FloatArray
from planner.core.kv import LayerCache
from planner.core.request import Parallelism
from planner.core.specs import AcceleratorSpec, CacheGroup, ModelSpec, Scheme
from planner.core.units import GB, TERA
from planner.core.weights import PartBytes, part_bytes

WINDOWS = 3
STATE_KINDS = frozenset({"gdn", "mamba1", "mamba2", "kda", "lightning", "short_conv"})
LATENT_KINDS = frozenset({"mla", "mla_dsa", "dsv4", "dsv41"})
# Rates double with each halving of the operand on every matrix unit shipped so far
STEPS_OF_RATE = {"fp16": 1.0, "fp8": 2.0, "int8": 2.0, "fp4": 4.0}
# Compute per byte of bandwidth where no rate is known, FLOP/B; middle of the known parts of the class
ASSUMED_FLOP_PER_BYTE = {
    "datacenter": 200.0,
    "workstation": 200.0,
    "consumer": 110.0,
    "edge": 150.0,
    "apple": 30.0,
}
ASSUMED_FLOP_PER_BYTE_OTHER = 40.0
# Of boards on which llama.cpp decodes with the CPU
# How the catalog marks machines of two sockets
TWO_SOCKETS = "-2s"
CORE_ARCHITECTURES = frozenset({"RKNPU2", "Cortex-A76"})
ENGINES = ("vllm", "sglang", "tensorrt-llm", "llama.cpp")
KERNELS = ("dense", "fp8", "fp4", "int4", "gguf", "nf4")
COMPUTES = ("16bit", "8bit", "4bit")


Number = TypeVar("Number", float, FloatArray)


class CardWork(NamedTuple, Generic[Number]):
    """What an accelerator brings to weights of one scheme."""

    bandwidth: Number  # bytes/s of one accelerator
    peak: Number  # FLOP/s of the compute type in use; NaN never: assumed where unknown
    peak_16bit: Number
    peak_known: Number  # 1.0 or 0.0
    shader_peak: Number  # 1.0: the peak is a shader rate, there are no matrix units
    stacked_memory: Number
    shared_fabric: Number
    cpu: Number  # sockets whose cores decode; 0.0: not cores
    edge: Number
    measured_class: Number  # 1.0: parts of this kind are among the measurements
    kernel: Number  # index in KERNELS
    compute: Number  # index in COMPUTES
    weight_only: Number  # 1.0: weights are unpacked to 16 bit
    native_fp4: Number


class ModelWork(NamedTuple, Generic[Number]):
    """What a model in one scheme and one spread has to read and compute, whatever it runs on."""

    tensor: Number
    pipeline: Number
    data: Number
    layers: Number
    moe_layers: Number
    latent_layers: Number
    indexer_layers: Number
    dense_bytes: Number
    expert_bytes: Number  # of all routed experts that this rank holds
    experts: Number
    experts_per_token: Number
    expert_ranks: Number  # ranks that share out whole experts; 1 without expert parallelism
    active_params: Number  # FLOP / 2 of one token, all ranks
    hidden: Number
    kv_bytes_per_token: Number
    window0: Number
    window1: Number
    window2: Number
    window_bytes0: Number
    window_bytes1: Number
    window_bytes2: Number
    state_bytes: Number  # read and written each step, per sequence
    attention_flop: Number  # per token of context and new token, all ranks, layers without a window
    prefill_attention_flop: Number  # the same while a prompt is worked on
    stage_imbalance: Number  # longest pipeline stage over the mean stage; 1 without a pipeline


class Work(NamedTuple, Generic[Number]):
    """Numbers only, so that many layouts make one array of columns: those of the card, those of the model, two more.

    Bytes are per rank of the tensor group. See `CardWork` and `ModelWork` for what each is.
    """

    bandwidth: Number
    peak: Number
    peak_16bit: Number
    peak_known: Number
    shader_peak: Number
    stacked_memory: Number
    shared_fabric: Number
    cpu: Number
    edge: Number
    measured_class: Number
    kernel: Number
    compute: Number
    weight_only: Number
    native_fp4: Number
    tensor: Number
    pipeline: Number
    data: Number
    layers: Number
    moe_layers: Number
    latent_layers: Number
    indexer_layers: Number
    dense_bytes: Number
    expert_bytes: Number
    experts: Number
    experts_per_token: Number
    expert_ranks: Number
    active_params: Number
    hidden: Number
    kv_bytes_per_token: Number
    window0: Number
    window1: Number
    window2: Number
    window_bytes0: Number
    window_bytes1: Number
    window_bytes2: Number
    state_bytes: Number
    attention_flop: Number
    prefill_attention_flop: Number
    stage_imbalance: Number
    engine: Number  # index in ENGINES
    eager: Number


def work_of(
    card: CardWork[Number], model: ModelWork[Number], *, engine: Number, eager: Number
) -> Work[Number]:
    """The work of a layout on an accelerator, of its two halves. `engine` is an index in ENGINES."""
    return Work(*card, *model, engine, eager)


@lru_cache(maxsize=8192)
def card_work(accelerator: AcceleratorSpec, scheme: Scheme) -> CardWork[float]:
    """The half that depends on the accelerator. Bandwidth unknown gives NaN, which carries through."""
    peak, peak_known, compute = _peak(accelerator, scheme)
    native_fp4 = "fp4" in accelerator.native_dtypes and scheme.compute_dtype == "fp4"
    return CardWork(
        bandwidth=math.nan if accelerator.bandwidth_gb_s is None else accelerator.bandwidth_gb_s * GB,
        peak=peak,
        peak_16bit=_rate(accelerator, "fp16") or peak,
        peak_known=float(peak_known),
        shader_peak=float(accelerator.fp16_tflops is None and accelerator.fp32_shader_tflops is not None),
        stacked_memory=float("HBM" in (accelerator.memory_type or "")),
        shared_fabric=float(accelerator.accelerator_class in ("apple", "npu")),
        cpu=float(sockets(accelerator)),
        edge=float(accelerator.accelerator_class == "edge"),
        measured_class=float(_is_measured(accelerator)),
        kernel=KERNELS.index("fp8" if scheme.kernel == "int8" else scheme.kernel),
        compute=COMPUTES.index(compute),
        weight_only=float(_unpacks(accelerator, scheme)),
        native_fp4=float(native_fp4),
    )


@lru_cache(maxsize=8192)
def model_work(
    model: ModelSpec, *, scheme: Scheme, caches: tuple[LayerCache, ...], parallelism: Parallelism
) -> ModelWork[float]:
    """The half that depends on the model. `caches` are those of one rank, as memory counts them."""
    parts = part_bytes(model, scheme)
    tensor = parallelism.tensor
    expert_ranks = tensor * parallelism.data if parallelism.expert else 1
    moe = model.moe
    experts = moe.num_experts if moe else 1
    chosen = moe.experts_per_token if moe else 1
    head_params = model.lm_head_params or model.embedding_params
    windows = _windows(model, caches)
    return ModelWork(
        tensor=tensor,
        pipeline=parallelism.pipeline,
        data=parallelism.data,
        layers=model.num_layers,
        moe_layers=moe.moe_layers if moe else 0,
        latent_layers=sum(g.layers for g in model.cache_groups if g.kind in LATENT_KINDS | STATE_KINDS),
        indexer_layers=sum(g.indexer_layers or 0 for g in model.cache_groups),
        dense_bytes=(parts.linear + parts.router + parts.other + (parts.lm_head or parts.embedding)) / tensor,
        expert_bytes=parts.routed / (expert_ranks if parallelism.expert else tensor),
        experts=experts,
        experts_per_token=chosen,
        expert_ranks=expert_ranks,
        active_params=(
            model.linear_params
            + head_params
            + model.router_params
            + model.other_params
            + model.routed_params * chosen / experts
        ),
        hidden=model.hidden_size,
        kv_bytes_per_token=sum(c.layers * c.bytes_per_token for c in caches if _grows(model, c)),
        window0=windows[0][0],
        window1=windows[1][0],
        window2=windows[2][0],
        window_bytes0=windows[0][1],
        window_bytes1=windows[1][1],
        window_bytes2=windows[2][1],
        state_bytes=sum(c.layers * c.state_bytes * (1 if c.kind == "cross" else 2) for c in caches),
        attention_flop=sum(_attention_flop(model, g, latent=True) for g in model.cache_groups),
        prefill_attention_flop=sum(_attention_flop(model, g, latent=False) for g in model.cache_groups),
        stage_imbalance=_stage_imbalance(parts, layers=model.num_layers, stages=parallelism.pipeline),
    )


def _stage_imbalance(parts: PartBytes, *, layers: int, stages: int) -> float:
    """Bytes of the longest stage over the mean: layers do not divide evenly, and the last stage has the head too.

    Engines give the last stage no more layers than any other.
    """
    head = parts.lm_head or parts.embedding
    layer = (parts.linear + parts.routed + parts.router + parts.other) / layers
    longest = max(math.ceil(layers / stages) * layer, layers // stages * layer + head)
    return float(longest * stages / (layers * layer + head))


def _selected_tokens(model: ModelSpec) -> int | None:
    """Tokens that an indexer lets the attention read, None without one."""
    return next((g.index_topk for g in model.cache_groups if g.index_topk), None)


def _grows(model: ModelSpec, cache: LayerCache) -> bool:
    """Read in full at every step."""
    if cache.kind == "latent":
        return _selected_tokens(model) is None
    return cache.kind in ("full", "index") and cache.window is None


def _windows(model: ModelSpec, caches: tuple[LayerCache, ...]) -> list[tuple[float, float]]:
    """(tokens, bytes per token) of up to three bounded reads; more are merged into the widest."""
    found: dict[float, float] = {}
    for cache in caches:
        limit = cache.window if cache.window is not None else _selected_tokens(model)
        if limit is not None and not _grows(model, cache) and cache.kind != "state":
            found[float(limit)] = found.get(float(limit), 0.0) + cache.layers * cache.bytes_per_token
    for group in model.cache_groups:
        if group.kind == "dsv4" and group.record_bytes:
            found[128.0] = found.get(128.0, 0.0) + group.layers * group.record_bytes
    ordered = sorted(found.items())
    while len(ordered) > WINDOWS:
        (_, small), (tokens, large), *rest = ordered
        ordered = [(tokens, small + large), *rest]
    return ordered + [(0.0, 0.0)] * (WINDOWS - len(ordered))


def _attention_flop(model: ModelSpec, group: CacheGroup, *, latent: bool) -> float:
    """Multiply-adds of scores and values per context token. Latents are absorbed in decode, expanded in prefill."""
    heads = model.num_attention_heads
    if group.kind == "full" and group.head_dim:
        return 2.0 * heads * (group.head_dim + (group.v_head_dim or group.head_dim)) * group.layers
    if group.kind == "mla":
        width = (group.latent_dim or 0) + (group.kv_lora_rank or 0) if latent else 320
        return 2.0 * heads * width * group.layers
    return 0.0


def _rate(accelerator: AcceleratorSpec, dtype: str) -> float | None:
    """FLOP/s of a compute type, from the datasheet or from a sibling type by the halving rule."""
    known = {
        "fp16": accelerator.fp16_tflops,
        "fp8": accelerator.fp8_tflops,
        "int8": accelerator.int8_tops,
        "fp4": accelerator.fp4_tflops,
    }
    exact = known[dtype]
    if exact is not None:
        return exact * TERA
    for sibling in ("fp16", "fp8", "fp4"):
        rate = known[sibling]
        if rate is not None:
            return rate * TERA * STEPS_OF_RATE[dtype] / STEPS_OF_RATE[sibling]
    return None


def _peak(accelerator: AcceleratorSpec, scheme: Scheme) -> tuple[float, bool, str]:
    """(FLOP/s, known, class of compute) of matrix multiplication in this scheme on this part.

    Types that the part has no units for run at the 16-bit rate. MXFP4 multiplies with 8-bit activations.
    """
    native = accelerator.native_dtypes
    wanted = scheme.compute_dtype
    if wanted == "fp4" and "fp4" in native:
        rate = _rate(accelerator, "fp4" if scheme.group_size == 16 else "fp8")
        compute = "4bit"
    elif wanted in ("fp8", "int8") and wanted in native:
        rate, compute = _rate(accelerator, wanted), "8bit"
    else:
        rate, compute = _rate(accelerator, "fp16"), "16bit"
    if rate is None and accelerator.fp32_shader_tflops is not None:
        rate = accelerator.fp32_shader_tflops * TERA
    if rate is not None:
        return rate, True, compute
    ratio = ASSUMED_FLOP_PER_BYTE.get(accelerator.accelerator_class, ASSUMED_FLOP_PER_BYTE_OTHER)
    if accelerator.accelerator_class == "edge" and accelerator.compute_capability is None:
        ratio = ASSUMED_FLOP_PER_BYTE_OTHER  # without matrix units that an engine uses
    return ratio * (accelerator.bandwidth_gb_s or math.nan) * GB, False, compute


def sockets(accelerator: AcceleratorSpec) -> int:
    """Sockets on whose cores engines run: of CPU machines, and of boards whose NPU or GPU they cannot use; else 0."""
    if accelerator.accelerator_class == "cpu":
        return 2 if accelerator.id.endswith(TWO_SOCKETS) else 1
    return int(accelerator.architecture in CORE_ARCHITECTURES)


def _unpacks(accelerator: AcceleratorSpec, scheme: Scheme) -> bool:
    """Weights are stored narrower than they are multiplied."""
    if scheme.kernel in ("dense", "gguf"):
        return False
    return scheme.weight_only or scheme.compute_dtype not in accelerator.native_dtypes


def _is_measured(accelerator: AcceleratorSpec) -> bool:
    """Parts of this kind are among the measurements: CUDA cards and Apple's."""
    return accelerator.accelerator_class == "apple" or (
        accelerator.compute_capability is not None and accelerator.compute_capability[:1].isdigit()
    )
