"""Whether a value is what a flag takes: a number, a readable number, JSON."""

import json
import re
from typing import Any

from planner.core.check.arguments import Given
from planner.core.check.found import Finding
from planner.core.check.launch import Launch, number_of
from planner.core.engines import release_of
from planner.core.launch.lookup import concept_of

READABLE = re.compile(r"\d+(\.\d+)?[kmgtKMGT]?")
WHOLE = re.compile(r"[+-]?\d+")
SHOWN = 80
# Flags whose value is a whole configuration end so
OBJECTS = ("-config", "-op-priority")
# Up to here a plain number stood for a compilation level; later the whole object is wanted
LAST_WITH_LEVEL = (0, 11, 2)


def not_of_kind(launch: Launch, given: Given, kind: str, value: str) -> Finding | None:
    """A value that is not what the flag takes, such as no number where one is expected; None where it is."""
    if kind == "json":
        return _not_json(launch, given, value)
    whole = {"integer", "integers", "integer_or_word"}
    if kind in whole and not WHOLE.fullmatch(value):
        number = number_of(value)
        fix = str(int(number)) if number is not None and number == int(number) else None
        code = "readable_number_too_early" if fix and value[-1:].isalpha() else "not_whole"
    elif kind in ("number", "numbers") and (number_of(value) is None or value[-1:].isalpha()):
        share = re.fullmatch(r"(\d+(?:\.\d+)?)%", value)
        fix = (
            f"{float(share[1]) / 100:g}"
            if share
            else value.replace(",", ".")
            if number_of(value.replace(",", "."))
            else None
        )
        code = "not_a_number"
    elif kind.startswith("readable_integer") and not _readable(kind, value):
        number = number_of(value.replace(",", "").replace("_", ""))
        fix = str(int(number)) if number is not None and number > 0 else None
        if value in {"auto", "-1"} and concept_of(launch.table, given.name or "") == "max_length":
            return Finding(
                code="automatic_too_early",
                flag=given.typed,
                values={"value": value, "engine": launch.engine},
                fix="",
                edits=(given.dropped(launch.text),),
            )
        code = "value_out_of_range" if WHOLE.fullmatch(value) else "not_whole"
    else:
        return None
    edits = (given.with_value(fix),) if fix else ()
    return Finding(
        code=code,
        flag=given.typed,
        values={"value": value[:SHOWN], "engine": launch.engine},
        fix=f"{given.typed} {fix}" if fix else None,
        edits=edits,
    )


def _readable(kind: str, value: str) -> bool:
    if kind.endswith("auto") and value in ("auto", "-1"):
        return True
    found = READABLE.fullmatch(value)
    return found is not None and (found[1] is None or value[-1] in "kmgt")


def _not_json(launch: Launch, given: Given, value: str) -> Finding | None:
    """No JSON at all, or a single value where a configuration is an object. What begins as JSON was judged before."""
    if value[:1] in ("{", "["):
        return None
    plain = json_value(value)
    is_json = not isinstance(plain, str) or value[:1] == '"'
    wants_object = launch.engine == "vllm" and (given.name or "").endswith(OBJECTS)
    if is_json and not wants_object:
        return None
    release = release_of(launch.version or launch.table.newest)
    level = isinstance(plain, int) and given.name == "--compilation-config"
    if level and release is not None and release <= LAST_WITH_LEVEL:
        return None
    return Finding(
        code="json_expected",
        flag=given.typed,
        values={"value": value[:SHOWN]},
        fix="",
        edits=(given.dropped(launch.text),),
    )


def json_value(text: str) -> Any:
    """A value as JSON has it: a number, true, or the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text
