"""JSON Schema of the limits contract: what an estimate request is asked for in the other direction."""

from typing import Any

from planner.schemas import ANSWER, REQUEST, TEXT, VALUES, WHOLE, object_of

LIMIT_NAMES = (
    "longest_context_tokens",
    "longest_context_for_users",
    "most_users",
    "most_users_by_cache",
    "most_users_within_targets",
)
REQUEST_OF_LIMITS = REQUEST
CODED: dict[str, Any] = {"code": {"type": "string"}, "message": {"type": "string"}}
PAIR: dict[str, Any] = {
    "type": "array",
    "items": {"type": ["number", "null"]},
    "minItems": 2,
    "maxItems": 2,
    "description": "Before and after.",
}

CHANGE: dict[str, Any] = object_of(
    {
        **CODED,
        "values": VALUES,
        "change": {"type": "object", "description": "Partial request: lay it over the one that was asked."},
        "price": {"type": "array", "items": object_of(CODED), "description": "What it costs in kind."},
        "verdict": ANSWER["properties"]["verdict"],
        "reason": {**TEXT, "description": "Code of the first reason against the changed set-up."},
        "solves": {"type": "boolean", "description": "It starts, serves all users and meets the targets."},
        "gain": {
            "type": "object",
            "properties": dict.fromkeys(
                ("spare_gib", "users", "tpot_ms", "ttft_ms", "output_tokens_per_s", "kv_cache_tokens"), PAIR
            ),
            "additionalProperties": False,
        },
    }
)

LIMITS_ANSWER: dict[str, Any] = object_of(
    {
        "id": TEXT,
        "verdict": ANSWER["properties"]["verdict"],
        "longest_context_tokens": {**WHOLE, "description": "Largest max_model_len with which it starts."},
        "longest_context_for_users": {
            **WHOLE,
            "description": "Tokens that each of the asked users may hold at the same time.",
        },
        "most_users": {**WHOLE, "description": "Decode at once at the mean length, settings as they are."},
        "most_users_by_cache": {**WHOLE, "description": "The same with max_num_seqs raised along."},
        "most_users_within_targets": {**WHOLE, "description": "Of most_users, while every target is met."},
        "limited_by": object_of(
            {
                name: object_of(
                    {**CODED, "values": VALUES}, nullable=True, description="What stops the next step."
                )
                for name in LIMIT_NAMES
            }
        ),
        "best_settings": {
            "type": ["object", "null"],
            "description": "Our settings for the workload; null without one, or where it does not start with them.",
        },
        "changes": {"type": "array", "items": CHANGE, "description": "What would help, least effort first."},
        "in_vain": {
            "type": "array",
            "items": CHANGE,
            "description": "What one would expect to help, and what does not.",
        },
        "basis": ANSWER["properties"]["basis"],
    }
)
