"""Shapes read from config.json. Totals are those of the published safetensors files, multi-token heads left out."""

import copy
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.core.hf.config import model_from_config
from planner.core.outcome import Problem
from planner.core.specs import ModelSpec, MoeSpec

CONFIGS: dict[str, Any] = json.loads((Path(__file__).parents[3] / "data" / "hf_configs.json").read_text())
LLAMA = CONFIGS["meta-llama/Llama-3.1-8B"]["config"]


def read(config: dict[str, Any], **stated: Any) -> ModelSpec:
    found = model_from_config(config, **stated)
    assert isinstance(found, ModelSpec), found
    return found


def codes(config: Any, **stated: Any) -> list[tuple[str, str | None]]:
    found = model_from_config(config, **stated)
    assert isinstance(found, list), found
    return [(problem.code, problem.field) for problem in found]


def total(model: ModelSpec) -> int:
    return (
        model.embedding_params
        + model.lm_head_params
        + model.routed_params
        + model.linear_params
        + model.router_params
        + model.other_params
        + model.vision_params
    )


@pytest.mark.parametrize("name", CONFIGS)
def test_parameters_are_those_of_the_published_file(name: str) -> None:
    assert total(read(CONFIGS[name]["config"])) == CONFIGS[name]["published_total"]


def test_tied_embeddings_are_counted_once() -> None:
    model = read(CONFIGS["google/gemma-2-27b-it"]["config"])
    assert (model.embedding_params, model.lm_head_params) == (256000 * 4608, 0)


def test_grouped_query_attention_caches_its_kv_heads() -> None:
    (group,) = read(LLAMA).cache_groups
    assert (group.kind, group.layers, group.kv_heads, group.head_dim, group.v_head_dim) == (
        "full",
        32,
        8,
        128,
        128,
    )


def test_latent_attention_caches_one_vector() -> None:
    # DeepSeek-V3: kv_lora_rank 512 + qk_rope_head_dim 64.
    (group,) = read(CONFIGS["deepseek-ai/DeepSeek-V3"]["config"]).cache_groups
    assert (group.kind, group.layers, group.latent_dim, group.kv_heads) == ("mla", 61, 576, None)


def test_sliding_pattern_of_gemma_3_is_five_to_one() -> None:
    groups = read(CONFIGS["google/gemma-3-27b-it text"]["config"]).cache_groups
    assert [(group.kind, group.layers, group.window) for group in groups] == [
        ("full", 10, None),
        ("sliding", 52, 1024),
    ]


def test_layer_types_win_over_the_pattern_of_the_family() -> None:
    groups = read(CONFIGS["openai/gpt-oss-120b"]["config"]).cache_groups
    assert [(group.kind, group.layers, group.window) for group in groups] == [
        ("full", 18, None),
        ("sliding", 18, 128),
    ]


def test_window_that_is_off_slides_nothing() -> None:
    (group,) = read(CONFIGS["Qwen/Qwen2.5-7B-Instruct"]["config"]).cache_groups
    assert (group.kind, group.window) == ("full", None)


def test_window_on_every_layer_leaves_one_sliding_group() -> None:
    (group,) = read(CONFIGS["microsoft/Phi-3-mini-4k-instruct"]["config"]).cache_groups
    assert (group.kind, group.layers, group.window) == ("sliding", 32, 2047)


def test_chunked_layers_of_llama_4_are_three_of_four() -> None:
    groups = read(CONFIGS["meta-llama/Llama-4-Scout-17B-16E-Instruct text"]["config"]).cache_groups
    assert [(group.kind, group.layers, group.window) for group in groups] == [
        ("full", 12, None),
        ("chunked", 36, 8192),
    ]


def test_gated_delta_net_keeps_a_constant_state() -> None:
    # By hand: conv (2 x 16 x 128 + 32 x 128) x 3, state 32 x 128 x 128.
    attention, state = read(CONFIGS["Qwen/Qwen3-Next-80B-A3B-Instruct"]["config"]).cache_groups
    assert (attention.kind, attention.layers) == ("full", 12)
    assert (state.kind, state.layers, state.conv_elems, state.ssm_elems) == ("gdn", 36, 24576, 524288)
    assert (state.state_heads, state.state_key_heads, state.ssm_dtype) == (32, 16, "model")


def test_mamba_layers_are_read_from_the_letters_of_nemotron_h() -> None:
    # By hand: conv (128 x 80 + 2 x 8 x 128) x 3, state 128 x 80 x 128.
    attention, state = read(CONFIGS["nvidia/NVIDIA-Nemotron-Nano-9B-v2"]["config"]).cache_groups
    assert (attention.layers, state.layers) == (4, 27)
    assert (state.conv_elems, state.ssm_elems, state.ssm_dtype) == (36864, 1310720, "float32")


