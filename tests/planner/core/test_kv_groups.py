"""Pools of vLLM 0.33.0: figures are what its own planning functions return for hand-built layer specs on a CPU."""

import pytest

from planner.core.kv import layer_caches
from planner.core.kv_groups import Pool, separate_pools, v4_pool, vllm_pool
from planner.core.units import GIB
from tests.planner.core.asking import CATALOG


def pool_of(
    model: str,
    *,
    block: int = 16,
    tensor: int = 1,
    dtype: str = "model",
    hybrid: str = "any_pages",
    state_blocks: int = 1,
) -> Pool:
    spec = CATALOG.models[model]
    compressed = [group for group in spec.cache_groups if group.kind == "dsv4"]
    if compressed:
        return v4_pool(compressed[0])
    return vllm_pool(
        layer_caches(spec, dtype=dtype, model_bytes=2.0, tensor=tensor),
        block_tokens=block,
        hybrid_pages=hybrid,
        chunked_grouped=True,
        group_size_ratio=1.5,
        state_blocks=state_blocks,
    )


@pytest.mark.parametrize(
    ("model", "changes", "kv_gib", "length", "in_flight", "expected"),
    [
        # expected: groups, bytes per block, blocks, blocks per request, tokens
        ("meta-llama/Llama-3.1-8B-Instruct", {}, 50, 131072, 16384, (1, 2_097_152, 25_600, 8192, 409_600)),
        (
            "meta-llama/Llama-3.1-8B-Instruct",
            {"dtype": "fp8"},
            50,
            131072,
            16384,
            (1, 1_048_576, 51_200, 8192, 819_200),
        ),
        (
            "meta-llama/Llama-3.1-70B-Instruct",
            {"tensor": 4},
            40,
            32768,
            16384,
            (1, 1_310_720, 32_768, 2048, 524_288),
        ),
        ("deepseek-ai/DeepSeek-V3", {"block": 64}, 40, 131072, 16384, (1, 4_497_408, 9549, 2048, 611_136)),
        (
            "deepseek-ai/DeepSeek-V3",
            {"block": 64, "tensor": 8, "dtype": "fp8"},
            40,
            131072,
            16384,
            (1, 2_248_704, 19_099, 2048, 1_222_336),
        ),
        ("google/gemma-3-27b-it", {}, 20, 32768, 16384, (7, 1_310_720, 16_384, 8582, 62_557)),
        ("google/gemma-3-27b-it", {}, 20, 32768, 8192, (7, 1_310_720, 16_384, 5510, 97_435)),
        ("google/gemma-3-27b-it", {"hybrid": "none"}, 20, 32768, 8192, (1, 8_126_464, 2642, 2048, 42_272)),
        ("openai/gpt-oss-120b", {}, 10, 131072, 16384, (2, 589_824, 18_204, 9225, 258_648)),
        (
            "meta-llama/Llama-4-Scout-17B-16E-Instruct",
            {},
            20,
            131072,
            16384,
            (4, 786_432, 27_306, 12_800, 279_613),
        ),
        ("mistralai/Mistral-7B-v0.1", {}, 10, 32768, 16384, (1, 2_097_152, 5120, 1281, 130_969)),
        ("Qwen/Qwen3.5-35B-A3B", {}, 20, 262144, 16384, (4, 21_626_880, 992, 252, 1_031_931)),
        (
            "Qwen/Qwen3.5-35B-A3B",
            {"state_blocks": 2},
            20,
            262144,
            16384,
            (4, 21_626_880, 992, 255, 1_019_791),
        ),
        ("deepseek-ai/DeepSeek-V4-Flash", {}, 7.7, 121344, 16384, (5, 1_002_240, 8249, 7156, 139_877)),
        ("deepseek-ai/DeepSeek-V4-Flash", {}, 7.7, 121344, 4096, (5, 1_002_240, 8249, 2164, 462_553)),
    ],
)
def test_pool_matches_the_engines_own_planning(*, model, changes, kv_gib, length, in_flight, expected):
    pool = pool_of(model, **changes)
    blocks = int(kv_gib * GIB // pool.quantum)
    per_request = sum(pool.request_blocks(length, in_flight))
    assert (
        len(pool.groups),
        pool.quantum,
        blocks,
        per_request,
        int(blocks / per_request * length),
    ) == expected


def test_pool_pays_for_padding_layers():
    # 10 full and 52 windowed layers make 7 groups of 10: 70 layers' worth of 2 x 16 x 128 x 2 bytes
    assert pool_of("google/gemma-3-27b-it").bytes_per_token == 70 * 2 * 16 * 128 * 2


def test_pool_holds_more_tokens_in_narrower_layers():
    # Gemma 4 31B: global layers are half as wide, so that one page of theirs holds 32 tokens beside 16
    pool = pool_of("google/gemma-4-31B-it")
    assert sorted({group.block_tokens for group in pool.groups}) == [16, 32]


def test_pool_of_mixed_widths_grows_every_layer_on_versions_that_cannot_group_them():
    # https://github.com/vllm-project/vllm/issues/43308: 10 x 8192 + 50 x 16384 bytes per token before 0.21
    assert pool_of("google/gemma-4-31B-it", hybrid="equal_pages").bytes_per_token == 901_120


def test_attention_block_grows_until_it_holds_a_state():
    # state 2,146,304 B, attention 1024 B per token and layer in fp8: 16 x ceil(131.0) tokens
    assert pool_of("Qwen/Qwen3.5-35B-A3B", dtype="fp8").block_tokens == 2096


def test_separate_pools_pad_nothing():
    spec = CATALOG.models["google/gemma-3-27b-it"]
    caches = layer_caches(spec, dtype="f16", model_bytes=2.0, tensor=1)
    pool = separate_pools(caches, block_tokens=256, in_flight=True, sequences=1, state_blocks=1)
    # by hand: 62 layers x 8192 B; at 32,768 tokens the 52 windowed ones keep 1024 + 512
    assert pool.bytes_per_token == 62 * 8192
    assert pool.request_bytes(32768, 512) == 10 * 8192 * 32768 + 52 * 8192 * 1536
