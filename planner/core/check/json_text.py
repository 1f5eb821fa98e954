"""JSON on a command line: whether it survives the shell, and how it must be typed to do so."""

import json
import re
from dataclasses import dataclass

MAX_JSON = 2_000
BARE_WORD = re.compile(r"(?<![\w.-])(?!(?:true|false|null|True|False|None)\b)[A-Za-z_][\w./-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonText:
    """A JSON value of a flag. `end` is where it ends in the text, with quotes; `mend` is None where it is fine as typed
    and "" where nobody can tell what was meant. `cause`: unquoted | inner_quotes | not_json."""

    end: int
    mend: str | None = None
    cause: str = ""


def read_json_value(text: str, start: int, end: int, value: str) -> JsonText:
    """Judge the word text[start:end], which the program gets as `value`."""
    if _is_json(value):
        return JsonText(end=end)
    raw = text[start:end]
    if raw[:1] in "{[":
        close = _closing(text, start)
        candidate = text[start:close] if close else raw
        if close and _is_json(candidate):
            return JsonText(end=close, mend=_quoted(candidate), cause="unquoted")
        fixed = _repaired(candidate)
        if fixed is not None:
            return JsonText(end=close or end, mend=_quoted(fixed), cause="not_json")
        return JsonText(end=close or end, mend="", cause="not_json")
    if raw[:1] in "'\"" and raw[1:2] in "{[":
        return _inside_quotes(text, start, end, raw)
    fixed = _repaired(value)
    if fixed is not None:
        return JsonText(end=end, mend=_quoted(fixed), cause="not_json")
    return JsonText(end=end, mend="", cause="not_json")


def _inside_quotes(text: str, start: int, end: int, raw: str) -> JsonText:
    """Double quotes around double-quoted JSON: the shell takes both away, and may split at blanks."""
    close = _closing(text, start + 1)
    if close and text[close : close + 1] == raw[0]:
        candidate = text[start + 1 : close]
        fixed = candidate if _is_json(candidate) else _repaired(candidate)
        if fixed is not None:
            return JsonText(end=max(end, close + 1), mend=_quoted(fixed), cause="inner_quotes")
    return JsonText(end=end, mend="", cause="not_json")


def _closing(text: str, start: int) -> int:
    """The place behind the bracket that closes the one at `start`; 0 if there is none."""
    depth, inside = 0, False
    for at in range(start, min(len(text), start + MAX_JSON)):
        char = text[at]
        if char == '"' and text[at - 1 : at] != "\\":
            inside = not inside
        elif not inside and char in "{[":
            depth += 1
        elif not inside and char in "}]":
            depth -= 1
            if depth == 0:
                return at + 1
    return 0


def _repaired(value: str) -> str | None:
    """Python-like quotes and words, or words whose quotes a shell took away, as JSON; None if that does not help."""
    if len(value) > MAX_JSON or '"' in value or not value.lstrip().startswith(("{", "[")):
        return None
    if "'" not in value:
        value = BARE_WORD.sub(lambda found: f'"{found[0]}"', value)
    fixed = value.replace("'", '"').replace("True", "true").replace("False", "false").replace("None", "null")
    return fixed if _is_json(fixed) else None


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "'\\''") + "'"


def _is_json(value: str) -> bool:
    if len(value) > MAX_JSON:
        return False
    try:
        json.loads(value)
    except (ValueError, RecursionError):
        return False
    return True
