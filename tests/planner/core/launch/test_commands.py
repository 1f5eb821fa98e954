"""Commands word by word. Written by hand from the run lines in each project's own pages, not by running the code."""

from typing import Any

import pytest

from planner.catalog import load_shipped
from planner.core.estimate import evaluate
from planner.core.launch.checkpoint import released, same_model
from planner.core.launch.commands import commands
from planner.core.launch.host import tagged
from planner.core.launch.render import gpu_list
from planner.core.launch.render_units import argument
from planner.core.parse import parse_request
from planner.core.request import EstimateRequest
from tests.planner.core.launch.reading import systemd_words

CATALOG = load_shipped()
QWEN = "Qwen/Qwen2.5-7B-Instruct"


def answer(model: str = QWEN, card: str | None = "nvidia-rtx-4090", **more: Any) -> dict[str, Any] | None:
    request = {
        "model": {"id": model} if "config" not in more else {"config": more.pop("config")},
        "accelerator": card,
        "settings": {"max_model_len": 4096, "max_num_seqs": 16, "max_num_batched_tokens": 2048},
        "workload": {"input_tokens": 1024, "output_tokens": 256, "concurrency": 16},
        **more,
    }
    parsed = parse_request(request, CATALOG)
    assert isinstance(parsed, EstimateRequest), parsed
    settled, memory_batch, _ = evaluate([parsed], CATALOG)
    return commands(settled[0], memory_batch, 0, flags=CATALOG.flags)


def codes(found: dict[str, Any]) -> list[str]:
    return [note["code"] for note in found["notes"]]


def test_vllm_on_one_card() -> None:
    found = answer(engine={"name": "vllm", "version": "0.33.0"})
    assert found["shell"] == (
        "vllm serve Qwen/Qwen2.5-7B-Instruct \\\n"
        "  --max-model-len 4096 \\\n"
        "  --max-num-seqs 16 \\\n"
        "  --max-num-batched-tokens 2048 \\\n"
        "  --gpu-memory-utilization 0.92"
    )
    assert found["docker"] == (
        "docker run --rm \\\n"
        "  --gpus device=0 \\\n"
        "  --ipc host \\\n"
        "  -p 8000:8000 \\\n"
        "  -v ~/.cache/huggingface:/root/.cache/huggingface \\\n"
        "  -v vllm-compiled:/root/.cache/vllm \\\n"
        "  --env HF_TOKEN \\\n"
        "  --env VLLM_API_KEY \\\n"
        "  vllm/vllm-openai:v0.33.0 \\\n"
        "  Qwen/Qwen2.5-7B-Instruct \\\n"
        "  --max-model-len 4096 \\\n"
        "  --max-num-seqs 16 \\\n"
        "  --max-num-batched-tokens 2048 \\\n"
        "  --gpu-memory-utilization 0.92"
    )
    assert found["verified"] is True
    assert found["missing"] == {}


def test_vllm_compose_file() -> None:
    found = answer(
        engine={"name": "vllm", "version": "0.10.2"}, parallelism={"tensor": 2}, kv_cache_dtype="fp8"
    )
    assert (
        found["compose"]
        == """\
services:
  vllm:
    image: vllm/vllm-openai:v0.10.2
    restart: unless-stopped
    command:
      - "--model"
      - "Qwen/Qwen2.5-7B-Instruct"
      - "--tensor-parallel-size"
      - "2"
      - "--kv-cache-dtype"
      - "fp8"
      - "--max-model-len"
      - "4096"
      - "--max-num-seqs"
      - "16"
      - "--max-num-batched-tokens"
      - "2048"
      - "--gpu-memory-utilization"
      - "0.9"
    environment:
      - HF_TOKEN
      - VLLM_API_KEY
    ports:
      - "8000:8000"
    volumes:
      - ~/.cache/huggingface:/root/.cache/huggingface
      - vllm-compiled:/root/.cache/vllm
    ipc: host
    deploy:
      resources:
        reservations:
          devices:
            - driver: nvidia
              device_ids: ["0", "1"]
              capabilities: [gpu]
volumes:
  vllm-compiled:
"""
    )


def test_vllm_unit() -> None:
    found = answer(engine={"name": "vllm", "version": "0.19.0"})
    assert (
        found["systemd"]
        == """\
[Unit]
Description=Qwen/Qwen2.5-7B-Instruct on vllm
Wants=network-online.target
After=network-online.target
# A plan that does not start must not start over for ever.
StartLimitIntervalSec=900
StartLimitBurst=3

[Service]
User=vllm
StateDirectory=vllm
Environment=HOME=/var/lib/vllm
# HF_TOKEN and VLLM_API_KEY, one NAME=value a line, readable by root only.
EnvironmentFile=-/etc/vllm.env
ExecStart=/opt/vllm/bin/vllm serve Qwen/Qwen2.5-7B-Instruct \\
    --max-model-len 4096 \\
    --max-num-seqs 16 \\
    --max-num-batched-tokens 2048 \\
    --gpu-memory-utilization 0.9
Restart=on-failure
RestartSec=10
TimeoutStopSec=60
LimitNOFILE=65536
LimitMEMLOCK=infinity

[Install]
WantedBy=multi-user.target
"""
    )


