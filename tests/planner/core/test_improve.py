"""The smallest changes: what is offered really helps when an estimate is asked, and the order is that of effort."""

from typing import Any

import pytest

from planner.catalog import load_shipped
from planner.core.estimate import estimate
from planner.core.improve import WELL, gain, improvements
from planner.core.mend import merged
from planner.core.parse import parse_request
from planner.core.request import EstimateRequest

CATALOG = load_shipped()
CHAT = {"input_tokens": 1024, "output_tokens": 256, "concurrency": 16}
TOO_LARGE: dict[str, Any] = {
    "model": {"id": "Qwen/Qwen2.5-14B-Instruct"},
    "accelerator": "nvidia-rtx-4090",
    "settings": {"max_model_len": 4096, "max_num_seqs": 16},
    "workload": CHAT,
}
TOO_SLOW: dict[str, Any] = {
    "model": {"id": "Qwen/Qwen2.5-32B-Instruct-AWQ"},
    "accelerator": "nvidia-rtx-4090",
    "count": 2,
    "parallelism": {"tensor": 2},
    "settings": {"max_model_len": 4096, "max_num_seqs": 16},
    "workload": {**CHAT, "output_tokens": 512},
    "targets": {"tpot_ms": 20},
}
SETUPS: list[dict[str, Any]] = [
    TOO_LARGE,
    TOO_SLOW,
    {**TOO_LARGE, "model": {"id": "Qwen/Qwen2.5-32B-Instruct"}, "settings": "derive"},
    {
        "model": {"id": "openai/gpt-oss-120b"},
        "accelerator": "nvidia-h100-sxm5-80gb",
        "settings": {"max_model_len": 8192},
        "workload": {"input_tokens": 7680, "output_tokens": 512, "concurrency": 16},
    },
    {
        "model": {"id": "meta-llama/Llama-3.3-70B-Instruct"},
        "weights": "gguf-q4_k_m",
        "engine": {"name": "llama.cpp"},
        "accelerator": "apple-m2-ultra",
        "settings": {"max_model_len": 4096},
        "workload": CHAT,
    },
    {
        # ours are fewer slots than users here, so that those who decode stay within the target
        "model": {"id": "Qwen/Qwen2.5-72B-Instruct"},
        "accelerator": "amd-mi300x",
        "settings": "derive",
        "workload": {
            "input_tokens": {"p50": 800, "p90": 2000, "p99": 4000},
            "output_tokens": 200,
            "concurrency": 32,
        },
        "targets": {"tpot_ms": 60},
    },
    {
        "model": {"id": "meta-llama/Llama-3.1-8B-Instruct"},
        "accelerator": "nvidia-l4",
        "settings": {"max_model_len": 1024, "enforce_eager": True},
        "workload": CHAT,
        "targets": {"tpot_ms": 60, "ttft_ms": 5000},
    },
]


def parsed(obj: dict[str, Any]) -> EstimateRequest:
    request = parse_request(obj, CATALOG)
    assert isinstance(request, EstimateRequest)
    return request


@pytest.mark.parametrize("asked", SETUPS, ids=lambda item: f"{item['model']['id']}-{item['accelerator']}")
def test_every_offered_change_holds_when_it_is_asked_as_an_estimate(asked: dict[str, Any]) -> None:
    found = improvements(parsed(asked), CATALOG)
    assert found.changes
    for change in found.changes:
        request = parsed(merged(asked, change.candidate.change))
        (answer,) = estimate([request], CATALOG)
        assert answer["verdict"] == change.after.verdict == "fits"
        speed, workload = answer["speed"], request.workload
        assert workload is not None
        figures = change.after.figures
        assert (speed["tpot_ms"], speed["ttft_ms"]) == (figures["tpot_ms"], figures["ttft_ms"])
        served = speed["running"] * request.parallelism.data >= workload.concurrency - 0.01
        limits = asked.get("targets", {})
        met = all(speed[name] <= limit for name, limit in limits.items())
        assert change.solves is (served and met)


@pytest.mark.parametrize("asked", SETUPS, ids=lambda item: f"{item['model']['id']}-{item['accelerator']}")
def test_what_is_said_not_to_help_solves_nothing(asked: dict[str, Any]) -> None:
    found = improvements(parsed(asked), CATALOG)
    assert len(found.changes) <= 6
    assert len(found.in_vain) <= 2
    assert not any(change.solves for change in found.in_vain)


