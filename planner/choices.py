"""What the selects of the plan form offer: the catalog, in the order people look for things."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from planner.core.kv import known_kv_cache_dtypes
from planner.core.parse import LINK_KINDS
from planner.core.specs import AcceleratorSpec, Catalog
from planner.setup import ENGINE_NAMES

VENDOR_NAMES = {
    "nvidia": "NVIDIA",
    "amd": "AMD",
    "intel": "Intel",
    "apple": "Apple",
    "huawei": "Huawei",
    "qualcomm": "Qualcomm",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    value: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    label: str
    choices: Sequence[Choice]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """Options per key of the form."""

    models: Sequence[str]
    accelerators: Sequence[Group]
    schemes: Sequence[str]
    kv_dtypes: Sequence[str]
    links: Sequence[str]
    engines: Sequence[Choice]
    versions: Sequence[str]


_of_catalog: dict[str, Choices] = {}


def choices(catalog: Catalog) -> Choices:
    """The options of one state of the catalog; worked out once per process and state."""
    if catalog.hash not in _of_catalog:
        _of_catalog.clear()
        _of_catalog[catalog.hash] = _choices(catalog)
    return _of_catalog[catalog.hash]


def _choices(catalog: Catalog) -> Choices:
    cards = sorted(catalog.accelerators.values(), key=lambda card: (card.vendor, card.name))
    return Choices(
        models=sorted(catalog.models, key=str.casefold),
        accelerators=[
            Group(label=VENDOR_NAMES.get(vendor, vendor), choices=[_card(card) for card in group])
            for vendor, group in groupby(cards, key=lambda card: card.vendor)
        ],
        schemes=list(catalog.schemes),
        kv_dtypes=sorted(known_kv_cache_dtypes(catalog.engines) - {"auto"}),
        links=LINK_KINDS,
        engines=[
            Choice(value=name, label=ENGINE_NAMES.get(name, name))
            for name in sorted(catalog.engines, key=lambda name: (name != "vllm", name))
        ],
        versions=[],
    )


def _card(card: AcceleratorSpec) -> Choice:
    size = card.memory_gb or card.memory_gib
    return Choice(
        value=card.id, label=card.name if size is None or "GB" in card.name else f"{card.name} · {size:g} GB"
    )
