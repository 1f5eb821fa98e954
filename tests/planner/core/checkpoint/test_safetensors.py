"""Headers of safetensors files. What a file must hold: https://huggingface.co/docs/safetensors/index#format."""

import json
import struct
from typing import Any

import pytest

from planner.core.checkpoint.safetensors import header_length, read_safetensors
from planner.core.outcome import Problem
from tests.planner.core.checkpoint.files import framed, safetensors_header


def code_of(found: object) -> str:
    assert isinstance(found, Problem)
    return found.code


def entry(dtype: Any = "BF16", shape: Any = (2,), offsets: Any = (0, 4)) -> bytes:
    shape = list(shape) if isinstance(shape, tuple) else shape
    offsets = list(offsets) if isinstance(offsets, tuple) else offsets
    return framed(json.dumps({"a": {"dtype": dtype, "shape": shape, "data_offsets": offsets}}).encode())


def test_header_gives_type_shape_and_bytes() -> None:
    # 3 × 4 weights of two bytes, then five of four.
    found = read_safetensors(safetensors_header({"a": ("BF16", [3, 4]), "b": ("F32", [5])}))
    assert not isinstance(found, Problem)
    assert [(item.name, item.dtype, item.shape, item.size) for item in found] == [
        ("a", "BF16", (3, 4), 24),
        ("b", "F32", (5,), 20),
    ]


def test_data_behind_the_header_is_not_looked_at() -> None:
    header = safetensors_header({"a": ("BF16", [2])})
    assert read_safetensors(header + b"\xff" * 9) == read_safetensors(header)


def test_length_is_in_the_first_eight_bytes() -> None:
    assert header_length(struct.pack("<Q", 300)) == 300
    assert code_of(header_length(b"\x01\x00")) == "header_cut"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "header_cut"),
        (safetensors_header({"a": ("BF16", [2])})[:-1], "header_cut"),
        (struct.pack("<Q", 10**9) + b"{", "header_too_long"),
        (struct.pack("<Q", 40) + b"PK\x03\x04", "not_a_header"),
        (b"<!DOCTYPE html><html>", "not_a_header"),
        (framed(b"{nothing}"), "header_not_json"),
        (framed(b"{" + b'"a":[' * 5000 + b"]" * 5000 + b"}"), "header_not_json"),
        (framed(b'{"\xff": 1}'), "header_not_utf8"),
        (framed(b"{}"), "header_empty"),
        (framed(b'{"__metadata__": {"format": "pt"}}'), "header_empty"),
        (framed(b'{"a": 1, "a": 2}'), "header_repeats"),
        (framed(b'{"a": 1}'), "header_tensor_invalid"),
        (framed(b'{"a\\u0000": {}}'), "header_tensor_invalid"),
        (framed(b'{"\\ud800": {}}'), "header_tensor_invalid"),
        (framed(b'{"": {}}'), "header_tensor_invalid"),
        (entry(dtype="Q9"), "header_dtype_unknown"),
        (entry(dtype=7), "header_dtype_unknown"),
        (entry(shape=(-2,)), "header_tensor_invalid"),
        (entry(shape=(True,)), "header_tensor_invalid"),
        (entry(shape=(2**40, 2**40)), "header_tensor_invalid"),
        (entry(shape=(1,) * 17), "header_tensor_invalid"),
        (entry(offsets=(0, 5)), "header_size_wrong"),
        (entry(offsets=(4, 0)), "header_tensor_invalid"),
        (entry(offsets=(0,)), "header_tensor_invalid"),
        (entry(offsets=None), "header_tensor_invalid"),
    ],
)
def test_damaged_header_is_one_problem(data: bytes, code: str) -> None:
    assert code_of(read_safetensors(data, file="model.safetensors")) == code


def test_problem_names_the_file_and_says_how_much_is_missing() -> None:
    whole = safetensors_header({"a": ("BF16", [2])})
    found = read_safetensors(whole[:20], file="part.safetensors")
    assert isinstance(found, Problem)
    assert found.field == "files"
    assert found.values == {"file": "part.safetensors", "needed": len(whole), "given": 20}


def test_tensors_that_share_bytes_are_refused() -> None:
    header = {
        "a": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]},
        "b": {"dtype": "BF16", "shape": [2], "data_offsets": [2, 6]},
    }
    assert code_of(read_safetensors(framed(json.dumps(header).encode()))) == "header_overlap"


def test_types_of_four_and_six_bits_take_parts_of_bytes() -> None:
    # 8 weights of 4 bits are 4 bytes; 4 of 6 bits are 3.
    header = {
        "a": {"dtype": "F4", "shape": [8], "data_offsets": [0, 4]},
        "b": {"dtype": "F6_E2M3", "shape": [4], "data_offsets": [4, 7]},
    }
    found = read_safetensors(framed(json.dumps(header).encode()))
    assert not isinstance(found, Problem)
    assert [item.size for item in found] == [4, 3]


def test_problem_can_be_shown_whatever_the_file_says() -> None:
    found = read_safetensors(framed(b'{"\\ud800": {}}'), file="a")
    assert isinstance(found, Problem)
    assert found.values["name"] == "?"
