"""The header of a GGUF file, versions 2 and 3: its metadata and every tensor with its type.

Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from planner.core.checkpoint.gguf_types import TYPES
from planner.core.checkpoint.tensors import (
    MAX_BYTES,
    MAX_NAME,
    MAX_TENSORS,
    DamagedError,
    Tensor,
    dimensions,
    is_name,
    refuse_overlaps,
)
from planner.core.outcome import Problem

MAGIC = b"GGUF"
FIELD = "files"
VERSIONS = (2, 3)
MAX_METADATA = 10_000
MAX_KEY = 65_535
MAX_TEXT = 4_000_000  # chat templates are long
MAX_ITEMS = 20_000_000
MAX_TEXTS = 3_000_000  # of all arrays: each is skipped by itself
KEPT_ITEMS = 4_096  # arrays with a value per layer
MAX_GGUF_DIMENSIONS = 4
DEFAULT_ALIGNMENT = 32
TEXT, ARRAY, BOOL = 8, 9, 7
FORMATS = {
    0: "<B",
    1: "<b",
    2: "<H",
    3: "<h",
    4: "<I",
    5: "<i",
    6: "<f",
    7: "<B",
    10: "<Q",
    11: "<q",
    12: "<d",
}
SIZES = {kind: struct.calcsize(form) for kind, form in FORMATS.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class GgufHeader:
    """What a file says. Long arrays, such as the tokenizer's, are kept as their lengths alone."""

    version: int
    metadata: Mapping[str, Any]
    lengths: Mapping[str, int]
    tensors: tuple[Tensor, ...]

    @property
    def architecture(self) -> str:
        """general.architecture, empty where it is none."""
        found = self.metadata.get("general.architecture")
        return found if isinstance(found, str) else ""


def read_gguf(data: bytes, *, file: str = "") -> GgufHeader | Problem:
    """The header at the beginning of a file; the data behind it is not looked at."""
    try:
        return _Reader(data).header()
    except DamagedError as damaged:
        return damaged.problem(field=FIELD, file=file)


