"""What a command says beside its flags: reasons, notes, what is left out, and which names it may use."""

import pytest

from planner.core.estimate import evaluate
from planner.core.launch.checkpoint import released, same_model
from planner.core.launch.commands import commands
from planner.core.launch.host import tagged
from planner.core.launch.render import gpu_list
from planner.core.launch.render_units import argument
from planner.core.parse import parse_request
from tests.planner.core.launch.commanding import CATALOG, QWEN, answer, codes
from tests.planner.core.launch.reading import systemd_words


def test_plan_that_does_not_fit_has_no_command() -> None:
    assert answer("meta-llama/Llama-3.1-70B-Instruct", "nvidia-rtx-4090") is None


def test_plan_without_a_card_has_no_command() -> None:
    assert answer(card=None) is None


def test_version_that_was_not_read_is_not_verified() -> None:
    between = answer(engine={"name": "vllm", "version": "0.21.0"})
    beyond = answer(engine={"name": "vllm", "version": "0.40.0"})
    assert (between["verified"], beyond["verified"]) == (False, False)
    assert next(note["values"] for note in between["notes"] if note["code"] == "version_between") == {
        "older": "0.20.2",
        "newer": "0.22.0",
        "engine": "vllm",
        "version": "0.21.0",
    }
    assert "version_beyond" in codes(beyond)


def test_cards_beyond_one_machine_are_told_about() -> None:
    found = answer(card="nvidia-h100-sxm5-80gb", parallelism={"tensor": 4, "data": 4})
    assert next(note["values"] for note in found["notes"] if note["code"] == "one_machine_assumed") == {
        "devices": 16
    }


def test_power_cap_is_set_before_the_start() -> None:
    found = answer(power_limit_w=300, parallelism={"tensor": 2})
    note = next(note for note in found["notes"] if note["code"] == "cap_power_first")
    assert note["values"] == {"watts": 300, "command": "sudo nvidia-smi -i 0,1 -pl 300"}


def test_pass_has_a_token_for_each_sequence() -> None:
    """vLLM refuses max_num_batched_tokens below max_num_seqs (vllm/config/scheduler.py); its default here is 2,048."""
    found = answer(
        engine={"name": "vllm", "version": "0.19.0"}, settings={"max_model_len": 1024, "max_num_seqs": 4096}
    )
    assert "  --max-num-seqs 4096 \\\n  --max-num-batched-tokens 4096 \\\n" in found["shell"]


def test_driver_follows_the_binaries() -> None:
    """CUDA 12 programs need driver 525, CUDA 13 ones 580 (NVIDIA's table of minor versions)."""
    drivers = {}
    for version in ("0.19.0", "0.20.2"):
        notes = answer(engine={"name": "vllm", "version": version})["notes"]
        drivers[version] = next(note["values"]["driver"] for note in notes if note["code"] == "driver_needed")
    assert drivers == {"0.19.0": 525, "0.20.2": 580}


def test_jetson_has_the_driver_of_its_system_image_and_a_gb10_has_one_of_its_own() -> None:
    """JetPack brings driver and CUDA (NVIDIA's Jetson documentation); DGX OS installs the common driver."""
    told = {
        card: set(codes(answer(accelerator=card))) & {"driver_needed", "driver_of_board"}
        for card in ("nvidia-jetson-agx-orin-64gb", "nvidia-gb10-dgx-spark")
    }
    assert told == {
        "nvidia-jetson-agx-orin-64gb": {"driver_of_board"},
        "nvidia-gb10-dgx-spark": {"driver_needed"},
    }


def test_settings_bring_their_reasons() -> None:
    parsed = parse_request({"model": {"id": QWEN}, "accelerator": "nvidia-rtx-4090"}, CATALOG)
    settled, memory_batch, _ = evaluate([parsed], CATALOG)
    why = [
        {
            "name": "max_model_len",
            "value": 1,
            "reason": {"code": "length_of_model", "values": {"limit": 32768}},
        }
    ]
    found = commands(settled[0], memory_batch, 0, flags=CATALOG.flags, settings=why)
    reasons = {flag["flag"]: flag["reason"]["code"] for flag in found["flags"]}
    assert reasons["--max-model-len"] == "length_of_model"


@pytest.mark.parametrize(
    ("model", "release", "same"),
    [
        ("Qwen/Qwen2.5-7B-Instruct", "Qwen/Qwen2.5-7B-Instruct-AWQ", True),
        ("Qwen/Qwen2.5-7B", "Qwen/Qwen2.5-7B-Instruct-AWQ", False),
        ("meta-llama/Llama-3.1-8B", "RedHatAI/Meta-Llama-3.1-8B-quantized.w8a8", True),
        ("deepseek-ai/DeepSeek-R1", "nvidia/DeepSeek-R1-0528-NVFP4-v2", False),
        ("Qwen/Qwen3-30B-A3B", "Qwen/Qwen3-30B-A3B-Instruct-2507-FP8", False),
        ("Qwen/Qwen2.5-7B-Instruct-AWQ", "Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4", True),
    ],
)
def test_release_is_of_the_same_model_only_by_its_name(model: str, release: str, same: bool) -> None:
    assert same_model(model, release) is same


