"""Reading JSON from strangers: what `json.loads` accepts or dies of beyond the standard is refused here."""

import json
import re
from typing import IO, Any, NoReturn

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser

_MAYBE_HALF = re.compile(r"\\u[dD][89a-fA-F]")


class NotJsonError(ValueError):
    """Text that is not JSON; the message says where."""


class TooDeepError(NotJsonError):
    """JSON nested beyond what we read."""


def loads(text: bytes | str, *, unique: bool = False) -> Any:
    """One JSON value; `unique` refuses an object that names a field twice, of which one would be dropped unsaid.

    NaN, Infinity, bad UTF-8, half a surrogate pair, NUL, endless integers and nesting raise NotJsonError or TooDeepError.
    """
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8-sig")
        pairs = _refuse_twice if unique else None
        value = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=pairs)
        if _MAYBE_HALF.search(text):
            # An escape may spell half a character; an answer that echoes it could not be encoded.
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise TooDeepError("nested too deeply") from None
    except ValueError as error:  # JSONDecodeError, UnicodeDecodeError and over-long integers alike
        raise NotJsonError(str(error).splitlines()[0][:120]) from None
    if "\\u0000" in text and "\\u0000" in json.dumps(value):
        # PostgreSQL keeps no text with this character, and nobody types it.
        raise NotJsonError("it holds the character NUL")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _refuse_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"{name[:40]!a} stands twice in one object")
        found[name] = value
    return found


class StrictJSONParser(BaseParser):
    """DRF parser for every endpoint: a body is JSON or a 400 that says why, never a stack trace."""

    media_type = "application/json"

    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None) -> Any:
        """The JSON value of a request body."""
        try:
            return loads(stream.read(), unique=True)
        except NotJsonError as error:
            raise ParseError(f"The body is not valid JSON: {error}.") from None
