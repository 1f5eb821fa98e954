"""JSON Schemas of length logs and of the question how likely the KV cache runs out."""

from typing import Any

from planner.schemas import ANSWER, EXAMPLE, INTERVAL, NUMBER, REQUEST, TEXT, WHOLE, object_of

CODED: dict[str, Any] = {"code": {"type": "string"}, "message": {"type": "string"}}
KIND: dict[str, Any] = {
    "type": "string",
    "enum": ["measured", "computed", "assumed", "unknown"],
    "description": "measured: counted; computed: between the ends of a bucket, scaled to a day, or by Little's law.",
}
FIGURE: dict[str, Any] = object_of(
    {
        "value": NUMBER,
        "low": {**NUMBER, "description": "It is this at least."},
        "high": {**NUMBER, "description": "It is this at most; null without an upper end."},
        "kind": KIND,
    }
)
LENGTH_FIGURES: dict[str, Any] = object_of(dict.fromkeys(("mean", "p50", "p90", "p99", "max"), FIGURE))
LOAD_FIGURES: dict[str, Any] = dict.fromkeys(
    (
        "correlation",
        "requests_per_day",
        "peak_factor",
        "peak_concurrency",
        "mean_concurrency",
        "request_s",
        "span_s",
    ),
    FIGURE,
)
LOG: dict[str, Any] = object_of(
    {
        "uid": {"type": "string"},
        "name": {"type": "string"},
        "origin": {"type": "string", "enum": ["csv", "jsonl", "metrics"]},
        "requests": {"type": "integer"},
        "figures": object_of({**dict.fromkeys(("input", "output", "total"), LENGTH_FIGURES), **LOAD_FIGURES}),
        "read": {
            "type": "object",
            "description": "How it was read: columns with their units, rows left out by reason; of dumps the engine and its gauges.",
        },
        "workload": {
            "type": "object",
            "description": "The workload of an estimate request; without a load where the log has no times.",
        },
        "archived": {"type": "boolean"},
        "created_at": {"type": "string", "format": "date-time"},
        "owner": {"type": "string"},
    }
)
BINS: dict[str, Any] = object_of(
    {
        "low": {"type": "array", "items": {"type": "integer"}},
        "high": {"type": "array", "items": {"type": "integer"}},
        "counts": {"type": "array", "items": {"type": "integer"}},
        "beyond": {"type": "integer", "description": "Requests longer than the last bin."},
        "total": {**NUMBER, "description": "Tokens of all requests."},
        "maximum": NUMBER,
    }
)
WHOLE_LOG: dict[str, Any] = object_of(
    {
        **LOG["properties"],
        "histograms": {
            "type": "object",
            "properties": dict.fromkeys(("input", "output", "total"), BINS),
            "required": ["input", "output"],
            "additionalProperties": False,
        },
    }
)
ROW: dict[str, Any] = {
    "type": "object",
    "description": (
        "One request. Fields are found by their usual names, nested or not: prompt_tokens, completion_tokens, usage, "
        "start_time, end_time, latency_ms and others. What else is in it is not looked at."
    ),
}
NEW_LOG: dict[str, Any] = {
    **object_of(
        {
            "name": {"type": "string", "maxLength": 120},
            "rows": {"type": ["array", "null"], "items": ROW},
            "text": {**TEXT, "description": "CSV, JSON Lines or the text of /metrics, in place of rows."},
            "format": {"type": ["string", "null"], "enum": ["csv", "jsonl", "metrics", None]},
            "later": {**TEXT, "description": "A second text of /metrics: what came between the two counts."},
            "hours": {
                **NUMBER,
                "description": "How long the counters counted, or between the two texts: then the load follows.",
            },
            "model": {**TEXT, "description": "Of several models in one text of /metrics."},
            "columns": {
                "type": ["object", "null"],
                "additionalProperties": {"type": "string", "maxLength": 120},
                "description": "input, output, start, end or duration to the name of a column, where it is none of the usual ones.",
            },
            "duration_unit": {"type": ["string", "null"], "enum": ["s", "ms", "us", "ns", "min", None]},
        },
        required=False,
    ),
    "required": ["name"],
}
EXAMPLE_LOG: dict[str, Any] = {
    "name": "chat, first week of November",
    "rows": [
        {
            "prompt_tokens": 812,
            "completion_tokens": 190,
            "start_time": "2026-11-02T09:00:00Z",
            "latency_s": 6.1,
        },
        {
            "prompt_tokens": 2310,
            "completion_tokens": 402,
            "start_time": "2026-11-02T09:00:04Z",
            "latency_s": 12.9,
        },
    ],
}

