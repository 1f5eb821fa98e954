"""From cards to models: groups, the best set-up of each model, and limits of many set-ups at once."""

from dataclasses import replace
from typing import Any

import pytest

from planner.catalog import load_shipped
from planner.core.estimate import estimate
from planner.core.limits import longest_context, most_users_by_cache
from planner.core.owned import AS_PUBLISHED, QUANTIZED, TOO_LARGE, UNSUPPORTED, ModelFit, fits_on, shapes
from planner.core.parse import parse_request
from planner.core.reach import Reach, reach_of
from planner.core.request import EstimateRequest

CATALOG = load_shipped()
CHAT = {"input_tokens": 1024, "output_tokens": 256, "concurrency": 16}


def base(accelerator: str, count: int = 1, engine: str = "vllm", **more: Any) -> EstimateRequest:
    asked = {
        "model": {"id": "Qwen/Qwen2.5-7B-Instruct"},
        "accelerator": accelerator,
        "count": count,
        "parallelism": {"data": count},
        "engine": {"name": engine},
        "settings": "derive",
        "workload": CHAT,
        **more,
    }
    request = parse_request(asked, CATALOG)
    assert isinstance(request, EstimateRequest)
    return request


def by_id(found: list[ModelFit]) -> dict[str, ModelFit]:
    return {fit.shape.model.id: fit for fit in found}


def test_shapes_name_each_shape_once_with_its_other_names() -> None:
    found = {shape.model.id: shape for shape in shapes(CATALOG)}
    # the catalog holds these three under one shape: the same config.json but for names
    assert set(found["Qwen/Qwen2.5-7B-Instruct"].others) == {
        "Qwen/Qwen2.5-7B",
        "Qwen/Qwen2.5-Coder-7B-Instruct",
        "Qwen/Qwen2.5-Math-7B-Instruct",
    }
    assert "Qwen/Qwen2.5-7B-Instruct-AWQ" not in found
    # 7,615,616,512 parameters, as its publisher states
    assert found["Qwen/Qwen2.5-7B-Instruct"].parameters == pytest.approx(7_615_616_512, rel=1e-4)


def test_models_fall_into_groups_by_what_a_card_holds() -> None:
    found = by_id(fits_on(base("nvidia-rtx-4090"), CATALOG))
    # 24 GB: 15.2 GB of bf16 weights fit, 29.5 GB only at 8 bits and less, 1.37 TB never
    assert found["Qwen/Qwen2.5-7B-Instruct"].group == AS_PUBLISHED
    assert found["Qwen/Qwen2.5-14B-Instruct"].group == QUANTIZED
    assert found["Qwen/Qwen2.5-14B-Instruct"].request.scheme.id == "fp8"
    assert found["deepseek-ai/DeepSeek-V3"].group == TOO_LARGE
    # the architecture was never in vLLM
    assert found["xai-org/grok-1"].group == UNSUPPORTED


def test_what_is_too_large_says_what_it_lacks() -> None:
    fit = by_id(fits_on(base("nvidia-rtx-4090"), CATALOG))["deepseek-ai/DeepSeek-V3"]
    spare = fit.state.figures["spare_gib"]
    assert spare is not None
    # 671 B parameters at half a byte are 312 GiB, and one card has 24
    assert -330 < spare < -280


def test_the_answer_of_every_model_is_that_of_its_estimate() -> None:
    for fit in fits_on(base("nvidia-l40s", 2, targets={"tpot_ms": 40}), CATALOG)[::9]:
        (answer,) = estimate([fit.request], CATALOG)
        assert answer["verdict"] == fit.state.verdict
        if answer["speed"]:
            assert answer["speed"]["tpot_ms"] == fit.state.figures["tpot_ms"]


def test_all_cards_are_used() -> None:
    counts = {fit.request.parallelism for fit in fits_on(base("nvidia-l40s", 3), CATALOG)}
    assert {item.tensor * item.pipeline * item.data for item in counts} == {3}


def test_machines_without_a_link_are_replicas() -> None:
    found = fits_on(base("apple-m4-max", 2, "llama.cpp"), CATALOG)
    assert {(fit.request.parallelism.data, fit.request.parallelism.tensor) for fit in found} == {(2, 1)}


def test_gguf_of_the_published_width_is_as_published() -> None:
    fit = by_id(fits_on(base("apple-m4-max", engine="llama.cpp"), CATALOG))["Qwen/Qwen2.5-1.5B-Instruct"]
    assert (fit.group, fit.request.scheme.id) == (AS_PUBLISHED, "gguf-bf16")


def test_a_target_moves_a_model_to_narrower_weights() -> None:
    # at 1,008 GB/s 15.2 GB of weights take more than 15 ms a step, 8.2 GB take half of it
    fit = by_id(fits_on(base("nvidia-rtx-4090", targets={"tpot_ms": 18}), CATALOG))[
        "Qwen/Qwen2.5-7B-Instruct"
    ]
    assert (fit.group, fit.request.scheme.id) == (QUANTIZED, "fp8")


@pytest.mark.parametrize(
    ("accelerator", "count", "engine"),
    [
        ("nvidia-rtx-4090", 2, "vllm"),
        ("nvidia-l4", 1, "tensorrt-llm"),
        ("nvidia-h100-sxm5-80gb", 4, "sglang"),
        ("apple-m4-max", 1, "llama.cpp"),
    ],
)
def test_reach_of_many_is_what_limits_find_for_each(accelerator: str, count: int, engine: str) -> None:
    fits = fits_on(base(accelerator, count, engine), CATALOG)
    requests = [fit.request for fit in fits if fit.state.verdict == "fits"][::12]
    assert reach_of(requests, CATALOG) == [
        Reach(longest_context(request, CATALOG).value, most_users_by_cache(request, CATALOG).value)
        for request in requests
    ]


def test_reach_of_nothing_is_nothing() -> None:
    assert reach_of([], CATALOG) == []


def test_question_is_answered_again_for_another_load() -> None:
    few = by_id(fits_on(base("nvidia-rtx-4090"), CATALOG))["Qwen/Qwen2.5-7B-Instruct"]
    asked = base("nvidia-rtx-4090")
    assert asked.workload is not None
    many = replace(asked, workload=replace(asked.workload, concurrency=64))
    found = by_id(fits_on(many, CATALOG))["Qwen/Qwen2.5-7B-Instruct"]
    assert found.request.settings.max_num_seqs == 64
    assert (found.output_tokens_per_s > few.output_tokens_per_s) is True
