"""JSON Schemas of the recommendation contract, for OpenAPI and for the tests that hold answers against it."""

from typing import Any

from planner.core.cost.prices import PRICE_SOURCES
from planner.core.search.asked import OBJECTIVES, PLACES
from planner.core.search.parse import MAX_CARDS, MAX_LIMIT
from planner.schemas import ANSWER, NUMBER, REQUEST, TEXT, VALUES, object_of, optional_whole

PART = REQUEST["properties"]
ONE_TEXT_OR_LIST: dict[str, Any] = {
    "oneOf": [
        {"type": ["string", "null"]},
        {"type": "array", "items": {"type": ["string", "null"]}, "minItems": 1},
    ]
}
BY_ACCELERATOR: dict[str, Any] = {
    "type": ["object", "null"],
    "additionalProperties": {"type": "number", "exclusiveMinimum": 0},
}
CURRENCY: dict[str, Any] = {
    **TEXT,
    "description": "ISO 4217: USD, EUR, CNY … Quotes are exchanged into it; null: the team's.",
}

SEARCH: dict[str, Any] = object_of(
    {
        "id": PART["id"],
        "model": PART["model"],
        "weights": {
            **ONE_TEXT_OR_LIST,
            "description": "One scheme or several; null: all that make sense. Within a list null is as published.",
        },
        "kv_cache_dtype": {**ONE_TEXT_OR_LIST, "description": "One or several; null: all that make sense."},
        "engine": PART["engine"],
        "engines": {
            "type": ["array", "null"],
            "items": PART["engine"],
            "minItems": 1,
            "description": "Several engines, in place of engine; neither: all.",
        },
        "accelerators": {
            "type": ["array", "null"],
            "items": {"type": "string"},
            "minItems": 1,
            "description": "Catalog ids or names that the vendor's tool prints; null: the whole catalog.",
        },
        "counts": {
            "type": ["array", "null"],
            "items": {"type": "integer", "minimum": 1, "maximum": MAX_CARDS},
            "minItems": 1,
            "description": "How many accelerators; null: 1 to max_count.",
        },
        "workload": {**PART["workload"], "type": "object"},
        "targets": PART["targets"],
        "constraints": object_of(
            {
                "budget": {
                    "oneOf": [
                        {"type": ["number", "null"], "exclusiveMinimum": 0},
                        object_of(
                            {"amount": {"type": "number", "exclusiveMinimum": 0}, "currency": CURRENCY},
                            required=False,
                        ),
                    ],
                    "description": "For the purchase of all accelerators together.",
                },
                "currency": CURRENCY,
                "prices": {
                    **BY_ACCELERATOR,
                    "description": "What one accelerator costs you, by its id or name; before any quote.",
                },
                "price_source": {
                    "type": ["string", "null"],
                    "enum": [*PRICE_SOURCES, None],
                    "default": "quotes",
                    "description": (
                        "Where other prices come from: the team's valid quotes; those, and public list and street prices "
                        "where nobody quoted; or nowhere."
                    ),
                },
                "power_w": {**NUMBER, "description": "Board power of all accelerators together."},
                "vendors": {"type": ["array", "null"], "items": {"type": "string"}, "minItems": 1},
                "classes": {"type": ["array", "null"], "items": {"type": "string"}, "minItems": 1},
                "ecc": {"type": ["boolean", "null"], "description": "true: only memory known to have ECC."},
                "owned": {
                    **BY_ACCELERATOR,
                    "description": "Cards you have, by id or name: only these are searched.",
                },
                "place": {"type": ["string", "null"], "enum": [*PLACES, None]},
                "max_count": {**optional_whole(1), "maximum": MAX_CARDS, "default": 8},
            },
            required=False,
            nullable=True,
        ),
        "objective": {"type": ["string", "null"], "enum": [*OBJECTIVES, None], "default": OBJECTIVES[0]},
        "limit": {**optional_whole(1), "maximum": MAX_LIMIT, "default": 20},
    },
    required=False,
)

