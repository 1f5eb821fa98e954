"""What start-up logs and published shapes say, against the estimates. Each figure is printed by an engine or given
by a model's config; the source stands beside it."""

import json
from pathlib import Path

import pytest

from tests.planner.core.asking import CATALOG, answer, codes

DIVISIONS = Path(__file__).parents[2] / "data" / "model_divisions.jsonl"
DEGREES = (1, 2, 4, 8, 16)
H100 = "nvidia-h100-sxm5-80gb"
# 0.19.0 on H100, utilization 0.95, length 8192: https://github.com/llm-d-incubation/llm-d-planner/pull/205
LLMD = {"version": "0.19.0", "gpu_memory_utilization": 0.95, "max_model_len": 8192}


def _divisions():
    """Degrees that divide heads, KV heads, widths and state heads of a model, and BF16 bytes per token at each;
    worked out from the published configs, not by this program. No bytes where windows or states are kept too."""
    return [json.loads(line) for line in DIVISIONS.read_text(encoding="utf-8").splitlines()]


def test_tensor_degrees_that_divide_are_accepted_and_no_others():
    wrong = []
    for row in _divisions():
        length = min(4096, CATALOG.models[row["id"]].max_position_embeddings)
        for degree in DEGREES:
            found = codes(answer(row["id"], "nvidia-b300-sxm", tensor=degree, max_model_len=length))
            refused = any("divisible" in code or "misaligned" in code for code in found)
            if refused == (degree in row["degrees"]):
                wrong.append((row["id"], degree, found))
    assert wrong == []


def test_bytes_per_token_of_plain_and_latent_caches_are_those_of_the_shape():
    wrong = []
    for row in _divisions():
        for degree, expected in zip(row["degrees"], row["bytes_per_token"] or (), strict=False):
            batch = answer(row["id"], "nvidia-b300-sxm", tensor=degree, max_model_len=2048)
            if expected and batch.kv_bytes_per_token[0] != pytest.approx(expected, rel=1e-9):
                wrong.append((row["id"], degree, expected, batch.kv_bytes_per_token[0]))
    assert wrong == []


@pytest.mark.parametrize("tensor", [1, 2, 4])
def test_latents_are_not_divided_by_the_tensor_degree(tensor):
    batch = answer("deepseek-ai/DeepSeek-V2-Lite-Chat", H100, tensor=tensor, **LLMD)
    assert batch.kv_bytes_per_token[0] == 31_104  # 27 layers x 576 x 2; the three logs of LLMD


def test_sparse_latents_in_fp8_cost_record_and_index_key():
    # 19.55 GiB for 341,504 tokens printed: 61,468 a token
    batch = answer(
        "zai-org/GLM-5.1", "nvidia-h200-sxm5-141gb", tensor=8, version="0.19.0", kv_cache_dtype="fp8"
    )
    assert batch.kv_bytes_per_token[0] == 78 * (656 + 132)


@pytest.mark.parametrize(
    ("model", "tensor", "pipeline", "printed_gib"),
    [
        ("meta-llama/CodeLlama-7b-hf", 1, 1, 0.77),  # a small vocabulary: the widest layer counts
        ("mistralai/Mixtral-8x7B-Instruct-v0.1", 2, 1, 1.21),
        ("Qwen/Qwen3-8B", 1, 1, 2.21),
        ("openai/gpt-oss-20b", 1, 1, 2.87),
        ("microsoft/phi-4", 1, 1, 1.52),
        ("google/gemma-2-27b-it", 1, 1, 3.66),
    ],
)
def test_activation_peak_is_what_the_profile_run_printed(model, tensor, pipeline, printed_gib):
    batch = answer(model, H100, tensor=tensor, pipeline=pipeline, **LLMD)
    assert batch.activation_gib[0] == pytest.approx(printed_gib, rel=0.05)


# RTX 3090, utilization 0.9, Llama-3.1-8B before prompts were cut: https://github.com/vllm-project/vllm/issues/10517
@pytest.mark.parametrize(
    ("length", "printed_gib", "verdict"),
    [(20_000, 2.07, "fits"), (29_000, 2.99, "does_not_fit"), (35_000, None, "fits")],
)
def test_a_longer_context_may_start_where_a_shorter_did_not(length, printed_gib, verdict):
    batch = answer(
        "meta-llama/Llama-3.1-8B-Instruct",
        "nvidia-rtx-3090",
        version="0.6.4",
        gpu_memory_utilization=0.9,
        max_model_len=length,
        max_num_batched_tokens=length if length < 32_768 else 512,
    )
    assert batch.verdicts == [verdict]
    if printed_gib is not None:
        assert batch.activation_gib[0] == pytest.approx(printed_gib, rel=0.03)


@pytest.mark.parametrize(
    ("version", "utilization", "length", "printed_gib"),
    [("0.19.0", 0.95, 8192, 5.01), ("0.11.0", 0.9, 16000, -1.44)],
)
def test_the_same_weights_leave_room_or_not_by_version_and_share(version, utilization, length, printed_gib):
    # Llama-3.3-70B in FP8 on one H100, 67.72 GiB: the collection of LLMD
    batch = answer(
        "meta-llama/Llama-3.3-70B-Instruct",
        H100,
        weights="fp8",
        version=version,
        gpu_memory_utilization=utilization,
        max_model_len=length,
    )
    assert batch.kv_cache_gib[0] == pytest.approx(printed_gib, abs=0.35)
    assert batch.verdicts == ["fits" if printed_gib > 0 else "does_not_fit"]


