"""Values of flags. What vLLM 0.32.0 says was seen by running its own parser on these commands."""

import pytest

from tests.planner.core.check.judging import errors, judged

VERSION = "0.32.0"


@pytest.mark.parametrize(
    ("flag", "value"),
    [
        ("--compilation-config", "abc"),  # pydantic: json_invalid
        ("--compilation-config", "3"),  # pydantic: dataclass_type
        ("--kv-transfer-config", "auto"),
        ("--limit-mm-per-prompt", "image=2"),  # "cannot be converted to loads"
        ("--allowed-origins", "example.org"),  # "invalid loads value"
    ],
)
def test_json_flag_without_json_is_refused_as_by_the_parser(flag, value):
    found = judged(f"vllm serve Qwen/Qwen3-8B {flag} {value}", version=VERSION)

    assert errors(found) == [("json_expected", flag)]
    assert found["mended_command"] == "vllm serve Qwen/Qwen3-8B"


@pytest.mark.parametrize(
    "piece",
    ["--limit-mm-per-prompt '{\"image\": 2}'", "--compilation-config.mode 3", "--custom-histogram-buckets 8"],
)
def test_json_flag_is_taken_as_by_the_parser(piece):
    assert errors(judged(f"vllm serve Qwen/Qwen3-8B {piece}", version=VERSION)) == []


def test_compilation_level_was_a_number_once():
    # -O3 and a number were levels up to 0.11.2 (flag tables of the versions)
    found = judged("vllm serve Qwen/Qwen3-8B --compilation-config 3", version="0.9.2")

    assert errors(found) == []


def test_second_model_is_refused_where_that_was_seen_and_warned_of_before():
    # 0.32.0: "unrecognized arguments: Qwen/Qwen3-8B"
    command = "vllm serve Qwen/Qwen3-8B --model Qwen/Qwen3-4B"

    assert errors(judged(command, version=VERSION)) == [("model_named_twice_refused", "--model")]
    assert errors(judged(command, version="0.9.2")) == []


def test_minus_one_stands_for_automatic_only_at_the_length():
    found = judged("vllm serve Qwen/Qwen3-8B --max-num-batched-tokens -1", version=VERSION)

    assert errors(found) == [("value_out_of_range", "--max-num-batched-tokens")]
