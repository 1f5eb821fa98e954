"""Commands word by word. Written by hand from the run lines in each project's own pages, not by running the code."""

import pytest

from tests.planner.core.launch.commanding import answer, codes


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
