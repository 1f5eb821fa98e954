"""Bytes of cache and weights of a model whatever it runs on; expected values by hand from config.json, or as published."""

import pytest

from planner.core.card_facts import cards_of
from planner.core.engines import resolve_engine
from planner.core.model_facts import cache_facts, tensor_degrees, weight_facts
from planner.core.specs import EngineSpec
from tests.planner.core.asking import CATALOG


def cache_of(model: str, engine: str, dtype: str) -> float:
    facts = cache_facts(CATALOG.models[model], CATALOG)
    return next(fact.bytes_per_token for fact in facts if fact.engine == engine and dtype in fact.dtypes)


@pytest.mark.parametrize(
    ("engine", "dtype", "expected"),
    [
        # Qwen2.5-7B: 28 layers, 4 KV heads of 128, K and V
        ("vllm", "auto", 28 * 4 * 128 * 2 * 2),
        ("vllm", "fp8", 28 * 4 * 128 * 2),
        ("llama.cpp", "f16", 28 * 4 * 128 * 2 * 2),
        # a block of q8_0 is 32 values in 34 bytes
        ("llama.cpp", "q8_0", 28 * 4 * 128 * 2 * 34 / 32),
    ],
)
def test_cache_per_token(engine: str, dtype: str, expected: float) -> None:
    assert cache_of("Qwen/Qwen2.5-7B-Instruct", engine, dtype) == pytest.approx(expected)


def test_latent_cache_is_counted_once() -> None:
    # DeepSeek-R1: 61 layers, a latent of 512 and 64 for positions, two bytes
    assert cache_of("deepseek-ai/DeepSeek-R1", "vllm", "auto") == 61 * 576 * 2


def test_layouts_of_sparse_latents_are_told_of_no_other_model() -> None:
    names = {
        name
        for fact in cache_facts(CATALOG.models["Qwen/Qwen2.5-7B-Instruct"], CATALOG)
        for name in fact.dtypes
    }
    assert not [name for name in names if name.endswith("_ds_mla")]


def test_weights_are_widest_first_and_say_which_is_published() -> None:
    facts = weight_facts(CATALOG.models["openai/gpt-oss-120b"], CATALOG)
    assert [fact.total_bytes for fact in facts] == sorted((fact.total_bytes for fact in facts), reverse=True)
    # file listing on huggingface.co: 65.2 GB in all
    published = next(fact for fact in facts if fact.published)
    assert (published.scheme.id, round(published.total_bytes / 1e9, 1)) == ("mxfp4", 65.2)


def test_degrees_divide_heads_and_vocabulary() -> None:
    # Qwen2.5-7B has 28 heads, 4 KV heads and 152,064 words: 7 and 14 divide the heads but not the words, 8 not the heads
    assert tensor_degrees(CATALOG.models["Qwen/Qwen2.5-7B-Instruct"]) == [1, 2, 4]


def test_cards_of_an_engine_leave_out_those_it_does_not_run_on() -> None:
    engine = resolve_engine(CATALOG.engines, "tensorrt-llm", None)
    assert isinstance(engine, EngineSpec)
    assert {card.vendor for card in cards_of(CATALOG, engine)} == {"NVIDIA"}


def test_cards_of_a_format_have_what_it_needs() -> None:
    engine = resolve_engine(CATALOG.engines, "tensorrt-llm", None)
    assert isinstance(engine, EngineSpec)
    names = {card.id for card in cards_of(CATALOG, engine, CATALOG.schemes["fp8"])}
    # FP8 matrix units came with compute capability 8.9: the L4 has them, the A100 does not
    assert ("nvidia-l4" in names, "nvidia-a100-sxm4-80gb" in names) == (True, False)
