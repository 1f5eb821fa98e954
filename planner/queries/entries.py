"""Reads of single records of the catalog: their sources in words, and what names them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import F

from planner.models import (
    Accelerator,
    AcceleratorMapping,
    CatalogDocument,
    CatalogEntry,
    ModelShape,
    Platform,
    SavedPlan,
)

SHOWN_USES = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """What names a record. kind: plan | platform | mapping; `id` is the key that its address has."""

    kind: str
    id: str
    name: str


def source_words() -> dict[str, str]:
    """Key of a source -> what it is, the team's own included."""
    document = CatalogDocument.objects.filter(key="sources").first()
    return {key: str(source["ref"]) for key, source in (document.record if document else {}).items()}


def in_words(keys: Any, words: Mapping[str, str]) -> str:
    """Sources of a figure, written out."""
    return "; ".join(words.get(key, key) for key in keys)


def uses_of(entry: CatalogEntry) -> list[Use]:
    """What stands in the way of retiring a record: plans that are not archived, platforms, mappings; some of them."""
    if isinstance(entry, Accelerator):
        return [*_plans(accelerator=entry.key), *_platforms_with(entry.key), *_mappings_to(entry)]
    if isinstance(entry, Platform):
        return _plans(versions__number=F("number"), versions__content__bill__platform=entry.key)
    if isinstance(entry, ModelShape):
        return _plans(model=entry.key)
    return []


def _plans(**named: Any) -> list[Use]:
    rows = SavedPlan.objects.filter(archived_at=None, **named).order_by("pk")[:SHOWN_USES]
    return [Use(kind="plan", id=row.uid, name=row.name) for row in rows]


def _platforms_with(key: str) -> list[Use]:
    """Platforms that carry a card. Read whole: no database of ours indexes within both columns alike."""
    rows = Platform.objects.filter(retired_at=None).only("key", "name", "shipped", "edited")
    found = [row for row in rows if key in {part["id"] for part in row.record["accelerators"]}]
    return [Use(kind="platform", id=row.key, name=row.name) for row in found[:SHOWN_USES]]


def _mappings_to(entry: Accelerator) -> list[Use]:
    rows = AcceleratorMapping.objects.filter(accelerator=entry)[:SHOWN_USES]
    return [Use(kind="mapping", id=row.reported_name, name=row.reported_name) for row in rows]
