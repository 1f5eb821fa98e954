"""From catalog records to the specs that the core calculates with."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from planner.catalog.files import CatalogRows, Record
from planner.core.specs import (
    AcceleratorSpec,
    CacheGroup,
    Catalog,
    Kept,
    LinkSpec,
    ModelSpec,
    MoeSpec,
    Provenance,
    RopeScaling,
    Scheme,
    StoredBytes,
)

HASH_LENGTH = 16
# Platforms that are one board with what it carries; a rack is many of them.
BOARD_KINDS = frozenset({"baseboard", "server"})
BOARD_OF_EIGHT = 8


def build_catalog(rows: CatalogRows, *, mappings: Mapping[str, str] | None = None) -> Catalog:
    """The catalog of these records and of the operator's name mappings. Model specs are built on first use: there are many and a question needs one."""
    boards = board_sizes(rows)
    accelerators = {
        row["id"]: accelerator_spec(row, rows.sources, boards=boards.get(row["id"], ()))
        for row in rows.accelerators
    }
    return Catalog(
        hash=catalog_hash(rows),
        accelerators=accelerators,
        accelerator_names=unambiguous_names(rows.accelerators),
        models=LazySpecs(model_builders(rows.models, rows.sources)),
        schemes={row["id"]: scheme_spec(row) for row in rows.schemes},
        engines=rows.engines,
        links=rows.links,
        power=rows.power,
        accelerator_records={row["id"]: row for row in rows.accelerators},
        platform_records={row["id"]: row for row in rows.platforms},
        accelerator_mappings=mappings or {},
        flags=rows.flags,
    )


def catalog_hash(rows: CatalogRows) -> str:
    """Names this content: the same records give the same hash, from files or from the database."""
    digest = hashlib.sha256()
    for part in (rows.accelerators, rows.platforms, rows.models, rows.schemes):
        ordered = sorted(part, key=lambda row: row["id"])
        digest.update(json.dumps(ordered, sort_keys=True, separators=(",", ":")).encode())
    for table in (rows.engines, rows.links, rows.power, rows.flags):
        digest.update(json.dumps(table, sort_keys=True, separators=(",", ":")).encode())
    return digest.hexdigest()[:HASH_LENGTH]


class LazySpecs(Mapping[str, ModelSpec]):
    """A mapping whose values are built when first asked for and kept."""

    def __init__(self, builders: Mapping[str, Callable[[], ModelSpec]]) -> None:
        self._builders = builders
        self._built: dict[str, ModelSpec] = {}

    def __getitem__(self, key: str) -> ModelSpec:
        if key not in self._built:
            self._built[key] = self._builders[key]()
        return self._built[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._builders)

    def __len__(self) -> int:
        return len(self._builders)

    def __contains__(self, key: object) -> bool:
        return key in self._builders


def unambiguous_names(rows: tuple[Record, ...]) -> dict[str, str]:
    """Exact reported name to id, for names that say which part it is without its memory.

    `names.shared` are names that boards of other memory carry too, even where the catalog holds only one of them.
    """
    carried = Counter(name for row in rows for name in set(row["names"]["reported"]))
    return {
        name: row["id"]
        for row in rows
        for name in row["names"]["reported"]
        if carried[name] == 1 and name not in row["names"]["shared"]
    }


def board_sizes(rows: CatalogRows) -> dict[str, tuple[int, ...]]:
    """Accelerators that come on boards alone, with the sizes of their boards, smallest first.

    A module is what the catalog has a baseboard of, or has a fast link that is part of its board, not a bridge between
    cards. The sizes are those of the boards and servers that carry it; where there are none, a link of eight is a board
    of eight.
    """
    carried: dict[str, set[int]] = {}
    modules = {
        part["id"] for row in rows.platforms if row["kind"] == "baseboard" for part in row["accelerators"]
    }
    for row in rows.platforms:
        if row["kind"] in BOARD_KINDS:
            for part in row["accelerators"]:
                carried.setdefault(part["id"], set()).add(part["count"])
    found: dict[str, tuple[int, ...]] = {}
    for row in rows.accelerators:
        link = row["link"] or {}
        domain = link.get("domain_size") or 0
        linked = not link.get("bridge") and domain >= BOARD_OF_EIGHT
        if row["class"] != "datacenter" or not (linked or row["id"] in modules):
            continue
        sizes = carried.get(row["id"]) or ({domain} if domain == BOARD_OF_EIGHT else set())
        if sizes:
            found[row["id"]] = tuple(sorted(sizes))
    return found


