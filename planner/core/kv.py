"""Bytes that layers keep per token or per sequence, on one rank, before any pool rounds them.

Formulas: page sizes of vLLM's attention and Mamba specs, llama.cpp's block layouts, DeepSeek's cache records.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from planner.core.specs import CacheGroup, EngineSpec, ModelSpec, Scheme

MODEL_DTYPE_BYTES = {"bfloat16": 2.0, "float16": 2.0, "float32": 4.0}
# Bytes per element where a dtype is just narrower or wider; scales are per layer and negligible, or inside.
ELEMENT_BYTES = {
    "bfloat16": 2.0,
    "bf16": 2.0,
    "float16": 2.0,
    "f16": 2.0,
    "f32": 4.0,
    "fp8": 1.0,
    "fp8_e4m3": 1.0,
    "fp8_e5m2": 1.0,
    "fp8_inc": 1.0,
    "fp8_ds_mla": 1.0,
    "int8": 1.0,
    "mxfp8": 1 + 1 / 32,
    "nvfp4": 0.5 + 1 / 16,
    "nvfp4_4over6": 0.5 + 1 / 16,
    "nvfp4_ds_mla": 0.5 + 1 / 16,
    "fp4_mx_block16": 0.5 + 1 / 16,
    "q8_0": 34 / 32,
    "q5_1": 24 / 32,
    "q5_0": 22 / 32,
    "q4_1": 20 / 32,
    "q4_0": 18 / 32,
    "iq4_nl": 18 / 32,
}
# Bytes per element, and one fp32 scale each for K and V of every head and token.
PER_TOKEN_HEAD = {"int8_per_token_head": 1.0, "fp8_per_token_head": 1.0, "int4_per_token_head": 0.5}
PER_TOKEN_HEAD_SCALES = 8
# Bits of K and V; vector-quantized slots carry a norm for K and norm and scale for V.
TURBOQUANT_BITS = {"turboquant_4bit_nc": (4, 4), "turboquant_k3v4_nc": (3, 4), "turboquant_3bit_nc": (3, 3)}
EIGHT_BIT = frozenset({"fp8", "fp8_e4m3", "fp8_e5m2", "fp8_inc", "fp8_ds_mla"})
# Fixed records of sparse latent attention: 512 fp8 + four fp32 scales + 64 rope in bf16, and its FP4 sibling.
SPARSE_LATENT_RECORD = {"fp8_ds_mla": 656, "fp8": 656, "fp8_e4m3": 656, "nvfp4_ds_mla": 352}
INDEX_KEY_BYTES = 132  # 128 fp8 and one fp32 scale
CROSS_ENCODER_TOKENS = 6404  # four image tiles of 1601 tokens, as Llama-3.2-Vision profiles

STATE_KINDS = frozenset({"gdn", "mamba1", "mamba2", "kda", "lightning", "short_conv"})


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerCache:
    """What `layers` layers keep on one rank: bytes per token and layer, and bytes per sequence and layer."""

    kind: str  # full | sliding | chunked | cross | latent | index | state
    layers: int
    bytes_per_token: float = 0.0
    window: int | None = None
    state_bytes: float = 0.0


def known_kv_cache_dtypes(tables: Mapping[str, Mapping[str, Any]]) -> frozenset[str]:
    """Every spelling that some version of some engine takes."""
    return frozenset(
        name
        for table in tables.values()
        for row in table["values"]["kv_cache_dtypes"]["by_version"]
        for name in row["value"]
    )


def default_dtype(engine: EngineSpec, model: ModelSpec, scheme: Scheme) -> str:
    """What an engine version stores when it is not told: "model" for the model's own dtype, or a format.

    Some have a record of their own for sparse latent attention; some take the 8-bit cache that a calibrated
    checkpoint carries scales for (per-tensor FP8 and NVFP4, not blocks).
    """
    kinds = {group.kind for group in model.cache_groups}
    if "mla_dsa" in kinds:
        return str(engine.values["sparse_latent_auto"])
    calibrated = scheme.kernel in ("fp8", "fp4") and scheme.group_size in (None, 16)
    if engine.values.get("calibrated_cache") and calibrated and "mla" not in kinds:
        return "fp8"
    return str(engine.values["kv_cache_dtype_default"])


def resolved_dtype(kv_cache_dtype: str, default: str) -> str:
    """What `auto` means for an engine: the model's own dtype ("model") or a fixed one."""
    return default if kv_cache_dtype == "auto" else kv_cache_dtype


