"""A model that was read from its files is, as a record of the catalog, the same model again."""

from dataclasses import replace
from typing import Any

import pytest

from planner.catalog.build import build_catalog, model_spec
from planner.catalog.checks import record_fault
from planner.catalog.files import SHIPPED, read_rows
from planner.catalog.record import model_record
from planner.core.checkpoint.understand import Given, Understood, understand
from tests.planner.core.checkpoint.files import LLAMA_CONFIG, llama_tensors
from tests.planner.core.checkpoint.test_understand import gguf, headers, index, llama_gguf

SCHEMES = build_catalog(read_rows(SHIPPED)).schemes
MIXTURE = {
    **LLAMA_CONFIG,
    "model_type": "qwen3_moe",
    "architectures": ["Qwen3MoeForCausalLM"],
    "num_experts": 8,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 128,
}
QUANTIZED = {
    **LLAMA_CONFIG,
    "quantization_config": {
        "quant_method": "fp8",
        "activation_scheme": "dynamic",
        "modules_to_not_convert": ["model.layers.0.self_attn.q_proj", "lm_head"],
    },
}


@pytest.mark.parametrize(
    "given",
    [
        {"config": LLAMA_CONFIG},
        {"config": LLAMA_CONFIG, "index": index(llama_tensors())},
        {"config": LLAMA_CONFIG, "safetensors": headers(llama_tensors())},
        {"config": MIXTURE},
        {"config": QUANTIZED},
        {"config": {**LLAMA_CONFIG, "sliding_window": 1024, "model_type": "mistral"}},
        {"gguf": gguf(llama_gguf())},
    ],
)
def test_model_survives_its_record(given: dict[str, Any]) -> None:
    found = understand(Given(**given), SCHEMES)
    assert isinstance(found, Understood), found
    record = model_record(
        found, key="team/tiny", source="team_1", engines={"vllm": "native"}, engines_source="team_2"
    )
    assert record_fault("model", record, file="-", line=None) is None
    back = model_spec(record)
    # What a record does not hold: the name in the config, and how the reader worded its sources.
    expected = replace(
        found.model, id="team/tiny", engine_support={"vllm": "native"}, provenance=back.provenance
    )
    assert back == expected
