"""JSON Schemas of judgements of saved plans."""

from typing import Any

from planner.schemas import TEXT, object_of

NUMBER_OR_TEXT: dict[str, Any] = {"type": ["number", "string", "null"]}
REASON: dict[str, Any] = {
    "type": "object",
    "required": ["part", "message"],
    "properties": {
        "part": {"type": "string", "enum": ["catalog", "core", "calibration", "prices"]},
        "message": TEXT,
        "records": {
            "type": "array",
            "items": object_of({"kind": TEXT, "id": TEXT}),
            "description": "Records of the catalog, of those that the set-up is made of, that were changed.",
        },
        "offers": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["item", "price", "lack"],
                "properties": {
                    "item": TEXT,
                    "price": {"type": ["object", "null"]},
                    "lack": {"type": ["object", "null"]},
                },
            },
            "description": "Lines of the bill with another price: whose word it is, or why there is none.",
        },
    },
}
CHANGE = object_of(
    {
        "code": {
            "type": "string",
            "enum": ["verdict", "running", "speed", "price", "price_known", "currency"],
        },
        "name": TEXT,
        "before": NUMBER_OR_TEXT,
        "after": NUMBER_OR_TEXT,
        "because": {"type": "array", "items": REASON},
    }
)
FAILURE: dict[str, Any] = {
    "type": ["object", "null"],
    "description": "Why it could not be judged; null where it was.",
    "required": ["code", "message", "problems"],
    "properties": {
        "code": {"type": "string", "enum": ["rejected", "error"]},
        "message": TEXT,
        "problems": {"type": "array", "items": {"type": "object"}},
    },
}
EVALUATION = object_of(
    {
        "id": {"type": "integer"},
        "plan": TEXT,
        "version": {"type": "integer"},
        "at": {"type": "string", "format": "date-time"},
        "asked_by": {"type": ["string", "null"], "description": "null: nobody, its basis had changed."},
        "basis": {"type": "object"},
        "figures": {"type": "object", "description": "Those of the list of plans; empty where it failed."},
        "changes": {"type": "array", "items": CHANGE, "description": "Against what was told last."},
        "failure": FAILURE,
    }
)
EXAMPLE_EVALUATION: dict[str, Any] = {
    "id": 4711,
    "plan": "k3v9x2mq7b4w",
    "version": 2,
    "at": "2026-12-01T06:00:05Z",
    "asked_by": None,
    "basis": {
        "catalog": "9b1c4e0d5a7f2c33",
        "core": "0.1.0",
        "calibration": None,
        "prices": "0f6d2b8e91c47a55",
    },
    "figures": {"verdict": "fits", "tpot_ms": 62.8, "purchase": 2300.0, "currency": "USD"},
    "changes": [
        {
            "code": "price",
            "name": "price",
            "before": 2500.0,
            "after": 2300.0,
            "because": [{"part": "prices", "offers": [], "message": "Prices changed."}],
        }
    ],
    "failure": None,
}
