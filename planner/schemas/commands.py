"""JSON schema of the launch commands of an estimate."""

from typing import Any

TEXT: dict[str, Any] = {"type": "string"}
FORM: dict[str, Any] = {"type": ["string", "null"], "description": "null: see `missing` for the reason."}
REASON: dict[str, Any] = {
    "type": "object",
    "properties": {
        "code": TEXT,
        "values": {"type": "object", "additionalProperties": True},
        "message": TEXT,
    },
    "required": ["code", "values", "message"],
}
FLAG: dict[str, Any] = {
    "type": "object",
    "properties": {"flag": TEXT, "value": {"type": ["string", "null"]}, "reason": REASON},
    "required": ["flag", "value", "reason"],
}

COMMANDS: dict[str, Any] = {
    "type": ["object", "null"],
    "description": "What starts the engine as planned; null where it does not fit or has no accelerator.",
    "properties": {
        "shell": FORM,
        "docker": FORM,
        "compose": FORM,
        "systemd": FORM,
        "verified": {
            "type": "boolean",
            "description": "Every flag and value was looked up in a table of exactly this version.",
        },
        "engine": TEXT,
        "version": TEXT,
        "flags": {"type": "array", "items": FLAG},
        "notes": {
            "type": "array",
            "description": "What a command cannot say itself: driver, weights to fill in, what is not verified.",
            "items": REASON,
        },
        "missing": {
            "type": "object",
            "description": "Form to the reason why it is not written.",
            "additionalProperties": REASON,
        },
    },
    "required": [
        "shell",
        "docker",
        "compose",
        "systemd",
        "verified",
        "engine",
        "version",
        "flags",
        "notes",
        "missing",
    ],
}
