"""Cards side by side on what decode needs: the best of each row marked, and what does not tell them apart left out."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from planner.amounts import plain_amount
from planner.browse.bandwidth import Example, example_of
from planner.browse.figures import whole_if_whole
from planner.browse.rows import link_words, pcie_words
from planner.core.bandwidth import CardRatios, card_ratios, ceiling_tokens_per_s
from planner.core.cost.prices import PriceBook
from planner.core.figures import DASH, short
from planner.core.parse.close import close_to
from planner.core.specs import AcceleratorSpec, Catalog
from planner.messages.catalog import CLASSES

MOST = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One figure of one card."""

    text: str
    sub: str = ""
    best: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One measure of all cards. `same`: it does not tell them apart."""

    name: Any
    unit: str
    cells: Sequence[Cell]
    same: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """A card, and the address of the comparison without it."""

    key: str
    name: str
    without: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparePage:
    """The context of templates/planner/browse/compare.html."""

    answer: str
    heads: Sequence[Head]
    rows: Sequence[Row]
    hidden: int
    differences_only: bool
    toggle: str
    unknown: Sequence[str]
    left_out: int
    keys: Sequence[str]
    example: Example
    full: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """A card with everything that rows are made of."""

    card: AcceleratorSpec
    record: Mapping[str, Any]
    ratios: CardRatios
    price: float | None
    offer: str
    ceiling: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A figure that cards are compared by. `best` says which end leads: high, low, or neither."""

    name: Any
    unit: str
    value: Callable[[Facts], float | None]
    best: str = "high"
    sub: Callable[[Facts], str] = lambda _facts: ""
    text: Callable[[float], str] = short


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """What a card has that is no number."""

    name: Any
    text: Callable[[Facts], str]


def compare_page(
    ids: Sequence[str], given: Mapping[str, str], *, catalog: Catalog, book: PriceBook
) -> ComparePage:
    """The cards of the address side by side; what is not in the catalog is named."""
    wanted = list(dict.fromkeys(name.strip()[:200] for name in ids if name.strip()))
    keys = [name for name in wanted if name in catalog.accelerators]
    shown = keys[:MOST]
    example = example_of(given, catalog)
    facts = [_facts(catalog.accelerators[name], catalog, book, example) for name in shown]
    rows = [_row(item, facts) for item in _measures(book.currency, example)] if facts else []
    only = given.get("diff") == "1" and len(facts) > 1
    kept = [row for row in rows if not (only and row.same)]
    return ComparePage(
        answer=_answer(facts),
        heads=[
            Head(key=name, name=catalog.accelerators[name].name, without=_query(shown, given, leave=name))
            for name in shown
        ],
        rows=kept,
        hidden=len(rows) - len(kept),
        differences_only=only,
        toggle=_query(shown, {**given, "diff": "" if only else "1"}),
        unknown=[_unknown(name, catalog) for name in wanted if name not in catalog.accelerators],
        left_out=len(keys) - len(shown),
        keys=shown,
        example=example,
        full=len(shown) >= MOST,
    )


def _query(keys: Sequence[str], given: Mapping[str, str], *, leave: str = "") -> str:
    pairs = [("id", name) for name in keys if name != leave]
    pairs += [(name, given[name]) for name in ("m", "w", "diff") if given.get(name)]
    return f"?{urlencode(pairs)}"


def _unknown(name: str, catalog: Catalog) -> str:
    close = close_to(name, list(catalog.accelerators))
    return f"{name} ({_('Did you mean %s?') % close})" if close else name


def _facts(card: AcceleratorSpec, catalog: Catalog, book: PriceBook, example: Example) -> Facts:
    price = book.buy(card.id)
    rate = ceiling_tokens_per_s(card.bandwidth_gb_s or math.nan, example.bytes_per_token)
    return Facts(
        card=card,
        record=catalog.accelerator_records[card.id],
        ratios=card_ratios(card, price=price.amount if price else None),
        price=price.amount if price else None,
        offer=price.supplier if price else "",
        ceiling=rate if math.isfinite(rate) else None,
    )


