"""Reading untrusted JSON values: each reader returns a clean value or notes one problem."""

import math
from collections.abc import Mapping
from itertools import islice
from typing import Any

from planner.core.outcome import Problem
from planner.core.values import kind_of, shown

MAX_TEXT = 300
MAX_UNKNOWN = 20  # keys named of one object: the answer must not grow far beyond the question


class Reader:
    """Collects every problem of one input, so that the asker sees all of them at once."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def refuse(self, code: str, field: str | None, **values: Any) -> None:
        """Note one problem."""
        self.problems.append(Problem(code=code, field=field, values=values))

    def mapping(self, value: Any, field: str) -> Mapping[str, Any] | None:
        """An object, or None with a problem."""
        if isinstance(value, Mapping):
            return value
        self.refuse("wrong_type", field, expected="object", found=kind_of(value))
        return None

    def text(self, value: Any, field: str) -> str | None:
        """Text of bounded length, or None with a problem."""
        if not isinstance(value, str):
            self.refuse("wrong_type", field, expected="text", found=kind_of(value))
            return None
        if len(value) > MAX_TEXT:
            self.refuse("too_long", field, limit=MAX_TEXT)
            return None
        return value

    def boolean(self, value: Any, field: str) -> bool:
        """True or false; a problem (and False) for anything else."""
        if isinstance(value, bool):
            return value
        self.refuse("wrong_type", field, expected="true or false", found=kind_of(value))
        return False

    def integer(self, value: Any, field: str, *, low: int, high: int) -> int | None:
        """A whole number within low..high (4096.0 counts), or None with a problem."""
        number = self._number(value, field)
        if number is None:
            return None
        if not low <= number <= high:
            self.refuse("out_of_range", field, low=low, high=high, found=shown(value))
            return None
        if number != int(number):
            self.refuse("not_whole", field, found=shown(value))
            return None
        return int(number)

    def fraction(self, value: Any, field: str) -> float | None:
        """A number above 0 and up to 1, or None with a problem."""
        number = self._number(value, field)
        if number is None:
            return None
        if not 0 < number <= 1:
            self.refuse("not_a_fraction", field, found=shown(value))
            return None
        return float(number)

    def positive(self, value: Any, field: str, *, high: float, low: float = 0) -> float | None:
        """A number above 0, from low and up to high, or None with a problem."""
        number = self._number(value, field)
        if number is None:
            return None
        if not (0 < number <= high and number >= low):
            self.refuse("out_of_range", field, low=low, high=high, found=shown(value))
            return None
        return float(number)

    def number(self, value: Any, field: str, *, low: float, high: float) -> float | None:
        """A number within low..high, both included, or None with a problem."""
        number = self._number(value, field)
        if number is None:
            return None
        if not low <= number <= high:
            self.refuse("out_of_range", field, low=f"{low:g}", high=f"{high:g}", found=shown(value))
            return None
        return float(number)

    def _number(self, value: Any, field: str) -> int | float | None:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self.refuse("wrong_type", field, expected="number", found=kind_of(value))
            return None
        number: int | float = value
        if isinstance(number, float) and not math.isfinite(number):
            self.refuse("not_finite", field)
            return None
        return number

    def only(self, value: Mapping[str, Any], known: frozenset[str], prefix: str) -> None:
        """A problem for each key nobody reads, up to twenty: a typo must not become a silent default."""
        unknown = (key for key in value if key not in known)
        for key in islice(unknown, MAX_UNKNOWN):
            self.refuse("unknown_field", join(prefix, str(key)[:60]), known=", ".join(sorted(known)))


def join(prefix: str, key: str) -> str:
    """Dotted path of a field."""
    return f"{prefix}.{key}" if prefix else key
