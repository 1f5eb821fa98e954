"""Both sides of each choice: said where it applies, with figures that an estimate of the other side gives."""

from typing import Any

import pytest

from tests.planner.core.estimating import CHAT, answered, by_name

LARGE = {
    "model": "meta-llama/Llama-3.1-70B-Instruct",
    "weights": "fp8",
    "accelerator": "nvidia-h100-sxm5-80gb",
}


def advice(**request: Any) -> dict[str, dict[str, Any]]:
    return by_name(answered(**request)["advice"])


@pytest.mark.parametrize(
    ("request_", "code", "severity"),
    [
        ({}, "wide_weights", "info"),
        ({"weights": "fp8"}, "eight_bit_float_weights", "info"),
        ({"weights": "int8-w8a8"}, "eight_bit_weights", "info"),
        ({"weights": "awq-int4"}, "four_bit_weights_small_model", "warning"),
        ({"model": "Qwen/Qwen2.5-32B-Instruct", "weights": "awq-int4"}, "four_bit_weights", "info"),
    ],
)
def test_weights_have_advice_by_width_and_size(request_: dict[str, Any], code: str, severity: str) -> None:
    found = advice(**request_)
    assert found[code]["severity"] == severity
    assert found[code]["source"] == "https://arxiv.org/abs/2411.02355"


def test_wide_weights_say_what_narrow_ones_would_do() -> None:
    values = advice()["wide_weights"]["values"]
    narrow, wide = answered(weights="int4-g128"), answered()
    assert values["narrow_gib"] == narrow["memory"]["per_accelerator"]["weights_gib"]
    gain = narrow["speed"]["output_tokens_per_s"] / wide["speed"]["output_tokens_per_s"] - 1
    assert values["percent"] == pytest.approx(100 * gain, abs=0.01)


def test_format_that_nobody_published_is_work() -> None:
    large = {"model": "deepseek-ai/DeepSeek-V3", "accelerator": "nvidia-h200-sxm5-141gb", "count": 8}
    group = {"parallelism": {"tensor": 8}}
    assert advice(**large, **group, weights="int4-g128")["format_not_published"]["severity"] == "warning"
    assert "format_not_published" not in advice(**large, **group)
    # Qwen publishes it, and engines make FP8 out of 16 bits while they load
    assert "format_not_published" not in advice(model="Qwen/Qwen2.5-7B-Instruct", weights="awq-int4")
    assert "format_not_published" not in advice(model="Qwen/Qwen2.5-1.5B", weights="fp8")


def test_layer_groups_say_what_stays_wide() -> None:
    values = advice(weights="awq-int4")["layer_groups_wide_ends"]["values"]
    # By hand: 152,064 × 3,584 × 2 B for each of embedding and head; three matrices of 3,584 × 18,944 in each of 28
    # layers, of 6,525,288,448 weights in all layers
    assert values["wide_gib"] == pytest.approx(2 * 152_064 * 3584 * 2 / 2**30, rel=1e-3)
    assert values["middle_percent"] == pytest.approx(100 * 3 * 3584 * 18_944 * 28 / 6.5253e9, rel=1e-3)


def test_layer_groups_of_wide_weights_are_not_mentioned() -> None:
    assert not {"layer_groups_wide_ends", "layer_groups_mixed"} & set(advice())


def test_which_format_first_is_what_adds_more_tokens() -> None:
    # 7B in 16 bits on 24 GB: weights are most of it. 70B in FP8 on four cards: the cache is.
    assert "weights_first" in advice()
    assert "cache_first" in advice(**LARGE, parallelism={"tensor": 4})


def test_quantized_cache_has_advice_on_scales_and_long_contexts() -> None:
    found = advice(kv_cache_dtype="fp8")
    assert "cache_scales" in found
    assert "cache_long_context" not in found
    long = {
        "input_tokens": {"p50": 8000, "p90": 20_000, "p99": 40_000},
        "output_tokens": 200,
        "concurrency": 1,
    }
    settings = {"max_model_len": 65_536}
    model = "meta-llama/Llama-3.1-8B-Instruct"
    found = advice(
        model=model, kv_cache_dtype="fp8", workload=long, settings=settings, accelerator="nvidia-l40s"
    )
    assert found["cache_long_context"]["values"]["tokens"] == 40_200
    assert found["cache_long_context"]["severity"] == "warning"


@pytest.mark.parametrize(("users", "code"), [(16, "less_throughput"), (400, "more_of_both")])
def test_group_of_a_model_that_fits_one_card_is_held_against_replicas(users: int, code: str) -> None:
    # Few requests: every replica reads all weights for half of them. Many: a group waits for its link.
    request = {
        "workload": {"input_tokens": 256, "output_tokens": 256, "concurrency": users},
        "settings": {"max_model_len": 4096, "max_num_seqs": 256},
        "interconnect": "pcie3-x16",
    }
    values = advice(**request, parallelism={"tensor": 2})[f"replicas_have_{code}"]["values"]
    replicas = answered(**request, parallelism={"data": 2})["speed"]
    assert values["other_tokens_per_s"] == pytest.approx(replicas["output_tokens_per_s"], rel=1e-4)
    assert values["other_tpot_ms"] == pytest.approx(replicas["tpot_ms"], rel=1e-4)


def test_group_that_one_card_cannot_replace_is_not_held_against_replicas() -> None:
    found = advice(**LARGE | {"weights": "bf16"}, parallelism={"tensor": 4})
    assert not any(code.startswith("replicas") for code in found)


