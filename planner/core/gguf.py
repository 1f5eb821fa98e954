"""Bytes of GGUF files by the mix rules of llama.cpp's quantizer.

A mix stores most tensors in its base type and a few in a wider one: the output matrix, attention V, and the
down projection of some layers. Source: ggml-common.h (block layouts), llama-quant.cpp (mixes).
"""

from collections.abc import Callable
from dataclasses import dataclass

from planner.core.specs import ModelSpec

BYTES_PER_WEIGHT = {
    "F32": 4.0,
    "F16": 2.0,
    "BF16": 2.0,
    "Q8_0": 34 / 32,
    "Q6_K": 210 / 256,
    "Q5_K": 176 / 256,
    "Q5_1": 24 / 32,
    "Q5_0": 22 / 32,
    "Q4_K": 144 / 256,
    "Q4_1": 20 / 32,
    "Q4_0": 18 / 32,
    "IQ4_NL": 18 / 32,
    "IQ4_XS": 136 / 256,
    "Q3_K": 110 / 256,
    "IQ3_S": 110 / 256,
    "IQ3_XXS": 98 / 256,
    "Q2_K": 84 / 256,
    "IQ2_S": 82 / 256,
    "IQ2_XS": 74 / 256,
    "IQ2_XXS": 66 / 256,
    "IQ1_M": 56 / 256,
    "IQ1_S": 50 / 256,
    "TQ1_0": 54 / 256,
    "TQ2_0": 66 / 256,
    "MXFP4": 17 / 32,
}
SUPER_BLOCK = 256
# What a tensor becomes when its rows are no multiple of 256.
FALLBACK = {
    "Q6_K": "Q8_0",
    "Q5_K": "Q5_1",
    "Q4_K": "Q5_0",
    "IQ4_XS": "IQ4_NL",
    "Q3_K": "IQ4_NL",
    "IQ3_S": "IQ4_NL",
    "IQ3_XXS": "IQ4_NL",
    "Q2_K": "IQ4_NL",
    "IQ2_S": "IQ4_NL",
    "IQ2_XS": "IQ4_NL",
    "IQ2_XXS": "IQ4_NL",
    "IQ1_M": "IQ4_NL",
    "IQ1_S": "IQ4_NL",
    "TQ1_0": "Q4_0",
    "TQ2_0": "Q4_0",
}
LOW_BIT_I_QUANTS = frozenset({"IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ1_S", "IQ1_M", "IQ3_XXS"})
UNMIXED = frozenset({"F32", "F16", "BF16", "Q8_0"})

