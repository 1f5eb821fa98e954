"""Limits of one set-up: exact where an estimate is asked at the limit and one step further."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from planner.catalog import load_shipped
from planner.core.estimate import estimate
from planner.core.limits import LENGTH_STEP, Limit, best_settings, highest, limits_of
from planner.core.parse import parse_request
from planner.core.request import EstimateRequest

CATALOG = load_shipped()
CHAT = {"input_tokens": 1024, "output_tokens": 256, "concurrency": 16}
SETUPS: list[dict[str, Any]] = [
    {"model": {"id": "Qwen/Qwen2.5-7B-Instruct"}, "accelerator": "nvidia-rtx-4090"},
    {
        "model": {"id": "google/gemma-3-27b-it"},
        "accelerator": "nvidia-h100-sxm5-80gb",
        "engine": {"name": "vllm", "version": "0.19.0"},
    },
    {
        "model": {"id": "meta-llama/Llama-3.1-8B-Instruct"},
        "accelerator": "nvidia-l4",
        "engine": {"name": "vllm", "version": "0.6.0"},
    },
    {
        "model": {"id": "meta-llama/Llama-3.3-70B-Instruct"},
        "weights": "awq-int4",
        "accelerator": "nvidia-h100-sxm5-80gb",
        "count": 2,
        "parallelism": {"data": 2},
    },
    {
        "model": {"id": "Qwen/Qwen2.5-7B-Instruct"},
        "accelerator": "nvidia-rtx-4090",
        "engine": {"name": "sglang"},
    },
    {
        "model": {"id": "meta-llama/Llama-3.1-8B-Instruct"},
        "weights": "gguf-q4_k_m",
        "accelerator": "nvidia-rtx-4090",
        "engine": {"name": "llama.cpp"},
        "settings": {"max_model_len": 4096, "max_num_seqs": 16},
    },
]


def parsed(**changes: Any) -> EstimateRequest:
    asked = {"settings": {"max_model_len": 4096}, "workload": CHAT, **changes}
    request = parse_request(asked, CATALOG)
    assert isinstance(request, EstimateRequest)
    return request


def answer_at(request: EstimateRequest, *, users: int | None = None, **settings: Any) -> dict[str, Any]:
    workload = request.workload
    assert workload is not None
    workload = replace(workload, concurrency=users or workload.concurrency)
    changed = replace(request, workload=workload, settings=replace(request.settings, **settings))
    (answer,) = estimate([changed], CATALOG)
    return answer


def runs_all(request: EstimateRequest, users: int, **settings: Any) -> bool:
    answer = answer_at(request, users=users, **settings)
    if answer["verdict"] != "fits" or not answer["speed"]:
        return False
    return bool(answer["speed"]["running"] * request.parallelism.data >= users - 0.01)


@pytest.mark.parametrize("setup", SETUPS, ids=lambda item: str(item.get("engine")) + item["accelerator"])
def test_longest_context_starts_and_the_next_step_does_not(setup: dict[str, Any]) -> None:
    request = parsed(**setup)
    limit = limits_of(request, CATALOG).longest_context
    assert limit.value is not None
    assert answer_at(request, max_model_len=limit.value)["verdict"] == "fits"
    if limit.code == "model_limit":
        assert limit.value == request.model.max_position_embeddings
    else:
        assert answer_at(request, max_model_len=limit.value + LENGTH_STEP)["verdict"] == "does_not_fit"


@pytest.mark.parametrize("setup", SETUPS, ids=lambda item: str(item.get("engine")) + item["accelerator"])
def test_most_users_decode_at_once_and_one_more_per_replica_does_not(setup: dict[str, Any]) -> None:
    request = parsed(**setup)
    limit = limits_of(request, CATALOG).most_users
    assert limit is not None
    assert limit.value is not None
    assert runs_all(request, limit.value)
    assert not runs_all(request, limit.value + request.parallelism.data)


@pytest.mark.parametrize("setup", SETUPS[:5], ids=lambda item: str(item.get("engine")) + item["accelerator"])
def test_most_users_by_cache_take_one_slot_each(setup: dict[str, Any]) -> None:
    request = parsed(**setup)
    limit = limits_of(request, CATALOG).most_users_by_cache
    assert limit is not None
    assert limit.value is not None
    slots = limit.value // request.parallelism.data
    present = request.settings.max_num_seqs or 0
    assert runs_all(request, limit.value, max_num_seqs=max(slots, present))
    more = limit.value + request.parallelism.data
    assert not runs_all(request, more, max_num_seqs=max(slots + 1, present))


def test_longest_context_for_users_is_their_share_of_the_pool() -> None:
    # 125,504 tokens of cache, as the estimate of this set-up says, over 16 users: 7,844, in whole blocks of 16 7,840
    request = parsed(**SETUPS[0], settings={"max_model_len": 4096, "max_num_seqs": 16})
    assert answer_at(request)["memory"]["kv_cache_tokens"] // 16 // 16 * 16 == 7_840
    assert limits_of(request, CATALOG).longest_context_for_users == Limit(value=7_840, code="kv_cache")


def test_slots_below_the_users_leave_no_context_for_all_of_them() -> None:
    found = limits_of(parsed(**SETUPS[0], settings={"max_num_seqs": 8}), CATALOG)
    assert found.longest_context_for_users == Limit(
        value=None, code="max_num_seqs", values={"max_num_seqs": 8, "concurrency": 16}
    )
    assert found.most_users == Limit(value=8, code="max_num_seqs", values={"max_num_seqs": 8})


def test_users_within_a_target_meet_it_and_one_more_misses_it() -> None:
    request = parsed(**SETUPS[0], targets={"tpot_ms": 22})
    limit = limits_of(request, CATALOG).most_users_within_targets
    assert limit is not None
    assert limit.value is not None
    assert limit.code == "tpot_ms"
    tpot = [answer_at(request, users=limit.value + more)["speed"]["tpot_ms"] for more in (0, 1)]
    assert tpot[0] <= 22 < tpot[1]


def test_target_that_nobody_meets_leaves_no_users() -> None:
    limit = limits_of(parsed(**SETUPS[0], targets={"tpot_ms": 1}), CATALOG).most_users_within_targets
    assert limit == Limit(value=None, code="tpot_ms")


def test_derived_settings_give_each_number_of_users_its_own_slots() -> None:
    request = parsed(**SETUPS[0], settings="derive", targets={"tpot_ms": 22})
    found = limits_of(request, CATALOG)
    assert found.most_users == found.most_users_by_cache
    limit = found.most_users_within_targets
    assert limit is not None
    assert limit.value is not None

    def tpot_at(users: int) -> float:
        (answer,) = estimate([parsed_users(users)], CATALOG)
        return float(answer["speed"]["tpot_ms"])

    def parsed_users(users: int) -> EstimateRequest:
        # typed settings, one slot for each user, at the length that is derived: 1,280 tokens and a fifth
        return parsed(
            **SETUPS[0],
            settings={"max_model_len": 1536, "max_num_seqs": users},
            workload={**CHAT, "concurrency": users},
        )

    assert tpot_at(limit.value) <= 22 < tpot_at(limit.value + 1)


def test_p99_target_is_not_judged() -> None:
    found = limits_of(parsed(**SETUPS[0], targets={"tpot_ms": {"p99": 1}}), CATALOG)
    assert found.most_users_within_targets is None


def test_setup_whose_weights_are_too_large_has_no_limits() -> None:
    found = limits_of(
        parsed(model={"id": "meta-llama/Llama-3.3-70B-Instruct"}, accelerator="nvidia-rtx-4090"), CATALOG
    )
    assert found.verdict == "does_not_fit"
    assert found.longest_context == Limit(value=None, code="not_started")
    assert found.most_users == Limit(value=None, code="not_started")


def test_setup_without_card_is_unknown() -> None:
    found = limits_of(parsed(model={"id": "Qwen/Qwen2.5-7B-Instruct"}), CATALOG)
    assert found.verdict == "unknown"
    assert found.longest_context == Limit(value=None, code="unknown")


def test_setup_without_workload_has_a_longest_context_only() -> None:
    found = limits_of(parsed(**SETUPS[0], workload=None), CATALOG)
    assert found.longest_context.value is not None
    assert (found.most_users, found.most_users_by_cache, found.longest_context_for_users) == (
        None,
        None,
        None,
    )


def test_requests_longer_than_the_context_are_served_to_nobody() -> None:
    found = limits_of(parsed(**SETUPS[0], settings={"max_model_len": 1000}), CATALOG)
    assert found.most_users == Limit(value=None, code="max_model_len", values={"max_model_len": 1000})


def test_best_settings_start_and_serve_the_users() -> None:
    request = parsed(**SETUPS[0])
    found = best_settings(request, CATALOG)
    assert found is not None
    assert runs_all(request, 16, **found)
    assert best_settings(parsed(**SETUPS[0], workload=None), CATALOG) is None


def up_to(edge: int) -> Callable[[Sequence[int]], list[bool]]:
    return lambda batch: [value <= edge for value in batch]


@pytest.mark.parametrize("last", [1, 2, 3, 100, 8_192, 100_000])
def test_highest_finds_every_edge(last: int) -> None:
    edges = {0, 1, last // 2, last - 1, last}
    assert {edge: highest(last, up_to(edge)) for edge in edges} == {edge: edge or None for edge in edges}


def test_highest_of_an_empty_range_is_nothing() -> None:
    assert highest(0, up_to(5)) is None


def test_users_that_nothing_stops_are_said_to_be_those_of_the_search() -> None:
    # By hand: 36 KiB of cache a token and 14 tokens on average for a user are 50 GiB for 100,000 users, of 110 free
    asked = {
        "model": {"id": "Qwen/Qwen2.5-3B"},
        "accelerator": "nvidia-h200-sxm5-141gb",
        "engine": {"name": "sglang"},
        "settings": {"max_num_seqs": 1_000_000},
        "workload": {"input_tokens": 1, "output_tokens": 26, "concurrency": 1},
    }
    request = parse_request(asked, CATALOG)
    assert isinstance(request, EstimateRequest)
    assert limits_of(request, CATALOG).most_users == Limit(value=100_000, code="search_limit")
