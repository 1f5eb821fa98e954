"""Checking a catalog directory before it is used: every record against the schema, then records against each other.

Runs when the catalog is synced and in the tests, never when an estimate is answered.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from planner.catalog.files import (
    CatalogRows,
    Record,
    engine_files,
    read_document,
    read_lines,
    read_rows,
    read_schemes,
)
from planner.catalog.flag_checks import flag_faults

SCHEMA = Path(__file__).parent / "schema" / "catalog.json"
LINE_FILES = {"accelerators.jsonl": "accelerator", "platforms.jsonl": "platform", "models.jsonl": "model"}
RATE_TOLERANCE = 0.03
# GiB that a tool prints over GB on the box: drivers and ECC keep a part, a binary capacity is never exceeded.
MEMORY_RATIO = (0.90, 1.01)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing wrong in a catalog directory."""

    file: str
    line: int | None
    id: str | None
    field: str
    detail: str

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}, line {self.line}"
        about = f", {self.id}" if self.id else ""
        return f"{where}{about}: {self.field or 'record'}: {self.detail}"


def check_directory(directory: Path) -> list[Fault]:
    """Everything wrong with the files of a catalog directory; empty where it can be used.

    Raises CatalogFileError for a file that cannot be read at all.
    """
    faults = list(_schema_faults(directory))
    return faults or list(cross_faults(read_rows(directory)))


@cache
def validator(definition: str) -> Draft202012Validator:
    """The validator of one kind of record."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    return Draft202012Validator({"$ref": f"#/$defs/{definition}", "$defs": schema["$defs"]})


def record_fault(definition: str, record: Any, *, file: str, line: int | None) -> Fault | None:
    """The most telling fault of one record, None where it is sound. What is no object is a fault too."""
    error = best_match(validator(definition).iter_errors(record))
    if error is None:
        return None
    identity = record.get("id") if isinstance(record, dict) else None
    return Fault(
        file=file,
        line=line,
        id=str(identity)[:200] if identity is not None else None,
        field=".".join(str(part) for part in error.absolute_path),
        detail=error.message[:300],
    )


def _schema_faults(directory: Path) -> Iterator[Fault]:
    for name, definition in LINE_FILES.items():
        for line, record in read_lines(directory / name):
            yield from _found(record_fault(definition, record, file=name, line=line))
    for record in read_schemes(directory):
        yield from _found(record_fault("scheme", record, file="schemes.json", line=None))
    for path in engine_files(directory):
        yield from _found(record_fault("engine", read_document(path), file=f"engines/{path.name}", line=None))
    yield from _found(
        record_fault("links", read_document(directory / "links.json"), file="links.json", line=None)
    )
    yield from _found(
        record_fault("power", read_document(directory / "power.json"), file="power.json", line=None)
    )
    for key, source in read_document(directory / "sources.json").items():
        yield from _found(record_fault("source", source, file=f"sources.json, {key}", line=None))


def _found(fault: Fault | None) -> Iterator[Fault]:
    if fault is not None:
        yield fault


def cross_faults(rows: CatalogRows) -> Iterator[Fault]:
    """What one record cannot show: ids used twice, references that lead nowhere, figures that contradict each other."""
    yield from _repeated_ids(rows)
    yield from _unknown_sources(rows)
    yield from _unknown_references(rows)
    yield from _unknown_modes(rows)
    for row in rows.accelerators:
        yield from contradictions(row)
    for file, field, detail in flag_faults(rows.flags):
        yield Fault(file=file, line=None, id=None, field=field, detail=detail)


def _repeated_ids(rows: CatalogRows) -> Iterator[Fault]:
    model_ids = [
        identity
        for row in rows.models
        for identity in (row["id"], *row["aliases"], *(release["id"] for release in row["quantized"]))
    ]
    lists = {
        "accelerators.jsonl": [row["id"] for row in rows.accelerators],
        "platforms.jsonl": [row["id"] for row in rows.platforms],
        "models.jsonl": model_ids,
        "schemes.json": [row["id"] for row in rows.schemes],
    }
    for file, ids in lists.items():
        seen: set[str] = set()
        for identity in ids:
            if identity in seen:
                yield Fault(file=file, line=None, id=identity, field="id", detail="used twice")
            seen.add(identity)


def _unknown_sources(rows: CatalogRows) -> Iterator[Fault]:
    for file, records in (
        ("accelerators.jsonl", rows.accelerators),
        ("platforms.jsonl", rows.platforms),
        ("models.jsonl", rows.models),
    ):
        for row in records:
            for field, key in source_keys(row):
                if key not in rows.sources:
                    yield Fault(
                        file=file, line=None, id=row["id"], field=field, detail=f"no source named {key}"
                    )


def source_keys(row: Record) -> Iterator[tuple[str, str]]:
    """(field, source key) of everything a record cites."""
    for key in row.get("sources", ()):
        yield "sources", key
    for key in row.get("names", {}).get("sources", ()):
        yield "names.sources", key
    for name, figure in row["figures"].items():
        for key in figure["sources"]:
            yield f"figures.{name}", key


def _unknown_references(rows: CatalogRows) -> Iterator[Fault]:
    accelerators = {row["id"] for row in rows.accelerators}
    schemes = {row["id"] for row in rows.schemes}
    for row in rows.platforms:
        for part in row["accelerators"]:
            if part["id"] not in accelerators:
                yield _nowhere("platforms.jsonl", row, "accelerators", part["id"])
    for row in rows.accelerators:
        if row.get("variant_of") and row["variant_of"] not in accelerators:
            yield _nowhere("accelerators.jsonl", row, "variant_of", row["variant_of"])
    for row in rows.models:
        for release in row["quantized"]:
            if release["scheme"] not in schemes:
                yield _nowhere("models.jsonl", row, "quantized", release["scheme"])


def _unknown_modes(rows: CatalogRows) -> Iterator[Fault]:
    for key, known in rows.power["modes"].items():
        if known["full"] not in {mode["name"] for mode in known["modes"]}:
            yield Fault(file="power.json", line=None, id=key, field="full", detail="names none of its modes")


def _nowhere(file: str, row: Record, field: str, key: str) -> Fault:
    return Fault(file=file, line=None, id=row["id"], field=field, detail=f"nothing is named {key}")


def contradictions(row: Record) -> Iterator[Fault]:
    """Figures of one accelerator that cannot all be right."""

    def value(name: str) -> Any:
        return row["figures"].get(name, {}).get("value")

    bandwidth, bus, rate = value("bandwidth_gb_s"), value("bus_bits"), value("data_rate_gt_s")
    if bandwidth and bus and rate and abs(bandwidth / (bus / 8 * rate) - 1) > RATE_TOLERANCE:
        detail = f"{bandwidth} GB/s is not bus x rate, {bus / 8 * rate:.1f} GB/s"
        yield _contradiction(row, "figures.bandwidth_gb_s", detail)
    gib, gb = value("memory_gib"), value("memory_gb")
    if gib and gb and not row["unified_memory"] and not MEMORY_RATIO[0] <= gib / gb <= MEMORY_RATIO[1]:
        yield _contradiction(row, "figures.memory_gib", f"{gib} GiB does not go with {gb} GB")
    twice = set(row["native_dtypes"]) & set(row["unknown_dtypes"])
    if twice:
        yield _contradiction(row, "native_dtypes", f"{sorted(twice)} both native and unknown")


def _contradiction(row: Record, field: str, detail: str) -> Fault:
    return Fault(file="accelerators.jsonl", line=None, id=row["id"], field=field, detail=detail)