SEARCH_EXAMPLE: dict[str, Any] = {
    "id": "chat-7b",
    "model": {"id": "Qwen/Qwen2.5-7B-Instruct"},
    "workload": {"input_tokens": 1024, "output_tokens": 256, "concurrency": 16},
    "targets": {"tpot_ms": 50, "ttft_ms": 2000},
    "constraints": {"place": "server", "vendors": ["NVIDIA"], "max_count": 4},
    "objective": "balanced",
    "limit": 5,
}

REASON: dict[str, Any] = object_of(
    {"code": {"type": "string"}, "values": VALUES, "message": {"type": "string"}}
)
PRICE: dict[str, Any] = object_of(
    {
        "amount": {**NUMBER, "description": "Of one, in the currency of the answer."},
        "kind": {"type": "string", "enum": ["given", "quoted", "public"]},
        "source": {"type": "string"},
        "supplier": {"type": "string"},
        "basis": {"type": "string", "description": "What a public price is the price of: a code."},
        "basis_name": {"type": "string"},
        "quoted_on": TEXT,
        "valid_until": TEXT,
        "quote": {**TEXT, "description": "uid of the quote."},
        "minimum_quantity": {"type": "integer", "minimum": 1},
        "stated": {**NUMBER, "description": "As the source says it, before any exchange."},
        "stated_currency": {"type": "string"},
        "stated_low": {**NUMBER, "description": "Lower end of a public range, whose upper end counts."},
        "stated_per": {"type": "string", "enum": ["", "hour", "month"]},
        "rate": {
            **NUMBER,
            "description": "One of stated_currency in the currency of the answer; null: the same.",
        },
        "rate_assumed": {"type": "boolean", "description": "A rate in it was shipped, not set by the team."},
        "message": {"type": "string"},
    }
)
MONEY: dict[str, Any] = object_of(
    {"purchase": NUMBER, "currency": TEXT, "unit_price": NUMBER, "price": PRICE},
    nullable=True,
    description="null where nobody priced it: price_note says why.",
)
BILL: dict[str, Any] = {
    "type": "array",
    "items": object_of(
        {
            "item": {"type": "string"},
            "id": {"type": "string"},
            "name": {"type": "string"},
            "quantity": {"type": "integer", "minimum": 1},
            "unit_price": NUMBER,
            "currency": TEXT,
            "total": NUMBER,
            "boards": object_of(
                {name: {"type": "integer", "minimum": 1} for name in ("size", "boards", "used", "held")},
                nullable=True,
                description="Boards that these modules come on; null for what is bought one by one.",
            ),
            "message": {"type": "string"},
        }
    ),
}
OPTION: dict[str, Any] = object_of(
    {
        **ANSWER["properties"],
        "rank": {"type": "integer", "minimum": 1},
        "score": {**NUMBER, "description": "What it is ranked by, smaller first; null stands last."},
        "accelerator": {"type": "string"},
        "count": {"type": "integer", "minimum": 1},
        "parallelism": {"type": "object"},
        "weights": {"type": "string"},
        "kv_cache_dtype": {"type": "string"},
        "engine": object_of({"name": {"type": "string"}, "version": {"type": "string"}}),
        "release": {**TEXT, "description": "A published checkpoint in this format, where one is known."},
        "settings_used": {"type": "object"},
        "load": object_of(
            {
                "concurrency": {"type": "integer"},
                "requests_per_s": NUMBER,
                "capacity_per_s": {**NUMBER, "description": "Requests/s at the most that memory lets run."},
                "share_of_capacity": {**NUMBER, "description": "requests_per_s ÷ capacity_per_s."},
            }
        ),
        "power_w": {**NUMBER, "description": "Board power of all its accelerators together."},
        "cost": MONEY,
        "price_note": {
            **object_of(REASON["properties"], nullable=True),
            "description": (
                "Why there is no price: no_price, price_expired, price_without_rate or price_for_more; null with one."
            ),
        },
        "reason": REASON,
        "winner_of": {"type": "array", "items": {"type": "string"}},
        "on_frontier": {"type": "boolean"},
        "variations": {"type": "integer", "description": "Other ways to run it that were searched."},
        "bill_of_materials": BILL,
        "request": {**REQUEST, "description": "The estimate request that gives exactly these figures."},
    }
)

