"""Parameters by part, counted from the widths of a config. Counts are elements."""

from dataclasses import dataclass

from planner.core.hf.attention import Heads, Layout, StateShape
from planner.core.hf.families import Family
from planner.core.hf.fields import ConfigReader
from planner.core.specs import MoeSpec


@dataclass(slots=True, kw_only=True)
class Parts:
    """Elements of the text model by part, added up layer by layer."""

    embedding: int = 0
    lm_head: int = 0
    routed: int = 0
    linear: int = 0
    router: int = 0
    other: int = 0

    @property
    def total(self) -> int:
        """Elements of everything."""
        return self.embedding + self.lm_head + self.routed + self.linear + self.router + self.other


@dataclass(frozen=True, slots=True, kw_only=True)
class Widths:
    """The widths that every part follows from."""

    hidden: int
    intermediate: int
    vocabulary: int
    layers: int
    tied: bool


def count_parts(
    reader: ConfigReader, family: Family, widths: Widths, layout: Layout, moe: MoeSpec | None
) -> Parts:
    """Elements by part of the text model."""
    parts = Parts(embedding=widths.vocabulary * widths.hidden)
    parts.lm_head = 0 if widths.tied else widths.vocabulary * widths.hidden
    if family.head_bias:
        parts.other += widths.vocabulary
    parts.other += widths.hidden * (2 if family.norm_bias else 1) if family.norms else 0
    _count_attention(parts, reader, family, widths, layout)
    if layout.state is not None:
        _count_state(parts, layout.state, layout.counts["linear"], widths.hidden)
    if moe is not None:
        _count_experts(parts, reader, family, widths, moe)
    routing = moe.moe_layers if moe is not None else 0
    dense = layout.counts["forward"] if family.hybrid == "nemotron" else widths.layers - routing
    _count_dense(parts, reader, family, widths, dense)
    parts.other += widths.layers * family.norms * widths.hidden * (2 if family.norm_bias else 1)
    return parts


def _count_attention(
    parts: Parts, reader: ConfigReader, family: Family, widths: Widths, layout: Layout
) -> None:
    if family.attention == "mla":
        _count_latent(parts, reader, family, widths, layout.heads)
        return
    heads, layers, hidden = layout.heads, layout.attention_layers, widths.hidden
    query, key = heads.query * heads.width, heads.key_value * heads.width
    value, output = heads.key_value * heads.value_width, heads.query * heads.value_width
    gate = query if family.hybrid == "gdn" and reader.flag("attn_output_gate", True) else 0
    parts.linear += layers * hidden * (query + gate + key + value + output)
    qkv_bias, output_bias = attention_biases(reader, family)
    parts.other += layers * ((query + gate + key + value) * qkv_bias + hidden * output_bias)
    parts.other += layers * _qk_norm(reader, family, heads)
    if family.moe == "gpt_oss":
        parts.other += layers * heads.query  # one sink per head


def attention_biases(reader: ConfigReader, family: Family) -> tuple[bool, bool]:
    """(bias on query, key and value; bias on the output)."""
    named = reader.first("attention_bias", "qkv_bias", "use_bias", "use_qkv_bias", "bias")
    qkv = reader.flag(named, family.qkv_bias)
    if reader.has("attention_out_bias"):
        return qkv, reader.flag("attention_out_bias", False)
    return qkv, qkv if family.output_bias is None else family.output_bias and qkv


def _qk_norm(reader: ConfigReader, family: Family, heads: Heads) -> int:
    style = family.qk_norm
    if style is None and reader.flag("use_qk_norm", False):
        style = "head" if family.moe == "deepseek" else "full"
    if style == "head":
        return 2 * heads.width
    return (heads.query + heads.key_value) * heads.width if style == "full" else 0


def _count_latent(parts: Parts, reader: ConfigReader, family: Family, widths: Widths, heads: Heads) -> None:
    hidden, layers = widths.hidden, widths.layers
    asked = heads.query * heads.width
    query = heads.query_latent * (hidden + asked) if heads.query_latent else hidden * asked
    down = hidden * (heads.latent + heads.rope)
    up = heads.latent * heads.query * (heads.nope + heads.value_width)
    parts.linear += layers * (query + down + up + heads.query * heads.value_width * hidden)
    parts.other += layers * (heads.query_latent + heads.latent)
    if family.indexer:
        width = reader.integer("index_head_dim", default=128)
        count = reader.integer("index_n_heads", default=64)
        parts.linear += layers * (heads.query_latent * count * width + hidden * width + hidden * count)
        parts.other += layers * 2 * width


def _count_state(parts: Parts, state: StateShape, layers: int, hidden: int) -> None:
    channels, out = state.conv_channels, state.value_heads * state.value_width
    if state.kind == "gdn":
        parts.linear += layers * hidden * (channels + out + 2 * state.value_heads + out)
        parts.other += layers * (channels * state.conv + 2 * state.value_heads + state.value_width)
        return
    parts.linear += layers * hidden * (channels + state.inner + state.value_heads + state.inner)
    parts.other += layers * (channels * (state.conv + 1) + 3 * state.value_heads + state.inner)


def _count_experts(parts: Parts, reader: ConfigReader, family: Family, widths: Widths, moe: MoeSpec) -> None:
    hidden, layers = widths.hidden, moe.moe_layers
    matrices = 3 if family.gated else 2
    inner = reader.optional("moe_latent_size") or hidden  # experts that work on a narrower copy of the stream
    parts.routed += layers * moe.num_experts * matrices * inner * moe.moe_intermediate_size
    parts.router += layers * moe.num_experts * hidden
    if inner != hidden:
        parts.linear += layers * 2 * hidden * inner
    if moe.shared_experts:
        shared = moe.shared_intermediate_size or moe.shared_experts * moe.moe_intermediate_size
        parts.linear += layers * matrices * hidden * shared
        parts.linear += layers * hidden if family.shared_gate else 0
    if family.correction_bias:
        parts.other += layers * moe.num_experts
    if family.moe == "gpt_oss":
        parts.routed += layers * moe.num_experts * (2 * moe.moe_intermediate_size + hidden)
        parts.router += layers * moe.num_experts


def _count_dense(parts: Parts, reader: ConfigReader, family: Family, widths: Widths, layers: int) -> None:
    width = reader.integer("intermediate_size_mlp", default=widths.intermediate)
    matrices = 3 if family.gated else 2
    parts.linear += layers * matrices * widths.hidden * width
    if reader.flag("mlp_bias" if reader.has("mlp_bias") else "use_bias", family.mlp_bias):
        parts.other += layers * ((matrices - 1) * width + widths.hidden)
