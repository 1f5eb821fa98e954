"""The matrices of a model by the names that quantizers use, each with its weights."""

from collections.abc import Iterator
from dataclasses import dataclass

from planner.core.hf.attention import Heads, Layout, StateShape
from planner.core.hf.counting import Widths
from planner.core.hf.families import Family
from planner.core.specs import MoeSpec

LATENT = "self_attn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """Matrices that are quantized or left alone together. `names` are what checkpoints call them, below `model.`."""

    names: tuple[str, ...]
    part: str  # linear | routed
    params: int


def modules_of(
    family: Family, widths: Widths, layout: Layout, moe: MoeSpec | None, routing: frozenset[int]
) -> tuple[Module, ...]:
    """Every matrix that quantizers may touch, layer by layer; `routing` are the layers with experts."""
    found: list[Module] = []
    for index, kind in enumerate(layout.kinds):
        place = f"layers.{index}"
        if kind in ("full", "sliding", "chunked"):
            found += _attention(place, family, widths, layout.heads)
        elif kind == "linear" and layout.state is not None:
            found += _state(place, widths, layout.state)
        if moe is not None and index in routing:
            found += _experts(place, family, widths, moe)
        elif family.hybrid != "nemotron" or kind == "forward":
            found += _feed_forward(place, family, widths, kind)
    return tuple(found)


def _named(place: str, *names: str) -> tuple[str, ...]:
    return tuple(f"{place}.{name}" for name in names)


def _attention(place: str, family: Family, widths: Widths, heads: Heads) -> Iterator[Module]:
    if family.attention == "mla":
        yield from _latent(place, widths.hidden, heads)
        return
    containers = (
        ("self_attn", "attention", "mixer") if family.hybrid == "nemotron" else ("self_attn", "attention")
    )
    sizes = {
        "q_proj": heads.query * heads.width,
        "k_proj": heads.key_value * heads.width,
        "v_proj": heads.key_value * heads.value_width,
    }
    for name, rows in sizes.items():
        names = [f"{outer}.{inner}" for outer in containers for inner in (name, "qkv_proj")]
        yield Module(names=_named(place, *names), part="linear", params=rows * widths.hidden)
    names = [f"{outer}.o_proj" for outer in containers]
    yield Module(
        names=_named(place, *names), part="linear", params=heads.query * heads.value_width * widths.hidden
    )


def _latent(place: str, hidden: int, heads: Heads) -> Iterator[Module]:
    asked = heads.query * heads.width
    sizes = {
        ("kv_a_proj_with_mqa", "fused_qkv_a_proj"): hidden * (heads.latent + heads.rope),
        ("kv_b_proj",): heads.latent * heads.query * (heads.nope + heads.value_width),
        ("o_proj",): heads.query * heads.value_width * hidden,
    }
    if heads.query_latent:
        sizes[("q_a_proj", "fused_qkv_a_proj")] = hidden * heads.query_latent
        sizes[("q_b_proj",)] = heads.query_latent * asked
    else:
        sizes[("q_proj",)] = hidden * asked
    for names, params in sizes.items():
        full = [f"{LATENT}.{name}" for name in names]
        yield Module(names=_named(place, *full), part="linear", params=params)


def _state(place: str, widths: Widths, state: StateShape) -> Iterator[Module]:
    out = state.value_heads * state.value_width
    outer = "linear_attn" if state.kind == "gdn" else "mixer"
    into = state.conv_channels + out + (2 if state.kind == "gdn" else 1) * state.value_heads
    into_names = [f"{outer}.in_proj", f"{outer}.in_proj_qkvz", f"{outer}.in_proj_qkv", "mamba.in_proj"]
    yield Module(names=_named(place, *into_names), part="linear", params=widths.hidden * into)
    yield Module(
        names=_named(place, f"{outer}.out_proj", "mamba.out_proj"), part="linear", params=widths.hidden * out
    )


def _experts(place: str, family: Family, widths: Widths, moe: MoeSpec) -> Iterator[Module]:
    inner = widths.hidden * moe.moe_intermediate_size
    outers = ("mlp.experts", "block_sparse_moe.experts", "feed_forward.experts", "mixer.experts")
    for name, old in _matrices(family):
        names = [
            spelled
            for outer in outers
            for spelled in (
                f"{outer}.0.{name}",
                f"{outer}.{name}",
                f"{outer}.0.{old}",
                f"{outer}.0.gate_up_proj",
            )
        ] + [f"{outer}.gate_up_proj" for outer in outers if name != "down_proj"]
        yield Module(names=_named(place, *names), part="routed", params=moe.num_experts * inner)
    if not moe.shared_experts:
        return
    width = moe.shared_intermediate_size or moe.shared_experts * moe.moe_intermediate_size
    shared = (
        "mlp.shared_expert",
        "mlp.shared_experts",
        "block_sparse_moe.shared_experts",
        "feed_forward.shared_expert",
    )
    for name, _old in _matrices(family):
        names = [f"{outer}.{spelled}" for outer in shared for spelled in _spellings(name)]
        yield Module(names=_named(place, *names), part="linear", params=widths.hidden * width)


def _feed_forward(place: str, family: Family, widths: Widths, kind: str) -> Iterator[Module]:
    outers = ("mlp", "feed_forward", "mixer") if kind == "forward" else ("mlp", "feed_forward")
    for name, old in _matrices(family):
        names = [f"{outer}.{spelled}" for outer in outers for spelled in (*_spellings(name), old)]
        yield Module(names=_named(place, *names), part="linear", params=widths.hidden * widths.intermediate)


def _matrices(family: Family) -> tuple[tuple[str, str], ...]:
    """Names of the matrices of a feed-forward, and what older checkpoints call them."""
    plain = (("up_proj", "w3"), ("down_proj", "w2"))
    return (("gate_proj", "w1"), *plain) if family.gated else plain


def _spellings(name: str) -> tuple[str, ...]:
    return (name,) if name == "down_proj" else (name, "gate_up_proj")