def head_bytes(dtype: str, *, key_dim: int, value_dim: int, model_bytes: float) -> float:
    """Bytes of K and V of one head and token; NaN for a layout that only its own backend knows."""
    width = key_dim + value_dim
    if dtype == "model":
        return width * model_bytes
    if dtype in ELEMENT_BYTES:
        return width * ELEMENT_BYTES[dtype]
    if dtype in PER_TOKEN_HEAD:
        return width * PER_TOKEN_HEAD[dtype] + PER_TOKEN_HEAD_SCALES
    if dtype == "turboquant_k8v4":
        return float(_even(key_dim + math.ceil(value_dim * 4 / 8) + 4))
    if dtype in TURBOQUANT_BITS:
        key_bits, value_bits = TURBOQUANT_BITS[dtype]
        return float(_even(math.ceil(key_dim * key_bits / 8) + 2 + math.ceil(value_dim * value_bits / 8) + 4))
    return math.nan


def _even(value: int) -> int:
    return value + value % 2


def layer_caches(
    model: ModelSpec,
    *,
    dtype: str,
    model_bytes: float,
    tensor: int,
    materialized_head_dims: tuple[int, int] | None = None,
    sparse_latent_records: bool = True,
) -> tuple[LayerCache, ...]:
    """Cache of every layer group on one rank of `tensor` ranks.

    `dtype` as from `resolved_dtype`; `model_bytes` per element of the model's own dtype. KV heads are divided by
    the tensor degree down to one; latents and index keys are held by every rank; states are divided.
    `materialized_head_dims`: widths of K and V on an engine that has no latent cache and stores every head.
    """
    found: list[LayerCache] = []
    heads = max(1, model.num_attention_heads // tensor)
    for group in model.cache_groups:
        if group.kind in STATE_KINDS:
            found.append(_state(group, tensor, model_bytes))
        elif group.kind in ("mla", "mla_dsa"):
            found.extend(
                _latent(group, dtype, model_bytes, sparse_latent_records)
                if materialized_head_dims is None
                else _materialized(
                    group,
                    heads,
                    head_bytes(
                        dtype,
                        key_dim=materialized_head_dims[0],
                        value_dim=materialized_head_dims[1],
                        model_bytes=model_bytes,
                    ),
                )
            )
        elif group.kind == "index_key":
            rate = group.bytes_per_token_per_layer or 0.0
            found.append(LayerCache(kind="index", layers=group.layers, bytes_per_token=rate))
        elif group.kind == "dsv41":
            rate = (group.growing_bytes_per_token or math.nan) / max(1, group.layers)
            found.append(LayerCache(kind="full", layers=group.layers, bytes_per_token=rate))
        elif group.kind != "dsv4":  # its pool is laid out in kv_groups
            found.append(_heads(group, dtype, model_bytes, tensor))
    return tuple(found)


def _heads(group: CacheGroup, dtype: str, model_bytes: float, tensor: int) -> LayerCache:
    key_dim = group.head_dim or 0
    per_head = head_bytes(
        dtype, key_dim=key_dim, value_dim=group.v_head_dim or key_dim, model_bytes=model_bytes
    )
    rate = max(1, (group.kv_heads or 0) // tensor) * per_head
    if group.kind == "cross":
        return LayerCache(
            kind="cross", layers=group.layers, bytes_per_token=rate, window=CROSS_ENCODER_TOKENS
        )
    return LayerCache(kind=group.kind, layers=group.layers, bytes_per_token=rate, window=group.window)


def _latent(group: CacheGroup, dtype: str, model_bytes: float, records: bool) -> Iterable[LayerCache]:
    """One latent vector per token and layer, and where there is an indexer its key."""
    sparse = group.kind == "mla_dsa"
    if sparse and records and dtype in SPARSE_LATENT_RECORD:
        rate = float(SPARSE_LATENT_RECORD[dtype])
    else:
        rate = head_bytes(dtype, key_dim=group.latent_dim or 0, value_dim=0, model_bytes=model_bytes)
    yield LayerCache(kind="latent", layers=group.layers, bytes_per_token=rate)
    if sparse and group.indexer_layers:
        yield LayerCache(kind="index", layers=group.indexer_layers, bytes_per_token=float(INDEX_KEY_BYTES))


def _materialized(group: CacheGroup, heads: int, bytes_per_head: float) -> Iterable[LayerCache]:
    """Latent attention on an engine that stores full K and V of every head."""
    yield LayerCache(kind="full", layers=group.layers, bytes_per_token=heads * bytes_per_head)


def _state(group: CacheGroup, tensor: int, model_bytes: float) -> LayerCache:
    """Convolution window in the model's dtype and recurrent state in its own, divided by the tensor degree."""
    conv = (group.conv_elems or 0) / tensor * min(model_bytes, 2.0)
    recurrent = (
        (group.ssm_elems or 0) / tensor * (4.0 if group.ssm_dtype == "float32" else min(model_bytes, 2.0))
    )
    return LayerCache(kind="state", layers=group.layers, state_bytes=conv + recurrent)
