"""What the model of decode takes in: values only, each unit in its name.

Every spec is frozen and hashable, so that layout work is cached once per combination.
A figure nobody knows is None, never zero.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where a figure comes from.

    kind: datasheet | measured | calibrated | computed | rule_of_thumb | assumed | unsure.
    """

    kind: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkSpec:
    """How accelerators of one node reach each other.

    bandwidth_gb_s is one direction per accelerator; domain_size the largest group on this link.
    """

    kind: str  # nvlink | xgmi | hccs | pcie3-x16 | pcie4-x16 | pcie5-x16 | ethernet | none | other names of the catalog
    bandwidth_gb_s: float | None
    domain_size: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceleratorSpec:
    """One accelerator as a team buys it (all logical devices of the unit together)."""

    id: str
    vendor: str
    name: str
    accelerator_class: str  # datacenter | workstation | consumer | edge | apple | npu | cpu
    architecture: str | None
    compute_capability: str | None  # "8.9", or the gfx target on AMD
    memory_gib: float | None  # what the vendor's tool prints as total; sizing uses this
    memory_gb: float | None  # marketing capacity, decimal
    memory_type: str | None  # HBM3, GDDR6X, LPDDR5X ...
    unified_memory: bool
    logical_devices: int
    bandwidth_gb_s: float | None
    fp16_tflops: float | None  # dense, FP32 accumulate
    fp8_tflops: float | None  # dense
    int8_tops: float | None  # dense
    fp4_tflops: float | None  # dense
    fp32_shader_tflops: float | None  # only where no matrix figure exists
    native_dtypes: frozenset[str]  # of bf16, fp8, int8, int4, fp4 with matrix support
    unknown_dtypes: frozenset[str]  # dtypes whose native support nobody states
    link: LinkSpec | None  # the fast link between accelerators, None if there is none
    pcie: LinkSpec | None
    tdp_w: float | None
    memory_gib_torch: float | None = None  # total as torch and vLLM print it, where a log shows it
    # How many of it one board carries, smallest first, where it is a module that comes on boards alone
    boards: tuple[int, ...] = ()
    provenance: Mapping[str, Provenance] = field(default_factory=dict, hash=False, compare=False)

    def __hash__(self) -> int:
        """Of the name alone: specs are keys of every cache, and few share one."""
        return hash(self.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheGroup:
    """Layers that own the same kind of per-request memory.

    kind: full | sliding | chunked | mla | mla_dsa | dsv4 | dsv41 | index_key | cross (grow with tokens)
          | gdn | mamba1 | mamba2 | kda | lightning | short_conv (constant state per sequence).
    """

    kind: str
    layers: int
    kv_heads: int | None = None
    head_dim: int | None = None
    v_head_dim: int | None = None
    window: int | None = None
    latent_dim: int | None = None  # MLA: kv_lora_rank + qk_rope_head_dim
    kv_lora_rank: int | None = None
    qk_rope_head_dim: int | None = None
    indexer_layers: int | None = None
    index_head_dim: int | None = None
    index_topk: int | None = None
    bytes_per_token_per_layer: float | None = None  # index_key
    growing_bytes_per_token: float | None = None  # dsv41, all layers
    record_bytes: int | None = None  # dsv4
    ratio_counts: tuple[tuple[int, int], ...] = ()  # dsv4: (compression ratio, layers)
    conv_elems: int | None = None  # constant state, elements per layer at TP 1
    ssm_elems: int | None = None
    ssm_dtype: str | None = None  # float32 | model dtype
    state_heads: int | None = None  # heads that TP must divide (value heads)
    state_key_heads: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MoeSpec:
    """Routed experts. Counts per MoE layer."""

    num_experts: int
    experts_per_token: int
    moe_intermediate_size: int
    shared_experts: int = 0
    shared_intermediate_size: int | None = None
    first_k_dense: int = 0
    moe_layers: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RopeScaling:
    """How a publisher documents a longer window than the one that a model comes with: off unless asked for."""

    kind: str  # yarn
    factor: float
    original: int  # tokens that it multiplies

    @property
    def tokens(self) -> int:
        """The window with it."""
        return int(self.factor * self.original)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Weights of one part that a quantizer stores otherwise than the rest; bytes_per_weight None: as they were."""

    part: str  # linear | routed
    params: int
    bytes_per_weight: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredBytes:
    """Bytes by part as the files of a checkpoint hold them, without what engines do not load."""

    embedding: int
    lm_head: int
    linear: int
    routed: int
    router: int
    other: int
    vision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpec:
    """A weight shape. Parameter counts are elements, not bytes."""

    id: str
    family: str | None
    architectures: tuple[str, ...]
    dtype: str  # of unquantized tensors: bfloat16 | float16 | float32
    native_weight_format: str | None  # where the published checkpoint is quantized
    embedding_params: int
    lm_head_params: int  # 0 when tied
    routed_params: int
    linear_params: int  # every other matmul weight, shared experts included
    router_params: int
    other_params: int  # norms, biases, conv, A/D
    vision_params: int
    num_layers: int
    hidden_size: int
    intermediate_size: int | None
    num_attention_heads: int
    num_kv_heads: int
    head_dim: int | None
    vocab_size: int
    tie_word_embeddings: bool
    moe: MoeSpec | None
    max_position_embeddings: int
    cache_groups: tuple[CacheGroup, ...]
    modality: tuple[str, ...] = ("text",)
    engine_support: Mapping[str, str] = field(default_factory=dict, hash=False, compare=False)
    weights_gib_stated: float | None = None  # total on disk, where the asker knows it
    scheme: str | None = None  # scheme that this id ships in (quantized variants), None: as dtype says
    scheme_excludes: tuple[str, ...] = ()  # parts that the publisher left unquantized, e.g. attention
    kept: tuple[Kept, ...] = ()  # the same in weights, where it is known module by module
    stored: StoredBytes | None = None  # of the format that this id ships in, where its files were looked at
    notes: str | None = None
    longer_by: RopeScaling | None = None
    # (scheme, id) of every quantized release of this shape, in the order of the catalog; not all are this very model
    release_ids: tuple[tuple[str, str], ...] = field(default=(), hash=False, compare=False)
    provenance: Mapping[str, Provenance] = field(default_factory=dict, hash=False, compare=False)

    def __hash__(self) -> int:
        """Of a few figures, for the same reason as an accelerator's; models read from a file may share a name."""
        return hash((self.id, self.linear_params, self.routed_params, self.num_layers))


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheme:
    """How weights are stored and computed."""

    id: str
    bytes_per_weight: float  # of quantized parts, scales and zeros included
    bytes_per_row: float  # extra bytes per output row (channel scales)
    quantized_parts: frozenset[str]  # of linear, routed, embedding, lm_head
    compute_dtype: str  # fp32 | fp16 (also bf16) | fp8 | int8 | fp4
    weight_only: bool
    group_size: int | None
    min_compute_capability: str | None  # for CUDA parts
    kernel: str  # dense | fp8 | int8 | int4 | fp4 | gguf | nf4
    source: str = ""
    gguf_type: str | None = None
    linear_bytes_per_weight: float | None = None  # where `linear` is stored in another format than `routed`
    kind: str = "computed"  # of the figures, as in Provenance

    def __hash__(self) -> int:
        """Of the name alone, as for an accelerator."""
        return hash(self.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSpec:
    """One engine at one version: every version-dependent value already picked from its table."""

    name: str  # vllm | sglang | tensorrt-llm | llama.cpp
    version: str
    values: Mapping[str, Any] = field(hash=False, compare=False)
    beyond_newest: bool = False  # asked for a version newer than the newest table
    provenance: Mapping[str, Provenance] = field(default_factory=dict, hash=False, compare=False)  # per value


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """Everything the core may look up. `hash` names this state of it."""

    hash: str
    accelerators: Mapping[str, AcceleratorSpec]
    accelerator_names: Mapping[str, str]  # exact reported name -> id
    models: Mapping[str, ModelSpec]  # aliases (same_shape, quantized variants) included
    schemes: Mapping[str, Scheme]
    engines: Mapping[str, Mapping[str, Any]]  # raw version-keyed tables
    links: Mapping[str, Any]  # collectives and link constants
    # id -> raw record, for what only matching and pages need (names, PCI ids, reported MiB)
    accelerator_records: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    platform_records: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # id -> raw record
    accelerator_mappings: Mapping[str, str] = field(
        default_factory=dict
    )  # reported name -> id, by the operator
    flags: Mapping[str, Any] = field(default_factory=dict)  # launch flags by engine, see core/launch
    power: Mapping[str, Any] = field(default_factory=dict)  # power modes, caps and long runs, see core/power
