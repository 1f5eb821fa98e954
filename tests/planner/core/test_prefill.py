"""The work of one prompt: against sums by hand."""

import pytest

from planner.catalog import load_shipped
from planner.core.estimate import evaluate
from planner.core.parse import parse_request
from planner.core.prefill import PromptWork, prompt_work
from planner.core.request import EstimateRequest

CATALOG = load_shipped()
REQUEST = {
    "model": {"id": "Qwen/Qwen2.5-7B-Instruct"},
    "accelerator": "nvidia-rtx-4090",
    "settings": {"max_model_len": 8192, "max_num_batched_tokens": 2048},
    "workload": {"input_tokens": 1024, "output_tokens": 256, "concurrency": 1},
}


def work_of(**changes: object) -> PromptWork | None:
    parsed = parse_request({**REQUEST, **changes}, CATALOG)
    assert isinstance(parsed, EstimateRequest)
    settled, memory, _speed = evaluate([parsed], CATALOG)
    return prompt_work(settled[0], memory, CATALOG)


def with_input(tokens: int) -> PromptWork:
    found = work_of(workload={**REQUEST["workload"], "input_tokens": tokens})  # type: ignore[dict-item]
    assert found is not None
    return found


def test_prompt_computes_two_flop_per_weight_and_token() -> None:
    # 7.62 B parameters, of which 545 M are an embedding table that is only looked up: 2 x 7.07e9 x 1,024 = 14.5e12,
    # and 28 layers x 28 heads x 128 x 4 x 1,024 tokens² / 2 = 0.21e12 of attention
    found = with_input(1024)
    assert found.flop == pytest.approx(14.7e12, rel=0.01)
    assert found.tokens == 1024


def test_prompt_reads_the_weights_once_per_chunk() -> None:
    # 7.07 B matrix weights in 16 bits: 14.1 GB; 4,096 tokens are two chunks of 2,048
    assert with_input(1024).bytes_read == pytest.approx(14.1e9, rel=0.01)
    assert with_input(4096).bytes_read == pytest.approx(2 * 14.1e9, rel=0.01)


def test_prompt_stays_below_the_roof() -> None:
    # 165.2 TFLOP/s dense with FP32 accumulation, from the datasheet of the card
    found = with_input(4096)
    assert 0.3 * 165.2e12 < found.flop / found.seconds < 165.2e12


def test_prompt_of_a_plan_without_speed_is_not_known() -> None:
    assert work_of(accelerator=None) is None
    assert work_of(model={"id": "Qwen/Qwen2.5-72B-Instruct"}) is None
