"""JSON Schemas of the estimate contract, for OpenAPI and for the tests that hold answers against it."""

from typing import Any

from planner.schemas.commands import COMMANDS

NUMBER: dict[str, Any] = {"type": ["number", "null"]}
WHOLE: dict[str, Any] = {"type": ["integer", "null"]}
TEXT: dict[str, Any] = {"type": ["string", "null"]}
INTERVAL: dict[str, Any] = {
    "type": ["array", "null"],
    "items": {"type": "number"},
    "minItems": 2,
    "maxItems": 2,
    "description": "80 % interval, low and high.",
}


def object_of(
    properties: dict[str, Any], *, required: bool = True, nullable: bool = False, **more: Any
) -> dict[str, Any]:
    """An object schema in which every property is present unless said otherwise."""
    schema: dict[str, Any] = {
        "type": ["object", "null"] if nullable else "object",
        "properties": properties,
        "additionalProperties": False,
        **more,
    }
    if required:
        schema["required"] = list(properties)
    return schema


def optional_whole(low: int) -> dict[str, Any]:
    return {"type": ["integer", "null"], "minimum": low}


LENGTH: dict[str, Any] = {
    "oneOf": [
        {"type": "integer", "minimum": 1},
        object_of({name: {"type": "integer", "minimum": 1} for name in ("p50", "p90", "p99")}),
    ],
    "description": "Mean tokens, or the tokens that half, 90 % and 99 % of the requests stay within.",
}
LIMIT: dict[str, Any] = {
    "oneOf": [
        {"type": "number", "exclusiveMinimum": 0},
        object_of({"p99": {"type": "number", "exclusiveMinimum": 0}}),
        {"type": "null"},
    ]
}
REQUEST: dict[str, Any] = object_of(
    {
        "id": {**TEXT, "description": "Any text; echoed in the answer."},
        "model": object_of(
            {
                "id": {**TEXT, "description": "Hugging Face name of a catalog model."},
                "config": {"type": ["object", "null"], "description": "A Hugging Face config.json."},
                "parameters": {**optional_whole(1), "description": "Total parameters, where known."},
                "weights_gib": {**NUMBER, "description": "Total weights on disk in GiB, where known."},
            },
            required=False,
            description="Either an id of the catalog or a config.json.",
        ),
        "weights": {**TEXT, "description": "Weight scheme of the catalog; null: as published."},
        "kv_cache_dtype": {**TEXT, "default": "auto"},
        "accelerator": {**TEXT, "description": "Catalog id or the exact name that the vendor's tool prints."},
        "count": {**optional_whole(1), "description": "tensor × pipeline × data."},
        "parallelism": object_of(
            {
                "tensor": optional_whole(1),
                "pipeline": optional_whole(1),
                "data": optional_whole(1),
                "expert": {"type": ["boolean", "null"]},
            },
            required=False,
            nullable=True,
        ),
        "power_limit_w": {
            **NUMBER,
            "exclusiveMinimum": 0,
            "description": "Cap on the power of each accelerator; null: none. Not beside power_mode.",
        },
        "power_mode": {
            **TEXT,
            "description": "Power mode of a board, such as 15W or MAXN; null: the fastest.",
        },
        "host_memory_gib": {
            **NUMBER,
            "exclusiveMinimum": 0,
            "description": "System memory of a machine whose accelerator shares it (CPU, Apple, boards, phones).",
        },
        "interconnect": {
            **TEXT,
            "description": "null: what the accelerator has; nvlink, xgmi, pcie4-x16, pcie5-x16 or none may be forced.",
        },
        "engine": object_of(
            {
                "name": {**TEXT, "description": "vllm, sglang, tensorrt-llm or llama.cpp."},
                "version": {**TEXT, "description": "null: newest known."},
            },
            required=False,
            nullable=True,
        ),
        "settings": {
            "oneOf": [
                {"type": "string", "enum": ["derive"]},
                object_of(
                    {
                        "gpu_memory_utilization": {**NUMBER, "exclusiveMinimum": 0, "maximum": 1},
                        "max_model_len": optional_whole(1),
                        "max_num_seqs": optional_whole(1),
                        "max_num_batched_tokens": optional_whole(1),
                        "block_size": optional_whole(1),
                        "enforce_eager": {"type": ["boolean", "null"]},
                    },
                    required=False,
                    nullable=True,
                ),
            ],
            "description": 'Absent settings take the default of the engine version; "derive" asks for ours.',
        },
        "workload": object_of(
            {
                "input_tokens": LENGTH,
                "output_tokens": LENGTH,
                "concurrency": {
                    **optional_whole(1),
                    "description": "Requests at the same time, or requests_per_day.",
                },
                "requests_per_day": {**NUMBER, "exclusiveMinimum": 0},
                "peak_factor": {
                    **NUMBER,
                    "minimum": 1,
                    "description": "Rate at the peak over the mean rate.",
                },
            },
            required=False,
            nullable=True,
            description="Means of a steady state, or quantiles that they follow from; null: memory only.",
        ),
        "targets": object_of(
            dict.fromkeys(("tpot_ms", "ttft_ms", "output_tokens_per_s_per_user"), LIMIT),
            required=False,
            nullable=True,
            description="Limits on steady-state means. A p99 is unknown until measured.",
        ),
    },
    required=False,
)
REQUEST["required"] = ["model"]
REQUEST["properties"]["workload"]["required"] = ["input_tokens", "output_tokens"]

