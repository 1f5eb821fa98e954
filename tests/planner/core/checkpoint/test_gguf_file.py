"""Headers of GGUF files. What a file must hold: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md."""

import struct

import pytest

from planner.core.checkpoint.gguf_file import GgufHeader, read_gguf
from planner.core.outcome import Problem
from tests.planner.core.checkpoint.files import I32, TEXT, U32, array, gguf_header, metadata, text, value


def code_of(found: object) -> str:
    assert isinstance(found, Problem)
    return found.code


def whole(data: bytes) -> GgufHeader:
    found = read_gguf(data)
    assert isinstance(found, GgufHeader)
    return found


def started(tensors: int = 0, entries: int = 0, version: int = 3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, tensors, entries)


ENTRIES = metadata(
    general__architecture=value(TEXT, "llama"),
    llama__block_count=value(U32, 2),
    llama__per_layer=array(I32, [3, -1]),
    tokenizer__ggml__tokens=array(TEXT, ["a", "bb", "ccc"]),
)


def test_header_gives_metadata_and_tensors() -> None:
    # Q4_K holds 256 weights in 144 bytes: 512 × 4 of them are 8 blocks.
    found = whole(gguf_header(ENTRIES, {"token_embd.weight": ("Q4_K", [512, 4]), "n": ("F32", [5])}))
    assert found.version == 3
    assert found.architecture == "llama"
    assert found.metadata == {
        "general.architecture": "llama",
        "llama.block_count": 2,
        "llama.per_layer": [3, -1],
    }
    assert found.lengths == {"llama.per_layer": 2, "tokenizer.ggml.tokens": 3}
    assert [(item.name, item.dtype, item.shape, item.size) for item in found.tensors] == [
        ("token_embd.weight", "Q4_K", (512, 4), 8 * 144),
        ("n", "F32", (5,), 20),
    ]


def test_second_version_is_read_like_the_third() -> None:
    tensors = {"n": ("F32", [5])}
    assert (
        whole(gguf_header(ENTRIES, tensors, version=2)).tensors
        == whole(gguf_header(ENTRIES, tensors)).tensors
    )


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "not_a_header"),
        (b"GGML", "not_a_header"),
        (b"GGUF\x03", "header_cut"),
        (started(version=1), "gguf_version"),
        (b"GGUF" + struct.pack(">I", 3) + bytes(16), "gguf_big_endian"),
        (started(tensors=10**12), "header_too_many"),
        (started(entries=10**12), "header_too_many"),
        (started(entries=1), "header_cut"),
        (started(entries=1) + struct.pack("<Q", 2**63), "gguf_text_too_long"),
        (started(entries=1) + text(b"\xff") + value(U32, 1), "header_not_utf8"),
        (started(entries=1) + text("a") + struct.pack("<I", 99), "gguf_value_unknown"),
        (started(entries=1) + text("a") + struct.pack("<IIQ", 9, 8, 10**12), "header_too_many"),
        (started(entries=1) + text("a") + struct.pack("<IIQ", 9, 8, 10**6), "header_cut"),
        (started(entries=1) + text("a") + struct.pack("<IIQ", 9, 9, 1), "gguf_value_unknown"),
        (started(entries=2) + (text("a") + value(U32, 1)) * 2, "header_repeats"),
        (started(entries=1) + text("general.alignment") + value(U32, 3), "gguf_value_invalid"),
        (started(tensors=1) + text("a") + struct.pack("<I", 9), "header_tensor_invalid"),
        (started(tensors=1) + text("a\0") + struct.pack("<I", 1), "header_tensor_invalid"),
        (started(tensors=1) + text("a") + struct.pack("<IQIQ", 1, 2, 99, 0), "header_dtype_unknown"),
        (started(tensors=1) + text("a") + struct.pack("<IQIQ", 1, 2, 0, 7), "header_tensor_invalid"),
        (started(tensors=1) + text("a") + struct.pack("<IQIQ", 1, 100, 12, 0), "header_size_wrong"),
        (started(tensors=1) + text("a") + struct.pack("<IQIQ", 1, 2**62, 0, 0), "header_tensor_invalid"),
    ],
)
def test_damaged_header_is_one_problem(data: bytes, code: str) -> None:
    assert code_of(read_gguf(data, file="model.gguf")) == code


@pytest.mark.parametrize("share", [0.1, 0.35, 0.6, 0.85, 0.99])
def test_header_that_was_cut_says_so(share: float) -> None:
    data = gguf_header(ENTRIES, {f"blk.{index}.attn_q.weight": ("Q8_0", [64, 64]) for index in range(9)})
    assert code_of(read_gguf(data[: int(share * len(data))])) == "header_cut"


def test_tensors_that_share_bytes_are_refused() -> None:
    one = text("a") + struct.pack("<IQIQ", 1, 64, 0, 0)
    other = text("b") + struct.pack("<IQIQ", 1, 64, 0, 32)
    assert code_of(read_gguf(started(tensors=2) + one + other)) == "header_overlap"
