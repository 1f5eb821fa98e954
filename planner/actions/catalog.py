"""Bringing what is shipped into the catalog, the team's edits kept; what every write of the catalog shares."""

import hashlib
import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone

from access.actions import record_audit
from access.models import User
from planner.catalog import SHIPPED
from planner.catalog.checks import Fault, check_directory
from planner.catalog.files import CatalogRows, read_rows
from planner.models import (
    Accelerator,
    CatalogDocument,
    CatalogEntry,
    CatalogState,
    EngineTable,
    ModelShape,
    Platform,
    WeightScheme,
)

DEFINITIONS: dict[type[CatalogEntry], str] = {
    Accelerator: "accelerator",
    Platform: "platform",
    ModelShape: "model",
    WeightScheme: "scheme",
    EngineTable: "engine",
}
BATCH = 200


class CatalogFaultsError(Exception):
    """A catalog directory, or an edit, that cannot be used. `faults` names every place."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__("; ".join(str(fault) for fault in faults[:10]))
        self.faults = faults


@dataclass(slots=True, kw_only=True)
class Counts:
    """What a sync did to one table. `edited` are rows whose team's edits were kept."""

    added: int = 0
    changed: int = 0
    kept: int = 0
    retired: int = 0
    edited: int = 0


def sync_catalog(directory: Path = SHIPPED, *, actor: User | None = None) -> dict[str, Counts]:
    """Bring the shipped side of the catalog to what the files say; the team's edits stay. Safe to repeat.

    Everything is checked first and written in one transaction: all of it or nothing. Raises CatalogFaultsError, or
    CatalogFileError for a file that cannot be read.
    """
    faults = check_directory(directory)
    if faults:
        raise CatalogFaultsError(faults)
    tables = records_of(read_rows(directory))
    with transaction.atomic():
        state = locked_state()
        counts = {table.__name__: _sync_table(table, records) for table, records in tables.items()}
        if (
            any(count.added or count.changed or count.retired for count in counts.values())
            or state.synced_at is None
        ):
            restamp(synced=True)
            totals = {
                name: f"{c.added} added, {c.changed} changed, {c.retired} retired"
                for name, c in counts.items()
            }
            record_audit("catalog.sync", actor=actor, tables=totals)
    return counts


def records_of(rows: CatalogRows) -> dict[type[CatalogEntry], dict[str, Mapping[str, Any]]]:
    """Table to key to record."""
    return {
        Accelerator: {row["id"]: row for row in rows.accelerators},
        Platform: {row["id"]: row for row in rows.platforms},
        ModelShape: {row["id"]: row for row in rows.models},
        WeightScheme: {row["id"]: row for row in rows.schemes},
        EngineTable: dict(rows.engines),
        CatalogDocument: {"links": rows.links, "sources": rows.sources, "power": rows.power},
    }


def _sync_table(table: type[CatalogEntry], records: Mapping[str, Mapping[str, Any]]) -> Counts:
    manager = table._default_manager  # noqa: SLF001  # Django documents it
    existing: dict[str, CatalogEntry] = {entry.key: entry for entry in manager.all()}
    counts = Counts()
    added, changed = [], []
    for key, record in records.items():
        entry = existing.get(key)
        digest = digest_of_record(record)
        if entry is None:
            added.append(_filled(table(key=key), record, digest))
            continue
        counts.edited += entry.edited is not None
        if entry.shipped_hash == digest and entry.retired_at is None:
            counts.kept += 1
            continue
        changed.append(_filled(entry, record, digest))
    gone = [entry for key, entry in existing.items() if key not in records and _is_shipped(entry)]
    for entry in gone:
        entry.retired_at = entry.updated_at = timezone.now()
        entry.revision += 1
    manager.bulk_create(added, batch_size=BATCH)
    if changed or gone:
        manager.bulk_update([*changed, *gone], written_fields(table), batch_size=BATCH)
    counts.added, counts.changed, counts.retired = len(added), len(changed), len(gone)
    return counts


def _filled(entry: CatalogEntry, record: Mapping[str, Any], digest: str) -> CatalogEntry:
    entry.shipped, entry.shipped_hash, entry.retired_at = dict(record), digest, None
    entry.updated_at = timezone.now()
    entry.revision += entry.pk is not None
    entry.fill_columns()
    return entry


def _is_shipped(entry: CatalogEntry) -> bool:
    return entry.shipped is not None and entry.retired_at is None


def written_fields(table: type[CatalogEntry]) -> list[str]:
    """Every column that a sync writes: all but the key, the team's edits and the time of creation."""
    untouched = {"id", "key", "edited", "created_at"}
    return [field.name for field in table._meta.concrete_fields if field.name not in untouched]  # noqa: SLF001


def digest_of_record(record: Mapping[str, Any]) -> str:
    """Names the content of one record."""
    return hashlib.sha256(json.dumps(record, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def locked_state() -> CatalogState:
    """The one row of state, locked: two syncs at once wait for each other."""
    CatalogState.objects.get_or_create(pk=1)
    return CatalogState.objects.select_for_update().get(pk=1)


def restamp(*, synced: bool = False) -> None:
    """Tell every process that its catalog is stale."""
    changes: dict[str, Any] = {"stamp": uuid.uuid4()}
    if synced:
        changes["synced_at"] = timezone.now()
    CatalogState.objects.filter(pk=1).update(**changes)
