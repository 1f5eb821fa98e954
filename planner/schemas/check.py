"""JSON Schemas of the command check."""

from typing import Any

from planner.schemas import ANSWER, REQUEST, TEXT, WHOLE, object_of

EXAMPLE_CHECK: dict[str, Any] = {
    "id": "chat",
    "command": "vllm serve Qwen/Qwen2.5-7B-Instruct --kv-cache-dtype int8 --max-model-len 4096",
    "version": "0.32.0",
    "accelerator": "nvidia-rtx-4090",
    "count": 1,
}
REQUEST_OF_CHECK: dict[str, Any] = object_of(
    {
        "id": {**TEXT, "description": "Any text; echoed in the answer."},
        "command": {
            "type": "string",
            "maxLength": 16_000,
            "description": "What would be typed: a shell line, docker run, a compose service or a systemd unit.",
        },
        "engine": {
            **TEXT,
            "description": "vllm, sglang, tensorrt-llm or llama.cpp; the command itself wins.",
        },
        "version": {**TEXT, "description": "Without one the newest counts; the tag of an image wins."},
        "model": {**TEXT, "description": "Catalog id, where the command names a path or file."},
        "accelerator": {**TEXT, "description": "Catalog id, or a name such as A100 80GB."},
        "count": {**WHOLE, "description": "Accelerators of the machine."},
        "ports_in_use": {
            "type": ["array", "null"],
            "items": {"type": "integer", "minimum": 1, "maximum": 65535},
            "description": "Ports of the host that are taken.",
        },
    },
    required=False,
)
REQUEST_OF_CHECK["required"] = ["command"]
PROBLEM_OF_COMMAND: dict[str, Any] = object_of(
    {
        "code": {"type": "string"},
        "severity": {"type": "string", "enum": ["error", "warning"]},
        "flag": {**TEXT, "description": "As typed, or the part at fault, such as model."},
        "name": {**TEXT, "description": "The flag's canonical name, where it is one that the engine has."},
        "values": {"type": "object"},
        "message": {"type": "string"},
        "fix": {**TEXT, "description": "The mended piece; empty where the mend is to leave it out."},
    }
)
FLAG: dict[str, Any] = object_of(
    {
        "flag": {**TEXT, "description": "Canonical name; null for a flag that no version read has."},
        "typed": {"type": "string"},
        "value": TEXT,
        "about": TEXT,
        "concept": TEXT,
        "status": {
            "type": "string",
            "enum": ["present", "removed", "not_yet", "unknown_between", "beyond", "before", "unknown"],
        },
        "since": {**TEXT, "description": "First version read that has it; null: the oldest read has it."},
        "until": {**TEXT, "description": "Last version read that has it; null: the newest read has it."},
        "default": {**TEXT, "description": "What holds without it; null: the engine decides."},
    }
)
ENGINE_OF_COMMAND: dict[str, Any] = object_of(
    {
        "name": {"type": "string"},
        "version": {"type": "string"},
        "version_stated": {"type": "boolean"},
        "standing": {
            "type": "string",
            "enum": ["read", "line", "between", "beyond", "before", "unreadable"],
            "description": "How well this version is known; read: its flags were read one by one.",
        },
        "verified": {"type": "boolean"},
        "older": TEXT,
        "newer": TEXT,
        "kind": {"type": "string", "enum": ["shell", "compose", "systemd"]},
        "cuda": {**TEXT, "description": "CUDA of its published builds."},
        "driver": {**WHOLE, "description": "Oldest NVIDIA driver that runs them."},
    },
    nullable=True,
)
CHECK_ANSWER: dict[str, Any] = object_of(
    {
        "id": TEXT,
        "valid": {
            "type": "boolean",
            "description": "This engine version would accept and start it, as far as can be known.",
        },
        "problems": {"type": "array", "items": PROBLEM_OF_COMMAND},
        "mended_command": {
            **TEXT,
            "description": "The command with every error mended, judged valid itself; null where a person must decide.",
        },
        "engine": ENGINE_OF_COMMAND,
        "flags": {"type": "array", "items": FLAG},
        "read": {
            "oneOf": [{**REQUEST}, {"type": "null"}],
            "description": "The estimate request that it amounts to.",
        },
        "estimate": {"oneOf": [ANSWER, {"type": "null"}]},
    }
)
