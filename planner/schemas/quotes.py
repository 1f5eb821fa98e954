"""JSON Schemas of quotes and exchange rates."""

from typing import Any

from planner.schemas import NUMBER, TEXT, object_of

AMOUNT: dict[str, Any] = {
    "type": ["string", "number"],
    "description": 'An amount; as text it is exact: "12500.00".',
}
DAY: dict[str, Any] = {"type": "string", "format": "date"}
OPTIONAL_DAY: dict[str, Any] = {"type": ["string", "null"], "format": "date"}
QUOTE_FIELDS: dict[str, Any] = {
    "subject_kind": {
        "type": "string",
        "enum": ["accelerator", "platform", "item"],
        "default": "accelerator",
    },
    "subject": {
        "type": "string",
        "maxLength": 200,
        "description": "Catalog id, or the name of another item.",
    },
    "offer": {"type": "string", "enum": ["purchase", "rent_hour", "rent_month"], "default": "purchase"},
    "unit_price": AMOUNT,
    "currency": {"type": "string", "description": "ISO 4217, such as CNY."},
    "minimum_quantity": {"type": "integer", "minimum": 1, "default": 1},
    "supplier": {"type": "string", "maxLength": 120},
    "source": {"type": "string", "maxLength": 500, "description": "Where the offer can be read."},
    "quoted_on": DAY,
    "valid_until": OPTIONAL_DAY,
    "note": {"type": ["string", "null"], "maxLength": 1000},
}
REQUIRED = ["subject", "unit_price", "currency", "supplier", "source", "quoted_on"]
NEW_QUOTE: dict[str, Any] = {**object_of(QUOTE_FIELDS, required=False), "required": REQUIRED}
QUOTE_CHANGE: dict[str, Any] = object_of(QUOTE_FIELDS, required=False)
QUOTE: dict[str, Any] = object_of(
    {
        "uid": {"type": "string"},
        **QUOTE_FIELDS,
        "unit_price": {"type": "string"},
        "state": {"type": "string", "enum": ["valid", "expired", "withdrawn"]},
        "revision": {"type": "integer"},
        "created_at": {"type": "string", "format": "date-time"},
        "created_by": TEXT,
    }
)
WITHDRAWAL: dict[str, Any] = object_of({"reason": {"type": "string", "minLength": 1, "maxLength": 500}})
RATE: dict[str, Any] = object_of(
    {
        "currency": {"type": "string"},
        "per_usd": {**NUMBER, "description": "What one US dollar buys."},
        "as_of": {"type": "string"},
        "source": {"type": "string"},
        "assumed": {"type": "boolean", "description": "Shipped; the team set none."},
        "revision": {"type": "integer"},
    }
)
NEW_RATE: dict[str, Any] = object_of(
    {"per_usd": AMOUNT, "as_of": DAY, "source": {"type": "string", "maxLength": 500}}
)
EXAMPLE_QUOTE: dict[str, Any] = {
    "subject": "nvidia-rtx-4090",
    "unit_price": "15800.00",
    "currency": "CNY",
    "supplier": "Hua Dong Trading",
    "source": "offer 2026-1182",
    "quoted_on": "2026-11-24",
    "valid_until": "2026-12-31",
}
