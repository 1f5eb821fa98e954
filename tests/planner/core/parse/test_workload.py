"""Reading a workload and its targets: quantiles, requests per day, and everything that can be wrong with them."""

import math
from typing import Any

import pytest

from planner.core.lengths import Quantiles
from planner.core.parse.fields import Reader
from planner.core.parse.workload import read_targets, read_workload
from planner.core.request import Targets, Workload

SPREAD = {"p50": 1000, "p90": 4000, "p99": 10_000}


def read(**fields: Any) -> tuple[Workload | None, list[tuple[str, str | None]]]:
    reader = Reader()
    workload = read_workload(reader, fields)
    return workload, [(problem.code, problem.field) for problem in reader.problems]


def targets(value: Any) -> tuple[Targets | None, list[tuple[str, str | None]]]:
    reader = Reader()
    found = read_targets(reader, value)
    return found, [(problem.code, problem.field) for problem in reader.problems]


def test_workload_of_means_has_no_longest_length() -> None:
    workload, problems = read(input_tokens=1024, output_tokens=256, concurrency=16)
    assert problems == []
    assert workload == Workload(input_tokens=1024, output_tokens=256, concurrency=16)


def test_workload_of_quantiles_has_the_mean_and_the_sum_of_both_p99() -> None:
    workload, problems = read(
        input_tokens=SPREAD, output_tokens={"p50": 100, "p90": 100, "p99": 400}, concurrency=4
    )
    assert problems == []
    assert workload is not None
    # 1696.6 by hand in test_lengths
    assert (workload.input_tokens, workload.output_tokens) == (1697, 100)
    assert workload.longest_tokens == 10_400
    assert workload.input_quantiles == Quantiles(1000, 4000, 10_000)


def test_workload_with_one_length_as_a_mean_counts_the_mean_of_it() -> None:
    workload, _ = read(input_tokens=SPREAD, output_tokens=300, concurrency=4)
    assert workload is not None
    assert workload.longest_tokens == 10_300
    assert workload.output_quantiles is None


def test_requests_per_day_are_a_rate_at_the_peak() -> None:
    workload, problems = read(input_tokens=100, output_tokens=150, requests_per_day=5000, peak_factor=4)
    assert problems == []
    assert workload is not None
    # By hand: 5000 / 86,400 s × 4
    assert workload.requests_per_s == pytest.approx(0.231481, abs=1e-6)
    assert (workload.concurrency, workload.requests_per_day, workload.peak_factor) == (1, 5000.0, 4.0)


def test_requests_per_day_without_a_peak_factor_are_even() -> None:
    workload, _ = read(input_tokens=100, output_tokens=150, requests_per_day=86_400)
    assert workload is not None
    assert workload.requests_per_s == 1.0


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({}, ("concurrency_or_requests_per_day", "workload.concurrency")),
        (
            {"concurrency": 4, "requests_per_day": 10},
            ("concurrency_or_requests_per_day", "workload.concurrency"),
        ),
        (
            {"concurrency": 4, "peak_factor": 2},
            ("peak_factor_without_requests_per_day", "workload.peak_factor"),
        ),
        ({"requests_per_day": 0}, ("out_of_range", "workload.requests_per_day")),
        ({"requests_per_day": -5}, ("out_of_range", "workload.requests_per_day")),
        ({"requests_per_day": 1e13}, ("out_of_range", "workload.requests_per_day")),
        ({"requests_per_day": math.inf}, ("not_finite", "workload.requests_per_day")),
        ({"requests_per_day": "many"}, ("wrong_type", "workload.requests_per_day")),
        ({"requests_per_day": 10, "peak_factor": 0.5}, ("out_of_range", "workload.peak_factor")),
        ({"requests_per_day": 10, "peak_factor": True}, ("wrong_type", "workload.peak_factor")),
        ({"concurrency": 4, "users": 5}, ("unknown_field", "workload.users")),
    ],
)
def test_load_out_of_place_is_refused(fields: dict[str, Any], problem: tuple[str, str]) -> None:
    workload, problems = read(input_tokens=100, output_tokens=100, **fields)
    assert problems == [problem]
    assert workload is None or problem[0] in ("peak_factor_without_requests_per_day", "unknown_field")


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({}, [("missing", f"workload.input_tokens.{name}") for name in ("p50", "p90", "p99")]),
        ({"p50": 10, "p90": 20}, [("missing", "workload.input_tokens.p99")]),
        ({**SPREAD, "p95": 5000}, [("unknown_field", "workload.input_tokens.p95")]),
        ({**SPREAD, "p90": 900}, [("quantiles_not_ascending", "workload.input_tokens")]),
        ({**SPREAD, "p99": 3999}, [("quantiles_not_ascending", "workload.input_tokens")]),
        ({**SPREAD, "p50": 0}, [("out_of_range", "workload.input_tokens.p50")]),
        ({**SPREAD, "p50": 1.5}, [("not_whole", "workload.input_tokens.p50")]),
        ({**SPREAD, "p50": math.nan}, [("not_finite", "workload.input_tokens.p50")]),
        ({**SPREAD, "p50": "10"}, [("wrong_type", "workload.input_tokens.p50")]),
        ({**SPREAD, "p99": 10**400}, [("out_of_range", "workload.input_tokens.p99")]),
        (None, [("missing", "workload.input_tokens")]),
    ],
)
def test_quantiles_out_of_place_are_refused(value: Any, found: list[tuple[str, str]]) -> None:
    _, problems = read(input_tokens=value, output_tokens=100, concurrency=1)
    assert problems == found


def test_targets_are_means_and_a_p99_is_named_as_measured_only() -> None:
    found, problems = targets({"tpot_ms": 30, "ttft_ms": {"p99": 800}})
    assert problems == []
    assert found == Targets(tpot_ms=30.0, ttft_ms=800.0, measured_only=("ttft_ms",))
    assert (found.mean_limit("tpot_ms"), found.mean_limit("ttft_ms")) == (30.0, None)


@pytest.mark.parametrize("value", [None, {}, {"tpot_ms": None}])
def test_targets_that_ask_for_nothing_are_none(value: Any) -> None:
    assert targets(value) == (None, [])


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ([], ("wrong_type", "targets")),
        ({"latency": 5}, ("unknown_field", "targets.latency")),
        ({"tpot_ms": 0}, ("out_of_range", "targets.tpot_ms")),
        ({"tpot_ms": "fast"}, ("wrong_type", "targets.tpot_ms")),
        ({"ttft_ms": {}}, ("missing", "targets.ttft_ms.p99")),
        ({"ttft_ms": {"p99": -1}}, ("out_of_range", "targets.ttft_ms.p99")),
        ({"ttft_ms": {"p99": 100, "p50": 5}}, ("unknown_field", "targets.ttft_ms.p50")),
    ],
)
def test_targets_out_of_place_are_refused(value: Any, problem: tuple[str, str]) -> None:
    assert targets(value)[1] == [problem]


def test_target_that_no_machine_comes_near_is_out_of_range() -> None:
    found, problems = targets({"tpot_ms": 5e-324, "ttft_ms": {"p99": 1e-7}})
    assert found is None
    assert problems == [("out_of_range", "targets.tpot_ms"), ("out_of_range", "targets.ttft_ms.p99")]
