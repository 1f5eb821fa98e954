"""Untrusted values as messages name them."""

from collections.abc import Mapping
from typing import Any


def kind_of(value: Any) -> str:
    """The JSON name of a value's type."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "text"
    return "object" if isinstance(value, Mapping) else "list"


def shown(value: Any) -> str:
    """A value as a message may repeat it: bounded."""
    if isinstance(value, int) and abs(value) >= 10**15:
        return "a very large number" if value > 0 else "a very large negative number"
    return str(value)[:60]
