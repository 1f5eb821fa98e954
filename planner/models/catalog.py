"""The catalog as a team keeps it: what was shipped, and beside it what the team says instead."""

import uuid
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class CatalogEntry(models.Model):
    """One record of the catalog. `shipped` is ours and replaced by a sync; `edited` is the team's and never is.

    A record that only the team has keeps `shipped` null. One that is no longer shipped is retired, not deleted,
    because plans may name it.
    """

    key = models.CharField(max_length=200, unique=True)
    shipped = models.JSONField(null=True, blank=True)
    shipped_hash = models.CharField(max_length=64, blank=True)
    edited = models.JSONField(null=True, blank=True)
    retired_at = models.DateTimeField(null=True, blank=True)
    revision = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        abstract = True
        ordering = ["key"]

    def __str__(self) -> str:
        return self.key

    @property
    def record(self) -> dict[str, Any]:
        """The record as it counts: the team's words over the shipped ones."""
        return merged(self.shipped or {}, self.edited or {})

    @property
    def origin(self) -> str:
        """shipped | edited (the team's words over ours) | own (the team's alone)."""
        if self.shipped is None:
            return "own"
        return "edited" if self.edited else "shipped"

    def fill_columns(self) -> None:
        """Copy out of the record what lists filter and sort by."""


class Accelerator(CatalogEntry):
    """A card, a machine with unified memory, or a CPU machine."""

    name = models.CharField(max_length=200)
    vendor = models.CharField(max_length=200, db_index=True)
    accelerator_class = models.CharField(_("class"), max_length=20, db_index=True)
    memory_gib = models.FloatField(null=True, db_index=True)
    bandwidth_gb_s = models.FloatField(null=True, db_index=True)
    tdp_w = models.FloatField(null=True)

    def fill_columns(self) -> None:
        record = self.record
        self.name, self.vendor, self.accelerator_class = record["name"], record["vendor"], record["class"]
        self.memory_gib = figure_value(record, "memory_gib")
        self.bandwidth_gb_s = figure_value(record, "bandwidth_gb_s")
        self.tdp_w = figure_value(record, "tdp_w")


class Platform(CatalogEntry):
    """A server, baseboard or rack with its accelerators."""

    name = models.CharField(max_length=200)
    kind = models.CharField(max_length=200, db_index=True)
    cards = models.PositiveIntegerField(null=True)

    def fill_columns(self) -> None:
        record = self.record
        self.name, self.kind = record["name"], record["kind"]
        self.cards = sum(part["count"] for part in record["accelerators"])


class ModelShape(CatalogEntry):
    """A language model: one weight shape, with the releases that share it."""

    family = models.CharField(max_length=200, db_index=True)
    parameters = models.BigIntegerField(null=True, db_index=True)
    experts = models.BooleanField(default=False)  # a mixture of them
    edge = models.BooleanField(default=False)
    context_tokens = models.PositiveIntegerField(null=True)

    def fill_columns(self) -> None:
        record = self.record
        parts = figure_value(record, "parameters")
        self.family = record["family"]
        self.parameters = sum(parts.values()) if parts else None
        self.experts, self.edge = "moe" in record["figures"], record["edge"]
        self.context_tokens = figure_value(record, "context")["max_position_embeddings"]


class WeightScheme(CatalogEntry):
    """A way of storing weights."""

    kernel = models.CharField(max_length=200)
    bytes_per_weight = models.FloatField(null=True)

    def fill_columns(self) -> None:
        record = self.record
        self.kernel, self.bytes_per_weight = record["kernel"], record["bytes_per_weight"]


class EngineTable(CatalogEntry):
    """What depends on the version of one engine."""

    newest = models.CharField(max_length=200)

    def fill_columns(self) -> None:
        self.newest = self.record["newest"]


class CatalogDocument(CatalogEntry):
    """A whole document of the catalog: links, sources."""


class AcceleratorMapping(models.Model):
    """The operator's word on which accelerator a reported name is."""

    reported_name = models.CharField(max_length=200, unique=True)
    accelerator = models.ForeignKey(Accelerator, on_delete=models.PROTECT, related_name="mappings")
    mapped_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    revision = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["reported_name"]

    def __str__(self) -> str:
        return f"{self.reported_name} is {self.accelerator_id}"


class CatalogState(models.Model):
    """One row: a stamp that every change of the catalog replaces, so that processes know theirs is stale.

    Random rather than counted: a restored backup must not look like a state that a process has seen.
    """

    stamp = models.UUIDField(default=uuid.uuid4)
    synced_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"catalog {self.stamp}"


def merged(shipped: Mapping[str, Any], edited: Mapping[str, Any]) -> dict[str, Any]:
    """`edited` laid over `shipped`, object by object. A figure is replaced whole: its source goes with its value."""
    result = dict(shipped)
    for name, value in edited.items():
        under = result.get(name)
        if isinstance(value, Mapping) and isinstance(under, Mapping) and "kind" not in value:
            result[name] = merged(under, value)
        else:
            result[name] = value
    return result


def difference(shipped: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """What has to be laid over `shipped` to get `wanted`. What `wanted` leaves out stays as shipped."""
    result: dict[str, Any] = {}
    for name, value in wanted.items():
        under = shipped.get(name)
        if name in shipped and under == value:
            continue
        if isinstance(value, Mapping) and isinstance(under, Mapping) and "kind" not in value:
            result[name] = difference(under, value)
        else:
            result[name] = value
    return result


def figure_value(record: Mapping[str, Any], name: str) -> Any:
    """The value of one figure, None where the record has none."""
    figure = record["figures"].get(name)
    return None if figure is None else figure["value"]
