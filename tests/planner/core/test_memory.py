"""Memory against printed start-up logs, and the properties that hold for every request."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from planner.core.memory import evaluate
from tests.planner.core.asking import CATALOG, answer, ask, codes

LOGS = json.loads((Path(__file__).parents[2] / "data" / "vllm_startup_logs.json").read_text())["logs"]


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log["name"])
def test_startup_log_is_what_the_engine_printed(log):
    batch = answer(
        log["model"],
        log["accelerator"],
        weights=log["weights"],
        kv_cache_dtype=log["kv_cache_dtype"],
        tensor=log["tensor"],
        pipeline=log["pipeline"],
        version=log["version"],
        **log["settings"],
    )
    printed = log["printed"]
    assert batch.verdicts == ["fits"]
    assert batch.log_weights_gib[0] == pytest.approx(printed["weights_gib"], rel=0.01)
    assert batch.log_kv_cache_gib[0] == pytest.approx(printed["kv_available_gib"], abs=0.35)
    if "kv_tokens" in printed:
        assert batch.log_kv_cache_tokens[0] == pytest.approx(printed["kv_tokens"], rel=0.07)
        assert batch.log_max_concurrency[0] == pytest.approx(printed["max_concurrency"], rel=0.07)


def test_log_counts_tokens_as_its_version_does():
    # the same pool: blocks over groups up to 0.19, concurrency x length from 0.20
    older = answer("google/gemma-3-27b-it", version="0.19.0", max_model_len=32768)
    newer = answer("google/gemma-3-27b-it", version="0.20.2", max_model_len=32768)
    assert older.log_kv_cache_tokens[0] < older.log_max_concurrency[0] * 32768 * 0.7
    assert newer.log_kv_cache_tokens[0] == math.floor(newer.log_max_concurrency[0] * 32768)


def test_mla_model_is_tiny_per_token_only_where_the_engine_has_a_latent_cache():
    # DeepSeek-V2-Lite: 27 x 576 x 2 bytes, against 16 heads of 256 for K and V before
    assert answer("deepseek-ai/DeepSeek-V2-Lite-Chat", version="0.19.0").kv_bytes_per_token[0] == 31_104
    assert (
        answer("deepseek-ai/DeepSeek-V2-Lite-Chat", version="0.6.3").kv_bytes_per_token[0] == 27 * 16 * 1024
    )


def test_budget_is_a_share_of_what_cuda_sees():
    batch = answer("Qwen/Qwen2.5-7B-Instruct", version="0.19.0", max_model_len=4096)
    # nvidia-smi prints 81,559 MiB for this card and CUDA gives 79.19 GiB to a program
    assert batch.total_gib[0] == pytest.approx(79.19, abs=0.1)
    assert batch.budget_gib[0] == pytest.approx(0.9 * batch.total_gib[0])


def test_parts_add_up_to_the_budget():
    batch = answer("Qwen/Qwen3-8B", version="0.28.0", max_model_len=4096)
    parts = batch.weights_gib + batch.activation_gib + batch.non_torch_gib + batch.cuda_graph_gib
    assert (parts + batch.kv_cache_gib)[0] == pytest.approx(batch.budget_gib[0])
    assert batch.outside_budget_gib[0] == 0


def test_graphs_come_on_top_of_the_budget_before_0_20():
    batch = answer("Qwen/Qwen3-8B", version="0.19.0", max_model_len=4096)
    assert batch.outside_budget_gib[0] == batch.cuda_graph_gib[0] > 0


def test_eager_mode_captures_nothing():
    assert answer("Qwen/Qwen3-8B", max_model_len=4096, enforce_eager=True).cuda_graph_gib[0] == 0


def test_fewer_sequences_need_less_for_the_sampler():
    many = answer("Qwen/Qwen3-8B", version="0.19.0", max_model_len=4096, max_num_seqs=1024)
    few = answer("Qwen/Qwen3-8B", version="0.19.0", max_model_len=4096, max_num_seqs=16)
    assert few.activation_gib[0] < many.activation_gib[0] / 2


@pytest.mark.parametrize(
    ("version", "accelerator", "sequences", "tokens"),
    [
        ("0.19.0", "nvidia-h100-sxm5-80gb", 1024, 8192),
        ("0.19.0", "nvidia-a100-sxm4-80gb", 256, 2048),
        ("0.19.0", "nvidia-rtx-4090", 256, 2048),
        ("0.28.0", "nvidia-b200-sxm", 1024, 16384),
        ("0.6.3", "nvidia-rtx-4090", 256, 20000),  # before chunked prefill a whole prompt at once
    ],
)
def test_defaults_follow_version_and_card(version, accelerator, sequences, tokens):
    batch = answer("meta-llama/Llama-3.1-8B-Instruct", accelerator, version=version, max_model_len=20000)
    assert (batch.max_num_seqs[0], batch.max_num_batched_tokens[0]) == (sequences, tokens)


def test_no_accelerator_still_answers_what_needs_none():
    batch = answer("Qwen/Qwen2.5-7B-Instruct", None)
    assert batch.verdicts == ["unknown"]
    assert codes(batch) == ["no_accelerator_given"]
    assert batch.kv_bytes_per_token[0] == 57_344
    assert math.isnan(batch.kv_cache_gib[0])
    assert math.isnan(batch.total_gib[0])


def test_interval_holds_the_estimate():
    batch = answer("Qwen/Qwen2.5-7B-Instruct", max_model_len=4096)
    assert batch.kv_cache_low_gib[0] < batch.kv_cache_gib[0] < batch.kv_cache_high_gib[0]


def test_sequence_bytes_stop_growing_with_a_window():
    batch = answer("google/gemma-3-27b-it", version="0.19.0", max_model_len=32768)
    short, long = (float(batch.sequence_bytes(np.array([float(n)]))[0]) for n in (1024, 32768))
    # by hand: 10 growing layers and 60 windowed ones (padding included) of 8192 B
    assert short == 70 * 8192 * 1024
    assert long == 10 * 8192 * 32768 + 60 * 8192 * 1024


def test_sglang_pool_is_what_its_share_leaves():
    # https://github.com/vllm-project/vllm/issues/21348 and SGLang's own rule: free − total × (1 − share)
    batch = answer(
        "Qwen/Qwen2.5-7B-Instruct",
        "nvidia-rtx-4090",
        engine="sglang",
        gpu_memory_utilization=0.8,
        max_model_len=4096,
    )
    expected = 0.8 * batch.total_gib - batch.weights_gib - batch.non_torch_gib
    assert batch.kv_cache_gib[0] == pytest.approx(expected[0])


def test_tensorrt_llm_takes_a_share_of_what_is_free():
    batch = answer("Qwen/Qwen2.5-7B-Instruct", engine="tensorrt-llm", max_model_len=4096)
    taken = batch.weights_gib + batch.activation_gib + batch.non_torch_gib + batch.cuda_graph_gib
    assert batch.kv_cache_gib[0] == pytest.approx(0.9 * (batch.total_gib - taken)[0])


def test_llama_cpp_allocates_the_context_and_keeps_the_embedding_in_host_memory():
    batch = answer(
        "meta-llama/Meta-Llama-3-8B-Instruct",
        "nvidia-rtx-4090",
        engine="llama.cpp",
        weights="gguf-q4_k_m",
        max_model_len=8192,
    )
    assert batch.verdicts == ["fits"]
    assert batch.kv_cache_gib[0] == 1.0  # 32 layers x 4096 B x 8192
    # a start of this file printed 4403.5 MiB on the GPU
    assert batch.weights_gib[0] * 1024 == pytest.approx(4403.5, rel=0.001)


LLAMA_3_8B = "meta-llama/Meta-Llama-3-8B-Instruct"


def test_llama_cpp_reserves_a_context_for_each_named_slot():
    shared, slots = evaluate(
        [
            ask(LLAMA_3_8B, "nvidia-rtx-4090", engine="llama.cpp", weights="gguf-q4_k_m", max_model_len=4096),
            ask(
                LLAMA_3_8B,
                "nvidia-rtx-4090",
                engine="llama.cpp",
                weights="gguf-q4_k_m",
                max_model_len=4096,
                max_num_seqs=4,
            ),
        ]
    ).kv_cache_gib
    # 32 layers x 4096 B x 4096 cells, shared by all slots or for each of four
    assert (shared, slots) == (0.5, 2.0)


def test_llama_cpp_short_of_memory_is_told_the_context_that_fits():
    asked = {"engine": "llama.cpp", "weights": "gguf-q4_k_m", "max_num_seqs": 16}
    batch = answer(LLAMA_3_8B, "nvidia-rtx-4090", max_model_len=32768, **asked)
    reason = batch.reasons[0][0]
    assert (batch.verdicts[0], reason.code) == ("does_not_fit", "kv_cache_below_one_sequence")
    longest = reason.fix["settings"]["max_model_len"]
    assert answer(LLAMA_3_8B, "nvidia-rtx-4090", max_model_len=longest, **asked).verdicts == ["fits"]


def test_pipeline_stages_differ_and_the_tightest_counts():
    batch = answer("meta-llama/Llama-3.1-8B-Instruct", version="0.19.0", pipeline=4, max_model_len=8192)
    assert (
        batch.kv_cache_gib[0] < batch.log_kv_cache_gib[0]
    )  # the last stage holds the head, the log is the first's


def test_batch_gives_the_same_as_one_by_one():
    requests = [
        ask("Qwen/Qwen2.5-7B-Instruct", max_model_len=4096),
        ask("google/gemma-3-27b-it", tensor=2, version="0.19.0"),
        ask("deepseek-ai/DeepSeek-V4-Flash", "nvidia-h200-sxm5-141gb", tensor=4),
        ask("Qwen/Qwen3-8B", None),
        ask("Qwen/Qwen3-8B", "nvidia-rtx-4090", engine="llama.cpp", weights="gguf-q8_0", max_model_len=8192),
    ]
    together = evaluate(requests)
    for row, request in enumerate(requests):
        alone = evaluate([request])
        assert alone.verdicts[0] == together.verdicts[row]
        assert alone.reasons[0] == together.reasons[row]
        for name in ("kv_cache_gib", "kv_bytes_per_token", "log_kv_cache_tokens", "activation_gib"):
            assert np.array_equal(getattr(alone, name)[0], getattr(together, name)[row], equal_nan=True)


def test_every_model_is_answered_on_every_engine():
    weights = {"vllm": None, "sglang": None, "tensorrt-llm": None, "llama.cpp": "gguf-q4_k_m"}
    requests = [
        ask(model, engine=engine, weights=scheme, max_model_len=1024)
        for model in CATALOG.models
        for engine, scheme in weights.items()
    ]
    batch = evaluate(requests)
    assert set(batch.verdicts) <= {"fits", "does_not_fit", "unsupported"}
    assert np.isfinite(batch.weights_gib).all()
    known = [bool(request.model.cache_groups) for request in requests]
    assert (batch.kv_bytes_per_token[known] > 0).all()


def test_cache_format_of_unknown_size_is_unknown_and_not_guessed():
    batch = answer("Qwen/Qwen3-8B", "amd-mi300x", kv_cache_dtype="octave_k3v4", max_model_len=4096)
    assert batch.verdicts == ["unknown"]
    assert codes(batch) == ["kv_cache_layout_unknown"]
    assert math.isnan(batch.kv_bytes_per_token[0])


def test_more_stages_than_layers_is_refused_with_finite_figures():
    batch = answer("Qwen/Qwen3-8B", pipeline=100, max_model_len=4096)
    assert codes(batch) == ["more_stages_than_layers"]
    assert np.isfinite(batch.weights_gib).all()


def test_tensorrt_llm_follows_the_cache_that_a_calibrated_checkpoint_names():
    plain, calibrated = (
        answer("Qwen/Qwen3-8B", engine="tensorrt-llm", weights=scheme, max_model_len=4096).kv_bytes_per_token[
            0
        ]
        for scheme in ("bf16", "fp8")
    )
    assert (plain, calibrated) == (147_456, 73_728)


def test_sparse_latent_model_had_an_eight_bit_cache_by_default_at_first():
    # https://github.com/vllm-project/vllm/pull/25988: 61 layers of 656 + 132 bytes
    batch = answer("deepseek-ai/DeepSeek-V3.2", tensor=8, version="0.11.2", max_model_len=4096)
    assert batch.kv_bytes_per_token[0] == 61 * (656 + 132)
