"""Derived settings: the closed formulas, and what memory and targets take away again."""

from typing import Any

import pytest

from planner.core.settings import padded_length, sequences_for, slots_for_rate
from tests.planner.core.estimating import CHAT, answered, by_name

# 7B with a cache of full heads: 16 GiB for 8 requests of 4,096 tokens do not fit beside the weights on 24 GB.
LLAMA2 = "meta-llama/Llama-2-7b-hf"


def settings_of(**request: Any) -> dict[str, tuple[Any, str]]:
    found = by_name(answered(settings="derive", **request)["settings"], "name")
    return {name: (item["value"], item["reason"]["code"]) for name, item in found.items()}


# By hand: tokens × 1.2, up to the next multiple of 256
@pytest.mark.parametrize(
    ("tokens", "length"), [(1280, 1536), (1281, 1792), (3400, 4096), (213, 256), (214, 512), (1, 256)]
)
def test_padded_length_is_a_fifth_more_in_whole_blocks(tokens: int, length: int) -> None:
    assert padded_length(tokens) == length


# The last one: no request may state more slots than a million
@pytest.mark.parametrize(
    ("users", "replicas", "slots"), [(16, 1, 16), (17, 2, 9), (1, 4, 1), (100_000_000, 8, 1_000_000)]
)
def test_slots_are_one_per_user_of_a_replica(users: int, replicas: int, slots: int) -> None:
    assert sequences_for(users, replicas) == slots


# By hand: mean + 2.33 × its root, up: 16 + 9.32; 8 + 6.59; 0.2 + 1.04
@pytest.mark.parametrize(
    ("mean", "replicas", "slots"), [(16, 1, 26), (16, 2, 15), (0.2, 1, 2), (1e12, 1, 1_000_000)]
)
def test_slots_of_a_rate_leave_room_for_busy_moments(mean: float, replicas: int, slots: int) -> None:
    assert slots_for_rate(mean, replicas) == slots


def test_length_from_means_says_so() -> None:
    # By hand: (1,024 + 256) × 1.2 = 1,536
    assert settings_of()["max_model_len"] == (1536, "length_from_mean")


def test_length_from_quantiles_takes_p99() -> None:
    workload = {**CHAT, "input_tokens": {"p50": 1000, "p90": 2500, "p99": 3400}, "output_tokens": 300}
    # By hand: (3,400 + 300) × 1.2 = 4,440, up to 4,608
    assert settings_of(workload=workload)["max_model_len"] == (4608, "length_from_p99")


def test_length_stays_within_the_model() -> None:
    # Llama 2 takes 4,096 tokens
    workload = {"input_tokens": 3500, "output_tokens": 500, "concurrency": 1}
    assert settings_of(model=LLAMA2, workload=workload)["max_model_len"] == (4096, "length_at_model_limit")


# 14B in 16 bits on 32 GB. By hand: 48 layers × 8 heads × 128 × 2 × 2 B = 192 KiB of cache per token, so that 0.67 GiB
# hold 3,670 tokens; 0.03 × 31.4 GiB more hold 8,800.
NEARLY_FULL = {"model": "Qwen/Qwen2.5-14B-Instruct", "accelerator": "nvidia-rtx-5090"}


@pytest.mark.parametrize(
    ("tokens", "length", "share"),
    [
        (2500, (3072, "length_from_mean"), (0.92, "default_share_with_display")),
        (3500, (3504, "length_without_room"), (0.92, "default_share_with_display")),
        (5000, (6144, "length_from_mean"), (0.95, "share_raised_to_fit")),
        (8000, (8000, "length_without_room"), (0.95, "share_raised_to_fit")),
    ],
)
def test_settings_give_way_step_by_step_where_memory_is_short(
    tokens: int, length: tuple[int, str], share: tuple[float, str]
) -> None:
    workload = {"input_tokens": tokens - 200, "output_tokens": 200, "concurrency": 1}
    found = answered(workload=workload, settings="derive", **NEARLY_FULL)
    settings = by_name(found["settings"], "name")
    assert found["verdict"] == "fits"
    for name, expected in (("max_model_len", length), ("gpu_memory_utilization", share)):
        assert (settings[name]["value"], settings[name]["reason"]["code"]) == expected


def test_share_that_is_raised_says_what_it_leaves() -> None:
    workload = {"input_tokens": 4800, "output_tokens": 200, "concurrency": 1}
    found = answered(workload=workload, settings="derive", **NEARLY_FULL)
    reason = by_name(found["settings"], "name")["gpu_memory_utilization"]["reason"]
    total = found["memory"]["per_accelerator"]["total_gib"]
    assert reason["values"]["reserve_gib"] == pytest.approx(0.05 * total, abs=0.001)


def test_settings_stay_as_derived_where_nothing_helps() -> None:
    workload = {"input_tokens": 11_000, "output_tokens": 200, "concurrency": 1}
    found = answered(workload=workload, settings="derive", **NEARLY_FULL)
    settings = by_name(found["settings"], "name")
    assert found["verdict"] == "does_not_fit"
    # By hand: 11,200 × 1.2 = 13,440, up to 13,568
    assert settings["max_model_len"]["value"] == 13_568


def test_slots_are_no_more_than_the_cache_holds() -> None:
    workload = {"input_tokens": 2000, "output_tokens": 900, "concurrency": 16}
    found = answered(model=LLAMA2, workload=workload, settings="derive")
    slots = by_name(found["settings"], "name")["max_num_seqs"]
    # By hand: 2 × 32 layers × 4,096 × 2 B = 0.5 MiB per token, 2,450 tokens at the mean
    per_request_gib = 2450 * 524_288 / 2**30
    assert slots["reason"]["code"] == "slots_limited_by_cache"
    assert slots["value"] == found["speed"]["running"]
    assert [item["code"] for item in found["reasons"]] == ["kv_limits_concurrency"]
    assert slots["value"] * per_request_gib <= found["memory"]["per_accelerator"]["kv_cache_gib"]


