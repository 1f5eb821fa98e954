"""One platform: what it carries, how the parts reach each other, its host, its power and its price."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from planner.amounts import amount
from planner.answers.catalog import edited_fields
from planner.answers.catalog_fields import PLATFORM_FIELDS, PLATFORM_FIGURES
from planner.browse.card_page import Fact, Offer, offers_of
from planner.browse.figures import Derived, FigureRow, figure_rows, whole_if_whole
from planner.browse.rows import Mark, between_words, kind_words, mark_of
from planner.core.cost.prices import PriceBook
from planner.core.figures import DASH, short, with_unit
from planner.core.specs import AcceleratorSpec, Catalog
from planner.messages.catalog import FIELDS, HOST_PARTS
from planner.models import Platform
from planner.queries.entries import in_words


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Accelerators of one kind in it. `plan`: the address of a plan on all of them."""

    key: str
    name: str
    count: int
    memory: str
    bandwidth: str
    price: str
    known: bool
    plan: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformPage:
    """The context of templates/planner/browse/platform.html."""

    entry: Platform
    mark: Mark | None
    answer: str
    parts: Sequence[Part]
    facts: Sequence[Fact]
    figures: Sequence[FigureRow]
    derived: Sequence[Derived]
    own_figures: int
    offers: Sequence[Offer]
    sources: str


def platform_page(
    entry: Platform, *, catalog: Catalog, words: dict[str, str], book: PriceBook
) -> PlatformPage:
    """Everything about one platform."""
    record = entry.record
    parts = [
        (part["id"], part["count"], catalog.accelerators.get(part["id"])) for part in record["accelerators"]
    ]
    figures = figure_rows(entry, words, PLATFORM_FIGURES)
    return PlatformPage(
        entry=entry,
        mark=mark_of(entry),
        answer=_answer(parts),
        parts=[_part(key, count, card, book) for key, count, card in parts],
        facts=_facts(entry),
        figures=figures,
        derived=_derived(parts),
        own_figures=sum(row.own for row in figures),
        offers=offers_of(entry.key, book),
        sources=in_words(record["sources"], words),
    )


def _sums(parts: Sequence[tuple[str, int, AcceleratorSpec | None]]) -> tuple[float | None, float | None]:
    """(GiB, GB/s) of all parts together, None where one is not known."""
    memory = [count * card.memory_gib if card and card.memory_gib else None for _, count, card in parts]
    rates = [
        count * card.bandwidth_gb_s if card and card.bandwidth_gb_s else None for _, count, card in parts
    ]
    known = [
        sum(size for size in column if size) if None not in column else None for column in (memory, rates)
    ]
    return known[0], known[1]


def _answer(parts: Sequence[tuple[str, int, AcceleratorSpec | None]]) -> str:
    memory, rate = _sums(parts)
    named = ", ".join(f"{count} × {card.name if card else key}" for key, count, card in parts)
    if memory is None or rate is None:
        return _("%(parts)s. The memory or the bandwidth of a part is not known.") % {"parts": named}
    return _("%(parts)s: %(memory)s of memory in all, read at %(rate)s by all of them together.") % {
        "parts": named,
        "memory": with_unit(memory, "GiB"),
        "rate": f"{short(rate / 1000)} TB/s",
    }


def _part(key: str, count: int, card: AcceleratorSpec | None, book: PriceBook) -> Part:
    price = book.buy(key, quantity=count)
    query = {"a": key, "n": str(count)}
    return Part(
        key=key,
        name=card.name if card else key,
        count=count,
        memory=short(card.memory_gib) if card else DASH,
        bandwidth=whole_if_whole(card.bandwidth_gb_s) if card else DASH,
        price=amount(price.amount if price else None, book.currency),
        known=card is not None,
        plan=f"{reverse('planner:plan')}?{urlencode(query)}",
    )


def _facts(entry: Platform) -> list[Fact]:
    record = entry.record
    edited = set(edited_fields(entry, PLATFORM_FIELDS))
    between = record["interconnect"]
    size = between["domain_size"]
    link = between_words(between["type"])
    texts: dict[str, str] = {
        "kind": kind_words(entry.kind),
        "form": str(record["form"] or DASH),
        "interconnect": _("%(link)s, %(size)s together") % {"link": link, "size": size} if size else link,
        "launch_year": str(record["launch_year"] or DASH),
    }
    facts = [Fact(name=FIELDS[name], text=text, own=name in edited) for name, text in texts.items()]
    host = [
        Fact(name=HOST_PARTS.get(name, name), text=str(text or DASH), own="host" in edited)
        for name, text in record["host"].items()
    ]
    return facts + host


def _derived(parts: Sequence[tuple[str, int, AcceleratorSpec | None]]) -> list[Derived]:
    memory, rate = _sums(parts)
    sum_of = " + ".join(
        f"{count} × {whole_if_whole(card.memory_gib if card else None)}" for _, count, card in parts
    )
    rates = " + ".join(
        f"{count} × {whole_if_whole(card.bandwidth_gb_s if card else None)}" for _, count, card in parts
    )
    return [
        Derived(
            name=_("Memory in all"),
            value=whole_if_whole(memory),
            unit="GiB",
            formula=_("accelerators × memory of one"),
            worked=sum_of,
        ),
        Derived(
            name=_("Bandwidth in all"),
            value=whole_if_whole(rate),
            unit="GB/s",
            formula=_("accelerators × bandwidth of one"),
            worked=rates,
            note=_("What tensor parallel decode can reach at most, before the link takes its share."),
        ),
    ]
