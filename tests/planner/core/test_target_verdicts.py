"""Targets against an estimate: met, missed, how surely, and what only a measurement can say."""

from typing import Any

import pytest

from tests.planner.core.estimating import answered, by_name


def verdicts(targets: dict[str, Any], **request: Any) -> dict[str, tuple[bool | None, str]]:
    found = by_name(answered(targets=targets, **request)["targets"], "name")
    return {name: (item["met"], item["reason"]["code"]) for name, item in found.items()}


def test_no_targets_are_no_verdicts() -> None:
    assert answered()["targets"] == []


def test_time_per_token_is_met_surely_only_where_its_whole_interval_is_within() -> None:
    low, high = answered()["speed"]["interval"]["tpot_ms"]
    tpot = answered()["speed"]["tpot_ms"]
    assert verdicts({"tpot_ms": high * 1.01}) == {"tpot_ms": (True, "met")}
    assert verdicts({"tpot_ms": (tpot + high) / 2}) == {"tpot_ms": (True, "met_but_not_certain")}
    assert verdicts({"tpot_ms": (tpot + low) / 2}) == {"tpot_ms": (False, "missed_but_not_certain")}
    assert verdicts({"tpot_ms": low * 0.99}) == {"tpot_ms": (False, "missed")}


def test_speed_per_user_is_met_from_above() -> None:
    low, high = answered()["speed"]["interval"]["tpot_ms"]
    # A token every `high` ms is the slowest of the interval
    assert verdicts({"output_tokens_per_s_per_user": 1000 / high * 0.99}) == {
        "output_tokens_per_s_per_user": (True, "met")
    }
    assert verdicts({"output_tokens_per_s_per_user": 1000 / low * 1.01}) == {
        "output_tokens_per_s_per_user": (False, "missed")
    }


def test_first_token_has_no_interval() -> None:
    ttft = answered()["speed"]["ttft_ms"]
    assert verdicts({"ttft_ms": ttft * 1.01}) == {"ttft_ms": (True, "met")}
    assert verdicts({"ttft_ms": ttft * 0.99}) == {"ttft_ms": (False, "missed")}


def test_p99_is_unknown_until_measured() -> None:
    found = by_name(answered(targets={"ttft_ms": {"p99": 1e6}})["targets"], "name")["ttft_ms"]
    assert (found["met"], found["limit"], found["reason"]["code"]) == (None, 1e6, "unknown_until_measured")
    assert found["value"] == answered()["speed"]["ttft_ms"]


@pytest.mark.parametrize(
    "request_",
    [
        {"accelerator": None},
        {"workload": None},
        {"model": "meta-llama/Llama-3.1-70B-Instruct"},  # does not fit on one card
        {"settings": {"max_model_len": 512}},  # requests are refused
    ],
)
def test_target_without_a_speed_is_not_judged(request_: dict[str, Any]) -> None:
    assert verdicts({"tpot_ms": 50}, **request_) == {"tpot_ms": (None, "no_speed_to_judge")}
