"""One launch command, read: engine, version, flags, model, and where its text may be mended."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planner.core.check.arguments import Arguments, Given
from planner.core.check.found import Edit, Finding
from planner.core.check.program import Program
from planner.core.check.words import Word
from planner.core.launch.lookup import Standing, names_of
from planner.core.launch.tables import FlagTable

UNITS = {"k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """A command of a known engine. `version` None: the newest counts."""

    text: str
    kind: str  # shell | compose | systemd
    program: Program
    engine: str
    version: str | None
    table: FlagTable
    flags: Mapping[str, Any]  # the tables of all engines, as Catalog.flags
    standing: Standing
    arguments: Arguments
    model: str | None
    model_flag: str = "model"

    def of(self, concept: str) -> Given | None:
        """The flag for a concern, as given; the last one counts."""
        return self.arguments.last(*names_of(self.table, concept))

    def number(self, concept: str) -> float | None:
        """The value of a concern as a number, None where it is absent or no plain number."""
        given = self.of(concept)
        return number_of(given.value) if given is not None else None

    def whole(self, concept: str) -> int | None:
        """The same as a whole number."""
        value = self.number(concept)
        return int(value) if value is not None and value == int(value) else None

    def flag_of(self, concept: str) -> str:
        """How this engine calls a concern; "" where it has no flag for it."""
        return next((name for name in names_of(self.table, concept) if name.startswith("-")), "")

    def typed(self, concept: str) -> str:
        """The flag of a concern as typed, its usual name where it was not given."""
        given = self.of(concept)
        return given.typed if given is not None else self.flag_of(concept)

    def set(self, concept: str, value: object) -> tuple[str, tuple[Edit, ...]]:
        """(the piece with another value, the edits for it): put in where it was not given."""
        given = self.of(concept)
        if given is not None and given.value_end > given.value_start:
            return f"{given.typed} {value}", (given.with_value(str(value)),)
        piece = f"{self.flag_of(concept)} {value}"
        return piece, (self.appended(piece),)

    def appended(self, piece: str) -> Edit:
        """The edit that adds a piece at the end of the command."""
        return Edit(self.end, self.end, f" {piece}")

    @property
    def end(self) -> int:
        """Where the command ends in the text."""
        ends = [item.end for item in self.arguments.given] + [word.end for word in self.arguments.positionals]
        ends.extend(word.end for word in (*self.program.name, *self.program.arguments))
        container = self.program.container
        if container is not None and container.image is not None:
            ends.append(container.image.end)
        return max(ends, default=len(self.text))

    @property
    def env(self) -> Mapping[str, str]:
        """Variables set for the program in the text."""
        return self.program.env


def number_of(text: str | None) -> float | None:
    """A number as the engines read it: 4096, 0.9, 16k (thousand), 16K (1024); None for anything else."""
    if text is None or len(text) > 30:
        return None
    factor = UNITS.get(text[-1:], 1)
    try:
        value = float(text[:-1] if factor != 1 else text) * factor
    except ValueError:
        return None
    return value if abs(value) < 1e15 else None


def digits_of(text: str | None) -> int | None:
    """A whole number of plain digits, such as a port; None for anything else, signs and ² included."""
    plain = text is not None and text.isascii() and text.isdecimal() and len(text) <= 15
    return int(text) if plain and text is not None else None


def stray(words: Sequence[Word], engine: str) -> list[Finding]:
    """Free words that nobody takes."""
    return [
        Finding(
            code="stray_word",
            flag=word.text[:60],
            values={"word": word.text[:60], "engine": engine},
            fix="",
            edits=(Edit(word.start, word.end, ""),),
        )
        for word in words
    ]
