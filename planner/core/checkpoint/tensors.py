"""One tensor as a header describes it, and what every reader of headers refuses with."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from planner.core.outcome import Problem

MAX_TENSORS = 1_000_000
MAX_NAME = 1_000
MAX_DIMENSIONS = 16
MAX_BYTES = 1 << 60  # no file is longer
MAX_SHOWN = 120


class DamagedError(Exception):
    """A header that cannot be read. Never leaves this package: readers answer with its problem."""

    def __init__(self, code: str, **values: Any) -> None:
        super().__init__(code)
        self.code = code
        self.values = {
            name: _shown(value) if isinstance(value, str) else value for name, value in values.items()
        }

    def problem(self, *, field: str | None, file: str) -> Problem:
        """What is wrong, with the name of the file that it is wrong with."""
        return Problem(code=self.code, field=field, values={"file": file[:MAX_SHOWN], **self.values})


def _shown(text: str) -> str:
    """A text of somebody's file as it can be shown: not endless, and without halves of characters."""
    return text[:MAX_SHOWN].encode("utf-8", "replace").decode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tensor:
    """One tensor: its element type as the file names it, its shape, and the bytes of its data."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    size: int

    @property
    def elements(self) -> int:
        """How many elements it has; packed formats hold several weights in one."""
        return math.prod(self.shape)


def refuse_overlaps(spans: Sequence[tuple[int, int, str]]) -> None:
    """Refuse data that two tensors share: (begin, end, name) of each."""
    end, before = 0, ""
    for start, stop, name in sorted(spans):
        if start < end:
            raise DamagedError("header_overlap", name=name, other=before)
        if stop > end:
            end, before = stop, name


def dimensions(values: Sequence[Any], name: str) -> tuple[int, ...]:
    """A shape of whole numbers from 0, whose product a file can hold."""
    if len(values) > MAX_DIMENSIONS:
        raise DamagedError("header_tensor_invalid", name=name, what="shape")
    product = 1
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MAX_BYTES:
            raise DamagedError("header_tensor_invalid", name=name, what="shape")
        product *= value
        if product > MAX_BYTES:
            raise DamagedError("header_tensor_invalid", name=name, what="shape")
    return tuple(values)


def is_name(text: str) -> bool:
    """Whether a tensor can be called so: not endless, and nothing that cannot be shown or kept."""
    return 0 < len(text) <= MAX_NAME and text.isprintable()
