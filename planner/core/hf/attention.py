"""From a config's attention fields to the layers that own a cache."""

from collections import Counter
from dataclasses import dataclass, field

from planner.core.hf.families import Family
from planner.core.hf.fields import ConfigReader
from planner.core.specs import CacheGroup

LAYER_KINDS = {
    "full_attention": "full",
    "attention": "full",
    "sliding_attention": "sliding",
    "chunked_attention": "chunked",
    "linear_attention": "linear",
    "mamba": "linear",
}
NEMOTRON_LETTERS = {"M": "linear", "*": "full", "-": "forward", "E": "experts"}
CHUNKED_PERIOD = 4  # every fourth layer of Llama 4 sees everything
GDN_PERIOD = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Heads:
    """Head counts and widths of the attention layers."""

    query: int
    key_value: int
    width: int
    value_width: int
    latent: int = 0  # MLA: kv_lora_rank
    rope: int = 0  # MLA: qk_rope_head_dim
    nope: int = 0  # MLA: qk_nope_head_dim
    query_latent: int = 0  # MLA: q_lora_rank, 0 where queries are not compressed


@dataclass(frozen=True, slots=True, kw_only=True)
class StateShape:
    """A layer with constant state: the widths that both its weights and its state follow from."""

    kind: str  # gdn | mamba2
    key_heads: int = 0
    value_heads: int = 0
    key_width: int = 0
    value_width: int = 0
    conv: int = 4
    inner: int = 0  # mamba2
    groups: int = 0
    state: int = 0
    ssm_dtype: str | None = None

    @property
    def conv_channels(self) -> int:
        """Channels that the short convolution runs over."""
        if self.kind == "gdn":
            return 2 * self.key_heads * self.key_width + self.value_heads * self.value_width
        return self.inner + 2 * self.groups * self.state

    @property
    def ssm_elements(self) -> int:
        """Elements of the recurrent state of one layer."""
        return self.value_heads * self.value_width * (self.key_width if self.kind == "gdn" else self.state)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Which layer is what. `kinds` has one entry per layer: full, sliding, chunked, linear, forward or experts."""

    kinds: tuple[str, ...]
    heads: Heads
    window: int | None = None
    state: StateShape | None = None
    counts: Counter[str] = field(default_factory=Counter, hash=False, compare=False)

    @property
    def attention_layers(self) -> int:
        """Layers with attention projections."""
        return self.counts["full"] + self.counts["sliding"] + self.counts["chunked"]


def read_layout(reader: ConfigReader, family: Family, *, layers: int, hidden: int) -> Layout:
    """Heads and the kind of every layer; problems are noted on the reader."""
    heads = read_mla(reader) if family.attention == "mla" else read_heads(reader, hidden=hidden)
    kinds, window = layer_kinds(reader, family, layers=layers)
    state = read_state(reader, family, hidden=hidden) if "linear" in kinds else None
    return Layout(kinds=kinds, heads=heads, window=window, state=state, counts=Counter(kinds))


def read_heads(reader: ConfigReader, *, hidden: int) -> Heads:
    """Grouped-query attention: KV heads default to query heads, the width to hidden over heads."""
    query = reader.required("num_attention_heads", "n_head")
    key_value = reader.integer("num_key_value_heads", default=query)
    width = reader.integer("head_dim", "attention_head_dim", default=max(1, hidden // query))
    if key_value > query or query % key_value:
        reader.invalid("num_key_value_heads", key_value)
    return Heads(
        query=query, key_value=key_value, width=width, value_width=reader.integer("v_head_dim", default=width)
    )


def read_mla(reader: ConfigReader) -> Heads:
    """Latent attention: one compressed vector per token, the same on every rank."""
    rope = reader.integer("qk_rope_head_dim", default=0, low=0)
    nope = reader.required("qk_nope_head_dim")
    return Heads(
        query=reader.required("num_attention_heads"),
        key_value=1,
        width=nope + rope,
        value_width=reader.required("v_head_dim"),
        latent=reader.required("kv_lora_rank"),
        rope=rope,
        nope=nope,
        query_latent=reader.optional("q_lora_rank") or 0,
    )


def layer_kinds(reader: ConfigReader, family: Family, *, layers: int) -> tuple[tuple[str, ...], int | None]:
    """(kind of each layer, window): as listed, else by the pattern of the family."""
    if family.hybrid == "nemotron":
        return _from_letters(reader, layers), None
    listed = reader.items("layer_types")
    # A window of null says that no layer slides; only where nobody says does the family's own count.
    window = reader.optional("sliding_window") if "sliding_window" in reader.config else family.window
    if listed:
        return _from_list(reader, listed, layers), _window(reader, window, family)
    if family.hybrid == "gdn":
        period = reader.integer("full_attention_interval", default=GDN_PERIOD)
        return _every(layers, period, other="linear"), None
    if family.hybrid is not None:
        reader.missing("layer_types")
        return ("full",) * layers, None
    if family.moe == "llama4":
        return _every(layers, CHUNKED_PERIOD, other="chunked"), reader.integer(
            "attention_chunk_size", default=8192
        )
    return _by_pattern(reader, family, layers, window)


def _by_pattern(
    reader: ConfigReader, family: Family, layers: int, window: int | None
) -> tuple[tuple[str, ...], int | None]:
    full = ("full",) * layers
    if window is None or family.pattern is None:
        return full, None
    if family.pattern == "all":
        return ("sliding",) * layers, window
    if family.pattern == "alternate":
        return tuple("full" if index % 2 else "sliding" for index in range(layers)), window
    if family.pattern == "period":
        return _every(layers, _period(reader, family), other="sliding"), window
    if not reader.flag("use_sliding_window", False):
        return full, None
    first = reader.integer("max_window_layers", default=layers, low=0)
    return tuple("sliding" if index >= first else "full" for index in range(layers)), window


def _period(reader: ConfigReader, family: Family) -> int:
    name = reader.first("sliding_window_pattern", "_sliding_window_pattern")
    if isinstance(reader.config.get(name), str):  # EXAONE 4 spells it out, as "LLLG"
        return max(1, len(reader.config[name]))
    return reader.integer(name, default=family.period)


def _every(layers: int, period: int, *, other: str) -> tuple[str, ...]:
    return tuple("full" if (index + 1) % period == 0 else other for index in range(layers))


def _from_list(reader: ConfigReader, listed: object, layers: int) -> tuple[str, ...]:
    names = list(listed) if isinstance(listed, (list, tuple)) else []
    kinds = tuple(LAYER_KINDS.get(name, "") if isinstance(name, str) else "" for name in names)
    if "" in kinds:
        reader.invalid("layer_types", names[kinds.index("")])
    elif len(kinds) != layers:
        reader.invalid("layer_types", f"{len(kinds)} entries for {layers} layers")
    else:
        return kinds
    return ("full",) * layers


def _from_letters(reader: ConfigReader, layers: int) -> tuple[str, ...]:
    pattern = reader.text("hybrid_override_pattern", "")
    if not pattern:
        reader.missing("hybrid_override_pattern")
    elif len(pattern) != layers or set(pattern) - set(NEMOTRON_LETTERS):
        reader.invalid("hybrid_override_pattern", pattern)
    else:
        return tuple(NEMOTRON_LETTERS[letter] for letter in pattern)
    return ("full",) * layers


def _window(reader: ConfigReader, window: int | None, family: Family) -> int | None:
    return reader.integer("attention_chunk_size", default=8192) if family.moe == "llama4" else window


def read_state(reader: ConfigReader, family: Family, *, hidden: int) -> StateShape:
    """Widths of the layers that keep a constant state."""
    if family.hybrid == "gdn":
        return StateShape(
            kind="gdn",
            key_heads=reader.required("linear_num_key_heads"),
            value_heads=reader.required("linear_num_value_heads"),
            key_width=reader.required("linear_key_head_dim"),
            value_width=reader.required("linear_value_head_dim"),
            conv=reader.integer("linear_conv_kernel_dim", default=4),
            ssm_dtype=reader.text("mamba_ssm_dtype", "") or None,
        )
    heads = reader.required("mamba_num_heads", "mamba_n_heads")
    expand = reader.integer("mamba_expand", "expand", default=2)
    width = reader.integer("mamba_head_dim", "mamba_d_head", default=max(1, expand * hidden // heads))
    return StateShape(
        kind="mamba2",
        value_heads=heads,
        value_width=width,
        inner=heads * width,
        groups=reader.required("n_groups", "mamba_n_groups"),
        state=reader.required("ssm_state_size", "mamba_d_state"),
        conv=reader.integer("conv_kernel", "mamba_d_conv", default=4),
        ssm_dtype="float32" if family.hybrid == "nemotron" else None,
    )


def cache_groups(reader: ConfigReader, family: Family, layout: Layout) -> tuple[CacheGroup, ...]:
    """The caches that these layers own."""
    if family.attention == "mla":
        return (_latent_group(reader, family, layout),)
    groups = [
        CacheGroup(
            kind=kind,
            layers=layout.counts[kind],
            kv_heads=layout.heads.key_value,
            head_dim=layout.heads.width,
            v_head_dim=layout.heads.value_width,
            window=layout.window if kind != "full" else None,
        )
        for kind in ("full", "sliding", "chunked")
        if layout.counts[kind]
    ]
    if layout.state is not None:
        groups.append(_state_group(layout.state, layout.counts["linear"]))
    return tuple(groups)


def _latent_group(reader: ConfigReader, family: Family, layout: Layout) -> CacheGroup:
    heads, layers = layout.heads, len(layout.kinds)
    indexed = family.indexer
    return CacheGroup(
        kind="mla_dsa" if indexed else "mla",
        layers=layers,
        latent_dim=heads.latent + heads.rope,
        kv_lora_rank=heads.latent,
        qk_rope_head_dim=heads.rope,
        indexer_layers=layers if indexed else None,
        index_head_dim=reader.integer("index_head_dim", default=128) if indexed else None,
        index_topk=reader.integer("index_topk", default=2048) if indexed else None,
    )


def _state_group(state: StateShape, layers: int) -> CacheGroup:
    return CacheGroup(
        kind=state.kind,
        layers=layers,
        conv_elems=state.conv_channels * (state.conv - 1),
        ssm_elems=state.ssm_elements,
        ssm_dtype="float32" if state.ssm_dtype == "float32" else "model",
        state_heads=state.value_heads,
        state_key_heads=state.key_heads or None,
    )