def test_experts_of_glm_start_after_the_first_dense_layer() -> None:
    assert read(CONFIGS["zai-org/GLM-4.5-Air"]["config"]).moe == MoeSpec(
        num_experts=128,
        experts_per_token=8,
        moe_intermediate_size=1408,
        shared_experts=1,
        shared_intermediate_size=None,
        first_k_dense=1,
        moe_layers=45,
    )


@pytest.mark.parametrize(
    ("scaling", "expected"),
    [
        ({"rope_type": "llama3", "factor": 8.0, "original_max_position_embeddings": 8192}, 131072),
        ({"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}, 131072),
        ({"rope_type": "linear", "factor": 2.0}, 262144),
        (None, 131072),
    ],
)
def test_context_includes_a_scaling_that_stretches_it(scaling: Any, expected: int) -> None:
    assert read({**LLAMA, "rope_scaling": scaling}).max_position_embeddings == expected


@pytest.mark.parametrize(
    ("block", "scheme"),
    [
        ({"quant_method": "awq", "bits": 4, "group_size": 128}, "awq-int4"),
        ({"quant_method": "gptq", "bits": 4, "group_size": 128, "desc_act": False}, "gptq-int4"),
        ({"quant_method": "gptq", "bits": 8}, "gptq-int8"),
        (
            {"quant_method": "fp8", "activation_scheme": "dynamic", "weight_block_size": [128, 128]},
            "fp8-block128",
        ),
        ({"quant_method": "fp8", "activation_scheme": "static"}, "fp8"),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True, "bnb_4bit_quant_type": "nf4"}, "bnb-nf4"),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4", "exclude_modules": ["lm_head"]}, "nvfp4"),
        ({"quant_method": "modelopt", "quant_algo": "FP8"}, "fp8"),
        (
            {
                "quant_method": "compressed-tensors",
                "config_groups": {
                    "group_0": {
                        "weights": {"num_bits": 8, "type": "int", "strategy": "channel"},
                        "input_activations": {"num_bits": 8, "type": "int"},
                    }
                },
            },
            "int8-w8a8",
        ),
        (
            {
                "quant_method": "compressed-tensors",
                "config_groups": {"group_0": {"weights": {"num_bits": 4, "type": "int", "group_size": 128}}},
            },
            "int4-g128",
        ),
        (
            {
                "quant_method": "compressed-tensors",
                "config_groups": {
                    "group_0": {
                        "weights": {"num_bits": 4, "type": "float", "group_size": 16},
                        "input_activations": {"num_bits": 4, "type": "float"},
                    }
                },
            },
            "nvfp4",
        ),
    ],
)
def test_quantization_config_names_the_scheme(block: dict[str, Any], scheme: str) -> None:
    model = read({**LLAMA, "quantization_config": block})
    assert (model.scheme, model.scheme_excludes) == (scheme, ())


def test_mxfp4_experts_are_a_format_of_their_own() -> None:
    model = read(CONFIGS["openai/gpt-oss-120b"]["config"])
    assert (model.scheme, model.native_weight_format) == (None, "mxfp4_moe")


def test_attention_and_outer_layers_that_the_publisher_left_out_are_known() -> None:
    left_out = [f"model.layers.{index}.self_attn.q_proj" for index in range(32)]
    left_out += ["model.layers.0.mlp.up_proj", "model.layers.31.mlp.up_proj", "lm_head"]
    block = {"quant_method": "fbgemm_fp8", "modules_to_not_convert": left_out}
    assert read({**LLAMA, "quantization_config": block}).scheme_excludes == ("attention", "first_last_layers")


def test_one_layer_left_out_is_no_exclusion() -> None:
    block = {"quant_method": "fp8", "ignored_layers": [], "ignore": ["model.layers.0.self_attn.q_proj"]}
    assert read({**LLAMA, "quantization_config": block}).scheme_excludes == ()


def test_quantization_nobody_knows_is_refused_and_named() -> None:
    problems = codes({**LLAMA, "quantization_config": {"quant_method": "aqlm"}})
    assert problems == [("quantization_unknown", "model.config.quantization_config")]


def test_text_model_is_found_within_a_vision_wrapper() -> None:
    wrapper = {
        "architectures": ["Gemma3ForConditionalGeneration"],
        "model_type": "gemma3",
        "text_config": CONFIGS["google/gemma-3-27b-it text"]["config"],
        "vision_config": {"hidden_size": 1152, "num_hidden_layers": 27, "intermediate_size": 4304},
    }
    model = read(wrapper, parameters=27_432_406_640)  # as its safetensors state
    assert model.num_layers == 62
    assert model.vision_params == 27_432_406_640 - 27_009_346_304
    assert model.modality == ("text", "image")


