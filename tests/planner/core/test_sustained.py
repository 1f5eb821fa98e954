"""Speed for hours: which machines lose how much, and that a capped line is the estimate of that cap."""

from typing import Any

import pytest

from planner.catalog import load_shipped
from planner.core.estimate import estimate
from planner.core.parse import parse_request
from planner.core.request import EstimateRequest
from planner.core.sustained import long_run

CATALOG = load_shipped()
SMALL: dict[str, Any] = {
    "model": {"id": "Qwen/Qwen2.5-1.5B-Instruct"},
    "weights": "gguf-q4_k_m",
    "engine": {"name": "llama.cpp"},
    "settings": {"max_model_len": 1024, "max_num_seqs": 1},
    "workload": {"input_tokens": 512, "output_tokens": 256, "concurrency": 1},
}
PACKED: dict[str, Any] = {
    "model": {"id": "Qwen/Qwen2.5-7B-Instruct"},
    "accelerator": "nvidia-rtx-3090",
    "parallelism": {"data": 4},
    "settings": {"max_model_len": 4096, "max_num_seqs": 8},
    "workload": {"input_tokens": 1024, "output_tokens": 256, "concurrency": 16},
}


def answer(asked: dict[str, Any], **more: Any) -> dict[str, Any]:
    request = parse_request({**asked, **more}, CATALOG)
    assert isinstance(request, EstimateRequest), request
    return estimate([request], CATALOG)[0]


@pytest.mark.parametrize(
    ("accelerator", "count", "rule"),
    [
        ("apple-a18-pro", 1, "apple-a18-pro"),
        ("qualcomm-sd-8-gen-3", 1, "phone"),
        ("nvidia-jetson-agx-orin-64gb", 1, "agx-orin"),
        ("nvidia-jetson-orin-nx-16gb", 1, "board"),
        ("nvidia-gb10-dgx-spark", 1, "box"),
        ("apple-m4", 1, "mac"),
        ("apple-m4-pro", 1, "mac-with-fan"),
        ("qualcomm-x-elite", 1, "laptop"),
        ("nvidia-rtx-4090", 1, None),
        ("nvidia-rtx-4090", 2, "packed"),
        ("nvidia-h100-sxm5-80gb", 8, None),
        ("cpu-epyc-9005-12ch-ddr5-6000", 1, None),
    ],
)
def test_rule_of_a_machine(accelerator: str, count: int, rule: str | None) -> None:
    found = long_run(CATALOG.power, CATALOG.accelerators[accelerator], count)
    assert (found["id"] if found else None) == rule


@pytest.mark.parametrize(
    ("accelerator", "parallelism"),
    [("nvidia-h100-sxm5-80gb", 8), ("nvidia-rtx-3090", 1), ("cpu-epyc-9005-12ch-ddr5-6000", 1)],
)
def test_machine_that_keeps_its_speed_has_no_section(accelerator: str, parallelism: int) -> None:
    asked = {**PACKED, "accelerator": accelerator, "parallelism": {"data": parallelism}}
    assert answer(asked)["sustained"] is None


def test_phone_falls_to_the_measured_share_of_its_first_speed() -> None:
    # Measured on an iPhone 16 Pro: 40 tokens/s at first, 22.6 once warm. The time per layer does not fall with the
    # clock of the memory here, so that the share of a whole token is a little above 0.56.
    found = answer(SMALL, accelerator="apple-a18-pro")["sustained"]
    burst, settled = found["burst"], found["sustained"]
    assert burst["tpot_ms"] / settled["tpot_ms"] == pytest.approx(22.6 / 40, abs=0.06)
    assert (settled["share"], settled["after_s"], settled["kind"]) == (0.56, 60, "computed")
    low, high = settled["interval"]["tpot_ms"]
    assert low < settled["tpot_ms"] < high
    assert found["capped"][0]["frequency_share"] == 0.56


