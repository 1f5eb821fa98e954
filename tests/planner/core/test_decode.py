"""One pass of a model: worked by hand from bytes and rates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.core.decode import cache_bytes, distinct_experts, overlapped
from planner.core.inputs import work_of_request
from tests.planner.core.asking import ask


def experts(chosen: float, of: float, tokens: float, routing: float = 1.0) -> float:
    return float(distinct_experts(np.array([of]), np.array([chosen]), np.array([tokens]), routing)[0])


def test_distinct_experts_of_one_token_are_those_it_chooses():
    assert experts(8, 256, 1) == pytest.approx(8)
    assert experts(8, 256, 1, 0.9) == pytest.approx(8)


def test_distinct_experts_of_two_tokens_by_hand():
    # 2 of 4 experts, two tokens: 4 x (1 - 1/2 x 1/2) = 3
    assert experts(2, 4, 2) == pytest.approx(3)


@given(tokens=st.floats(1, 1e5), chosen=st.integers(1, 8))
def test_distinct_experts_never_exceed_what_there_is_or_what_is_chosen(tokens: float, chosen: int):
    found = experts(chosen, 64, tokens, 0.92)
    assert chosen * (1 - 1e-9) <= found <= min(64.0, chosen * tokens) * (1 + 1e-9)


@given(first=st.floats(1e-6, 10), second=st.floats(1e-6, 10))
def test_overlap_lies_between_the_longer_and_the_sum(first: float, second: float):
    found = float(overlapped(np.array([first]), np.array([second]), 1.7)[0])
    assert max(first, second) * (1 - 1e-9) <= found <= (first + second) * (1 + 1e-9)


def test_work_of_a_dense_model_by_hand():
    # Llama-3.1-8B in bf16: 8,030,261,248 parameters, of which the embedding 525,336,576 is looked up, not read
    work = work_of_request(ask("meta-llama/Llama-3.1-8B-Instruct"))
    assert work.dense_bytes == pytest.approx(2 * (8_030_261_248 - 525_336_576))
    assert work.active_params == pytest.approx(8_030_261_248 - 525_336_576)
    # 32 layers x 8 heads x (128 + 128) x 2 B
    assert work.kv_bytes_per_token == 131_072
    # scores and values: 2 x 32 heads x (128 + 128) x 32 layers
    assert work.attention_flop == 2 * 32 * 256 * 32
    assert (work.expert_bytes, work.experts, work.indexer_layers) == (0.0, 1, 0)


def test_work_is_shared_by_the_tensor_group():
    alone = work_of_request(ask("meta-llama/Llama-3.1-8B-Instruct"))
    four = work_of_request(ask("meta-llama/Llama-3.1-8B-Instruct", tensor=4))
    assert four.dense_bytes == pytest.approx(alone.dense_bytes / 4)
    assert four.kv_bytes_per_token == alone.kv_bytes_per_token / 4
    assert four.active_params == alone.active_params


def test_work_of_sliding_windows_reads_no_more_than_the_window():
    # gpt-oss-20b: 24 layers, every second one with a window of 128; 8 heads x (64 + 64) x 2 B = 2,048 B
    work = work_of_request(ask("openai/gpt-oss-20b", weights="mxfp4"))
    column = type(work)(*(np.array([value]) for value in work))
    at = [float(cache_bytes(column, np.array([tokens]))[0]) for tokens in (100.0, 10_000.0)]
    assert at == [24 * 2048 * 100, 12 * 2048 * 10_000 + 12 * 2048 * 128]


def test_work_of_latent_attention_is_the_same_on_every_rank():
    # DeepSeek-V3: 61 layers x 576 x 2 B, not divided
    alone = work_of_request(ask("deepseek-ai/DeepSeek-V3", "nvidia-h200-sxm5-141gb", tensor=8))
    assert alone.kv_bytes_per_token == 61 * 576 * 2


def test_work_with_expert_parallelism_over_replicas_divides_experts_by_all_ranks():
    tensor = work_of_request(ask("deepseek-ai/DeepSeek-V3", "nvidia-h200-sxm5-141gb", tensor=8))
    both = work_of_request(
        ask("deepseek-ai/DeepSeek-V3", "nvidia-h200-sxm5-141gb", tensor=8, data=2, expert=True)
    )
    assert both.expert_ranks == 16
    assert both.expert_bytes == pytest.approx(tensor.expert_bytes / 2)


@pytest.mark.parametrize(
    ("accelerator", "weights", "peak_tflops"),
    [
        ("nvidia-h100-sxm5-80gb", "fp8", 1979),  # datasheet, dense
        ("nvidia-a100-sxm4-80gb", "fp8", 312),  # no 8-bit floating point units: unpacked to 16 bit
        ("nvidia-b200-sxm", "nvfp4", 9000),
        ("nvidia-h100-sxm5-80gb", "awq-int4", 989.4),  # weight-only: multiplied in 16 bit
        ("nvidia-gb10-dgx-spark", "bf16", 125),  # only FP4 is stated: 500 / 4
    ],
)
def test_work_computes_in_the_type_that_scheme_and_part_share(
    accelerator: str, weights: str, peak_tflops: float
):
    work = work_of_request(ask("meta-llama/Llama-3.1-8B-Instruct", accelerator, weights=weights))
    assert work.peak == pytest.approx(peak_tflops * 1e12)
    assert work.peak_known == 1.0


def test_work_where_no_rate_is_known_assumes_one_and_says_so():
    work = work_of_request(
        ask(
            "meta-llama/Llama-3.1-8B-Instruct",
            "cpu-desktop-2ch-ddr5-5600",
            engine="llama.cpp",
            weights="gguf-q8_0",
        )
    )
    assert work.peak_known == 0.0
    assert work.peak > 0
