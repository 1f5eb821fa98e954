"""Counts by length: what a million requests keep of themselves, and how surely each figure is known."""

import numpy as np
import pytest

from planner.core.traffic.histogram import EXACT, MAX_TOKENS, Histogram, Tally, unpacked


def tallied(values):
    tally = Tally()
    tally.add(np.array(values, dtype=np.int64))
    return tally.histogram()


def buckets(ends, counts, *, beyond=0, total=float("nan")):
    low = [0, *(end + 1 for end in ends[:-1])]
    return Histogram(
        low=np.array(low), high=np.array(ends), counts=np.array(counts), beyond=beyond, total=float(total)
    )


def test_short_lengths_are_counted_one_by_one_by_hand():
    found = tallied([5, 5, 7, 4095])
    assert (found.low.tolist(), found.counts.tolist()) == ([5, 7, 4095], [2, 1, 1])
    assert (found.requests, found.total, found.maximum, found.mean) == (4, 4112.0, 4095.0, 1028.0)
    median = found.quantile(0.5)
    assert (median.value, median.low, median.high, median.kind) == (5, 5, 5, "measured")


def test_every_length_lies_in_its_bin_and_bins_are_narrow():
    draw = np.random.default_rng(1)
    values = np.unique(
        np.concatenate([np.arange(9000), draw.integers(0, MAX_TOKENS + 1, 5000), [MAX_TOKENS]])
    )
    found = tallied(values)
    assert found.requests == len(values)
    place = np.searchsorted(found.high, values)
    assert (found.low[place] <= values).all()
    assert (found.high[place] >= values).all()
    long = found.low >= EXACT
    assert ((found.high - found.low)[long] < 0.004 * found.low[long]).all()


def test_quantiles_are_those_of_the_sorted_lengths_within_their_bins():
    values = np.random.default_rng(2).lognormal(7, 1.2, 20_000).astype(np.int64) + 1
    found = tallied(values)
    for share in (0.5, 0.9, 0.99, 1.0):
        # the least length that this share of the requests stay within, from the sorted rows themselves
        exact = np.sort(values)[int(np.ceil(share * len(values))) - 1]
        figure = found.quantile(share)
        assert figure.low <= exact <= figure.high
        assert figure.kind == "measured"


def test_bucket_says_what_it_lies_between():
    # 60 of 100 requests have at most 512 tokens, so the 90th lies in the bucket above it
    figure = buckets([512, 1024], [60, 40]).quantile(0.9)
    assert (figure.low, figure.high, figure.kind) == (513, 1024, "computed")
    assert 513 <= figure.value <= 1024


def test_beyond_the_last_bucket_there_is_no_upper_end():
    figure = buckets([512], [60], beyond=40).quantile(0.9)
    assert (figure.value, figure.low, figure.high) == (513, 513, None)


def test_nothing_counted_is_not_known():
    figure = buckets([512], [0]).quantile(0.5)
    assert (figure.value, figure.kind) == (None, "unknown")


@pytest.mark.parametrize("mean", [105, 300, 550, 900, 995])
def test_lengths_in_their_buckets_keep_the_counted_mean(mean):
    found = buckets([100, 1000], [0, 50], total=50 * mean)
    masses = found.masses(1)
    assert masses.sum() == pytest.approx(1.0)
    # within the width of a bin that lengths are rounded to, and of the bends that are allowed
    assert masses @ np.arange(len(masses)) == pytest.approx(mean, abs=0.03 * 900)


def test_what_is_beyond_stands_where_the_sum_puts_it():
    # 10 requests within 100 are taken as 50 each, so 2 beyond share 5,000 - 500
    found = buckets([100], [10], beyond=2, total=5000)
    masses = found.masses(1)
    assert masses[2250] == pytest.approx(2 / 12)


def test_coarser_grid_holds_the_same_requests():
    found = tallied([100, 200, 300_000])
    masses = found.masses(4)
    assert masses[[25, 50, 75_000]].sum() == pytest.approx(1.0, abs=1e-9) or masses.sum() == pytest.approx(
        1.0
    )
    assert masses[25] == pytest.approx(1 / 3)


def test_difference_of_two_readings_by_hand():
    came = buckets([10, 100], [5, 9], beyond=1, total=800).minus(
        buckets([10, 100], [2, 4], beyond=1, total=300)
    )
    assert came is not None
    assert (came.counts.tolist(), came.beyond, came.total) == ([3, 5], 0, 500.0)


def test_difference_of_a_counter_that_fell_is_none():
    assert buckets([10, 100], [1, 9]).minus(buckets([10, 100], [2, 4])) is None
    assert buckets([10, 200], [5, 9]).minus(buckets([10, 100], [2, 4])) is None


def test_packed_comes_back_the_same():
    found = tallied([1, 1, 5000, 70_000])
    again = unpacked(found.packed())
    for name in ("low", "high", "counts"):
        assert np.array_equal(getattr(found, name), getattr(again, name))
    assert (again.beyond, again.total, again.maximum) == (found.beyond, found.total, found.maximum)
