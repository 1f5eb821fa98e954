"""Which part of a model a tensor belongs to, by its name: names of Hugging Face checkpoints, and of GGUF files.

Parts are finer than those of a ModelSpec; `SPEC_PART` says where each counts.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

SPEC_PART = {
    "embedding": "embedding",
    "lm_head": "lm_head",
    "attention": "linear",
    "state": "linear",
    "mlp": "linear",
    "shared_experts": "linear",
    "routed": "routed",
    "router": "router",
    "norms": "other",
    "other": "other",
    "vision": "vision",
}
# Layers that draft tokens: no engine loads them unless it is told to speculate.
DRAFT = "draft"
PARTS = (*SPEC_PART, DRAFT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a tensor belongs. is_scale: it says how others are quantized. known: a rule names it."""

    part: str
    is_scale: bool = False
    known: bool = True


Rule = tuple[str, Callable[[str], object]]


def _has(pattern: str) -> Callable[[str], object]:
    return re.compile(pattern).search


SCALE = re.compile(
    r"(?:^|[._])(?:weight_scale(?:_inv|_2)?|input_scale|weight_zero_point|weight_shape|weight_global_scale|"
    r"input_global_scale|scales|zeros|qzeros|g_idx|absmax|quant_map|nested_absmax|nested_quant_map|SCB|weight_format|"
    r"k_scale|v_scale|q_scale|output_scale|act_scale|scale_inv|scale)$"
    r"|quant_state\."
)
LAYER = re.compile(r"(?:^|\.)(?:layers|h|blocks)\.(\d{1,5})\.")
# The first rule that holds names the part.
RULES: tuple[Rule, ...] = (
    (DRAFT, _has(r"(?:^|\.)(?:mtp|mtp_layers|nextn|mtp_block)(?:\.|$)")),
    (
        "vision",
        _has(
            r"(?:^|\.)(?:visual|vision|vision_\w+|image_\w+|img_\w+|vit|patch_embed\w*|multi_modal_projector|mm_projector|"
            r"multimodal_projector|multi_modal|audio|audio_\w+|embed_vision|embed_audio|vpm|apm|resampler|aligner|"
            r"mlp1|connector|speech_\w+|sam_model|projector|view_seperator|sound_\w+)(?:\.|$)"
        ),
    ),
    (
        "embedding",
        _has(
            r"(?:^|\.)(?:embed_tokens\w*|wte|word_embeddings|tok_embeddings|embed_in)(?:\.|$)|^(?:embed|backbone\.embeddings)\."
        ),
    ),
    ("lm_head", _has(r"(?:^|\.)(?:lm_head|embed_out)(?:\.|$)|^(?:model\.)?output\.|^head\.")),
    ("norms", _has(r"norm\w*(?:\.weight|\.bias)?$|(?:^|\.)ln_\w+\.")),
    ("other", _has(r"e_score_correction_bias|expert_bias|correction_bias|(?:^|\.)gate\.bias$")),
    ("shared_experts", _has(r"(?:^|[._])shared_(?:expert|experts|mlp|expert_gate)(?:\.|_|$)")),
    (
        "routed",
        _has(r"(?:^|\.)(?:experts|switch_mlp)(?:\.|_|$)|(?:^|\.)block_sparse_moe\.(?:input|output)_linear"),
    ),
    ("router", _has(r"(?:^|\.)(?:gate|router)(?:\.\w+)*$")),
    (
        "other",
        _has(
            r"\.bias$|(?:^|\.)(?:A_log|D|dt_bias|sinks|A|conv1d\.\w+|conv\.conv\.\w+|\w_conv1d\.\w+)$|rotary_emb|layer_scalar$"
        ),
    ),
    ("attention", _has(r"mixer\.(?:q|k|v|o)_proj|(?:^|\.)indexer\.")),
    ("mlp", _has(r"mixer\.(?:up|down|gate)_proj")),
    ("state", _has(r"(?:^|\.)(?:linear_attn|mamba|mixer|ssm|conv|short_conv)\.")),
    ("attention", _has(r"(?:^|\.)(?:self_attn|attn|attention|self_attention|cross_attn)(?:\.|$)")),
    (
        "mlp",
        _has(
            r"(?:^|\.)(?:mlp|feed_forward|ffn|block_sparse_moe|pre_ff_layernorm|dense_h_to_4h|fc1|fc2|w1|w2|w3)(?:\.|$)"
        ),
    ),
)


def place_of(name: str, *, layers: int) -> Place:
    """Where a tensor of a Hugging Face checkpoint belongs; `layers` is how many the model itself has."""
    is_scale = SCALE.search(name) is not None
    numbers = LAYER.findall(name)
    part = next((part for part, holds in RULES if holds(name)), None)
    # DeepSeek's and GLM's files number their draft layers on from the last layer of the model.
    if part != "vision" and numbers and int(numbers[0]) >= layers:
        part = DRAFT
    if part == "norms" and is_scale:
        part = "attention"
    if part is None:
        return Place(part="other", is_scale=is_scale, known=False)
    return Place(part=part, is_scale=is_scale)


GGUF_LAYER = re.compile(r"^blk\.(\d{1,5})\.")
GGUF_RULES: tuple[Rule, ...] = (
    (DRAFT, _has(r"nextn\.|^mtp\.")),
    ("vision", _has(r"^(?:v|mm|a|resampler)\.")),
    ("embedding", _has(r"^(?:token_embd|per_layer_token_embd|token_types|position_embd)\.")),
    ("lm_head", _has(r"^output\.")),
    ("norms", _has(r"norm\.(?:weight|bias)$|norm_\d\.(?:weight|bias)$")),
    ("other", _has(r"exp_probs_b|rope_freqs|rope_factors")),
    ("shared_experts", _has(r"_shexp\.|_chexps\.")),
    ("routed", _has(r"_exps(?:\.|$)")),
    ("router", _has(r"ffn_gate_inp\.")),
    ("other", _has(r"\.bias$|attn_sinks|ssm_(?:a|d|dt|conv1d\w*)(?:\.|$)|shortconv\.conv\.")),
    ("state", _has(r"ssm_|shortconv\.")),
    ("attention", _has(r"attn_|indexer")),
    ("mlp", _has(r"ffn_|laurel|inp_gate|\bproj\.|per_layer_model_proj|altup")),
)


def place_of_gguf(name: str, *, layers: int) -> Place:
    """Where a tensor of a GGUF file belongs."""
    number = GGUF_LAYER.match(name)
    part = next((part for part, holds in GGUF_RULES if holds(name)), None)
    if number and int(number.group(1)) >= layers:
        part = DRAFT
    return Place(part=part or "other", known=part is not None)