@pytest.mark.parametrize("asked", SETUPS, ids=lambda item: f"{item['model']['id']}-{item['accelerator']}")
def test_changes_come_in_the_order_of_effort_and_the_same_each_time(asked: dict[str, Any]) -> None:
    first, second = improvements(parsed(asked), CATALOG), improvements(parsed(asked), CATALOG)
    efforts = [change.candidate.effort for change in first.changes]
    assert efforts == sorted(efforts)
    assert [item.candidate.change for item in first.changes] == [
        item.candidate.change for item in second.changes
    ]


def changes_of(asked: dict[str, Any]) -> list[dict[str, Any]]:
    return [dict(change.candidate.change) for change in improvements(parsed(asked), CATALOG).changes]


def test_weights_too_large_for_a_card_are_narrowed_before_cards_are_added() -> None:
    # 14.8 B parameters × 2 bytes are 27.5 GiB on a card of 24; one byte each leaves room, and so do two cards
    changes = changes_of(TOO_LARGE)
    assert changes[0] == {"weights": "fp8"}
    assert changes[1] == {"count": 2, "parallelism": {"tensor": 2, "pipeline": 1, "data": 1}}


def test_gain_tells_what_lacks_before_and_what_is_left_after() -> None:
    first = improvements(parsed(TOO_LARGE), CATALOG).changes[0]
    (before,) = estimate([parsed(TOO_LARGE)], CATALOG)
    lacks, left = gain(first)["spare_gib"]
    # a pool below zero is the whole gap, framework and activation included
    assert lacks == before["memory"]["per_accelerator"]["kv_cache_gib"]
    assert left > 0
    assert gain(first)["users"] == [None, 16]


def test_replicas_in_place_of_a_tensor_group_are_told_where_they_do_not_help() -> None:
    found = improvements(parsed(TOO_SLOW), CATALOG)
    assert found.in_vain[0].candidate.change == {
        "count": 2,
        "parallelism": {"tensor": 1, "pipeline": 1, "data": 2},
    }
    tpot = gain(found.in_vain[0])["tpot_ms"]
    assert tpot[1] > tpot[0]


def test_two_changes_are_offered_where_no_single_one_is_enough_without_more_hardware() -> None:
    found = improvements(parsed(SETUPS[2]), CATALOG)
    pair = next(change for change in found.changes if change.candidate.code == "pair")
    assert pair.candidate.change == {"kv_cache_dtype": "fp8", "weights": "awq-int4"}
    assert pair.solves


def test_nothing_is_offered_where_nothing_is_wrong() -> None:
    found = improvements(parsed({**TOO_LARGE, "model": {"id": "Qwen/Qwen2.5-7B-Instruct"}}), CATALOG)
    assert (found.before.level, found.changes, found.in_vain) == (WELL, (), ())


def test_nothing_is_offered_without_a_card() -> None:
    found = improvements(parsed({**TOO_LARGE, "accelerator": None}), CATALOG)
    assert (found.changes, found.in_vain) == ((), ())


def test_slots_and_context_are_mended_first() -> None:
    small = {**TOO_LARGE, "model": {"id": "Qwen/Qwen2.5-7B-Instruct"}}
    assert changes_of({**small, "settings": {"max_model_len": 4096, "max_num_seqs": 4}})[0] == {
        "settings": {"max_num_seqs": 16}
    }
    assert changes_of({**small, "settings": {"max_model_len": 1000, "max_num_seqs": 16}})[0] == {
        # 1,280 tokens and a fifth, in steps of 256
        "settings": {"max_model_len": 1536}
    }


def test_eager_mode_is_dropped_where_that_meets_the_target() -> None:
    slow = {
        **TOO_LARGE,
        "model": {"id": "Qwen/Qwen2.5-7B-Instruct"},
        "settings": {"max_model_len": 4096, "max_num_seqs": 16, "enforce_eager": True},
    }
    (eager,) = estimate([parsed(slow)], CATALOG)
    (plain,) = estimate([parsed(merged(slow, {"settings": {"enforce_eager": False}}))], CATALOG)
    between = (eager["speed"]["tpot_ms"] + plain["speed"]["tpot_ms"]) / 2
    assert changes_of({**slow, "targets": {"tpot_ms": between}})[0] == {"settings": {"enforce_eager": False}}


