"""The working of quantiles and of requests per day can be done again by hand."""

from typing import Any

import pytest

from tests.planner.core.estimating import CHAT, answered, by_name

DAY = {"input_tokens": 600, "output_tokens": 150, "requests_per_day": 50_000, "peak_factor": 4}


def terms(**request: Any) -> dict[str, dict[str, Any]]:
    return by_name(answered(**request)["explain"], "term")


def test_workload_of_means_has_no_terms_of_its_own() -> None:
    assert not {"mean_input_tokens", "mean_output_tokens", "requests_per_s", "concurrency"} & set(terms())


def test_mean_of_quantiles_shows_them() -> None:
    found = terms(workload={**CHAT, "input_tokens": {"p50": 1000, "p90": 4000, "p99": 10_000}})
    term = found["mean_input_tokens"]
    assert term["values"] == {"p50": 1000, "p90": 4000, "p99": 10_000}
    assert term["result"] == pytest.approx(1696.5, abs=1.0)  # by hand in test_lengths
    assert "mean_output_tokens" not in found


def test_rate_and_concurrency_follow_from_requests_per_day() -> None:
    found = terms(workload=DAY, settings="derive")
    # By hand: 50,000 / 86,400 × 4
    assert found["requests_per_s"]["result"] == pytest.approx(2.3148, abs=1e-4)
    values = found["concurrency"]["values"]
    exact = 2.3148 * (values["ttft_ms"] + 150 * values["tpot_ms"]) / 1e3
    assert exact <= found["concurrency"]["result"] < exact + 1


def test_slots_of_a_rate_are_more_than_its_mean_and_not_cut_by_a_target() -> None:
    found = answered(workload=DAY, settings="derive", targets={"tpot_ms": 10})
    slots = by_name(found["settings"], "name")["max_num_seqs"]
    mean = by_name(found["explain"], "term")["concurrency"]["result"]
    assert slots["reason"]["code"] == "slots_for_busy_moments"
    assert slots["value"] > mean
    assert [item["met"] for item in found["targets"]] == [False]


def test_rate_without_a_card_has_no_concurrency() -> None:
    found = terms(workload=DAY, accelerator=None, settings="derive")
    assert "requests_per_s" in found
    assert "concurrency" not in found