EXAMPLE: dict[str, Any] = {
    "id": "chat-on-a-4090",
    "model": {"id": "Qwen/Qwen2.5-7B-Instruct"},
    "accelerator": "nvidia-rtx-4090",
    "count": 1,
    "engine": {"name": "vllm", "version": "0.19.0"},
    "settings": {"gpu_memory_utilization": 0.9, "max_model_len": 4096, "max_num_seqs": 16},
    "workload": {"input_tokens": 1024, "output_tokens": 256, "concurrency": 16},
}

CONFIDENCE: dict[str, Any] = {"type": "string", "enum": ["high", "medium", "low"]}
PACE: dict[str, Any] = {
    "tpot_ms": NUMBER,
    "ttft_ms": NUMBER,
    "output_tokens_per_s": NUMBER,
    "interval": object_of({"tpot_ms": INTERVAL, "output_tokens_per_s": INTERVAL}),
}
ORIGIN: dict[str, Any] = {
    "kind": {"type": "string"},
    "source": {"type": "string"},
    "confidence": CONFIDENCE,
}
SUSTAINED: dict[str, Any] = object_of(
    {
        "burst": object_of(PACE, description="The first minutes: the speed above."),
        "sustained": object_of(
            {
                **PACE,
                "share": {"type": "number", "description": "Of the first speed."},
                "after_s": {
                    **NUMBER,
                    "description": "Seconds until it has settled; null: it keeps its speed.",
                },
                "cause": {"type": "string"},
                "message": {"type": "string"},
                **ORIGIN,
            },
            nullable=True,
            description="For hours; null: not known.",
        ),
        "capped": {
            "type": "array",
            "items": object_of(
                {
                    "mode": TEXT,
                    "power_w": {**NUMBER, "description": "Of each accelerator."},
                    "power_share": NUMBER,
                    "frequency_share": NUMBER,
                    **PACE,
                    "energy_per_token_j": {**NUMBER, "description": "At most: what the cap allows."},
                    **ORIGIN,
                }
            ),
        },
    },
    nullable=True,
    description="Edge machines, phones and packed cards; null where long runs are as short ones.",
)

FIX: dict[str, Any] = {"type": ["object", "null"], "description": "Partial request that would mend it."}
VALUES: dict[str, Any] = {"type": "object", "description": "The figures behind the message."}
REASON: dict[str, Any] = object_of(
    {"code": {"type": "string"}, "values": VALUES, "message": {"type": "string"}}
)

