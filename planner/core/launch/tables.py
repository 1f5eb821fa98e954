"""Tables of launch flags, one per engine: what the data files say, in types.

A version that lies between two versions that were read is known on neither side; so every boundary is a pair, the last
version without and the first one with (or the reverse).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from planner.core.engines import Release, release_of

ENGINES = ("vllm", "sglang", "tensorrt-llm", "llama.cpp")
HOSTS = "hosts"
NO_VALUE = frozenset({"nothing", "on_off"})
MANY_VALUES = frozenset({"integers", "numbers", "texts"})
FOREVER: Release = (10**9,)
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Span:
    """Versions read from `first` to `last`, both included."""

    first: str
    last: str
    start: Release
    end: Release

    def holds(self, release: Release) -> bool:
        """Whether a release lies within."""
        return self.start <= release <= self.end


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """One launch flag of one engine over all versions read. Names as typed, canonical long form."""

    engine: str
    name: str
    seen: Span
    side: str | None  # vLLM: server (HTTP front end) | engine
    came: Pair | None  # last version without, first with; None: already in the oldest version read
    went: Pair | None  # last version with, first without; None: still in the newest version read
    takes: tuple[tuple[Release, str], ...]  # kind of value from a version on
    unset: tuple[tuple[Release, Any], ...]  # what holds where the flag is not given
    choices: Mapping[str, tuple[Span, ...]] = field(default_factory=dict, hash=False)
    parser_checks: tuple[Span, ...] | None = None  # where the parser refuses other choices; None: always
    words: tuple[str, ...] = ()  # words taken besides a number
    range: Mapping[str, Any] | None = field(default=None, hash=False)
    also: Mapping[str, tuple[Span, ...] | None] = field(default_factory=dict, hash=False)  # other names
    deprecated: str | None = None  # first version that announces the end
    instead: tuple[str, ...] = ()
    similar: tuple[str, ...] = ()  # another flag for the same wish, where nothing replaced this one
    differs: str | None = None  # how the successor differs
    variable: str | None = None  # environment variable that sets it too
    refused: bool = False  # still known, only to stop with a hint
    required: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FlagTable:
    """All flags of one engine, and how its parser reads names. Compared by identity: there is one per catalog."""

    engine: str
    read: tuple[tuple[Release, str], ...]  # versions read, oldest first
    read_engine_side: tuple[
        tuple[Release, str], ...
    ]  # the same with versions of which only the engine part was read
    is_line: bool  # read in a source of this line, its exact release unknown
    leading_zero: bool
    flags: Mapping[str, Flag]
    names: Mapping[str, Any]
    raw: Mapping[str, Any]
    hosts: Mapping[str, Any]

    @property
    def newest(self) -> str:
        """The newest version read, as written."""
        return self.read[-1][1]


_tables: dict[tuple[int, str], tuple[Mapping[str, Any], FlagTable]] = {}


def table(flags: Mapping[str, Any], engine: str) -> FlagTable:
    """The table of one engine of ENGINES, built once per loaded catalog (`Catalog.flags`)."""
    kept = _tables.get((id(flags), engine))
    if kept is None or kept[0] is not flags:
        kept = (flags, _build(flags[engine], flags[HOSTS]))
        _tables[id(flags), engine] = kept
    return kept[1]


def hosts(flags: Mapping[str, Any]) -> Mapping[str, Any]:
    """Containers, drivers, addresses and the concerns that engines share, as plain data."""
    found: Mapping[str, Any] = flags[HOSTS]
    return found


@lru_cache(maxsize=1024)
def release_in(found: FlagTable, version: str | None) -> Release | None:
    """The release that a version stands for at this engine; None: no readable version, newest where none is given."""
    if version is None:
        return found.read[-1][0]
    release = release_of(version)
    if release is not None and found.leading_zero and len(release) > 1 and release[0] == 0:
        return release[1:]  # the wheel 0.10434.0 is build 10434
    return release


def _build(document: Mapping[str, Any], host_facts: Mapping[str, Any]) -> FlagTable:
    read = tuple((_release(text), text) for text in document["read"])
    engine_side = read + tuple((_release(text), text) for text in document["read_engine_side"])
    everywhere = Span(read[0][1], read[-1][1], read[0][0], read[-1][0])
    engine = document["engine"]
    flags = {record["name"]: _flag(engine, record, everywhere) for record in document["flags"]}
    for record in document["flags"]:
        if "choices_of" in record:
            same = flags[record["choices_of"]].choices
            flags[record["name"]] = replace(flags[record["name"]], choices=same)
    for name in document.get("other_names", ()):
        flags.setdefault(name, _flag(engine, {"name": name, "takes": "own"}, everywhere))
    return FlagTable(
        engine=engine,
        read=read,
        read_engine_side=tuple(sorted(engine_side)),
        is_line=document["standing"] == "line",
        leading_zero=document["names"].get("leading_zero", False),
        flags=flags,
        names=document["names"],
        raw=document,
        hosts=host_facts,
    )


def _flag(engine: str, record: Mapping[str, Any], everywhere: Span) -> Flag:
    choices = record.get("choices", ())
    also = record.get("also", ())
    return Flag(
        engine=engine,
        name=record["name"],
        seen=span(record["seen"]) if "seen" in record else everywhere,
        side=record.get("side"),
        came=_pair(record.get("came")),
        went=_pair(record.get("went")),
        takes=_steps(record["takes"], everywhere, many=isinstance(record["takes"], list)),
        unset=_steps(record.get("unset"), everywhere, many=_is_steps(record.get("unset"))),
        choices=spans_by_name(choices)
        if isinstance(choices, Mapping)
        else {str(choice): (everywhere,) for choice in choices},
        parser_checks=_spans(record["parser_checks"]) if "parser_checks" in record else None,
        words=tuple(record.get("words", ())),
        range=record.get("range"),
        also=spans_by_name(also) if isinstance(also, Mapping) else dict.fromkeys(also),
        deprecated=record.get("deprecated"),
        instead=tuple(record.get("instead", ())),
        similar=tuple(record.get("similar", ())),
        differs=record.get("differs"),
        variable=record.get("variable"),
        refused=record.get("refused", False),
        required=record.get("required", False),
    )


def spans_by_name(record: Mapping[str, Any]) -> dict[str, tuple[Span, ...]]:
    """{name: [[first, last], …]} as spans."""
    return {str(name): _spans(pairs) for name, pairs in record.items()}


def span(pair: Any) -> Span:
    """[first, last] as a span."""
    first, last = pair
    return Span(first, last, _release(first), _release(last))


def _spans(pairs: Any) -> tuple[Span, ...]:
    return tuple(span(pair) for pair in pairs)


def _pair(value: Any) -> Pair | None:
    return None if value is None else (value[0], value[1])


def _is_steps(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(step, list) for step in value)


def _steps(value: Any, everywhere: Span, *, many: bool) -> tuple[tuple[Release, Any], ...]:
    if not many:
        return ((everywhere.start, value),)
    return tuple((_release(start), step) for start, step in value)


def _release(text: str) -> Release:
    release = release_of(text)
    if release is None:
        raise ValueError(f"{text} is no version")
    return release
