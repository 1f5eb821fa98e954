"""The mean of a length that is given as quantiles."""

import pytest

from planner.core.lengths import Quantiles, mean_of


def test_mean_of_a_wide_distribution_cut_at_p99() -> None:
    # By hand, with a table of the normal distribution: sigma = ln 4 / 1.2816 = 1.0817; e^(sigma²/2) = 1.7951;
    # u = ln 10 / 1.0817 = 2.1286; Φ(1.0469) = 0.8524; 1 - Φ(2.1286) = 0.01664;
    # 1000 × 1.7951 × 0.8524 + 10,000 × 0.01664 = 1530.1 + 166.4
    assert mean_of(Quantiles(1000, 4000, 10_000)) == pytest.approx(1696.5, abs=1.0)


def test_mean_without_spread_is_the_length_itself() -> None:
    assert mean_of(Quantiles(500, 500, 500)) == 500.0


def test_mean_with_a_tail_only_above_p90_stays_with_the_body() -> None:
    # A log-normal through p50 = p90 has no width, whatever the last hundredth does.
    assert mean_of(Quantiles(500, 500, 9000)) == 500.0


def test_mean_is_cut_by_p99() -> None:
    # By hand: sigma = ln 1.8 / 1.2816 = 0.45865; u = sigma-free ln 1.8 / 0.45865 = 1.2816; Φ(0.82290) = 0.79472;
    # 500 × e^0.10518 × 0.79472 + 900 × 0.1 = 441.43 + 90
    assert mean_of(Quantiles(500, 900, 900)) == pytest.approx(531.43, abs=0.05)


@pytest.mark.parametrize("quantiles", [(1, 2, 3), (10, 5000, 100_000), (1000, 1001, 1_000_000), (7, 7, 8)])
def test_mean_lies_between_half_of_the_median_and_p99(quantiles: tuple[int, int, int]) -> None:
    # Half of the requests are at least p50 long and none is longer than p99.
    mean = mean_of(Quantiles(*quantiles))
    assert quantiles[0] / 2 <= mean <= quantiles[2]