def accelerator_spec(
    row: Record, sources: Mapping[str, Any], *, boards: tuple[int, ...] = ()
) -> AcceleratorSpec:
    """One accelerator; a figure that the record lacks is None."""
    figures = row["figures"]

    def value(name: str) -> float | None:
        figure = figures.get(name)
        return None if figure is None else float(figure["value"])

    return AcceleratorSpec(
        id=row["id"],
        vendor=row["vendor"],
        name=row["name"],
        accelerator_class=row["class"],
        architecture=row["architecture"],
        compute_capability=row["compute_capability"],
        memory_gib=value("memory_gib"),
        memory_gib_torch=value("memory_gib_torch"),
        memory_gb=value("memory_gb"),
        memory_type=row["memory_type"],
        unified_memory=row["unified_memory"],
        logical_devices=row["logical_devices"],
        bandwidth_gb_s=value("bandwidth_gb_s"),
        fp16_tflops=value("fp16_tflops"),
        fp8_tflops=value("fp8_tflops"),
        int8_tops=value("int8_tops"),
        fp4_tflops=value("fp4_tflops"),
        fp32_shader_tflops=value("fp32_shader_tflops"),
        native_dtypes=frozenset(row["native_dtypes"]),
        unknown_dtypes=frozenset(row["unknown_dtypes"]),
        link=link_spec(row["link"], value("link_gb_s")),
        pcie=link_spec(row["pcie"], value("pcie_gb_s")),
        tdp_w=value("tdp_w"),
        boards=boards,
        provenance={name: provenance(figure, sources) for name, figure in figures.items()},
    )


def link_spec(link: Record | None, bandwidth_gb_s: float | None) -> LinkSpec | None:
    """A link of a record, None where it has none."""
    if link is None:
        return None
    return LinkSpec(kind=link["kind"], bandwidth_gb_s=bandwidth_gb_s, domain_size=link.get("domain_size"))


def provenance(figure: Record, sources: Mapping[str, Any] | None = None) -> Provenance:
    """Kind and sources of one figure: in words where `sources` tells what its keys stand for, else the keys."""
    known = sources or {}
    names = [known[key]["ref"] if key in known else key for key in figure["sources"]]
    return Provenance(kind=figure["kind"], source="; ".join(names))


def scheme_spec(row: Record) -> Scheme:
    """One way of storing weights."""
    return Scheme(
        id=row["id"],
        bytes_per_weight=row["bytes_per_weight"],
        bytes_per_row=row["bytes_per_row"],
        quantized_parts=frozenset(row["quantized_parts"]),
        compute_dtype=row["compute_dtype"],
        weight_only=row["weight_only"],
        group_size=row["group_size"],
        min_compute_capability=row["min_compute_capability"],
        kernel=row["kernel"],
        source=row["source"],
        gguf_type=row.get("gguf_type"),
        linear_bytes_per_weight=row.get("linear_bytes_per_weight"),
    )


def model_builders(
    rows: tuple[Record, ...], sources: Mapping[str, Any]
) -> dict[str, Callable[[], ModelSpec]]:
    """One builder per id: the model itself, its aliases of the same shape, and its quantized releases."""
    builders: dict[str, Callable[[], ModelSpec]] = {}
    for row in rows:
        builders[row["id"]] = partial(model_spec, row, sources)
        for alias in row["aliases"]:
            builders[alias] = partial(alias_spec, row, alias)
        for release in row["quantized"]:
            builders[release["id"]] = partial(quantized_spec, row, release)
    return builders