class _Reader:
    """A place in the bytes of a file."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.place = 0
        self.texts = 0

    def header(self) -> GgufHeader:
        if self.data[: len(MAGIC)] != MAGIC:
            raise DamagedError("not_a_header")
        self.place = len(MAGIC)
        version = self.number(4)
        if version not in VERSIONS:
            swapped = version > 0xFFFF
            code = "gguf_big_endian" if swapped else "gguf_version"
            raise DamagedError(code, found=version)
        tensors, entries = self.number(8), self.number(8)
        if tensors > MAX_TENSORS:
            raise DamagedError("header_too_many", found=tensors, limit=MAX_TENSORS)
        if entries > MAX_METADATA:
            raise DamagedError("header_too_many", found=entries, limit=MAX_METADATA)
        metadata, lengths = self._metadata(entries)
        return GgufHeader(
            version=version,
            metadata=metadata,
            lengths=lengths,
            tensors=self._tensors(tensors, _alignment(metadata)),
        )

    def take(self, size: int) -> int:
        """Go `size` bytes on and return where they begin."""
        begin, self.place = self.place, self.place + size
        if self.place > len(self.data):
            raise DamagedError("header_cut", needed=self.place, given=len(self.data))
        return begin

    def number(self, size: int) -> int:
        begin = self.take(size)
        return int.from_bytes(self.data[begin : begin + size], "little")

    def text(self, limit: int) -> str:
        length = self.number(8)
        if length > limit:
            raise DamagedError("gguf_text_too_long", found=length, limit=limit)
        begin = self.take(length)
        try:
            return self.data[begin : begin + length].decode("utf-8")
        except UnicodeDecodeError:
            raise DamagedError("header_not_utf8") from None

    def _metadata(self, entries: int) -> tuple[dict[str, Any], dict[str, int]]:
        values: dict[str, Any] = {}
        lengths: dict[str, int] = {}
        for _entry in range(entries):
            key = self.text(MAX_KEY)
            if key in values or key in lengths:
                raise DamagedError("header_repeats", name=key)
            kind = self.number(4)
            if kind != ARRAY:
                values[key] = self._value(kind, key)
                continue
            items = self._array(key, lengths)
            if items is not None:
                values[key] = items
        return values, lengths

    def _value(self, kind: int, key: str) -> Any:
        if kind == TEXT:
            return self.text(MAX_TEXT)
        if kind not in FORMATS:
            raise DamagedError("gguf_value_unknown", name=key, found=kind)
        begin = self.take(SIZES[kind])
        (value,) = struct.unpack_from(FORMATS[kind], self.data, begin)
        return bool(value) if kind == BOOL else value

    def _array(self, key: str, lengths: dict[str, int]) -> list[Any] | None:
        """The items of a short array of numbers; of others the length is noted and they are skipped."""
        kind, count = self.number(4), self.number(8)
        if count > MAX_ITEMS:
            raise DamagedError("header_too_many", found=count, limit=MAX_ITEMS)
        lengths[key] = count
        if kind == TEXT:
            self._skip_texts(count)
            return None
        if kind not in FORMATS:
            raise DamagedError("gguf_value_unknown", name=key, found=kind)
        if count > KEPT_ITEMS:
            self.take(count * SIZES[kind])
            return None
        return [self._value(kind, key) for _item in range(count)]

    def _skip_texts(self, count: int) -> None:
        self.texts += count
        if self.texts > MAX_TEXTS:
            raise DamagedError("header_too_many", found=self.texts, limit=MAX_TEXTS)
        data, end, place = self.data, len(self.data), self.place
        unpack = struct.Struct("<Q").unpack_from
        for _item in range(count):
            if place + 8 > end:
                raise DamagedError("header_cut", needed=place + 8, given=end)
            place += 8 + unpack(data, place)[0]
        self.place = place
        self.take(0)

    def _tensors(self, count: int, alignment: int) -> tuple[Tensor, ...]:
        found: list[Tensor] = []
        spans: list[tuple[int, int, str]] = []
        seen: set[str] = set()
        for _tensor in range(count):
            tensor, begin = self._tensor(alignment)
            if tensor.name in seen:
                raise DamagedError("header_repeats", name=tensor.name)
            seen.add(tensor.name)
            found.append(tensor)
            spans.append((begin, begin + tensor.size, tensor.name))
        refuse_overlaps(spans)
        return tuple(found)

    def _tensor(self, alignment: int) -> tuple[Tensor, int]:
        """One tensor, and where its data begins behind the header."""
        name = self.text(MAX_NAME)
        if not is_name(name):
            raise DamagedError("header_tensor_invalid", name=name or "?", what="name")
        rank = self.number(4)
        if rank > MAX_GGUF_DIMENSIONS:
            raise DamagedError("header_tensor_invalid", name=name, what="shape")
        shape = dimensions([self.number(8) for _axis in range(rank)], name)
        kind, begin = self.number(4), self.number(8)
        block = TYPES.get(kind)
        if block is None:
            raise DamagedError("header_dtype_unknown", name=name, found=str(kind))
        if begin > MAX_BYTES or begin % alignment:
            raise DamagedError("header_tensor_invalid", name=name, what="offset")
        tensor = Tensor(name=name, dtype=block.name, shape=shape, size=0)
        if (shape and shape[0] % block.weights) or (not shape and block.weights > 1):
            raise DamagedError("header_size_wrong", name=name)
        size = tensor.elements // block.weights * block.size
        return Tensor(name=name, dtype=block.name, shape=shape, size=size), begin


def _alignment(metadata: Mapping[str, Any]) -> int:
    value = metadata.get("general.alignment", DEFAULT_ALIGNMENT)
    if not isinstance(value, int) or isinstance(value, bool) or not 8 <= value <= 1 << 20 or value % 8:
        raise DamagedError("gguf_value_invalid", name="general.alignment", found=str(value))
    return value
