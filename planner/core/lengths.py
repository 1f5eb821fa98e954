"""Lengths given as quantiles, and the mean that the steady state needs."""

import math
from statistics import NormalDist
from typing import NamedTuple

STANDARD = NormalDist()
# Standard normal quantile at 90 %: a log-normal length has ln(p90 / p50) = Z90 * sigma.
Z90 = STANDARD.inv_cdf(0.9)
MEAN_FORMULA = "p50 × e^(σ²/2) × Φ(u − σ) + p99 × (1 − Φ(u)), σ = ln(p90/p50)/1.2816, u = ln(p99/p50)/σ"
MEAN_SOURCE = (
    "Log-normal through p50 and p90, cut at p99: limited expected value of the log-normal distribution, "
    "Klugman, Panjer and Willmot, Loss Models, appendix A"
)


class Quantiles(NamedTuple):
    """Tokens that half, 90 % and 99 % of the requests stay within; p50 <= p90 <= p99."""

    p50: int
    p90: int
    p99: int


def mean_of(quantiles: Quantiles) -> float:
    """Mean tokens of a log-normal length through p50 and p90 in which nothing is longer than p99.

    E[min(X, c)] = e^(mu + s²/2) Φ((ln c - mu - s²)/s) + c (1 - Φ((ln c - mu)/s)), with mu = ln p50.
    """
    p50, p90, p99 = quantiles
    if p90 == p50:
        return float(p50)
    sigma = math.log(p90 / p50) / Z90
    cut = math.log(p99 / p50) / sigma
    return p50 * math.exp(sigma**2 / 2.0) * STANDARD.cdf(cut - sigma) + p99 * (1.0 - STANDARD.cdf(cut))
