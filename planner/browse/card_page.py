"""One accelerator: its figures, what decode makes of them, what runs on it, what it costs, and who carries it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from planner.amounts import amount, exact_amount
from planner.answers.catalog import edited_fields
from planner.answers.catalog_fields import ACCELERATOR_FIELDS, ACCELERATOR_FIGURES
from planner.browse.figures import Derived, FigureRow, figure_rows, whole_if_whole
from planner.browse.rows import Mark, link_words, mark_of, pcie_words
from planner.catalog.build import accelerator_spec
from planner.core.bandwidth import card_ratios, tier_of
from planner.core.cost.prices import Price, PriceBook
from planner.core.engines import resolve_engine
from planner.core.figures import DASH, NBSP, count, short, with_unit
from planner.core.owned import AS_PUBLISHED, QUANTIZED, ModelFit, fits_on
from planner.core.reference import LOADS, asked
from planner.core.request import Parallelism
from planner.core.specs import AcceleratorSpec, Catalog, EngineSpec
from planner.core.support import runs
from planner.core.weights import published_scheme_id
from planner.messages.catalog import CLASSES, FIELDS, TIERS
from planner.messages.money import asked_for
from planner.models import Accelerator
from planner.reference.page import plan_link
from planner.setup import ENGINE_NAMES

ENGINES = ("vllm", "sglang", "llama.cpp")
SHOWN_FITS = 3
OFFERS_SHOWN = 10
TOKENS = LOADS[0].context


@dataclass(frozen=True, slots=True, kw_only=True)
class FitRow:
    """A model that runs on one of it."""

    model: str
    parameters: str
    scheme: str
    tpot: str
    link: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fits:
    """What runs on one of it: the largest as published and in fewer bits, and how many do."""

    engine: str
    published: int
    quantized: int
    rows: Sequence[FitRow]
    link: str
    tokens: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One price that holds today."""

    amount: str
    stated: str  # what the source says, where it was exchanged
    supplier: str
    source: str
    quantity: int
    quoted_on: str
    valid_until: str
    link: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """Something that is no figure. `own`: the team says otherwise than shipped."""

    name: Any
    text: str
    own: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPage:
    """The context of templates/planner/browse/accelerator.html."""

    entry: Accelerator
    mark: Mark | None
    answer: str
    tier: str
    tier_key: str
    facts: Sequence[Fact]
    figures: Sequence[FigureRow]
    derived: Sequence[Derived]
    own_figures: int
    fits: Fits | None
    offers: Sequence[Offer]
    currency: str
    platforms: Sequence[tuple[str, str, int]]


def card_page(entry: Accelerator, *, catalog: Catalog, words: dict[str, str], book: PriceBook) -> CardPage:
    """Everything about one accelerator; a retired one keeps its figures and runs nothing."""
    card = accelerator_spec(entry.record, {})
    tier = tier_of(card.bandwidth_gb_s).key if card.bandwidth_gb_s else ""
    figures = figure_rows(entry, words, ACCELERATOR_FIGURES)
    return CardPage(
        entry=entry,
        mark=mark_of(entry),
        answer=_answer(card),
        tier=str(TIERS[tier]) if tier else "",
        tier_key=tier,
        facts=_facts(entry, card),
        figures=figures,
        derived=_derived(card, book.buy(entry.key), book.currency),
        own_figures=sum(row.own for row in figures),
        fits=_fits(card, catalog) if entry.key in catalog.accelerators else None,
        offers=offers_of(entry.key, book),
        currency=book.currency,
        platforms=_platforms(entry.key, catalog),
    )


def _answer(card: AcceleratorSpec) -> str:
    reads = card_ratios(card).memory_reads_per_s
    if reads is None:
        return _("Its memory or its bandwidth is not known, so nobody can say how fast it decodes.")
    return _(
        "%(memory)s at %(bandwidth)s: it can read all of its memory %(reads)s times a second, and no model that fills "
        "it gives one user more tokens per second than that."
    ) % {
        "memory": with_unit(card.memory_gib, "GiB"),
        "bandwidth": f"{whole_if_whole(card.bandwidth_gb_s)}{NBSP}GB/s",
        "reads": short(reads),
    }


def _facts(entry: Accelerator, card: AcceleratorSpec) -> list[Fact]:
    record = entry.record
    edited = set(edited_fields(entry, ACCELERATOR_FIELDS))
    texts: dict[str, str] = {
        "vendor": card.vendor,
        "class": str(CLASSES[card.accelerator_class]),
        "architecture": card.architecture or DASH,
        "compute_capability": card.compute_capability or DASH,
        "memory_type": card.memory_type or DASH,
        "unified_memory": _("yes") if card.unified_memory else _("no"),
        "ecc": DASH if record["ecc"] is None else _("yes") if record["ecc"] else _("no"),
        "native_dtypes": ", ".join(sorted(card.native_dtypes)) or _("none"),
        "unknown_dtypes": ", ".join(sorted(card.unknown_dtypes)) or DASH,
        "link": link_words(card, record) if card.link else _("none"),
        "pcie": pcie_words(card.pcie.kind) if card.pcie else DASH,
        "launch_year": str(record["launch_year"] or DASH),
        "reported_names": "; ".join(record["names"]["reported"]) or DASH,
    }
    return [Fact(name=FIELDS[name], text=text, own=name in edited) for name, text in texts.items()]


