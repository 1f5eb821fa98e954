"""What engines load on whose cards, against the tables that they publish."""

import pytest

from tests.planner.core.asking import answer, codes

SMALL = "meta-llama/Llama-3.1-8B-Instruct"


# Matrix by hardware of nvidia.github.io/TensorRT-LLM/features/quantization.html, and what load_hf_quant_config reads
@pytest.mark.parametrize(
    ("card", "weights", "loads"),
    [
        ("nvidia-rtx-3090", "int8-w8a8", False),
        ("nvidia-h100-sxm5-80gb", "gptq-int8", False),
        ("nvidia-h100-sxm5-80gb", "awq-int4", False),
        ("nvidia-h100-sxm5-80gb", "int4-g128", True),
        ("nvidia-rtx-3090", "int4-g128", True),
        ("nvidia-b200-sxm", "int4-g128", False),
        ("nvidia-rtx-5090", "int4-g128", False),
        ("nvidia-rtx-5090", "nvfp4", True),
        ("nvidia-b200-sxm", "fp8", True),
        ("nvidia-rtx-4090", "fp8", True),
    ],
)
def test_tensorrt_llm_loads_what_its_matrix_lists(card, weights, loads):
    found = codes(answer(SMALL, card, engine="tensorrt-llm", weights=weights))
    assert ("scheme_not_here" in found) is not loads


# The same matrix has sm80 to sm103 and sm120, and no board: theirs is another product
@pytest.mark.parametrize(
    ("card", "runs"),
    [
        ("nvidia-jetson-thor-t5000", False),
        ("nvidia-jetson-agx-orin-64gb", False),
        ("nvidia-gb10-dgx-spark", True),
    ],
)
def test_tensorrt_llm_is_not_for_boards(card, runs):
    found = codes(answer(SMALL, card, engine="tensorrt-llm"))
    assert ("engine_not_for_vendor" in found) is not runs


def test_the_older_engine_build_of_tensorrt_llm_took_eight_bit_integers():
    found = codes(
        answer(SMALL, "nvidia-a100-sxm4-80gb", engine="tensorrt-llm", version="0.16.0", weights="int8-w8a8")
    )
    assert "scheme_not_here" not in found


# Platform table of docs.sglang.io/docs/advanced_features/quantization; targets that its kernels are built for
@pytest.mark.parametrize(
    ("card", "code"),
    [
        ("intel-gaudi3", "engine_not_for_vendor"),
        ("amd-rx-7900-xtx", "engine_not_for_vendor"),
        ("amd-ryzen-ai-max-395", "engine_not_for_vendor"),
        ("huawei-atlas-300i-duo", "engine_not_for_vendor"),
        ("cpu-epyc-9004-12ch-ddr5-4800", "engine_not_for_vendor"),
        ("huawei-ascend-910b3", None),
        ("amd-mi300x", None),
        ("cpu-xeon-6-12ch-ddr5-6400", None),
    ],
)
def test_sglang_runs_on_the_platforms_that_it_names(card, code):
    found = codes(answer(SMALL, card, engine="sglang"))
    assert ("engine_not_for_vendor" in found) is (code is not None)


@pytest.mark.parametrize(
    ("engine", "card", "dtype", "has"),
    [
        ("sglang", "huawei-ascend-910b3", "fp8_e4m3", False),
        ("sglang", "intel-arc-pro-b60", "fp8_e4m3", False),
        ("sglang", "amd-mi300x", "fp8_e4m3", True),
        ("vllm", "amd-mi300x", "fp8", True),
        # Attention backends of vLLM: CPU_ATTN takes no 8-bit cache, FlashInfer and Triton do on every CUDA card
        ("vllm", "cpu-xeon-4-8ch-ddr5-4800", "fp8", False),
        ("vllm", "nvidia-rtx-3090", "fp8", True),
        ("vllm", "nvidia-t4", "fp8", True),
        ("tensorrt-llm", "nvidia-a100-sxm4-80gb", "fp8", True),
    ],
)
def test_a_cache_of_eight_bits_needs_an_attention_kernel(engine, card, dtype, has):
    found = codes(answer(SMALL, card, engine=engine, kv_cache_dtype=dtype))
    assert ("kv_cache_dtype_not_here" in found) is not has


@pytest.mark.parametrize(
    ("card", "runs"),
    [
        ("sophgo-bm1684x", False),  # a processor of its own kind, with its own compiler
        ("intel-gaudi2", False),
        ("raspberry-pi-5", True),
        ("apple-m3-max", True),
        ("intel-arc-b580", True),
        ("qualcomm-sd-8-gen-3", True),
    ],
)
def test_llama_cpp_runs_where_it_has_a_backend(card, runs):
    found = codes(answer(SMALL, card, engine="llama.cpp", weights="gguf-q4_k_m"))
    assert ("engine_not_for_vendor" in found) is not runs


def test_cann_multiplies_few_types_of_gguf():
    wide = codes(answer(SMALL, "huawei-ascend-910b3", engine="llama.cpp", weights="gguf-q8_0"))
    narrow = codes(answer(SMALL, "huawei-ascend-910b3", engine="llama.cpp", weights="gguf-q4_k_m"))
    assert ("scheme_not_here" in wide, "scheme_not_here" in narrow) == (False, True)


# Matrix by model of nvidia.github.io/TensorRT-LLM/features/quantization.html: DeepSeek-R1 and Mixtral have no W4A16
@pytest.mark.parametrize(
    ("model", "refused"), [("deepseek-ai/DeepSeek-V3", True), ("meta-llama/Llama-3.3-70B-Instruct", False)]
)
def test_experts_of_tensorrt_llm_have_no_weight_only_integers(model, refused):
    found = codes(answer(model, engine="tensorrt-llm", weights="int4-g128", tensor=8))
    assert ("scheme_not_for_experts" in found) is refused
