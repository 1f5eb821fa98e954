"""Rows of the lists of the catalog, written out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from planner.answers.catalog import versions_of
from planner.browse.figures import whole_if_whole
from planner.catalog.build import accelerator_spec, model_spec
from planner.core.bandwidth import card_ratios
from planner.core.figures import DASH, count, short
from planner.core.owned import parameters_of
from planner.core.request import Parallelism
from planner.core.specs import AcceleratorSpec, Catalog, ModelSpec, Scheme
from planner.core.units import GIB
from planner.core.weights import part_bytes, published_scheme_id
from planner.core.work import model_work
from planner.messages.catalog import ATTENTION, BETWEEN, CLASSES, KERNELS, ORIGINS, PARTS, PLATFORM_KINDS
from planner.models import Accelerator, CatalogEntry, EngineTable, ModelShape, Platform, WeightScheme
from planner.setup import ENGINE_NAMES

BILLION = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """That a record is not as shipped: a word and how it is drawn."""

    css: str
    text: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row of a list: what it is about, a line beneath that, and a text for each further column."""

    key: str
    name: str
    sub: str
    mark: Mark | None
    cells: Sequence[str]


def mark_of(entry: CatalogEntry) -> Mark | None:
    """What a list says of a record that is not as shipped."""
    word = "retired" if entry.retired_at else entry.origin
    if word == "shipped":
        return None
    return Mark(css="is-off" if word == "retired" else "is-run", text=ORIGINS[word])


def accelerator_row(entry: Accelerator) -> Row:
    """Class, memory, bandwidth, reads of the whole memory, power, link, native types."""
    record = entry.record
    card = accelerator_spec(record, {})
    return Row(
        key=entry.key,
        name=entry.name,
        sub=entry.vendor,
        mark=mark_of(entry),
        cells=(
            str(CLASSES[entry.accelerator_class]),
            short(card.memory_gib),
            whole_if_whole(card.bandwidth_gb_s),
            short(card_ratios(card).memory_reads_per_s),
            short(card.tdp_w),
            link_words(card, record),
            ", ".join(sorted(card.native_dtypes)) or DASH,
        ),
    )


def link_words(card: AcceleratorSpec, record: Mapping[str, Any]) -> str:
    """The fast link with its rate, else PCIe."""
    if card.link is not None:
        name = record["link"]["name"]
        rate = card.link.bandwidth_gb_s
        return f"{name}, {short(rate)} GB/s" if rate else str(name)
    return pcie_words(card.pcie.kind) if card.pcie else DASH


def pcie_words(kind: str) -> str:
    """pcie4-x16 as people write it: PCIe 4.0 x16."""
    generation, _dash, lanes = kind.removeprefix("pcie").partition("-")
    return f"PCIe {generation}.0 {lanes}"


def between_words(kind: str | None) -> str:
    """What links the accelerators of a platform."""
    return str(BETWEEN.get(kind, kind)) if kind else DASH


def platform_row(entry: Platform, catalog: Catalog) -> Row:
    """Kind, accelerators, memory in all, link, power."""
    record = entry.record
    known = [(part["count"], catalog.accelerators.get(part["id"])) for part in record["accelerators"]]
    memory = [number * card.memory_gib if card and card.memory_gib else None for number, card in known]
    power = record["figures"].get("max_power_w")
    return Row(
        key=entry.key,
        name=entry.name,
        sub=str(record["form"] or ""),
        mark=mark_of(entry),
        cells=(
            kind_words(entry.kind),
            "; ".join(
                f"{part['count']} × {card.name if card else part['id']}"
                for part, (_number, card) in zip(record["accelerators"], known, strict=True)
            ),
            whole_if_whole(sum(size for size in memory if size)) if None not in memory else DASH,
            between_words(record["interconnect"]["type"]),
            number_words(power["value"]) if power else DASH,
        ),
    )


def kind_words(kind: str) -> str:
    """What kind a platform is; a word of the team's own stays as it is."""
    return str(PLATFORM_KINDS.get(kind, kind))


def number_words(value: float | Sequence[float] | None, digits: int = 4) -> str:
    """A figure that may be two ends."""
    if isinstance(value, Sequence):
        return f"{short(value[0], digits)} – {short(value[1], digits)}"
    return short(value, digits)


def model_row(entry: ModelShape, catalog: Catalog) -> Row:
    """Family, parameters in all and active, GiB as published, context, attention."""
    model = catalog.models[entry.key] if entry.key in catalog.models else model_spec(entry.record)
    published = catalog.schemes.get(published_scheme_id(model))
    return Row(
        key=entry.key,
        name=entry.key,
        sub="",
        mark=mark_of(entry),
        cells=(
            entry.family,
            short(parameters_of(model) / BILLION),
            short(active_parameters(model, published) / BILLION) if published else DASH,
            short(part_bytes(model, published).total / GIB) if published else DASH,
            count(model.max_position_embeddings),
            attention_words(model),
        ),
    )


def active_parameters(model: ModelSpec, scheme: Scheme) -> float:
    """Parameters that one token multiplies with: of the experts the chosen, the token table left out."""
    return model_work(model, scheme=scheme, caches=(), parallelism=Parallelism()).active_params


def attention_words(model: ModelSpec) -> str:
    """Kinds of attention, each once."""
    kinds = dict.fromkeys(group.kind for group in model.cache_groups)
    return _(", ").join(str(ATTENTION[kind]) for kind in kinds) or DASH


def engine_row(entry: EngineTable, catalog: Catalog, keys: Iterable[str]) -> Row:
    """Newest version, steps, values, flags, models of `keys` that it has its own code for."""
    record = entry.record
    native = sum(catalog.models[key].engine_support.get(entry.key) == "native" for key in keys)
    flags = catalog.flags.get(entry.key, {}).get("flags", ())
    return Row(
        key=entry.key,
        name=ENGINE_NAMES.get(entry.key, str(record["name"])),
        sub="",
        mark=mark_of(entry),
        cells=(
            entry.newest,
            count(len(versions_of(record))),
            count(len(record["values"])),
            count(len(flags)),
            count(native),
        ),
    )


def scheme_row(entry: WeightScheme, catalog: Catalog) -> Row:
    """Bits per weight, group, kernel, quantized parts, what it multiplies in, native cards."""
    record = entry.record
    native = sum(does_natively(card, catalog.schemes[entry.key]) for card in catalog.accelerators.values())
    return Row(
        key=entry.key,
        name=entry.key,
        sub="",
        mark=mark_of(entry),
        cells=(
            short(record["bytes_per_weight"] * 8),
            count(record["group_size"]) if record["group_size"] else DASH,
            str(KERNELS.get(entry.kernel, entry.kernel)),
            _("all") if len(record["quantized_parts"]) >= 7 else parts_words(record["quantized_parts"]),
            record["compute_dtype"],
            count(native),
        ),
    )


def parts_words(parts: Iterable[str]) -> str:
    """Parts of a model's weights, by name."""
    return _(", ").join(str(PARTS[part]) for part in parts)


def does_natively(card: AcceleratorSpec, scheme: Scheme) -> bool:
    """Whether a card has matrix units for the type in which the scheme multiplies."""
    if scheme.compute_dtype == "fp32":
        return True  # what no card lacks, if not in its matrix units
    if scheme.compute_dtype == "fp16":
        return bool(card.fp16_tflops or "bf16" in card.native_dtypes)
    return scheme.compute_dtype in card.native_dtypes
