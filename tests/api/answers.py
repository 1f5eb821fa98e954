"""Write planner/schemas/answers.json anew: what the server says to the examples of the description.

`.venv/bin/python -m pytest tests/api/answers.py`, when an answer changed: tests/api/test_description.py says so.
"""

import json
from typing import Any

from planner.schemas.components import ANSWERS
from tests.api.described import operations
from tests.api.shown import said
from tests.api.world import HERE, World

OURS = {"http://testserver": "https://decodeck.example", HERE: "https://procurement.example/decodeck"}
TOLD_ONCE = {"secret": "shown once", "url": "https://decodeck.example/shared/shown-once/"}


def short(value: Any) -> Any:
    """A value with its lists cut to what shows their form."""
    if isinstance(value, dict):
        return {key: short(item) for key, item in value.items()}
    if isinstance(value, list):
        return (
            [short(item) for item in value[: 1 if isinstance(value[0], (dict, list)) else 4]] if value else []
        )
    return value


def test_write_answers(world: World) -> None:
    lines = []
    for operation in operations():
        answer = said(operation, world)
        assert answer.status_code < 300, (operation.name, answer.content)
        if answer.headers.get("Content-Type") != "application/json":
            continue
        found = short(answer.json())
        if operation.name in ("create_plan_share", "create_webhook"):
            found |= {key: text for key, text in TOLD_ONCE.items() if key in found and found[key] != HERE}
        lines.append(f"{json.dumps(operation.name)}: {json.dumps(found, ensure_ascii=False)}")
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    for address, shown in OURS.items():
        text = text.replace(address, shown)
    ANSWERS.write_text(text, encoding="utf-8")
