"""From the metadata of a GGUF file to the fields of a config.json, so that one reader understands both.

Keys: https://github.com/ggml-org/llama.cpp/blob/master/gguf-py/gguf/constants.py, and what its converters write.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from planner.core.checkpoint.gguf_file import FIELD, GgufHeader
from planner.core.checkpoint.tensors import DamagedError
from planner.core.outcome import Problem

# general.architecture -> model_type of transformers, and the class that engines know it by.
ARCHITECTURES: dict[str, tuple[str, str]] = {
    "llama": ("llama", "LlamaForCausalLM"),
    "mistral3": ("ministral3", "Mistral3ForConditionalGeneration"),
    "qwen2": ("qwen2", "Qwen2ForCausalLM"),
    "qwen2moe": ("qwen2_moe", "Qwen2MoeForCausalLM"),
    "qwen2vl": ("qwen2_vl_text", "Qwen2VLForConditionalGeneration"),
    "qwen3": ("qwen3", "Qwen3ForCausalLM"),
    "qwen3moe": ("qwen3_moe", "Qwen3MoeForCausalLM"),
    "qwen3vl": ("qwen3_vl_text", "Qwen3VLForConditionalGeneration"),
    "qwen3vlmoe": ("qwen3_vl_moe_text", "Qwen3VLMoeForConditionalGeneration"),
    "qwen3next": ("qwen3_next", "Qwen3NextForCausalLM"),
    "gemma": ("gemma", "GemmaForCausalLM"),
    "gemma2": ("gemma2", "Gemma2ForCausalLM"),
    "gemma3": ("gemma3_text", "Gemma3ForCausalLM"),
    "phi2": ("phi", "PhiForCausalLM"),
    "phi3": ("phi3", "Phi3ForCausalLM"),
    "phimoe": ("phimoe", "PhiMoEForCausalLM"),
    "deepseek2": ("deepseek_v3", "DeepseekV3ForCausalLM"),
    "glm4": ("glm4", "Glm4ForCausalLM"),
    "glm4moe": ("glm4_moe", "Glm4MoeForCausalLM"),
    "command-r": ("cohere", "CohereForCausalLM"),
    "cohere2": ("cohere2", "Cohere2ForCausalLM"),
    "starcoder2": ("starcoder2", "Starcoder2ForCausalLM"),
    "granite": ("granite", "GraniteForCausalLM"),
    "granitemoe": ("granitemoe", "GraniteMoeForCausalLM"),
    "granitehybrid": ("granitemoehybrid", "GraniteMoeHybridForCausalLM"),
    "olmo": ("olmo", "OlmoForCausalLM"),
    "olmo2": ("olmo2", "Olmo2ForCausalLM"),
    "olmoe": ("olmoe", "OlmoeForCausalLM"),
    "minicpm": ("minicpm", "MiniCPMForCausalLM"),
    "internlm2": ("internlm2", "InternLM2ForCausalLM"),
    "exaone4": ("exaone4", "Exaone4ForCausalLM"),
    "smollm3": ("smollm3", "SmolLM3ForCausalLM"),
    "seed_oss": ("seed_oss", "SeedOssForCausalLM"),
    "ernie4_5": ("ernie4_5", "Ernie4_5ForCausalLM"),
    "ernie4_5-moe": ("ernie4_5_moe", "Ernie4_5_MoeForCausalLM"),
    "hunyuan-dense": ("hunyuan_v1_dense", "HunYuanDenseV1ForCausalLM"),
    "dots1": ("dots1", "Dots1ForCausalLM"),
    "gpt-oss": ("gpt_oss", "GptOssForCausalLM"),
    "minimax-m2": ("minimax_m2", "MiniMaxM2ForCausalLM"),
    "nemotron": ("nemotron", "NemotronForCausalLM"),
}
# What such files hold instead of a language model that decodes.
NOT_DECODERS = frozenset(
    {"clip", "bert", "nomic-bert", "modern-bert", "jina-bert-v2", "t5encoder", "gemma-embedding"}
)
SIGMOID = 2  # how the routers of DeepSeek-V3 and later choose
EMBEDDING = "token_embd.weight"
HEAD = "output.weight"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Keys:
    """The metadata below one architecture's name."""

    metadata: Mapping[str, Any]
    architecture: str

    def get(self, key: str) -> Any:
        return self.metadata.get(f"{self.architecture}.{key}")

    def whole(self, key: str) -> int | None:
        """A whole number, None where it is absent; one per layer counts where all agree, zeros left out."""
        value = self.get(key)
        if isinstance(value, list):
            told = {item for item in value if item}
            if len(told) > 1:
                raise DamagedError("gguf_differs_by_layer", name=f"{self.architecture}.{key}")
            value = next(iter(told), 0)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise DamagedError("gguf_value_invalid", name=f"{self.architecture}.{key}", found=str(value))
        return int(value)

    def need(self, key: str) -> int:
        """A whole number that must be there."""
        value = self.whole(key)
        if value is None:
            raise DamagedError("gguf_key_missing", name=f"{self.architecture}.{key}")
        return value


