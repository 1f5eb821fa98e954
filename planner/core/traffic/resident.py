"""How many tokens a running request holds in the cache at a random moment.

A request takes its whole prompt into the cache when it begins, then one token more with each step, and gives all of it
back at its end; a step of the batch gives each request one token. Of requests that run for `output` steps each, a random
moment meets one in proportion to its output, at an age that is evenly spread over it: size-biased, with uniform age. So
a request of i prompt and o output tokens counts once for each length i, i + 1, … i + o - 1, and summed over requests

    P(resident = r) = (P(input <= r) - P(input + output <= r)) / E[output]

which needs the distributions of input and of the sum alone, however the two hang together.
"""

import math
from dataclasses import dataclass

import numpy as np

from planner.core.lengths import Z90, Quantiles
from planner.core.traffic.histogram import FloatArray, Histogram

GRID = 131_072  # most points of a grid of lengths
# Standard normal distribution on a fine grid: linear between its points it is right to 1e-7.
_Z = np.linspace(-9.0, 9.0, 9217)
_PHI = np.array([0.5 * math.erfc(-z / math.sqrt(2.0)) for z in _Z])


@dataclass(frozen=True, slots=True, kw_only=True)
class Resident:
    """Lengths of running requests on a grid: shares[k] of them hold k x step tokens.

    refused: share of requests whose prompt alone does not fit into the context; cut: of those that are stopped by it.
    """

    shares: FloatArray
    step: int
    mean: float
    refused: float
    cut: float

    @property
    def tokens(self) -> FloatArray:
        """Tokens of each entry."""
        return np.arange(len(self.shares), dtype=np.float64) * self.step


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengths:
    """Distributions of input and of input + output on one grid: entry k is the share of requests of k x step tokens."""

    input: FloatArray
    total: FloatArray
    step: int


def grid_step(longest: float) -> int:
    """Tokens between points of a grid that reaches `longest`: 1, or the power of two that keeps it small enough."""
    return 1 if longest < GRID else 2 ** math.ceil(math.log2((longest + 1) / GRID))


def lengths_of_log(histograms: dict[str, Histogram]) -> Lengths:
    """Of a log: the sum as it was counted where rows tell it, else input and output taken as independent."""
    prompts, answers, total = histograms["input"], histograms["output"], histograms.get("total")
    if total is not None:
        step = grid_step(_longest(total))
        return Lengths(input=prompts.masses(step), total=total.masses(step), step=step)
    step = grid_step(_longest(prompts) + _longest(answers))
    return _independent(prompts.masses(step), answers.masses(step), step)


def _longest(histogram: Histogram) -> float:
    if not math.isnan(histogram.maximum):
        return histogram.maximum
    return float(len(histogram.masses(1024)) * 1024)


def lengths_of_quantiles(prompts: Quantiles, answers: Quantiles) -> Lengths:
    """Of stated quantiles: log-normal through p50 and p90, cut at p99, as everywhere here; independent of each other."""
    step = grid_step(prompts.p99 + answers.p99)
    return _independent(_log_normal(prompts, step), _log_normal(answers, step), step)


def lengths_of_means(prompt: int, answer: int) -> Lengths:
    """Of means alone: every request is of the mean length."""
    return lengths_of_quantiles(Quantiles(prompt, prompt, prompt), Quantiles(answer, answer, answer))


def _log_normal(quantiles: Quantiles, step: int) -> FloatArray:
    p50, p90, p99 = quantiles
    # Without a spread between p50 and p90 the mean is p50, and so is every length (core/lengths.py)
    last = round((p99 if p90 > p50 else p50) / step)
    found = np.zeros(last + 1)
    if p90 == p50:
        found[last] = 1.0
        return found
    sigma = math.log(p90 / p50) / Z90
    ends = (np.arange(last) + 0.5) * step
    reached = np.interp(np.log(ends / p50) / sigma, _Z, _PHI)
    found[:last] = np.diff(reached, prepend=0.0)
    found[last] = 1.0 - found.sum()
    if step == 1:  # no request is of nothing
        found[1] += found[0]
        found[0] = 0.0
    return found


def _independent(prompts: FloatArray, answers: FloatArray, step: int) -> Lengths:
    size = len(prompts) + len(answers) - 1
    span = 2 ** math.ceil(math.log2(size + 1))
    total = np.fft.irfft(np.fft.rfft(prompts, span) * np.fft.rfft(answers, span), span)[:size]
    return Lengths(input=prompts, total=np.maximum(total, 0.0), step=step)


def resident_of(lengths: Lengths, *, max_model_len: int) -> Resident | None:
    """Tokens that running requests hold, where none may be longer than `max_model_len`.

    A request whose prompt fills the context is refused, one that grows into its end is stopped there. None where no
    request generates anything.
    """
    whole = max(len(lengths.input), len(lengths.total))
    fits = math.ceil(max_model_len / lengths.step)
    prompts = np.cumsum(np.pad(lengths.input, (0, whole - len(lengths.input))))
    ended = np.cumsum(np.pad(lengths.total, (0, whole - len(lengths.total))))
    size = min(whole, fits)
    weights = np.maximum(prompts[:size] - ended[:size], 0.0)
    # What an FFT leaves where nothing is
    weights[weights < 1e-13] = 0.0
    steps = float(weights.sum())
    if steps <= 0:
        return None
    shares = weights / steps
    refused = max(0.0, 1.0 - float(prompts[min(whole, fits) - 1]))
    # Stopped: longer than the context, without those that were refused
    over = max(0.0, 1.0 - float(ended[min(whole - 1, fits)]))
    return Resident(
        shares=shares,
        step=lengths.step,
        mean=float(shares @ np.arange(size)) * lengths.step,
        refused=refused if refused > 1e-9 else 0.0,
        cut=max(0.0, over - refused) if over - refused > 1e-9 else 0.0,
    )
