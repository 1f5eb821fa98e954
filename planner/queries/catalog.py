"""Reads of the planner: the catalog, from the database or from the shipped files."""

from contextlib import nullcontext
from typing import Any
from uuid import UUID

from django.db import DatabaseError, connection, models, transaction

from planner.catalog import build_catalog, load_shipped
from planner.catalog.files import CatalogRows, shipped_flags
from planner.core.specs import Catalog
from planner.models import (
    Accelerator,
    AcceleratorMapping,
    CatalogDocument,
    CatalogEntry,
    CatalogState,
    EngineTable,
    ModelShape,
    Platform,
    WeightScheme,
)

_built: dict[str, tuple[UUID, Catalog]] = {}


def shipped_catalog() -> Catalog:
    """The catalog of the shipped files."""
    return load_shipped()


def current_catalog(choice: str | None = None) -> Catalog:
    """The catalog to answer from: "database", "shipped", or None for the database once it is filled."""
    if choice == "shipped" or (choice is None and not catalog_is_loaded()):
        return shipped_catalog()
    return catalog_from_database()


def catalog_is_loaded() -> bool:
    """Whether the database is migrated and was synced once."""
    return catalog_stamp() is not None


def catalog_stamp() -> UUID | None:
    """Another one after every change of the catalog; None before the first sync or without tables."""
    # A missing table must not break the caller's transaction; without one, none is opened just to read.
    guard = transaction.atomic() if connection.in_atomic_block else nullcontext()
    try:
        with guard:
            return CatalogState.objects.exclude(synced_at=None).values_list("stamp", flat=True).first()
    except DatabaseError:
        return None


def catalog_from_database() -> Catalog:
    """The catalog as the team keeps it, built again in this process only when its stamp is another.

    One query when it has not, eight when it has. Raises CatalogNotLoadedError before the first sync.
    """
    stamp = catalog_stamp()
    if stamp is None:
        raise CatalogNotLoadedError
    kept = _built.get("catalog")
    if kept is None or kept[0] != stamp:
        kept = (stamp, build_catalog(rows_from_database(), mappings=accelerator_mappings()))
        _built["catalog"] = kept
    return kept[1]


class CatalogNotLoadedError(Exception):
    """The database holds no catalog yet: `manage.py sync_catalog` fills it."""


def rows_from_database() -> CatalogRows:
    """All records that count: the team's words over the shipped ones, retired ones left out."""
    documents = records_by_key(CatalogDocument)
    return CatalogRows(
        accelerators=tuple(records_by_key(Accelerator).values()),
        platforms=tuple(records_by_key(Platform).values()),
        models=tuple(records_by_key(ModelShape).values()),
        schemes=tuple(records_by_key(WeightScheme).values()),
        engines=records_by_key(EngineTable),
        links=documents.get("links", {}),
        sources=documents.get("sources", {}),
        power=documents.get("power", {}),
        flags=shipped_flags(),
    )


def records_by_key(table: type[CatalogEntry]) -> dict[str, dict[str, Any]]:
    """key -> record of one table."""
    entries: models.QuerySet[CatalogEntry] = table._default_manager.filter(retired_at=None).order_by("key")  # noqa: SLF001
    return {entry.key: entry.record for entry in entries.only("key", "shipped", "edited")}


def accelerator_mappings() -> dict[str, str]:
    """Reported name -> accelerator id, by the operator."""
    return dict(AcceleratorMapping.objects.values_list("reported_name", "accelerator__key"))
