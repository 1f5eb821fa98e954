"""What is wrong with a launch command, and the edits of its text that would mend it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Put `text` in the place of the characters start..end of the command."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One problem. severity: error (the engine would refuse) | warning.

    flag: the flag as typed, or the part of the command at fault. fix: the mended piece, ready to type.
    edits: what turns the command into a mended one; empty where only a person can say how.
    """

    code: str
    severity: str = "error"
    flag: str | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    fix: str | None = None
    edits: tuple[Edit, ...] = ()


def mended(text: str, findings: Iterable[Finding]) -> str:
    """The text with the edits of all findings made. Of edits that overlap the first one counts."""
    edits = sorted({edit for item in findings for edit in item.edits})
    kept: list[Edit] = []
    for edit in edits:
        if kept and edit.start < kept[-1].end:
            continue
        kept.append(edit)
    return _made(text, kept)


def _made(text: str, edits: Sequence[Edit]) -> str:
    for edit in reversed(edits):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def without_repeats(findings: Iterable[Finding]) -> list[Finding]:
    """Errors before warnings; of several about one flag with one code the first stays."""
    seen: set[tuple[str, str | None]] = set()
    kept = []
    for item in sorted(findings, key=lambda item: item.severity != "error"):
        if (item.code, item.flag) not in seen:
            seen.add((item.code, item.flag))
            kept.append(item)
    return kept