def test_change_of_a_setting_takes_derived_ones_along() -> None:
    # "derive" is replaced by the change, so what was derived must stand in it
    asked = {
        **TOO_LARGE,
        "model": {"id": "Qwen/Qwen2.5-7B-Instruct"},
        "settings": "derive",
        "workload": {**CHAT, "concurrency": 120},
    }
    for change in improvements(parsed(asked), CATALOG).changes:
        settings = change.candidate.change.get("settings")
        if settings is not None:
            assert {"max_model_len", "max_num_seqs"} <= set(settings)


def test_workload_asked_per_day_is_not_offered_fewer_users() -> None:
    asked = {
        **TOO_LARGE,
        "model": {"id": "Qwen/Qwen2.5-7B-Instruct"},
        "workload": {"input_tokens": 1024, "output_tokens": 256, "requests_per_day": 5_000_000},
        "targets": {"tpot_ms": 15},
    }
    codes = [change.candidate.code for change in improvements(parsed(asked), CATALOG).changes]
    assert "fewer_users" not in codes


def test_another_card_leaves_the_power_cap_of_this_one_behind() -> None:
    asked = {
        **TOO_LARGE,
        "weights": "bf16",
        "power_limit_w": 300,
        "model": {"id": "Qwen/Qwen2.5-32B-Instruct"},
    }
    other = [change for change in changes_of(asked) if "accelerator" in change]
    assert other
    for change in other:
        assert change["power_limit_w"] is None
        assert isinstance(parse_request(merged(asked, change), CATALOG), EstimateRequest)


def _offered(**asked: Any) -> dict[str, list[str]]:
    """What is offered for a set-up: code -> the values that tell one from another."""
    found: dict[str, list[str]] = {}
    for change in improvements(parsed({"settings": "derive", "workload": CHAT, **asked}), CATALOG).changes:
        shown = " ".join(str(value) for value in change.candidate.values.values())
        found.setdefault(change.candidate.code, []).append(shown)
    return found


def test_card_that_a_version_left_behind_is_offered_the_last_one_that_takes_it() -> None:
    # engine-flag tables: compute capability 7.0 up to 0.19, 7.5 from 0.20
    found = _offered(model={"id": "Qwen/Qwen2.5-7B-Instruct"}, accelerator="nvidia-v100-sxm2-32gb")
    assert found["older_engine"] == ["vllm 0.19.0"]
    assert any(text.startswith("llama.cpp") for text in found["other_engine"])


def test_format_that_an_engine_does_not_load_is_offered_others_and_other_engines() -> None:
    found = _offered(
        model={"id": "meta-llama/Llama-3.1-8B-Instruct"},
        weights="int8-w8a8",
        accelerator="nvidia-rtx-3090",
        engine={"name": "tensorrt-llm"},
    )
    assert found["narrow_weights"] == ["bf16"]
    assert any(text.startswith("vllm") and text.endswith("int8-w8a8") for text in found["other_engine"])


def test_no_change_breaks_a_target_that_was_met() -> None:
    # more slots at once would be more users, each of whom waits longer than asked
    asked = {
        "model": {"id": "meta-llama/Llama-3.1-8B-Instruct"},
        "accelerator": "nvidia-rtx-4090",
        "settings": "derive",
        "workload": {"input_tokens": 8000, "output_tokens": 300, "concurrency": 16},
        "targets": {"tpot_ms": 30},
    }
    found = improvements(parsed(asked), CATALOG)
    assert found.changes
    assert found.before.miss <= 1
    assert all(not change.after.miss > 1 for change in found.changes)


def test_cards_that_were_never_on_sale_are_not_offered() -> None:
    found = _offered(
        model={"id": "Qwen/Qwen2.5-32B-Instruct"},
        accelerator="nvidia-h100-sxm5-80gb",
        workload={**CHAT, "concurrency": 64},
        targets={"tpot_ms": 40, "ttft_ms": 2000},
    )
    assert "nvidia-b200-sxm" in found["other_card"][0]
