"""Little's law: requests per second into requests at the same time."""

from dataclasses import replace

import numpy as np
import pytest

from planner.core.estimate import estimate, evaluate
from planner.core.load import solve
from planner.core.parse import parse_request
from tests.planner.core.asking import CATALOG


def _solved(rate, seconds, most):
    """Concurrency of one row whose requests take `seconds(C)`."""
    return float(
        solve(np.array([rate]), response_s=lambda _, at: seconds(at), most=np.array([most], dtype=float))[0]
    )


def test_concurrency_is_rate_times_time_by_hand():
    # 2 requests/s of 3.2 s each, whatever else runs: 6.4 are under way, 7 when rounded up
    assert _solved(2.0, lambda at: np.full_like(at, 3.2), 100) == 7


def test_time_that_grows_with_concurrency_is_solved_by_hand():
    # C = 2 x (1 + 0.25 C) has C = 4
    assert _solved(2.0, lambda at: 1 + 0.25 * at, 100) == 4
    # C = 3 x (1 + 0.3 C) has C = 30
    assert _solved(3.0, lambda at: 1 + 0.3 * at, 100) == 30


def test_a_rate_above_capacity_has_no_concurrency():
    # C = 3 x (1 + 0.4 C) has no solution: each request adds more work than is done in its time
    assert _solved(3.0, lambda at: 1 + 0.4 * at, 1000) == np.inf
    # C = 30 is beyond the 29 that there is room for
    assert _solved(3.0, lambda at: 1 + 0.3 * at, 29) == np.inf


def test_few_requests_are_one_at_a_time():
    assert _solved(0.001, lambda at: 1 + 0.3 * at, 100) == 1


def test_the_least_concurrency_that_keeps_up_is_found():
    draw = np.random.default_rng(3)
    base, slope, bend = draw.uniform(0.1, 30, 200), draw.uniform(0, 0.4, 200), draw.uniform(0.5, 1, 200)
    most, rate = draw.integers(1, 800, 200).astype(float), draw.uniform(0.01, 5, 200)

    def seconds(rows, at):
        return base[rows] + slope[rows] * at ** bend[rows]

    found = solve(rate, response_s=seconds, most=most)
    for row in range(200):
        every = np.arange(1.0, most[row] + 1)
        keeps_up = every[rate[row] * seconds(np.full(len(every), row), every) <= every]
        assert found[row] == (keeps_up[0] if len(keeps_up) else np.inf)


def _ask(per_day, **more):
    request = parse_request(
        {
            "model": {"id": "Qwen/Qwen2.5-7B-Instruct"},
            "accelerator": "nvidia-l40s",
            "settings": "derive",
            "workload": {"input_tokens": 1000, "output_tokens": 300, "requests_per_day": per_day},
            **more,
        },
        CATALOG,
    )
    return evaluate([request], CATALOG)


@pytest.mark.parametrize("per_day", [50_000, 200_000, 500_000])
def test_an_estimate_at_a_rate_obeys_the_law(per_day):
    (settled,), _, speed = _ask(per_day)
    # lambda x (TTFT + output x TPOT), rounded up, by the figures of the answer
    law = per_day / 86_400 * (float(speed.ttft_ms[0]) + 300 * float(speed.tpot_ms[0])) / 1000
    assert settled.workload.concurrency == np.ceil(law)
    # and the machine does at least what comes
    assert speed.output_tokens_per_s[0] / 300 >= per_day / 86_400


def test_a_rate_above_capacity_is_said_with_what_is_done():
    request = parse_request(
        {
            "model": {"id": "Qwen/Qwen2.5-7B-Instruct"},
            "accelerator": "nvidia-l40s",
            "settings": {"max_model_len": 4096, "max_num_seqs": 4},
            "workload": {"input_tokens": 1000, "output_tokens": 300, "requests_per_day": 864_000},
        },
        CATALOG,
    )
    answer = estimate([request], CATALOG)[0]
    reason = answer["reasons"][0]
    assert reason["code"] == "load_above_capacity"
    assert reason["values"]["requests_per_s"] == 10
    done = answer["speed"]["output_tokens_per_s"] / 300
    assert reason["values"]["capacity_per_s"] == pytest.approx(done, abs=1e-3)
    assert answer["verdict"] == "fits"


def test_users_that_do_not_divide_over_replicas_all_run():
    request = parse_request(
        {
            "model": {"id": "Qwen/Qwen2.5-7B-Instruct"},
            "accelerator": "nvidia-l40s",
            "count": 3,
            "parallelism": {"data": 3},
            "settings": "derive",
            "workload": {"input_tokens": 1000, "output_tokens": 300, "concurrency": 8},
        },
        CATALOG,
    )
    answer = estimate([request], CATALOG)[0]
    assert answer["reasons"] == []
    assert answer["speed"]["running"] == pytest.approx(8 / 3, abs=0.01)


def test_no_speed_leaves_the_concurrency_as_it_was():
    (settled,), _, speed = _ask(50_000, accelerator="apple-m5-ultra")
    assert settled.workload.concurrency == 1
    assert np.isnan(speed.tpot_ms[0])
    assert replace(settled.workload, concurrency=2).requests_per_s == pytest.approx(50_000 / 86_400)