def _answer(facts: Sequence[Facts]) -> str:
    known = [item for item in facts if item.card.bandwidth_gb_s]
    if len(known) < 2:
        return _("Choose two cards or more: bandwidth, capacity, link, price and power stand side by side.")
    ordered = sorted(known, key=lambda item: item.card.bandwidth_gb_s or 0.0)
    slow, fast = ordered[0].card, ordered[-1].card
    ratio = (fast.bandwidth_gb_s or 0.0) / (slow.bandwidth_gb_s or 1.0)
    if ratio < 1.005:
        return _(
            "All of them read their memory at the same rate, so for one user they decode alike; what differs is below."
        )
    return _(
        "%(fast)s reads its memory %(ratio)s times as fast as %(slow)s, and for one user decode is that much faster where "
        "both hold the model."
    ) % {"fast": fast.name, "slow": slow.name, "ratio": short(ratio)}


def _measures(currency: str, example: Example) -> list[Measure | Saying]:
    return [
        Saying(name=_("Class"), text=lambda f: str(CLASSES[f.card.accelerator_class])),
        Measure(
            name=_("Memory bandwidth"),
            unit="GB/s",
            value=lambda f: f.card.bandwidth_gb_s,
            text=whole_if_whole,
        ),
        Measure(
            name=_("Memory"),
            unit="GiB",
            value=lambda f: f.card.memory_gib,
            sub=lambda f: f.card.memory_type or "",
        ),
        Measure(name=_("Reads of the whole memory"), unit="1/s", value=lambda f: f.ratios.memory_reads_per_s),
        Measure(
            name=_("Ceiling for one user of %(model)s, %(scheme)s")
            % {"model": example.model.id.rpartition("/")[2], "scheme": example.scheme.id},
            unit="tok/s",
            value=lambda f: f.ceiling,
            sub=lambda f: "" if _holds(f, example) else _("does not fit one"),
        ),
        Measure(
            name=_("Fast link, one direction"),
            unit="GB/s",
            value=lambda f: f.card.link.bandwidth_gb_s if f.card.link else 0.0,
            sub=lambda f: link_words(f.card, f.record).partition(",")[0] if f.card.link else _("none"),
        ),
        Measure(
            name=_("PCIe, one direction"),
            unit="GB/s",
            value=lambda f: f.card.pcie.bandwidth_gb_s if f.card.pcie else None,
            sub=lambda f: pcie_words(f.card.pcie.kind) if f.card.pcie else "",
        ),
        Measure(
            name=_("Price of one"),
            unit=currency,
            value=lambda f: f.price,
            best="low",
            sub=_priced,
            text=plain_amount,
        ),
        Measure(
            name=_("Price per GB/s"),
            unit=currency,
            value=lambda f: f.ratios.price_per_gb_s,
            best="low",
            text=plain_amount,
        ),
        Measure(name=_("Board power"), unit="W", value=lambda f: f.card.tdp_w, best="low"),
        Measure(name=_("Power per GB/s"), unit="W", value=lambda f: f.ratios.w_per_gb_s, best="low"),
        Measure(name=_("16-bit matrix rate"), unit="TFLOPS", value=lambda f: f.card.fp16_tflops),
        Measure(name=_("FP8 matrix rate"), unit="TFLOPS", value=lambda f: f.card.fp8_tflops),
        Measure(name=_("FP4 matrix rate"), unit="TFLOPS", value=lambda f: f.card.fp4_tflops),
        Saying(name=_("Native types"), text=lambda f: ", ".join(sorted(f.card.native_dtypes)) or _("none")),
        Saying(name=_("Compute capability or target"), text=lambda f: f.card.compute_capability or DASH),
        Saying(name=_("Came out in"), text=lambda f: str(f.record["launch_year"] or DASH)),
    ]


def _holds(facts: Facts, example: Example) -> bool:
    return bool(facts.card.memory_gib and facts.card.memory_gib > example.weights_gib)


def _priced(facts: Facts) -> str:
    return facts.offer or _("nobody has quoted one")


def _row(measure: Measure | Saying, facts: Sequence[Facts]) -> Row:
    if isinstance(measure, Saying):
        texts = [measure.text(item) for item in facts]
        cells = [Cell(text=text) for text in texts]
        return Row(name=measure.name, unit="", cells=cells, same=len(set(texts)) == 1)
    values = [measure.value(item) for item in facts]
    known = [value for value in values if value is not None]
    leader = (max if measure.best == "high" else min)(known) if len(set(known)) > 1 else None
    cells = [
        Cell(
            text=measure.text(value) if value else DASH,
            sub=measure.sub(item),
            best=leader is not None and value == leader,
        )
        for value, item in zip(values, facts, strict=True)
    ]
    same = len({(cell.text, cell.sub) for cell in cells}) == 1
    return Row(name=measure.name, unit=measure.unit, cells=cells, same=same)
