"""Checking the public prices before they are shipped: against the schema, then against the accelerators."""

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

SCHEMA = Path(__file__).parent / "schema" / "prices.json"


def price_faults(document: Any, accelerators: Collection[str]) -> Iterator[str]:
    """Everything wrong with a document of prices, a sentence each; nothing where it can be used."""
    validator = Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
    faults = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)]
    yield from faults
    if faults:
        return
    seen = set()
    for row in document["accelerators"]:
        name = row["accelerator"]
        if name not in accelerators:
            yield f"{name}: no such accelerator"
        if name in seen:
            yield f"{name}: priced twice"
        if row["low_usd"] is not None and row["low_usd"] >= row["usd"]:
            yield f"{name}: the lower end of its range is not below the upper one"
        seen.add(name)
