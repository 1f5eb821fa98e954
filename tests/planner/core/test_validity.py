"""Refusals: each code once where it must be, and the cases beside it that pass."""

import pytest

from planner.core.memory import evaluate
from tests.planner.core.asking import answer, ask, codes

QWEN = "Qwen/Qwen2.5-7B-Instruct"


@pytest.mark.parametrize(
    ("model", "changes", "verdict", "code"),
    [
        # AssertionError: 151936 is not divisible by 5 (start-up log, vLLM 0.19.0)
        ("Qwen/Qwen3-14B", {"tensor": 5}, "does_not_fit", "vocabulary_not_divisible_by_tp"),
        ("meta-llama/Llama-3.1-8B-Instruct", {"tensor": 3}, "does_not_fit", "heads_not_divisible_by_tp"),
        ("microsoft/phi-4", {"tensor": 4}, "does_not_fit", "kv_heads_not_divisible_by_tp"),
        (QWEN, {"max_model_len": 32769}, "does_not_fit", "context_above_model_limit"),
        (
            QWEN,
            {"version": "0.19.0", "kv_cache_dtype": "nvfp4"},
            "unsupported",
            "kv_cache_dtype_not_in_engine",
        ),
        (QWEN, {"kv_cache_dtype": "nvfp4"}, "unsupported", "kv_cache_dtype_not_on_card"),
        (QWEN, {"version": "0.6.3", "block_size": 64}, "does_not_fit", "block_size_not_in_engine"),
        (QWEN, {"version": "0.24.0", "weights": "gguf-q4_k_m"}, "unsupported", "scheme_not_in_engine"),
        (QWEN, {"version": "0.28.0", "weights": "bnb-nf4"}, "unsupported", "scheme_not_in_engine"),
        (QWEN, {"engine": "llama.cpp"}, "fits", None),
        (QWEN, {"accelerator": "nvidia-v100-sxm2-32gb"}, "unsupported", "card_below_engine_floor"),
        (
            QWEN,
            {"accelerator": "amd-mi300x", "engine": "tensorrt-llm"},
            "unsupported",
            "engine_not_for_vendor",
        ),
        (QWEN, {"max_num_batched_tokens": 64, "max_num_seqs": 128}, "does_not_fit", "batch_below_sequences"),
        (QWEN, {"pipeline": 32}, "does_not_fit", "more_stages_than_layers"),
        ("meta-llama/Llama-3.2-11B-Vision-Instruct", {}, "unsupported", "architecture_not_in_engine"),
        (
            "MiniMaxAI/MiniMax-M2",
            {"tensor": 8, "version": "0.19.0"},
            "does_not_fit",
            "expert_width_misaligned",
        ),
        (
            "Qwen/Qwen2.5-14B-Instruct",
            {"tensor": 8, "weights": "awq-int4"},
            "does_not_fit",
            "quantization_group_misaligned",
        ),
    ],
)
def test_refusal(model, changes, verdict, code):
    batch = answer(model, changes.pop("accelerator", "nvidia-h100-sxm5-80gb"), **changes)
    assert batch.verdicts == [verdict]
    assert code is None or code in codes(batch)


@pytest.mark.parametrize(
    ("weights", "accelerator"),
    [
        ("fp8", "nvidia-rtx-3090"),  # weight-only through Marlin: a start on two such cards is on record
        ("nvfp4", "nvidia-rtx-a6000"),
        ("fp8", "nvidia-rtx-4090"),
    ],
)
def test_weight_only_kernels_take_formats_that_the_card_lacks(weights, accelerator):
    assert answer(QWEN, accelerator, weights=weights, max_model_len=4096).verdicts == ["fits"]


def test_removed_architecture_starts_on_its_last_version():
    batch = answer("meta-llama/Llama-3.2-11B-Vision-Instruct", version="0.10.2", max_model_len=4096)
    assert batch.verdicts == ["fits"]


def test_llama_cpp_only_warns_above_the_models_context():
    batch = answer(QWEN, engine="llama.cpp", weights="gguf-q4_k_m", max_model_len=40000)
    assert batch.verdicts == ["fits"]


def test_llama_cpp_splits_by_layers_so_that_nothing_must_divide():
    batch = answer(QWEN, engine="llama.cpp", weights="gguf-q4_k_m", tensor=3, max_model_len=4096)
    assert batch.verdicts == ["fits"]


def test_expert_parallel_spares_expert_width():
    batch = answer("MiniMaxAI/MiniMax-M2", tensor=8, version="0.19.0", expert=True, max_model_len=4096)
    assert "expert_width_misaligned" not in codes(batch)


def test_fix_of_a_degree_divides_everything():
    (reason, *_) = answer("meta-llama/Llama-3.1-8B-Instruct", tensor=3).reasons[0]
    assert reason.fix == {"count": 2, "parallelism": {"tensor": 2}}


def test_weights_above_the_budget_say_how_much():
    batch = answer("meta-llama/Llama-3.3-70B-Instruct", max_model_len=4096)
    (reason,) = batch.reasons[0]
    assert reason.code == "weights_exceed_budget"
    assert reason.values["short_gib"] == pytest.approx(batch.weights_gib[0] - batch.budget_gib[0])


def test_too_little_for_one_sequence_offers_the_longest_that_fits():
    # Qwen3-32B on one 80 GB card with vLLM 0.11.0 at 32,000 tokens: refused, on record
    batch = answer("Qwen/Qwen3-32B", version="0.11.0", max_model_len=32000)
    (reason,) = batch.reasons[0]
    assert reason.code == "kv_cache_below_one_sequence"
    longest = reason.fix["settings"]["max_model_len"]
    assert longest % 16 == 0
    shorter, longer = evaluate(
        [ask("Qwen/Qwen3-32B", version="0.11.0", max_model_len=n) for n in (longest, longest + 16)]
    ).verdicts
    assert (shorter, longer) == ("fits", "does_not_fit")


def test_no_memory_left_after_overheads():
    # Llama-3.3-70B FP8 on one 80 GB card: -1.44 GiB printed by vLLM 0.11.0 at 0.90, started by 0.19.0 at 0.95
    tight = answer("meta-llama/Llama-3.3-70B-Instruct", weights="fp8", version="0.11.0", max_model_len=16000)
    assert codes(tight) == ["no_kv_memory"]
    assert tight.kv_cache_gib[0] == pytest.approx(-1.44, abs=0.1)
    wide = answer(
        "meta-llama/Llama-3.3-70B-Instruct",
        weights="fp8",
        version="0.19.0",
        max_model_len=8192,
        gpu_memory_utilization=0.95,
    )
    assert wide.verdicts == ["fits"]


def test_share_above_what_is_free_is_refused():
    batch = answer(QWEN, gpu_memory_utilization=1.0, max_model_len=4096)
    assert codes(batch) == ["budget_above_free_memory"]


def test_hybrid_model_needs_a_state_block_per_sequence():
    batch = answer("Qwen/Qwen3.5-35B-A3B", max_model_len=4096, max_num_seqs=1024)
    assert codes(batch) == ["state_blocks_below_max_num_seqs"]
    fewer = batch.reasons[0][0].fix["settings"]["max_num_seqs"]
    again = answer("Qwen/Qwen3.5-35B-A3B", max_model_len=4096, max_num_seqs=fewer)
    assert again.verdicts == ["fits"]
