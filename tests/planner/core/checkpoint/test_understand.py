"""From files to a model. The Llama of these tests, by hand: hidden 256, inner 512, 4 heads and 2 KV heads of 64,
1,024 words, 2 layers. A layer's attention: 256·256 + 128·256 + 128·256 + 256·256 = 196,608; its MLP: 3·256·512 =
393,216; so matrices 2·589,824 = 1,179,648. Table and head 262,144 each. Norms 5·256 = 1,280. In all 1,705,216
weights, 3,410,432 bytes at two bytes each.
"""

from typing import Any

import pytest

from planner.catalog.build import build_catalog
from planner.catalog.files import SHIPPED, read_rows
from planner.core.checkpoint.gguf_file import GgufHeader, read_gguf
from planner.core.checkpoint.index import Index, read_index
from planner.core.checkpoint.safetensors import read_safetensors
from planner.core.checkpoint.understand import Given, Understood, understand
from planner.core.outcome import Problem
from planner.core.specs import StoredBytes
from tests.planner.core.checkpoint.files import (
    F32,
    LLAMA_CONFIG,
    TEXT,
    U32,
    array,
    gguf_header,
    llama_tensors,
    metadata,
    safetensors_header,
    value,
)

WEIGHTS = 1_705_216
BYTES = 2 * WEIGHTS
SCHEMES = build_catalog(read_rows(SHIPPED)).schemes
STORED = StoredBytes(
    embedding=524_288, lm_head=524_288, linear=2_359_296, routed=0, router=0, other=2_560, vision=0
)


def headers(tensors: Any, file: str = "model.safetensors") -> dict[str, Any]:
    found = read_safetensors(safetensors_header(tensors))
    assert isinstance(found, tuple)
    return {file: found}


def index(tensors: Any, total: int | None = BYTES, files: int = 1) -> Index:
    names = [f"model-{part + 1:05d}-of-{files:05d}.safetensors" for part in range(files)]
    where = {name: names[place % files] for place, name in enumerate(tensors)}
    found = read_index({"metadata": {"total_size": total} if total else {}, "weight_map": where})
    assert isinstance(found, Index)
    return found


def understood(**given: Any) -> Understood:
    found = understand(Given(**given), SCHEMES)
    assert isinstance(found, Understood), found
    return found


def refused(**given: Any) -> list[str]:
    found = understand(Given(**given), SCHEMES)
    assert isinstance(found, list)
    return [item.code for item in found]


def remarks(found: Understood) -> list[str]:
    return [item.code for item in found.remarks]


def llama_gguf(**changed: bytes) -> bytes:
    """The Llama as llama.cpp's converter writes it, its matrices in Q8_0: 34 bytes for 32 weights."""
    entries = {
        "general.architecture": value(TEXT, "llama"),
        "general.name": value(TEXT, "Tiny"),
        "general.file_type": value(U32, 7),
        "llama.block_count": value(U32, 2),
        "llama.context_length": value(U32, 4096),
        "llama.embedding_length": value(U32, 256),
        "llama.feed_forward_length": value(U32, 512),
        "llama.attention.head_count": value(U32, 4),
        "llama.attention.head_count_kv": value(U32, 2),
        "llama.attention.key_length": value(U32, 64),
        "llama.attention.value_length": value(U32, 64),
        "llama.attention.layer_norm_rms_epsilon": value(F32, 1e-5),
        "tokenizer.ggml.tokens": array(TEXT, ["x"] * 1024),
        **changed,
    }
    tensors: dict[str, tuple[str, list[int]]] = {"token_embd.weight": ("Q8_0", [256, 1024])}
    for layer in range(2):
        for name, shape in (("attn_q", [256, 256]), ("attn_k", [256, 128]), ("attn_v", [256, 128])):
            tensors[f"blk.{layer}.{name}.weight"] = ("Q8_0", shape)
        tensors[f"blk.{layer}.attn_output.weight"] = ("Q8_0", [256, 256])
        tensors[f"blk.{layer}.ffn_gate.weight"] = ("Q8_0", [256, 512])
        tensors[f"blk.{layer}.ffn_up.weight"] = ("Q8_0", [256, 512])
        tensors[f"blk.{layer}.ffn_down.weight"] = ("Q8_0", [512, 256])
        tensors[f"blk.{layer}.attn_norm.weight"] = ("F32", [256])
        tensors[f"blk.{layer}.ffn_norm.weight"] = ("F32", [256])
    tensors["output_norm.weight"] = ("F32", [256])
    tensors["output.weight"] = ("Q8_0", [256, 1024])
    return gguf_header(metadata(**entries), tensors)


def gguf(data: bytes) -> dict[str, GgufHeader]:
    found = read_gguf(data)
    assert isinstance(found, GgufHeader), found
    return {"tiny-Q8_0.gguf": found}


def test_config_alone_counts_by_its_widths() -> None:
    found = understood(config=LLAMA_CONFIG)
    assert (found.bytes_from, found.counted, found.model.stored) == ("widths", WEIGHTS, None)
    assert found.model.provenance["parameters"].kind == "computed"


def test_headers_give_exact_bytes_and_weights() -> None:
    found = understood(config=LLAMA_CONFIG, safetensors=headers(llama_tensors()))
    assert (found.bytes_from, found.model.stored) == ("headers", STORED)
    assert (found.model.linear_params, found.model.other_params) == (1_179_648, 1_280)
    assert found.model.provenance["weights"].kind == "datasheet"
    assert remarks(found) == []


def test_total_of_an_index_is_spread_over_the_parts() -> None:
    found = understood(config=LLAMA_CONFIG, index=index(llama_tensors()))
    assert (found.bytes_from, found.model.stored) == ("index", STORED)


