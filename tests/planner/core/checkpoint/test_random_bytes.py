"""Whatever somebody uploads, the readers answer with what they read or with one problem, and never raise."""

import json
from random import Random
from typing import Any

from planner.catalog.build import build_catalog
from planner.catalog.files import SHIPPED, read_rows
from planner.core.checkpoint.gguf_file import GgufHeader, read_gguf
from planner.core.checkpoint.index import Index, read_index
from planner.core.checkpoint.safetensors import read_safetensors
from planner.core.checkpoint.understand import Given, Understood, understand
from planner.core.outcome import Problem
from tests.planner.core.checkpoint.files import LLAMA_CONFIG, framed, llama_tensors, safetensors_header
from tests.planner.core.checkpoint.test_understand import llama_gguf

SCHEMES = build_catalog(read_rows(SHIPPED)).schemes
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 7, 64, 2**31, 2**63, 2**70, -2.5, 1e308, "", "x", "yarn", [], [1], [[]], {}, {"a": 1},
)  # fmt: skip


def spoiled(random: Random, data: bytes) -> bytes:
    """The bytes with some of them changed, cut, or repeated."""
    found = bytearray(data)
    for _change in range(random.randint(1, 6)):
        place = random.randrange(len(found))
        kind = random.random()
        if kind < 0.6:
            found[place] = random.randrange(256)
        elif kind < 0.8:
            del found[place : place + random.randint(1, 9)]
        else:
            found[place:place] = found[place : place + random.randint(1, 40)]
    return bytes(found) or b"\0"


def answered(given: Given) -> None:
    found = understand(given, SCHEMES)
    assert isinstance(found, Understood) or (found and all(isinstance(item, Problem) for item in found))


def test_random_bytes_never_raise() -> None:
    random = Random(20261201)  # noqa: S311  # the same bytes each time, no secret
    for _round in range(300):
        data = random.randbytes(random.randint(0, 200))
        assert isinstance(read_safetensors(data), tuple | Problem)
        assert isinstance(read_safetensors(framed(data)), tuple | Problem)
        assert isinstance(read_gguf(b"GGUF\x03\0\0\0" + data), GgufHeader | Problem)


def test_spoiled_safetensors_headers_never_raise() -> None:
    random, header = Random(1), safetensors_header(llama_tensors())  # noqa: S311
    for _round in range(300):
        found = read_safetensors(spoiled(random, header))
        if isinstance(found, tuple):
            answered(Given(config=LLAMA_CONFIG, safetensors={"model.safetensors": found}))


def test_spoiled_gguf_headers_never_raise() -> None:
    random, header = Random(2), llama_gguf()  # noqa: S311
    for _round in range(400):
        found = read_gguf(spoiled(random, header))
        if isinstance(found, GgufHeader):
            answered(Given(gguf={"model.gguf": found}))


def test_spoiled_configs_never_raise() -> None:
    random = Random(3)  # noqa: S311  # the same bytes each time, no secret
    names = [
        *LLAMA_CONFIG,
        "rope_scaling",
        "quantization_config",
        "num_experts",
        "sliding_window",
        "layer_types",
    ]
    for _round in range(600):
        config = dict(LLAMA_CONFIG)
        for name in random.sample(names, random.randint(1, 4)):
            config[name] = random.choice(VALUES)
        answered(Given(config=config))


def test_spoiled_indexes_never_raise() -> None:
    random = Random(4)  # noqa: S311  # the same bytes each time, no secret
    raw = json.dumps({"metadata": {"total_size": 3410432}, "weight_map": dict.fromkeys(llama_tensors(), "a")})
    for _round in range(300):
        try:
            value = json.loads(spoiled(random, raw.encode()))
        except ValueError:
            continue
        found = read_index(value)
        assert isinstance(found, Index | Problem)
        if isinstance(found, Index):
            answered(Given(config=LLAMA_CONFIG, index=found))