def config_of(header: GgufHeader, *, file: str = "") -> dict[str, Any] | Problem:
    """The config.json that the metadata of a file amounts to."""
    try:
        return _config(header)
    except DamagedError as damaged:
        return damaged.problem(field=FIELD, file=file)


def layers_of(header: GgufHeader) -> int:
    """Layers of the model itself, those that draft left out; 0 where the file does not say."""
    keys = _Keys(metadata=header.metadata, architecture=header.architecture)
    blocks, drafting = keys.get("block_count"), keys.get("nextn_predict_layers")
    count = blocks if isinstance(blocks, int) else 0
    return count - (drafting if isinstance(drafting, int) and drafting < count else 0)


def _config(header: GgufHeader) -> dict[str, Any]:
    name = header.architecture
    if not name:
        raise DamagedError("gguf_key_missing", name="general.architecture")
    if name in NOT_DECODERS:
        raise DamagedError("gguf_not_a_decoder", found=name)
    if name not in ARCHITECTURES:
        raise DamagedError("gguf_architecture_unknown", found=name, known=", ".join(sorted(ARCHITECTURES)))
    keys = _Keys(metadata=header.metadata, architecture=name)
    model_type, architecture = ARCHITECTURES[name]
    experts = keys.whole("expert_count")
    if name == "llama" and experts:
        model_type, architecture = "mixtral", "MixtralForCausalLM"
    if name == "deepseek2" and keys.get("expert_gating_func") != SIGMOID:
        model_type, architecture = "deepseek_v2", "DeepseekV2ForCausalLM"
    config: dict[str, Any] = {
        "model_type": model_type,
        "architectures": [architecture],
        "_name_or_path": _text(header.metadata.get("general.name")),
        "num_hidden_layers": layers_of(header),
        "hidden_size": keys.need("embedding_length"),
        "intermediate_size": keys.whole("feed_forward_length") or None,
        "num_attention_heads": keys.need("attention.head_count"),
        "vocab_size": _vocabulary(header, keys),
        "max_position_embeddings": keys.need("context_length"),
        "tie_word_embeddings": all(tensor.name != HEAD for tensor in header.tensors),
    }
    config.update(_latent(keys) if keys.whole("attention.kv_lora_rank") else _heads(keys))
    config.update(_windows(keys))
    if experts:
        config.update(_experts(keys, experts))
    if keys.get("ssm.conv_kernel") is not None:
        config.update(_states(keys, header))
    return {key: value for key, value in config.items() if value is not None}


def _text(value: Any) -> str | None:
    return value[:200] if isinstance(value, str) and value.isprintable() and value else None


