"""Answers of the search: what is in, what is out and why, and in which order."""

import json

import numpy as np
import pytest

from planner.core.estimate import estimate
from planner.core.parse import parse_request
from planner.core.request import EstimateRequest
from planner.core.search import recommend
from planner.core.search.asked import OBJECTIVES
from tests.planner.core.asking import CATALOG
from tests.planner.core.search.searching import SMALL, seek

FEW = ["nvidia-l4", "nvidia-rtx-4090", "nvidia-l40s", "nvidia-h100-sxm5-80gb", "amd-mi300x", "apple-m2-ultra"]


def _ask(model=SMALL, **more):
    return recommend(seek(model, **{"accelerators": FEW, **more}), CATALOG)


def _set_ups(answer):
    return [(option["accelerator"], option["count"]) for option in answer["options"]]


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"tpot_ms": 8.0, "ttft_ms": 60.0},
        {"concurrency": 400},
        {"requests_per_s": 3.0, "engines": ("vllm", "llama.cpp")},
        {"vendors": frozenset({"AMD"}), "accelerators": ()},
        {"owned": {"nvidia-l4": 2, "apple-m2-ultra": 1}},
        {"power_w": 500.0, "place": "server", "ecc": True, "accelerators": ()},
        {"input_tokens": 50_000},
        {"model": "deepseek-ai/DeepSeek-V3"},
    ],
)
def test_everything_searched_is_either_matching_or_out_for_one_reason(more):
    answer = _ask(**more)
    assert answer["matching"] + sum(group["count"] for group in answer["excluded"]) == answer["searched"]
    for group in answer["excluded"]:
        assert sum(part["count"] for part in group["details"]) in (0, group["count"])
        assert 1 <= len(group["examples"]) <= 5


def test_the_same_question_has_the_same_answer():
    assert json.dumps(_ask(limit=3)) == json.dumps(_ask(limit=3))


@pytest.mark.parametrize("more", [{}, {"requests_per_s": 2.0}, {"engines": ("llama.cpp",)}])
def test_the_request_of_an_option_is_answered_with_its_figures(more):
    answer = _ask(tpot_ms=50.0, **more)
    assert answer["options"]
    for option in answer["options"]:
        parsed = parse_request(option["request"], CATALOG)
        assert isinstance(parsed, EstimateRequest), parsed
        again = estimate([parsed], CATALOG)[0]
        for part in ("verdict", "memory", "speed", "step", "startup_log", "targets", "settings"):
            assert again[part] == option[part]


def test_options_meet_targets_and_serve_everybody():
    answer = _ask(tpot_ms=12.0, limit=50)
    assert answer["options"]
    for option in answer["options"]:
        assert option["verdict"] == "fits"
        assert option["speed"]["tpot_ms"] <= 12.0
        assert option["speed"]["running"] * option["parallelism"]["data"] == pytest.approx(8, abs=0.05)


def test_a_set_up_is_answered_once_with_its_best_variation():
    answer = _ask(limit=200, objective="lowest_tpot")
    assert len(set(_set_ups(answer))) == len(answer["options"]) == answer["set_ups"]
    assert sum(option["variations"] for option in answer["options"]) == answer["matching"]


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_options_are_in_the_order_of_their_scores(objective):
    prices = {"nvidia-l4": 2500.0, "nvidia-rtx-4090": 1800.0, "nvidia-l40s": 8000.0}
    answer = _ask(objective=objective, prices=prices, currency="USD", limit=200)
    scores = [np.inf if option["score"] is None else option["score"] for option in answer["options"]]
    assert scores == sorted(scores)
    assert [option["rank"] for option in answer["options"]] == list(range(1, len(scores) + 1))


def test_balanced_is_time_per_token_times_board_power():
    option = _ask()["options"][0]
    # tpot and power as answered, multiplied here
    product = option["speed"]["tpot_ms"] * option["power_w"]
    assert option["reason"]["code"] == "ranked_by_balanced"
    assert option["score"] == pytest.approx(product, rel=1e-4)


def test_balanced_is_by_price_once_every_candidate_has_one():
    prices = {"nvidia-l4": 2500.0, "nvidia-rtx-4090": 1800.0}
    answer = _ask(accelerators=["nvidia-l4", "nvidia-rtx-4090"], prices=prices, currency="EUR")
    option = answer["options"][0]
    assert [remark["code"] for remark in answer["reasons"]] == ["balanced_by_price"]
    assert option["cost"] == {"purchase": prices[option["accelerator"]] * option["count"], "currency": "EUR"}
    assert option["score"] == pytest.approx(option["speed"]["tpot_ms"] * option["cost"]["purchase"], rel=1e-4)
    assert option["bill_of_materials"][0]["total"] == option["cost"]["purchase"]


def test_without_prices_nothing_is_cheapest_and_a_budget_rules_nothing_out():
    answer = _ask(budget=10.0, currency="USD")
    assert answer["winners"]["cheapest"] is None
    assert {"no_prices", "budget_without_prices"} <= {remark["code"] for remark in answer["reasons"]}
    assert "over_budget" not in {group["reason"] for group in answer["excluded"]}


