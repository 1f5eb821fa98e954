"""The question of a search: what is read, and every problem at once at the place where the asker wrote it."""

from typing import Any

import pytest

from planner.catalog import load_shipped
from planner.core.parse import Rejected
from planner.core.request import Targets
from planner.core.search.asked import Constraints, SearchRequest
from planner.core.search.parse import parse_search

CATALOG = load_shipped()
SEARCH: dict[str, Any] = {
    "model": {"id": "Qwen/Qwen2.5-7B-Instruct"},
    "workload": {"input_tokens": 1024, "output_tokens": 256, "concurrency": 16},
}


def parsed(**more: Any) -> SearchRequest:
    found = parse_search({**SEARCH, **more}, CATALOG)
    assert isinstance(found, SearchRequest), found
    return found


def problems(**more: Any) -> list[tuple[str | None, str]]:
    found = parse_search({**SEARCH, **more}, CATALOG)
    assert isinstance(found, Rejected)
    return [(item.field, item.code) for item in found.problems]


def test_search_with_the_least_that_can_be_asked_takes_all() -> None:
    found = parsed(id="a")
    assert (found.id, found.model.id) == ("a", "Qwen/Qwen2.5-7B-Instruct")
    assert (found.schemes, found.kv_cache_dtypes, found.engines, found.accelerators, found.counts) == (
        (),
        (),
        (),
        (),
        (),
    )
    assert (found.targets, found.constraints) == (Targets(), Constraints())
    assert (found.objective, found.limit) == ("balanced", 20)


def test_search_takes_one_or_several_of_everything() -> None:
    one = parsed(weights="awq-int4", kv_cache_dtype="fp8", engine={"name": "sglang"}, counts=2)
    assert [scheme.id for scheme in one.schemes] == ["awq-int4"]
    assert (one.kv_cache_dtypes, [engine.name for engine in one.engines], one.counts) == (
        ("fp8",),
        ["sglang"],
        (2,),
    )
    several = parsed(
        weights=[None, "awq-int4"],
        kv_cache_dtype=["auto", "fp8"],
        engines=[{"name": "vllm", "version": "0.19.0"}, {"name": "llama.cpp"}],
        accelerators=["NVIDIA GeForce RTX 4090", "nvidia-l4", "nvidia-rtx-4090"],
        counts=[4, 1, 4],
    )
    # null in a list is what the publisher stored: 16 bits for this model
    assert [scheme.id for scheme in several.schemes] == ["bf16", "awq-int4"]
    assert (several.engines[0].name, several.engines[0].version) == ("vllm", "0.19.0")
    assert [card.id for card in several.accelerators] == ["nvidia-rtx-4090", "nvidia-l4"]
    assert several.counts == (1, 4)


def test_search_reads_load_as_requests_per_day_with_quantiles() -> None:
    lengths = {"p50": 500, "p90": 2000, "p99": 8000}
    found = parsed(workload={"input_tokens": lengths, "output_tokens": 150, "requests_per_day": 86_400})
    assert found.workload.requests_per_s == 1.0
    assert found.workload.longest_tokens == 8150


def test_search_reads_constraints() -> None:
    found = parsed(
        constraints={
            "budget": {"amount": 20_000, "currency": "cny"},
            "prices": {"NVIDIA GeForce RTX 4090": 15_000},
            "power_w": 900,
            "vendors": ["nvidia"],
            "classes": ["Consumer", "workstation"],
            "ecc": False,
            "owned": {"nvidia-rtx-4090": 2},
            "place": "server",
            "max_count": 4,
        }
    ).constraints
    assert found == Constraints(
        budget=20_000.0,
        currency="CNY",
        prices={"nvidia-rtx-4090": 15_000.0},
        power_w=900.0,
        vendors=frozenset({"NVIDIA"}),
        classes=frozenset({"consumer", "workstation"}),
        ecc=False,
        owned={"nvidia-rtx-4090": 2},
        place="server",
        max_count=4,
    )
    assert (found.prices, found.owned) == ({"nvidia-rtx-4090": 15_000.0}, {"nvidia-rtx-4090": 2})


def test_search_takes_a_budget_as_a_number_beside_its_currency() -> None:
    found = parsed(constraints={"budget": 5000, "currency": "EUR"}).constraints
    assert (found.budget, found.currency) == (5000.0, "EUR")