def test_slots_keep_the_time_per_token_within_its_target() -> None:
    workload = {"input_tokens": 2000, "output_tokens": 300, "concurrency": 64}
    free = answered(workload=workload, settings="derive")
    bound = answered(workload=workload, settings="derive", targets={"tpot_ms": 40})
    assert free["speed"]["tpot_ms"] > 40 >= bound["speed"]["tpot_ms"]
    slots = by_name(bound["settings"], "name")["max_num_seqs"]
    assert slots["reason"]["code"] == "slots_limited_by_tpot"
    assert slots["reason"]["values"]["concurrency"] == 64
    assert [(item["code"], item["fix"]) for item in bound["reasons"]] == [("target_limits_concurrency", None)]
    more = answered(
        workload=workload,
        settings={"max_model_len": 2816, "max_num_seqs": slots["value"] + 6},
    )
    assert more["speed"]["tpot_ms"] > 40


def test_speed_per_user_bounds_the_slots_as_the_time_per_token_does() -> None:
    workload = {"input_tokens": 2000, "output_tokens": 300, "concurrency": 64}
    by_time = settings_of(workload=workload, targets={"tpot_ms": 40})
    by_speed = settings_of(workload=workload, targets={"output_tokens_per_s_per_user": 25})
    assert by_time["max_num_seqs"] == by_speed["max_num_seqs"]


def test_target_of_a_p99_leaves_settings_alone() -> None:
    workload = {"input_tokens": 2000, "output_tokens": 300, "concurrency": 8}
    found = settings_of(workload=workload, targets={"tpot_ms": {"p99": 1}})
    assert found["max_num_seqs"] == (8, "one_slot_per_user")


@pytest.mark.parametrize(("limit", "chunk"), [(80, 512), (140, 1024)])
def test_chunk_is_lowered_where_a_pass_with_it_delays_a_token_beyond_the_target(
    limit: float, chunk: int
) -> None:
    workload = {"input_tokens": 400, "output_tokens": 400, "concurrency": 8}
    found = answered(workload=workload, settings="derive", targets={"tpot_ms": limit})
    setting = by_name(found["settings"], "name")["max_num_batched_tokens"]
    values = setting["reason"]["values"]
    # By hand: 2 × 7.6 billion × 2,048 tokens at 165 TFLOP/s take 190 ms at the very best
    assert values["default_ms"] > 190
    assert (setting["value"], setting["reason"]["code"]) == (chunk, "chunk_lowered_for_tpot")
    assert values["default"] == 2048
    assert values["pass_ms"] <= limit < values["default_ms"]
    assert found["speed"]["tpot_ms"] <= limit


def test_chunk_stays_where_no_chunk_is_short_enough() -> None:
    workload = {"input_tokens": 400, "output_tokens": 400, "concurrency": 8}
    assert settings_of(workload=workload, targets={"tpot_ms": 60})["max_num_batched_tokens"] == (
        2048,
        "default_of_version",
    )


def test_chunk_stays_where_prompts_are_worked_on_whole() -> None:
    workload = {"input_tokens": 400, "output_tokens": 400, "concurrency": 8}
    found = settings_of(
        workload=workload, targets={"tpot_ms": 140}, engine={"name": "vllm", "version": "0.5.5"}
    )
    assert found["max_num_batched_tokens"][1] == "default_of_version"


def test_slots_that_reserve_whole_contexts_are_as_many_as_fit() -> None:
    workload = {"input_tokens": 30_000, "output_tokens": 1000, "concurrency": 16}
    found = answered(weights="gguf-q8_0", engine={"name": "llama.cpp"}, workload=workload, settings="derive")
    slots = by_name(found["settings"], "name")["max_num_seqs"]
    assert (found["verdict"], slots["reason"]["code"]) == ("fits", "slots_limited_by_memory")
    # By hand: 32,768 tokens × 56 KiB = 1.75 GiB for each slot
    free = 23.55 - found["memory"]["per_accelerator"]["weights_gib"]
    assert slots["value"] * 1.75 <= free < 16 * 1.75


def test_settings_as_asked_and_defaults_are_told_apart() -> None:
    found = by_name(
        answered(settings={"max_model_len": 4096, "block_size": 32, "gpu_memory_utilization": 0.8})[
            "settings"
        ],
        "name",
    )
    assert {name: item["reason"]["code"] for name, item in found.items()} == {
        "max_model_len": "asked_for",
        "max_num_seqs": "default_of_version",
        "max_num_batched_tokens": "default_of_version",
        "block_size": "asked_for",
        "gpu_memory_utilization": "asked_for",
        "kv_cache_dtype": "cache_as_model",
        "enforce_eager": "default_of_version",
    }
    # Defaults of vLLM 0.33 on a card below 70 GiB, from its sources
    assert (found["max_num_seqs"]["value"], found["max_num_batched_tokens"]["value"]) == (256, 2048)


def test_short_cache_names_the_dtype_that_would_hold_more() -> None:
    found = answered(model=LLAMA2, workload={**CHAT, "concurrency": 64}, settings={"max_num_seqs": 64})
    reason = by_name(found["settings"], "name")["kv_cache_dtype"]["reason"]
    assert (reason["code"], reason["values"]["dtype"]) == ("narrower_cache_would_hold", "fp8")
    # 8 bits hold twice as many tokens as 16 in the same bytes
    assert reason["values"]["tokens"] == pytest.approx(2 * found["memory"]["kv_cache_tokens"], rel=0.01)
