"""Bytes of weights: of the whole model by part, and of one rank."""

from dataclasses import asdict, dataclass
from functools import lru_cache

from planner.core.gguf import gguf_bytes
from planner.core.request import Parallelism
from planner.core.specs import ModelSpec, Scheme
from planner.core.units import GIB, round_up

UNQUANTIZED_BYTES = 2.0
DTYPE_SCHEMES = {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32"}
VOCAB_PADDING = 64
ROPE_BYTES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class NativeFormat:
    """A format that checkpoints are published in. `aliases` are schemes by which askers name it too."""

    scheme: str
    parts: frozenset[str]
    aliases: frozenset[str] = frozenset()


MATMULS = frozenset({"linear", "routed"})
ROUTED = frozenset({"routed"})
NATIVE_FORMATS = {
    "fp8": NativeFormat(scheme="fp8", parts=MATMULS),
    "fp8_block128": NativeFormat(scheme="fp8-block128", parts=MATMULS, aliases=frozenset({"fp8"})),
    "mxfp4_moe": NativeFormat(scheme="mxfp4", parts=ROUTED),
    "int4_g32_experts": NativeFormat(scheme="int4-g32", parts=ROUTED, aliases=frozenset({"int4-g128"})),
    "fp4_experts+fp8_block128": NativeFormat(
        scheme="fp4-fp8",
        parts=MATMULS,
        aliases=frozenset({"fp8", "fp8-block128", "mxfp4"}),
    ),
    "mxfp4_experts+fp8": NativeFormat(scheme="fp4-fp8", parts=MATMULS, aliases=frozenset({"fp8", "mxfp4"})),
    "ternary1.58": NativeFormat(scheme="ternary", parts=MATMULS),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PartBytes:
    """Stored bytes of the whole model by part, scales included."""

    embedding: float
    lm_head: float
    linear: float
    routed: float
    router: float
    other: float
    vision: float

    @property
    def total(self) -> float:
        """Bytes of everything."""
        return (
            self.embedding + self.lm_head + self.linear + self.routed + self.router + self.other + self.vision
        )


def published_scheme_id(model: ModelSpec) -> str:
    """The scheme that the checkpoint of this id is stored in."""
    if model.scheme is not None:
        return model.scheme
    if model.native_weight_format in NATIVE_FORMATS:
        return NATIVE_FORMATS[model.native_weight_format].scheme
    return DTYPE_SCHEMES.get(model.dtype, "bf16")


@lru_cache(maxsize=4096)
def part_bytes(model: ModelSpec, scheme: Scheme) -> PartBytes:
    """Stored bytes by part of `model` in `scheme`: those of its files where they are known, else by the widths.

    A size on disk that the asker states scales the matmuls.
    A checkpoint published in a mixed format keeps it when it is named by a coarser word ("fp8" for a checkpoint
    whose experts are FP4): nobody stores it wider than it was published.
    """
    if model.stored is not None and scheme.id == published_scheme_id(model):
        return PartBytes(**asdict(model.stored))
    parts = _gguf_parts(model, scheme) if scheme.kernel == "gguf" else _parts(model, scheme)
    if model.weights_gib_stated is None:
        return parts
    fixed = parts.total - parts.linear - parts.routed
    matmuls = parts.linear + parts.routed
    stretch = max(0.0, model.weights_gib_stated * GIB - fixed) / matmuls if matmuls else 1.0
    return _replace_matmuls(parts, stretch)


def _replace_matmuls(parts: PartBytes, stretch: float) -> PartBytes:
    return PartBytes(
        embedding=parts.embedding,
        lm_head=parts.lm_head,
        linear=parts.linear * stretch,
        routed=parts.routed * stretch,
        router=parts.router,
        other=parts.other,
        vision=parts.vision,
    )


def _gguf_parts(model: ModelSpec, scheme: Scheme) -> PartBytes:
    found = gguf_bytes(model, scheme.gguf_type or scheme.id.removeprefix("gguf-"))
    return PartBytes(
        embedding=found.embedding,
        lm_head=found.lm_head,
        linear=found.linear,
        routed=found.routed,
        router=found.router,
        other=found.other,
        vision=0.0,
    )


def _parts(model: ModelSpec, scheme: Scheme) -> PartBytes:
    plain = scheme.bytes_per_weight if scheme.kernel == "dense" else UNQUANTIZED_BYTES
    routed_bpw, linear_bpw, row_bytes = _matmul_bytes_per_weight(model, scheme, plain)
    rows = row_bytes / model.hidden_size
    return PartBytes(
        embedding=model.embedding_params * plain,
        lm_head=model.lm_head_params * plain,
        linear=_matmul_bytes(model, "linear", linear_bpw + rows, plain),
        routed=_matmul_bytes(model, "routed", routed_bpw + rows, plain),
        router=model.router_params * plain,
        other=model.other_params * plain,
        vision=model.vision_params * plain,
    )


def _matmul_bytes(model: ModelSpec, part: str, per_weight: float, plain: float) -> float:
    """Bytes of the matrices of one part, what the publisher stores otherwise in its own format."""
    total = model.linear_params if part == "linear" else model.routed_params
    if model.scheme is None or not model.kept:
        excluded = _excluded_linear(model) if part == "linear" else 0.0
        return (total - excluded) * per_weight + excluded * plain
    kept = [item for item in model.kept if item.part == part]
    left = max(0, total - sum(item.params for item in kept))
    return left * per_weight + sum(item.params * (item.bytes_per_weight or plain) for item in kept)


def _matmul_bytes_per_weight(model: ModelSpec, scheme: Scheme, plain: float) -> tuple[float, float, float]:
    """Bytes per weight of (routed, linear), and bytes per output row."""
    parts, rows = scheme.quantized_parts, scheme.bytes_per_row
    native = NATIVE_FORMATS.get(model.native_weight_format or "") if model.scheme is None else None
    routed = scheme.bytes_per_weight
    linear = scheme.linear_bytes_per_weight or scheme.bytes_per_weight
    if native is not None and (scheme.id == native.scheme or scheme.id in native.aliases):
        parts = native.parts
        rows = rows if scheme.id == native.scheme else 0.0
        if native.scheme == "fp4-fp8":
            routed, linear = 17 / 32, 1 + 4 / 128**2
        elif native.scheme == "int4-g32":
            routed = 0.5625
    return routed if "routed" in parts else plain, linear if "linear" in parts else plain, rows


def _excluded_linear(model: ModelSpec) -> float:
    """Elements of `linear` that the publisher left unquantized."""
    excluded = 0.0
    if "attention" in model.scheme_excludes:
        excluded += attention_params(model)
    if "first_last_layers" in model.scheme_excludes:
        excluded += (model.linear_params - excluded) * min(1.0, 2 / model.num_layers)
    if "linear" in model.scheme_excludes:
        excluded = float(model.linear_params)
    return min(excluded, float(model.linear_params))


def attention_params(model: ModelSpec) -> float:
    """Elements of the projections of all attention layers; 0 for latent attention, whose shapes are not kept."""
    total = 0.0
    for group in model.cache_groups:
        if group.kv_heads is None or group.head_dim is None:
            continue
        value_dim = group.v_head_dim or group.head_dim
        query_and_output = model.num_attention_heads * (group.head_dim + value_dim)
        key_and_value = group.kv_heads * (group.head_dim + value_dim)
        total += group.layers * model.hidden_size * (query_and_output + key_and_value)
    return total


def stage_layers(layers: int, stages: int) -> tuple[int, ...]:
    """Layers of each pipeline stage: the remainder goes to stages from the second-last backwards (vLLM)."""
    counts = [layers // stages] * stages
    for index in range(2, layers % stages + 2):
        counts[-index] += 1
    return tuple(counts)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankWeights:
    """Bytes that one rank of a stage holds."""

    stage: int
    layers: int
    has_head: bool
    total: float


def rank_weights(
    model: ModelSpec,
    scheme: Scheme,
    parallelism: Parallelism,
    *,
    replicated_vision: bool,
    padded_experts: bool,
    cpu_embedding: bool = False,
) -> tuple[RankWeights, ...]:
    """Bytes on one rank of the first, a middle and the last stage (one entry without pipeline).

    Columns and rows of matmuls and the padded vocabulary are divided by the tensor degree; router, norms, latent
    down-projections and (some) vision towers are held by every rank; K and V are repeated where ranks outnumber
    KV heads. `padded_experts`: the kernel rounds MXFP4 experts up per rank. `cpu_embedding`: the token embedding
    stays in host memory, and no rope table is kept.
    """
    parts = part_bytes(model, scheme)
    tensor, stages = parallelism.tensor, parallelism.pipeline
    experts = tensor * parallelism.data if parallelism.expert else tensor
    vocab = round_up(model.vocab_size, VOCAB_PADDING) / max(1, model.vocab_size)
    embedding = 0.0 if cpu_embedding and parts.lm_head else parts.embedding * vocab / tensor
    head = (parts.lm_head or parts.embedding) * vocab / tensor
    routed = parts.routed / experts
    if padded_experts:
        routed *= mxfp4_padding(model, 1 if parallelism.expert else tensor)
    replicated = _replicated_linear_share(model)
    extra = _replicated_kv_elements(model, tensor) / max(1, model.linear_params)
    linear = parts.linear * (replicated + (1 - replicated + extra) / tensor)
    blocks = linear + routed + parts.router + parts.other
    vision = parts.vision if replicated_vision else parts.vision / tensor
    counts = stage_layers(model.num_layers, stages)
    return tuple(
        RankWeights(
            stage=stage,
            layers=counts[stage],
            has_head=stage == stages - 1,
            total=blocks * counts[stage] / model.num_layers
            + (embedding + vision if stage == 0 else 0.0)
            + (_head_bytes(head, tied=not parts.lm_head, alone=stages == 1) if stage == stages - 1 else 0.0)
            + (0.0 if cpu_embedding else _rope_bytes(model)),
        )
        for stage in sorted({0, stages // 2, stages - 1})
    )


def _head_bytes(head: float, *, tied: bool, alone: bool) -> float:
    """A tied head is the embedding itself unless the last stage is not the first."""
    return 0.0 if tied and alone else head


def _rope_bytes(model: ModelSpec) -> float:
    rotary = model.head_dim or next((g.qk_rope_head_dim for g in model.cache_groups if g.qk_rope_head_dim), 0)
    return float(model.max_position_embeddings * (rotary or 0) * ROPE_BYTES)


def _replicated_linear_share(model: ModelSpec) -> float:
    """Share of `linear` that every rank holds: the latent down-projections."""
    elements = sum(g.layers * model.hidden_size * g.latent_dim for g in model.cache_groups if g.latent_dim)
    return min(1.0, elements / model.linear_params) if model.linear_params else 0.0


def _replicated_kv_elements(model: ModelSpec, tensor: int) -> float:
    """Elements of K and V held beyond one copy, over all ranks."""
    return float(
        sum(
            g.layers
            * max(0, tensor - g.kv_heads)
            * (g.head_dim + (g.v_head_dim or g.head_dim))
            * model.hidden_size
            for g in model.cache_groups
            if g.kv_heads and g.head_dim
        )
    )


def mxfp4_padding(model: ModelSpec, tensor: int) -> float:
    """How much larger MXFP4 experts get on one rank: width to a multiple of 128, hidden to one of 256."""
    if model.moe is None:
        return 1.0
    width = model.moe.moe_intermediate_size / tensor
    wide = round_up(int(width), 128) / width
    return wide * round_up(model.hidden_size, 256) / model.hidden_size
