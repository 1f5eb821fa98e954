"""How an engine lays the caches of all layers into one pool of blocks.

vLLM's hybrid manager makes equal groups of layers that share one pool; a block id costs the same in every group,
so unequal layer counts are padded. Other engines keep a pool per kind of layer. Source: v1/core/kv_cache_utils.py.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from planner.core.kv import LayerCache
from planner.core.specs import CacheGroup
from planner.core.units import ceil_div, round_up

STATE_ALIGNMENT = 16
LATENT_ALIGNMENT = 128
RECORD_ALIGNMENT = 576  # pages of compressed latent records are rounded up to this
V4_BLOCK = 256
V4_WINDOW_BLOCK = 64
INDEX_KEY_BYTES = 132
# fp32 compressor states of DeepSeek-V4: bytes per token, tokens per block, window; by compression ratio
V4_COMPRESSOR = {4: (8192, 4, 8), 128: (4096, 8, 128)}
V4_INDEX_COMPRESSOR_BYTES = 2048


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolGroup:
    """Layers that take blocks together. A request of length L takes

    ceil(min(cap + in_flight * F, L) / block_tokens) + extra_blocks, F being the tokens in flight.
    """

    bytes_per_block: float
    block_tokens: float  # inf: constant blocks per sequence
    cap: float = math.inf  # tokens; inf: grows with the context
    in_flight: bool = False
    extra_blocks: int = 0
    window: float = math.inf  # tokens that stay while decoding


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Groups of one pool; `quantum` is the cost of one block id, 0 where memory is taken byte by byte."""

    groups: tuple[PoolGroup, ...]
    quantum: float
    block_tokens: int  # of the group that a start-up log counts in

    @property
    def bytes_per_token(self) -> float:
        """Cost of one more token with every growing and windowed group counted, padding included."""
        return sum(g.bytes_per_block / g.block_tokens for g in self.groups if math.isfinite(g.block_tokens))

    def request_blocks(self, tokens: int, tokens_in_flight: int) -> list[int]:
        """Blocks that one request of `tokens` takes, per group."""
        return [_blocks(group, tokens, tokens_in_flight) for group in self.groups]

    def request_bytes(self, tokens: int, tokens_in_flight: int) -> float:
        """Bytes that one request of `tokens` takes, block rounding included."""
        blocks = self.request_blocks(tokens, tokens_in_flight)
        return sum(n * group.bytes_per_block for n, group in zip(blocks, self.groups, strict=True))


def _blocks(group: PoolGroup, tokens: int, tokens_in_flight: int) -> int:
    if math.isinf(group.block_tokens):
        return group.extra_blocks
    held = min(group.cap + (tokens_in_flight if group.in_flight else 0), tokens)
    return math.ceil(held / group.block_tokens) + group.extra_blocks


def vllm_pool(
    caches: Sequence[LayerCache],
    *,
    block_tokens: int,
    hybrid_pages: str,
    chunked_grouped: bool,
    group_size_ratio: float,
    state_blocks: int,
) -> Pool:
    """The pool of vLLM. `hybrid_pages`: none | equal_pages | any_pages, what the version can group."""
    if any(math.isnan(c.bytes_per_token) for c in caches):
        return _unknown_pool(block_tokens)
    attention = [c for c in _merged_index(caches) if c.kind != "state"]
    states = [c for c in caches if c.kind == "state"]
    if not chunked_grouped or hybrid_pages == "none":
        grown = {"chunked"} if hybrid_pages != "none" else {"chunked", "sliding"}
        mixed = len({(c.kind in ("sliding", "chunked"), c.bytes_per_token, c.window) for c in attention}) > 1
        attention = [_grown(c) if mixed and c.kind in grown else c for c in attention]
    if not states and len({c.bytes_per_token for c in attention}) > 1 and hybrid_pages != "any_pages":
        attention = [_grown(c) for c in attention]
    if not states and all(c.window is None for c in attention):
        return _one_group(attention, block_tokens)
    return _grouped(_same_spec_together(attention), states, block_tokens, group_size_ratio, state_blocks)


def _unknown_pool(block_tokens: int) -> Pool:
    """The pool of a cache format whose size nobody states."""
    group = PoolGroup(bytes_per_block=math.nan, block_tokens=block_tokens)
    return Pool(groups=(group,), quantum=math.nan, block_tokens=block_tokens)


def _merged_index(caches: Sequence[LayerCache]) -> list[LayerCache]:
    """Index keys lie beside the latents or heads of their layers: spread over the first growing kind."""
    index_bytes = sum(c.layers * c.bytes_per_token for c in caches if c.kind == "index")
    merged: list[LayerCache] = []
    for cache in caches:
        if cache.kind == "index":
            continue
        if index_bytes and cache.kind in ("full", "latent"):
            rate = cache.bytes_per_token + index_bytes / cache.layers
            merged.append(LayerCache(kind=cache.kind, layers=cache.layers, bytes_per_token=rate))
            index_bytes = 0.0
        else:
            merged.append(cache)
    return merged


def _grown(cache: LayerCache) -> LayerCache:
    """A windowed layer that the engine stores as if it saw everything."""
    return LayerCache(kind="full", layers=cache.layers, bytes_per_token=cache.bytes_per_token)


def _same_spec_together(caches: Sequence[LayerCache]) -> list[LayerCache]:
    layers: dict[tuple[str, float, int | None], int] = {}
    for cache in caches:
        spec = (cache.kind, cache.bytes_per_token, cache.window)
        layers[spec] = layers.get(spec, 0) + cache.layers
    return [
        LayerCache(kind=kind, layers=count, bytes_per_token=rate, window=window)
        for (kind, rate, window), count in layers.items()
    ]


