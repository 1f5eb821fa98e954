"""What an engine takes where a request says nothing: batch sizes, context, share of memory; and what it sees of a card."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from planner.core.request import EstimateRequest
from planner.core.specs import AcceleratorSpec, EngineSpec, ModelSpec
from planner.core.units import GIB

# One number, or an array of them for many rows at once
Numbers = Any
MB_PER_GIB = GIB / (1 << 20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """Settings of one request with the engine version's defaults put in. NaN total: no card, or memory unknown."""

    total_gib: float  # what the engine sees as the card's memory
    utilization: float
    max_model_len: int
    max_num_seqs: int
    max_num_batched_tokens: int
    graph_batch: int
    profiled_tokens: int  # what one forward pass at most holds
    tokens_in_flight: int


def resolve(request: EstimateRequest) -> Resolved:
    """Settings in force for a request."""
    settings, engine = request.settings, request.engine
    total = visible_gib(request.accelerator, engine.name, id(engine.values), engine)
    length = settings.max_model_len or request.model.max_position_embeddings
    defaults = engine.values["batch_defaults"]
    tier = tier_of(engine, total, request.accelerator)
    sequences = settings.max_num_seqs or tier["max_num_seqs"]
    batch = settings.max_num_batched_tokens
    if batch is None:
        batch = int(batch_in_force(defaults, default_batch(defaults, tier, length), sequences, length))
    if settings.max_num_seqs is None:
        sequences = min(sequences, batch)
    parallelism = request.parallelism
    wide = parallelism.tensor >= 4
    graph_batch = tier.get("graph_batch_wide" if wide else "graph_batch", sequences)
    share = settings.gpu_memory_utilization
    if share is None:
        share = engine.values["gpu_memory_utilization"]
    if share is None:
        ranks = parallelism.tensor * parallelism.pipeline
        share = float(
            static_share(
                engine, request.model, total_gib=total, chunk=batch, ranks=ranks, graph_batch=graph_batch
            )
        )
    profiled = min(batch, engine.values.get("micro_batch", batch))
    return Resolved(
        total_gib=total,
        utilization=share,
        max_model_len=length,
        max_num_seqs=sequences,
        max_num_batched_tokens=batch,
        graph_batch=graph_batch,
        profiled_tokens=profiled,
        tokens_in_flight=profiled * batches_in_flight(engine, parallelism.pipeline),
    )


def tier_of(engine: EngineSpec, total_gib: float, card: AcceleratorSpec | None) -> Mapping[str, int]:
    """Batch defaults of the first tier whose memory and name conditions the card meets; the last holds for every card."""
    tiers: list[Mapping[str, Any]] = engine.values["batch_defaults"]["tiers"]
    name = card.name.casefold() if card is not None else ""
    for tier in tiers[:-1]:
        excluded = any(word in name for word in tier["not_in_name"])
        if total_gib >= tier["min_total_gib"] and not excluded:
            return tier
    return tiers[-1]


def default_batch(defaults: Mapping[str, Any], tier: Mapping[str, int], length: int) -> int:
    """Tokens of a batch that a tier stands for at a context of `length`."""
    if defaults["budget"] == "tier":
        return tier["max_num_batched_tokens"]
    limit, chunk = defaults["chunk_above"], defaults["chunk"]
    if isinstance(limit, int) and isinstance(chunk, int) and length > limit:
        return chunk
    return max(length, tier["max_num_batched_tokens"])


def batch_in_force(
    defaults: Mapping[str, Any], batch: Numbers, sequences: Numbers, length: Numbers
) -> Numbers:
    """The default, or what all sequences together can fill where that is less."""
    if defaults["budget"] != "tier":
        return batch
    return np.maximum(np.minimum(batch, sequences * length), 1)


def batches_in_flight(engine: EngineSpec, pipeline: Numbers) -> Numbers:
    """Batches that an engine keeps under way over so many stages."""
    queued = engine.values.get("batches_in_flight") == "pipeline_plus_one"
    return pipeline + 1 if queued else pipeline * 0 + 1


def static_share(
    engine: EngineSpec,
    model: ModelSpec,
    *,
    total_gib: Numbers,
    chunk: Numbers,
    ranks: Numbers,
    graph_batch: Numbers,
) -> Numbers:
    """SGLang's default share for weights and pool: all but a reserve that grows with chunk, ranks and graphs."""
    rule: Mapping[str, float] = engine.values["static_share"]
    latent = any(group.latent_dim for group in model.cache_groups)
    graphs = rule["latent_graph_mb"] if latent else rule["graph_size_mb"] * (graph_batch / 8 + 4)
    reserved = (
        rule["fixed_mb"]
        + rule["chunk_mb"] * np.maximum(chunk, rule["min_chunk"])
        + rule["parallel_mb"] * ranks
        + rule["graph_batch_mb"] * graph_batch
        + graphs
    )
    total_mb = total_gib * MB_PER_GIB
    large = np.maximum(reserved, rule["floor_mb_above_60_gb"])
    reserved = np.where(total_mb > 60 * 1024, large, reserved)
    # On a card smaller than the reserve nothing is left, not less than nothing.
    return np.maximum(total_mb - reserved, 0.0) / total_mb


@lru_cache(maxsize=4096)
def visible_gib(card: AcceleratorSpec | None, _engine: str, _values: int, engine: EngineSpec) -> float:
    """Memory that a program on the card is told of, in GiB; NaN where it is not known.

    NVIDIA's driver keeps a part of what nvidia-smi calls the total, taken from a log where one shows it; Metal lets a
    program use a share of memory.
    """
    if card is None or card.memory_gib is None:
        return float("nan")
    total = card.memory_gib
    if card.accelerator_class == "apple":
        steps = engine.values["os_share_of_unified"]["apple_share"]
        share = next(s["share"] for s in steps if s["up_to_gib"] is None or total <= s["up_to_gib"])
        return float(total * share)
    if card.memory_gib_torch is not None:
        return card.memory_gib_torch
    if card.vendor.casefold() == "nvidia" and not card.unified_memory:
        reserved = engine.values["driver_reserved"]
        return float(total - reserved["fixed_gib"] - reserved["share"] * total)
    return total


def reserved_slots(request: EstimateRequest) -> int:
    """Full contexts reserved at start: llama.cpp gives each named slot its own, and shares one where none is named."""
    if request.engine.values["budget"] != "whole_context":
        return 1
    return request.settings.max_num_seqs or 1