def test_phone_nobody_measured_is_a_rule_with_little_confidence() -> None:
    settled = answer(SMALL, accelerator="mediatek-dimensity-9400")["sustained"]["sustained"]
    low, high = settled["interval"]["output_tokens_per_s"]
    assert (settled["kind"], settled["confidence"]) == ("rule_of_thumb", "low")
    assert high / low > 3


def test_board_with_a_fan_keeps_its_speed() -> None:
    found = answer(SMALL, accelerator="nvidia-jetson-agx-orin-64gb")["sustained"]
    assert found["sustained"]["tpot_ms"] == found["burst"]["tpot_ms"]
    assert [cap["mode"] for cap in found["capped"]] == ["50W", "30W", "15W"]


def test_capped_line_is_the_estimate_of_that_cap() -> None:
    line = answer(PACKED)["sustained"]["capped"][1]
    asked = answer(PACKED, power_limit_w=line["power_w"])
    assert line["power_w"] == 245.0  # 0.7 x 350 W
    assert asked["speed"]["tpot_ms"] == line["tpot_ms"]
    assert asked["speed"]["output_tokens_per_s"] == line["output_tokens_per_s"]


def test_mode_line_is_the_estimate_of_that_mode() -> None:
    line = answer(SMALL, accelerator="nvidia-jetson-agx-orin-64gb")["sustained"]["capped"][1]
    asked = answer(SMALL, accelerator="nvidia-jetson-agx-orin-64gb", power_mode="30W")
    assert asked["speed"]["tpot_ms"] == line["tpot_ms"]
    # Both know the share of a slow clock within the same bounds.
    assert asked["speed"]["interval"]["tpot_ms"] == line["interval"]["tpot_ms"]
    assert asked["sustained"]["burst"]["tpot_ms"] == line["tpot_ms"]


def test_energy_is_the_power_of_all_cards_over_their_tokens() -> None:
    line = answer(PACKED)["sustained"]["capped"][0]
    assert line["energy_per_token_j"] == pytest.approx(297.5 * 4 / line["output_tokens_per_s"], rel=1e-4)


def test_cap_costs_decode_little_and_prompts_more() -> None:
    # At 60 % of the power: decode 0.947 and prefill 0.653 of full speed on the measured curve, by interpolation.
    found = answer(PACKED)["sustained"]
    line = found["capped"][2]
    assert found["burst"]["tpot_ms"] < line["tpot_ms"] < found["burst"]["tpot_ms"] / 0.653
    assert line["ttft_ms"] / found["burst"]["ttft_ms"] > line["tpot_ms"] / found["burst"]["tpot_ms"]


def test_slower_states_never_are_faster() -> None:
    for accelerator in (
        "apple-a19-pro",
        "raspberry-pi-5",
        "nvidia-gb10-dgx-spark",
        "apple-m2",
        "qualcomm-x-elite",
    ):
        found = answer(SMALL, accelerator=accelerator)["sustained"]
        first = found["burst"]["tpot_ms"]
        assert found["sustained"]["tpot_ms"] >= first
        assert all(cap["tpot_ms"] >= first for cap in found["capped"])


def test_request_that_is_refused_has_no_long_run() -> None:
    found = answer({**SMALL, "settings": {"max_model_len": 256}}, accelerator="apple-a18-pro")
    assert found["speed"] is None
    assert found["sustained"] is None


def test_no_bandwidth_no_long_run() -> None:
    assert answer(SMALL, accelerator="apple-m5-ultra")["sustained"] is None


def test_rate_that_rounds_to_nothing_is_answered() -> None:
    endless = {"input_tokens": 100_000_000, "output_tokens": 1, "concurrency": 64}
    found = answer(
        {"model": {"id": "ibm-granite/granite-3.3-2b-instruct"}, "engine": {"name": "sglang"}},
        accelerator="nvidia-rtx-5070-ti",
        parallelism={"tensor": 2},
        settings={"max_model_len": 1, "max_num_batched_tokens": 1, "gpu_memory_utilization": 1.0},
        workload=endless,
    )
    assert found["sustained"] is None  # no request of that length is taken at all
