"""Load from moments and counters, by hand."""

import math

import numpy as np
import pytest

from planner.core.traffic.times import by_littles_law, load_of, most_at_once


def at(*moments):
    return np.array(moments, dtype=float)


@pytest.mark.parametrize(
    ("starts", "ends", "most"),
    [
        ((0, 1, 2), (3, 3, 3), 3),
        ((0, 3, 6), (3, 6, 9), 1),  # one ends as the next starts
        ((0, 0, 0), (1, 1, 1), 3),
        ((0, 5, 5, 6), (10, 6, 7, 8), 3),
        ((0,), (0,), 1),
    ],
)
def test_most_at_once_by_hand(starts, ends, most):
    assert most_at_once(at(*starts), at(*ends)) == most


def test_most_at_once_is_that_of_a_sweep_second_by_second():
    draw = np.random.default_rng(7)
    starts = draw.integers(0, 500, 400).astype(float)
    ends = starts + draw.integers(1, 60, 400)
    # each whole second counted by itself
    counted = max(int(((starts <= moment) & (ends > moment)).sum()) for moment in range(600))
    assert most_at_once(starts, ends) == counted


def test_whole_days_give_requests_a_day_and_the_busiest_hour():
    # one request an hour for two days, and 24 more in hour 30: 72 requests, the busiest hour has 25 of 72 / 48
    steady = np.arange(48) * 3600.0
    starts = np.concatenate([steady, np.full(24, 30 * 3600.0 + 60)])
    load = load_of(starts, np.zeros(0))
    assert load.requests_per_day.value == pytest.approx(71 / 47 * 24)
    assert load.requests_per_day.kind == "measured"
    assert load.peak_factor.value == pytest.approx(25 / (72 / 48), rel=0.03)
    assert load.peak_concurrency.value is None


def test_less_than_a_day_is_scaled_and_has_no_busiest_hour():
    load = load_of(at(0, 1800, 3600), at(10, 1810, 3610))
    assert (load.requests_per_day.value, load.requests_per_day.kind, load.code) == (
        48.0,
        "computed",
        "scaled",
    )
    assert load.peak_factor.kind == "unknown"
    assert (load.peak_concurrency.value, load.request_s.value) == (1.0, 10.0)
    assert load.mean_concurrency.value == pytest.approx(30 / 3610)


def test_one_request_or_one_moment_says_nothing():
    assert load_of(at(5), at(6)).code == "unknown"
    assert load_of(at(5, 5, 5), at(6, 6, 6)).code == "unknown"


def test_littles_law_by_hand():
    # 100 requests that took 720 s together, in an hour: 0.2 under way on average, 2,400 a day
    load = by_littles_law(100, 3600.0, 720.0, 4.0)
    assert (load.mean_concurrency.value, load.mean_concurrency.kind) == (0.2, "computed")
    assert load.requests_per_day.value == 2400
    assert (load.peak_concurrency.value, load.peak_concurrency.high) == (4.0, None)
    assert load.request_s.value == pytest.approx(7.2)


def test_littles_law_without_a_time_knows_the_gauge_alone():
    load = by_littles_law(100, math.nan, 720.0, 4.0)
    assert (load.mean_concurrency.kind, load.requests_per_day.kind) == ("unknown", "unknown")
    assert load.peak_concurrency.value == 4.0
