"""What a team makes of its catalog: edits over shipped records, records of its own, names that its machines report.

Writes of the catalog wait for each other at its one row of state, so none of them sees another half done.
"""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from access.actions import record_audit
from access.models import User
from planner.actions.catalog import DEFINITIONS, CatalogFaultsError, locked_state, restamp
from planner.actions.conflict import ConflictError
from planner.catalog.checks import Fault, contradictions, record_fault, source_keys
from planner.core.matching import collapse
from planner.models import (
    Accelerator,
    AcceleratorMapping,
    CatalogDocument,
    CatalogEntry,
    Platform,
)
from planner.queries.entries import Use, uses_of

SOURCES = "sources"


class EntryExistsError(Exception):
    """The catalog has an entry of this id already. `entry` is it."""

    def __init__(self, entry: CatalogEntry) -> None:
        super().__init__(f"{entry.key} exists")
        self.entry = entry


class EntryInUseError(Exception):
    """The entry cannot be retired: `uses` name it."""

    def __init__(self, uses: list[Use]) -> None:
        super().__init__(f"used {len(uses)} times")
        self.uses = uses


def source_key(text: str) -> str:
    """The key under which a source in the team's own words is cited."""
    return f"team_{hashlib.sha256(text.encode()).hexdigest()[:12]}"


@transaction.atomic
def edit_entry(
    entry: CatalogEntry,
    edited: Mapping[str, Any] | None,
    *,
    actor: User,
    revision: int | None = None,
    sources: Mapping[str, str] | None = None,
    back: bool = False,
) -> CatalogEntry:
    """Lay the team's words over a record; None takes them back. `sources`: key -> text of what they cite.

    `back`: one of the team's own that was retired counts again.

    Raises ConflictError where `revision` is given and past, CatalogFaultsError where the result is unsound.
    """
    locked_state()
    current = _current(entry, revision)
    before = current.record
    current.edited = dict(edited) if edited else None
    if back and current.shipped is None:
        current.retired_at = None
    _cite(sources or {})
    _write(current)
    action = "catalog.edit" if current.edited else "catalog.reset"
    record_audit(
        action, actor=actor, about=current, key=current.key, changed=changed_fields(before, current.record)
    )
    return current


@transaction.atomic
def create_entry(
    table: type[CatalogEntry],
    key: str,
    record: Mapping[str, Any],
    *,
    actor: User,
    sources: Mapping[str, str] | None = None,
) -> CatalogEntry:
    """Add a record that only the team has. Raises EntryExistsError, or CatalogFaultsError where it is unsound."""
    locked_state()
    existing = table._default_manager.filter(key=key).first()  # noqa: SLF001  # Django documents it
    if existing is not None:
        raise EntryExistsError(existing)
    entry = table(key=key, edited=dict(record))
    _cite(sources or {})
    _write(entry, revision=1)
    record_audit("catalog.create", actor=actor, about=entry, key=key, record=dict(record))
    return entry


@transaction.atomic
def retire_entry(entry: CatalogEntry, *, revision: int, actor: User, back: bool = False) -> CatalogEntry:
    """Let a record of the team's own count no more, or again; it stays readable. Raises ConflictError, EntryInUseError."""
    locked_state()
    current = _current(entry, revision)
    uses = [] if back else uses_of(current)
    if uses:
        raise EntryInUseError(uses)
    current.retired_at = None if back else timezone.now()
    _write(current)
    action = "catalog.restore" if back else "catalog.retire"
    record_audit(action, actor=actor, about=current, key=current.key)
    return current


def _current(entry: CatalogEntry, revision: int | None) -> CatalogEntry:
    current: CatalogEntry = type(entry)._default_manager.select_for_update().get(pk=entry.pk)  # noqa: SLF001
    if revision is not None and current.revision != revision:
        raise ConflictError(current)
    return current


def _write(entry: CatalogEntry, *, revision: int | None = None) -> None:
    """Check the record as it will count, and store it with its columns under a new stamp."""
    faults = list(_faults(entry))
    if faults:
        raise CatalogFaultsError(faults)
    entry.fill_columns()
    entry.revision = entry.revision + 1 if revision is None else revision
    entry.save()
    restamp()


