"""JSON Schemas of models that a program brings in."""

from typing import Any

from planner.schemas import NUMBER, TEXT, WHOLE, object_of
from planner.schemas.lengths import CODED

OBJECT: dict[str, Any] = {"type": ["object", "null"]}
PART: dict[str, Any] = object_of({"weights": {"type": "integer"}, "bytes": {"type": "integer"}})
ORIGIN: dict[str, Any] = {"type": "string", "enum": ["paste", "upload", "huggingface", "modelscope"]}
HUB: dict[str, Any] = {
    **object_of(
        {
            "id": {
                "type": "string",
                "maxLength": 200,
                "description": "Of the hub: it stands in its address.",
            },
            "model": {"type": "string", "maxLength": 200, "description": "As the hub writes it."},
            "revision": {**TEXT, "maxLength": 200, "description": "A branch, a tag or a commit."},
            "file": {**TEXT, "maxLength": 200, "description": "A GGUF file, where there are several."},
        },
        required=False,
        nullable=True,
    ),
    "required": ["id", "model"],
}
NEW_IMPORT: dict[str, Any] = object_of(
    {
        "id": {
            **TEXT,
            "description": "The name in the catalog, such as team/model; else as it calls itself.",
        },
        "config": {**OBJECT, "description": "The config.json of the model."},
        "index": {**OBJECT, "description": "Its model.safetensors.index.json."},
        "headers": {
            "type": ["object", "null"],
            "additionalProperties": {"type": "string", "contentEncoding": "base64"},
            "description": "The beginning of each safetensors or GGUF file, in base64, by the name of the file.",
        },
        "hub": {**HUB, "description": "In place of the files: fetched from a hub of the team's."},
        "keep": {"type": ["boolean", "null"], "description": "false: look only, and keep nothing."},
        "revision": {
            **WHOLE,
            "description": "Of the team's own model of this id, which is replaced. Without it none is.",
        },
    },
    required=False,
)
IMPORTED: dict[str, Any] = object_of(
    {
        "outcome": {"type": "string", "enum": ["looked", "created", "updated", "unchanged"]},
        "id": {"type": "string"},
        "revision": WHOLE,
        "parameters": {"type": "integer"},
        "parts": {"type": "object", "additionalProperties": PART},
        "total_bytes": {"type": "integer"},
        "bytes_from": {
            "type": "string",
            "enum": ["headers", "index", "widths"],
            "description": "headers: exact; index: its total, parts by the widths; widths: computed from the config.",
        },
        "scheme": {"type": "string"},
        "kv_bytes_per_token": {**NUMBER, "description": "In the widest type of the cache."},
        "context_tokens": {"type": "integer"},
        "origin": ORIGIN,
        "address": {"type": "string"},
        "commit": {"type": "string"},
        "files": {"type": "array", "items": {"type": "string"}},
        "remarks": {"type": "array", "items": object_of({"severity": {"type": "string"}, **CODED})},
    }
)
LISTED_IMPORT: dict[str, Any] = object_of(
    {
        "model": {"type": "string"},
        "origin": ORIGIN,
        "address": {"type": "string"},
        "commit": {"type": "string"},
        "checkpoint": {**OBJECT, "description": "Bytes, weights and types by part, where headers were read."},
        "imported_by": TEXT,
        "created_at": {"type": "string", "format": "date-time"},
    }
)
EXAMPLE_IMPORT: dict[str, Any] = {
    "id": "team/small-llama",
    "config": {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_size": 2048,
        "intermediate_size": 8192,
        "num_hidden_layers": 16,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "head_dim": 64,
        "vocab_size": 128256,
        "max_position_embeddings": 131072,
        "tie_word_embeddings": True,
        "torch_dtype": "bfloat16",
    },
}
