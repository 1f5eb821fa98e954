"""Speed beside measurements that no coefficient was fitted on: ratios and growth, each with its source.

A tolerance is what two honest measurements of the same thing differ by, or the range that the source gives.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from planner.core import speed
from planner.core.batch import SpeedBatch
from planner.core.coefficients import FITTED
from planner.core.memory import evaluate as evaluate_memory
from planner.core.request import EstimateRequest
from tests.planner.core.asking import CATALOG
from tests.planner.core.test_speed import LLAMA_8B, LLAMA_70B, loaded

H100, H200, B200 = "nvidia-h100-sxm5-80gb", "nvidia-h200-sxm5-141gb", "nvidia-b200-sxm"
A100_SXM, A100_PCIE, L40S = "nvidia-a100-sxm4-80gb", "nvidia-a100-pcie-80gb", "nvidia-l40s"
PRO_6000, GB10 = "nvidia-rtx-pro-6000-blackwell-server", "nvidia-gb10-dgx-spark"
GPT_OSS, QWEN_30B, QWEN_235B = "openai/gpt-oss-120b", "Qwen/Qwen3-30B-A3B", "Qwen/Qwen3-235B-A22B"


def run(requests: list[EstimateRequest]) -> SpeedBatch:
    memory = evaluate_memory(requests)
    assert set(memory.verdicts) == {"fits"}
    return speed.evaluate(requests, memory, CATALOG)


def serving(model: str, card: str, load: tuple[int, int, int], **more: Any) -> EstimateRequest:
    return loaded(
        model, card, load, **{"max_model_len": load[0] + load[1] + 64, "max_num_seqs": 2048, **more}
    )


def growth(model: str, card: str, prompt: int, counts: tuple[int, ...], **more: Any) -> NDArray[np.float64]:
    """TPOT at each of `counts` streams over TPOT at four."""
    tpot = run([serving(model, card, (prompt, 1024, n), **more) for n in (4, *counts)]).tpot_ms
    return tpot[1:] / tpot[0]


# Medians over 687 public sweeps of served models, relative to four streams
@pytest.mark.parametrize(
    ("kind", "prompt", "measured"),
    [
        ("dense", 1024, [1.03, 1.12, 1.33, 1.63]),
        ("dense", 8192, [1.15, 1.51, 2.13, 3.35]),
        ("moe", 1024, [1.19, 1.48, 1.90, 2.48]),
        ("moe", 8192, [1.23, 1.66, 2.32, 3.28]),
    ],
)
def test_growth_with_concurrency(kind: str, prompt: int, measured: list[float]):
    dense = [(LLAMA_70B, H200, 2), (LLAMA_70B, H200, 4), (LLAMA_70B, H100, 4), (LLAMA_70B, B200, 1)]
    moe = [(GPT_OSS, H200, 2), (GPT_OSS, B200, 1), (QWEN_235B, H200, 4), (QWEN_30B, H100, 1)]
    rows = [
        growth(
            model, card, prompt, (8, 16, 32, 64), tensor=ranks, weights=None if model == GPT_OSS else "fp8"
        )
        for model, card, ranks in (dense if kind == "dense" else moe)
    ]
    np.testing.assert_allclose(np.median(rows, axis=0), measured, rtol=0.30)


# TPOT gained per doubling of a tensor group on NVLink: p10-p90 of the same sweeps, for up to 8 and 16-64 streams
@pytest.mark.parametrize(
    ("models", "streams", "low", "high"),
    [
        ("dense", 4, [1.39, 1.28, 1.14], [1.67, 1.53, 1.33]),
        ("dense", 32, [1.45, 1.30, 1.08], [1.70, 1.61, 1.44]),
        ("moe", 4, [1.01, 1.00, 1.00], [1.46, 1.31, 1.40]),
        ("moe", 32, [1.24, 1.00, 1.05], [1.65, 1.52, 1.54]),
    ],
)
def test_gain_of_each_doubling_of_a_tensor_group(
    models: str, streams: int, low: list[float], high: list[float]
):
    dense = [(LLAMA_70B, B200, "fp8"), ("Qwen/Qwen3-32B", H200, "bf16"), ("Qwen/Qwen3-32B", H100, "fp8")]
    moe = [(GPT_OSS, B200, None), (GPT_OSS, H200, None), (QWEN_30B, H100, "fp8")]
    gains = []
    for model, card, weights in dense if models == "dense" else moe:
        asked = [serving(model, card, (1024, 1024, streams), weights=weights, tensor=n) for n in (1, 2, 4, 8)]
        tpot = run(asked).tpot_ms
        gains.append(tpot[:-1] / tpot[1:])
    gain = np.median(gains, axis=0)
    assert (np.array(low) - 0.05 < gain).all(), gain
    assert (gain < np.array(high) + 0.05).all(), gain


# TensorRT-LLM performance tables: 70B FP16 saturated at 1000/1000, A100 SXM over A100 PCIe
@pytest.mark.parametrize(("ranks", "measured"), [(4, 1.79), (8, 3.18)])
def test_nvlink_over_pcie_when_saturated(ranks: int, measured: float):
    cards = (A100_SXM, A100_PCIE)
    asked = [serving(LLAMA_70B, card, (1000, 1000, 2000), weights="fp16", tensor=ranks) for card in cards]
    asked[1] = serving_over_pcie(asked[1])
    found = run(asked).output_tokens_per_s
    assert found[0] / found[1] == pytest.approx(measured, rel=0.25)


def serving_over_pcie(request: EstimateRequest) -> EstimateRequest:

    assert request.accelerator is not None
    return replace(request, link=request.accelerator.pcie)


def test_eight_cards_over_pcie_are_no_faster_than_four():
    # TensorRT-LLM performance tables: 70B FP8 saturated on L40S, eight over four cards 1.01
    asked = [
        serving(LLAMA_70B, L40S, (1000, 1000, 2000), weights="fp8", tensor=n, engine="tensorrt-llm")
        for n in (4, 8)
    ]
    found = run(asked).output_tokens_per_s
    assert found[1] / found[0] == pytest.approx(1.01, rel=0.15)


def test_pipelines_under_load():
    # TensorRT-LLM performance tables: 70B NVFP4 on RTX PRO 6000, pipelines of 1, 2, 4 and 8, tokens/s
    measured = np.array([1787.0, 3707.0, 5961.0, 8166.0])
    asked = [
        serving(LLAMA_70B, PRO_6000, (1000, 1000, 4000), weights="nvfp4", pipeline=n, engine="tensorrt-llm")
        for n in (1, 2, 4, 8)
    ]
    found = run(asked)
    np.testing.assert_allclose(found.output_tokens_per_s, measured, rtol=0.30)
    assert (found.output_tokens_per_s_low < measured).all()
    assert (measured < found.output_tokens_per_s_high).all()


@pytest.mark.parametrize("card", [H100, A100_SXM, L40S])
def test_weights_of_four_bits_help_one_stream_and_not_hundreds(card: str):
    # Public pairs of the same server: 1.3-2.4 at one stream, below 1 from 8-64 streams where compute is rich
    counts = (1, 128)
    narrow = run([serving(LLAMA_8B, card, (512, 256, n), weights="awq-int4") for n in counts]).tpot_ms
    wide = run([serving(LLAMA_8B, card, (512, 256, n)) for n in counts]).tpot_ms
    assert 1.3 < wide[0] / narrow[0] < 2.4 * 1.1
    assert wide[1] / narrow[1] < 1.15


def test_narrow_cache_is_a_capacity_tool_first():
    # vLLM's report on FP8 KV: -2 to +15 % speed at common lengths
    asked = [
        serving(LLAMA_8B, H100, (1000, 500, n), kv_cache_dtype=kv) for n in (1, 16) for kv in ("auto", "fp8")
    ]
    tpot = run(asked).tpot_ms
    assert 0.98 < tpot[0] / tpot[1] < 1.15
    assert 0.98 < tpot[2] / tpot[3] < 1.15


def test_eager_mode_costs_about_twofold():
    # Single reports: 2.5 times the time of graphs
    asked = [serving(LLAMA_8B, H100, (512, 256, 4), enforce_eager=eager) for eager in (False, True)]
    tpot = run(asked).tpot_ms
    assert 1.5 < tpot[1] / tpot[0] < 3.5


# Wentao274/vllm-benchmark-test 21f4d96: MiniMax-M2.5 FP8, 8 x H100, vLLM 0.20, 64 sequences at most
@pytest.mark.parametrize(
    ("prompt", "output", "streams", "measured_ms"),
    [
        (10_000, 256, (1, 4, 8, 16), (7.67, 10.02, 13.24, 20.85)),
        (70_000, 1500, (1, 4, 8, 16), (8.98, 13.76, 22.40, 41.27)),
    ],
)
def test_long_prompts_of_a_mixture_of_experts(
    prompt: int, output: int, streams: tuple[int, ...], measured_ms: tuple[float, ...]
):
    asked = [
        serving(
            "MiniMaxAI/MiniMax-M2.5",
            H100,
            (prompt, output, n),
            weights="fp8-block128",
            tensor=8,
            max_num_seqs=64,
        )
        for n in streams
    ]
    found = run(asked)
    np.testing.assert_allclose(found.tpot_ms, measured_ms, rtol=0.25)
    assert (found.tpot_low_ms < measured_ms).all()
    assert (measured_ms < found.tpot_high_ms).all()


# One stream of Llama-3.1-8B on a DGX Spark, tokens/s: public reports of SGLang and of NVFP4
@pytest.mark.parametrize(
    ("weights", "engine", "measured"), [("fp8", "sglang", 20.5), ("nvfp4", "vllm", 38.65)]
)
def test_one_stream_on_a_small_unified_machine(weights: str, engine: str, measured: float):
    found = run([serving(LLAMA_8B, GB10, (128, 128, 1), weights=weights, engine=engine)])
    assert found.output_tokens_per_s_per_user[0] == pytest.approx(measured, rel=0.30)
    assert found.tpot_low_ms[0] < 1e3 / measured < found.tpot_high_ms[0]


# aiconfigurator-core 0.12.0: matrix-vector products on at least 250 MB of weights, share of datasheet bandwidth over
# A100 SXM, H100, H200, B200, L40S and RTX PRO 6000
@pytest.mark.parametrize(
    ("share", "low", "high"),
    [
        (FITTED.stream_dense, 0.76, 0.90),
        (FITTED.stream_fp8, 0.60, 0.86),
        (FITTED.compute_16bit, 0.50, 0.91),
        (FITTED.compute_8bit, 0.40, 0.83),
        (FITTED.compute_4bit, 0.30, 0.75),
    ],
)
def test_shares_are_within_what_kernels_alone_reach(share: float, low: float, high: float):
    assert low < share < high


# Some 580 public single-stream rows: the share of bandwidth falls where memory is fast, by a fixed cost per layer
def test_wide_apple_memory_is_used_less_than_narrow():
    cards = ("apple-m1", "apple-m2-pro", "apple-m2-max", "apple-m2-ultra")
    asked = [loaded(LLAMA_8B, card, (1, 128, 1), engine="llama.cpp", weights="gguf-q4_0") for card in cards]
    used = run(asked).mbu
    assert (np.diff(used) < 0).all()
    assert used[0] - used[-1] > 0.15
