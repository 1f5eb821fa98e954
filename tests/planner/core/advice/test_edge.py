"""Remarks on small machines and CPU machines: when they come, and the figures in them by hand."""

from typing import Any

import pytest

from planner.catalog import load_shipped
from planner.core.estimate import estimate
from planner.core.parse import parse_request
from planner.core.request import EstimateRequest

CATALOG = load_shipped()
ALL = {
    "memory_shared_with_system",
    "phone_app_memory_limit",
    "first_speed_does_not_last",
    "bandwidth_sets_the_pace",
    "context_is_cheap_when_short",
    "load_time",
    "four_bit_halves_eight",
    "two_sockets_need_numa",
    "prompts_are_slow_on_cores",
    "threads_are_physical_cores",
    "sparse_models_suit_cores",
    "dense_on_cores",
    "memory_of_machine_assumed",
    "vllm_on_mac_needs_plugin",
}


def advice(accelerator: str, **more: Any) -> dict[str, dict[str, Any]]:
    """Values by code, of this module's remarks alone."""
    asked = {
        "model": {"id": "Qwen/Qwen2.5-7B-Instruct"},
        "weights": "gguf-q4_k_m",
        "accelerator": accelerator,
        "engine": {"name": "llama.cpp"},
        "settings": {"max_model_len": 1024, "max_num_seqs": 1},
        "workload": {"input_tokens": 512, "output_tokens": 256, "concurrency": 1},
    }
    request = parse_request({**asked, **more}, CATALOG)
    assert isinstance(request, EstimateRequest), request
    found = estimate([request], CATALOG)[0]["advice"]
    return {item["code"]: item["values"] for item in found if item["code"] in ALL}


def test_phone_is_told_everything() -> None:
    found = advice("qualcomm-sd-8-elite")
    assert set(found) == {
        "memory_shared_with_system",
        "phone_app_memory_limit",
        "first_speed_does_not_last",
        "bandwidth_sets_the_pace",
        "context_is_cheap_when_short",
        "load_time",
        "four_bit_halves_eight",
    }
    assert found["memory_shared_with_system"] == {"usable_gib": 18.0, "installed_gib": 24.0, "percent": 75}


def test_pace_is_bandwidth_times_efficiency_over_bytes() -> None:
    pace = advice("nvidia-jetson-agx-orin-64gb")["bandwidth_sets_the_pace"]
    by_hand = pace["bandwidth_gb_s"] * pace["efficiency"] / pace["gb_per_token"]
    assert pace["tokens_per_s"] == pytest.approx(by_hand, rel=0.02)


def test_cache_of_a_short_context_is_counted_in_full() -> None:
    # Qwen2.5-7B: 28 layers x 4 KV heads x 128 x 2 x 2 bytes = 57,344 bytes a token, 56 MiB for 1,024.
    assert advice("raspberry-pi-5")["context_is_cheap_when_short"]["mib"] == 56


def test_load_time_is_size_over_the_rate_of_the_drive() -> None:
    found = advice("raspberry-pi-5")["load_time"]
    assert found["ssd_s"] == pytest.approx(found["gib"] * 1.073741824 / 3)
    assert found["card_s"] == pytest.approx(found["gib"] * 1.073741824 / 0.08)


def test_board_that_keeps_its_speed_is_not_warned_of() -> None:
    assert "first_speed_does_not_last" not in advice("nvidia-jetson-agx-orin-64gb")


@pytest.mark.parametrize("accelerator", ["nvidia-rtx-4090", "nvidia-h100-sxm5-80gb", "amd-mi300x"])
def test_graphics_cards_hear_none_of_it(accelerator: str) -> None:
    assert advice(accelerator) == {}


def test_mac_hears_of_its_shared_memory_alone() -> None:
    # 32 GiB x 0.667, the working set that Metal recommends up to 36 GB.
    found = advice("apple-m4")
    assert set(found) == {"memory_shared_with_system"}
    assert found["memory_shared_with_system"]["percent"] == 67


def test_vllm_on_a_mac_is_told_of_its_plugin() -> None:
    found = advice("apple-m4-max", engine={"name": "vllm"}, weights=None)
    assert "vllm_on_mac_needs_plugin" in found
    assert "vllm_on_mac_needs_plugin" not in advice("apple-m4-max")


@pytest.mark.parametrize(
    "accelerator", ["apple-a18-pro", "qualcomm-sd-8-elite", "rockchip-rk3588", "raspberry-pi-5", "apple-m4"]
)
@pytest.mark.parametrize("engine", ["vllm", "sglang", "tensorrt-llm"])
def test_server_engines_do_not_run_on_phones_small_boards_and_macs(accelerator: str, engine: str) -> None:
    asked = {
        "model": {"id": "Qwen/Qwen2.5-1.5B-Instruct"},
        "accelerator": accelerator,
        "engine": {"name": engine},
        "settings": {"max_model_len": 1024},
    }
    request = parse_request(asked, CATALOG)
    assert isinstance(request, EstimateRequest)
    found = estimate([request], CATALOG)[0]
    assert found["verdict"] == "unsupported"
    assert "engine_not_for_vendor" in [reason["code"] for reason in found["reasons"]]


def test_two_sockets_hear_of_numa_and_one_does_not() -> None:
    assert "two_sockets_need_numa" in advice("cpu-epyc-9005-12ch-ddr5-6000-2s")
    assert "two_sockets_need_numa" not in advice("cpu-epyc-9005-12ch-ddr5-6000")


def test_mixture_of_experts_on_cores_reads_a_part_of_its_weights() -> None:
    # Qwen3-30B-A3B: 8 of 128 experts a token, 3.3 of 30.5 billion parameters by its publisher: 11 %.
    found = advice("cpu-desktop-2ch-ddr5-5600", model={"id": "Qwen/Qwen3-30B-A3B"})
    assert found["sparse_models_suit_cores"]["active_percent"] == pytest.approx(11, abs=2)
    assert "dense_on_cores" not in found


def test_memory_of_a_cpu_machine_is_asked_for_until_it_is_given() -> None:
    assert advice("cpu-desktop-2ch-ddr5-5600")["memory_of_machine_assumed"] == {"memory_gib": 64.0}
    assert "memory_of_machine_assumed" not in advice("cpu-desktop-2ch-ddr5-5600", host_memory_gib=64)


def test_model_that_does_not_fit_is_told_of_memory_only() -> None:
    found = advice("raspberry-pi-5", model={"id": "Qwen/Qwen2.5-72B-Instruct"})
    assert set(found) == {"memory_shared_with_system"}