def test_fast_link_is_held_against_pcie() -> None:
    values = advice(**LARGE, parallelism={"tensor": 4})["fast_link_gain"]["values"]
    slow = answered(**LARGE, parallelism={"tensor": 4}, interconnect="pcie5-x16")["speed"]
    assert (values["link"], values["other"]) == ("nvlink", "pcie5-x16")
    assert values["other_tpot_ms"] == pytest.approx(slow["tpot_ms"], rel=1e-4)


def test_bridge_of_two_cards_does_not_pay_in_a_group_of_four() -> None:
    # NVLink of the RTX 3090 joins pairs: a group of four talks over PCIe whatever is bridged
    found = advice(
        model="meta-llama/Llama-3.3-70B-Instruct",
        weights="awq-int4",
        accelerator="nvidia-rtx-3090",
        count=4,
        parallelism={"tensor": 4},
    )
    assert "larger_share" in found
    assert "fast_link_gain" not in found


def test_more_than_four_cards_are_held_against_half() -> None:
    values = advice(**LARGE, parallelism={"tensor": 8})["wide_group"]["values"]
    assert (values["tensor"], values["half"]) == (8, 4)
    assert "wide_group" not in advice(**LARGE, parallelism={"tensor": 4})


def test_one_card_has_no_advice_on_spreading() -> None:
    found = set(advice())
    assert not [
        code for code in found if code.startswith(("replicas", "pipeline", "fast_link", "wide_group"))
    ]


def test_batching_is_held_against_one_after_another() -> None:
    values = advice()["batching_gain"]["values"]
    alone = answered(workload={**CHAT, "concurrency": 1})["speed"]
    together = answered()["speed"]
    assert values["ratio"] == pytest.approx(
        together["output_tokens_per_s"] / alone["output_tokens_per_s"], rel=1e-3
    )
    assert values["alone_tpot_ms"] == pytest.approx(alone["tpot_ms"], rel=1e-4)
    assert "batching_gain" not in advice(workload={**CHAT, "concurrency": 1})


def test_larger_share_says_what_it_holds_and_leaves() -> None:
    values = advice()["larger_share"]["values"]
    # By hand: 0.03 of 23.55 GiB over 57,344 B per token; 5 percent stay
    assert values["tokens"] == pytest.approx(0.03 * 23.5496 * 2**30 / 57_344, rel=1e-3)
    assert values["other_reserve_gib"] == pytest.approx(0.05 * 23.5496, abs=0.001)
    high = advice(settings={"max_model_len": 4096, "gpu_memory_utilization": 0.95})
    assert high["smaller_share"]["values"]["other"] == 0.9


def test_block_size_has_advice_where_it_was_asked_for() -> None:
    values = advice(settings={"max_model_len": 4096, "block_size": 64})["block_size_trade"]["values"]
    # By hand: half of 64 tokens of a mean request of 1,024 + 128
    assert values["percent"] == pytest.approx(100 * 32 / 1152, abs=0.01)
    assert "block_size_trade" not in advice()


def test_format_that_a_model_was_made_in_has_nothing_to_lose_against() -> None:
    found = set(advice(model="openai/gpt-oss-20b"))
    assert not {"four_bit_weights", "four_bit_weights_small_model", "wide_weights"} & found


def test_boards_and_laptops_are_no_cards_to_double_or_compare() -> None:
    request = {"accelerator": "apple-m2-ultra", "engine": {"name": "llama.cpp"}, "weights": "gguf-q4_k_m"}
    found = answered(**request)
    codes = {item["code"] for item in found["advice"]}
    assert not {"no_error_correction", "engines_not_ranked", "narrow_cache_gain"} & codes
    assert by_name(found["rules_of_thumb"])["tensor_doubles_speed"]["verdict"] == "not_applicable"


def test_error_correction_follows_the_card() -> None:
    assert "no_error_correction" in advice()
    assert "error_correction_can_be_off" in advice(accelerator="nvidia-rtx-6000-ada")
    found = set(advice(accelerator="nvidia-h100-sxm5-80gb"))
    assert not {"no_error_correction", "error_correction_can_be_off"} & found


def test_longer_chunk_is_offered_where_nobody_waits() -> None:
    many = {"input_tokens": 4000, "output_tokens": 100, "concurrency": 128}
    request = {"accelerator": "nvidia-h100-sxm5-80gb", "workload": many}
    settings = {"max_model_len": 8192, "max_num_seqs": 128, "max_num_batched_tokens": 512}
    values = advice(**request, settings=settings)["offline_chunk"]["values"]
    longer = answered(**request, settings={**settings, "max_num_batched_tokens": 16_384})["speed"]
    now = answered(**request, settings=settings)["speed"]
    gain = longer["output_tokens_per_s"] / now["output_tokens_per_s"] - 1
    assert values["percent"] == pytest.approx(100 * gain, abs=0.01)
    assert "offline_chunk" not in advice(**request, settings=settings, targets={"tpot_ms": 500})


def test_longest_requests_that_are_refused_are_named() -> None:
    workload = {**CHAT, "input_tokens": {"p50": 800, "p90": 1500, "p99": 6000}}
    values = advice(workload=workload)["longest_above_max_model_len"]["values"]
    assert values == {"tokens": 6256, "max_model_len": 4096}


def test_every_trade_has_a_source() -> None:
    for request in ({}, {"kv_cache_dtype": "fp8"}, LARGE | {"parallelism": {"tensor": 8}}):
        trades = [item for item in answered(**request)["advice"] if item["code"] in TRADE_CODES]
        assert trades
        assert all(item["source"].startswith("https://") for item in trades)


TRADE_CODES = {
    "wide_weights",
    "eight_bit_float_weights",
    "weights_first",
    "cache_first",
    "cache_scales",
    "layer_groups_wide_ends",
    "batching_gain",
    "larger_share",
    "no_error_correction",
    "engines_not_ranked",
    "fast_link_gain",
    "wide_group",
}
