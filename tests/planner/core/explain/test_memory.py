"""The working: it ends in the figures of the answer, and every term has a source."""

import pytest

from planner.core.explain.memory import terms
from planner.core.memory import evaluate
from tests.planner.core.asking import ask


@pytest.mark.parametrize("engine", ["vllm", "sglang", "tensorrt-llm"])
def test_terms_end_in_the_answer(engine):
    request = ask("google/gemma-3-27b-it", engine=engine, max_model_len=8192)
    batch = evaluate([request])
    found = {term.term: term for term in terms(request, batch, 0)}
    for name in (
        "total_gib",
        "weights_gib",
        "activation_gib",
        "cuda_graph_gib",
        "kv_cache_gib",
        "kv_bytes_per_token",
    ):
        assert found[name].result == pytest.approx(float(getattr(batch, name)[0]), abs=1e-4)
    assert all(term.source and term.formula for term in found.values())


def test_terms_without_accelerator_leave_out_what_is_not_known():
    request = ask("Qwen/Qwen3-8B", None)
    found = {term.term: term.result for term in terms(request, evaluate([request]), 0)}
    assert "total_gib" not in found
    assert found["kv_cache_gib"] is None
    assert found["kv_bytes_per_token"] == 147_456
