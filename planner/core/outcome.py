"""What the core answers with: codes and values. One Django module turns them into words."""

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as default_field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing wrong with an input. `field` is the dotted path as the asker wrote it."""

    code: str
    field: str | None
    values: Mapping[str, Any] = default_field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why a verdict is what it is; `fix` is a partial request that would mend it."""

    code: str
    field: str | None = None
    values: Mapping[str, Any] = default_field(default_factory=dict)
    fix: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """Why a setting has its value, or how sure it is that a target is met."""

    code: str
    values: Mapping[str, Any] = default_field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """A remark that does not change the verdict."""

    code: str
    severity: str  # info | warning | error
    values: Mapping[str, Any] = default_field(default_factory=dict)
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One figure with its working: formula in symbols, the values put in, the result, and whence."""

    term: str
    formula: str
    values: Mapping[str, Any]
    result: float | None
    unit: str
    source: str
    kind: str  # datasheet | measured | calibrated | computed | rule_of_thumb | assumed | unsure