EXHAUSTION_REQUEST: dict[str, Any] = {
    **object_of(
        {
            "id": {**TEXT, "description": "Any text; echoed in the answer."},
            "request": REQUEST,
            "length_log": {
                **TEXT,
                "description": "uid of a log whose lengths count in place of the workload's.",
            },
            "accepted": {
                "type": ["number", "null"],
                "exclusiveMinimum": 0,
                "maximum": 1,
                "default": 0.01,
                "description": "The probability that is still accepted.",
            },
        },
        required=False,
    ),
    "required": ["request"],
}
EXHAUSTION_EXAMPLE: dict[str, Any] = {
    "id": "busy",
    "request": {
        **{name: value for name, value in EXAMPLE.items() if name != "id"},
        "settings": {"max_model_len": 8192, "max_num_seqs": 128},
        "workload": {
            "input_tokens": {"p50": 800, "p90": 1800, "p99": 3000},
            "output_tokens": {"p50": 200, "p90": 500, "p99": 900},
            "concurrency": 100,
        },
    },
}
PROBABILITY: dict[str, Any] = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
EXHAUSTION_ANSWER: dict[str, Any] = object_of(
    {
        "id": TEXT,
        "verdict": ANSWER["properties"]["verdict"],
        "code": {
            "type": "string",
            "enum": [
                "computed",
                "reserved",
                "not_started",
                "unknown",
                "no_workload",
                "no_output",
            ],
        },
        "message": {"type": "string"},
        "certainty": {
            "type": ["string", "null"],
            "enum": ["never", "always", None],
            "description": "Where it holds whatever the lengths are.",
        },
        "probability": {
            **PROBABILITY,
            "description": (
                "That the running requests of one replica need more cache than there is at a random moment, of the peak where "
                "requests a day are given. Below 1e-9 it is 0."
            ),
        },
        "interval": {**INTERVAL, "description": "Over the 80 % interval of the size of the cache."},
        "minutes_per_hour": NUMBER,
        "probability_at_mean_load": {**PROBABILITY, "description": "At the mean rate of the day."},
        "accepted": {"type": "number"},
        "max_num_seqs_within": {
            **WHOLE,
            "description": "The setting that keeps it at `accepted` at most, at any load.",
        },
        "concurrency_that_passes": {
            **WHOLE,
            "description": "Requests at once, of all replicas, with which `accepted` is passed.",
        },
        "running": object_of(
            {
                "mean": NUMBER,
                "max_num_seqs": WHOLE,
                "replicas": {"type": "integer"},
                "random": {"type": "boolean", "description": "A Poisson count; else a fixed number."},
                "overloaded": {"type": "boolean", "description": "More come than are done."},
            }
        ),
        "cache": object_of(
            {
                "kv_cache_tokens": WHOLE,
                "unit": {"type": "string", "enum": ["block", "byte"]},
                "units": NUMBER,
                "units_per_request": NUMBER,
                "always_enough_for": WHOLE,
                "never_enough_from": WHOLE,
            },
            nullable=True,
        ),
        "lengths": object_of(
            {
                **CODED,
                "kind": KIND,
                "resident_tokens_mean": {**NUMBER, "description": "That a running request holds."},
                "refused_share": {
                    **PROBABILITY,
                    "description": "Of requests whose prompt fills max_model_len.",
                },
                "cut_share": {**PROBABILITY, "description": "Of requests that are stopped at max_model_len."},
            },
            nullable=True,
        ),
        "by_running": {
            "type": "array",
            "items": object_of({"running": {"type": "integer"}, "probability": PROBABILITY}),
        },
        "help": {
            "type": "array",
            "items": object_of(
                {
                    **CODED,
                    "change": {
                        "type": "object",
                        "description": "Partial request: lay it over the one that was asked.",
                    },
                    "price": {"type": "array", "items": object_of(CODED)},
                    "probability": PROBABILITY,
                }
            ),
        },
        "basis": ANSWER["properties"]["basis"],
    }
)