def test_search_says_everything_that_is_wrong_at_its_place() -> None:
    found = problems(
        weights=["int3", 4],
        kv_cache_dtype="tiny",
        engines=[{"name": "vlm"}, {"nam": "vllm"}],
        accelerators=["NVIDIA GeForce RTX 4090", "rtx-9999", None],
        counts=[0, 65, "two"],
        constraints={"vendors": "nvida", "classes": ["gpu"], "place": "moon", "power_w": -1, "ecc": 1},
        objective="best",
        limit=51,
        budget=5,
    )
    assert sorted(found, key=str) == [
        ("accelerators[1]", "unknown_accelerator"),
        ("accelerators[2]", "missing"),
        ("budget", "unknown_field"),
        ("constraints.classes[0]", "unknown_class"),
        ("constraints.ecc", "wrong_type"),
        ("constraints.place", "unknown_choice"),
        ("constraints.power_w", "out_of_range"),
        ("constraints.vendors", "unknown_vendor"),
        ("counts[0]", "out_of_range"),
        ("counts[1]", "out_of_range"),
        ("counts[2]", "wrong_type"),
        ("engines[0].name", "unknown_engine"),
        ("engines[1].nam", "unknown_field"),
        ("kv_cache_dtype", "unknown_kv_cache_dtype"),
        ("limit", "out_of_range"),
        ("objective", "unknown_choice"),
        ("weights[0]", "unknown_scheme"),
        ("weights[1]", "wrong_type"),
    ]


@pytest.mark.parametrize(
    ("constraints", "field", "code"),
    [
        ({"budget": 5000}, "constraints.currency", "budget_needs_currency"),
        ({"budget": {"amount": 5000}}, "constraints.budget.currency", "budget_needs_currency"),
        ({"budget": {"currency": "USD"}}, "constraints.budget.amount", "missing"),
        (
            {"budget": {"amount": 1, "currency": "USD"}, "currency": "EUR"},
            "constraints.budget.currency",
            "currencies_differ",
        ),
        ({"budget": {"amount": "1", "currency": "USD"}}, "constraints.budget.amount", "wrong_type"),
        ({"prices": {"nvidia-l4": 2500}}, "constraints.currency", "prices_need_currency"),
        ({"prices": {"nvidia-l4": 0}, "currency": "USD"}, "constraints.prices.nvidia-l4", "out_of_range"),
        ({"prices": {"l999": 1}, "currency": "USD"}, "constraints.prices.l999", "unknown_accelerator"),
        ({"currency": "RMB"}, "constraints.currency", "unknown_currency"),
        ({"owned": {"nvidia-l4": 1.5}}, "constraints.owned.nvidia-l4", "not_whole"),
        (
            {"owned": {"nvidia-rtx-4090": 1, "NVIDIA GeForce RTX 4090": 2}},
            "constraints.owned.NVIDIA GeForce RTX 4090",
            "accelerator_named_twice",
        ),
        ({"owned": [1]}, "constraints.owned", "wrong_type"),
        ({"vendors": []}, "constraints.vendors", "list_empty"),
        ({"colour": "red"}, "constraints.colour", "unknown_field"),
        ([], "constraints", "wrong_type"),
    ],
)
def test_search_refuses_a_constraint(constraints: Any, field: str, code: str) -> None:
    assert problems(constraints=constraints) == [(field, code)]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (
            {"accelerators": ["nvidia-l4"], "constraints": {"owned": {"nvidia-rtx-4090": 1}}},
            ("constraints.owned.nvidia-rtx-4090", "owned_not_in_accelerators"),
        ),
        ({"counts": [8], "constraints": {"max_count": 4}}, ("counts", "counts_above_max_count")),
        ({"counts": [8], "constraints": {"place": "edge"}}, ("counts", "edge_is_one_device")),
        ({"engine": {"name": "vllm"}, "engines": [{"name": "vllm"}]}, ("engines", "engine_or_engines")),
    ],
)
def test_search_refuses_what_cannot_hold_together(asked: dict[str, Any], found: tuple[str, str]) -> None:
    assert problems(**asked) == [found]


def test_search_suggests_names_that_are_close() -> None:
    found = parse_search({**SEARCH, "constraints": {"vendors": ["nvida"], "currency": "rmb"}}, CATALOG)
    assert isinstance(found, Rejected)
    assert {item.code: item.values["close"] for item in found.problems} == {
        "unknown_vendor": "NVIDIA",
        "unknown_currency": "CNY",
    }


def test_search_without_model_or_workload_names_both() -> None:
    found = parse_search({"id": "x"}, CATALOG)
    assert isinstance(found, Rejected)
    assert (found.id, [(item.field, item.code) for item in found.problems]) == (
        "x",
        [("model", "missing"), ("workload", "missing")],
    )


@pytest.mark.parametrize("obj", [None, [], "search", 3, True])
def test_search_that_is_no_object_is_refused(obj: Any) -> None:
    found = parse_search(obj, CATALOG)
    assert isinstance(found, Rejected)
    assert [item.code for item in found.problems] == ["not_an_object"]


def test_search_bounds_its_lists() -> None:
    found = problems(
        weights=["bf16"] * 65,
        kv_cache_dtype=["auto"] * 17,
        engines=[{"name": "vllm"}] * 9,
        accelerators=["nvidia-l4"] * 1001,
        counts=[1] * 65,
    )
    assert found == [
        (field, "too_many_entries")
        for field in ("weights", "kv_cache_dtype", "engines", "accelerators", "counts")
    ]


def test_search_does_not_take_a_prefix_that_is_not_answered_yet() -> None:
    workload = {**SEARCH["workload"], "shared_prefix_tokens": 100}
    assert problems(workload=workload) == [("workload.shared_prefix_tokens", "not_answered_yet")]
