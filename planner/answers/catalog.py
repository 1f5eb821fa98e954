"""The catalog as the outside sees it: records as JSON, and what a team states of its own ones."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from access.models import User
from planner.actions.catalog import CatalogFaultsError
from planner.actions.entries import create_entry, edit_entry
from planner.answers.catalog_fields import (
    ACCELERATOR_FIELDS,
    PLATFORM_FIELDS,
    UNITS,
    Field,
    blank_accelerator,
    blank_platform,
    stated_value,
)
from planner.answers.catalog_input import read_accelerator, read_id, read_platform
from planner.answers.catalog_statement import Statement
from planner.catalog.build import accelerator_spec
from planner.catalog.checks import Fault
from planner.core.bandwidth import card_ratios
from planner.core.engines import release_of
from planner.core.specs import Catalog
from planner.models import Accelerator, AcceleratorMapping, CatalogEntry, EngineTable, Platform, WeightScheme
from planner.queries.entries import in_words, source_words

Errors = list[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """A table whose records a team may state: how they are read, and what one is before anything is said of it."""

    table: type[CatalogEntry]
    fields: tuple[Field, ...]
    read: Callable[..., Statement]
    blank: Callable[[str], dict[str, Any]]


ACCELERATORS = Stated(
    table=Accelerator, fields=ACCELERATOR_FIELDS, read=read_accelerator, blank=blank_accelerator
)
PLATFORMS = Stated(table=Platform, fields=PLATFORM_FIELDS, read=read_platform, blank=blank_platform)


def shown_figures(entry: CatalogEntry, words: Mapping[str, str]) -> dict[str, Any]:
    """Name -> {value, unit, kind, source, origin, shipped} of every figure. origin: shipped | team."""
    shipped = (entry.shipped or {}).get("figures", {})
    own = (entry.edited or {}).get("figures", {})
    return {
        name: {
            **_figure(figure, words),
            "unit": UNITS.get(name),
            "origin": "team" if name in own else "shipped",
            "shipped": _figure(shipped[name], words) if name in own and name in shipped else None,
        }
        for name, figure in entry.record["figures"].items()
    }


def _figure(figure: Mapping[str, Any], words: Mapping[str, str]) -> dict[str, Any]:
    return {"value": figure["value"], "kind": figure["kind"], "source": in_words(figure["sources"], words)}


def shown_standing(entry: CatalogEntry) -> dict[str, Any]:
    """What holds for every record: whose word it is, and at which revision it stands."""
    return {
        "origin": entry.origin,
        "retired": entry.retired_at is not None,
        "revision": entry.revision,
        "updated_at": entry.updated_at.isoformat(),
    }


def edited_fields(entry: CatalogEntry, fields: tuple[Field, ...]) -> list[str]:
    """Fields that are no figures and that the team states otherwise than shipped."""
    if entry.shipped is None or not entry.edited:
        return []
    record, shipped = entry.record, entry.shipped
    return [
        item.name for item in fields if stated_value(record, item.name) != stated_value(shipped, item.name)
    ]


def shown_accelerator(entry: Accelerator, words: Mapping[str, str]) -> dict[str, Any]:
    """An accelerator as JSON."""
    ratios = card_ratios(accelerator_spec(entry.record, {}))
    derived = {
        "memory_reads_per_s": ratios.memory_reads_per_s,
        "gb_s_per_w": ratios.gb_s_per_w,
        "w_per_gb_s": ratios.w_per_gb_s,
    }
    return {**_shown(entry, ACCELERATORS, words), "derived": _rounded(derived)}


def shown_platform(entry: Platform, words: Mapping[str, str]) -> dict[str, Any]:
    """A platform as JSON."""
    return _shown(entry, PLATFORMS, words)


def _shown(entry: CatalogEntry, kind: Stated, words: Mapping[str, str]) -> dict[str, Any]:
    record = entry.record
    return {
        "id": entry.key,
        **{item.name: stated_value(record, item.name) for item in kind.fields},
        "figures": shown_figures(entry, words),
        "edited_fields": edited_fields(entry, kind.fields),
        **shown_standing(entry),
    }


def _rounded(figures: Mapping[str, float | None]) -> dict[str, float | None]:
    return {name: None if value is None else round(value, 6) for name, value in figures.items()}


def shown_scheme(entry: WeightScheme) -> dict[str, Any]:
    """A weight scheme as JSON."""
    record = entry.record
    names = (
        "bytes_per_weight",
        "bytes_per_row",
        "quantized_parts",
        "compute_dtype",
        "weight_only",
        "group_size",
        "min_compute_capability",
        "kernel",
        "source",
        "kind",
    )
    return {"id": entry.key, **{name: record.get(name) for name in names}}


def shown_engine(entry: EngineTable, catalog: Catalog) -> dict[str, Any]:
    """An engine as JSON, without its values."""
    return {
        "id": entry.key,
        "name": entry.record["name"],
        "newest": entry.newest,
        "versions": versions_of(entry.record),
        "flags": len(catalog.flags.get(entry.key, {}).get("flags", ())),
    }


def versions_of(record: Mapping[str, Any]) -> list[str]:
    """Versions from which some value of an engine is another, oldest first."""
    found = {row["from"] for value in record["values"].values() for row in value["by_version"]}
    return sorted(found, key=lambda version: release_of(version) or ())


def shown_mapping(mapping: AcceleratorMapping) -> dict[str, Any]:
    """The team's word on a reported name as JSON."""
    return {
        "id": mapping.pk,
        "name": mapping.reported_name,
        "accelerator": mapping.accelerator.key,
        "mapped_by": mapping.mapped_by.username if mapping.mapped_by else None,
        "revision": mapping.revision,
        "updated_at": mapping.updated_at.isoformat(),
    }


