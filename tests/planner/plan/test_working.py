"""Units of the working, and the words that depend on a number."""

import pytest
from django.utils import translation
from django.utils.translation import gettext

from planner.answers import estimates
from planner.catalog import load_shipped
from planner.messages import ADVICE, PROBLEMS, word
from planner.messages.working import WORKING_TEXTS
from planner.plan.form import read_plan
from planner.plan.working import steps
from planner.plots import Level, latency_throughput


@pytest.mark.parametrize(
    ("result", "unit", "shown"),
    [
        (0.7626, "share", "76.26\u00a0%"),
        (1, "sequences", "1\u00a0user"),
        (16, "sequences", "16\u00a0users"),
        (21.6662, "GiB", "21.666\u00a0GiB"),
        (None, "share", "–"),
    ],
)
def test_working_says_a_result_with_a_unit_that_people_use(
    result: float | None, unit: str, shown: str
) -> None:
    term = {"term": "t", "result": result, "unit": unit, "formula": "", "values": {}, "source": ""}
    assert [step.result for step in steps({"explain": [term]})] == [shown]


def test_advice_names_a_figure_of_a_card_in_words() -> None:
    values = {"figure": "fp16_tflops", "name": "Apple M2 Ultra"}
    assert word(ADVICE, "accelerator_figure_unsure", values) == (
        "FP16 TFLOP/s of Apple M2 Ultra: unsure. Check it before you buy."
    )


@pytest.mark.parametrize(("users", "label"), [(1, "1 user"), (16, "16 users")])
def test_curve_counts_its_users_in_the_right_number(users: int, label: str) -> None:
    level = Level(users=users, per_user=12.0, per_card=12.0 * users, tpot_ms=83.0)
    plot = latency_throughput([level], here=users, limit_users=None, limit_text="", title="", desc="")
    assert [mark.label for mark in plot.marks] == [label]


def test_problem_names_types_in_words() -> None:
    values = {"expected": "number", "found": "text"}
    assert word(PROBLEMS, "wrong_type", values) == "Expected a number, found text."


@pytest.mark.parametrize("engine", ["vllm", "sglang", "tensorrt-llm", "llama.cpp"])
@pytest.mark.parametrize(
    "model", ["Qwen/Qwen2.5-7B-Instruct", "deepseek-ai/DeepSeek-V3", "google/gemma-3-27b-it"]
)
def test_every_formula_is_marked_for_translation(engine: str, model: str) -> None:
    keys = {"m": model, "e": engine, "a": "nvidia-h200-sxm5-141gb", "n": "8"}
    answer = estimates.answer([read_plan(keys).request()], catalog=load_shipped())[0]
    formulas = {term["formula"] for term in answer["explain"]}
    # symbols alone read alike everywhere
    symbols = {"E × (1 − (1 − k/E)^(sequences^routing))"}
    assert formulas
    assert formulas - symbols <= WORKING_TEXTS


def test_formula_is_said_in_the_language_in_force() -> None:
    term = {
        "term": "t",
        "result": 1,
        "unit": "ms",
        "values": {},
        "formula": "total",
        "source": "a citation, 2025",
    }
    with translation.override("zh-hans"):
        (step,) = steps({"explain": [term]})
        assert step.formula == gettext("total")
        assert step.source == "a citation, 2025"