def _derived(card: AcceleratorSpec, price: Price | None, currency: str) -> list[Derived]:
    ratios = card_ratios(card, price=price.amount if price else None)
    bandwidth, memory = whole_if_whole(card.bandwidth_gb_s), whole_if_whole(card.memory_gib)
    power, paid = whole_if_whole(card.tdp_w), amount(price.amount, currency) if price else DASH
    return [
        Derived(
            name=_("Reads of the whole memory"),
            value=short(ratios.memory_reads_per_s),
            unit=_("per second"),
            formula=_("bandwidth × 10⁹ ÷ (memory × 2³⁰)"),
            worked=f"{bandwidth} × 10⁹ ÷ ({memory} × 2³⁰)",
            note=_("The most tokens per second that one user of a model filling the card can get."),
        ),
        Derived(
            name=_("Bandwidth per watt"),
            value=short(ratios.gb_s_per_w),
            unit="GB/s/W",
            formula=_("bandwidth ÷ board power"),
            worked=f"{bandwidth} ÷ {power}",
        ),
        Derived(
            name=_("Price of bandwidth"),
            value=amount(ratios.price_per_gb_s, currency) if price else _("no price"),
            unit=_("per GB/s") if price else "",
            formula=_("cheapest valid quote ÷ bandwidth"),
            worked=f"{paid} ÷ {bandwidth}",
            note="" if price else _("Nobody has quoted a price that holds today."),
        ),
    ]


def _fits(card: AcceleratorSpec, catalog: Catalog) -> Fits | None:
    """The largest models that start for one user on one card, on the first engine that runs there."""
    engines = [resolve_engine(catalog.engines, name, None) for name in ENGINES]
    engine = next((item for item in engines if isinstance(item, EngineSpec) and runs(item, card)), None)
    if engine is None or card.memory_gib is None:
        return None
    model = next(iter(catalog.models.values()))
    scheme = catalog.schemes[published_scheme_id(model)]
    base = asked(model, scheme, engine, card=card, plan=Parallelism(), load=LOADS[0])
    found = fits_on(replace(base, derive_settings=True), catalog)
    by_group = {
        group: sorted(
            (fit for fit in found if fit.group == group and fit.does_all is not False),
            key=lambda fit: (-fit.shape.parameters, fit.shape.model.id),
        )
        for group in (AS_PUBLISHED, QUANTIZED)
    }
    query = {"a": card.id, **({} if engine.name == "vllm" else {"e": engine.name})}
    return Fits(
        engine=f"{ENGINE_NAMES.get(engine.name, engine.name)} {engine.version}",
        published=len(by_group[AS_PUBLISHED]),
        quantized=len(by_group[QUANTIZED]),
        rows=[_fit_row(fit) for group in by_group.values() for fit in group[:SHOWN_FITS]],
        link=f"{reverse('planner:fits')}?{urlencode(query)}",
        tokens=count(TOKENS),
    )


def _fit_row(fit: ModelFit) -> FitRow:
    return FitRow(
        model=fit.shape.model.id,
        parameters=short(fit.shape.parameters / 1e9),
        scheme=fit.request.scheme.id,
        tpot=short(fit.state.figures["tpot_ms"]),
        link=plan_link(fit.request),
    )


def offers_of(key: str, book: PriceBook) -> list[Offer]:
    """The cheapest offers for a thing."""
    return [_offer(price, book.currency) for price in book.purchase.get(key, ())[:OFFERS_SHOWN]]


def _offer(price: Price, currency: str) -> Offer:
    return Offer(
        amount=asked_for(price, currency),
        stated=exact_amount(price.stated, price.stated_currency)
        if price.rate is not None and price.stated is not None
        else "",
        supplier=price.supplier,
        source=price.source,
        quantity=price.minimum_quantity,
        quoted_on=price.quoted_on or DASH,
        valid_until=price.valid_until or DASH,
        link=reverse("planner:quote", args=[price.quote]) if price.quote else "",
    )


def _platforms(key: str, catalog: Catalog) -> list[tuple[str, str, int]]:
    """(id, name, how many) of the platforms that carry it."""
    return [
        (row["id"], row["name"], part["count"])
        for row in catalog.platform_records.values()
        for part in row["accelerators"]
        if part["id"] == key
    ]