def _faults(entry: CatalogEntry) -> Iterator[Fault]:
    record = entry.record
    fault = record_fault(DEFINITIONS[type(entry)], record, file=entry.key, line=None)
    if fault is not None:
        yield fault
        return
    if isinstance(entry, Accelerator):
        yield from _contradictions(entry, record)
    if isinstance(entry, Platform):
        yield from _unknown_parts(entry.key, record)
    if "figures" in record:
        known = _sources()
        for field, key in source_keys(record):
            if key not in known:
                yield _fault(entry.key, field, f"no source named {key}")


def _contradictions(entry: Accelerator, record: Mapping[str, Any]) -> Iterator[Fault]:
    """What cannot all be right; but a bandwidth that the team measured needs not be that of the shipped bus and rate."""
    stated = set((entry.edited or {}).get("figures", {}))
    for fault in contradictions(record):
        if fault.field != "figures.bandwidth_gb_s" or stated & {"bus_bits", "data_rate_gt_s"}:
            yield fault


def _unknown_parts(key: str, record: Mapping[str, Any]) -> Iterator[Fault]:
    asked = {part["id"] for part in record["accelerators"]}
    known = set(Accelerator.objects.filter(key__in=asked, retired_at=None).values_list("key", flat=True))
    for name in sorted(asked - known):
        yield _fault(key, "accelerators", f"nothing is named {name}")


def _fault(key: str, field: str, detail: str) -> Fault:
    return Fault(file=key, line=None, id=key, field=field, detail=detail)


def _sources() -> Mapping[str, Any]:
    document = CatalogDocument.objects.filter(key=SOURCES).first()
    return document.record if document is not None else {}


def _cite(texts: Mapping[str, str]) -> None:
    """Keep what the team cites beside the shipped sources, so that a figure's source can be read everywhere."""
    if not texts:
        return
    document, _made = CatalogDocument.objects.get_or_create(key=SOURCES)
    known = document.record
    new = {key: {"ref": text, "licence": None} for key, text in texts.items() if key not in known}
    if new:
        document.edited = {**(document.edited or {}), **new}
        document.save()


def changed_fields(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Field -> {before, after} of two records; figures one by one."""
    flat_before, flat_after = _flat(before), _flat(after)
    return {
        name: {"before": flat_before.get(name), "after": flat_after.get(name)}
        for name in sorted({*flat_before, *flat_after})
        if flat_before.get(name) != flat_after.get(name)
    }


def _flat(record: Mapping[str, Any]) -> dict[str, Any]:
    figures = {f"figures.{name}": figure for name, figure in record.get("figures", {}).items()}
    return {**{name: value for name, value in record.items() if name != "figures"}, **figures}


@transaction.atomic
def map_accelerator(
    reported_name: str, accelerator: Accelerator, *, actor: User, revision: int | None = None
) -> AcceleratorMapping:
    """Say which accelerator a reported name is, for names that the catalog does not know.

    `revision` 0 says that there is no mapping yet; None writes over what there is. Raises ConflictError.
    """
    locked_state()
    name = collapse(reported_name)
    mapping = AcceleratorMapping.objects.filter(reported_name=name).select_related("accelerator").first()
    if revision is not None and (mapping.revision if mapping else 0) != revision:
        raise ConflictError(mapping or AcceleratorMapping(reported_name=name, revision=0))
    before = mapping.accelerator.key if mapping else None
    mapping = mapping or AcceleratorMapping(reported_name=name, revision=0)
    mapping.accelerator, mapping.mapped_by = accelerator, actor
    mapping.revision += 1
    mapping.save()
    restamp()
    record_audit("catalog.map", actor=actor, about=mapping, name=name, before=before, after=accelerator.key)
    return mapping


@transaction.atomic
def remove_mapping(mapping: AcceleratorMapping, *, revision: int, actor: User) -> None:
    """Take a mapping back. Raises ConflictError."""
    locked_state()
    current = (
        AcceleratorMapping.objects.filter(pk=mapping.pk, revision=revision)
        .select_related("accelerator")
        .first()
    )
    if current is None:
        now = AcceleratorMapping.objects.filter(pk=mapping.pk).first()
        raise ConflictError(now or AcceleratorMapping(reported_name=mapping.reported_name, revision=0))
    record_audit(
        "catalog.unmap",
        actor=actor,
        about=current,
        name=current.reported_name,
        before=current.accelerator.key,
    )
    current.delete()
    restamp()
