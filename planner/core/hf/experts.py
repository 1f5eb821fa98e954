"""From a config's expert fields to the routed experts of a model."""

from planner.core.hf.attention import Layout
from planner.core.hf.counting import Widths
from planner.core.hf.families import Family
from planner.core.hf.fields import ConfigReader
from planner.core.specs import MoeSpec

EXPERT_KEYS = ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts")
TOP_KEYS = ("num_experts_per_tok", "moe_k", "moe_topk", "num_experts_per_token")
SHARED_KEYS = ("n_shared_experts", "num_shared_experts", "moe_num_shared_experts")


def read_moe(reader: ConfigReader, family: Family, *, widths: Widths, layout: Layout) -> MoeSpec | None:
    """Routed experts, None for a dense model; problems are noted on the reader."""
    if family.moe is None or not any(reader.has(name) for name in EXPERT_KEYS):
        if family.moe is not None and family.hybrid is None:
            reader.missing(*EXPERT_KEYS)
        return None
    experts = reader.required(*EXPERT_KEYS)
    per_token = reader.required(*TOP_KEYS)
    if per_token > experts:
        reader.invalid(reader.first(*TOP_KEYS), per_token)
    first_dense = reader.integer("first_k_dense_replace", "moe_layer_start_index", default=0, low=0)
    shared_width = reader.optional(
        "shared_expert_intermediate_size", "moe_shared_expert_intermediate_size", "shared_intermediate_size"
    )
    shared = reader.integer(*SHARED_KEYS, default=1 if shared_width or family.moe == "llama4" else 0, low=0)
    width = reader.integer("moe_intermediate_size", default=widths.intermediate)
    routing = routing_layers(reader, family, layers=widths.layers, layout=layout)
    return MoeSpec(
        num_experts=experts,
        experts_per_token=per_token,
        moe_intermediate_size=width,
        shared_experts=shared,
        shared_intermediate_size=shared_width if shared else None,
        first_k_dense=first_dense,
        moe_layers=len(routing),
    )


def routing_layers(reader: ConfigReader, family: Family, *, layers: int, layout: Layout) -> tuple[int, ...]:
    """Layers that route; the rest have a dense feed-forward."""
    if family.hybrid == "nemotron":
        return tuple(index for index, kind in enumerate(layout.kinds) if kind == "experts")
    first_dense = reader.integer("first_k_dense_replace", "moe_layer_start_index", default=0, low=0)
    if first_dense > layers:
        reader.invalid("first_k_dense_replace", first_dense)
        return ()
    if family.moe == "llama4":
        listed = reader.items("moe_layers")
        step = reader.integer("interleave_moe_layer_step", default=1)
        every = tuple(index for index in range(layers) if (index + 1) % step == 0)
        return tuple(index for index in listed if isinstance(index, int)) if listed else every
    step = reader.integer("decoder_sparse_step", "moe_layer_interval", "moe_layer_freq", default=1)
    dense_only = {index for index in reader.items("mlp_only_layers") if isinstance(index, int)}
    return tuple(
        index
        for index in range(first_dense, layers)
        if index not in dense_only and _routes(index, step, family)
    )


def _routes(index: int, step: int, family: Family) -> bool:
    return (index + 1) % step == 0 if family.moe in ("qwen", "ernie") else index % step == 0
