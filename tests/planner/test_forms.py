"""The address is the plan: keys, defaults, numbers as people type them, pasted configs, fixes as changes."""

import json
from hashlib import sha256
from urllib.parse import parse_qsl

import pytest

from planner.core.outcome import Problem
from planner.forms import (
    INPUTS,
    MAX_CONFIG_CHARS,
    Plan,
    changes_of,
    key_of,
    read_config,
    read_plan,
    unpack_config,
)

CONFIG = {"model_type": "llama", "hidden_size": 4096, "name": "模型 <b>"}


def plan_of(query: str) -> Plan:
    return read_plan(dict(parse_qsl(query, keep_blank_values=True)))


def test_worked_example_has_an_empty_address() -> None:
    plan = plan_of("")
    assert plan.query() == ""
    assert plan.request() == {
        "model": {"id": "Qwen/Qwen2.5-7B-Instruct"},
        "accelerator": "nvidia-rtx-4090",
        "count": 1,
        "parallelism": {"pipeline": 1, "data": 1, "tensor": 1},
        "engine": {"name": "vllm"},
        "settings": {"max_model_len": 4096},
        "workload": {"input_tokens": 1024, "output_tokens": 256, "concurrency": 16},
    }


def test_address_holds_what_differs_and_reads_back_the_same() -> None:
    values = {item.key: "1" if item.kind == "flag" else f"<{item.key}> & 中文" for item in INPUTS}
    plan = Plan(values=values)
    assert plan_of(plan.query()).values == values
    assert plan_of(plan.query()).query() == plan.query()


def test_blank_is_kept_apart_from_absent() -> None:
    assert plan_of("len=").query() == "len="
    assert "settings" not in plan_of("len=").request()


@pytest.mark.parametrize(
    ("text", "value"), [("1,024", 1024), ("1 024", 1024), ("0.9", 0.9), ("1e3", 1000.0), ("ten", "ten")]
)
def test_numbers_are_read_as_people_type_them(text: str, value: object) -> None:
    plan = Plan(values={**plan_of("").values, "u": text})
    assert plan.request()["workload"]["concurrency"] == value


@pytest.mark.parametrize(
    ("query", "tensor"), [("n=4", 4), ("n=8&dp=2", 4), ("n=4&tp=2", 2), ("n=3&pp=2", None), ("n=x", None)]
)
def test_blank_tensor_degree_takes_the_cards_that_are_left(query: str, tensor: int | None) -> None:
    assert plan_of(query).request()["parallelism"].get("tensor") == tensor


def test_no_workload_at_all_is_a_question_about_memory() -> None:
    assert "workload" not in plan_of("i=&o=&u=").request()


def test_config_travels_in_the_address() -> None:
    packed = read_config('{"model_type": "llama", "hidden_size": 4096, "name": "模型 <b>"}')
    assert isinstance(packed, str)
    plan = plan_of(f"c={packed}&m=ignored")
    assert plan.request()["model"] == {"config": CONFIG}
    assert plan_of(plan.query()).request() == plan.request()
    assert plan.query({"c": ""}) == "m=ignored"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "not_json"),
        ("{", "not_json"),
        ("[1]", "config_not_an_object"),
        ("{}", "config_not_an_object"),
        ('{"a": NaN}', "not_json"),
        ("[" * 100_000, "too_deep"),
        (" " * (MAX_CONFIG_CHARS + 1), "too_long"),
    ],
)
def test_config_that_is_none_is_refused(text: str, code: str) -> None:
    found = read_config(text)
    assert isinstance(found, Problem)
    assert (found.code, found.field) == (code, "model.config")


def test_config_that_fits_no_address_is_refused_before_a_server_refuses_the_address() -> None:
    noise = "".join(sha256(str(number).encode()).hexdigest() for number in range(200))
    found = read_config(json.dumps({"model_type": "llama", "noise": noise}))
    assert isinstance(found, Problem)
    assert (found.code, found.field) == ("config_too_long_for_link", "model.config")


def test_config_may_start_with_a_byte_order_mark() -> None:
    assert read_config('\ufeff{"model_type": "llama"}') == read_config('{"model_type": "llama"}')


@pytest.mark.parametrize("packed", ["x", "%%%", "AAAA", "eJw", "é"])
def test_damaged_link_is_a_problem_and_no_exception(packed: str) -> None:
    assert unpack_config(packed) == Problem(code="config_link_damaged", field="model.config")


def test_small_link_does_not_unpack_to_a_large_text() -> None:
    import base64
    import zlib

    bomb = base64.urlsafe_b64encode(zlib.compress(b'{"a": "' + b"0" * 10_000_000 + b'"}', 9)).decode()
    assert unpack_config(bomb) == Problem(code="config_link_damaged", field="model.config")


def test_fix_becomes_changes_of_the_form() -> None:
    assert changes_of({"settings": {"max_model_len": 3072}}) == {"len": "3072"}
    assert changes_of({"count": 2}) == {"n": "2", "tp": ""}
    assert changes_of({"settings": {"enforce_eager": True}, "weights": None}) == {"eager": "1", "w": ""}
    assert changes_of({"nodes": 2}) == {}
    assert changes_of({}) == {}


def test_problem_finds_its_input() -> None:
    paths = [
        "workload.concurrency",
        "model.config.num_layers",
        "settings.gpu_memory_utilization",
        "engine",
        "x",
        None,
    ]
    assert [key_of(path) for path in paths] == ["u", "c", "util", "e", None, None]


@pytest.mark.parametrize(
    ("text", "on"), [("1", True), ("on", True), ("0", False), ("False", False), ("no", False)]
)
def test_flag_in_a_link_written_by_hand_means_what_it_says(text: str, on: bool) -> None:
    assert bool(plan_of(f"eager={text}").values["eager"]) is on
