"""JSON Schemas of plans as documents: `decodeck.plan/1`. What is there stays; later versions only add."""

from typing import Any

from planner.schemas import NUMBER, REQUEST, TEXT, object_of
from planner.schemas.costs import BILL as COST_BILL
from planner.schemas.plans import BASIS, CONTENT, NUMBERED, STATE, VERDICT, WORD
from planner.schemas.recommend import PRICE

_BILL: dict[str, Any] = COST_BILL["properties"]
_ITEM: dict[str, Any] = {
    **_BILL["items"]["items"]["properties"],
    "kind_name": WORD,
    "lack": object_of(
        {"code": WORD, "message": WORD}, nullable=True, description="Why there is no price, as of today."
    ),
    "power_w": {
        **NUMBER,
        "description": "Of one; null where nobody states it, and of spares, which draw none.",
    },
    "power_total_w": NUMBER,
}
ITEMS: dict[str, Any] = {"type": "array", "items": object_of(_ITEM)}
ALTERNATIVES: dict[str, Any] = object_of(
    {
        "on": {**WORD, "format": "date"},
        "items": {
            "type": "array",
            "items": object_of(
                {
                    "accelerator": WORD,
                    "name": WORD,
                    "count": NUMBERED,
                    "verdict": VERDICT,
                    "tpot_ms": NUMBER,
                    "output_tokens_per_s": NUMBER,
                    "power_w": NUMBER,
                    "purchase": {
                        **NUMBER,
                        "description": "Of the accelerators alone; null: nobody priced them.",
                    },
                    "currency": TEXT,
                    "price": {**PRICE, "type": ["object", "null"]},
                    "request": REQUEST,
                }
            ),
        },
    }
)
HEADER: dict[str, Any] = object_of(
    {
        "uid": WORD,
        "name": WORD,
        "owner": WORD,
        "state": STATE,
        "notes": WORD,
        "version": NUMBERED,
        "note": WORD,
        "author": WORD,
        "created_at": {**WORD, "format": "date-time"},
    }
)
PLAN_BILL: dict[str, Any] = {**_BILL, "items": ITEMS}
BILL: dict[str, Any] = object_of(
    {"plan": HEADER, "title": WORD, "basis": BASIS, "alternatives": ALTERNATIVES, **PLAN_BILL}
)
COST: dict[str, Any] = object_of(
    {
        "currency": WORD,
        "yearly": {
            "type": "array",
            "items": object_of({"item": WORD, "name": WORD, "amount": NUMBER}),
        },
        "yearly_total": NUMBER,
        "per_million_output_tokens": object_of({"at_load": NUMBER, "at_full_load": NUMBER}),
        "remarks": {"type": "array", "items": WORD},
    }
)
DOCUMENT: dict[str, Any] = object_of(
    {
        "format": {"type": "string", "const": "decodeck.plan/1"},
        "plan": HEADER,
        "title": WORD,
        "basis": BASIS,
        "content": CONTENT,
        "inputs": {"type": "array", "items": object_of({"path": WORD, "name": WORD, "text": WORD})},
        "figures": {
            "type": "array",
            "items": object_of(
                {"key": WORD, "name": WORD, "value": {"type": ["number", "string", "null"]}, "unit": WORD}
            ),
        },
        "bill": object_of(PLAN_BILL),
        "cost": COST,
        "alternatives": ALTERNATIVES,
    }
)