def alias_spec(row: Record, alias: str) -> ModelSpec:
    """The same shape under another name."""
    return replace(model_spec(row), id=alias)


def quantized_spec(row: Record, release: Record) -> ModelSpec:
    """A release of the same shape whose weights are stored in another scheme."""
    base = model_spec(row)
    return replace(
        base,
        id=release["id"],
        scheme=release["scheme"],
        native_weight_format=None,
        scheme_excludes=tuple(release.get("excludes", ())),
        kept=(),
        stored=None,
        linear_params=base.linear_params + release.get("extra_linear", 0),
    )


def longer_window(scaling: Record | None) -> RopeScaling | None:
    """Scaling that a publisher documents and leaves off; what is on by default is in the model's limit already."""
    if scaling is None or scaling.get("active_by_default") is not False:
        return None
    if scaling.get("factor") is None or scaling.get("original_max_position") is None:
        return None
    return RopeScaling(
        kind=scaling["type"], factor=float(scaling["factor"]), original=int(scaling["original_max_position"])
    )


def model_spec(row: Record, sources: Mapping[str, Any] | None = None) -> ModelSpec:
    """One weight shape; its sources are in words where `sources` tells what their keys stand for."""
    figures = row["figures"]
    parts, shape = figures["parameters"]["value"], figures["shape"]["value"]
    moe = figures.get("moe")
    return ModelSpec(
        id=row["id"],
        family=row["family"],
        architectures=tuple(row["architectures"]),
        dtype=row["dtype"],
        native_weight_format=row["native_weight_format"],
        embedding_params=parts["embedding"],
        lm_head_params=parts["lm_head"],
        routed_params=parts["routed"],
        linear_params=parts["linear"],
        router_params=parts["router"],
        other_params=parts["other"],
        vision_params=parts["vision"],
        num_layers=shape["layers"],
        hidden_size=shape["hidden_size"],
        intermediate_size=shape["intermediate_size"],
        num_attention_heads=shape["attention_heads"],
        num_kv_heads=shape["kv_heads"],
        head_dim=shape["head_dim"],
        vocab_size=shape["vocab_size"],
        tie_word_embeddings=shape["tied_embeddings"],
        moe=None if moe is None else moe_spec(moe["value"]),
        max_position_embeddings=figures["context"]["value"]["max_position_embeddings"],
        cache_groups=tuple(cache_group(group) for group in figures["attention"]["value"]),
        modality=tuple(row["modality"]),
        engine_support=figures["engines"]["value"],
        notes=row.get("notes"),
        scheme=row.get("scheme"),
        scheme_excludes=tuple(row.get("excludes", ())),
        kept=tuple(Kept(**item) for item in row.get("kept", ())),
        stored=StoredBytes(**figures["weights"]["value"]) if "weights" in figures else None,
        longer_by=longer_window(figures["context"]["value"].get("rope_scaling")),
        release_ids=tuple((release["scheme"], release["id"]) for release in row["quantized"]),
        provenance={name: provenance(figure, sources) for name, figure in figures.items()},
    )


def moe_spec(value: Record) -> MoeSpec:
    """Routed experts of a model."""
    return MoeSpec(
        num_experts=value["experts"],
        experts_per_token=value["experts_per_token"],
        moe_intermediate_size=value["intermediate_size"],
        shared_experts=value["shared_experts"],
        shared_intermediate_size=value["shared_intermediate_size"],
        first_k_dense=value["first_k_dense"],
        moe_layers=value["moe_layers"],
    )


def cache_group(value: Record) -> CacheGroup:
    """Layers that own one kind of cache. Keys the core does not calculate with are left in the record."""
    known: dict[str, Any] = {key: value[key] for key in CacheGroup.__dataclass_fields__ if key in value}
    if "ratio_counts" in known:
        known["ratio_counts"] = tuple((ratio, layers) for ratio, layers in known["ratio_counts"])
    return CacheGroup(**known)
