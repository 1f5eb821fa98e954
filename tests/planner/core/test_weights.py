"""Weights against published file sizes and printed start-up figures; each case names where its figure is from."""

import pytest

from planner.core.request import Parallelism
from planner.core.units import GIB
from planner.core.weights import part_bytes, published_scheme_id, rank_weights, stage_layers
from tests.planner.core.asking import CATALOG


def total_gb(model: str, scheme: str | None = None) -> float:
    spec = CATALOG.models[model]
    return part_bytes(spec, CATALOG.schemes[scheme or published_scheme_id(spec)]).total / 1e9


@pytest.mark.parametrize(
    ("model", "scheme", "published_gb"),
    [
        # file listings on huggingface.co, decimal GB
        ("Qwen/Qwen2.5-7B-Instruct", "awq-int4", 5.57),
        ("openai/gpt-oss-120b", None, 65.2),
        ("meta-llama/Llama-3.1-70B-Instruct", "gguf-q4_k_m", 42.5),
        ("meta-llama/Llama-3.1-70B-Instruct", "gguf-q5_k_m", 49.9),
    ],
)
def test_total_matches_published_file(model, scheme, published_gb):
    assert total_gb(model, scheme) == pytest.approx(published_gb, rel=0.002)


@pytest.mark.parametrize(
    ("model", "scheme", "bits"),
    [
        # llama.cpp's quantize README for Llama-3.1-8B
        ("meta-llama/Llama-3.1-8B-Instruct", "gguf-q4_k_m", 4.8944),
        ("meta-llama/Llama-3.1-8B-Instruct", "gguf-q5_k_m", 5.7036),
        ("meta-llama/Llama-3.1-8B-Instruct", "gguf-q4_k_s", 4.6672),
        ("meta-llama/Llama-3.1-8B-Instruct", "gguf-q3_k_m", 3.9960),
        ("meta-llama/Llama-3.1-8B-Instruct", "gguf-q2_k", 3.1593),
        ("meta-llama/Llama-3.1-8B-Instruct", "gguf-q6_k", 6.5633),
        ("meta-llama/Llama-3.1-8B-Instruct", "gguf-iq4_xs", 4.4597),
    ],
)
def test_gguf_bits_per_weight(model, scheme, bits):
    spec = CATALOG.models[model]
    elements = spec.embedding_params + spec.lm_head_params + spec.linear_params + spec.other_params
    assert total_gb(model, scheme) * 8e9 / elements == pytest.approx(bits, rel=0.002)


def test_gguf_gemma_file_size():
    # gemma-3-27b-it Q4_K_M text weights: 15.404 GiB
    assert total_gb("google/gemma-3-27b-it", "gguf-q4_k_m") * 1e9 / GIB == pytest.approx(15.404, abs=0.002)


def test_mixed_format_keeps_its_own_bytes_under_a_coarser_name():
    # DeepSeek-V4-Flash ships FP4 experts and calls itself FP8
    assert total_gb("deepseek-ai/DeepSeek-V4-Flash", "fp8") == total_gb("deepseek-ai/DeepSeek-V4-Flash")


@pytest.mark.parametrize(
    ("model", "scheme", "tensor", "printed_gib"),
    [
        # "model loading took" of vLLM starts
        ("openai/gpt-oss-20b", None, 1, 13.64),
        ("openai/gpt-oss-20b", None, 2, 7.01),
        ("openai/gpt-oss-120b", None, 4, 17.22),
        ("mistralai/Mistral-Small-3.1-24B-Instruct-2503", None, 1, 44.76),
        ("mistralai/Mistral-Small-3.1-24B-Instruct-2503", None, 2, 22.80),
        ("mistralai/Mistral-Small-3.1-24B-Instruct-2503", None, 4, 11.86),
        ("Qwen/Qwen2.5-72B-Instruct", None, 4, 34.01),
    ],
)
def test_rank_weights_match_printed(model, scheme, tensor, printed_gib):
    spec = CATALOG.models[model]
    (rank,) = rank_weights(
        spec,
        CATALOG.schemes[scheme or published_scheme_id(spec)],
        Parallelism(tensor=tensor),
        replicated_vision="Mistral3ForConditionalGeneration" in spec.architectures,
        padded_experts=spec.native_weight_format == "mxfp4_moe",
    )
    assert rank.total / GIB == pytest.approx(printed_gib, rel=0.01)


def test_stage_layers_put_the_remainder_before_the_last():
    assert stage_layers(61, 4) == (15, 15, 16, 15)
    assert stage_layers(32, 4) == (8, 8, 8, 8)


def test_tied_head_is_on_both_ends_of_a_pipeline():
    spec = CATALOG.models["google/gemma-3-27b-it"]
    first, last = rank_weights(
        spec, CATALOG.schemes["bf16"], Parallelism(pipeline=2), replicated_vision=False, padded_experts=False
    )
    embedding, vision = spec.embedding_params * 2, spec.vision_params * 2
    assert first.total - last.total == pytest.approx(vision, rel=0.01)
    assert last.total > embedding


def test_experts_are_spread_over_data_parallel_ranks_only_with_expert_parallel():
    spec = CATALOG.models["Qwen/Qwen3-30B-A3B"]

    def rank_gib(parallelism: Parallelism) -> float:
        (rank,) = rank_weights(
            spec, CATALOG.schemes["bf16"], parallelism, replicated_vision=False, padded_experts=False
        )
        return rank.total / GIB

    replicated = rank_gib(Parallelism(data=4))
    spread = rank_gib(Parallelism(data=4, expert=True))
    assert replicated - spread == pytest.approx(spec.routed_params * 2 * 3 / 4 / GIB)


def test_stated_size_scales_the_matmuls():
    from dataclasses import replace

    spec = replace(CATALOG.models["Qwen/Qwen2.5-7B-Instruct"], weights_gib_stated=6.0)
    assert part_bytes(spec, CATALOG.schemes["int4-g128"]).total == pytest.approx(6.0 * GIB)
