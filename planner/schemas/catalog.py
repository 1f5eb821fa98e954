"""JSON Schemas of the catalog's records, as they are answered and as they are stated."""

from typing import Any

from planner.answers.catalog_fields import (
    ACCELERATOR_FIGURES,
    CLASSES,
    DTYPES,
    HOST_PARTS,
    KINDS,
    PLATFORM_FIGURES,
)
from planner.schemas import NUMBER, TEXT, WHOLE, object_of

YEAR: dict[str, Any] = {"type": ["integer", "null"], "minimum": 2000, "maximum": 2100}
FLAG: dict[str, Any] = {"type": ["boolean", "null"]}
NAME: dict[str, Any] = {"type": "string", "maxLength": 200}
ANY_OBJECT: dict[str, Any] = {"type": "object", "additionalProperties": True}
DTYPE_LIST: dict[str, Any] = {"type": "array", "items": {"type": "string", "enum": list(DTYPES)}}
VALUE: dict[str, Any] = {
    "oneOf": [
        {"type": "number"},
        {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
    ],
    "description": "A number, or two ends.",
}
KIND: dict[str, Any] = {"type": "string", "enum": list(KINDS)}
STATED_FIGURE: dict[str, Any] = {
    **object_of({"value": VALUE, "kind": KIND, "source": {"type": "string", "maxLength": 500}}),
    "description": "null takes the team's word back; of a record of its own the figure goes.",
}
FIGURE: dict[str, Any] = object_of(
    {
        "value": VALUE,
        "unit": TEXT,
        "kind": KIND,
        "source": {"type": "string"},
        "origin": {"type": "string", "enum": ["shipped", "team"]},
        "shipped": object_of({"value": VALUE, "kind": KIND, "source": {"type": "string"}}, nullable=True),
    }
)
FIGURES: dict[str, Any] = {
    "type": "object",
    "additionalProperties": FIGURE,
    "description": "Each with its unit in its name; what is unknown is absent.",
}
LINK: dict[str, Any] = object_of(
    {"kind": NAME, "name": TEXT, "domain_size": WHOLE, "bridge": FLAG}, nullable=True, required=False
)
STANDING: dict[str, Any] = {
    "origin": {
        "type": "string",
        "enum": ["shipped", "edited", "own"],
        "description": "edited: the team's words over ours; own: the team's alone.",
    },
    "retired": {"type": "boolean"},
    "revision": {"type": "integer"},
    "updated_at": {"type": "string", "format": "date-time"},
}
CARD_FIELDS: dict[str, Any] = {
    "name": NAME,
    "vendor": NAME,
    "class": {"type": "string", "enum": list(CLASSES)},
    "architecture": TEXT,
    "compute_capability": TEXT,
    "launch_year": YEAR,
    "memory_type": TEXT,
    "unified_memory": {"type": "boolean"},
    "ecc": FLAG,
    "logical_devices": {"type": "integer", "minimum": 1},
    "native_dtypes": DTYPE_LIST,
    "unknown_dtypes": DTYPE_LIST,
    "link": LINK,
    "pcie": {"type": ["string", "null"], "description": "Such as pcie4-x16."},
    "reported_names": {"type": "array", "items": NAME, "description": "As nvidia-smi prints them."},
    "reported_mib": {"type": "array", "items": {"type": "number"}},
}
PLATFORM_FIELDS: dict[str, Any] = {
    "name": NAME,
    "kind": NAME,
    "launch_year": YEAR,
    "form": TEXT,
    "accelerators": {
        "type": "array",
        "minItems": 1,
        "items": object_of({"id": {"type": "string"}, "count": {"type": "integer", "minimum": 1}}),
    },
    "interconnect": object_of({"type": TEXT, "domain_size": WHOLE}, required=False),
    "host": {"type": "object", "additionalProperties": TEXT, "description": f"With {', '.join(HOST_PARTS)}."},
}


def _record(fields: dict[str, Any], **more: Any) -> dict[str, Any]:
    return object_of(
        {
            "id": {"type": "string"},
            **fields,
            "figures": FIGURES,
            "edited_fields": {"type": "array", "items": {"type": "string"}},
            **STANDING,
            **more,
        }
    )


def _statement(fields: dict[str, Any], figures: tuple[str, ...], *required: str) -> dict[str, Any]:
    """What may be stated. Everything may be left out but what a new record needs."""
    stated = {"oneOf": [STATED_FIGURE, {"type": "null"}]}
    body = object_of(
        {
            "id": {"type": "string", "pattern": "^[a-z0-9][a-z0-9.-]*$", "maxLength": 100},
            **fields,
            "figures": object_of(dict.fromkeys(figures, stated), required=False),
            "source": {**TEXT, "description": "Of what is no figure."},
        },
        required=False,
    )
    return {**body, "required": list(required)} if required else body


ACCELERATOR: dict[str, Any] = _record(
    CARD_FIELDS,
    derived=object_of({"memory_reads_per_s": NUMBER, "gb_s_per_w": NUMBER, "w_per_gb_s": NUMBER}),
)
NEW_ACCELERATOR: dict[str, Any] = _statement(
    CARD_FIELDS, ACCELERATOR_FIGURES, "id", "name", "vendor", "class"
)
ACCELERATOR_CHANGE: dict[str, Any] = _statement(CARD_FIELDS, ACCELERATOR_FIGURES)
PLATFORM: dict[str, Any] = _record(PLATFORM_FIELDS)
NEW_PLATFORM: dict[str, Any] = _statement(
    PLATFORM_FIELDS, PLATFORM_FIGURES, "id", "name", "kind", "accelerators"
)
PLATFORM_CHANGE: dict[str, Any] = _statement(PLATFORM_FIELDS, PLATFORM_FIGURES)
SOURCED: dict[str, Any] = object_of({"kind": KIND, "source": {"type": "string"}})
MODEL_ROW: dict[str, Any] = {
    "id": {"type": "string"},
    "family": {"type": "string"},
    "architectures": {"type": "array", "items": {"type": "string"}},
    "license": TEXT,
    "released": TEXT,
    "edge": {"type": "boolean"},
    "modality": {"type": "array", "items": {"type": "string"}},
    "dtype": {"type": "string"},
    "native_weight_format": TEXT,
    "aliases": {"type": "array", "items": {"type": "string"}},
    "quantized": {
        "type": "array",
        "items": object_of({"id": {"type": "string"}, "scheme": {"type": "string"}}),
    },
    "notes": TEXT,
    "parameters": object_of(
        {"total": WHOLE, "by_part": {"type": "object", "additionalProperties": {"type": "integer"}}}
    ),
    "shape": ANY_OBJECT,
    "attention": {"type": "array", "items": ANY_OBJECT, "description": "Layers by kind of cache."},
    "experts": {"type": ["object", "null"], "additionalProperties": True},
    "max_context_tokens": object_of(
        {"value": {"type": "integer"}, "kind": KIND, "source": {"type": "string"}}
    ),
    "engines": {
        "type": "object",
        "additionalProperties": {"type": "string"},
        "description": "native, transformers, absent, or until and the last version; absent: nobody says.",
    },
    "sources": {"type": "object", "additionalProperties": SOURCED},
    "edited_fields": {"type": "array", "items": {"type": "string"}},
    **STANDING,
}
MODEL_LISTED: dict[str, Any] = object_of(MODEL_ROW)
MODEL: dict[str, Any] = object_of(
    {
        **MODEL_ROW,
        "kv_bytes_per_token": {
            "type": "array",
            "items": object_of(
                {
                    "engine": {"type": "string"},
                    "version": {"type": "string"},
                    "kv_cache_dtypes": {"type": "array", "items": {"type": "string"}},
                    "bytes": {"type": "number"},
                }
            ),
            "description": "Of one more token on one card, all cache layers counted.",
        },
        "weights": {
            "type": "array",
            "items": object_of(
                {
                    "scheme": {"type": "string"},
                    "as_published": {"type": "boolean"},
                    "bytes": {"type": "integer"},
                    "engines": {"type": "array", "items": {"type": "string"}},
                }
            ),
        },
        "tensor_parallel": {"type": "array", "items": {"type": "integer"}},
    }
)
MODEL_CHANGE: dict[str, Any] = object_of(
    {
        "max_context_tokens": {
            "oneOf": [
                object_of(
                    {
                        "value": {"type": "integer", "minimum": 1},
                        "kind": KIND,
                        "source": {"type": "string", "maxLength": 500},
                    }
                ),
                {"type": "null"},
            ]
        },
        "engines": {"type": ["object", "null"], "additionalProperties": TEXT},
        "engines_source": TEXT,
        "notes": {**TEXT, "maxLength": 200},
    },
    required=False,
)
ENGINE_LISTED: dict[str, Any] = object_of(
    {
        "id": {"type": "string"},
        "name": {"type": "string"},
        "newest": {"type": "string"},
        "versions": {"type": "array", "items": {"type": "string"}},
        "flags": {"type": "integer"},
    }
)
ENGINE: dict[str, Any] = object_of(
    {
        **ENGINE_LISTED["properties"],
        "values": {
            "type": "object",
            "additionalProperties": object_of(
                {
                    "kind": KIND,
                    "source": {"type": "string"},
                    "by_version": {
                        "type": "array",
                        "items": object_of({"from": {"type": "string"}, "value": {}}),
                    },
                }
            ),
            "description": "Of each value its rows: one holds from its version on until the next.",
        },
    }
)
SCHEME: dict[str, Any] = object_of(
    {
        "id": {"type": "string"},
        "bytes_per_weight": {"type": "number"},
        "bytes_per_row": {"type": "number"},
        "quantized_parts": {"type": "array", "items": {"type": "string"}},
        "compute_dtype": {"type": "string"},
        "weight_only": {"type": "boolean"},
        "group_size": WHOLE,
        "min_compute_capability": TEXT,
        "kernel": {"type": "string"},
        "source": {"type": "string"},
        "kind": KIND,
    }
)
REPORTED: dict[str, Any] = object_of(
    {
        "id": {"type": "integer"},
        "name": {"type": "string"},
        "accelerator": {"type": "string"},
        "mapped_by": TEXT,
        "revision": {"type": "integer"},
        "updated_at": {"type": "string", "format": "date-time"},
    }
)
NEW_REPORTED: dict[str, Any] = object_of({"name": NAME, "accelerator": {"type": "string", "maxLength": 200}})
REPORTED_CHANGE: dict[str, Any] = object_of({"accelerator": {"type": "string", "maxLength": 200}})
EXAMPLE_CARD: dict[str, Any] = {
    "id": "acme-x1-48gb",
    "name": "Acme X1 48GB",
    "vendor": "Acme",
    "class": "datacenter",
    "memory_type": "GDDR6",
    "pcie": "pcie4-x16",
    "native_dtypes": ["bf16", "int8"],
    "reported_names": ["ACME X1"],
    "figures": {
        "memory_gib": {"value": 47.4, "kind": "measured", "source": "acme-smi on our bench"},
        "bandwidth_gb_s": {"value": 768, "kind": "datasheet", "source": "Acme X1 product brief, page 2"},
        "tdp_w": {"value": 250, "kind": "datasheet", "source": "Acme X1 product brief, page 2"},
    },
    "source": "Acme X1 product brief",
}
EXAMPLE_CHANGE: dict[str, Any] = {
    "figures": {"bandwidth_gb_s": {"value": 290, "kind": "measured", "source": "stream test of 2026-11-28"}}
}
EXAMPLE_PLATFORM: dict[str, Any] = {
    "id": "acme-8x-l40s",
    "name": "Acme 8 × L40S",
    "kind": "server",
    "accelerators": [{"id": "nvidia-l40s", "count": 8}],
    "interconnect": {"type": "PCIe only", "domain_size": None},
    "figures": {"max_power_w": {"value": 4200, "kind": "datasheet", "source": "Acme data sheet"}},
    "source": "Acme data sheet",
}
EXAMPLE_PLATFORM_CHANGE: dict[str, Any] = {"figures": EXAMPLE_PLATFORM["figures"]}
# A whole statement goes to an address that has the id
EXAMPLE_WHOLE_CARD: dict[str, Any] = {key: value for key, value in EXAMPLE_CARD.items() if key != "id"}
EXAMPLE_WHOLE_PLATFORM: dict[str, Any] = {
    key: value for key, value in EXAMPLE_PLATFORM.items() if key != "id"
}
