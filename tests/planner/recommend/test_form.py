"""The form of a search: what an address asks for, and which address asks for it."""

from typing import Any

import pytest
from django.http import QueryDict

from planner.recommend.form import key_of, read_search


def asked(query: str) -> dict[str, Any]:
    return read_search(QueryDict(query)).request()


def test_search_of_an_empty_address_is_the_example() -> None:
    assert asked("") == {
        "model": {"id": "Qwen/Qwen2.5-7B-Instruct"},
        "workload": {"input_tokens": 1024, "output_tokens": 256, "concurrency": 16},
        "targets": {"tpot_ms": 50, "ttft_ms": 2000},
        "engine": {"name": "vllm"},
        "constraints": {"place": "server", "max_count": 8},
        "objective": "balanced",
        "limit": 12,
    }


def test_search_reads_every_part_of_an_address() -> None:
    query = (
        "w=8-bit&kv=fp8&e=sglang&place=edge&max=4&pw=900&bud=20,000&cur=CNY&ecc=1&obj=lowest_cost&d=q&by=day&tpot="
        "&ven=AMD&ven=NVIDIA&cls=consumer&oa=nvidia-l4&on=2&oa=nvidia-rtx-4090&on=&pa=nvidia-l4&pn=2500&pa=x&pn="
    )
    found = asked(query)
    assert found["weights"] == ["bf16", "fp16", "gguf-bf16", "fp8", "int8-w8a8", "gptq-int8", "gguf-q8_0"]
    assert (found["kv_cache_dtype"], found["engine"], found["objective"]) == (
        "fp8",
        {"name": "sglang"},
        "lowest_cost",
    )
    assert found["workload"] == {
        "input_tokens": {"p50": 800, "p90": 1800, "p99": 3000},
        "output_tokens": {"p50": 200, "p90": 450, "p99": 800},
        "requests_per_day": 5000,
        "peak_factor": 4,
    }
    assert found["targets"] == {"ttft_ms": 2000}
    assert found["constraints"] == {
        "place": "edge",
        "max_count": 4,
        "power_w": 900,
        "budget": 20_000,
        "currency": "CNY",
        "ecc": True,
        "vendors": ["AMD", "NVIDIA"],
        "classes": ["consumer"],
        "owned": {"nvidia-l4": 2, "nvidia-rtx-4090": 1},  # a card without a number is one card
        "prices": {"nvidia-l4": 2500},  # and without a price it has none
    }


def test_search_leaves_open_what_is_any() -> None:
    found = asked("place=any&e=any&v=0.19.0&w=published&cur=EUR")
    assert "engine" not in found  # a version alone names no engine
    assert found["constraints"] == {"max_count": 8, "currency": "EUR"}  # what prices are shown in
    assert found["weights"] == [None]


@pytest.mark.parametrize(
    "query",
    [
        "",
        "u=4&sort=tpot&diff=1",
        "ven=AMD&ven=NVIDIA&oa=nvidia-l4&on=2&pa=nvidia-l4&pn=2%2C500",
        "place=any&e=any&tpot=&obj=lowest_power",
    ],
)
def test_search_address_is_kept(query: str) -> None:
    search = read_search(QueryDict(query))
    again = read_search(QueryDict(search.query()))
    assert (again.request(), again.values, again.lists) == (search.request(), search.values, search.lists)
    assert dict(QueryDict(search.query()).lists()) == dict(QueryDict(query).lists())


def test_search_bounds_what_an_address_holds() -> None:
    query = "&".join(["oa=nvidia-l4&on=1"] * 100 + ["ven=" + "x" * 500])
    search = read_search(QueryDict(query))
    assert len(search.lists["oa"]) == 12
    assert len(search.lists["ven"][0]) == 400


def test_search_with_a_damaged_config_says_so() -> None:
    search = read_search(QueryDict("c=damaged"))
    assert [problem.code for problem in search.problems] == ["config_link_damaged"]
    assert "c" not in QueryDict(search.without_config().query())


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("constraints.vendors[0]", "ven"),
        ("constraints.owned.nvidia-l4", "oa"),
        ("constraints.prices.NVIDIA A10.x", "pa"),
        ("constraints.budget", "bud"),
        ("weights[1]", "w"),
        ("engine.version", "v"),
        ("workload.input_tokens.p50", "i50"),
        ("model.config.hidden_size", "c"),
        ("limit", None),
        (None, None),
    ],
)
def test_problem_belongs_to_an_input(path: str | None, key: str | None) -> None:
    assert key_of(path) == key
