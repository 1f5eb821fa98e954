"""Sums of what requests hold, against enumeration by hand and against draws."""

import itertools
import math

import numpy as np
import pytest

from planner.core.traffic.sums import MOST_UNITS, Sums

AMOUNTS, SHARES = np.array([1.0, 3.0, 4.0]), np.array([0.5, 0.3, 0.2])


def enumerated(capacity, count):
    """Every outcome of `count` requests, its probability, and whether it is too much."""
    return sum(
        math.prod(SHARES[place] for place in places)
        for places in itertools.product(range(3), repeat=count)
        if sum(AMOUNTS[place] for place in places) > capacity
    )


def test_two_requests_by_hand():
    # 1+1, 1+3, 3+1, 1+4, 4+1, 3+3, 3+4, 4+3, 4+4: above 5 are 3+3 (0.09), 3+4 and 4+3 (0.12), 4+4 (0.04)
    assert Sums(AMOUNTS, SHARES, most=5).above(5, 2) == pytest.approx(0.25)


@pytest.mark.parametrize("capacity", [0, 1, 4, 6, 7, 9, 12, 100])
@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_fixed_number_is_every_outcome_counted(capacity, count):
    sums = Sums(AMOUNTS, SHARES, most=capacity)
    assert sums.above(capacity, count) == pytest.approx(enumerated(capacity, count), abs=1e-9)


@pytest.mark.parametrize("capacity", [1, 6, 9])
@pytest.mark.parametrize("mean", [0.3, 2.0, 7.5])
@pytest.mark.parametrize("slots", [1, 3, 6])
def test_poisson_number_within_slots_is_every_number_weighed(capacity, mean, slots):
    weights = [math.exp(-mean) * mean**number / math.factorial(number) for number in range(slots)]
    expected = sum(weight * enumerated(capacity, number) for number, weight in enumerate(weights))
    expected += (1 - sum(weights)) * enumerated(capacity, slots)
    found = Sums(AMOUNTS, SHARES, most=capacity).above_at_random(capacity, mean, most=slots)
    assert found == pytest.approx(expected, abs=1e-9)


def test_poisson_number_far_below_the_slots_is_the_closed_form():
    mean, capacity = 4.0, 20
    weights = [math.exp(-mean) * mean**number / math.factorial(number) for number in range(11)]
    exact = sum(weight * enumerated(capacity, number) for number, weight in enumerate(weights))
    found = Sums(AMOUNTS, SHARES, most=capacity).above_at_random(capacity, mean, most=1000)
    # numbers above 10 are left out of the enumeration: 0.3 % of the weight
    assert exact <= found <= exact + 1 - sum(weights)


def test_many_requests_on_the_coarse_grid_are_as_drawn():
    draw = np.random.default_rng(11)
    amounts = draw.integers(1, 4000, 3000).astype(float)
    shares = np.full(3000, 1 / 3000)
    capacity, count = 258_000.0, 125
    sums = Sums(amounts, shares, most=capacity)
    assert sums.scale == capacity / MOST_UNITS
    totals = draw.choice(amounts, (20_000, count)).sum(axis=1)
    assert sums.above(capacity, count) == pytest.approx((totals > capacity).mean(), abs=0.012)


def test_coarse_grid_is_within_a_thousandth_of_the_exact_one():
    draw = np.random.default_rng(12)
    masses = np.bincount(draw.integers(1, 4000, 3000), minlength=4001) / 3000
    capacity, count = 262_000, 125
    transformed = np.fft.rfft(masses, 2**20) ** count
    exact = np.fft.irfft(transformed, 2**20)[capacity + 1 :].sum()
    found = Sums(np.arange(4001.0), masses, most=capacity).above(capacity, count)
    assert found == pytest.approx(exact, abs=1e-3)


def test_more_requests_never_make_it_rarer():
    sums = Sums(AMOUNTS, SHARES, most=200)
    found = [sums.above(200, count) for count in range(1, 150)]
    assert found == sorted(found)
    assert found[0] == 0.0
    assert found[-1] == pytest.approx(1.0)


def test_amount_beyond_the_capacity_alone_is_too_much():
    sums = Sums(np.array([1.0, 500.0]), np.array([0.9, 0.1]), most=10)
    assert sums.above(10, 1) == pytest.approx(0.1)
    assert sums.above(10, 2) == pytest.approx(1 - 0.81)
