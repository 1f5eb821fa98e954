"""What a command amounts to: model, weights, cache, parallelism and settings as an estimate request."""

from typing import Any

import pytest

from planner.core.check.names import card_name, model_name
from tests.planner.core.check.judging import CATALOG, H100, errors, judged, warnings


def read(command: str, **given: Any) -> dict[str, Any]:
    found: dict[str, Any] = judged(command, **given)["read"]
    return found


def test_flags_of_vllm_become_settings() -> None:
    found = read(
        "vllm serve Qwen/Qwen3-30B-A3B -tp 2 -dp 2 --enable-expert-parallel --max-model-len 16k --max-num-seqs=64 "
        "--kv-cache-dtype fp8 --quantization fp8 --gpu-memory-utilization 0.8 --enforce-eager",
        version="0.20.2",
        accelerator=H100,
        count=4,
    )
    assert found["parallelism"] == {"tensor": 2, "pipeline": 1, "data": 2, "expert": True}
    assert (found["count"], found["weights"], found["kv_cache_dtype"]) == (4, "fp8", "fp8")
    # k is a thousand in the engine's readable numbers
    assert found["settings"] == {
        "gpu_memory_utilization": 0.8,
        "max_model_len": 16_000,
        "max_num_seqs": 64,
        "max_num_batched_tokens": None,
        "block_size": None,
        "enforce_eager": True,
    }


@pytest.mark.parametrize("how", ["--attn-dp-size 8", "--dp-size 8 --enable-dp-attention"])
def test_copies_of_the_attention_share_the_experts_and_the_limits(how: str) -> None:
    found = read(
        f"python3 -m sglang.launch_server --model-path deepseek-ai/DeepSeek-V3 --tp-size 8 --ep-size 8 {how} "
        "--max-running-requests 64 --chunked-prefill-size 65536",
        accelerator="nvidia-h200-sxm5-141gb",
    )
    assert found["parallelism"] == {"tensor": 1, "pipeline": 1, "data": 8, "expert": True}
    assert (found["count"], found["settings"]["max_num_seqs"]) == (8, 8)
    assert found["settings"]["max_num_batched_tokens"] == 8192


def test_context_of_llama_server_is_shared_by_its_slots() -> None:
    command = "llama-server -m ./Qwen3-8B-Q4_K_M.gguf -c 32768 -np 4 -ctk q8_0 -ctv q8_0 -fa on -ngl all"
    found = read(command)
    assert (found["settings"]["max_model_len"], found["settings"]["max_num_seqs"]) == (8_192, 4)
    assert (found["model"]["id"], found["weights"], found["kv_cache_dtype"]) == (
        "Qwen/Qwen3-8B",
        "gguf-q4_k_m",
        "q8_0",
    )
    unified = read(command + " --kv-unified")
    assert (unified["settings"]["max_model_len"], unified["settings"]["max_num_seqs"]) == (32_768, None)


@pytest.mark.parametrize(
    ("typed", "given", "model", "scheme"),
    [
        ("Qwen/Qwen3-8B", None, "Qwen/Qwen3-8B", None),
        ("qwen/qwen3-8b", None, "Qwen/Qwen3-8B", None),
        ("/models/Qwen3-8B", None, "Qwen/Qwen3-8B", None),
        ("./Qwen3-8B-Q5_K_M.gguf", None, "Qwen/Qwen3-8B", "gguf-q5_k_m"),
        ("m/Qwen3-32B-UD-Q4_K_M-00001-of-00002.gguf", None, "Qwen/Qwen3-32B", "gguf-q4_k_m"),
        ("/root/hub/models--Qwen--Qwen3-8B/snapshots/0a1", None, "Qwen/Qwen3-8B", None),
        ("someone/Qwen3-8B-AWQ-INT4", None, "Qwen/Qwen3-8B", "awq-int4"),
        ("/data/model", "Qwen/Qwen3-8B", "Qwen/Qwen3-8B", None),
        ("/data/m.gguf", "Qwen/Qwen3-8B (GGUF Q4_K_M)", "Qwen/Qwen3-8B", "gguf-q4_k_m"),
        ("no/such-model", None, None, None),
    ],
)
def test_models_are_known_by_id_path_file_and_variant(
    typed: str, given: str | None, model: str | None, scheme: str | None
) -> None:
    found = model_name(CATALOG, typed, given)
    assert (found.id, found.scheme) == (model, scheme)


@pytest.mark.parametrize(
    ("typed", "ids"),
    [
        ("nvidia-h100-sxm5-80gb", ("nvidia-h100-sxm5-80gb",)),
        ("NVIDIA H100 80GB HBM3", ("nvidia-h100-sxm5-80gb",)),
        ("H100 80GB", ("nvidia-h100-sxm5-80gb", "nvidia-h100-pcie-80gb")),
        ("A100 80GB", ("nvidia-a100-sxm4-80gb", "nvidia-a100-pcie-80gb")),
        ("RTX 4090", ("nvidia-rtx-4090",)),
        ("rtx4090 24 GB", ("nvidia-rtx-4090",)),
        ("L40S 48GB", ("nvidia-l40s",)),
        ("V100 32GB", ("nvidia-v100-sxm2-32gb", "nvidia-v100-pcie-32gb")),
        ("warp drive", ()),
    ],
)
def test_cards_are_known_as_people_type_them(typed: str, ids: tuple[str, ...]) -> None:
    assert card_name(CATALOG, typed).ids == ids


