"""Reading the catalog's files: JSON Lines of records, one JSON document for what is a table."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SHIPPED = Path(__file__).parent

Record = Mapping[str, Any]


class CatalogFileError(ValueError):
    """A catalog file that cannot be used. The text names the file, and the line, id and field where there are any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogRows:
    """A catalog as plain records, before specs are built: what files and database tables both hold."""

    accelerators: tuple[Record, ...]
    platforms: tuple[Record, ...]
    models: tuple[Record, ...]
    schemes: tuple[Record, ...]
    engines: Mapping[str, Record]
    links: Record
    sources: Record


def read_rows(directory: Path) -> CatalogRows:
    """All records of one catalog directory. Raises CatalogFileError for a file that is missing or no JSON."""
    return CatalogRows(
        accelerators=tuple(record for _, record in read_lines(directory / "accelerators.jsonl")),
        platforms=tuple(record for _, record in read_lines(directory / "platforms.jsonl")),
        models=tuple(record for _, record in read_lines(directory / "models.jsonl")),
        schemes=tuple(read_document(directory / "schemes.json").get("schemes", ())),
        engines={path.stem: read_document(path) for path in engine_files(directory)},
        links=read_document(directory / "links.json"),
        sources=read_document(directory / "sources.json"),
    )


def engine_files(directory: Path) -> list[Path]:
    """The version-keyed tables, one file per engine, in a stable order."""
    return sorted((directory / "engines").glob("*.json"))


def read_lines(path: Path) -> Iterator[tuple[int, Record]]:
    """(line number, record) of a JSON Lines file; empty lines are skipped."""
    for number, line in enumerate(_text(path).splitlines(), start=1):
        if line.strip():
            yield number, _object(line, f"{path.name}, line {number}")


def read_document(path: Path) -> Record:
    """The one JSON object of a file."""
    return _object(_text(path), path.name)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CatalogFileError(f"{path.name}: cannot be read ({error})") from error


def _object(text: str, where: str) -> Record:
    try:
        value = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise CatalogFileError(f"{where}: not JSON ({error})") from error
    if not isinstance(value, dict):
        raise CatalogFileError(f"{where}: not a JSON object")
    return value
