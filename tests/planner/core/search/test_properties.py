"""What must hold whatever is asked: more never hurts, longer never helps, and the best is never behind its neighbours."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from planner.core.estimate import evaluate
from planner.core.request import EstimateRequest, Parallelism, Settings, Workload
from planner.core.search import recommend
from planner.core.search.figures import figures_of
from planner.core.search.judge import judge_load
from planner.core.search.space import space_of
from tests.planner.core.asking import CATALOG
from tests.planner.core.search.searching import engine, seek

QUESTIONS = 300
MODELS = [
    "Qwen/Qwen2.5-7B-Instruct",
    "meta-llama/Llama-3.3-70B-Instruct",
    "deepseek-ai/DeepSeek-V3",
    "google/gemma-3-27b-it",
    "openai/gpt-oss-120b",
]
ENGINES = [engine(name) for name in sorted(CATALOG.engines)]
CARDS = [
    c for c in CATALOG.accelerators.values() if c.bandwidth_gb_s is not None and c.memory_gib is not None
]


class Draw(Random):
    """Set-ups as people ask about them."""

    def request(self, **workload: int) -> EstimateRequest:
        card = self.choice(CARDS)
        load = {
            "input_tokens": self.choice([16, 300, 1500, 6000]),
            "output_tokens": self.choice([1, 60, 250, 1500]),
            "concurrency": self.choice([1, 4, 16, 90, 400]),
        }
        tensor = self.choice([1, 1, 2, 4, 8])
        llama = self.random() < 0.3
        return EstimateRequest(
            id=None,
            model=CATALOG.models[self.choice(MODELS)],
            scheme=CATALOG.schemes[
                self.choice(["gguf-q4_k_m", "gguf-q8_0"] if llama else ["bf16", "fp8", "int4-g128"])
            ],
            scheme_as_published=False,
            kv_cache_dtype="auto",
            accelerator=card,
            count=tensor,
            parallelism=Parallelism(tensor=tensor),
            link=card.link or card.pcie,
            engine=self.choice([one for one in ENGINES if (one.name == "llama.cpp") == llama]),
            settings=Settings(max_model_len=8192, max_num_seqs=load["concurrency"]),
            workload=Workload(**{**load, **workload}),
        )


def _pairs(change):
    """Figures of many set-ups and of the same ones changed."""
    draw = Draw(5)
    asked = [draw.request() for _ in range(QUESTIONS)]
    before = evaluate(asked, CATALOG)
    after = evaluate([change(request) for request in asked], CATALOG)
    return before, after


def test_more_bandwidth_is_never_slower():
    def wider(request):
        card = request.accelerator
        return replace(request, accelerator=replace(card, bandwidth_gb_s=1.4 * card.bandwidth_gb_s))

    (_, _, before), (_, _, after) = _pairs(wider)
    known = np.isfinite(before.tpot_ms)
    assert known.sum() > QUESTIONS / 4
    assert (after.tpot_ms[known] <= before.tpot_ms[known] * (1 + 1e-9)).all()
    assert (after.decode_step_ms[known] <= before.decode_step_ms[known] * (1 + 1e-9)).all()
    assert (after.output_tokens_per_s[known] >= before.output_tokens_per_s[known] * (1 - 1e-9)).all()


def test_more_memory_never_holds_fewer_tokens():
    def larger(request):
        card = request.accelerator
        torch = None if card.memory_gib_torch is None else 1.3 * card.memory_gib_torch
        # The tier that an engine picks its batch by stays the same: what a larger batch takes is another question
        settings = replace(request.settings, max_num_batched_tokens=8192)
        return replace(
            request,
            settings=settings,
            accelerator=replace(card, memory_gib=1.3 * card.memory_gib, memory_gib_torch=torch),
        )

    def same(request):
        return replace(request, settings=replace(request.settings, max_num_batched_tokens=8192))

    draw = Draw(6)
    asked = [draw.request() for _ in range(QUESTIONS)]
    before = evaluate([same(request) for request in asked], CATALOG)[1]
    after = evaluate([larger(request) for request in asked], CATALOG)[1]
    known = np.isfinite(before.kv_cache_tokens)
    assert known.sum() > QUESTIONS / 2
    assert (after.kv_cache_tokens[known] >= before.kv_cache_tokens[known]).all()


@pytest.mark.parametrize("longer", [1.5, 3])
def test_longer_context_never_runs_more_requests(longer):
    def long(request):
        sent = int(request.workload.input_tokens * longer)
        return replace(request, workload=replace(request.workload, input_tokens=sent))

    (_, _, before), (_, _, after) = _pairs(long)
    known = np.isfinite(before.running) & np.isfinite(after.running)
    assert known.sum() > QUESTIONS / 4
    assert (after.running[known] <= before.running[known]).all()


def test_a_larger_max_model_len_never_lets_more_requests_in():
    def long(request):
        return replace(request, settings=replace(request.settings, max_model_len=16_384))

    (_, before, _), (_, after, _) = _pairs(long)
    known = np.isfinite(before.max_concurrency) & np.isfinite(after.max_concurrency)
    assert (after.max_concurrency[known] <= before.max_concurrency[known] * (1 + 1e-9)).all()


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("objective", ["balanced", "lowest_tpot", "highest_throughput"])
def test_an_option_is_never_worse_than_another_variation_of_its_set_up(model, objective):
    request = seek(model, objective=objective, concurrency=16, limit=30, engines=("vllm", "llama.cpp"))
    answer = recommend(request, CATALOG)
    space = space_of(request, CATALOG)
    figures = figures_of(request, space, CATALOG)
    judge_load(request, space, figures)
    serving = np.flatnonzero(figures.outcome == 0)
    names = np.array([card.id for card in space.accelerators])[space.accelerator[serving]]
    for option in answer["options"]:
        rows = serving[(names == option["accelerator"]) & (space.count[serving] == option["count"])]
        fast = rows[figures.tpot_ms[rows] <= 200.0] if objective == "balanced" else rows
        fast = fast[figures.ttft_ms[fast] <= 60_000.0] if objective == "balanced" else fast
        assert len(fast) == option["variations"]
        if objective == "lowest_tpot":
            assert option["speed"]["tpot_ms"] == pytest.approx(figures.tpot_ms[rows].min(), rel=1e-4)
        else:
            # Board power is the same for all variations of a set-up, and users ÷ throughput is the time per token
            best = figures.output_tokens_per_s[rows].max()
            assert option["speed"]["output_tokens_per_s"] == pytest.approx(best, rel=1e-4)
