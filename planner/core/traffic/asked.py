"""What the asker says beside a log."""

from collections.abc import Mapping
from dataclasses import dataclass

CSV, JSONL, METRICS = KINDS = ("csv", "jsonl", "metrics")
MAX_HOURS = 24.0 * 366


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is said about columns: role to name or number from 1, and seconds of the unit of durations."""

    columns: Mapping[str, str]
    unit_s: float | None = None


NOTHING = Asked(columns={})


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """kind: one of KINDS, "" for "look". Of dumps: the model, a second one taken later, and the hours that were counted."""

    kind: str = ""
    asked: Asked = NOTHING
    model: str = ""
    later: str = ""
    hours: float | None = None