# layer index, layers, query heads per KV head -> type
LayerRule = Callable[[int, int, int], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mix:
    """Types by tensor. Everything not named is `base`."""

    base: str
    value: LayerRule | None = None  # attention V, fused QKV of MLA models: kv_b
    down: LayerRule | None = None
    attention_output: str | None = None
    embedding: str | None = None  # token embedding, where the head is stored apart


def _more_bits(layer: int, layers: int) -> bool:
    """The layers that the quantizer spends more on: first and last eighth, and every third between."""
    eighth = layers // 8
    return layer < eighth or layer >= 7 * layers // 8 or (layer - eighth) % 3 == 2


def _wider(base: str, wide: str) -> LayerRule:
    return lambda layer, layers, _: wide if _more_bits(layer, layers) else base


def _first(base: str, wide: str, *, share: int) -> LayerRule:
    return lambda layer, layers, _: wide if layer < layers // share else base


def _first_layers(base: str, wide: str, *, count: int) -> LayerRule:
    return lambda layer, _layers, _: wide if layer < count else base


def _always(wide: str) -> LayerRule:
    return lambda _layer, _layers, _: wide


def _grouped(base: str, wide: str) -> LayerRule:
    """Wider V only where four or more query heads share one KV head, so that it stays small."""
    return lambda _layer, _layers, sharing: wide if sharing >= 4 else base


MIXES = {
    "q6_k": Mix(base="Q6_K"),
    "q5_k_m": Mix(base="Q5_K", value=_wider("Q5_K", "Q6_K"), down=_wider("Q5_K", "Q6_K")),
    "q5_k_s": Mix(base="Q5_K"),
    "q5_1": Mix(base="Q5_1"),
    "q5_0": Mix(base="Q5_0"),
    "q4_k_m": Mix(base="Q4_K", value=_wider("Q4_K", "Q6_K"), down=_wider("Q4_K", "Q6_K")),
    "q4_k_s": Mix(
        base="Q4_K",
        value=_first_layers("Q4_K", "Q5_K", count=4),
        down=_first("Q4_K", "Q5_K", share=8),
    ),
    "q4_1": Mix(base="Q4_1"),
    "q4_0": Mix(base="Q4_0"),
    "iq4_nl": Mix(
        base="IQ4_NL",
        value=_grouped("IQ4_NL", "Q5_K"),
        down=_first("IQ4_NL", "Q5_K", share=8),
    ),
    "iq4_xs": Mix(
        base="IQ4_XS",
        value=_grouped("IQ4_XS", "Q5_K"),
        down=_first("IQ4_XS", "Q5_K", share=8),
    ),
    "q3_k_l": Mix(
        base="Q3_K",
        value=_always("Q5_K"),
        down=_always("Q5_K"),
        attention_output="Q5_K",
    ),
    "q3_k_m": Mix(
        base="Q3_K",
        value=_first_layers("Q4_K", "Q5_K", count=2),
        down=_first("Q4_K", "Q5_K", share=16),
        attention_output="Q4_K",
    ),
    "q3_k_s": Mix(base="Q3_K"),
    "iq3_m": Mix(
        base="IQ3_S",
        value=_always("Q4_K"),
        down=_first("IQ3_S", "Q4_K", share=8),
        attention_output="Q4_K",
    ),
    "iq3_s": Mix(base="IQ3_S", value=_grouped("IQ3_S", "Q4_K")),
    "iq3_xs": Mix(base="IQ3_S", value=_grouped("IQ3_S", "Q4_K")),
    "iq3_xxs": Mix(
        base="IQ3_XXS",
        value=_grouped("IQ3_S", "Q4_K"),
        down=_first("Q3_K", "Q4_K", share=8),
        attention_output="IQ3_S",
        embedding="IQ3_S",
    ),
    "q2_k": Mix(
        base="Q2_K",
        value=_grouped("Q3_K", "Q4_K"),
        down=_always("Q3_K"),
        attention_output="Q3_K",
    ),
    "q2_k_s": Mix(
        base="Q2_K",
        value=_grouped("Q2_K", "Q4_K"),
        down=_first("Q2_K", "Q4_K", share=8),
    ),
    "iq2_m": Mix(
        base="IQ2_S",
        value=_grouped("IQ3_S", "Q4_K"),
        down=_first("IQ2_S", "IQ3_S", share=8),
        embedding="IQ3_S",
    ),
    "iq2_s": Mix(
        base="IQ2_XS",
        value=_grouped("IQ3_S", "Q4_K"),
        down=_first("IQ2_XS", "IQ3_S", share=8),
        embedding="IQ3_S",
    ),
    "iq2_xs": Mix(
        base="IQ2_XS",
        value=_grouped("Q2_K", "Q4_K"),
        down=_first("IQ2_XS", "Q2_K", share=8),
        embedding="Q2_K",
    ),
    "iq2_xxs": Mix(
        base="IQ2_XXS",
        value=_grouped("Q2_K", "Q4_K"),
        down=_first("IQ2_XXS", "Q2_K", share=8),
        embedding="Q2_K",
    ),
    "iq1_m": Mix(
        base="IQ1_M",
        value=_grouped("Q2_K", "Q4_K"),
        down=_first("IQ1_M", "Q2_K", share=8),
        embedding="Q2_K",
    ),
    "iq1_s": Mix(
        base="IQ1_S",
        value=_grouped("Q2_K", "Q4_K"),
        down=_first("IQ1_S", "Q2_K", share=8),
        embedding="Q2_K",
    ),
    "tq1_0": Mix(base="TQ1_0", embedding="Q4_K"),
    "tq2_0": Mix(base="TQ2_0", embedding="Q4_K"),
    "mxfp4": Mix(base="MXFP4"),
    "q8_0": Mix(base="Q8_0"),
    "f16": Mix(base="F16"),
    "bf16": Mix(base="BF16"),
    "f32": Mix(base="F32"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GgufBytes:
    """Bytes by part of one file. Router and norms are stored in 32 bits; vision lives in a file of its own."""

    embedding: float
    lm_head: float
    linear: float
    routed: float
    router: float
    other: float


def gguf_bytes(model: ModelSpec, gguf_type: str) -> GgufBytes:
    """Bytes of a GGUF file of `model` in the mix `gguf_type` (lower case)."""
    mix = MIXES[gguf_type]
    tied = model.tie_word_embeddings or not model.lm_head_params
    head = _fallback(_head_type(mix), model.hidden_size)
    embedding = head if tied else _fallback(mix.embedding or mix.base, model.hidden_size)
    linear, routed = _block_bytes(model, gguf_type, mix)
    return GgufBytes(
        embedding=model.embedding_params * BYTES_PER_WEIGHT[embedding],
        lm_head=model.lm_head_params * BYTES_PER_WEIGHT[head],
        linear=linear,
        routed=routed,
        router=model.router_params * 4.0,
        other=model.other_params * 4.0,
    )


def _head_type(mix: Mix) -> str:
    if mix.base in UNMIXED:
        return mix.base
    if mix.base == "MXFP4":
        return "Q8_0"
    return "Q5_K" if mix.base in LOW_BIT_I_QUANTS else "Q6_K"


def _fallback(kind: str, columns: int) -> str:
    return kind if columns % SUPER_BLOCK == 0 else FALLBACK.get(kind, kind)


def _block_bytes(model: ModelSpec, gguf_type: str, mix: Mix) -> tuple[float, float]:
    """Bytes of (linear, routed): all in the base type, then what value, output and down cost more or less."""
    hidden_type = _fallback(mix.base, model.hidden_size)
    base = BYTES_PER_WEIGHT[hidden_type]
    linear_base = "Q8_0" if gguf_type == "mxfp4" else hidden_type
    linear = model.linear_params * BYTES_PER_WEIGHT[linear_base]
    routed = model.routed_params * base
    if model.native_weight_format == "mxfp4_moe" and mix.base not in ("F32", "F16", "BF16"):
        routed = (
            model.routed_params * BYTES_PER_WEIGHT["MXFP4"]
        )  # the converter keeps published MXFP4 experts
    if mix.base in UNMIXED or gguf_type == "mxfp4":
        return linear, routed
    layers = model.num_layers
    value_params, output_params, output_columns = _attention_params(model)
    eight_experts = model.moe is not None and model.moe.num_experts == 8
    linear += sum(value_params * (bpw - base) for bpw in _value_types(model, mix, hidden_type, eight_experts))
    if eight_experts:
        linear += layers * value_params * (BYTES_PER_WEIGHT["Q8_0"] - base)  # K, of the same size as V
    output = "Q5_K" if eight_experts and base < BYTES_PER_WEIGHT["Q5_K"] else mix.attention_output or mix.base
    linear += layers * output_params * (BYTES_PER_WEIGHT[_fallback(output, output_columns)] - base)
    down = [mix.down(layer, layers, 1) if mix.down else mix.base for layer in range(layers)]
    routed_down, dense_down = _down_params(model)
    dense_columns = model.intermediate_size or model.hidden_size
    linear += sum(
        dense_down / layers * (BYTES_PER_WEIGHT[_fallback(kind, dense_columns)] - base) for kind in down
    )
    if model.moe is not None and model.native_weight_format != "mxfp4_moe":
        columns = model.moe.moe_intermediate_size
        routed += sum(
            routed_down / layers * (BYTES_PER_WEIGHT[_fallback(kind, columns)] - base) for kind in down
        )
    return linear, routed


def _value_types(model: ModelSpec, mix: Mix, hidden_type: str, eight_experts: bool) -> list[float]:
    layers, sharing = (
        model.num_layers,
        model.num_attention_heads // max(1, model.num_kv_heads),
    )
    if eight_experts:
        return [BYTES_PER_WEIGHT["Q8_0"]] * layers
    kinds = [mix.value(layer, layers, sharing) if mix.value else mix.base for layer in range(layers)]
    if layers == 80 and sharing > 1:  # the quantizer takes 80 layers with grouped heads for a Llama-2-70B
        kinds = ["Q5_K" if kind in ("Q3_K", "Q4_K") else kind for kind in kinds]
    return [BYTES_PER_WEIGHT[_fallback(kind, model.hidden_size)] for kind in kinds]


def _attention_params(model: ModelSpec) -> tuple[int, int, int]:
    """Per layer: elements of V, elements of the output projection, columns of the latter."""
    if model.head_dim is None:
        return 0, 0, model.hidden_size
    width = model.num_attention_heads * model.head_dim
    with_cache = sum(g.layers for g in model.cache_groups if g.kv_heads) / max(1, model.num_layers)
    share = min(1.0, with_cache)
    value = int(model.hidden_size * model.num_kv_heads * model.head_dim * share)
    return value, int(model.hidden_size * width * share), width


def _down_params(model: ModelSpec) -> tuple[float, float]:
    """Elements of the down projections of all layers: (routed, dense and shared)."""
    routed = model.routed_params / 3
    dense_layers = model.num_layers if model.moe is None else model.moe.first_k_dense
    dense = dense_layers * model.hidden_size * (model.intermediate_size or 0)
    if model.moe is not None and model.moe.shared_intermediate_size:
        dense += model.moe.moe_layers * model.hidden_size * model.moe.shared_intermediate_size
    return routed, min(float(dense), model.linear_params / 2)
