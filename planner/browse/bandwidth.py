"""Cards in tiers of bandwidth, each with the speed that reading the weights of an example model alone would allow."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from planner.amounts import amount
from planner.browse.figures import whole_if_whole
from planner.browse.rows import link_words
from planner.core.bandwidth import (
    TIERS,
    Tier,
    card_ratios,
    ceiling_tokens_per_s,
    tier_of,
    weight_bytes_per_token,
)
from planner.core.cost.prices import PriceBook
from planner.core.figures import count, short
from planner.core.model_facts import weight_facts
from planner.core.specs import AcceleratorSpec, Catalog, ModelSpec, Scheme
from planner.core.units import GB, GIB
from planner.core.weights import part_bytes, published_scheme_id
from planner.messages.catalog import CLASSES
from planner.messages.catalog import TIERS as TIER_WORDS

EXAMPLES = ("meta-llama/Llama-3.1-8B-Instruct", "Qwen/Qwen2.5-7B-Instruct")


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """The model that speeds are told of, in one scheme. `typed` is what the address says of it."""

    model: ModelSpec
    scheme: Scheme
    schemes: Sequence[str]
    bytes_per_token: float
    weights_gib: float
    unknown: str = ""  # what was asked for and is not in the catalog


@dataclass(frozen=True, slots=True, kw_only=True)
class CardLine:
    """A card of a tier."""

    key: str
    name: str
    vendor: str
    kind: str
    memory: str
    bandwidth: str
    reads: str
    w_per_gb_s: str
    price_per_gb_s: str
    link: str
    ceiling: str
    fits: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TierBlock:
    """One tier, fastest card first. `ceiling` is the range between its limits."""

    key: str
    title: str
    ceiling: str
    cards: Sequence[CardLine]


@dataclass(frozen=True, slots=True, kw_only=True)
class BandwidthPage:
    """The context of templates/planner/browse/bandwidth.html."""

    example: Example
    answer: str
    formula: str
    worked: str
    tiers: Sequence[TierBlock]
    without: int
    currency: str
    priced: bool
    classes: Sequence[tuple[str, Any]]
    chosen_class: str
    values: Mapping[str, str]


def example_of(given: Mapping[str, str], catalog: Catalog) -> Example:
    """The model and scheme of the address; a model that is not known is the usual one, and said to be so."""
    asked = given.get("m", "").strip()[:200]
    name = (
        asked
        if asked in catalog.models
        else next((item for item in EXAMPLES if item in catalog.models), next(iter(catalog.models)))
    )
    model = catalog.models[name]
    schemes = [fact.scheme.id for fact in weight_facts(model, catalog)]
    wanted = given.get("w", "")
    scheme = catalog.schemes[wanted if wanted in schemes else published_scheme_id(model)]
    return Example(
        model=model,
        scheme=scheme,
        schemes=schemes,
        bytes_per_token=weight_bytes_per_token(model, scheme),
        weights_gib=part_bytes(model, scheme).total / GIB,
        unknown=asked if asked != name and asked else "",
    )


def bandwidth_page(given: Mapping[str, str], *, catalog: Catalog, book: PriceBook) -> BandwidthPage:
    """All tiers for the example and the class of the address."""
    example = example_of(given, catalog)
    chosen = given.get("class", "") if given.get("class", "") in CLASSES else ""
    cards = [card for card in catalog.accelerators.values() if not chosen or card.accelerator_class == chosen]
    known = [card for card in cards if card.bandwidth_gb_s]
    return BandwidthPage(
        example=example,
        answer=_answer(example),
        formula=_("tokens per second ≤ bandwidth × 10⁹ ÷ bytes of weights that one token reads"),
        worked=_(
            "%(model)s in %(scheme)s: %(bytes)s bytes for each token, so 1,000 GB/s is %(rate)s tokens per second at most"
        )
        % {
            "model": example.model.id,
            "scheme": example.scheme.id,
            "bytes": count(example.bytes_per_token),
            "rate": short(ceiling_tokens_per_s(1000, example.bytes_per_token)),
        },
        tiers=[_tier(tier, known, example, catalog, book) for tier in reversed(TIERS)],
        without=len(cards) - len(known),
        currency=book.currency,
        priced=any(card.id in book.purchase for card in known),
        classes=list(CLASSES.items()),
        chosen_class=chosen,
        values={"m": example.model.id, "w": example.scheme.id},
    )


def _answer(example: Example) -> str:
    size = short(example.bytes_per_token / GB)
    return _(
        "Each token reads %(size)s GB of weights for one user of %(model)s (%(scheme)s), so bandwidth sets the ceiling: "
        "%(slow)s tokens per second at 300 GB/s, %(fast)s at 4,000. Real speed stays below it."
    ) % {
        "size": size,
        "model": example.model.id.rpartition("/")[2],
        "scheme": example.scheme.id,
        "slow": short(ceiling_tokens_per_s(300, example.bytes_per_token)),
        "fast": short(ceiling_tokens_per_s(4000, example.bytes_per_token)),
    }


def _tier(
    tier: Tier, cards: Sequence[AcceleratorSpec], example: Example, catalog: Catalog, book: PriceBook
) -> TierBlock:
    own = [card for card in cards if card.bandwidth_gb_s and tier_of(card.bandwidth_gb_s) is tier]
    own.sort(key=lambda card: (-(card.bandwidth_gb_s or 0), card.name))
    return TierBlock(
        key=tier.key,
        title=str(TIER_WORDS[tier.key]),
        ceiling=_ceiling(tier, example),
        cards=[_line(card, example, catalog, book) for card in own],
    )


def _ceiling(tier: Tier, example: Example) -> str:
    low = short(ceiling_tokens_per_s(tier.low, example.bytes_per_token))
    high = short(ceiling_tokens_per_s(tier.high or math.inf, example.bytes_per_token))
    if tier.high is None:
        return _("%s tokens/s and more") % low
    return (
        _("below %s tokens/s") % high
        if not tier.low
        else _("%(low)s to %(high)s tokens/s") % {"low": low, "high": high}
    )


def _line(card: AcceleratorSpec, example: Example, catalog: Catalog, book: PriceBook) -> CardLine:
    price = book.buy(card.id)
    ratios = card_ratios(card, price=price.amount if price else None)
    return CardLine(
        key=card.id,
        name=card.name,
        vendor=card.vendor,
        kind=str(CLASSES[card.accelerator_class]),
        memory=short(card.memory_gib),
        bandwidth=whole_if_whole(card.bandwidth_gb_s),
        reads=short(ratios.memory_reads_per_s),
        w_per_gb_s=short(ratios.w_per_gb_s),
        price_per_gb_s=amount(ratios.price_per_gb_s, None),
        link=link_words(card, catalog.accelerator_records[card.id]),
        ceiling=short(ceiling_tokens_per_s(card.bandwidth_gb_s or math.nan, example.bytes_per_token)),
        fits=bool(card.memory_gib and card.memory_gib > example.weights_gib),
    )
