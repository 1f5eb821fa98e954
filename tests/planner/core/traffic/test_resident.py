"""What a running request holds at a random moment, by hand and against draws along a timeline."""

import numpy as np
import pytest

from planner.core.lengths import Quantiles, mean_of
from planner.core.traffic.histogram import Tally
from planner.core.traffic.resident import (
    lengths_of_log,
    lengths_of_means,
    lengths_of_quantiles,
    resident_of,
)


def logged(prompts, answers):
    histograms = {}
    for name, values in (("input", prompts), ("output", answers), ("total", prompts + answers)):
        tally = Tally()
        tally.add(values)
        histograms[name] = tally.histogram()
    return lengths_of_log(histograms)


def test_one_length_by_hand():
    # 3 tokens in, 4 out: 3, 4, 5 and 6 tokens for one step each
    found = resident_of(lengths_of_means(3, 4), max_model_len=100)
    assert found is not None
    assert found.shares.tolist() == pytest.approx([0, 0, 0, 0.25, 0.25, 0.25, 0.25, 0])
    assert (found.mean, found.refused, found.cut) == (4.5, 0.0, 0.0)


def test_two_requests_weigh_by_their_output_by_hand():
    # (1 in, 1 out) holds 1; (2 in, 3 out) holds 2, 3, 4: four steps in all, each as likely
    found = resident_of(logged(np.array([1, 2]), np.array([1, 3])), max_model_len=100)
    assert found is not None
    assert found.shares[:6].tolist() == pytest.approx([0, 0.25, 0.25, 0.25, 0.25, 0])


def test_context_refuses_long_prompts_and_stops_long_answers_by_hand():
    # context 10: (12, 5) is refused; (8, 6) is stopped after 2 steps, at 8 and 9; (2, 2) runs at 2 and 3
    found = resident_of(logged(np.array([12, 8, 2]), np.array([5, 6, 2])), max_model_len=10)
    assert found is not None
    assert found.shares[[2, 3, 8, 9]].tolist() == pytest.approx([0.25] * 4)
    assert (found.refused, found.cut) == (pytest.approx(1 / 3), pytest.approx(1 / 3))


def test_requests_that_generate_nothing_never_run():
    assert resident_of(logged(np.array([5, 9]), np.array([0, 0])), max_model_len=100) is None


def test_correlated_lengths_are_as_met_along_a_timeline():
    draw = np.random.default_rng(3)
    prompts = draw.lognormal(6.0, 0.8, 4000).astype(np.int64) + 1
    answers = (prompts // 4 + draw.integers(1, 200, 4000)).astype(np.int64)
    found = resident_of(logged(prompts, answers), max_model_len=100_000)
    assert found is not None
    # one slot serves them one after the other; look at it at random steps
    ends = np.cumsum(answers)
    steps = draw.integers(0, ends[-1], 200_000)
    request = np.searchsorted(ends, steps, side="right")
    met = prompts[request] + steps - (ends[request] - answers[request])
    assert found.mean == pytest.approx(met.mean(), rel=0.01)
    reached = np.cumsum(found.shares)
    for share in (0.1, 0.5, 0.9, 0.99):
        assert np.searchsorted(reached, share) == pytest.approx(np.quantile(met, share), rel=0.03)


def test_quantiles_make_the_mean_that_the_planner_plans_with():
    quantiles = Quantiles(800, 1800, 3000)
    lengths = lengths_of_quantiles(quantiles, Quantiles(200, 500, 900))
    assert lengths.input @ np.arange(len(lengths.input)) == pytest.approx(mean_of(quantiles), rel=1e-3)
    assert lengths.input.sum() == pytest.approx(1.0)
    assert lengths.total.sum() == pytest.approx(1.0)


def test_independent_sum_has_the_sum_of_the_means():
    lengths = lengths_of_quantiles(Quantiles(800, 1800, 3000), Quantiles(200, 500, 900))
    expected = mean_of(Quantiles(800, 1800, 3000)) + mean_of(Quantiles(200, 500, 900))
    assert lengths.total @ np.arange(len(lengths.total)) == pytest.approx(expected, rel=1e-3)


def test_very_long_lengths_go_onto_a_coarser_grid():
    lengths = lengths_of_quantiles(Quantiles(100_000, 300_000, 900_000), Quantiles(500, 900, 2000))
    assert lengths.step == 8
    found = resident_of(lengths, max_model_len=1_000_000)
    assert found is not None
    # a request is met at half of its output on average, and inputs do not depend on outputs here
    expected = mean_of(Quantiles(100_000, 300_000, 900_000))
    assert found.mean == pytest.approx(expected, rel=0.01)
