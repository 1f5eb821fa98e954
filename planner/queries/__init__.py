"""Reads of the planner that pages, API, tasks and commands share."""

from planner.queries.catalog import (
    CatalogNotLoadedError,
    accelerator_mappings,
    catalog_from_database,
    catalog_is_loaded,
    catalog_stamp,
    current_catalog,
    records_by_key,
    rows_from_database,
    shipped_catalog,
)

__all__ = [
    "CatalogNotLoadedError",
    "accelerator_mappings",
    "catalog_from_database",
    "catalog_is_loaded",
    "catalog_stamp",
    "current_catalog",
    "records_by_key",
    "rows_from_database",
    "shipped_catalog",
]
