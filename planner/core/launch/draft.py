"""What the writers of all engines share: flags put down one by one, each looked up at the version in force."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from planner.core.launch.flags import (
    FlagTable,
    Range,
    choices_at,
    kind_at,
    range_at,
    standing,
    status_at,
    takes_value,
)
from planner.core.launch.launch import FlagWords
from planner.core.outcome import Reason
from planner.core.request import EstimateRequest

ASKED = Reason(code="asked_for")


@dataclass(slots=True, kw_only=True)
class Draft:
    """A command being written. `why` are the reasons of settings in force, by the name of the setting."""

    request: EstimateRequest
    table: FlagTable
    why: Mapping[str, Reason]
    flags: list[FlagWords] = field(default_factory=list)
    notes: list[Reason] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)  # flags or values that this version does not have

    @property
    def version(self) -> str:
        """The version that is asked for."""
        return self.request.engine.version

    def has(self, name: str) -> bool:
        """Whether nothing speaks against a flag at this version."""
        flag = self.table.flags.get(name)
        return flag is not None and status_at(self.table, flag, self.version).usable

    def put(
        self, name: str, value: float | str | None, reason: Reason, *, spelled: str | None = None
    ) -> None:
        """Put a flag down, under another of its names where `spelled` says so.

        One that this version does not have, or does not give this value, is left out and told about.
        """
        text = None if value is None else _text(value)
        if not takes(self.table, self.version, name, text):
            self.unknown.append(name)
            values = {"flag": name, "value": text or "", "engine": self.table.engine, "version": self.version}
            self.notes.append(Reason(code="flag_left_out", values=values))
            return
        self.flags.append(FlagWords(name=spelled or name, value=text, reason=reason))

    def put_setting(self, name: str, setting: str, value: float | str, *, spelled: str | None = None) -> None:
        """Put down a setting with the reason that the plan gives for it."""
        self.put(name, value, self.why.get(setting, ASKED), spelled=spelled)

    def verified(self) -> bool:
        """Whether every flag and value was looked up in a table of exactly this version."""
        return standing(self.table, self.version).verified and not self.unknown


@lru_cache(maxsize=4096)
def takes(found: FlagTable, version: str, name: str, text: str | None) -> bool:
    """Whether a version has a flag and gives it this value, as far as the table says."""
    flag = found.flags.get(name)
    if flag is None:
        return False
    status = status_at(found, flag, version)
    if not (status.usable or status.kind == "unknown_between"):
        return False
    kind = kind_at(flag, version)
    if text is None:
        return kind == "true_false" or not takes_value(kind)
    choices = choices_at(found, flag, version)
    if choices is not None and text not in {*choices.allowed, *choices.unsure, *flag.words}:
        return False
    bounds = range_at(flag, version)
    return bounds is None or within(bounds, float(text))


def within(bounds: Range, value: float) -> bool:
    """Whether a number keeps to the bounds of a flag."""
    if bounds.low is not None and (value < bounds.low or (value == bounds.low and not bounds.low_included)):
        return False
    if bounds.high is None:
        return True
    return value < bounds.high or (value == bounds.high and bounds.high_included)


def _text(value: float | str) -> str:
    """A number as people write it: 0.92, 8192."""
    return value if isinstance(value, str) else f"{value:.10g}"
