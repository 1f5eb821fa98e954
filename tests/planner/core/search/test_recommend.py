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


def _remarks(answer):
    return {remark["code"]: remark["values"] for remark in answer["reasons"]}


def _advice(option):
    return {item["code"]: item["values"] for item in option["advice"]}


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"accelerators": (), "objective": "lowest_power", "concurrency": 1},
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


def _ms_per_token(speed):
    """250 tokens: the first after its wait, the others at their pace."""
    return (speed["ttft_ms"] + 249 * speed["tpot_ms"]) / 250


def test_balanced_is_time_per_token_with_its_wait_times_board_power():
    option = _ask()["options"][0]
    each = _ms_per_token(option["speed"])
    assert each > option["speed"]["tpot_ms"]
    assert option["reason"]["code"] == "ranked_by_balanced"
    assert option["score"] == pytest.approx(each * option["power_w"], rel=1e-3)
    assert option["reason"]["values"]["ms_per_token"] == pytest.approx(each, rel=1e-3)


def test_balanced_does_not_put_a_long_wait_before_a_short_one():
    # prompts of 100,000 tokens: an H20 streams as fast as an H100 NVL and computes a sixth of it
    answer = _ask(
        "meta-llama/Llama-3.1-8B-Instruct",
        accelerators=["nvidia-h20", "nvidia-h100-nvl-94gb"],
        input_tokens=100_000,
        output_tokens=1000,
        concurrency=4,
        counts=[4],
    )
    assert [option["accelerator"] for option in answer["options"]] == ["nvidia-h100-nvl-94gb", "nvidia-h20"]


def test_balanced_is_by_price_once_every_candidate_has_one():
    prices = {"nvidia-l4": 2500.0, "nvidia-rtx-4090": 1800.0}
    answer = _ask(accelerators=["nvidia-l4", "nvidia-rtx-4090"], prices=prices, currency="EUR")
    option = answer["options"][0]
    assert "balanced_by_price" in _remarks(answer)
    assert option["cost"]["purchase"] == prices[option["accelerator"]] * option["count"]
    assert (option["cost"]["currency"], option["cost"]["price"]["kind"]) == ("EUR", "given")
    each = _ms_per_token(option["speed"])
    assert option["score"] == pytest.approx(each * option["cost"]["purchase"], rel=1e-3)
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


SLOW = ["raspberry-pi-5", "nvidia-l4"]


def test_the_least_power_is_sought_among_set_ups_that_are_fast_enough():
    # a Raspberry Pi 5 reads 17 GB/s: 7B in 4 bits takes a quarter of a second per token even for one user
    more = {"accelerators": SLOW, "engines": ("llama.cpp",), "concurrency": 1, "counts": [1], "limit": 50}
    answer = _ask(objective="lowest_power", **more)
    assert _set_ups(answer) == [("nvidia-l4", 1)]
    assert _remarks(answer)["usable_floor_assumed"] == {"tokens_per_s": 5.0, "first_token_s": 60.0}
    assert "below_usable_floor" in {group["reason"] for group in answer["excluded"]}
    fastest = _ask(objective="lowest_tpot", **more)
    assert {name for name, _ in _set_ups(fastest)} == set(SLOW)
    ranks = {option["accelerator"]: option["rank"] for option in fastest["options"]}
    assert fastest["winners"]["lowest_power"] == ranks["nvidia-l4"]


@pytest.mark.parametrize("target", [{"tpot_ms": 60_000.0}, {"output_tokens_per_s_per_user": 0.01}])
def test_a_target_of_the_asker_takes_the_place_of_the_assumed_speed(target):
    answer = _ask(
        accelerators=SLOW,
        engines=("llama.cpp",),
        concurrency=1,
        counts=[1],
        objective="lowest_power",
        input_tokens=100,
        **target,
    )
    assert _set_ups(answer)[0] == ("raspberry-pi-5", 1)
    assert _remarks(answer)["usable_floor_assumed_first_token_s"] == {"first_token_s": 60.0}


def test_nothing_is_assumed_where_throughput_is_sought():
    answer = _ask(objective="highest_throughput", accelerators=SLOW, engines=("llama.cpp",), concurrency=1)
    assert not any("usable" in code for code in _remarks(answer))
    assert answer["winners"]["lowest_power"] is not None


def test_where_nothing_is_fast_enough_all_are_ranked_and_it_is_said():
    answer = _ask(
        accelerators=["raspberry-pi-5"], engines=("llama.cpp",), objective="lowest_power", concurrency=1
    )
    assert _set_ups(answer) == [("raspberry-pi-5", 1)]
    assert "nothing_reaches_usable_floor" in _remarks(answer)
    assert answer["winners"]["lowest_power"] == 1


