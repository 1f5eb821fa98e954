"""Names of what is planned."""

from planner.catalog import load_shipped
from planner.core.parse import parse_request
from planner.setup import setup_of

CONFIG = {
    "model_type": "mistral",
    "hidden_size": 5120,
    "intermediate_size": 14336,
    "num_attention_heads": 32,
    "num_hidden_layers": 40,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "vocab_size": 131072,
    "max_position_embeddings": 131072,
}


def test_pasted_config_without_a_name_is_called_by_its_kind() -> None:
    parsed = parse_request({"model": {"config": CONFIG}, "accelerator": "nvidia-rtx-4090"}, load_shipped())
    assert setup_of(parsed).model == "mistral (config.json)"
