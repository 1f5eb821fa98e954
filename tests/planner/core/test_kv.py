"""Bytes per token and head, and per layer: by hand from the formulas of the engines' cache specifications."""

import math

import pytest

from planner.core.kv import head_bytes, known_kv_cache_dtypes, layer_caches
from tests.planner.core.asking import CATALOG


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        ("model", 512),
        ("bfloat16", 512),
        ("fp8", 256),
        ("fp8_e5m2", 256),
        ("int8_per_token_head", 264),
        ("int4_per_token_head", 136),
        ("nvfp4", 144),
        ("turboquant_k8v4", 196),
        ("turboquant_4bit_nc", 134),
        ("turboquant_k3v4_nc", 118),
        ("turboquant_3bit_nc", 102),
        ("q8_0", 272),
        ("q4_0", 144),
    ],
)
def test_head_bytes_of_128_wide_heads(dtype, expected):
    assert head_bytes(dtype, key_dim=128, value_dim=128, model_bytes=2.0) == expected


def test_head_bytes_of_a_backends_own_layout_is_unknown():
    assert math.isnan(head_bytes("octave_k3v4", key_dim=128, value_dim=128, model_bytes=2.0))


def rate(model: str, *, tensor: int = 1, dtype: str = "model", **more: object) -> float:
    caches = layer_caches(CATALOG.models[model], dtype=dtype, model_bytes=2.0, tensor=tensor, **more)
    return sum(cache.layers * cache.bytes_per_token for cache in caches)


def test_kv_heads_are_repeated_once_ranks_outnumber_them():
    # Qwen2.5-7B has 4 KV heads: nothing is saved beyond TP 4
    assert rate("Qwen/Qwen2.5-7B-Instruct", tensor=4) == 28 * 2 * 128 * 2
    assert rate("Qwen/Qwen2.5-7B-Instruct", tensor=8) == 28 * 2 * 128 * 2


def test_latent_cache_is_not_divided():
    assert rate("deepseek-ai/DeepSeek-V3", tensor=8) == 61 * 576 * 2


def test_latent_cache_materialized_on_engines_without_it():
    # DeepSeek-V2-Lite: 16 heads of 256 for K and V in each of 27 layers
    assert rate("deepseek-ai/DeepSeek-V2-Lite-Chat", materialized_head_dims=(256, 256)) == 27 * 16 * 512 * 2


def test_sparse_latent_records_with_index_keys():
    # GLM-5: 78 layers of 656 + 132 bytes; a start of GLM-5.1 printed 19.55 GiB for 341,504 tokens
    assert rate("zai-org/GLM-5", dtype="fp8") == 78 * (656 + 132)


def test_known_dtypes_cover_every_engine():
    known = known_kv_cache_dtypes(CATALOG.engines)
    assert {"auto", "fp8", "q8_0", "mxfp8"} <= known
    assert "int4" not in known
