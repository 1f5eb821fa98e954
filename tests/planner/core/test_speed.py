"""Steady-state speed: identities that must hold exactly, and directions that must never turn."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.core import speed
from planner.core.batch import SpeedBatch
from planner.core.coefficients import FITTED
from planner.core.explain import speed as explain_speed
from planner.core.memory import evaluate as evaluate_memory
from planner.core.request import EstimateRequest, Workload
from tests.planner.core.asking import CATALOG, ask

LLAMA_8B = "meta-llama/Llama-3.1-8B-Instruct"
LLAMA_70B = "meta-llama/Llama-3.3-70B-Instruct"
H200 = "nvidia-h200-sxm5-141gb"
FINITE = [
    "running",
    "decode_step_ms",
    "tpot_ms",
    "ttft_ms",
    "output_tokens_per_s",
    "output_tokens_per_s_per_user",
    "mbu",
    "decode_step_low_ms",
    "decode_step_high_ms",
    "tpot_low_ms",
    "tpot_high_ms",
    "output_tokens_per_s_low",
    "output_tokens_per_s_high",
    "weights_ms",
    "kv_ms",
    "prefill_ms",
    "interconnect_ms",
    "host_ms",
    "flops_per_step",
    "bytes_per_step",
]


def loaded(
    model: str, accelerator: str | None = H200, load: tuple[int, int, int] = (1024, 256, 8), **more: Any
):
    """A request with a workload of (input, output, concurrency)."""
    room = {"max_model_len": 32768, "max_num_seqs": 256}
    if more.get("engine") == "llama.cpp":  # reserves every slot's context at start
        room = {"max_model_len": 2048, "max_num_seqs": 16}
    asked = ask(model, accelerator, **{**room, **more})
    return replace(asked, workload=Workload(input_tokens=load[0], output_tokens=load[1], concurrency=load[2]))


def run(*requests: EstimateRequest) -> SpeedBatch:
    return speed.evaluate(requests, evaluate_memory(requests), CATALOG)


def test_one_stream_of_a_dense_model_by_hand():
    # H200: 4.8 TB/s, 989 TFLOP/s. Read: 2 B x 7,504,924,672 parameters, and 131,072 B per token of 1,152 tokens
    found = run(loaded(LLAMA_8B, load=(1024, 256, 1)))
    parameters = 7_504_924_672
    read = 2 * parameters / (FITTED.stream_dense * 4.8e12)
    compute = 2 * parameters / (FITTED.compute_16bit * 989.4e12)
    both = (read**FITTED.overlap + compute**FITTED.overlap) ** (1 / FITTED.overlap)
    assert found.weights_ms[0] == pytest.approx(1e3 * both)
    assert found.kv_ms[0] == pytest.approx(1e3 * 131_072 * 1152 / (FITTED.stream_kv * 4.8e12))
    assert found.host_ms[0] == pytest.approx((32 * FITTED.layer_us_vllm + FITTED.sequence_us) / 1e3)
    assert found.prefill_ms[0] == found.interconnect_ms[0] == 0.0
    assert found.mbu[0] == pytest.approx((2 * parameters + 131_072 * 1152) / 4.8e9 / found.decode_step_ms[0])


def test_five_terms_add_up_to_the_time_per_token():
    found = run(
        loaded(LLAMA_8B),
        loaded(LLAMA_70B, tensor=4, load=(8192, 512, 64)),
        loaded("deepseek-ai/DeepSeek-V3", tensor=8, expert=True, load=(512, 512, 32)),
        loaded(LLAMA_70B, "nvidia-l40s", tensor=2, pipeline=2, weights="awq-int4", load=(512, 512, 100)),
    )
    total = found.weights_ms + found.kv_ms + found.prefill_ms + found.interconnect_ms + found.host_ms
    np.testing.assert_allclose(total, found.tpot_ms, rtol=1e-12)
    np.testing.assert_allclose(total - found.prefill_ms, found.decode_step_ms, rtol=1e-12)


@pytest.mark.parametrize("concurrency", [1, 3, 64, 5000])
def test_little_law_holds_with_and_without_a_queue(concurrency: int):
    request = loaded(LLAMA_70B, weights="fp8", tensor=2, load=(1000, 500, concurrency))
    found = run(request)
    seconds = (found.ttft_ms[0] + 499 * found.tpot_ms[0]) / 1e3
    assert found.output_tokens_per_s[0] == pytest.approx(concurrency / seconds * 500, rel=1e-9)


def test_waiting_shows_in_the_first_token_not_in_the_next_ones():
    few, many = (loaded(LLAMA_8B, load=(512, 256, c), max_num_seqs=16) for c in (16, 160))
    found = run(few, many)
    assert found.running.tolist() == [16, 16]
    assert found.tpot_ms[0] == found.tpot_ms[1]
    assert found.ttft_ms[1] > 5 * found.ttft_ms[0]
    assert found.output_tokens_per_s[0] == pytest.approx(found.output_tokens_per_s[1])


def test_cache_limits_what_runs_together():
    # 70B in FP8 leaves a few GiB on one 80 GB card, and the engine keeps 320 KiB per token
    request = loaded(
        LLAMA_70B, "nvidia-h100-nvl-94gb", weights="fp8", load=(4096, 1024, 64), max_model_len=8192
    )
    memory = evaluate_memory([request])
    found = speed.evaluate([request], memory, CATALOG)
    assert memory.verdicts == ["fits"]
    fitting = memory.kv_cache_gib[0] * 2**30 / (327_680 * (4096 + 512))
    assert found.running[0] == np.floor(fitting) < 64


def test_replicas_share_the_load_evenly():
    one, two = loaded(LLAMA_8B, load=(512, 256, 8)), loaded(LLAMA_8B, load=(512, 256, 16), data=2)
    found = run(one, two)
    assert found.running.tolist() == [8, 8]
    assert found.tpot_ms[0] == found.tpot_ms[1]
    assert found.output_tokens_per_s[1] == pytest.approx(2 * found.output_tokens_per_s[0])


def test_fewer_requests_than_replicas_leave_some_idle():
    found = run(loaded(LLAMA_8B, load=(512, 256, 1)), loaded(LLAMA_8B, load=(512, 256, 1), data=4))
    assert found.running.tolist() == [1, 1]
    assert found.output_tokens_per_s[1] == pytest.approx(found.output_tokens_per_s[0])


def test_layers_split_over_cards_do_not_speed_up_one_stream():
    alone, split = (
        loaded(
            LLAMA_8B,
            "nvidia-rtx-4090",
            engine="llama.cpp",
            weights="gguf-q4_k_m",
            load=(1, 512, 1),
            pipeline=n,
        )
        for n in (1, 4)
    )
    found = run(alone, split)
    assert found.tpot_ms[0] < found.tpot_ms[1] < 1.05 * found.tpot_ms[0]
    assert found.mbu[1] < found.mbu[0] / 3


def test_filled_pipeline_raises_throughput():
    found = run(*(loaded(LLAMA_8B, pipeline=n, load=(256, 512, 128)) for n in (1, 4)))
    assert found.output_tokens_per_s[1] > 1.3 * found.output_tokens_per_s[0]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"accelerator": None}, "no accelerator"),
        ({"accelerator": "nvidia-rtx-3070"}, "does not fit"),
        ({"accelerator": "kunlunxin-p800"}, "no bandwidth"),
    ],
)
def test_what_cannot_be_known_is_nan(change: dict[str, Any], reason: str):
    found = run(loaded(LLAMA_70B, **change), loaded(LLAMA_8B))
    for name in FINITE:
        assert np.isnan(getattr(found, name)[0]), (reason, name)
        assert np.isfinite(getattr(found, name)[1]), name
    assert found.bounds == ["", "memory"]


def test_no_workload_no_speed():
    found = run(ask(LLAMA_8B))
    assert np.isnan(found.tpot_ms[0])
    assert explain_speed.terms(ask(LLAMA_8B), found, 0) == []


def test_empty_batch_is_empty():
    assert run().tpot_ms.shape == (0,)


def test_every_engine_and_class_is_answered():
    found = run(
        loaded(LLAMA_8B, "apple-m2-ultra", engine="llama.cpp", weights="gguf-q4_k_m", load=(1, 128, 1)),
        loaded(
            LLAMA_8B, "cpu-desktop-2ch-ddr5-5600", engine="llama.cpp", weights="gguf-q8_0", load=(128, 128, 1)
        ),
        loaded(LLAMA_8B, "nvidia-gb10-dgx-spark", weights="nvfp4"),
        loaded(LLAMA_8B, "amd-mi300x", engine="sglang"),
        loaded(LLAMA_8B, engine="tensorrt-llm", weights="fp8"),
        loaded("openai/gpt-oss-120b", "nvidia-b200-sxm"),
        loaded("zai-org/GLM-5", tensor=8, engine="sglang", weights="fp8"),
    )
    assert np.isfinite(found.tpot_ms).all()
    assert all(found.bounds)
    assert ((found.mbu > 0) & (found.mbu < 1)).all()
    assert (found.tpot_low_ms < found.tpot_ms).all()
    assert (found.tpot_ms < found.tpot_high_ms).all()


def test_interval_is_wider_where_nobody_measured():
    known = loaded(LLAMA_8B, load=(1024, 256, 1))
    other = loaded(LLAMA_8B, "amd-mi300x", load=(1024, 256, 1))
    served = loaded(LLAMA_8B, load=(1024, 256, 64))
    mixed = loaded("Qwen/Qwen3-30B-A3B", load=(1024, 256, 64))
    found = run(known, other, served, mixed)
    width = found.tpot_high_ms / found.tpot_low_ms
    assert width[0] < width[1]
    assert width[0] < width[2] < width[3]


def test_eager_mode_slows_decode():
    graph, eager = (loaded(LLAMA_8B, load=(64, 256, 1), enforce_eager=flag) for flag in (False, True))
    found = run(graph, eager)
    assert found.host_ms[1] > 3 * found.host_ms[0]


def test_tensor_parallelism_over_nvlink_beats_pcie():
    fast, slow = (
        replace(loaded(LLAMA_70B, weights="fp8", tensor=4, load=(1000, 1000, 64)), link=link)
        for link in (CATALOG.accelerators[H200].link, CATALOG.accelerators["nvidia-l40s"].pcie)
    )
    found = run(fast, slow)
    assert found.interconnect_ms[1] > 3 * found.interconnect_ms[0]
    assert found.prefill_ms[1] > found.prefill_ms[0]


def test_explanation_ends_in_the_figures_of_the_answer():
    request = loaded("Qwen/Qwen3-30B-A3B", load=(1024, 256, 16))
    found = run(request)
    terms = {term.term: term for term in explain_speed.terms(request, found, 0)}
    for name in ("weights_ms", "kv_ms", "prefill_ms", "interconnect_ms", "host_ms", "tpot_ms", "ttft_ms"):
        assert terms[name].result == pytest.approx(float(getattr(found, name)[0]), abs=1e-4), name
    assert terms["distinct_experts"].result == pytest.approx(
        128 * (1 - (1 - 8 / 128) ** (16**FITTED.routing)), rel=1e-4
    )


loads = st.tuples(st.integers(1, 20_000), st.integers(1, 8_000), st.integers(1, 2_000))
shapes = st.sampled_from(
    [
        (LLAMA_8B, H200, {}),
        (LLAMA_70B, H200, {"tensor": 2, "weights": "fp8"}),
        ("Qwen/Qwen3-30B-A3B", H200, {"engine": "sglang"}),
        ("openai/gpt-oss-120b", "nvidia-b200-sxm", {}),
        (LLAMA_8B, "nvidia-rtx-4090", {"engine": "llama.cpp", "weights": "gguf-q4_k_m"}),
        (LLAMA_70B, "nvidia-l40s", {"tensor": 4, "pipeline": 2, "weights": "fp8"}),
        ("deepseek-ai/DeepSeek-V3", H200, {"tensor": 8, "data": 2, "expert": True, "engine": "tensorrt-llm"}),
        ("zai-org/GLM-5", "nvidia-b300-sxm", {"tensor": 8, "engine": "sglang", "weights": "fp8"}),
    ]
)


@settings(max_examples=60, deadline=None)
@given(shape=shapes, load=loads, faster=st.floats(1.0, 4.0))
def test_more_bandwidth_is_never_slower(shape: Any, load: tuple[int, int, int], faster: float):
    model, accelerator, more = shape
    request = loaded(model, accelerator, load, **more)
    assert request.accelerator is not None
    assert request.accelerator.bandwidth_gb_s is not None
    better = replace(
        request,
        accelerator=replace(request.accelerator, bandwidth_gb_s=request.accelerator.bandwidth_gb_s * faster),
    )
    found = run(request, better)
    assert found.tpot_ms[1] <= found.tpot_ms[0] * (1 + 1e-9)
    assert found.output_tokens_per_s[1] >= found.output_tokens_per_s[0] * (1 - 1e-9)


@settings(max_examples=60, deadline=None)
@given(shape=shapes, load=loads, longer=st.integers(1, 8_000))
def test_more_context_never_speeds_up_a_step(shape: Any, load: tuple[int, int, int], longer: int):
    model, accelerator, more = shape
    base = loaded(model, accelerator, (load[0], load[1], 1), **more)
    further = loaded(model, accelerator, (load[0] + longer, load[1], 1), **more)
    found = run(base, further)
    assert found.decode_step_ms[1] >= found.decode_step_ms[0] * (1 - 1e-9)
    assert found.ttft_ms[1] >= found.ttft_ms[0] * (1 - 1e-9)


@settings(max_examples=60, deadline=None)
@given(shape=shapes, load=loads, extra=st.integers(1, 500))
def test_more_concurrency_never_speeds_up_a_step(shape: Any, load: tuple[int, int, int], extra: int):
    model, accelerator, more = shape
    base = loaded(model, accelerator, load, **more)
    busier = loaded(model, accelerator, (load[0], load[1], load[2] + extra), **more)
    found = run(base, busier)
    assert found.decode_step_ms[1] >= found.decode_step_ms[0] * (1 - 1e-9)
    assert found.tpot_ms[1] >= found.tpot_ms[0] * (1 - 1e-9)
    assert found.output_tokens_per_s_per_user[1] <= found.output_tokens_per_s_per_user[0] * (1 + 1e-9)


@settings(max_examples=40, deadline=None)
@given(shape=shapes, load=loads)
def test_a_batch_is_its_rows_one_by_one(shape: Any, load: tuple[int, int, int]):
    model, accelerator, more = shape
    rows = [loaded(model, accelerator, load, **more), loaded(LLAMA_8B), ask(LLAMA_8B)]
    together = run(*rows)
    for row, request in enumerate(rows):
        alone = run(request)
        for name in FINITE:
            np.testing.assert_allclose(getattr(alone, name)[0], getattr(together, name)[row], rtol=1e-12)


def test_experts_apart_from_their_tokens_cost_the_way_there_and_back():
    # DeepSeek-V3 has 61 layers, 58 of them with experts. 64 users on 8 ranks: a tensor group moves them twice in each
    # layer, replicas that share out experts once in each expert layer, over the same ranks and as many tokens.
    load = (1000, 250, 64)
    found = run(
        loaded("deepseek-ai/DeepSeek-V3", H200, load, tensor=8),
        loaded("deepseek-ai/DeepSeek-V3", H200, load, data=8, expert=True),
    )
    assert found.running.tolist() == [64, 8]
    assert found.interconnect_ms[1] / found.interconnect_ms[0] == pytest.approx(58 / (2 * 61))