def test_vllm_of_the_oldest_version_on_a_card_without_bfloat16() -> None:
    """0.5.0 has no `vllm serve`, and 2,048 tokens a pass are below the length: --enable-chunked-prefill takes no value there."""
    found = answer(
        card="nvidia-v100-sxm2-32gb", engine={"name": "vllm", "version": "0.5.0"}, parallelism={"tensor": 2}
    )
    assert found["shell"] == (
        "python3 -m vllm.entrypoints.openai.api_server \\\n"
        "  --model Qwen/Qwen2.5-7B-Instruct \\\n"
        "  --dtype float16 \\\n"
        "  --tensor-parallel-size 2 \\\n"
        "  --max-model-len 4096 \\\n"
        "  --max-num-seqs 16 \\\n"
        "  --max-num-batched-tokens 2048 \\\n"
        "  --enable-chunked-prefill \\\n"
        "  --gpu-memory-utilization 0.9"
    )
    assert found["docker"] is None
    assert found["missing"]["docker"]["code"] == "entry_point_not_read"


def test_bitsandbytes_is_named_as_method_and_as_format() -> None:
    model = "meta-llama/Llama-2-7b-chat-hf"
    found = answer(model, engine={"name": "vllm", "version": "0.6.6"}, weights="bnb-nf4")
    words = "  --quantization bitsandbytes \\\n  --load-format bitsandbytes \\\n"
    assert found["shell"].startswith(f"vllm serve {model} \\\n{words}")


def test_fp8_is_made_while_loading_where_nobody_published_it() -> None:
    model = "meta-llama/Llama-2-7b-chat-hf"
    found = answer(model, engine={"name": "vllm", "version": "0.19.0"}, weights="fp8")
    assert found["shell"].startswith(f"vllm serve {model} \\\n  --quantization fp8 \\\n")
    assert codes(found)[0] == "quantized_on_load"


def test_awq_that_nobody_published_is_to_be_filled_in() -> None:
    found = answer(
        "meta-llama/Llama-2-7b-chat-hf", engine={"name": "vllm", "version": "0.19.0"}, weights="awq-int4"
    )
    assert found["shell"].startswith("vllm serve YOUR_AWQ_INT4_CHECKPOINT \\\n")
    assert codes(found)[0] == "checkpoint_to_fill_in"


def test_sglang_with_an_8_bit_cache() -> None:
    found = answer(
        "meta-llama/Llama-3.1-8B-Instruct",
        "nvidia-h100-sxm5-80gb",
        engine={"name": "sglang", "version": "0.5.23"},
        kv_cache_dtype="fp8_e4m3",
        parallelism={"tensor": 2},
        settings={
            "max_model_len": 8192,
            "max_num_seqs": 32,
            "max_num_batched_tokens": 8192,
            "gpu_memory_utilization": 0.88,
        },
    )
    assert found["docker"] == (
        "docker run --rm \\\n"
        "  --gpus '\"device=0,1\"' \\\n"
        "  --ipc host \\\n"
        "  --ulimit memlock=-1 \\\n"
        "  --ulimit stack=67108864 \\\n"
        "  -p 30000:30000 \\\n"
        "  -v ~/.cache/huggingface:/root/.cache/huggingface \\\n"
        "  --env HF_TOKEN \\\n"
        "  lmsysorg/sglang:v0.5.23 \\\n"
        "  python3 -m sglang.launch_server \\\n"
        "  --model-path meta-llama/Llama-3.1-8B-Instruct \\\n"
        "  --tp-size 2 \\\n"
        "  --kv-cache-dtype fp8_e4m3 \\\n"
        "  --context-length 8192 \\\n"
        "  --max-running-requests 32 \\\n"
        "  --chunked-prefill-size 8192 \\\n"
        "  --mem-fraction-static 0.88 \\\n"
        "  --host 0.0.0.0"
    )
    assert (found["compose"], found["systemd"]) == (None, None)


