"""JSON Schema of the question "I have these cards", and of its answer."""

from typing import Any

from planner.answers.fits import FIGURES
from planner.core.owned import GROUPS
from planner.schemas import ANSWER, INTERVAL, NUMBER, REQUEST, TEXT, WHOLE, object_of

FITS_REQUEST: dict[str, Any] = object_of(
    {
        name: REQUEST["properties"][name]
        for name in ("id", "accelerator", "count", "engine", "workload", "targets")
    },
    required=False,
)
FITS_REQUEST["required"] = ["accelerator", "workload"]

FITS_EXAMPLE: dict[str, Any] = {
    "id": "two-4090s",
    "accelerator": "nvidia-rtx-4090",
    "count": 2,
    "workload": {"input_tokens": 1024, "output_tokens": 256, "concurrency": 16},
    "targets": {"tpot_ms": 50},
}

FITS_ANSWER: dict[str, Any] = object_of(
    {
        "id": TEXT,
        "counts": object_of({group: {"type": "integer"} for group in GROUPS}),
        "models": {
            "type": "array",
            "items": object_of(
                {
                    "model": {"type": "string"},
                    "also": {
                        "type": "array",
                        "items": {"type": "string"},
                        "description": "Other names of the same shape.",
                    },
                    "parameters": {"type": "integer"},
                    "group": {"type": "string", "enum": list(GROUPS)},
                    "verdict": ANSWER["properties"]["verdict"],
                    "reason": TEXT,
                    "does_all": {
                        "type": ["boolean", "null"],
                        "description": "It starts, serves all users and meets the targets; null: speed not known.",
                    },
                    "figures": object_of(dict.fromkeys(FIGURES, NUMBER)),
                    "interval": object_of({"tpot_ms": INTERVAL}),
                    "longest_context_tokens": WHOLE,
                    "most_users": WHOLE,
                    "request": {
                        "type": "object",
                        "description": "The estimate request that gives these figures.",
                    },
                }
            ),
        },
        "basis": ANSWER["properties"]["basis"],
    }
)
