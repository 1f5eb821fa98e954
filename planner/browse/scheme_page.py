"""One way of storing weights: what it weighs, what multiplies, which cards and engines do."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from planner.browse.figures import exactly
from planner.browse.rows import does_natively, parts_words
from planner.core.card_facts import cards_of
from planner.core.engines import resolve_engine
from planner.core.figures import DASH, count, short
from planner.core.specs import AcceleratorSpec, Catalog, EngineSpec
from planner.core.units import GB
from planner.messages.catalog import KERNELS, PARTS
from planner.models import WeightScheme
from planner.setup import ENGINE_NAMES


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRow:
    """A card whose matrix units multiply in the type of the scheme."""

    key: str
    name: str
    bandwidth: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemePage:
    """The context of templates/planner/browse/scheme.html."""

    entry: WeightScheme
    answer: str
    facts: Sequence[tuple[Any, str]]
    source: str
    kind: str
    native: Sequence[tuple[str, Sequence[CardRow]]]  # by vendor
    engines: Sequence[tuple[str, int]]
    releases: Sequence[str]


def scheme_page(entry: WeightScheme, *, catalog: Catalog) -> SchemePage:
    """Everything about one scheme."""
    record, scheme = entry.record, catalog.schemes[entry.key]
    cards = sorted(catalog.accelerators.values(), key=lambda card: (card.vendor, card.name))
    native = [card for card in cards if does_natively(card, scheme)]
    return SchemePage(
        entry=entry,
        answer=_answer(record),
        facts=[
            (_("Bytes per weight"), exactly(scheme.bytes_per_weight)),
            (_("Bits per weight"), exactly(8 * scheme.bytes_per_weight)),
            (_("Bytes more per output row"), short(scheme.bytes_per_row) if scheme.bytes_per_row else "0"),
            (_("Weights that share a scale"), count(scheme.group_size) if scheme.group_size else DASH),
            (_("Parts that are quantized"), parts_words(record["quantized_parts"])),
            (_("Kernel"), str(KERNELS.get(scheme.kernel, scheme.kernel))),
            (_("Multiplies in"), scheme.compute_dtype),
            (_("Activations"), _("16 bit") if scheme.weight_only else scheme.compute_dtype),
            (_("Compute capability at least"), scheme.min_compute_capability or DASH),
        ],
        source=record["source"],
        kind=record["kind"],
        native=_by_vendor(native),
        engines=_engines(catalog, entry.key),
        releases=[model.id for model in catalog.models.values() if model.scheme == entry.key],
    )


def _by_vendor(cards: Sequence[AcceleratorSpec]) -> list[tuple[str, list[CardRow]]]:
    """Cards by their vendor, the vendor of most of them first."""
    found: dict[str, list[CardRow]] = {}
    for card in cards:
        row = CardRow(
            key=card.id, name=card.name, bandwidth=exactly(card.bandwidth_gb_s) if card.bandwidth_gb_s else ""
        )
        found.setdefault(card.vendor, []).append(row)
    return sorted(found.items(), key=lambda item: -len(item[1]))


def _answer(record: Any) -> str:
    weights = 8e9 * record["bytes_per_weight"] / GB
    values = {"bits": short(8 * record["bytes_per_weight"]), "gb": short(weights)}
    if len(record["quantized_parts"]) >= len(PARTS):
        return _("%(bits)s bits for each weight: 8 billion of them are %(gb)s GB.") % values
    return (
        _(
            "%(bits)s bits for each weight that is quantized: 8 billion of them are %(gb)s GB. The rest stays as published."
        )
        % values
    )


def _engines(catalog: Catalog, key: str) -> list[tuple[str, int]]:
    """(engine with its newest version, on how many cards it loads the scheme)."""
    found = []
    for name in catalog.engines:
        engine = resolve_engine(catalog.engines, name, None)
        if isinstance(engine, EngineSpec):
            cards = cards_of(catalog, engine, catalog.schemes[key])
            found.append((f"{ENGINE_NAMES.get(name, name)} {engine.version}", len(cards)))
    return found