def test_at_a_rate_throughput_is_what_could_be_carried():
    # one rate is served alike by all, so that the largest machines must not be told by rounding
    answer = _ask(requests_per_s=2.0, objective="highest_throughput", limit=200)
    loads = [option["load"] for option in answer["options"]]
    capacities = [load["capacity_per_s"] for load in loads]
    assert capacities == sorted(capacities, reverse=True)
    assert capacities[0] > 20 * 2.0
    for load in loads:
        assert load["share_of_capacity"] == pytest.approx(2.0 / load["capacity_per_s"], abs=0.001)
        assert load["share_of_capacity"] <= 1.0
    assert "throughput_is_capacity" in _remarks(answer)
    assert answer["options"][0]["reason"]["values"]["by"] == "capacity"


def test_a_load_near_the_capacity_is_advised_against():
    options = _ask(requests_per_s=30.0, limit=200)["options"]
    near = [option for option in options if option["load"]["share_of_capacity"] > 0.8]
    assert near
    assert len(near) < len(options)
    for option in options:
        assert ("load_near_capacity" in _advice(option)) == (option in near)
    share = near[0]["load"]["share_of_capacity"]
    assert _advice(near[0])["load_near_capacity"] == {"percent": round(100 * share), "limit_percent": 80}


def test_users_at_the_same_time_have_no_share_of_capacity():
    load = _ask()["options"][0]["load"]
    assert load == {
        "concurrency": 8,
        "requests_per_s": None,
        "capacity_per_s": None,
        "share_of_capacity": None,
    }


def test_a_part_of_a_board_is_said_in_the_option_and_in_the_bill():
    # MI300X come on boards of eight
    options = _ask(accelerators=["amd-mi300x", "nvidia-l4"], limit=50)["options"]
    whole, part = (
        next(o for o in options if (o["accelerator"], o["count"]) == ("amd-mi300x", count))
        for count in (8, 1)
    )
    boards = {"size": 8, "boards": 1, "used": 1, "held": 8}
    assert part["bill_of_materials"][0]["boards"] == boards
    assert _advice(part)["part_of_board"] == {**boards, "accelerator": "Instinct MI300X"}
    assert "part_of_board" not in _advice(whole)
    card = next(option for option in options if option["accelerator"] == "nvidia-l4")
    assert card["bill_of_materials"][0]["boards"] is None


def test_requests_longer_than_the_model_takes_are_said_with_the_way_to_a_longer_window():
    # Qwen3 takes 40,960 tokens, and 4 x 32,768 by YaRN as its card documents
    values = _remarks(_ask("Qwen/Qwen3-8B", longest_tokens=64_000))["longest_above_model_limit_scaled"]
    assert values == {
        "tokens": 64_000,
        "limit": 40_960,
        "kind": "yarn",
        "factor": 4.0,
        "original": 32_768,
        "longer": 131_072,
    }
    values = _remarks(_ask("Qwen/Qwen3-8B", longest_tokens=200_000))["longest_above_model_limit"]
    assert values == {"tokens": 200_000, "limit": 40_960}
    assert not any("longest" in code for code in _remarks(_ask("Qwen/Qwen3-8B", longest_tokens=40_000)))


def test_a_window_from_means_is_said():
    # 1,250 tokens and a fifth, up to a multiple of 256
    assert _remarks(_ask())["window_from_means"] == {"max_model_len": 1536}
    assert "window_from_means" not in _remarks(_ask(longest_tokens=4000))


def test_more_users_than_slots_can_be_stated_are_answered_with_requests_that_hold():
    answer = _ask(concurrency=100_000_000, objective="highest_throughput")
    assert answer["options"]
    for option in answer["options"]:
        assert isinstance(parse_request(option["request"], CATALOG), EstimateRequest)


@pytest.mark.parametrize("engine", ["vllm", "sglang", "tensorrt-llm", "llama.cpp"])
def test_a_little_less_than_the_capacity_is_carried_and_a_little_more_is_not(engine):
    one = {
        "engines": (engine,),
        "accelerators": ["nvidia-h100-pcie-80gb"],
        "counts": [1],
        "schemes": ["gguf-q8_0" if engine == "llama.cpp" else "bf16"],
        "kv_cache_dtypes": ["auto"],
    }
    capacity = _ask(requests_per_s=0.01, **one)["options"][0]["load"]["capacity_per_s"]
    assert _ask(requests_per_s=0.9 * capacity, **one)["options"]
    assert _ask(requests_per_s=1.1 * capacity, **one)["options"] == []


def test_twice_the_replicas_carry_twice_the_load():
    # a batch for one request alone is smaller than that for many: capacity is at the many
    more = {"engines": ("tensorrt-llm",), "accelerators": ["nvidia-h100-sxm5-80gb"], "counts": [1, 2]}
    options = _ask(requests_per_s=0.1, objective="highest_throughput", **more)["options"]
    carried = {option["count"]: option["load"]["capacity_per_s"] for option in options}
    assert carried[2] == pytest.approx(2 * carried[1], rel=0.05)
