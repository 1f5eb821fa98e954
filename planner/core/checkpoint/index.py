"""`model.safetensors.index.json`: the total size of a checkpoint, and which file holds which tensor."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from planner.core.checkpoint.tensors import MAX_BYTES, MAX_NAME, MAX_TENSORS, DamagedError
from planner.core.outcome import Problem

FIELD = "index"
NAME = "model.safetensors.index.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """What an index says. total_bytes is None where it states none."""

    total_bytes: int | None
    files: tuple[str, ...]
    tensors: tuple[str, ...]


def read_index(value: Any) -> Index | Problem:
    """The index in a parsed `model.safetensors.index.json`."""
    try:
        return _read(value)
    except DamagedError as damaged:
        return damaged.problem(field=FIELD, file=NAME)


def _read(value: Any) -> Index:
    where = value.get("weight_map") if isinstance(value, Mapping) else None
    if not isinstance(where, Mapping) or not where:
        raise DamagedError("not_an_index")
    if len(where) > MAX_TENSORS:
        raise DamagedError("header_too_many", found=len(where), limit=MAX_TENSORS)
    for name, file in where.items():
        if not isinstance(file, str) or not 0 < len(file) <= MAX_NAME or not 0 < len(name) <= MAX_NAME:
            raise DamagedError("index_entry_invalid", name=str(name))
    return Index(
        total_bytes=_total(value.get("metadata")),
        files=tuple(sorted(set(where.values()))),
        tensors=tuple(where),
    )


def _total(metadata: Any) -> int | None:
    total = metadata.get("total_size") if isinstance(metadata, Mapping) else None
    if total is None:
        return None
    plain = isinstance(total, int | float) and not isinstance(total, bool)
    if not plain or not 0 < total <= MAX_BYTES or total != int(total):
        raise DamagedError("index_total_invalid", found=str(total))
    return int(total)