def test_tensorrt_llm_puts_the_cache_dtype_into_a_file() -> None:
    found = answer(
        "meta-llama/Llama-3.1-8B-Instruct",
        "nvidia-h100-sxm5-80gb",
        engine={"name": "tensorrt-llm", "version": "1.2.1"},
        weights="fp8",
        kv_cache_dtype="fp8",
        parallelism={"tensor": 2},
        settings={"max_model_len": 8192, "max_num_seqs": 32, "max_num_batched_tokens": 8192},
    )
    assert found["shell"] == (
        "cat > trtllm.yaml <<'EOF'\n"
        "kv_cache_config:\n"
        "  free_gpu_memory_fraction: 0.9\n"
        "  dtype: fp8\n"
        "EOF\n"
        "trtllm-serve nvidia/Llama-3.1-8B-Instruct-FP8 \\\n"
        "  --backend pytorch \\\n"
        "  --tp_size 2 \\\n"
        "  --max_batch_size 32 \\\n"
        "  --max_num_tokens 8192 \\\n"
        "  --max_seq_len 8192 \\\n"
        "  --kv_cache_free_gpu_memory_fraction 0.9 \\\n"
        "  --extra_llm_api_options trtllm.yaml"
    )
    assert found["verified"] is False
    assert "version_line" in codes(found)


def test_llama_cpp_has_one_context_for_all_slots() -> None:
    """-c is for the whole server: 16 slots of 4,096 tokens are 65,536."""
    found = answer(
        "meta-llama/Llama-3.1-8B-Instruct",
        engine={"name": "llama.cpp", "version": "10434"},
        weights="gguf-q4_k_m",
        kv_cache_dtype="q8_0",
        parallelism={"pipeline": 2},
        settings={"max_model_len": 4096, "max_num_seqs": 16},
    )
    assert found["shell"] == (
        "llama-server \\\n"
        "  --hf-repo unsloth/Llama-3.1-8B-Instruct-GGUF:Q4_K_M \\\n"
        "  --ctx-size 65536 \\\n"
        "  --parallel 16 \\\n"
        "  --gpu-layers all \\\n"
        "  --flash-attn on \\\n"
        "  --cache-type-k q8_0 \\\n"
        "  --cache-type-v q8_0 \\\n"
        "  --split-mode layer"
    )
    assert "ghcr.io/ggml-org/llama.cpp:server-cuda" in found["docker"].splitlines()[5]


def test_llama_cpp_on_a_cpu_asks_for_no_gpu() -> None:
    found = answer(
        card="cpu-epyc-9004-12ch-ddr5-4800",
        engine={"name": "llama.cpp"},
        weights="gguf-q4_k_m",
        settings={"max_model_len": 4096, "max_num_seqs": 2},
    )
    assert found["docker"] == (
        "docker run --rm \\\n"
        "  -p 8080:8080 \\\n"
        "  -v ~/models:/models:ro \\\n"
        "  --env HF_TOKEN \\\n"
        "  --env LLAMA_API_KEY \\\n"
        "  ghcr.io/ggml-org/llama.cpp:server \\\n"
        "  --model /models/YOUR_MODEL-Q4_K_M.gguf \\\n"
        "  --ctx-size 8192 \\\n"
        "  --parallel 2"
    )


def test_rocm_takes_its_devices_and_its_own_image() -> None:
    found = answer(
        card="amd-mi300x",
        engine={"name": "llama.cpp"},
        weights="gguf-q4_k_m",
        settings={"max_model_len": 4096, "max_num_seqs": 2},
    )
    lines = found["docker"].splitlines()
    assert lines[1:3] == ["  --device /dev/kfd \\", "  --device /dev/dri \\"]
    assert "--gpus" not in found["docker"]
    assert "  ghcr.io/ggml-org/llama.cpp:server-rocm \\" in lines


@pytest.mark.parametrize(
    ("card", "engine", "form", "code"),
    [
        ("amd-mi300x", "vllm", "docker", "image_not_known"),
        ("amd-mi300x", "vllm", "compose", "image_not_known"),
        ("amd-mi250x", "vllm", "shell", "card_is_several_devices"),
        ("nvidia-jetson-agx-orin-64gb", "llama.cpp", "docker", "container_of_board"),
        ("apple-m3-max", "llama.cpp", "docker", "container_reaches_no_metal"),
        ("huawei-ascend-910b3", "vllm", "shell", "command_not_known_for_vendor"),
    ],
)
def test_form_that_is_not_known_says_why(card: str, engine: str, form: str, code: str) -> None:
    weights = "gguf-q4_k_m" if engine == "llama.cpp" else None
    found = answer(
        card=card,
        engine={"name": engine},
        weights=weights,
        settings={"max_model_len": 4096, "max_num_seqs": 1},
    )
    assert found is not None
    assert found[form] is None
    assert found["missing"][form]["code"] == code


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
