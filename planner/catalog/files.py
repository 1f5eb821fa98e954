"""Reading the catalog's files: JSON Lines of records, one JSON document for what is a table."""

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
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
    power: Record
    flags: Mapping[
        str, Record
    ]  # always the shipped ones: what a release of an engine takes is nobody's to edit


def read_rows(directory: Path) -> CatalogRows:
    """All records of one catalog directory. Raises CatalogFileError for a file that is missing or no JSON."""
    return CatalogRows(
        accelerators=tuple(record for _, record in read_lines(directory / "accelerators.jsonl")),
        platforms=tuple(record for _, record in read_lines(directory / "platforms.jsonl")),
        models=tuple(record for _, record in read_lines(directory / "models.jsonl")),
        schemes=read_schemes(directory),
        engines={path.stem: read_document(path) for path in engine_files(directory)},
        links=read_document(directory / "links.json"),
        sources=read_document(directory / "sources.json"),
        power=read_document(directory / "power.json"),
        flags=shipped_flags(),
    )


@cache
def shipped_flags() -> Mapping[str, Record]:
    """Launch flags by engine, and the facts about hosts and containers, read once per process."""
    return {path.stem: read_document(path) for path in sorted((SHIPPED / "flags").glob("*.json"))}


@cache
def shipped_prices() -> Record:
    """Public prices by accelerator and exchange rates until a team sets its own, read once per process.

    Not part of the catalog that a sync brings: a price changes no figure of a card.
    """
    return read_document(SHIPPED / "prices.json")


def read_schemes(directory: Path) -> tuple[Record, ...]:
    """The weight schemes. Raises CatalogFileError where the file is not a list of them."""
    schemes = read_document(directory / "schemes.json").get("schemes")
    if not isinstance(schemes, list):
        raise CatalogFileError("schemes.json: has no list of schemes")
    return tuple(schemes)


def engine_files(directory: Path) -> list[Path]:
    """The version-keyed tables, one file per engine, in a stable order. Raises CatalogFileError where there is none."""
    found = sorted((directory / "engines").glob("*.json"))
    if not found:
        # An empty table would retire every engine there is.
        raise CatalogFileError("engines: holds no engine")
    return found


def read_lines(path: Path) -> Iterator[tuple[int, Record]]:
    """(line number, record) of a JSON Lines file; empty lines are skipped."""
    # Not splitlines(), which also breaks at separators that may stand within a JSON text.
    for number, line in enumerate(_text(path).split("\n"), start=1):
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
        value = json.loads(text, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise CatalogFileError(f"{where}: not JSON ({error})") from error
    if not isinstance(value, dict):
        raise CatalogFileError(f"{where}: not a JSON object")
    return value


def _finite(text: str) -> float:
    """A number that JSON can hold: a database refuses NaN and Infinity, and an answer could not show them."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not a finite number")
    return number
