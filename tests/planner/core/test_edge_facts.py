"""Small machines against what was measured on them in public: nobody fitted the model on these."""

from typing import Any

import pytest

from planner.catalog import load_shipped
from planner.core.estimate import estimate
from planner.core.parse import parse_request
from planner.core.request import EstimateRequest

CATALOG = load_shipped()


def decode(accelerator: str, model: str, weights: str, **more: Any) -> tuple[float, float, float]:
    """Tokens/s of one stream with a short context: low, middle and high."""
    asked = {
        "model": {"id": model},
        "weights": weights,
        "accelerator": accelerator,
        "engine": {"name": "llama.cpp"},
        "settings": {"max_model_len": 1024, "max_num_seqs": 1},
        "workload": {"input_tokens": 128, "output_tokens": 128, "concurrency": 1},
    }
    request = parse_request({**asked, **more}, CATALOG)
    assert isinstance(request, EstimateRequest), request
    speed = estimate([request], CATALOG)[0]["speed"]
    low, high = speed["interval"]["tpot_ms"]
    return 1e3 / high, 1e3 / speed["tpot_ms"], 1e3 / low


@pytest.mark.parametrize(
    ("accelerator", "model", "weights", "measured"),
    [
        # arXiv 2603.23640, iPhone 16 Pro with MLX, the first requests
        ("apple-a18-pro", "Qwen/Qwen2.5-1.5B-Instruct", "gguf-q4_0", 40.0),
        # NVIDIA's own figures of Jetson Orin Nano Super with MLC, INT4
        ("nvidia-jetson-orin-nano-8gb-super", "Qwen/Qwen2.5-7B-Instruct", "gguf-q4_0", 21.75),
        ("nvidia-jetson-orin-nano-8gb-super", "meta-llama/Llama-3.2-3B-Instruct", "gguf-q4_0", 43.07),
        ("nvidia-jetson-orin-nano-8gb-super", "meta-llama/Llama-3.1-8B-Instruct", "gguf-q4_0", 19.14),
        # github.com/deseven/strixhalo-homelab issue 11, Vulkan, the same memory as the 395
        ("amd-ryzen-ai-max-395", "meta-llama/Llama-3.1-8B-Instruct", "gguf-q4_k_m", 41.6),
        # turingpi.com, RK3588 on its cores for 30 minutes: 5-8 tokens/s with 4B and 3-7 with 7B models
        ("rockchip-rk3588", "Qwen/Qwen3-4B", "gguf-q4_k_m", 6.5),
        ("rockchip-rk3588", "Qwen/Qwen2.5-7B-Instruct", "gguf-q4_k_m", 5.0),
    ],
)
def test_measured_speed_lies_in_the_interval(
    accelerator: str, model: str, weights: str, measured: float
) -> None:
    low, _middle, high = decode(accelerator, model, weights)
    assert low <= measured <= high


def test_slower_mode_of_a_board_costs_what_it_costs_on_the_board() -> None:
    # smolhub.com, Orin Nano Super, eight small models with llama.cpp: 25 W gives 36-47 % more than 15 W.
    board = ("nvidia-jetson-orin-nano-8gb-super", "meta-llama/Llama-3.2-1B-Instruct", "gguf-q4_k_m")
    fast, slow = (decode(*board, power_mode=mode)[1] for mode in ("25W", "15W"))
    assert 1.30 < fast / slow < 1.50


def test_machine_on_its_cores_streams_what_was_measured() -> None:
    # hellomatik.com, Raspberry Pi 5: 11.4 of 17 GB/s in decode; 7.6 billion weights in Q4_K_M are 4.4 GB read a token.
    middle = decode("raspberry-pi-5", "Qwen/Qwen2.5-7B-Instruct", "gguf-q4_k_m")[1]
    assert middle * 4.4 == pytest.approx(11.4, rel=0.1)
