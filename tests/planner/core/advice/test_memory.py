"""Remarks: each where it belongs, and not beside it."""

from typing import Any

from planner.core.advice.memory import memory_advice
from planner.core.memory import evaluate
from tests.planner.core.asking import ask


def advised(model: str, accelerator: str | None, **more: Any) -> list[str]:
    request = ask(model, accelerator, **more)
    return [item.code for item in memory_advice(request, evaluate([request]), 0)]


def test_format_that_the_card_only_unpacks():
    assert advised("Qwen/Qwen3-8B", "nvidia-rtx-3090", weights="fp8", max_model_len=4096) == [
        "format_weight_only"
    ]


def test_format_that_the_card_computes():
    assert advised("Qwen/Qwen3-8B", "nvidia-rtx-4090", weights="fp8", max_model_len=4096) == []


def test_weight_only_scheme_promises_nothing():
    assert advised("Qwen/Qwen3-8B", "nvidia-rtx-3090", weights="awq-int4", max_model_len=4096) == []


def test_context_above_what_the_model_was_made_for():
    codes = advised(
        "Qwen/Qwen2.5-7B-Instruct",
        "nvidia-rtx-4090",
        engine="llama.cpp",
        weights="gguf-q4_k_m",
        max_model_len=65536,
    )
    assert codes == ["context_above_trained_length"]


def test_thin_margin_is_said():
    # 27.5 GiB of weights (printed by a start) leave a 32 GB card less than the estimate is sure of
    assert advised("Qwen/Qwen3-14B", "nvidia-rtx-5090", max_model_len=2048, max_num_seqs=8) == [
        "memory_margin_thin"
    ]