def test_another_tuning_of_the_same_shape_is_not_offered() -> None:
    assert released(CATALOG.models["Qwen/Qwen2.5-7B"], "awq-int4") is None
    assert released(CATALOG.models[QWEN], "awq-int4") == "Qwen/Qwen2.5-7B-Instruct-AWQ"


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("plain-word_1.2", "plain-word_1.2"),
        ("two words", '"two words"'),
        ("100%", "100%%"),
        ("$HOME", "$$HOME"),
        ('say "so"', '"say \\"so\\""'),
        ("back\\slash", '"back\\\\slash"'),
        ("", '""'),
        ("{'a': 1}", "\"{'a': 1}\""),
    ],
)
def test_word_of_a_unit_reads_back(word: str, text: str) -> None:
    """systemd.service(5), COMMAND LINES: % and $ are doubled, double quotes and backslashes escaped."""
    assert argument(word) == text
    assert systemd_words(f"ExecStart=/bin/x {text}") == ["/bin/x", word]


def test_list_of_gpus_has_quotes_of_its_own() -> None:
    assert gpu_list(("0",)) == "device=0"
    assert gpu_list(("0", "1")) == "'\"device=0,1\"'"


@pytest.mark.parametrize(
    ("version", "tag"),
    [("0.19.0", "0.19.0"), ("0.19", "0.19.0"), ("v0.22.0 + patch", "0.22.0"), ("1.2.0rc6", "1.2.0")],
)
def test_tag_is_the_release_with_three_numbers(version: str, tag: str) -> None:
    assert tagged(version) == tag


def test_tensorrt_llm_is_given_no_integers_of_another_quantizer() -> None:
    # the w4a16 release is in the format of compressed-tensors, of which the engine reads floats only
    large, asked = "meta-llama/Llama-3.3-70B-Instruct", {"weights": "int4-g128", "count": 2}
    more = {**asked, "card": "nvidia-h100-sxm5-80gb", "parallelism": {"tensor": 2}}
    other = answer(large, engine={"name": "vllm"}, **more)
    own = answer(large, engine={"name": "tensorrt-llm"}, **more)
    assert "RedHatAI/Llama-3.3-70B-Instruct-quantized.w4a16" in other["shell"]
    assert "checkpoint_to_fill_in" in codes(own)


def test_files_of_nvidias_quantizer_are_for_its_cards() -> None:
    # neither ROCm build reads quant_method modelopt: platform table of docs.sglang.io, supported_quantization of vLLM
    small = "meta-llama/Llama-3.1-8B-Instruct"
    there = answer(small, "amd-mi300x", weights="fp8", engine={"name": "vllm"})
    here = answer(small, "nvidia-h100-sxm5-80gb", weights="fp8", engine={"name": "vllm"})
    assert "nvidia/Llama-3.1-8B-Instruct-FP8" in here["shell"]
    assert "nvidia/" not in there["shell"]


MOE = "deepseek-ai/DeepSeek-V3"
SHARED = {"card": "nvidia-h200-sxm5-141gb", "count": 8}


def test_sglang_copies_the_attention_and_shares_the_experts() -> None:
    # docs.sglang.io, "DP, DPA": whole replicas (--dp-size 8) would each hold all experts. Its limits are of all copies.
    parallelism = {"tensor": 2, "data": 4, "expert": True}
    found = answer(MOE, engine={"name": "sglang"}, parallelism=parallelism, **SHARED)
    for words in (
        "--tp-size 8",
        "--attn-dp-size 4",
        "--ep-size 8",
        "--max-running-requests 64",
        "--chunked-prefill-size 8192",
    ):
        assert words in found["shell"]
    assert " --dp-size" not in found["shell"]


def test_tensorrt_llm_copies_the_attention_and_shares_the_experts() -> None:
    # nvidia.github.io/TensorRT-LLM, DeepSeek R1 deployment guide: enable_attention_dp with --tp_size 8 --ep_size 8
    parallelism = {"tensor": 1, "data": 8, "expert": True}
    found = answer(MOE, engine={"name": "tensorrt-llm"}, parallelism=parallelism, **SHARED)
    assert "enable_attention_dp: true" in found["shell"]
    assert "--tp_size 8" in found["shell"] and "--ep_size 8" in found["shell"]
    assert "server_per_replica" not in codes(found)
    assert "device=0,1,2,3,4,5,6,7" in found["docker"]


def test_name_from_a_config_is_never_a_checkpoint() -> None:
    config = {
        "model_type": "qwen2",
        "architectures": ["Qwen2ForCausalLM"],
        "hidden_size": 3584,
        "intermediate_size": 18944,
        "num_hidden_layers": 28,
        "num_attention_heads": 28,
        "num_key_value_heads": 4,
        "vocab_size": 152064,
        "max_position_embeddings": 32768,
        "torch_dtype": "bfloat16",
        "tie_word_embeddings": False,
        "_name_or_path": "$(reboot)'; rm -rf / #",
    }
    found = answer(config=config)
    assert found["shell"].startswith("vllm serve YOUR_BF16_CHECKPOINT \\\n")
    assert not any("reboot" in found[form] for form in ("shell", "docker", "compose", "systemd"))
    assert codes(found)[0] == "checkpoint_of_config"
