"""What decode needs of a card: bandwidth, and what it is measured against. Cards in tiers of bandwidth."""

import math
from dataclasses import dataclass

from planner.core.request import Parallelism
from planner.core.specs import AcceleratorSpec, ModelSpec, Scheme
from planner.core.units import GB, GIB
from planner.core.work import model_work


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier:
    """Cards from `low` up to but without `high` GB/s; None: no end. Slowest first in TIERS."""

    key: str
    low: float
    high: float | None


# Llama-2-7B in 16 bits, 13.2 GB read per token, cannot give one user more than 23 tokens/s at 300 GB/s, 53 at 700,
# 91 at 1,200, 189 at 2,500 and 303 at 4,000.
TIERS = (
    Tier(key="below-300", low=0, high=300),
    Tier(key="300-700", low=300, high=700),
    Tier(key="700-1200", low=700, high=1200),
    Tier(key="1200-2500", low=1200, high=2500),
    Tier(key="2500-4000", low=2500, high=4000),
    Tier(key="from-4000", low=4000, high=None),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRatios:
    """Figures that follow from those of the datasheet; None where one that they follow from is unknown."""

    memory_reads_per_s: float | None  # how often a second the whole memory can be read
    gb_s_per_w: float | None
    w_per_gb_s: float | None
    price_per_gb_s: float | None  # in the currency of the price that was given


def tier_of(bandwidth_gb_s: float) -> Tier:
    """The tier of a bandwidth."""
    return next(tier for tier in reversed(TIERS) if bandwidth_gb_s >= tier.low)


def card_ratios(card: AcceleratorSpec, *, price: float | None = None) -> CardRatios:
    """Bandwidth against memory, power and price."""
    bandwidth, memory, power = card.bandwidth_gb_s, card.memory_gib, card.tdp_w
    return CardRatios(
        memory_reads_per_s=bandwidth * GB / (memory * GIB) if bandwidth and memory else None,
        gb_s_per_w=bandwidth / power if bandwidth and power else None,
        w_per_gb_s=power / bandwidth if bandwidth and power else None,
        price_per_gb_s=price / bandwidth if bandwidth and price is not None else None,
    )


def weight_bytes_per_token(model: ModelSpec, scheme: Scheme) -> float:
    """Bytes of weights that one user's token makes the cards read: all but the token table, and of the experts the chosen.

    NaN for a format of which the size of this model is not known.
    """
    work = model_work(model, scheme=scheme, caches=(), parallelism=Parallelism())
    return work.dense_bytes + work.expert_bytes * work.experts_per_token / work.experts


def ceiling_tokens_per_s(bandwidth_gb_s: float, bytes_per_token: float) -> float:
    """Tokens per second of one user that a bandwidth never exceeds: reading the weights alone, at the datasheet's rate."""
    return bandwidth_gb_s * GB / bytes_per_token if bytes_per_token > 0 else math.nan
