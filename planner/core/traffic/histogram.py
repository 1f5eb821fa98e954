"""How many requests had which length: counted in bins that keep a million requests in a few thousand numbers."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
MAX_TOKENS = 100_000_000
# Lengths below this have a bin of their own; above it each doubling has so many, 0.4 % wide at most.
EXACT = 4096
STEPS = 256
NARROW = 0.01
EXACT_BITS, STEP_BITS = EXACT.bit_length() - 1, STEPS.bit_length() - 1
BINS = EXACT + STEPS * (
    (2 * MAX_TOKENS).bit_length() - EXACT_BITS
)  # input and output together are twice that


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure with the least and the most that it can be. None: not known, or without an upper end.

    kind: measured | computed | assumed | unknown.
    """

    value: float | None
    low: float | None
    high: float | None
    kind: str


UNKNOWN = Figure(value=None, low=None, high=None, kind="unknown")


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """Requests by length. Bin i holds counts[i] requests of low[i] to high[i] tokens, both included; bins ascend.

    beyond: requests longer than the last bin, without an upper end. total: tokens of all requests together, NaN
    where that is not known. maximum: the longest request, NaN where that is not known.
    """

    low: IntArray
    high: IntArray
    counts: IntArray
    beyond: int = 0
    total: float = math.nan
    maximum: float = math.nan

    @property
    def requests(self) -> int:
        """How many requests there are."""
        return int(self.counts.sum()) + self.beyond

    @property
    def mean(self) -> float:
        """Tokens of a request on average, NaN where the sum is not known or there are none."""
        return self.total / self.requests if self.requests else math.nan

    def quantile(self, share: float) -> Figure:
        """The least length that `share` of the requests stay within, with the ends of its bin.

        Measured where the bin is a hundredth wide at most, else computed: interpolated so that the mean is kept.
        """
        if not self.requests:
            return UNKNOWN
        rank = max(1, math.ceil(share * self.requests - 1e-9))
        reached = np.cumsum(self.counts)
        if not len(reached) or rank > reached[-1]:
            least = float(self.high[-1]) + 1 if len(self.high) else 0.0
            most = None if math.isnan(self.maximum) else self.maximum
            return Figure(value=least, low=least, high=most, kind="computed")
        row = int(np.searchsorted(reached, rank))
        low, high = float(self.low[row]), float(self.high[row])
        if not math.isnan(self.maximum):
            high = min(high, max(self.maximum, low))
        if low == high:
            return Figure(value=low, low=low, high=high, kind="measured")
        kind = "measured" if high - low <= NARROW * low else "computed"
        within = (rank - (reached[row] - self.counts[row]) - 0.5) / self.counts[row]
        value = low + (high - low) * within ** self._bend()
        return Figure(value=round(value), low=low, high=high, kind=kind)

    def masses(self, step: int) -> FloatArray:
        """Share of requests by length on a grid of `step` tokens: entry k is for lengths that round to k x step.

        Within a bin lengths are spread so that the mean comes out as counted; requests beyond the last bin stand
        together where the rest of the sum puts them, or one step above it.
        """
        top = max(
            [int(self.high[-1]) if len(self.high) else 0, math.ceil(self._tail()) if self.beyond else 0]
        )
        found = np.zeros(top // step + 2)
        single = self.high - self.low < step
        np.add.at(found, (self.low[single] + self.high[single] + step) // (2 * step), self.counts[single])
        bend = self._bend()
        for row in np.flatnonzero(~single):
            low, high, count = int(self.low[row]), int(self.high[row]), float(self.counts[row])
            _spread(found, low, high, count, step=step, bend=bend)
        if self.beyond:
            found[round(self._tail() / step)] += self.beyond
        shares: FloatArray = found / self.requests
        return shares

    def _bend(self) -> float:
        """Exponent b with which lengths lie in their bins, low + width x u^b for u from 0 to 1: 1 is evenly.

        The mean of u^b is 1 / (b + 1), so the counted sum fixes b, where nothing lies beyond the last bin.
        """
        width = float((self.counts * (self.high - self.low)).sum())
        if self.beyond or math.isnan(self.total) or width <= 0:
            return 1.0
        place = (self.total - float((self.counts * self.low).sum())) / width
        return min(max(1.0 / min(max(place, 0.02), 0.98) - 1.0, 0.02), 50.0)

    def _tail(self) -> float:
        """Where requests beyond the last bin lie on average: what the sum leaves for them."""
        least = float(self.high[-1]) + 1 if len(self.high) else 1.0
        if math.isnan(self.total):
            return least
        inside = float((self.counts * (self.low + self.high)).sum()) / 2.0
        return min(max((self.total - inside) / self.beyond, least), float(MAX_TOKENS))

    def minus(self, earlier: "Histogram") -> "Histogram | None":
        """Requests that came since `earlier`; None where the counters fell or count in other bins."""
        same = np.array_equal(self.low, earlier.low) and np.array_equal(self.high, earlier.high)
        if not same or (self.counts < earlier.counts).any() or self.beyond < earlier.beyond:
            return None
        return Histogram(
            low=self.low,
            high=self.high,
            counts=self.counts - earlier.counts,
            beyond=self.beyond - earlier.beyond,
            total=self.total - earlier.total,
        )

    def packed(self) -> dict[str, Any]:
        """As JSON, empty bins left out."""
        kept = self.counts > 0
        return {
            "low": self.low[kept].tolist(),
            "high": self.high[kept].tolist(),
            "counts": self.counts[kept].tolist(),
            "beyond": self.beyond,
            "total": None if math.isnan(self.total) else self.total,
            "maximum": None if math.isnan(self.maximum) else self.maximum,
        }


def unpacked(value: Mapping[str, Any]) -> Histogram:
    """What `packed` gave."""
    return Histogram(
        low=np.array(value["low"], dtype=np.int64),
        high=np.array(value["high"], dtype=np.int64),
        counts=np.array(value["counts"], dtype=np.int64),
        beyond=int(value["beyond"]),
        total=math.nan if value["total"] is None else float(value["total"]),
        maximum=math.nan if value["maximum"] is None else float(value["maximum"]),
    )


def _spread(found: FloatArray, low: int, high: int, count: float, *, step: int, bend: float) -> None:
    """Lay `count` requests of low to high tokens onto a grid, low + width x u^bend for u from 0 to 1."""
    first, last = (low + step // 2) // step, (high + step // 2) // step
    ends = np.clip((np.arange(first, last + 1) + 0.5) * step, low, high + 1.0)
    ends[-1] = high + 1.0
    reached = ((ends - low) / (high + 1.0 - low)) ** (1.0 / bend)
    found[first : last + 1] += count * np.diff(reached, prepend=0.0)


class Tally:
    """Counts lengths as they come, a block of them at a time, in memory that does not grow."""

    def __init__(self) -> None:
        self._counts: IntArray = np.zeros(BINS, dtype=np.int64)
        self._total = 0
        self._maximum = -1

    def add(self, lengths: IntArray) -> None:
        """Count these lengths, each from 0 to twice MAX_TOKENS."""
        if not len(lengths):
            return
        self._counts += np.bincount(_bin_of(lengths), minlength=BINS)
        self._total += int(lengths.sum())
        self._maximum = max(self._maximum, int(lengths.max()))

    def histogram(self) -> Histogram:
        """What was counted until now."""
        bins = np.flatnonzero(self._counts)
        low, high = _bounds(bins)
        empty = self._maximum < 0
        return Histogram(
            low=low,
            high=high,
            counts=self._counts[bins],
            total=math.nan if empty else float(self._total),
            maximum=math.nan if empty else float(self._maximum),
        )


def _bin_of(lengths: IntArray) -> IntArray:
    octave = np.maximum(np.frexp(lengths.astype(np.float64))[1] - 1 - EXACT_BITS, 0).astype(np.int64)
    shift = octave + EXACT_BITS - STEP_BITS
    above = EXACT + octave * STEPS + (lengths >> shift) - STEPS
    found: IntArray = np.where(lengths < EXACT, lengths, above)
    return found


def _bounds(bins: IntArray) -> tuple[IntArray, IntArray]:
    octave, within = np.divmod(np.maximum(bins - EXACT, 0), STEPS)
    shift = octave + EXACT_BITS - STEP_BITS
    low = np.where(bins < EXACT, bins, (within + STEPS) << shift)
    high = np.where(bins < EXACT, bins, low + (np.int64(1) << shift) - 1)
    return low.astype(np.int64), high.astype(np.int64)