def test_headers_of_some_files_count_for_nothing_and_say_so() -> None:
    tensors = llama_tensors()
    half = dict(list(tensors.items())[::2])
    file = "model-00001-of-00002.safetensors"
    found = understood(config=LLAMA_CONFIG, index=index(tensors, files=2), safetensors=headers(half, file))
    assert (found.bytes_from, remarks(found)) == ("index", ["files_missing"])
    alone = understood(config=LLAMA_CONFIG, safetensors=headers(half, file))
    assert (alone.bytes_from, remarks(alone)) == ("widths", ["files_missing"])
    unnamed = understood(config=LLAMA_CONFIG, safetensors=headers(half))
    assert (unnamed.bytes_from, remarks(unnamed)) == ("widths", ["files_seem_missing"])


def test_head_that_is_not_in_the_files_is_the_table() -> None:
    found = understood(config=LLAMA_CONFIG, safetensors=headers(llama_tensors(tied=True)))
    assert (found.model.tie_word_embeddings, found.model.lm_head_params) == (True, 0)
    assert remarks(found) == ["head_missing"]


def test_head_that_is_stored_twice_is_loaded_once() -> None:
    config = {**LLAMA_CONFIG, "tie_word_embeddings": True}
    found = understood(config=config, safetensors=headers(llama_tensors()))
    assert found.model.stored == StoredBytes(
        embedding=524_288, lm_head=0, linear=2_359_296, routed=0, router=0, other=2_560, vision=0
    )
    assert remarks(found) == ["head_repeated"]


def test_layers_that_draft_are_left_out() -> None:
    tensors = {**llama_tensors(), "model.layers.2.mlp.up_proj.weight": ("BF16", [512, 256])}
    found = understood(config=LLAMA_CONFIG, safetensors=headers(tensors))
    assert (found.model.stored, found.draft_weights) == (STORED, 131_072)
    assert remarks(found) == ["draft_layers"]


def test_tensor_that_no_rule_names_is_counted_and_named() -> None:
    tensors = {**llama_tensors(), "model.something_new": ("BF16", [100])}
    found = understood(config=LLAMA_CONFIG, safetensors=headers(tensors))
    assert found.model.stored is not None
    assert found.model.stored.other == 2_560 + 200
    assert remarks(found) == ["tensors_unplaced"]


def test_quantized_files_tell_their_bytes_though_not_their_weights() -> None:
    # AWQ packs eight weights into 32 bits; each group of 128 has a scale of 2 bytes and zeros of half a byte.
    config = {**LLAMA_CONFIG, "quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 128}}
    tensors: dict[str, Any] = {}
    for name, (dtype, shape) in llama_tensors(dtype="F16").items():
        if "_proj" not in name:
            tensors[name] = (dtype, shape)
            continue
        stem, (out, inner) = name.removesuffix(".weight"), shape
        tensors[f"{stem}.qweight"] = ("I32", [inner, out // 8])
        tensors[f"{stem}.qzeros"] = ("I32", [inner // 128, out // 8])
        tensors[f"{stem}.scales"] = ("F16", [inner // 128, out])
    found = understood(config=config, safetensors=headers(tensors))
    assert found.model.stored is not None
    # 1,179,648 weights: half a byte each, and 9,216 groups with 2.5 bytes each.
    assert found.model.stored.linear == 589_824 + 23_040
    assert (found.model.linear_params, found.model.scheme) == (1_179_648, "awq-int4")


def test_gguf_alone_is_a_whole_model() -> None:
    found = understood(gguf=gguf(llama_gguf()))
    assert (found.bytes_from, found.model.scheme) == ("headers", "gguf-q8_0")
    assert (found.model.num_layers, found.model.hidden_size, found.model.vocab_size) == (2, 256, 1024)
    assert found.model.max_position_embeddings == 4096
    # 34 bytes for 32 weights; norms in four bytes.
    assert found.model.stored == StoredBytes(
        embedding=278_528, lm_head=278_528, linear=1_253_376, routed=0, router=0, other=5_120, vision=0
    )


def test_first_part_of_a_gguf_in_parts_counts_by_its_widths() -> None:
    found = understood(gguf=gguf(llama_gguf(**{"split.count": value(U32, 3), "split.no": value(U32, 0)})))
    assert (found.bytes_from, remarks(found)) == ("widths", ["files_missing"])


@pytest.mark.parametrize(
    ("given", "codes"),
    [
        ({}, ["config_not_given"]),
        ({"config": {**LLAMA_CONFIG, "model_type": "bert"}}, ["encoder_only"]),
        ({"config": {**LLAMA_CONFIG, "model_type": "unheard_of"}}, ["architecture_unknown"]),
        ({"config": LLAMA_CONFIG, "index": index(llama_tensors(), total=10 * BYTES)}, ["index_other_model"]),
        (
            {"config": LLAMA_CONFIG, "index": index({"a": 0}), "safetensors": headers(llama_tensors())},
            ["index_other_checkpoint"],
        ),
        (
            {"config": LLAMA_CONFIG, "safetensors": headers(llama_tensors(layers=1, hidden=2048))},
            ["headers_other_model"],
        ),
    ],
)
def test_what_does_not_belong_together_is_refused(given: dict[str, Any], codes: list[str]) -> None:
    assert refused(**given) == codes


def test_problem_of_a_gguf_names_its_file() -> None:
    changed = llama_gguf(**{"general.architecture": value(TEXT, "clip")})
    found = understand(Given(gguf=gguf(changed)), SCHEMES)
    assert found == [
        Problem(code="gguf_not_a_decoder", field="files", values={"file": "tiny-Q8_0.gguf", "found": "clip"})
    ]
