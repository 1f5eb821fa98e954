"""Files of checkpoints as their formats prescribe, made small: headers that are whole, and data that is left out."""

import json
import math
import struct
from collections.abc import Mapping, Sequence
from typing import Any

BITS = {"BF16": 16, "F16": 16, "F32": 32, "F8_E4M3": 8, "I32": 32, "U8": 8, "I8": 8}
# Layouts of ggml-common.h: number of the type, weights of a block, bytes of a block.
GGML = {
    "F32": (0, 1, 4),
    "F16": (1, 1, 2),
    "Q8_0": (8, 32, 34),
    "Q4_K": (12, 256, 144),
    "Q6_K": (14, 256, 210),
}
U32, F32, BOOL, TEXT, ARRAY, U64, I32 = 4, 6, 7, 8, 9, 10, 5

Tensors = Mapping[str, tuple[str, Sequence[int]]]


def safetensors_header(tensors: Tensors, **changed: Any) -> bytes:
    """The beginning of a safetensors file with these tensors (type, shape), one behind the other."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    place = 0
    for name, (dtype, shape) in tensors.items():
        size = math.prod(shape) * BITS[dtype] // 8
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [place, place + size]}
        place += size
    header.update(changed)
    return framed(json.dumps(header).encode())


def framed(raw: bytes) -> bytes:
    """A header behind its length."""
    return struct.pack("<Q", len(raw)) + raw


def text(value: str | bytes) -> bytes:
    """A string of GGUF."""
    raw = value.encode() if isinstance(value, str) else value
    return struct.pack("<Q", len(raw)) + raw


def value(kind: int, item: Any) -> bytes:
    """A value of GGUF behind its type."""
    forms = {U32: "<I", F32: "<f", BOOL: "<B", U64: "<Q", I32: "<i"}
    return struct.pack("<I", kind) + (text(item) if kind == TEXT else struct.pack(forms[kind], item))


def array(kind: int, items: Sequence[Any]) -> bytes:
    """An array of GGUF behind its type."""
    body = b"".join(text(item) if kind == TEXT else value(kind, item)[4:] for item in items)
    return struct.pack("<IIQ", ARRAY, kind, len(items)) + body


def metadata(**entries: bytes) -> dict[str, bytes]:
    """Entries by key; a double underscore stands for a dot."""
    return {key.replace("__", "."): entry for key, entry in entries.items()}


def gguf_header(entries: Mapping[str, bytes], tensors: Tensors, *, version: int = 3) -> bytes:
    """The beginning of a GGUF file with these entries and tensors (type, shape as GGUF orders it)."""
    body = b"".join(text(key) + entry for key, entry in entries.items())
    place = 0
    infos = b""
    for name, (dtype, shape) in tensors.items():
        number, weights, size = GGML[dtype]
        infos += text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, number, place)
        place += -(-(math.prod(shape) // weights * size) // 32) * 32
    return b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(entries)) + body + infos


def llama_tensors(
    *,
    layers: int = 2,
    hidden: int = 256,
    inner: int = 512,
    heads: int = 4,
    kv_heads: int = 2,
    width: int = 64,
    vocabulary: int = 1024,
    tied: bool = False,
    dtype: str = "BF16",
) -> dict[str, tuple[str, list[int]]]:
    """The tensors of a Llama of these widths under the names of Hugging Face."""
    found = {"model.embed_tokens.weight": (dtype, [vocabulary, hidden])}
    for index in range(layers):
        place = f"model.layers.{index}"
        found |= {
            f"{place}.self_attn.q_proj.weight": (dtype, [heads * width, hidden]),
            f"{place}.self_attn.k_proj.weight": (dtype, [kv_heads * width, hidden]),
            f"{place}.self_attn.v_proj.weight": (dtype, [kv_heads * width, hidden]),
            f"{place}.self_attn.o_proj.weight": (dtype, [hidden, heads * width]),
            f"{place}.mlp.gate_proj.weight": (dtype, [inner, hidden]),
            f"{place}.mlp.up_proj.weight": (dtype, [inner, hidden]),
            f"{place}.mlp.down_proj.weight": (dtype, [hidden, inner]),
            f"{place}.input_layernorm.weight": (dtype, [hidden]),
            f"{place}.post_attention_layernorm.weight": (dtype, [hidden]),
        }
    found["model.norm.weight"] = (dtype, [hidden])
    if not tied:
        found["lm_head.weight"] = (dtype, [vocabulary, hidden])
    return found


LLAMA_CONFIG: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 256,
    "intermediate_size": 512,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 64,
    "vocab_size": 1024,
    "max_position_embeddings": 4096,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}