def test_experts_of_235b_on_four_cards_leave_what_the_log_says():
    # 8.11 GiB and 178,880 tokens printed, July 2025: https://github.com/vllm-project/vllm/issues/21348
    batch = answer("Qwen/Qwen3-235B-A22B-FP8", H100, tensor=4, version="0.9.2")
    assert batch.kv_cache_gib[0] == pytest.approx(8.11, abs=1.0)
    assert batch.kv_bytes_per_token[0] == pytest.approx(8.11 * 2**30 / 178_880, rel=0.015)


@pytest.mark.parametrize(
    ("accelerator", "version", "low", "high"),
    [
        (H100, "0.11.0", 0.54, 0.55),
        (H100, "0.19.0", 2.06, 2.11),
        # Two RTX 3090 in 0.22 leave what 7.81 requests of 262,144 tokens take: about 1 GiB is all that can be lost
        ("nvidia-rtx-3090", "0.22.0", 0.3, 1.3),
        ("nvidia-rtx-4090", "0.7.3", 0.25, 0.30),
    ],
)
def test_memory_outside_torch_of_two_ranks_is_in_the_printed_range(accelerator, version, low, high):
    batch = answer("Qwen/Qwen2.5-7B-Instruct", accelerator, tensor=2, version=version, max_model_len=4096)
    assert low <= batch.non_torch_gib[0] <= high


def test_hybrid_on_two_consumer_cards_holds_the_printed_number_of_requests():
    # 7.81 times 262,144 tokens on two RTX 3090: a start in the club-3090 collection of 0.22.0
    batch = answer(
        "Qwen/Qwen3.6-35B-A3B",
        "nvidia-rtx-3090",
        tensor=2,
        version="0.22.0",
        weights="int4-g128",
        kv_cache_dtype="fp8_e5m2",
        max_model_len=262_144,
        max_num_seqs=1,
    )
    assert batch.max_concurrency[0] == pytest.approx(7.81, rel=0.05)


# "max_num_seqs (1024) exceeds available Mamba cache blocks (856)": https://github.com/vllm-project/recipes/pull/551
def test_default_sequences_exceed_the_state_blocks_that_the_engine_counts():
    batch = answer("Qwen/Qwen3.6-27B-FP8", H100, version="0.22.0", gpu_memory_utilization=0.95)
    assert codes(batch) == ["state_blocks_below_max_num_seqs"]
    assert batch.reasons[0][0].values["blocks"] == pytest.approx(856, rel=0.02)


def test_state_blocks_are_counted_for_capture_only():
    # the check guards the capture of decode graphs: https://github.com/vllm-project/vllm/pull/38270
    eager = {"gpu_memory_utilization": 0.95, "enforce_eager": True}
    assert answer("Qwen/Qwen3.6-27B-FP8", H100, version="0.22.0", **eager).verdicts == ["fits"]


def test_graphs_beside_the_budget_refuse_only_what_is_sure():
    # 0.95 on a 24 GB card left 1.2 GiB to capture in; such starts took 0.04 to 1.2 GiB
    batch = answer(
        "Qwen/QwQ-32B",
        "nvidia-rtx-3090",
        version="0.8.5",
        weights="awq-int4",
        gpu_memory_utilization=0.95,
        max_model_len=8192,
    )
    assert batch.verdicts == ["fits"]
    assert batch.outside_budget_gib[0] > batch.total_gib[0] - batch.budget_gib[0]


@pytest.mark.parametrize(
    ("accelerator", "version", "sequences", "tokens", "share"),
    [
        ("nvidia-h100-sxm5-80gb", None, 1024, 8192, 0.92),
        ("nvidia-a100-sxm4-80gb", None, 256, 2048, 0.92),
        ("nvidia-b200-sxm", None, 1024, 16_384, 0.92),
        ("nvidia-b200-sxm", "0.26.0", 1024, 8192, 0.92),
        ("nvidia-gb10-dgx-spark", None, 256, 2048, 0.92),
        ("nvidia-gb10-dgx-spark", "0.26.0", 1024, 8192, 0.92),
        ("nvidia-a100-sxm4-80gb", "0.8.5", 1024, 8192, 0.9),
        ("nvidia-rtx-5090", "0.19.1", 256, 2048, 0.9),
    ],
)
def test_defaults_of_batch_and_share_follow_card_and_version(accelerator, version, sequences, tokens, share):
    # values of `vllm serve` read in the released packages
    batch = answer("Qwen/Qwen3-8B", accelerator, version=version)
    assert (batch.max_num_seqs[0], batch.max_num_batched_tokens[0]) == (sequences, tokens)
    assert batch.gpu_memory_utilization[0] == share


def test_eight_ranks_keep_more_outside_torch_than_two():
    # 1.78 GiB on eight accelerators and 2.53 on two nodes of eight H20, both in 2025
    batch = answer("Qwen/Qwen3-32B", "nvidia-h20", tensor=8, version="0.8.5", max_model_len=4096)
    assert 1.7 <= batch.non_torch_gib[0] <= 2.6


def test_total_is_the_one_that_logs_of_the_card_print():
    assert answer("Qwen/Qwen3-8B", H100, max_model_len=4096).total_gib[0] == 79.19  # LLMD


def test_sglang_pool_of_235b_holds_the_printed_tokens():
    # 367,404 tokens at a static share of 0.93: https://github.com/vllm-project/vllm/issues/21348
    batch = answer("Qwen/Qwen3-235B-A22B-FP8", H100, tensor=4, engine="sglang", gpu_memory_utilization=0.93)
    assert batch.kv_cache_tokens[0] == pytest.approx(367_404, rel=0.05)