def create(kind: Stated, body: Any, *, actor: User) -> tuple[CatalogEntry | None, Errors]:
    """A record of the team's own from what is stated, or what is wrong with it. Raises EntryExistsError."""
    given = body.get("id") if isinstance(body, Mapping) else None
    key = given if isinstance(given, str) else ""
    said = kind.read(body, base=kind.blank(key), shipped=None, words=source_words())
    if isinstance(body, Mapping):
        read_id(body, said)
    if said.errors:
        return None, said.errors
    try:
        return create_entry(kind.table, key, said.record, actor=actor, sources=said.sources), []
    except CatalogFaultsError as error:
        return None, errors_of(error.faults)


def change(
    kind: Stated, entry: CatalogEntry, body: Any, *, revision: int, actor: User, whole: bool = False
) -> tuple[CatalogEntry | None, Errors]:
    """A record as it is stated now, or what is wrong with that. Raises ConflictError.

    `whole`: what is left out is as shipped, or blank in a record of the team's own; else it stays as it is.
    """
    base = entry.record
    if whole:
        base = {**(entry.shipped or kind.blank(entry.key))}
    said = kind.read(body, base=base, shipped=entry.shipped, words=source_words())
    if said.errors:
        return None, said.errors
    try:
        changed = edit_entry(
            entry, said.edited, actor=actor, revision=revision, sources=said.sources, back=whole
        )
    except CatalogFaultsError as error:
        return None, errors_of(error.faults)
    return changed, []


def without_figure(entry: CatalogEntry, name: str) -> dict[str, Any] | None:
    """What the team says of a record but for one figure; None where nothing is left."""
    edited = dict(entry.edited or {})
    figures = {key: figure for key, figure in edited.pop("figures", {}).items() if key != name}
    if figures:
        edited["figures"] = figures
    return edited or None


def errors_of(faults: list[Fault]) -> Errors:
    """What is wrong with a record as a whole, each at its field with what mends it."""
    return [
        {"field": fault.field, "code": "contradiction", "message": _fault_words(fault)} for fault in faults
    ]


def _fault_words(fault: Fault) -> str:
    if fault.field == "figures.bandwidth_gb_s":
        return _("This is not the bus width times the data rate. Correct those too, or leave them out.")
    if fault.field == "figures.memory_gib":
        return _(
            "This does not go with the GB on the box: tools print 90 to 101 percent of it. Correct both."
        )
    if fault.field == "accelerators":
        return (
            _("The catalog has no such accelerator, or it is retired: %s.") % fault.detail.rpartition(" ")[2]
        )
    return _("This cannot be: %s") % fault.detail
