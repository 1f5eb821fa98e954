"""Fixes: put into the request that they belong to, they mend it."""

from typing import Any

import pytest

from planner.core.estimate import estimate
from planner.core.mend import merged
from planner.core.parse import parse_request
from planner.core.request import EstimateRequest
from tests.planner.core.asking import CATALOG

CHAT = {"input_tokens": 1024, "output_tokens": 256, "concurrency": 64}


def question(model: str, accelerator: str, **more: Any) -> dict[str, Any]:
    return {"model": {"id": model}, "accelerator": accelerator, "settings": {}, **more}


def answered(obj: dict[str, Any]) -> dict[str, Any]:
    parsed = parse_request(obj, CATALOG)
    assert isinstance(parsed, EstimateRequest), parsed
    return estimate([parsed], CATALOG)[0]


def fixes(found: dict[str, Any]) -> dict[str, Any]:
    return {reason["code"]: reason["fix"] for reason in found["reasons"]}


def test_more_sequences_are_not_offered_where_the_engine_would_not_start_with_them():
    # llama.cpp reserves a full context for each named slot: 64 contexts of 131,072 tokens are 1,024 GiB
    asked = question(
        "meta-llama/Llama-3.1-8B-Instruct",
        "nvidia-h100-sxm5-80gb",
        engine={"name": "llama.cpp", "version": None},
        weights="gguf-q4_k_m",
        settings={"max_num_seqs": 1, "max_model_len": 131072},
        workload={**CHAT, "input_tokens": 100_000},
    )
    found = answered(asked)
    assert found["verdict"] == "fits"
    assert fixes(found) == {"max_num_seqs_limits_concurrency": None}


def test_a_fix_takes_along_the_fix_of_what_it_hid():
    # 64 sequences need a batch of as many tokens (vLLM: max_num_batched_tokens >= max_num_seqs)
    asked = question(
        "Qwen/Qwen2.5-7B-Instruct",
        "nvidia-h100-sxm5-80gb",
        engine={"name": "vllm", "version": "0.11.0"},
        settings={"max_num_seqs": 16, "max_num_batched_tokens": 32, "max_model_len": 4096},
        workload=CHAT,
    )
    fix = fixes(answered(asked))["max_num_seqs_limits_concurrency"]
    assert fix == {"settings": {"max_num_seqs": 64, "max_num_batched_tokens": 64}}
    assert answered(merged(asked, fix))["reasons"] == []


def test_a_shorter_context_is_tried_until_it_starts():
    # vLLM 0.6 profiles a batch as long as the context: a shorter one leaves more or less, by steps
    asked = question(
        "RedHatAI/QwQ-32B-FP8-dynamic",
        "nvidia-rtx-pro-4000-blackwell",
        count=2,
        parallelism={"tensor": 2},
        engine={"name": "vllm", "version": "0.6.6"},
        settings={"gpu_memory_utilization": 0.85},
    )
    fix = fixes(answered(asked))["kv_cache_below_one_sequence"]
    assert answered(merged(asked, fix))["verdict"] == "fits"


def test_a_degree_is_offered_that_quantization_groups_allow_too():
    # 14 heads and 896 = 7 x 128 columns: 2 divides the heads, but not the groups of 128
    asked = question(
        "Qwen/Qwen2-0.5B",
        "nvidia-l40s",
        count=4,
        parallelism={"tensor": 4},
        weights="gptq-int8",
        settings={"max_model_len": 4096},
    )
    found = answered(asked)
    assert set(map(str, fixes(found).values())) == {str({"count": 1, "parallelism": {"tensor": 1}})}
    again = answered(merged(asked, {"count": 1, "parallelism": {"tensor": 1}}))
    assert again["verdict"] == "fits"


def test_a_fix_of_derived_settings_says_all_of_them():
    # The fix stands where "derive" stood: without the length, the model's own of 131,072 would hold again
    asked = question(
        "meta-llama/Llama-3.1-8B-Instruct",
        "nvidia-rtx-4090",
        settings="derive",
        workload={"input_tokens": 50_000, "output_tokens": 50_000, "concurrency": 4},
    )
    (reason,) = answered(asked)["reasons"]
    assert reason["code"] == "kv_cache_below_one_sequence"
    assert reason["fix"]["settings"]["max_num_seqs"] == 4
    assert answered(merged(asked, reason["fix"]))["verdict"] == "fits"


def test_no_fix_is_beyond_what_a_request_may_say():
    asked = question(
        "Qwen/Qwen2.5-0.5B-Instruct",
        "nvidia-h100-sxm5-80gb",
        settings={"max_model_len": 1024},
        workload={"input_tokens": 1, "output_tokens": 1, "concurrency": 9_000_000},
    )
    assert [reason["fix"] for reason in answered(asked)["reasons"]] == [None]


@pytest.mark.parametrize("accelerator", ["intel-arc-pro-b50", "nvidia-rtx-4060"])
def test_a_card_smaller_than_the_reserve_has_no_budget_rather_than_a_negative_one(accelerator):
    asked = question(
        "Qwen/Qwen2.5-7B-Instruct",
        accelerator,
        engine={"name": "sglang", "version": None},
        settings={"max_num_batched_tokens": 65_536},
    )
    assert answered(asked)["memory"]["per_accelerator"]["budget_gib"] == 0
