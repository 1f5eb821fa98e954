"""Figures of the search are those of one estimate: the same candidates, asked one by one."""

from dataclasses import replace

import numpy as np
import pytest

from planner.core.estimate import evaluate
from planner.core.search.figures import Figures, figures_of
from planner.core.search.judge import judge_load
from planner.core.search.recommend import question_of
from planner.core.search.space import Space, space_of
from planner.core.validity import UNSUPPORTED_CODES
from tests.planner.core.asking import CATALOG
from tests.planner.core.search.searching import seek

PER_QUESTION = 60
MODELS = [
    "Qwen/Qwen2.5-7B-Instruct",
    "meta-llama/Llama-3.3-70B-Instruct",
    "deepseek-ai/DeepSeek-V3",
    "google/gemma-3-27b-it",
    "openai/gpt-oss-120b",
    "Qwen/Qwen3-Next-80B-A3B-Instruct",
]
ENGINES = ["vllm", "sglang", "tensorrt-llm", "llama.cpp"]
FIGURES = ("running", "tpot_ms", "ttft_ms", "output_tokens_per_s")


def _searched(model, engine, **more):
    request = seek(model, engines=[engine], **more)
    space = space_of(request, CATALOG)
    return request, space, figures_of(request, space, CATALOG)


def _drawn(space: Space, figures: Figures, seed: int) -> list[int]:
    """Some rows of every outcome."""
    draw = np.random.default_rng(seed)
    rows: list[int] = []
    for outcome in range(len(figures.reasons) + 1):
        of_it = np.flatnonzero(figures.outcome == outcome)
        rows += draw.choice(of_it, min(PER_QUESTION // 3, len(of_it)), replace=False).tolist()
    return rows


def _serving(figures: Figures) -> list[int]:
    """Some rows that carry the load."""
    rows = np.flatnonzero(figures.outcome == 0)
    return np.random.default_rng(1).choice(rows, PER_QUESTION, replace=False).tolist()


def _outcome(verdict: str, codes: list[str], model: str) -> str:
    if verdict == "fits":
        return ""
    if verdict == "unsupported":
        return f"not_supported:{next(code for code in codes if code in UNSUPPORTED_CODES)}"
    divides = [c for c in codes if c.endswith(("_by_tp", "misaligned")) or c == "more_stages_than_layers"]
    return f"not_supported:{divides[0]}" if divides else "does_not_fit"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("model", MODELS)
def test_figures_of_candidates_are_those_of_single_estimates(model, engine):
    request, space, figures = _searched(model, engine, concurrency=12)
    rows = _drawn(space, figures, seed=len(model))
    figures.concurrency[:] = 12  # rows that are ruled out have none, and are asked at the same load
    asked = [question_of(request, space, figures, row) for row in rows]
    _, memory, speed = evaluate(asked, CATALOG)
    for place, row in enumerate(rows):
        said = ["", *figures.reasons][figures.outcome[row]]
        if said == "no_data":
            continue
        codes = [reason.code for reason in memory.reasons[place]]
        assert said == _outcome(memory.verdicts[place], codes, model), asked[place]
        for name in FIGURES if not said else ():
            one, many = float(getattr(speed, name)[place]), float(getattr(figures, name)[row])
            assert many == pytest.approx(one, rel=1e-12), (name, asked[place])


@pytest.mark.parametrize("engine", ["vllm", "llama.cpp"])
def test_figures_at_a_rate_are_those_of_estimates_at_the_solved_concurrency(engine):
    request, space, figures = _searched(MODELS[0], engine, requests_per_s=2.5)
    rows = _serving(figures)
    asked = [question_of(request, space, figures, row) for row in rows]
    _, memory, speed = evaluate(asked, CATALOG)
    assert set(memory.verdicts) == {"fits"}
    for name in FIGURES:
        assert getattr(figures, name)[rows] == pytest.approx(getattr(speed, name), rel=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_rate_is_solved_alike_for_a_candidate_and_for_one_estimate(engine):
    request, space, figures = _searched(MODELS[0], engine, requests_per_s=2.5)
    rows = _serving(figures)
    asked = [
        replace(
            question_of(request, space, figures, row),
            workload=replace(request.workload, concurrency=1),
            derive_settings=True,
        )
        for row in rows
    ]
    settled, _, _ = evaluate(asked, CATALOG)
    assert [one.workload.concurrency for one in settled] == list(figures.concurrency[rows])
    assert [one.settings for one in settled] == [figures.settings_at(space, row) for row in rows]


def test_requests_that_the_cache_cannot_hold_together_are_above_capacity():
    # 24 GB hold the bf16 weights of 7B and little more: 500 requests of 1,250 tokens they do not
    request, space, figures = _searched(
        MODELS[0], "vllm", accelerators=["nvidia-rtx-4090"], counts=[1], concurrency=500, schemes=["bf16"]
    )
    judge_load(request, space, figures)
    assert figures.reasons == ["load_above_capacity"]
    assert (figures.outcome == 1).all()


def test_replicas_that_share_users_unevenly_are_not_above_capacity():
    request, space, figures = _searched(
        MODELS[0], "vllm", accelerators=["nvidia-h100-sxm5-80gb"], counts=[3], concurrency=8
    )
    judge_load(request, space, figures)
    assert "load_above_capacity" not in figures.reasons


def test_a_workload_longer_than_the_model_is_not_supported():
    request, space, figures = _searched(MODELS[0], "vllm", input_tokens=40_000)
    assert figures.reasons == ["no_data", "not_supported:workload_exceeds_max_model_len"]
    assert (figures.outcome > 0).all()
    assert len(space) == len(figures.outcome)
    assert request.model.max_position_embeddings == 32_768
