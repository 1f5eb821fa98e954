"""What the architectures of Hugging Face configs leave unsaid: norms, biases, layer patterns and their defaults.

One row per `model_type`. Read from the model definitions of transformers 5.24.0. What has no row is refused: a
guessed layout would size a machine wrongly and silently.
"""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """How one architecture is built, as far as its config does not say."""

    attention: str = "gqa"  # gqa | mla
    gated: bool = True  # feed-forward of three matrices (gate, up, down) instead of two
    norms: int = 2  # per layer, each hidden_size wide
    norm_bias: bool = False
    qk_norm: str | None = None  # head: one head wide; full: all heads wide
    qkv_bias: bool = False  # where the config has no key for it
    output_bias: bool | None = None  # None: as the key for attention says
    mlp_bias: bool = False
    head_bias: bool = False
    tied: bool = False  # where the config does not say
    pattern: str | None = None  # sliding layers without layer_types: all | alternate | period | optional
    period: int = 6  # every period-th layer is full
    window: int | None = None  # where the config does not say
    moe: str | None = None  # mixtral | qwen | deepseek | gpt_oss | llama4 | ernie
    shared_gate: bool = False  # a gate on the shared expert
    correction_bias: bool = False  # one bias per expert in the router
    hybrid: str | None = None  # gdn | granite | nemotron
    indexer: bool = False  # DeepSeek sparse attention


LLAMA = Family()
QWEN2 = Family(qkv_bias=True, output_bias=False, pattern="optional")
QWEN3 = Family(qk_norm="head", pattern="optional")
GEMMA2 = Family(norms=4, tied=True, pattern="alternate", window=4096)
GEMMA3 = Family(norms=4, qk_norm="head", tied=True, pattern="period", period=6, window=4096)
DEEPSEEK = Family(attention="mla", moe="deepseek", correction_bias=True)
GDN = Family(qk_norm="head", hybrid="gdn")

FAMILIES: dict[str, Family] = {
    "llama": LLAMA,
    "mistral": Family(pattern="all"),
    "ministral": Family(pattern="all"),
    "ministral3": Family(pattern="all"),
    "mixtral": Family(pattern="all", moe="mixtral"),
    "qwen2": QWEN2,
    "qwen2_5_vl_text": QWEN2,
    "qwen2_vl_text": QWEN2,
    "qwen2_vl": QWEN2,
    "qwen2_5_vl": QWEN2,
    "qwen2_moe": replace(QWEN2, moe="qwen", shared_gate=True),
    "qwen3": QWEN3,
    "qwen3_vl_text": QWEN3,
    "qwen3_moe": replace(QWEN3, moe="qwen"),
    "qwen3_vl_moe_text": replace(QWEN3, moe="qwen"),
    "qwen3_next": replace(GDN, moe="qwen", shared_gate=True),
    "qwen3_5_text": GDN,
    "qwen3_5_moe_text": replace(GDN, moe="qwen", shared_gate=True),
    "gemma": Family(tied=True),
    "gemma2": GEMMA2,
    "gemma3": GEMMA3,
    "gemma3_text": GEMMA3,
    "phi": Family(
        gated=False, norms=1, norm_bias=True, qkv_bias=True, output_bias=True, mlp_bias=True, head_bias=True
    ),
    "phi3": Family(pattern="all"),
    "phimoe": Family(
        norm_bias=True, qkv_bias=True, output_bias=True, head_bias=True, pattern="all", moe="mixtral"
    ),
    "granite": Family(tied=True),
    "granitemoe": Family(tied=True, moe="mixtral"),
    "granitemoeshared": Family(tied=True, moe="mixtral"),
    "granitemoehybrid": Family(tied=True, moe="mixtral", hybrid="granite"),
    "olmo": Family(norms=0),
    "olmo2": Family(qk_norm="full"),
    "olmo3": Family(qk_norm="full", pattern="period", period=4, window=4096),
    "olmoe": Family(qk_norm="full", moe="qwen"),
    "glm": Family(qkv_bias=True, output_bias=False),
    "glm4": Family(norms=4, qkv_bias=True, output_bias=False),
    "glm4_moe": Family(qkv_bias=True, output_bias=False, moe="deepseek", correction_bias=True),
    "glm4_moe_lite": DEEPSEEK,
    "glm_moe_dsa": replace(DEEPSEEK, indexer=True),
    "cohere": Family(norms=1, tied=True),
    "cohere2": Family(norms=1, tied=True, pattern="period", period=4, window=4096),
    "starcoder2": Family(
        gated=False, norm_bias=True, qkv_bias=True, output_bias=True, mlp_bias=True, tied=True, pattern="all"
    ),
    "internlm2": LLAMA,
    "internlm3": LLAMA,
    "baichuan": LLAMA,
    "minicpm": Family(tied=True),
    "mimo": QWEN2,
    "yi": LLAMA,
    "smollm3": Family(tied=True, pattern="optional"),
    "seed_oss": Family(qkv_bias=True, output_bias=False),
    "nemotron": Family(gated=False, norm_bias=True),
    "exaone4": Family(qk_norm="head", pattern="period", period=4, window=4096),
    "ernie4_5": Family(tied=True),
    "ernie4_5_moe": Family(tied=True, moe="ernie", correction_bias=True),
    "hunyuan_v1_dense": Family(qk_norm="head", tied=True),
    "dots1": Family(qk_norm="head", moe="deepseek", correction_bias=True),
    "deepseek_v2": replace(DEEPSEEK, correction_bias=False),
    "deepseek_v3": DEEPSEEK,
    "kimi_k2": DEEPSEEK,
    "deepseek_v32": replace(DEEPSEEK, indexer=True),
    "minicpm3": Family(attention="mla", tied=True),
    "minimax_m2": Family(qk_norm="full", moe="mixtral", correction_bias=True),
    "gpt_oss": Family(qkv_bias=True, output_bias=True, pattern="alternate", window=128, moe="gpt_oss"),
    "llama4_text": Family(moe="llama4"),
    "nemotron_h": Family(gated=False, norms=1, hybrid="nemotron", moe="deepseek", correction_bias=True),
}

# Models that fill blanks or embed text: they have no decode to plan.
ENCODER_TYPES = frozenset(
    [
        "bert",
        "roberta",
        "xlm-roberta",
        "camembert",
        "distilbert",
        "albert",
        "electra",
        "deberta",
        "deberta-v2",
        "mpnet",
        "modernbert",
        "nomic_bert",
        "bge",
        "esm",
        "ernie",
        "longformer",
        "big_bird",
        "funnel",
        "layoutlm",
        "layoutlmv3",
        "clip",
        "clip_vision_model",
        "siglip",
        "siglip_vision_model",
        "vit",
        "dinov2",
        "wav2vec2",
        "hubert",
    ]
)
ENCODER_ENDINGS = (
    "ForMaskedLM",
    "ForSequenceClassification",
    "ForTokenClassification",
    "ForQuestionAnswering",
    "ForMultipleChoice",
)
ENCODER_DECODER_TYPES = frozenset(
    ["t5", "mt5", "umt5", "bart", "mbart", "pegasus", "marian", "m2m_100", "whisper", "blenderbot", "led"]
)
