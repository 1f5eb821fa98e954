"""The distribution of what several running requests hold together, by discrete Fourier transform.

The transform of a sum of n independent amounts is the n-th power of the transform of one. Amounts beyond the capacity are
left out, since one alone is too much, and the rest is damped by e^(-theta s), so that sums which wrap around the end of the
transform weigh 1e-10 at most: Gruebel and Hermesmeier, ASTIN Bulletin 29 (1999).
"""

import math

import numpy as np
from numpy.typing import NDArray

from planner.core.traffic.histogram import FloatArray

MOST_UNITS = 8192
DAMPING = 23.0
SMALLEST = 1e-300
RESOLUTION = 1e-9  # smaller probabilities are given as 0
TAIL = 1e-12
WIDTHS = 9.0  # standard deviations of a Poisson count that are looked at


class Sums:
    """Sums of independent amounts against a capacity, both in the same unit.

    Exact but for rounding where amounts are whole and the capacity is at most MOST_UNITS; above that amounts go onto a
    coarser grid, split between its two nearest points so that the mean stays what it is.
    """

    def __init__(self, amounts: FloatArray, shares: FloatArray, *, most: float) -> None:
        """`shares` of the requests hold `amounts` each; sums are known up to `most`."""
        whole = bool((amounts == np.floor(amounts)).all())
        self.scale = 1.0 if whole and most <= MOST_UNITS else most / MOST_UNITS
        self.top = max(0, math.floor(most / self.scale + 1e-9))
        self.size = 2 ** math.ceil(math.log2(2 * (self.top + 1)))
        masses = _on_grid(amounts / self.scale, shares, self.top)
        self._damping = np.exp(-DAMPING / self.size * np.arange(self.top + 1))
        transformed: NDArray[np.complex128] = np.fft.rfft(masses * self._damping, self.size)
        self._log = np.log(np.where(np.abs(transformed) < SMALLEST, SMALLEST, transformed))
        self._one = transformed

    def above(self, capacity: float, count: int) -> float:
        """Probability that `count` requests together hold more than `capacity`."""
        return self._above(capacity, np.exp(count * self._log))

    def above_at_random(self, capacity: float, mean: float, *, most: int) -> float:
        """The same where the count is a Poisson count with this mean, of which at most `most` run."""
        if mean <= 0:
            return 0.0
        if mean + WIDTHS * math.sqrt(mean) + WIDTHS < most:
            return self._above(capacity, np.exp(mean * (self._one - 1.0)))
        first = max(0, math.floor(mean - WIDTHS * math.sqrt(mean)))
        if first >= most:
            return self.above(capacity, most)
        weights = _poisson(mean, first, most)
        mixed = np.full(len(self._one), weights[-1], dtype=np.complex128)
        for weight in weights[-2::-1]:
            mixed *= self._one
            mixed += weight
        return self._above(capacity, mixed * np.exp(first * self._log) if first else mixed)

    def _above(self, capacity: float, transformed: NDArray[np.complex128]) -> float:
        last = min(self.top, math.floor(capacity / self.scale + 1e-9))
        if last < 0:
            return 1.0
        found = np.fft.irfft(transformed, self.size)[: last + 1] / self._damping[: last + 1]
        beyond = min(1.0, 1.0 - float(found.sum()))
        return beyond if beyond > RESOLUTION else 0.0


def _on_grid(places: FloatArray, shares: FloatArray, top: int) -> FloatArray:
    kept = places <= top
    places, shares = places[kept], shares[kept]
    below = np.floor(places).astype(np.int64)
    upper: FloatArray = places - below
    weights = np.concatenate([shares * (1.0 - upper), shares * upper])
    found = np.bincount(np.concatenate([below, below + 1]), weights=weights, minlength=top + 2)
    masses: FloatArray = found[: top + 1].astype(np.float64)
    return masses


def _poisson(mean: float, first: int, last: int) -> FloatArray:
    """Weights of the counts first … last, all above `last` on it and all below `first` on `first`."""
    counts = np.arange(first, last + 1)
    logs = counts * math.log(mean) - mean - np.array([math.lgamma(count + 1.0) for count in counts])
    weights: FloatArray = np.exp(logs)
    weights[-1] = max(0.0, 1.0 - float(weights[:-1].sum()))
    return weights
