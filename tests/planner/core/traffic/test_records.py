"""Requests as JSON values: usage objects, results of benchmarks, nested and flat ones."""

import json
from pathlib import Path

import pytest

from planner.core.traffic.asked import Asked
from planner.core.traffic.records import read_records
from planner.core.traffic.rows import Collected
from planner.core.traffic.table import Refused

DATA = Path(__file__).resolve().parents[3] / "data"


def read(*values: object, **columns: str) -> Collected:
    found = read_records(values, Asked(columns=columns))
    assert isinstance(found, Collected), found
    return found


@pytest.mark.parametrize(
    "value",
    [
        {"prompt_tokens": 812, "completion_tokens": 190},
        {"usage": {"prompt_tokens": 812, "completion_tokens": 190, "total_tokens": 1002}},
        {"id": "x", "response": {"body": {"usage": {"input_tokens": 812, "output_tokens": 190}}}},
        {"input_len": "812", "output_len": 190},
        {"timings": {"prompt_n": 812, "predicted_n": 190}},
        {"usageMetadata": {"promptTokenCount": 812, "candidatesTokenCount": 190}},
        [{"tokens_in": 812, "tokens_out": 190}],
        {"rows": [{"isl": 812, "osl": 190}]},
        {"input_lens": [812], "output_lens": [190]},
    ],
)
def test_lengths_are_found_in_every_shape(value):
    found = read(value)
    assert (found.input.total, found.output.total, found.kept) == (812, 190, 1)


def test_result_of_a_benchmark_gives_lengths_and_times():
    found = read(json.loads((DATA / "vllm_bench_serve.json").read_text()))
    # totals as the file itself states them
    assert (found.kept, found.input.total, found.output.total) == (4, 513, 256)
    assert (found.ends - found.starts).tolist() == pytest.approx([0.8664, 0.861, 0.8612, 0.8])


def test_prompt_of_text_is_no_length():
    found = read({"prompt": "Tell me", "completion": "No.", "input_tokens": 3, "output_tokens": 2})
    assert (found.input.total, found.output.total) == (3, 2)


def test_names_with_units_set_them():
    found = read(
        {"prompt_tokens": 1, "completion_tokens": 1, "start_time_ms": 1000, "latency_ms": 500},
        {"prompt_tokens": 1, "completion_tokens": 1, "start_time_ms": 3000, "latency_ms": 500},
    )
    assert (found.starts.tolist(), found.ends.tolist()) == ([1.0, 3.0], [1.5, 3.5])


def test_values_that_are_no_requests_are_counted():
    found = read(
        {"prompt_tokens": 1, "completion_tokens": 1}, "text", 5, None, {"prompt_tokens": 3}, {"usage": None}
    )
    assert (found.kept, found.left_out) == (1, {"no_lengths": 5})


def test_values_of_another_shape_are_searched_again():
    found = read(
        {"prompt_tokens": 1, "completion_tokens": 2}, {"usage": {"input_tokens": 3, "output_tokens": 4}}
    )
    assert (found.kept, found.input.total, found.output.total) == (2, 4, 6)


def test_hostile_numbers_are_counted_by_reason():
    found = read(
        *({"prompt_tokens": value, "completion_tokens": 1} for value in (7, -1, 1e308, 0.5, 10**400, True)),
    )
    assert found.kept == 1
    assert found.left_out == {
        "negative": 1,
        "too_large": 1,
        "not_whole": 1,
        "not_finite": 1,  # more digits than a float has room for
        "not_a_number": 1,  # true
    }


def test_asked_path_leads_into_nested_objects():
    found = read({"a": {"in": 5}, "b": {"out": 6}}, input="a.in", output="b.out")
    assert (found.input.total, found.output.total) == (5, 6)


def test_asked_path_that_leads_nowhere_is_no_length():
    found = read_records([{"prompt_tokens": 5, "completion_tokens": 6}], Asked(columns={"input": "a.b"}))
    assert isinstance(found, Refused)
    assert (found.code, found.values["read"]) == ("no_requests", 1)


def test_deep_and_wide_values_are_searched_no_further():
    deep: dict[str, object] = {"prompt_tokens": 1, "completion_tokens": 1}
    for _ in range(50):
        deep = {"x": deep}
    wide = {f"x{number}": number for number in range(100_000)}
    found = read_records([deep, wide])
    assert isinstance(found, Refused)
    assert (found.code, found.values["read"]) == ("no_requests", 2)


def test_column_names_hold_no_names_of_objects_around_them():
    found = read({"what somebody asked": {"prompt_tokens": 1, "completion_tokens": 2}})
    assert [item.name for item in found.columns] == ["prompt_tokens", "completion_tokens"]
