"""JSON Lines from a stream to answers on a stream: bounded, in batches, a bad line never stops the rest."""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any

from access import strict_json
from planner.core.outcome import Problem

MAX_LINE_BYTES = 8_000_000
BATCH = 500


def read_objects(stream: Iterable[bytes]) -> Iterator[Any]:
    """Each JSON value of the stream, or a `Problem` in its place.

    A stream whose first line is the beginning of a value is read as one value spread over lines.
    """
    lines = iter(stream)
    first = next((line for line in lines if line.strip()), None)
    if first is None:
        yield Problem(code="not_json", field=None, values={"detail": "the input is empty"})
        return
    value = read_json(first)
    begins = first.lstrip(b"\xef\xbb\xbf \t")[:1] in (b"{", b"[")
    if begins and isinstance(value, Problem) and value.code == "not_json":
        yield from _spread(first, lines)
        return
    yield value
    yield from (read_json(line) for line in lines if line.strip())


def _spread(first: bytes, lines: Iterator[bytes]) -> Iterator[Any]:
    """One value over many lines; a bad first line of many is only a bad line."""
    kept, size = [first], len(first)
    for line in lines:
        kept.append(line)
        size += len(line)
        if size > MAX_LINE_BYTES:
            break
    value = read_json(b"".join(kept))
    if isinstance(value, Problem) and first.strip() not in (b"{", b"["):
        yield from (read_json(line) for line in chain(kept, lines) if line.strip())
        return
    yield from value if isinstance(value, list) else [value]


def read_json(line: bytes | str) -> Any:
    """One JSON value, or a `Problem`: NaN, Infinity, bad UTF-8, endless numbers and deep nesting are refused."""
    if len(line) > MAX_LINE_BYTES:
        return Problem(code="line_too_long", field=None, values={"limit": MAX_LINE_BYTES})
    try:
        return strict_json.loads(line)
    except strict_json.TooDeepError:
        return Problem(code="too_deep", field=None)
    except strict_json.NotJsonError as error:
        return Problem(code="not_json", field=None, values={"detail": str(error)})


def write_answers(
    objects: Iterable[Any],
    answer: Callable[[list[Any]], list[dict[str, Any]]],
    write: Callable[[str], Any],
    *,
    batch_size: int = BATCH,
) -> int:
    """Answer in batches and write one JSON object per line; returns how many lines were problems."""
    source = iter(objects)
    problems = 0
    while batch := list(islice(source, batch_size)):
        for item in answer(batch):
            problems += "errors" in item
            write(json.dumps(item, ensure_ascii=False) + "\n")
    return problems