def test_a_budget_rules_out_what_its_prices_exceed():
    answer = _ask(accelerators=["nvidia-l4"], prices={"nvidia-l4": 2500.0}, budget=5000.0, limit=20)
    assert {count for _, count in _set_ups(answer)} == {1, 2}
    assert "over_budget" in {group["reason"] for group in answer["excluded"]}


def test_power_limits_the_number_of_cards():
    # an L4 has a board power of 72 W by its datasheet
    answer = _ask(accelerators=["nvidia-l4"], power_w=220.0, limit=20)
    assert {count for _, count in _set_ups(answer)} == {1, 2, 3}


def test_owned_cards_are_the_only_ones_and_no_more_than_there_are():
    answer = _ask(owned={"nvidia-l4": 2, "nvidia-rtx-4090": 1}, limit=20)
    assert set(_set_ups(answer)) <= {("nvidia-l4", 1), ("nvidia-l4", 2), ("nvidia-rtx-4090", 1)}
    assert "not_owned" in {group["reason"] for group in answer["excluded"]}


def test_edge_is_where_single_machines_stand():
    answer = _ask(accelerators=(), place="edge", engines=("llama.cpp",), concurrency=1, limit=100)
    classes = {CATALOG.accelerators[name].accelerator_class for name, _ in _set_ups(answer)}
    assert classes == {"edge", "apple", "npu"}
    # DGX Spark alone has a link to a second one
    assert {name for name, count in _set_ups(answer) if count > 1} == {"nvidia-gb10-dgx-spark"}


def test_winners_lead_by_their_own_measure():
    answer = _ask(limit=200)
    by_rank = {option["rank"]: option for option in answer["options"]}
    fastest = min(by_rank.values(), key=lambda option: option["speed"]["tpot_ms"])
    assert by_rank[answer["winners"]["lowest_tpot"]]["speed"]["tpot_ms"] == fastest["speed"]["tpot_ms"]
    most = max(by_rank.values(), key=lambda option: option["speed"]["output_tokens_per_s"])
    assert by_rank[answer["winners"]["highest_throughput"]]["speed"] == most["speed"]
    known = [option["power_w"] for option in by_rank.values() if option["power_w"] is not None]
    assert by_rank[answer["winners"]["lowest_power"]]["power_w"] == min(known)
    assert answer["winners"]["balanced"] == 1


def test_winners_beyond_the_limit_are_answered_in_full_too():
    answer = _ask(limit=1)
    ranks = {option["rank"] for option in answer["options"]}
    assert {rank for rank in answer["winners"].values() if rank} <= ranks


def test_nothing_beats_a_point_of_the_frontier():
    answer = _ask(limit=200)
    points = [
        (point["output_tokens_per_s_per_user"], point["output_tokens_per_s_per_accelerator"])
        for point in answer["frontier"]
    ]
    every = [
        (o["speed"]["output_tokens_per_s_per_user"], o["speed"]["output_tokens_per_s"] / o["count"])
        for o in answer["options"]
    ]
    for user, machine in points:
        assert not any(u > user * 1.0001 and m > machine * 1.0001 for u, m in every)
    assert points == sorted(points, reverse=True)


def test_when_nothing_meets_the_targets_the_nearest_say_what_they_miss():
    answer = _ask(tpot_ms=0.1)
    assert answer["options"] == []
    assert answer["workload_shape"] is None
    assert len(answer["nearest"]) == 5
    missed = [entry["misses"][0] for entry in answer["nearest"]]
    assert {miss["name"] for miss in missed} == {"tpot_ms"}
    values = [miss["value"] for miss in missed]
    assert values == sorted(values)
    assert values[0] > 0.1


def test_when_nothing_holds_the_model_the_nearest_say_how_much_memory_is_short():
    answer = _ask("meta-llama/Llama-3.3-70B-Instruct", accelerators=["nvidia-l4"], counts=[1])
    assert answer["options"] == []
    assert [miss["name"] for miss in answer["nearest"][0]["misses"]] == ["memory_gib"]


def test_a_target_on_p99_rules_nothing_out_and_is_unknown_until_measured():
    answer = _ask(tpot_ms=0.1, measured_only=("tpot_ms",))
    assert answer["options"]
    assert "target_unknown_until_measured" in [remark["code"] for remark in answer["reasons"]]
    assert answer["options"][0]["request"]["targets"] == {"tpot_ms": {"p99": 0.1}}


def test_machine_time_adds_up():
    shape = _ask()["workload_shape"]
    assert set(shape) == {"weights", "kv", "prefill", "interconnect", "host"}
    assert sum(shape.values()) == pytest.approx(1, abs=0.001)


def test_no_accelerator_at_all_is_an_empty_answer():
    answer = _ask(vendors=frozenset({"nobody"}))
    assert answer["options"] == answer["nearest"] == answer["frontier"] == []
    assert answer["matching"] == 0
    assert [group["reason"] for group in answer["excluded"]] == ["filtered_by_vendor"]