def test_count_may_stand_in_front_of_a_card() -> None:
    assert (card_name(CATALOG, "4x L40S").ids, card_name(CATALOG, "4x L40S").count) == (("nvidia-l40s",), 4)


def test_cards_that_disagree_are_asked_about_and_do_not_refuse() -> None:
    # 70B in 16 bits over two cards: 65.7 GiB each, above 0.92 of 40 GB and below 0.92 of 80 GB
    found = judged(
        "vllm serve meta-llama/Llama-3.1-70B-Instruct -tp 2 --max-model-len 4096",
        version="0.20.2",
        accelerator="A100",
        count=2,
    )
    assert (found["valid"], "accelerator_ambiguous" in warnings(found)) == (True, True)


def test_slip_of_a_flag_is_one_mistake_and_its_value_counts_for_memory() -> None:
    # 61 GiB of weights need four cards of 24 GB, and four were asked for: the memory is not wrong, the spelling is
    found = judged(
        "vllm serve Qwen/Qwen2.5-Coder-32B-Instruct --tensor-paralel-size 4 --max-model-length 8192 --kv-cache-dtype fp8",
        version="0.20.2",
        accelerator="RTX 4090",
        count=4,
    )
    assert errors(found) == [
        ("flag_unknown", "--tensor-paralel-size"),
        ("flag_unknown", "--max-model-length"),
    ]
    assert warnings(found) == []
    assert found["mended_command"] == (
        "vllm serve Qwen/Qwen2.5-Coder-32B-Instruct --tensor-parallel-size 4 --max-model-len 8192 --kv-cache-dtype fp8"
    )
    assert found["read"]["parallelism"]["tensor"] == 4


def test_slip_beside_the_right_flag_leaves_the_right_one_in_force() -> None:
    found = judged(
        "vllm serve Qwen/Qwen2.5-Coder-32B-Instruct --tensor-parallel-size 4 --tensor-paralel-size 2",
        version="0.20.2",
    )
    assert (errors(found), found["read"]["parallelism"]["tensor"]) == (
        [("flag_unknown", "--tensor-paralel-size")],
        4,
    )


def test_memory_that_is_short_refuses_with_the_length_that_fits() -> None:
    found = judged(
        "vllm serve Qwen/Qwen2.5-14B-Instruct --max-model-len 32768 --quantization fp8",
        version="0.20.2",
        accelerator="nvidia-rtx-4090",
        count=1,
    )
    assert errors(found) == [("kv_cache_below_one_sequence", "--max-model-len")]
    assert found["mended_command"].startswith("vllm serve Qwen/Qwen2.5-14B-Instruct --max-model-len ")


def test_widened_length_is_a_warning() -> None:
    command = "vllm serve meta-llama/Meta-Llama-3-8B-Instruct --max-model-len 16384"
    assert errors(judged(command, version="0.20.2")) == [("context_above_model_limit", "--max-model-len")]
    widened = judged("VLLM_ALLOW_LONG_MAX_MODEL_LEN=1 " + command, version="0.20.2")
    assert (widened["valid"], warnings(widened)) == (True, ["length_widened"])


def test_widened_length_is_weighed_and_not_refused_by_its_own_estimate() -> None:
    yarn = '{"rope_scaling":{"rope_type":"yarn","factor":4.0,"original_max_position_embeddings":32768}}'
    command = f"vllm serve Qwen/Qwen3-32B --max-model-len 131072 --hf-overrides '{yarn}' -tp "
    # 131,072 tokens x 256 KiB are 32 GiB beside 61 GiB of weights: two cards hold both, one does not
    two, one = judged(command + "2", accelerator=H100), judged(command + "1", accelerator=H100)
    assert (two["valid"], two["estimate"]["verdict"]) == (True, "fits")
    assert (one["valid"], one["estimate"]["verdict"]) == (False, "does_not_fit")


def test_risks_are_warnings() -> None:
    high = judged("vllm serve Qwen/Qwen3-8B --gpu-memory-utilization 0.98", version="0.20.2")
    assert (high["valid"], warnings(high)) == (True, ["memory_share_high"])
    # 4 KV heads, config.json of Qwen2.5-7B; 28 heads divide by 7 and 14
    assert "kv_heads_repeated" not in warnings(judged("vllm serve Qwen/Qwen2.5-7B-Instruct -tp 4"))
    gone = judged("VLLM_USE_V1=1 vllm serve Qwen/Qwen3-8B", version="0.20.2")
    assert (gone["valid"], warnings(gone)) == (True, ["variable_not_read"])
    key = judged("vllm serve Qwen/Qwen3-8B --api-key sk-secret", version="0.20.2")
    assert warnings(key) == ["secret_on_command_line"]
    assert [item["value"] for item in key["flags"]] == ["…"]


def test_versions_that_were_not_read_are_said_to_be_so() -> None:
    assert warnings(judged("vllm serve Qwen/Qwen3-8B", version="0.27.0")) == ["version_between"]
    assert warnings(judged("vllm serve Qwen/Qwen3-8B", version="9.9")) == ["version_beyond"]
    # bitsandbytes was built in at 0.26.0 and not at 0.28.0; nobody read 0.27.0
    between = judged("vllm serve Qwen/Qwen3-8B --quantization bitsandbytes", version="0.27.0")
    assert "value_unsure" in warnings(between)


def test_unknown_model_is_a_warning_with_close_names() -> None:
    found = judged("vllm serve Qwen/Qwen3-8", version="0.20.2")
    assert (found["valid"], warnings(found)) == (True, ["model_not_in_catalog"])
    assert "Qwen/Qwen3-8B" in found["problems"][0]["values"]["close"]