def _vocabulary(header: GgufHeader, keys: _Keys) -> int:
    table = next((tensor for tensor in header.tensors if tensor.name == EMBEDDING), None)
    if table is not None and len(table.shape) == 2:
        return table.shape[1]
    return header.lengths.get("tokenizer.ggml.tokens") or keys.need("vocab_size")


def _heads(keys: _Keys) -> dict[str, Any]:
    return {
        "num_key_value_heads": keys.whole("attention.head_count_kv"),
        "head_dim": keys.whole("attention.key_length"),
        "v_head_dim": keys.whole("attention.value_length"),
    }


def _latent(keys: _Keys) -> dict[str, Any]:
    """Latent attention. Since its heads are stored compressed, *_mla hold the widths that the model states."""
    rope = keys.need("rope.dimension_count")
    key = keys.whole("attention.key_length_mla") or keys.need("attention.key_length")
    if key <= rope:
        raise DamagedError(
            "gguf_value_invalid", name=f"{keys.architecture}.attention.key_length", found=str(key)
        )
    return {
        "kv_lora_rank": keys.need("attention.kv_lora_rank"),
        "q_lora_rank": keys.whole("attention.q_lora_rank") or None,
        "qk_rope_head_dim": rope,
        "qk_nope_head_dim": key - rope,
        "v_head_dim": keys.whole("attention.value_length_mla") or keys.need("attention.value_length"),
    }


def _windows(keys: _Keys) -> dict[str, Any]:
    window, pattern = keys.whole("attention.sliding_window"), keys.get("attention.sliding_window_pattern")
    found: dict[str, Any] = {"sliding_window": window or None}
    if window and isinstance(pattern, list):
        layers = keys.need("block_count") - (keys.whole("nextn_predict_layers") or 0)
        found["layer_types"] = [
            "sliding_attention" if slides else "full_attention" for slides in pattern[:layers]
        ]
    elif isinstance(pattern, int) and not isinstance(pattern, bool):
        found["sliding_window_pattern"] = pattern
    return found


def _experts(keys: _Keys, count: int) -> dict[str, Any]:
    shared = keys.whole("expert_shared_feed_forward_length")
    return {
        "num_experts": count,
        "num_experts_per_tok": keys.need("expert_used_count"),
        "moe_intermediate_size": keys.whole("expert_feed_forward_length") or None,
        "shared_expert_intermediate_size": shared or None,
        "n_shared_experts": keys.whole("expert_shared_count"),
        "first_k_dense_replace": keys.whole("leading_dense_block_count"),
    }


def _states(keys: _Keys, header: GgufHeader) -> dict[str, Any]:
    """Layers with a constant state: gated delta nets of Qwen3-Next, Mamba 2 of Granite."""
    heads, inner = keys.need("ssm.time_step_rank"), keys.need("ssm.inner_size")
    if not heads or inner % heads:
        raise DamagedError(
            "gguf_value_invalid", name=f"{keys.architecture}.ssm.time_step_rank", found=str(heads)
        )
    if keys.architecture == "qwen3next":
        return {
            "linear_conv_kernel_dim": keys.need("ssm.conv_kernel"),
            "linear_key_head_dim": keys.need("ssm.state_size"),
            "linear_num_key_heads": keys.need("ssm.group_count"),
            "linear_num_value_heads": heads,
            "linear_value_head_dim": inner // heads,
            "full_attention_interval": keys.whole("full_attention_interval"),
        }
    caches = keys.get("attention.head_count_kv")
    if not isinstance(caches, list):
        raise DamagedError("gguf_key_missing", name=f"{keys.architecture}.attention.head_count_kv")
    return {
        "layer_types": ["attention" if count else "mamba" for count in caches[: layers_of(header)]],
        "mamba_n_heads": heads,
        "mamba_d_head": inner // heads,
        "mamba_n_groups": keys.need("ssm.group_count"),
        "mamba_d_state": keys.need("ssm.state_size"),
        "mamba_d_conv": keys.need("ssm.conv_kernel"),
    }
