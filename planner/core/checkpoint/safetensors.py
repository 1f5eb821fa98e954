"""The header of a safetensors file: eight bytes of length, then JSON with the type, shape and place of every tensor.

Format: https://huggingface.co/docs/safetensors/index#format
"""

import json
from collections.abc import Mapping
from typing import Any

from planner.core.checkpoint.tensors import (
    MAX_BYTES,
    MAX_TENSORS,
    DamagedError,
    Tensor,
    dimensions,
    is_name,
    refuse_overlaps,
)
from planner.core.outcome import Problem

LENGTH_BYTES = 8
MAX_HEADER_BYTES = 100_000_000  # what the format's own reader takes
FIELD = "files"
BITS = {
    "F64": 64,
    "I64": 64,
    "U64": 64,
    "C64": 64,
    "F32": 32,
    "I32": 32,
    "U32": 32,
    "F16": 16,
    "BF16": 16,
    "I16": 16,
    "U16": 16,
    "F8_E4M3": 8,
    "F8_E4M3FNUZ": 8,
    "F8_E5M2": 8,
    "F8_E5M2FNUZ": 8,
    "F8_E8M0": 8,
    "I8": 8,
    "U8": 8,
    "BOOL": 8,
    "F6_E2M3": 6,
    "F6_E3M2": 6,
    "F4": 4,
}


def header_length(first: bytes, *, file: str = "") -> int | Problem:
    """Bytes of the header behind the length, from the first eight bytes of a file."""
    try:
        return _length(first)
    except DamagedError as damaged:
        return damaged.problem(field=FIELD, file=file)


def read_safetensors(data: bytes, *, file: str = "") -> tuple[Tensor, ...] | Problem:
    """Every tensor of a file, from its beginning; what follows the header is not looked at."""
    try:
        end = LENGTH_BYTES + _length(data)
        return _tensors(_json(_whole(data, end)[LENGTH_BYTES:end]))
    except DamagedError as damaged:
        return damaged.problem(field=FIELD, file=file)


def _whole(data: bytes, needed: int) -> bytes:
    if len(data) < needed:
        raise DamagedError("header_cut", needed=needed, given=len(data))
    return data


def _length(data: bytes) -> int:
    length = int.from_bytes(_whole(data, LENGTH_BYTES)[:LENGTH_BYTES], "little")
    begins = data[LENGTH_BYTES : LENGTH_BYTES + 1]
    if length < 2 or (begins and begins != b"{"):
        raise DamagedError("not_a_header")
    if length > MAX_HEADER_BYTES:
        raise DamagedError("header_too_long", found=length, limit=MAX_HEADER_BYTES)
    return length


def _json(raw: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(raw.decode("utf-8"), object_pairs_hook=_unrepeated)
    except UnicodeDecodeError:
        raise DamagedError("header_not_utf8") from None
    except (ValueError, RecursionError):
        raise DamagedError("header_not_json") from None
    if not isinstance(found, dict):
        raise DamagedError("header_not_json")
    return found


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for name, _value in pairs:
            if name in seen:
                raise DamagedError("header_repeats", name=name)
            seen.add(name)
    return found


def _tensors(header: Mapping[str, Any]) -> tuple[Tensor, ...]:
    if len(header) > MAX_TENSORS:
        raise DamagedError("header_too_many", found=len(header), limit=MAX_TENSORS)
    found, spans = [], []
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        tensor, begin = _tensor(name, entry)
        found.append(tensor)
        spans.append((begin, begin + tensor.size, name))
    if not found:
        raise DamagedError("header_empty")
    refuse_overlaps(spans)
    return tuple(found)


def _tensor(name: str, entry: Any) -> tuple[Tensor, int]:
    """One tensor, and where its data begins."""
    if not is_name(name):
        raise DamagedError("header_tensor_invalid", name=name or "?", what="name")
    if not isinstance(entry, Mapping) or not isinstance(entry.get("shape"), list):
        raise DamagedError("header_tensor_invalid", name=name, what="shape")
    dtype = entry.get("dtype")
    if not isinstance(dtype, str) or dtype not in BITS:
        raise DamagedError("header_dtype_unknown", name=name, found=str(dtype))
    shape = dimensions(entry["shape"], name)
    begin, end = _offsets(entry.get("data_offsets"), name)
    tensor = Tensor(name=name, dtype=dtype, shape=shape, size=end - begin)
    if 8 * tensor.size != tensor.elements * BITS[dtype]:
        raise DamagedError("header_size_wrong", name=name)
    return tensor, begin


def _offsets(value: Any, name: str) -> tuple[int, int]:
    pair = isinstance(value, list) and len(value) == 2
    if pair and all(isinstance(item, int) and not isinstance(item, bool) for item in value):
        begin, end = value
        if 0 <= begin <= end <= MAX_BYTES:
            return begin, end
    raise DamagedError("header_tensor_invalid", name=name, what="data_offsets")
