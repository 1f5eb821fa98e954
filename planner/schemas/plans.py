"""JSON Schemas of saved plans."""

from typing import Any

from planner.schemas import NUMBER, PROBLEM, REQUEST, TEXT, WHOLE, object_of
from planner.schemas.costs import BILL_ASKED, GIVEN

WORD: dict[str, Any] = {"type": "string"}
FLAG: dict[str, Any] = {"type": "boolean"}
NUMBERED: dict[str, Any] = {"type": "integer", "minimum": 1}
MOMENT: dict[str, Any] = {"type": "string", "format": "date-time"}
OPTIONAL_MOMENT: dict[str, Any] = {"type": ["string", "null"], "format": "date-time"}
OPEN: dict[str, Any] = {"type": "object"}
STATE: dict[str, Any] = {"type": "string", "enum": ["draft", "proposed", "approved", "rejected"]}
VERDICT: dict[str, Any] = {"type": "string", "enum": ["fits", "does_not_fit", "unsupported", "unknown"]}
BASIS: dict[str, Any] = object_of(
    {"catalog": WORD, "core": WORD, "calibration": TEXT, "prices": WORD},
    description="Names what it was answered with: the same names give the same answer.",
)
CONTENT: dict[str, Any] = {
    **object_of(
        {
            "request": {**REQUEST, "description": "The request of an estimate, without an id."},
            "bill": BILL_ASKED,
            "cost": GIVEN,
            "length_log": {**TEXT, "description": "uid of the length log that the load was read from."},
            "price_source": {"type": ["string", "null"], "enum": ["quotes", "public", None]},
        },
        required=False,
    ),
    "required": ["request"],
}
NAME: dict[str, Any] = {**WORD, "minLength": 1, "maxLength": 120}
NOTES: dict[str, Any] = {**WORD, "maxLength": 20_000}
WHY: dict[str, Any] = {**WORD, "maxLength": 500}
NEW_PLAN: dict[str, Any] = {
    **object_of({"name": NAME, "notes": NOTES, "note": WHY, "content": CONTENT}, required=False),
    "required": ["name", "content"],
}
PLAN_CHANGE: dict[str, Any] = object_of(
    {"name": NAME, "notes": NOTES, "owner": {**WORD, "maxLength": 150}, "archived": FLAG}, required=False
)
NEW_VERSION: dict[str, Any] = object_of({"note": {**WHY, "minLength": 1}, "content": CONTENT})
_ROW: dict[str, Any] = {
    "uid": WORD,
    "name": WORD,
    "owner": WORD,
    "state": STATE,
    "archived": FLAG,
    "version": NUMBERED,
    "revision": NUMBERED,
    "model": WORD,
    "accelerator": TEXT,
    "count": WHOLE,
    "engine": WORD,
    "verdict": VERDICT,
    "tpot_ms": NUMBER,
    "output_tokens_per_s": NUMBER,
    "purchase": {**NUMBER, "description": "null as soon as one line of the bill has no price."},
    "currency": WORD,
    "flipped": {
        "type": "array",
        "items": WORD,
        "description": "What came out differently when it was last judged again.",
    },
    "evaluated_at": OPTIONAL_MOMENT,
    "created_at": MOMENT,
    "updated_at": MOMENT,
}
PLAN_ROW: dict[str, Any] = object_of(_ROW)
PLAN: dict[str, Any] = object_of({**_ROW, "notes": WORD, "content": CONTENT, "basis": BASIS})
_VERSION: dict[str, Any] = {
    "number": NUMBERED,
    "note": WORD,
    "author": WORD,
    "created_at": MOMENT,
    "basis": BASIS,
}
VERSION_ROW: dict[str, Any] = object_of(_VERSION)
FIGURES: dict[str, Any] = object_of(
    {
        "verdict": VERDICT,
        "running": NUMBER,
        "tpot_ms": NUMBER,
        "ttft_ms": NUMBER,
        "output_tokens_per_s": NUMBER,
        "kv_cache_tokens": NUMBER,
        "purchase": NUMBER,
        "currency": WORD,
        "yearly": NUMBER,
        "per_million_output_tokens": NUMBER,
        "power_w": NUMBER,
    }
)
VERSION: dict[str, Any] = object_of(
    {
        **_VERSION,
        "content": CONTENT,
        "answer": {**OPEN, "description": "Estimate, bill and cost as they were answered then."},
        "figures": FIGURES,
    }
)
COMMENT: dict[str, Any] = object_of(
    {
        "id": {"type": "integer"},
        "version": NUMBERED,
        "author": WORD,
        "text": WORD,
        "created_at": MOMENT,
    }
)
NEW_COMMENT: dict[str, Any] = object_of({"text": {**WORD, "minLength": 1, "maxLength": 4_000}})
REASON: dict[str, Any] = object_of({"reason": WHY}, required=False)
_SHARE: dict[str, Any] = {
    "id": {"type": "integer"},
    "with_prices": FLAG,
    "is_live": FLAG,
    "created_by": WORD,
    "created_at": MOMENT,
    "expires_at": MOMENT,
    "revoked_at": OPTIONAL_MOMENT,
}
SHARE: dict[str, Any] = object_of(_SHARE)
MADE_SHARE: dict[str, Any] = object_of(
    {
        **_SHARE,
        "url": {
            "type": ["string", "null"],
            "format": "uri",
            "description": "Told once: a repeated request has null here.",
        },
    }
)
NEW_SHARE: dict[str, Any] = {
    **object_of(
        {"days": {"type": "integer", "minimum": 1, "maximum": 90}, "with_prices": FLAG}, required=False
    ),
    "required": ["days"],
}
ANYTHING: dict[str, Any] = {"description": "A value of JSON, as it stands in the content."}
DIFFERENCE: dict[str, Any] = object_of(
    {
        "plan": WORD,
        "from": NUMBERED,
        "to": NUMBERED,
        "fields": {
            "type": "array",
            "items": object_of({"path": WORD, "name": WORD, "before": ANYTHING, "after": ANYTHING}),
        },
        "figures": {
            "type": "array",
            "items": object_of({"key": WORD, "name": WORD, "before": ANYTHING, "after": ANYTHING}),
        },
        "currency": WORD,
        "same_basis": FLAG,
    }
)
NEW_COMPARISON: dict[str, Any] = object_of(
    {
        "plans": {
            "type": "array",
            "items": WORD,
            "minItems": 2,
            "maxItems": 6,
            "description": "uids of plans; their newest versions are compared.",
        }
    }
)
COMPARISON: dict[str, Any] = object_of(
    {
        "plans": {
            "type": "array",
            "items": object_of(
                {"uid": WORD, "name": WORD, "state": STATE, "version": NUMBERED, "currency": WORD}
            ),
        },
        "figures": {
            "type": "array",
            "items": object_of(
                {
                    "key": WORD,
                    "name": WORD,
                    "unit": WORD,
                    "values": {"type": "array", "items": ANYTHING},
                    "best": {"type": "array", "items": {"type": "integer"}},
                }
            ),
        },
        "inputs": {
            "type": "array",
            "items": object_of({"path": WORD, "name": WORD, "values": {"type": "array", "items": ANYTHING}}),
        },
    }
)
CONFLICT: dict[str, Any] = {
    **PROBLEM,
    "properties": {**PROBLEM["properties"], "current": {**PLAN, "description": "The plan as it is now."}},
}
EXAMPLE_CONTENT: dict[str, Any] = {
    "request": {
        "model": {"id": "Qwen/Qwen3-8B"},
        "accelerator": "nvidia-rtx-4090",
        "count": 1,
        "settings": "derive",
        "workload": {"input_tokens": 2000, "output_tokens": 500, "concurrency": 8},
    },
    "bill": {"currency": "CNY", "spares": 1},
}
EXAMPLE_PLAN: dict[str, Any] = {
    "name": "Assistant for the support desk",
    "note": "First draft",
    "content": EXAMPLE_CONTENT,
}
EXAMPLE_COMPARISON: dict[str, Any] = {"plans": ["k3v9x2mq7b4w", "p8d2n5rt6y1c"]}