def _one_group(caches: Sequence[LayerCache], block_tokens: int) -> Pool:
    page = sum(c.layers * c.bytes_per_token for c in caches) * block_tokens
    group = PoolGroup(bytes_per_block=page, block_tokens=block_tokens)
    return Pool(groups=(group,), quantum=page, block_tokens=block_tokens)


def _grouped(
    attention: Sequence[LayerCache],
    states: Sequence[LayerCache],
    block_tokens: int,
    group_size_ratio: float,
    state_blocks: int,
) -> Pool:
    widest = max((c.bytes_per_token for c in attention), default=0.0)
    state_page = max((c.state_bytes for c in states), default=0.0)
    if state_page and widest:
        align = LATENT_ALIGNMENT if any(c.kind == "latent" for c in attention) else STATE_ALIGNMENT
        needed = align * math.ceil(state_page / (align * widest))
        block_tokens = max(block_tokens, needed)
    page = widest * block_tokens if widest else state_page
    counts = [c.layers for c in (*attention, *states)]
    size = min(counts)
    if max(counts) < group_size_ratio * size:
        size = max(counts)
    groups: list[PoolGroup] = []
    for cache in attention:
        # A narrower layer holds more tokens in a page of the same size; what does not divide is padding.
        tokens = block_tokens * int(widest / cache.bytes_per_token)
        groups.extend([_windowed(cache, size * page, tokens)] * ceil_div(cache.layers, size))
    for cache in states:
        group = PoolGroup(bytes_per_block=size * page, block_tokens=math.inf, extra_blocks=state_blocks)
        groups.extend([group] * ceil_div(cache.layers, size))
    return Pool(groups=tuple(groups), quantum=size * page, block_tokens=block_tokens)


def _windowed(cache: LayerCache, bytes_per_block: float, block_tokens: int) -> PoolGroup:
    if cache.window is None:
        return PoolGroup(bytes_per_block=bytes_per_block, block_tokens=block_tokens)
    sliding = cache.kind == "sliding"
    return PoolGroup(
        bytes_per_block=bytes_per_block,
        block_tokens=block_tokens,
        cap=float(cache.window - 1 if sliding else cache.window),
        in_flight=cache.kind != "cross",
        extra_blocks=1 if sliding else 0,
        window=float(cache.window),
    )


def separate_pools(
    caches: Sequence[LayerCache], *, block_tokens: int, in_flight: bool, sequences: int, state_blocks: int
) -> Pool:
    """A pool per kind of layer, no padding between them: SGLang, TensorRT-LLM, llama.cpp.

    `sequences` share one context (llama.cpp): windows and states are kept for each of them.
    """
    merged = _merged_index(caches)
    growing = sum(c.layers * c.bytes_per_token for c in merged if c.kind != "state" and c.window is None)
    groups = [PoolGroup(bytes_per_block=growing * block_tokens, block_tokens=block_tokens)] if growing else []
    for cache in merged:
        if cache.kind == "state":
            groups.append(
                PoolGroup(
                    bytes_per_block=cache.layers * cache.state_bytes,
                    block_tokens=math.inf,
                    extra_blocks=state_blocks * sequences,
                )
            )
        elif cache.window is not None:
            groups.append(
                PoolGroup(
                    bytes_per_block=cache.layers * cache.bytes_per_token * block_tokens,
                    block_tokens=block_tokens,
                    cap=float(cache.window * sequences),
                    in_flight=in_flight,
                    window=float(cache.window),
                )
            )
    return Pool(groups=tuple(groups), quantum=0.0, block_tokens=block_tokens)


def v4_pool(group: CacheGroup) -> Pool:
    """DeepSeek-V4: compressed records, their index keys, a window of plain records, fp32 compressor states.

    One block id is as wide as the widest packed group; window layers split into as many groups as that needs.
    """
    counts = dict(group.ratio_counts)
    record = group.record_bytes or 0
    main = 0
    compressors: list[tuple[int, int, int]] = []  # bytes per block, tokens, window
    for ratio, layers in counts.items():
        if ratio == 0:
            continue
        main += layers * _record_page(record * V4_BLOCK // ratio)
        state, tokens, window = V4_COMPRESSOR.get(ratio, V4_COMPRESSOR[128])
        page = layers * _record_page(state * tokens)
        if ratio == 4:
            main += layers * _record_page(INDEX_KEY_BYTES * V4_BLOCK // ratio)
            page += layers * _record_page(V4_INDEX_COMPRESSOR_BYTES * tokens)
        compressors.append((page, tokens, window))
    quantum = max([main, *(page for page, _, _ in compressors)])
    window_layers = group.layers * _record_page(record * V4_WINDOW_BLOCK)
    windows = ceil_div(window_layers, quantum)
    window = group.window or 128
    quantum = max(quantum, ceil_div(group.layers, windows) * _record_page(record * V4_WINDOW_BLOCK))
    groups = [_v4_window(quantum, V4_WINDOW_BLOCK, window)] * windows
    groups.append(PoolGroup(bytes_per_block=quantum, block_tokens=V4_BLOCK))
    groups.extend(_v4_window(quantum, tokens, wide) for _, tokens, wide in compressors)
    return Pool(groups=tuple(groups), quantum=quantum, block_tokens=V4_BLOCK)


def _record_page(content: int) -> int:
    return round_up(content, RECORD_ALIGNMENT)


def _v4_window(quantum: float, block_tokens: int, window: int) -> PoolGroup:
    return PoolGroup(
        bytes_per_block=quantum,
        block_tokens=block_tokens,
        cap=float(window - 1),
        in_flight=True,
        extra_blocks=1,
        window=float(window),
    )
