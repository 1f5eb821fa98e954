"""Logs of requests and dumps of /metrics into what is kept of them. Nothing here touches the database."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

from planner.core.figures import count
from planner.core.traffic.asked import CSV, JSONL, METRICS, Asked, Question
from planner.core.traffic.engines import PREFIXES, Reading, Sample, read_dump, since
from planner.core.traffic.lines import LineTooLongError, lines_of
from planner.core.traffic.records import read_records
from planner.core.traffic.rows import MAX_ROWS, Collected, TooManyRowsError
from planner.core.traffic.summary import Summary, of_reading, of_rows
from planner.core.traffic.table import MAX_LINE_BYTES, Refused, read_table
from planner.lines import MAX_LINE_BYTES as MAX_JSON_BYTES
from planner.lines import read_objects
from planner.messages import word
from planner.messages.lengths import HINTS, REFUSALS, ROLES
from planner.setup import ENGINE_NAMES

MAX_DUMP_BYTES = 8_000_000
LOOKED_AT_BYTES = 65_536
HOUR_S = 3_600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A log that was read, and as what."""

    kind: str
    found: Summary


def read_log(chunks: Iterable[bytes], question: Question) -> Read | Refused:
    """Read a log or a dump. Bounded: by its lines, its rows, and for dumps by its size."""
    iterator = iter(chunks)
    begin = next(iterator, b"")
    kind = question.kind or kind_of(begin)
    whole = chain([begin], iterator)
    try:
        found = _read(kind, whole, question)
    except LineTooLongError as error:
        return Refused(code="line_too_long", values={"limit": error.limit})
    except TooManyRowsError:
        return Refused(code="too_many_rows", values={"limit": MAX_ROWS})
    return found if isinstance(found, Refused) else Read(kind=kind, found=found)


def kind_of(begin: bytes) -> str:
    """What the first bytes look like: JSON, metrics of an engine, or a table."""
    text = begin[:LOOKED_AT_BYTES].removeprefix(b"\xef\xbb\xbf").lstrip()
    if text[:1] in (b"{", b"["):
        return JSONL
    marks = ("# HELP ", "# TYPE ", *PREFIXES)
    lines = text.decode("utf-8", errors="replace").splitlines()
    return METRICS if any(line.startswith(marks) for line in lines) else CSV


def read_rows(rows: list[Any], asked: Asked) -> Read | Refused:
    """Read requests that came as JSON objects."""
    try:
        found = read_records(rows, asked)
    except TooManyRowsError:
        return Refused(code="too_many_rows", values={"limit": MAX_ROWS})
    return found if isinstance(found, Refused) else Read(kind=JSONL, found=of_rows(found))


def _read(kind: str, chunks: Iterable[bytes], question: Question) -> Summary | Refused:
    if kind == METRICS:
        return _metrics(chunks, question)
    found: Collected | Refused
    if kind == JSONL:
        lines = (line.encode() for line in lines_of(chunks, limit=MAX_JSON_BYTES))
        found = read_records(read_objects(lines), question.asked)
    else:
        found = read_table(lines_of(chunks, limit=MAX_LINE_BYTES), question.asked)
    return found if isinstance(found, Refused) else of_rows(found)


def _metrics(chunks: Iterable[bytes], question: Question) -> Summary | Refused:
    text = _bounded(chunks)
    if text is None or len(question.later) > MAX_DUMP_BYTES:
        return Refused(code="too_long", values={"limit": MAX_DUMP_BYTES})
    reading = read_dump(list(samples_of(text)), model=question.model)
    if isinstance(reading, Refused):
        return reading
    seconds = math.nan if question.hours is None else question.hours * HOUR_S
    if not question.later.strip():
        return of_reading(reading, seconds=seconds, reset=False, two=False)
    return _between(reading, question, seconds)


def _between(earlier: Reading, question: Question, seconds: float) -> Summary | Refused:
    later = read_dump(list(samples_of(question.later)), model=question.model or earlier.model)
    if isinstance(later, Refused):
        return later
    came = since(earlier, later)
    if isinstance(came, Refused):
        return came
    # After a new start nobody knows how long the counters counted
    known = math.nan if came.reset else seconds
    return of_reading(came.reading, seconds=known, reset=came.reset, two=True)


def _bounded(chunks: Iterable[bytes]) -> str | None:
    """The whole of a dump, None where it is larger than dumps are."""
    kept: list[bytes] = []
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > MAX_DUMP_BYTES:
            return None
        kept.append(chunk)
    return b"".join(kept).decode("utf-8", errors="replace")


def samples_of(text: str) -> Iterator[Sample]:
    """The samples of known engines in a text of the Prometheus exposition format; lines that are none are passed over."""
    for line in text.splitlines():
        if not line.startswith(PREFIXES):
            continue
        plain = line.partition(" # ")[0]  # what OpenMetrics writes behind a bucket
        try:
            samples = [
                Sample(name=sample.name, labels=sample.labels, value=float(sample.value))
                for family in text_string_to_metric_families(plain + "\n")
                for sample in family.samples
            ]
        except (ValueError, KeyError, IndexError, OverflowError):
            continue
        yield from samples


def refusal_message(refused: Refused) -> str:
    """Why a log cannot be read, in words."""
    values: dict[str, Any] = {name: _shown(name, value) for name, value in refused.values.items()}
    text = word(REFUSALS, refused.code, values)
    hint = HINTS.get(str(refused.values.get("engine"))) if refused.code == "means_alone" else None
    return f"{text} {hint}" if hint else text


def _shown(name: str, value: Any) -> Any:
    if name == "role":
        return str(ROLES.get(value, value))
    if name == "engine":
        return ENGINE_NAMES.get(value, value)
    return count(value) if isinstance(value, int | float) else value


def left_out(summary: Mapping[str, Any]) -> int:
    """Rows of a log that could not be used."""
    return sum(summary["read"].get("left_out", {}).values())