LINE: dict[str, Any] = {
    "accelerator": {"type": "string"},
    "count": {"type": "integer", "minimum": 1},
    "parallelism": {"type": "object"},
    "weights": {"type": "string"},
    "kv_cache_dtype": {"type": "string"},
    "engine": {"type": "string"},
    "tpot_ms": NUMBER,
    "ttft_ms": NUMBER,
    "output_tokens_per_s": NUMBER,
    "rank": {"type": ["integer", "null"]},
}
RANK: dict[str, Any] = {
    "type": ["integer", "null"],
    "description": "Rank of the option; null: none can be told.",
}

RECOMMENDATION: dict[str, Any] = object_of(
    {
        "id": TEXT,
        "objective": {"type": "string", "enum": list(OBJECTIVES)},
        "options": {
            "type": "array",
            "items": OPTION,
            "description": "By rank, one per accelerator and count; winners beyond the limit stand at the end.",
        },
        "winners": object_of(
            dict.fromkeys(("cheapest", "lowest_tpot", "highest_throughput", "balanced", "lowest_power"), RANK)
        ),
        "frontier": {
            "type": "array",
            "items": object_of(
                {
                    **LINE,
                    "output_tokens_per_s_per_user": NUMBER,
                    "output_tokens_per_s_per_accelerator": NUMBER,
                }
            ),
            "description": "What nothing beats in speed per user and per accelerator at once.",
        },
        "excluded": {
            "type": "array",
            "items": object_of(
                {
                    "reason": {"type": "string"},
                    "detail": {**TEXT, "description": "The one narrower reason, where there is exactly one."},
                    "details": {
                        "type": "array",
                        "items": object_of(
                            {
                                "detail": {"type": "string"},
                                "count": {"type": "integer", "minimum": 1},
                                "message": {"type": "string"},
                            }
                        ),
                    },
                    "count": {"type": "integer", "minimum": 1},
                    "examples": {"type": "array", "items": object_of(LINE, required=False), "maxItems": 5},
                    "message": {"type": "string"},
                }
            ),
        },
        "nearest": {
            "type": "array",
            "items": object_of(
                {
                    **LINE,
                    "reason": {"type": "string"},
                    "misses": {
                        "type": "array",
                        "items": object_of({"name": {"type": "string"}, "limit": NUMBER, "value": NUMBER}),
                    },
                    "message": {"type": "string"},
                }
            ),
            "description": "Where nothing meets what was asked: what comes closest.",
        },
        "searched": {
            "type": "integer",
            "description": "Candidates; matching and the counts of excluded add up to it.",
        },
        "matching": {"type": "integer"},
        "set_ups": {"type": "integer", "description": "Pairs of accelerator and count that match."},
        "workload_shape": object_of(
            dict.fromkeys(("weights", "kv", "prefill", "interconnect", "host"), NUMBER),
            nullable=True,
            description="Shares of a token's time on the first option.",
        ),
        "reasons": {
            "type": "array",
            "items": object_of(
                {
                    "code": {"type": "string"},
                    "field": TEXT,
                    "values": VALUES,
                    "message": {"type": "string"},
                }
            ),
        },
        "basis": object_of(
            {
                **ANSWER["properties"]["basis"]["properties"],
                "prices": {
                    **TEXT,
                    "description": "Names the prices that were known; null where none were asked for.",
                },
            }
        ),
    }
)