ANSWER: dict[str, Any] = object_of(
    {
        "id": TEXT,
        "verdict": {"type": "string", "enum": ["fits", "does_not_fit", "unsupported", "unknown"]},
        "reasons": {
            "type": "array",
            "items": object_of(
                {
                    "code": {"type": "string"},
                    "field": TEXT,
                    "values": VALUES,
                    "fix": FIX,
                    "message": {"type": "string"},
                }
            ),
        },
        "memory": object_of(
            {
                "per_accelerator": object_of(
                    {
                        name: {**NUMBER, "description": "GiB on the tightest rank."}
                        for name in (
                            "total_gib",
                            "budget_gib",
                            "weights_gib",
                            "activation_gib",
                            "non_torch_gib",
                            "cuda_graph_gib",
                            "kv_cache_gib",
                            "outside_budget_gib",
                        )
                    }
                ),
                "kv_bytes_per_token": NUMBER,
                "kv_cache_tokens": WHOLE,
                "max_concurrency": NUMBER,
                "interval": object_of({"kv_cache_gib": INTERVAL}),
            },
            nullable=True,
        ),
        "startup_log": object_of(
            {
                "weights_gib": NUMBER,
                "available_kv_cache_gib": NUMBER,
                "kv_cache_tokens": WHOLE,
                "max_concurrency": NUMBER,
            },
            nullable=True,
            description="What this engine version prints at start-up.",
        ),
        "speed": object_of(
            {
                "running": NUMBER,
                "decode_step_ms": NUMBER,
                "tpot_ms": NUMBER,
                "ttft_ms": NUMBER,
                "output_tokens_per_s": NUMBER,
                "output_tokens_per_s_per_user": NUMBER,
                "bound": {"type": "string", "enum": ["memory", "compute", "interconnect", "host"]},
                "mbu": {
                    **NUMBER,
                    "description": "Bytes decode must read per second over datasheet bandwidth.",
                },
                "interval": object_of(
                    {"decode_step_ms": INTERVAL, "tpot_ms": INTERVAL, "output_tokens_per_s": INTERVAL}
                ),
                "provenance": {"type": "string", "enum": ["calibrated", "computed"]},
            },
            nullable=True,
        ),
        "step": object_of(
            {
                name: {**NUMBER, "description": "ms of one step; the five add up to tpot_ms."}
                for name in ("weights_ms", "kv_ms", "prefill_ms", "interconnect_ms", "host_ms")
            },
            nullable=True,
        ),
        "advice": {
            "type": "array",
            "items": object_of(
                {
                    "code": {"type": "string"},
                    "severity": {"type": "string", "enum": ["info", "warning", "error"]},
                    "values": VALUES,
                    "source": {"type": "string"},
                    "message": {"type": "string"},
                }
            ),
        },
        "sustained": SUSTAINED,
        "settings": {
            "type": "array",
            "description": "Every engine setting in force: asked for, derived, or the version's default.",
            "items": object_of({"name": {"type": "string"}, "value": {}, "reason": REASON}),
        },
        "targets": {
            "type": "array",
            "items": object_of(
                {
                    "name": {"type": "string"},
                    "limit": {"type": "number"},
                    "value": {**NUMBER, "description": "The steady-state mean."},
                    "met": {
                        "type": ["boolean", "null"],
                        "description": "null: cannot be said before it is measured.",
                    },
                    "reason": REASON,
                }
            ),
        },
        "rules_of_thumb": {
            "type": "array",
            "description": "Rules from the field beside the exact result.",
            "items": object_of(
                {
                    "code": {"type": "string"},
                    "verdict": {
                        "type": "string",
                        "enum": ["agreed", "contradicted", "not_applicable", "unknown"],
                    },
                    "rule_value": {
                        "type": ["number", "array", "null"],
                        "items": {"type": "number"},
                        "description": "A figure, or low and high of a range.",
                    },
                    "exact_value": NUMBER,
                    "unit": {"type": "string"},
                    "values": VALUES,
                    "source": {"type": "string"},
                    "message": {"type": "string"},
                }
            ),
        },
        "commands": COMMANDS,
        "basis": object_of({"catalog": {"type": "string"}, "core": {"type": "string"}, "calibration": TEXT}),
        "explain": {
            "type": "array",
            "items": object_of(
                {
                    "term": {"type": "string"},
                    "formula": {"type": "string"},
                    "values": VALUES,
                    "result": NUMBER,
                    "unit": {"type": "string"},
                    "source": {"type": "string"},
                    "kind": {
                        "type": "string",
                        "enum": [
                            "datasheet",
                            "measured",
                            "calibrated",
                            "computed",
                            "rule_of_thumb",
                            "assumed",
                            "unsure",
                        ],
                    },
                }
            ),
        },
    }
)

PROBLEM: dict[str, Any] = {
    "type": "object",
    "required": ["type", "title", "status", "code"],
    "properties": {
        "id": TEXT,
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "code": {"type": "string", "description": "Stable: what a program decides by."},
        "detail": {"type": "string"},
        "errors": {
            "type": "array",
            "description": "Where fields of the body are wrong: which, why, and what mends it.",
            "items": object_of({"field": TEXT, "code": {"type": "string"}, "message": {"type": "string"}}),
        },
    },
}
