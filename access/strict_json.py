"""Reading JSON from strangers: what `json.loads` accepts or dies of beyond the standard is refused here."""

import json
from typing import IO, Any, NoReturn

from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser


class NotJson(ValueError):
    """Text that is not JSON; the message says where."""


class TooDeep(NotJson):
    """JSON nested beyond what we read."""


def loads(text: bytes | str) -> Any:
    """One JSON value. NaN, Infinity, bad UTF-8, endless integers and endless nesting raise NotJson or TooDeep."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise TooDeep("nested too deeply") from None
    except ValueError as error:  # JSONDecodeError, UnicodeDecodeError and over-long integers alike
        raise NotJson(str(error).splitlines()[0][:120]) from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


class StrictJSONParser(BaseParser):
    """DRF parser for every endpoint: a body is JSON or a 400 that says why, never a stack trace."""

    media_type = "application/json"

    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None) -> Any:
        """The JSON value of a request body."""
        try:
            return loads(stream.read())
        except NotJson as error:
            raise ParseError(f"The body is not valid JSON: {error}.") from None