def test_vision_encoder_is_estimated_where_no_total_is_stated() -> None:
    wrapper = {
        "model_type": "gemma3",
        "text_config": CONFIGS["google/gemma-3-27b-it text"]["config"],
        "vision_config": {"hidden_size": 1152, "num_hidden_layers": 27, "intermediate_size": 4304},
    }
    model = read(wrapper)
    # SigLIP of Gemma 3 has 0.42 billion parameters.
    assert math.isclose(model.vision_params, 0.42e9, rel_tol=0.05)
    assert model.provenance["vision"].kind == "rule_of_thumb"


def test_stated_parameters_win() -> None:
    model = read(LLAMA, parameters=9_000_000_000)
    assert total(model) == 9_000_000_000
    assert model.provenance["parameters"].source == "stated with the request"


def test_stated_parameters_below_the_embeddings_are_refused() -> None:
    assert codes(LLAMA, parameters=1000) == [("parameters_below_fixed", "model.parameters")]


def test_stated_size_on_disk_is_kept() -> None:
    assert read(LLAMA, weights_gib=15.0).weights_gib_stated == 15.0


def test_unknown_architecture_is_refused() -> None:
    assert codes({"model_type": "hyperbrain", "hidden_size": 1}) == [
        ("architecture_unknown", "model.config.model_type")
    ]


def test_empty_config_lacks_its_model_type() -> None:
    assert codes({}) == [("config_field_missing", "model.config.model_type")]


def test_every_missing_field_is_named_at_once() -> None:
    assert codes({"model_type": "llama"}) == [
        ("config_field_missing", "model.config.num_hidden_layers"),
        ("config_field_missing", "model.config.hidden_size"),
        ("config_field_missing", "model.config.intermediate_size"),
        ("config_field_missing", "model.config.vocab_size"),
    ]


@pytest.mark.parametrize(
    ("model_type", "architecture", "code"),
    [
        ("bert", "BertModel", "encoder_only"),
        ("qwen2", "Qwen2ForSequenceClassification", "encoder_only"),
        ("t5", "T5ForConditionalGeneration", "encoder_decoder"),
    ],
)
def test_models_without_decode_are_refused(model_type: str, architecture: str, code: str) -> None:
    assert codes({"model_type": model_type, "architectures": [architecture]}) == [(code, "model.config")]


def test_wrapper_without_text_config_is_refused() -> None:
    assert codes({"model_type": "llava", "vision_config": {"hidden_size": 8}}) == [
        ("no_text_config", "model.config")
    ]


@pytest.mark.parametrize("value", [-1, 0, "4096", True, math.nan, math.inf, 1e30, 10**40, 3.5, [], {}])
@pytest.mark.parametrize("name", ["hidden_size", "num_hidden_layers", "vocab_size", "num_key_value_heads"])
def test_impossible_number_is_refused_by_its_field(name: str, value: Any) -> None:
    assert codes({**LLAMA, name: value})[0] == ("config_field_invalid", f"model.config.{name}")


def test_kv_heads_that_do_not_divide_heads_are_refused() -> None:
    assert codes({**LLAMA, "num_key_value_heads": 5}) == [
        ("config_field_invalid", "model.config.num_key_value_heads")
    ]


def test_layer_types_of_another_length_are_refused() -> None:
    config = {**LLAMA, "layer_types": ["full_attention"] * 3}
    assert codes(config) == [("config_field_invalid", "model.config.layer_types")]


def test_layer_type_nobody_knows_is_refused() -> None:
    config = {**LLAMA, "layer_types": ["astral_attention"] * 32}
    assert codes(config) == [("config_field_invalid", "model.config.layer_types")]


def test_nesting_beyond_the_limit_is_refused() -> None:
    deep: dict[str, Any] = {}
    for _ in range(10_000):
        deep = {"a": deep}
    assert codes({**LLAMA, "x": deep}) == [("config_too_deep", "model.config")]


def test_huge_list_is_refused() -> None:
    assert codes({**LLAMA, "x": [0] * 200_000}) == [("config_too_large", "model.config")]


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=150, deadline=None)
@given(data=st.data(), name=st.sampled_from(sorted(CONFIGS)), junk=JUNK)
def test_garbage_in_any_field_gives_an_answer_or_problems(data: st.DataObject, name: str, junk: Any) -> None:
    config = copy.deepcopy(CONFIGS[name]["config"])
    config[data.draw(st.sampled_from(sorted(config)))] = junk
    found = model_from_config(config)
    if isinstance(found, list):
        assert found
        assert all(isinstance(problem, Problem) for problem in found)
    else:
        assert total(found) > 0
