"""What is kept of rows while they pass: counts by length, sums for the correlation, and moments. Never a row, never a text."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from planner.core.traffic import cells
from planner.core.traffic.histogram import FloatArray, Histogram, IntArray, Tally
from planner.core.traffic.names import DURATION, END, INPUT, OUTPUT, START

MAX_ROWS = 5_000_000


class TooManyRowsError(Exception):
    """More rows than are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """How one column was understood. unit_s: seconds of its unit, None for dates; assumed: nobody said so."""

    role: str
    name: str
    unit_s: float | None = None
    assumed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What a log of rows comes to. starts and ends in seconds, shape (m,); ends may be empty, both may."""

    read: int
    kept: int
    left_out: dict[str, int]  # rows without usable lengths, by reason
    without_times: int  # of the kept rows, where there are times
    input: Histogram
    output: Histogram
    total: Histogram
    correlation: float  # NaN where one of the lengths never differs
    starts: FloatArray
    ends: FloatArray
    columns: tuple[Column, ...]
    others: int  # columns that were not read
    texts: int  # of these, how many hold text


@dataclass(slots=True, kw_only=True)
class Rows:
    """Takes rows a block at a time. `scales` are the units of the time columns, NaN until the first block decides."""

    scales: dict[str, float | None] = field(default_factory=dict)
    assumed: set[str] = field(default_factory=set)  # roles whose unit the first block decided
    read: int = 0
    kept: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    without_times: int = 0
    _input: Tally = field(default_factory=Tally)
    _output: Tally = field(default_factory=Tally)
    _total: Tally = field(default_factory=Tally)
    _sums: FloatArray = field(default_factory=lambda: np.zeros(5))
    _origin: tuple[float, float] | None = None
    _starts: list[FloatArray] = field(default_factory=list)
    _ends: list[FloatArray] = field(default_factory=list)

    def add(self, columns: dict[str, Sequence[Any]]) -> None:
        """Take a block: role to its cells, all of one length; input and output among them.

        Raises TooManyRowsError.
        """
        prompts, answers = cells.lengths(columns[INPUT]), cells.lengths(columns[OUTPUT])
        self.read += len(prompts)
        if self.read > MAX_ROWS:
            raise TooManyRowsError
        worst = np.minimum(prompts, answers)
        for code in np.unique(worst[worst < 0]):
            self.left_out[cells.FAULTS[int(code)]] += int((worst == code).sum())
        empty = (prompts == 0) & (answers == 0)
        if empty.any():
            self.left_out["no_tokens"] += int(empty.sum())
        good = (worst >= 0) & ~empty
        self.kept += int(good.sum())
        self._lengths(prompts[good], answers[good])
        self._times(columns, good)

    def _lengths(self, prompts: IntArray, answers: IntArray) -> None:
        if not len(prompts):
            return
        self._input.add(prompts)
        self._output.add(answers)
        self._total.add(prompts + answers)
        if self._origin is None:
            self._origin = (float(prompts[0]), float(answers[0]))
        # From the first row on, so that squares of large lengths keep their digits
        x, y = prompts - self._origin[0], answers - self._origin[1]
        self._sums += (x.sum(), y.sum(), (x * x).sum(), (y * y).sum(), (x * y).sum())

    def _times(self, columns: dict[str, Sequence[Any]], good: Any) -> None:
        found = {role: self._moments(role, columns[role]) for role in (START, END) if role in columns}
        if DURATION in columns:
            found[DURATION] = self._spans(columns[DURATION])
        if END in found and START not in found and DURATION in found:
            found[START] = found[END] - found[DURATION]
        if START not in found:
            return
        starts = found[START][good]
        ends = found[END] if END in found else found[START] + found[DURATION] if DURATION in found else None
        if ends is None:
            usable = np.isfinite(starts)
        else:
            finishes = ends[good]
            usable = np.isfinite(starts) & np.isfinite(finishes) & (finishes >= starts)
            self._ends.append(finishes[usable])
        self._starts.append(starts[usable])
        self.without_times += int(len(starts) - usable.sum())

    def _moments(self, role: str, values: Sequence[Any]) -> FloatArray:
        before = self.scales.get(role, math.nan)
        seconds, self.scales[role] = cells.seconds_of_moments(values, before)
        if before is not None and math.isnan(before) and self.scales[role] is not None:
            self.assumed.add(role)
        return seconds

    def _spans(self, values: Sequence[Any]) -> FloatArray:
        before = self.scales.get(DURATION)
        before = math.nan if before is None else before
        seconds, self.scales[DURATION] = cells.seconds_of_spans(values, before)
        if math.isnan(before):
            self.assumed.add(DURATION)
        return seconds

    def collected(self, columns: Sequence[tuple[str, str]], *, others: int = 0, texts: int = 0) -> Collected:
        """What came, with (role, name) of the columns that it was read from."""
        return Collected(
            read=self.read,
            kept=self.kept,
            left_out=dict(self.left_out),
            without_times=self.without_times,
            input=self._input.histogram(),
            output=self._output.histogram(),
            total=self._total.histogram(),
            correlation=_correlation(self.kept, self._sums),
            starts=np.concatenate(self._starts or [np.zeros(0)]),
            ends=np.concatenate(self._ends or [np.zeros(0)]),
            columns=tuple(
                Column(role=role, name=name, unit_s=self.scales.get(role), assumed=role in self.assumed)
                for role, name in columns
            ),
            others=others,
            texts=texts,
        )


def _correlation(n: int, sums: FloatArray) -> float:
    """Pearson's, from sums over the rows."""
    if n < 2:
        return math.nan
    x, y, xx, yy, xy = (float(value) for value in sums)
    spread = (xx - x * x / n) * (yy - y * y / n)
    return (xy - x * y / n) / math.sqrt(spread) if spread > 0 else math.nan
