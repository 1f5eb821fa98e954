"""JSON Schemas of webhooks and of what is sent to them."""

from typing import Any

from access.announce import EVENTS
from planner.schemas import TEXT, object_of

WEBHOOK_FIELDS: dict[str, Any] = {
    "name": {"type": "string", "maxLength": 80},
    "url": {
        "type": "string",
        "maxLength": 500,
        "description": "http or https, and allowed by DECODECK_OUTGOING_ALLOW.",
    },
    "events": {"type": "array", "minItems": 1, "items": {"type": "string", "enum": sorted(EVENTS)}},
    "is_active": {"type": "boolean", "default": True},
}
NEW_WEBHOOK: dict[str, Any] = {
    **object_of(WEBHOOK_FIELDS, required=False),
    "required": ["name", "url", "events"],
}
WEBHOOK_CHANGE: dict[str, Any] = object_of(WEBHOOK_FIELDS, required=False)
WEBHOOK: dict[str, Any] = object_of(
    {
        "id": {"type": "integer"},
        **WEBHOOK_FIELDS,
        "events": {"type": "array", "items": TEXT},
        "created_by": {"type": ["string", "null"]},
        "created_at": {"type": "string", "format": "date-time"},
        "revision": {"type": "integer"},
    }
)
SECRET: dict[str, Any] = {
    "type": ["string", "null"],
    "description": "Signs the calls. Given once: null where a repeated request is answered again.",
}
MADE_WEBHOOK: dict[str, Any] = object_of({**WEBHOOK["properties"], "secret": SECRET})
DELIVERY: dict[str, Any] = object_of(
    {
        "id": {"type": "integer", "description": "The `id` in the body of the call."},
        "event": TEXT,
        "state": {"type": "string", "enum": ["waiting", "sent", "given_up"]},
        "attempts": {"type": "integer"},
        "created_at": {"type": "string", "format": "date-time"},
        "next_attempt_at": {"type": ["string", "null"], "format": "date-time"},
        "finished_at": {"type": ["string", "null"], "format": "date-time"},
        "error": {"type": "string", "description": "Of the last attempt that failed."},
        "payload": {"type": "object"},
    }
)
EXAMPLE_WEBHOOK: dict[str, Any] = {
    "name": "procurement",
    "url": "https://procurement.example/decodeck",
    "events": ["plan.approved", "plan.price_changed"],
}
