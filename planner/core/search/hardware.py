"""What a search needs of accelerators, as columns over them: worked out once, whatever the model."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from planner.core.batch import FloatArray
from planner.core.defaults import tier_of, visible_gib
from planner.core.layout import wires
from planner.core.links import Collective, collective, curves_of
from planner.core.memory import WITHOUT_GRAPHS
from planner.core.outcome import Reason
from planner.core.request import EstimateRequest, Parallelism, Settings
from planner.core.specs import AcceleratorSpec, Catalog, EngineSpec, LinkSpec, ModelSpec, Scheme
from planner.core.validity import cache_dtype_reasons, card_reasons, scheme_reasons
from planner.core.verdict import free_at_start_gib
from planner.core.work import card_work

REMEMBERED = 256
WIRES = ("pcie", "fast_link", "fused_link")


@dataclass(frozen=True, slots=True, eq=False)
class Hardware:
    """Accelerators of one catalog. Compared by identity: `hardware_of` gives the same one for the same question."""

    accelerators: tuple[AcceleratorSpec, ...]
    catalog: Catalog


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """First refusal of each accelerator: index in `codes`, 0 for none."""

    codes: tuple[str, ...]
    code: NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True)
class OnEngine:
    """Columns over accelerators (a,) on one engine."""

    total_gib: FloatArray
    tier: NDArray[np.intp]  # index in the engine's batch defaults
    free_at_start_gib: FloatArray
    captures: FloatArray
    cpu_pool_gib: FloatArray
    wires: NDArray[np.intp]  # index in WIRES


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """Collectives of tensor groups of one size, over accelerators."""

    log_us: FloatArray  # (6, a)
    size_scale: FloatArray
    extra_us: FloatArray


@lru_cache(maxsize=8)
def _hardware(_hash: str, catalog_id: int, accelerators: tuple[AcceleratorSpec, ...]) -> list[Hardware]:
    return []


def hardware_of(catalog: Catalog, accelerators: tuple[AcceleratorSpec, ...]) -> Hardware:
    """The accelerators of a search, the same object for the same ones."""
    found = _hardware(catalog.hash, id(catalog), accelerators)
    if not found or found[0].catalog is not catalog:
        found[:] = [Hardware(accelerators, catalog)]
    return found[0]


@lru_cache(maxsize=REMEMBERED)
def card_columns(hardware: Hardware, scheme: Scheme) -> FloatArray:
    """(columns of CardWork, a)."""
    rows = [card_work(card, scheme) for card in hardware.accelerators]
    return np.ascontiguousarray(np.array(rows, dtype=np.float64).T)


@lru_cache(maxsize=REMEMBERED)
def links_of(hardware: Hardware, tensor: int) -> Links:
    """Collectives of groups of `tensor` accelerators on the link that each has."""
    curves = curves_of(hardware.catalog)
    known: dict[tuple[LinkSpec | None, LinkSpec | None], Collective] = {}
    found: list[Collective] = []
    for card in hardware.accelerators:
        key = (card.link, card.pcie)
        if key not in known:
            known[key] = collective(card.link or card.pcie, card, tensor, curves)
        found.append(known[key])
    return Links(
        log_us=np.array([one.log_us for one in found]).T.copy(),
        size_scale=np.array([one.size_scale for one in found]),
        extra_us=np.array([one.extra_us for one in found]),
    )


@lru_cache(maxsize=REMEMBERED)
def on_engine(hardware: Hardware, _tables: int, engine: EngineSpec) -> OnEngine:
    """Figures that an engine makes of each card. `_tables`: identity of the engine's values, which specs do not compare."""
    values, cards = engine.values, hardware.accelerators
    total = np.array([visible_gib(card, engine.name, id(values), engine) for card in cards])
    tiers = [id(tier) for tier in values["batch_defaults"]["tiers"]]
    fixed_pool = values["budget"] == "share_of_total"
    return OnEngine(
        total_gib=total,
        tier=np.array(
            [tiers.index(id(tier_of(engine, gib, card))) for card, gib in zip(cards, total, strict=True)],
            dtype=np.intp,
        ),
        free_at_start_gib=np.array(
            [free_at_start_gib(engine, card, gib) for card, gib in zip(cards, total, strict=True)]
        ),
        captures=np.array([float(card.accelerator_class not in WITHOUT_GRAPHS) for card in cards]),
        cpu_pool_gib=np.array(
            [
                values["cpu_kv_space_gib"] if fixed_pool and card.accelerator_class == "cpu" else np.nan
                for card in cards
            ]
        ),
        wires=np.array([WIRES.index(wires(card.link or card.pcie, card)) for card in cards], dtype=np.intp),
    )


@lru_cache(maxsize=REMEMBERED)
def refused_cards(hardware: Hardware, _tables: int, engine: EngineSpec) -> Refused:
    """What speaks against an engine on each card."""
    return _first(card_reasons(probe) for probe in _probes(hardware, engine, None, "auto"))


@lru_cache(maxsize=REMEMBERED)
def refused_scheme(hardware: Hardware, _tables: int, engine: EngineSpec, scheme: Scheme) -> Refused:
    """What speaks against a weight format on each card."""
    return _first(scheme_reasons(probe) for probe in _probes(hardware, engine, scheme, "auto"))


@lru_cache(maxsize=REMEMBERED)
def refused_cache_dtype(hardware: Hardware, _tables: int, engine: EngineSpec, dtype: str) -> Refused:
    """What speaks against a cache format on each card."""
    return _first(cache_dtype_reasons(probe) for probe in _probes(hardware, engine, None, dtype))


def _first(reasons: Iterable[Iterator[Reason]]) -> Refused:
    codes: dict[str, int] = {"": 0}
    found = [next((reason.code for reason in of_one), "") for of_one in reasons]
    numbers = [codes.setdefault(code, len(codes)) for code in found]
    return Refused(codes=tuple(codes), code=np.array(numbers, dtype=np.intp))


def _probes(
    hardware: Hardware, engine: EngineSpec, scheme: Scheme | None, dtype: str
) -> Iterator[EstimateRequest]:
    """A question about each card, of any model: the refusals of this module do not look at it."""
    catalog = hardware.catalog
    model: ModelSpec = next(iter(catalog.models.values()))
    for card in hardware.accelerators:
        yield EstimateRequest(
            id=None,
            model=model,
            scheme=scheme or next(iter(catalog.schemes.values())),
            scheme_as_published=True,
            kv_cache_dtype=dtype,
            accelerator=card,
            count=1,
            parallelism=Parallelism(),
            link=card.link or card.pcie,
            engine=engine,
            settings=Settings(),
            workload=None,
        )
