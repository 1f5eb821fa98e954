"""Reading numbers out of an untrusted config.json: bounded, typed, and every problem noted with its path."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from planner.core.outcome import Problem
from planner.core.values import kind_of, shown

MAX_DEPTH = 32
MAX_NODES = 100_000
MAX_LIST = 10_000
MAX_NUMBER = 10**9  # no width, count or length of a model comes near


def size_problem(config: Mapping[str, Any]) -> Problem | None:
    """A problem if the config is nested or filled beyond what any model needs. Does not recurse."""
    pending: list[tuple[Any, int]] = [(config, 1)]
    nodes = 0
    while pending:
        value, depth = pending.pop()
        nodes += 1
        if depth > MAX_DEPTH:
            return Problem(code="config_too_deep", field="model.config", values={"limit": MAX_DEPTH})
        if nodes > MAX_NODES:
            return Problem(code="config_too_large", field="model.config", values={"limit": MAX_NODES})
        if isinstance(value, Mapping):
            pending.extend((item, depth + 1) for item in value.values())
        elif isinstance(value, (list, tuple)):
            pending.extend((item, depth + 1) for item in value)
    return None


class ConfigReader:
    """Typed access to one config mapping; notes a problem for what is missing or impossible and goes on with None.

    `path` is where the mapping stands in the request, for the field of a problem.
    """

    def __init__(self, config: Mapping[str, Any], path: str, problems: list[Problem]) -> None:
        self.config = config
        self.path = path
        self.problems = problems

    def has(self, name: str) -> bool:
        """Whether the field is there and not null."""
        return self.config.get(name) is not None

    def first(self, *names: str) -> str:
        """The first of these spellings that is there, else the first."""
        return next((name for name in names if self.has(name)), names[0])

    def required(self, *names: str, low: int = 1) -> int:
        """A whole number under one of these spellings; a problem (and 1) where there is none."""
        name = self.first(*names)
        if not self.has(name):
            self.missing(*names)
            return 1
        return self.integer(name, default=1, low=low)

    def integer(self, *names: str, default: int, low: int = 1) -> int:
        """A whole number, the default where it is absent or null; a problem (and the default) where it is impossible."""
        name = self.first(*names)
        value = self.config.get(name)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return self._refuse(name, value, default)
        if isinstance(value, float) and (not math.isfinite(value) or value != int(value)):
            return self._refuse(name, value, default)
        if not low <= value <= MAX_NUMBER:
            return self._refuse(name, value, default)
        return int(value)

    def optional(self, *names: str, low: int = 1) -> int | None:
        """A whole number, or None where it is absent, null or (as some configs write it) zero below `low`."""
        name = self.first(*names)
        return None if self.config.get(name) in (None, 0) else self.integer(name, default=low, low=low)

    def number(self, name: str, default: float) -> float:
        """A positive finite number; a problem (and the default) where it is impossible."""
        value = self.config.get(name)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= MAX_NUMBER:
            self._refuse(name, value, 0)
            return default
        return float(value)

    def flag(self, name: str, default: bool) -> bool:
        """True or false; a problem (and the default) for anything else."""
        value = self.config.get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            self._refuse(name, value, 0)
            return default
        return value

    def text(self, name: str, default: str) -> str:
        """Text; a problem (and the default) for anything else."""
        value = self.config.get(name)
        if value is None:
            return default
        if not isinstance(value, str):
            self._refuse(name, value, 0)
            return default
        return value

    def mapping(self, name: str) -> "ConfigReader | None":
        """A nested mapping, None where it is absent; a problem for anything else."""
        value = self.config.get(name)
        if value is None:
            return None
        if not isinstance(value, Mapping):
            self._refuse(name, value, 0)
            return None
        return ConfigReader(value, f"{self.path}.{name}", self.problems)

    def items(self, name: str) -> Sequence[Any]:
        """A list, empty where it is absent; a problem for anything else or a list longer than any model has layers."""
        value = self.config.get(name)
        if value is None:
            return ()
        if not isinstance(value, (list, tuple)) or len(value) > MAX_LIST:
            self._refuse(name, value, 0)
            return ()
        return value

    def missing(self, *names: str) -> None:
        """Note that none of these spellings is there."""
        values = {"names": " or ".join(names)}
        self.problems.append(
            Problem(code="config_field_missing", field=f"{self.path}.{names[0]}", values=values)
        )

    def invalid(self, name: str, found: Any) -> None:
        """Note that a field holds something that no model has."""
        plain = isinstance(found, (str, int, float)) and not isinstance(found, bool)
        values = {"found": shown(found) if plain else kind_of(found)}
        self.problems.append(Problem(code="config_field_invalid", field=f"{self.path}.{name}", values=values))

    def _refuse(self, name: str, value: Any, default: int) -> int:
        self.invalid(name, value)
        return default
