"""The address is the plan: keys, defaults, numbers as people type them, pasted configs, fixes as changes."""

import json
from hashlib import sha256
from urllib.parse import parse_qsl

import pytest

from planner.core.outcome import Problem
from planner.form_inputs import Input
from planner.plan.form import (
    INPUTS,
    MAX_CONFIG_CHARS,
    Plan,
    changes_of,
    key_of,
    plan_of_request,
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


def strange(item: Input) -> str:
    if item.kind == "carried":  # a name of our own, nothing else
        return "k2x9"
    return "1" if item.kind == "flag" else f"<{item.key}> & 中文"


@pytest.mark.parametrize("lengths", ["", "q"])
@pytest.mark.parametrize("load", ["", "day"])
@pytest.mark.parametrize("settings", ["", "ours", "default"])
def test_address_holds_what_differs_and_reads_back_the_same(lengths: str, load: str, settings: str) -> None:
    switches = {"d": lengths, "by": load, "s": settings}
    plan = Plan(values={item.key: switches.get(item.key, strange(item)) for item in INPUTS})
    back = plan_of(plan.query())
    assert back.request() == plan.request()
    assert back.query() == plan.query()
    counting = [
        item for item in INPUTS if item.used_when is None or switches[item.used_when[0]] == item.used_when[1]
    ]
    assert [(item.key, back.values[item.key]) for item in counting] == [
        (item.key, plan.values[item.key]) for item in counting
    ]


def test_keys_of_saved_links_stay() -> None:
    # written by hand: links of earlier versions hold these keys, and whoever removes one breaks them
    keys = "m w kv a n tp pp dp ep l pw pm hm e v util len seqs batch block eager "
    keys += "i o i50 i90 i99 o50 o90 o99 u day peak tpot ttft tps d by s sp sv ll"
    assert " ".join(item.key for item in INPUTS) == keys


@pytest.mark.parametrize(
    ("query", "part", "value"),
    [
        ("s=ours&len=99", "settings", "derive"),
        ("s=default&len=99", "settings", None),
        ("s=nonsense&len=99", "settings", {"max_model_len": 99}),
        (
            "tpot=40&ttft=1,500&tps=20",
            "targets",
            {"tpot_ms": 40, "ttft_ms": 1500, "output_tokens_per_s_per_user": 20},
        ),
        (
            "d=q&i50=1&i90=2&i99=3&o50=4&o90=5&o99=6&i=7&o=8",
            "workload",
            {
                "input_tokens": {"p50": 1, "p90": 2, "p99": 3},
                "output_tokens": {"p50": 4, "p90": 5, "p99": 6},
                "concurrency": 16,
            },
        ),
        (
            "by=day&day=900&peak=2.5&u=3",
            "workload",
            {"input_tokens": 1024, "output_tokens": 256, "requests_per_day": 900, "peak_factor": 2.5},
        ),
    ],
)
def test_switch_says_which_inputs_count(query: str, part: str, value: object) -> None:
    assert plan_of(query).request().get(part) == value


@pytest.mark.parametrize(
    "query",
    [
        "",
        "pw=200&hm=96",
        "pm=15W",
        "m=a/b&w=fp8&kv=fp8&a=x&n=8&tp=2&pp=2&dp=2&ep=1&l=none&e=sglang&v=1",
        "n=4",
        "n=4&dp=2",
        "a=&i=&o=&u=",
        "s=ours",
        "s=default",
        "util=0.8&len=&seqs=1&batch=2&block=3&eager=1",
        "d=q&by=day",
        "tpot=40.5&tps=20",
    ],
)
def test_request_becomes_the_plan_that_asks_for_it(query: str) -> None:
    request = plan_of(query).request()
    back = plan_of_request(request)
    assert back is not None
    assert back.request() == request
    assert plan_of(back.query()).request() == request


def test_request_with_a_config_becomes_a_plan() -> None:
    back = plan_of_request({"model": {"config": CONFIG}, "accelerator": "x"})
    assert back is not None
    assert back.request()["model"] == {"config": CONFIG}


def test_request_of_a_length_and_a_distribution_becomes_two_distributions() -> None:
    workload = {"input_tokens": {"p50": 1, "p90": 2, "p99": 3}, "output_tokens": 9, "concurrency": 1}
    back = plan_of_request({"model": {"id": "a"}, "workload": workload})
    assert back is not None
    assert back.request()["workload"] == {**workload, "output_tokens": {"p50": 9, "p90": 9, "p99": 9}}


@pytest.mark.parametrize(
    "more", [{"nodes": 2}, {"model": {"id": "a", "parameters": 7}}, {"workload": {"shared_prefix_tokens": 9}}]
)
def test_request_that_the_form_cannot_hold_becomes_no_plan(more: dict[str, object]) -> None:
    assert plan_of_request({"model": {"id": "a"}, **more}) is None


def test_count_that_a_link_leaves_out_follows_from_the_degrees() -> None:
    # as in the API, where count is optional
    assert plan_of("tp=2&dp=4").request()["count"] == 8
    assert plan_of("tp=2&n=1").request()["count"] == 1
    assert plan_of("tp=x").request()["count"] == 1


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


def test_question_is_the_same_without_the_hardware() -> None:
    plan = plan_of("a=x&n=8&e=sglang&s=ours&by=day&day=900&tpot=40")
    asked = plan_of(plan.question()).request()
    assert {key: asked[key] for key in ("model", "workload", "targets")} == {
        key: plan.request()[key] for key in ("model", "workload", "targets")
    }
    # blank ones are stated, because another page may have other defaults
    assert "ttft=&" in plan.question()
    assert "u=" not in plan.question()
    assert "sglang" not in plan.question()
