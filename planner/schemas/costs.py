"""JSON Schemas of the cost contract."""

from typing import Any

from planner.core.cost.ask import MAX_AMOUNT, MAX_EXTRAS, MAX_QUANTITY, MAX_SPARES
from planner.core.cost.assumptions import ASSUMPTIONS, BY_NAME, GROUPS
from planner.core.cost.prices import PRICE_SOURCES
from planner.schemas import EXAMPLE, INTERVAL, NUMBER, REQUEST, TEXT, VALUES, object_of
from planner.schemas.recommend import CURRENCY, PRICE

AMOUNT: dict[str, Any] = {"type": ["number", "null"], "minimum": 0, "maximum": MAX_AMOUNT}
HOURS: dict[str, Any] = {"type": ["number", "null"], "minimum": 0, "maximum": 24}


def _part(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return object_of(properties, required=False, nullable=True, **more)


BILL_ASKED: dict[str, Any] = _part(
    {
        "currency": CURRENCY,
        "platform": {**TEXT, "description": "Catalog id of the machine; null: servers are assumed by share."},
        "spares": {"type": ["integer", "null"], "minimum": 0, "maximum": MAX_SPARES},
        "extra": {
            "type": ["array", "null"],
            "maxItems": MAX_EXTRAS,
            "items": {
                **object_of(
                    {
                        "name": {"type": "string", "minLength": 1, "maxLength": 300},
                        "quantity": {"type": "integer", "minimum": 1, "maximum": MAX_QUANTITY},
                        "unit_price": AMOUNT,
                        "source": {**TEXT, "maxLength": 300},
                    },
                    required=False,
                ),
                "required": ["name"],
            },
        },
    },
    description="What is ordered beside the cards.",
)
GIVEN: dict[str, Any] = _part(
    {
        item.name: {
            "type": ["number", "null"],
            "minimum": item.low,
            **({} if item.money else {"maximum": item.high}),
        }
        for item in ASSUMPTIONS
    },
    description="By name, in place of the team's and ours; amounts in the currency of the question.",
)
COST_REQUEST: dict[str, Any] = {
    **object_of(
        {
            "id": {**TEXT, "maxLength": 300, "description": "Any text; echoed in the answer."},
            "request": {**REQUEST, "description": "The set-up and its load: the request of an estimate."},
            "currency": CURRENCY,
            "price_source": {"type": ["string", "null"], "enum": [*PRICE_SOURCES, None], "default": "quotes"},
            "purchase": _part(
                {
                    "unit_price": {
                        **AMOUNT,
                        "description": "What you pay for one accelerator; before any quote.",
                    },
                    "platform_price": {
                        **AMOUNT,
                        "description": "For one platform where the bill names one, else for all servers together.",
                    },
                }
            ),
            "bill": BILL_ASKED,
            "load": _part(
                {
                    "hours_per_day": {
                        **HOURS,
                        "description": "That so many users as are asked for are there.",
                    },
                    "utilization": {
                        "type": ["number", "null"],
                        "minimum": 0,
                        "maximum": 1,
                        "description": "Share of the tokens that the set-up could make.",
                    },
                },
                description="One of them, where the workload says no requests a day.",
            ),
            "assumptions": GIVEN,
            "rent": _part(
                {
                    "price_per_hour": {**AMOUNT, "description": "Of one accelerator; null: as quoted."},
                    "price_per_month": AMOUNT,
                    "hours_per_day": {**HOURS, "default": 24},
                }
            ),
        },
        required=False,
    ),
    "required": ["request"],
}
COST_EXAMPLE: dict[str, Any] = {
    "id": "chat-7b",
    "request": EXAMPLE,
    "currency": "CNY",
    "purchase": {"unit_price": 18000},
    "load": {"hours_per_day": 10},
    "assumptions": {"tariff_per_kwh": 0.8, "pue": 1.4},
    "rent": {"price_per_hour": 2.1},
}

TERM: dict[str, Any] = object_of(
    {
        "item": {"type": "string"},
        "name": {"type": "string"},
        "amount": NUMBER,
        "formula": {"type": "string"},
        "values": VALUES,
        "kind": {"type": "string", "enum": ["computed"]},
    }
)
SUM: dict[str, Any] = object_of(
    {
        "terms": {"type": "array", "items": TERM},
        "total": {**NUMBER, "description": "null as soon as one term is not known."},
    }
)
PER_MILLION: dict[str, Any] = object_of(
    {
        "at_load": NUMBER,
        "interval_at_load": INTERVAL,
        "at_full_load": NUMBER,
        "interval_at_full_load": INTERVAL,
    }
)
ASSUMPTION: dict[str, Any] = {
    "name": {"type": "string", "enum": list(BY_NAME)},
    "label": {"type": "string"},
    "group": {"type": "string", "enum": list(GROUPS)},
    "unit": {"type": "string"},
    "unit_code": {"type": "string"},
    "value": {"type": "number"},
    "by": {"type": "string", "enum": ["given", "team", "default"]},
    "kind": {"type": "string", "enum": ["given", "assumed", "rule_of_thumb"]},
    "source": {"type": "string"},
}
CODED: dict[str, Any] = {"code": {"type": "string"}, "values": VALUES, "message": {"type": "string"}}
BILL: dict[str, Any] = object_of(
    {
        "currency": {"type": "string"},
        "items": {
            "type": "array",
            "items": object_of(
                {
                    "kind": {"type": "string", "enum": ["accelerator", "platform", "spare", "extra"]},
                    "id": TEXT,
                    "name": {"type": "string"},
                    "quantity": {"type": "integer"},
                    "unit_price": NUMBER,
                    "currency": {"type": "string"},
                    "total": NUMBER,
                    "price": {
                        **PRICE,
                        "type": ["object", "null"],
                        "required": [name for name in PRICE["properties"] if name != "message"],
                    },
                    "power_w": NUMBER,
                    "note": object_of(CODED, nullable=True),
                }
            ),
        },
        "total": {**NUMBER, "description": "null as soon as one item has no price."},
        "priced_total": {"type": "number"},
        "complete": {"type": "boolean"},
        "unpriced": {"type": "array", "items": {"type": "string"}},
        "power_w": NUMBER,
        "on": {"type": "string"},
    }
)
RENT: dict[str, Any] = object_of(
    {
        "price_per_hour": {"type": "number"},
        "price": BILL["properties"]["items"]["items"]["properties"]["price"],
        "hours_per_day": {"type": "number"},
        "yearly": {"type": "number", "description": "Your own work included."},
        "effort_per_year": {"type": "number"},
        "per_million_output_tokens": object_of({"at_load": NUMBER, "at_full_load": NUMBER}),
        "break_even": object_of(
            {
                "months": {**NUMBER, "description": "Until a purchase has paid for itself; null: never."},
                "hours_per_day": {
                    **NUMBER,
                    "description": "Rented hours from which owning is cheaper in a year; null: dearer around the clock.",
                },
            },
            nullable=True,
        ),
        "curve": {
            "type": "array",
            "items": object_of({name: {"type": "number"} for name in ("month", "bought", "rented")}),
            "description": "Money spent by the end of each month.",
        },
    },
    nullable=True,
    description="null where no rent is quoted or given.",
)
COST_ANSWER: dict[str, Any] = object_of(
    {
        "id": TEXT,
        "currency": {"type": "string"},
        "purchase": SUM,
        "yearly": SUM,
        "yearly_at_full_load": NUMBER,
        "load": object_of(
            {
                "by": {"type": "string", "enum": ["requests_per_day", "hours_per_day", "utilization"]},
                "requests_per_day": NUMBER,
                "hours_per_day": NUMBER,
                "utilization": NUMBER,
            }
        ),
        "tokens_per_day": object_of(
            {"asked": NUMBER, "at_load": NUMBER, "at_full_load": NUMBER}, description="Output tokens."
        ),
        "utilization": {**NUMBER, "description": "Tokens at load over tokens at full load."},
        "per_million_output_tokens": PER_MILLION,
        "per_million_tokens": {**PER_MILLION, "description": "Of input and output tokens alike."},
        "by_utilization": {
            "type": "array",
            "items": object_of(
                {name: {"type": "number"} for name in ("utilization", "per_million_output_tokens")}
            ),
        },
        "rent": RENT,
        "bill": BILL,
        "assumptions": {"type": "array", "items": object_of(ASSUMPTION)},
        "remarks": {"type": "array", "items": object_of(CODED)},
        "basis": object_of({"catalog": TEXT, "core": TEXT, "calibration": TEXT, "prices": TEXT}),
    }
)

ASSUMPTIONS_ANSWER: dict[str, Any] = object_of(
    {
        "currency": {"type": "string"},
        "revision": {"type": "integer"},
        "assumptions": {
            "type": "array",
            "items": object_of(
                {
                    **ASSUMPTION,
                    "default": {"type": "number"},
                    "low": {"type": "number"},
                    "high": {"type": "number"},
                }
            ),
        },
    }
)
NEW_ASSUMPTIONS: dict[str, Any] = object_of(
    {
        "currency": {
            **TEXT,
            "description": "The team's currency, in which amounts are given; null: as it is.",
        },
        "assumptions": _part(
            {
                item.name: {
                    "oneOf": [
                        {"type": ["number", "null"]},
                        {
                            **object_of(
                                {"value": {"type": "number"}, "source": {**TEXT, "maxLength": 300}},
                                required=False,
                            ),
                            "required": ["value"],
                        },
                    ]
                }
                for item in ASSUMPTIONS
            },
            description="All that differ from the defaults; what is not named has its default again.",
        ),
    },
    required=False,
)
