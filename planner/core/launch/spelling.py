"""From a word as typed to the flag it means, as the engine's own parser would read it at that version."""

import re
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache

from planner.core.engines import release_of
from planner.core.launch.lookup import Status, boundary_status, kind_at, names_of, status_at
from planner.core.launch.tables import Flag, FlagTable, Span, release_in, span

LEVEL = re.compile(r"-O(=?\d)?")
CLOSE = 0.72
MOST_CLOSE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a word means.

    how: exact | alias | underscores | prefix | negative | dotted (key of a JSON flag) | list_key (key+) | level (-O3) |
    attached (-qawq) | ambiguous | unknown. `candidates` are the names that an ambiguous word fits, or that an unknown
    one may have meant. A flag that another version has is found too: `status` tells.
    """

    typed: str
    how: str
    flag: Flag | None = None
    key: str | None = None
    negated: bool = False
    value: str | None = None  # what stood behind = or was attached
    candidates: tuple[str, ...] = ()
    status: Status | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spelling:
    name: str
    negated: bool = False
    spans: tuple[Span, ...] | None = None  # None: as long as the flag itself
    alias: bool = False
    came: tuple[str, str] | None = None  # of a negative that began later than its flag


def find(found: FlagTable, word: str, version: str | None) -> Found:
    """The flag that a word means at a version (None: the newest read)."""
    name, value = _split(found, word)
    level = _level(found, word, version)
    if level is not None:
        return level
    for spelled, how in _readings(found, name, version):
        direct = _direct(found, spelled, version)
        if direct is not None:
            return _as_found(found, word, direct, version, how=how, value=value)
        dotted = _dotted(found, word, spelled, version, value)
        if dotted is not None:
            return dotted
    attached = _attached(found, word, version)
    if attached is not None:
        return attached
    by_prefix = _prefix(found, word, name, version, value)
    if by_prefix is not None:
        return by_prefix
    spellings = _all_spellings(found)
    known = spellings.get(name) or spellings.get(name.replace("_", "-"))
    if known is not None:
        elsewhere = _as_found(found, word, known[0], version, how=None, value=value)
        # there, but not with underscores: this parser does not take them for dashes
        if name in spellings or (elsewhere.status is not None and not elsewhere.status.usable):
            return elsewhere
    return Found(typed=word, how="unknown", value=value, candidates=close_names(found, name, version))


def close_names(found: FlagTable, word: str, version: str | None) -> tuple[str, ...]:
    """Names at this version that a wrong one may have meant, best first: the same concern, then similar letters."""
    name = word.partition("=")[0]
    meant: list[str] = []
    for record in found.hosts["mistaken"]:
        if record["word"] == name:
            meant += names_of(found, record["concept"])
    for record in found.hosts["concepts"]:
        if any(name in names for engine, names in record.items() if engine not in {"concept", found.engine}):
            meant += record.get(found.engine, ())
    usable = _usable(found, version)
    letters = name.replace("-", "_") if found.engine == "tensorrt-llm" else name.replace("_", "-")
    letters = "--" + letters.lstrip("-_")
    near = get_close_matches(letters, [n for n in usable if n.startswith("--")], n=MOST_CLOSE, cutoff=CLOSE)
    there = [item for item in meant if item in usable or item.startswith("config:")]
    return tuple(dict.fromkeys(there + near))[:MOST_CLOSE]


def _split(found: FlagTable, word: str) -> tuple[str, str | None]:
    if not found.names["equals"] or "=" not in word:
        return word, None
    name, _, value = word.partition("=")
    return name, value


def _level(found: FlagTable, word: str, version: str | None) -> Found | None:
    """-O3: another flag before and after a change of meaning."""
    if not LEVEL.fullmatch(word):
        return None
    for record in found.names.get("level", ()):
        seen = span(record["seen"])
        status = boundary_status(found, seen, version)
        if status.usable:
            flag = found.flags[record["flag"]]
            digit = word[2:].lstrip("=") or None
            return Found(
                typed=word,
                how="level",
                flag=flag,
                key=record["key"],
                value=digit,
                status=status_at(found, flag, version),
            )
    return None


def _readings(found: FlagTable, name: str, version: str | None) -> list[tuple[str, str | None]]:
    """The word itself, then with dashes for underscores where this parser takes them for the same."""
    readings: list[tuple[str, str | None]] = [(name, None)]
    boundary = found.names.get("underscores")
    head, dot, tail = name.partition(".")
    if boundary and "_" in head:
        release = release_in(found, version) or found.read[-1][0]
        if release >= (_release(boundary[1])):
            readings.append((head.replace("_", "-") + dot + tail, "underscores"))
    return readings


def _direct(found: FlagTable, name: str, version: str | None) -> _Spelling | None:
    for spelling in _all_spellings(found).get(name, ()):
        if _spelling_status(found, spelling, version).usable:
            return spelling
    return None


def _as_found(
    found: FlagTable,
    word: str,
    spelling: _Spelling,
    version: str | None,
    *,
    how: str | None,
    value: str | None,
) -> Found:
    plain = "negative" if spelling.negated else "alias" if spelling.alias else "exact"
    return Found(
        typed=word,
        how=how or plain,
        flag=found.flags[spelling.name],
        negated=spelling.negated,
        value=value,
        status=_spelling_status(found, spelling, version),
    )


def _spelling_status(found: FlagTable, spelling: _Spelling, version: str | None) -> Status:
    """Of the flag, and where that one is there, of this way of writing it."""
    flag = found.flags[spelling.name]
    status = status_at(found, flag, version)
    if not status.usable:
        return status
    if spelling.negated and kind_at(flag, version) != "on_off":
        starts = next((i for i, (_, kind) in enumerate(flag.takes) if kind == "on_off"), None)
        return Status(kind="not_yet" if starts is not None else "removed", instead=(flag.name,))
    if spelling.came is not None:
        first = Span(spelling.came[1], found.newest, _release(spelling.came[1]), found.read[-1][0])
        own = boundary_status(found, first, version, side=flag.side)
        return status if own.usable else own
    if spelling.spans is None:
        return status
    own_statuses = [boundary_status(found, part, version, side=flag.side) for part in spelling.spans]
    if any(own.usable for own in own_statuses):
        return status
    return own_statuses[-1]


def _dotted(found: FlagTable, word: str, name: str, version: str | None, value: str | None) -> Found | None:
    """--compilation-config.mode: a key inside a JSON flag, and key+ for an item of a list."""
    base, dot, key = name.partition(".")
    boundary = found.names.get("dotted")
    if not dot or not key or boundary is None:
        return None
    spelling = _direct(found, base, version) or next(iter(_all_spellings(found).get(base, ())), None)
    if spelling is None or spelling.negated:
        return None
    flag = found.flags[spelling.name]
    if not kind_at(flag, version).startswith("json"):
        return None
    status = _spelling_status(found, spelling, version)
    since = Span(boundary[1], found.newest, _release(boundary[1]), found.read[-1][0])
    own = boundary_status(found, since, version)
    return Found(
        typed=word,
        how="list_key" if key.endswith("+") else "dotted",
        flag=flag,
        key=key.removesuffix("+"),
        value=value,
        status=status if own.usable or not status.usable else own,
    )


def _attached(found: FlagTable, word: str, version: str | None) -> Found | None:
    """-qawq: a value directly behind a flag of one letter."""
    if not found.names["prefixes"] or word.startswith("--") or len(word) < 3:
        return None
    spelling = _direct(found, word[:2], version)
    if spelling is None:
        return None
    flag = found.flags[spelling.name]
    status = _spelling_status(found, spelling, version)
    return Found(typed=word, how="attached", flag=flag, value=word[2:].removeprefix("="), status=status)


def _prefix(found: FlagTable, word: str, name: str, version: str | None, value: str | None) -> Found | None:
    """Any beginning of a name that fits one flag only, where the parser takes that."""
    if not found.names["prefixes"] or not name.startswith("--") or len(name) < 4:
        return None
    spelled = name
    if found.names.get("underscores"):
        spelled = _readings(found, name, version)[-1][0]
    fits = {
        known: spelling for known, spelling in _usable(found, version).items() if known.startswith(spelled)
    }
    meanings = {(spelling.name, spelling.negated) for spelling in fits.values()}
    if len(meanings) == 1:
        only = next(iter(fits.values()))
        return _as_found(found, word, only, version, how="prefix", value=value)
    if meanings:
        return Found(typed=word, how="ambiguous", value=value, candidates=tuple(sorted(fits)))
    return None


@lru_cache(maxsize=64)
def _usable(found: FlagTable, version: str | None) -> dict[str, _Spelling]:
    """Every name that the parser of a version knows."""
    return {
        name: spelling
        for name, spellings in _all_spellings(found).items()
        for spelling in spellings
        if _spelling_status(found, spelling, version).usable
    }


@lru_cache(maxsize=8)
def _all_spellings(found: FlagTable) -> dict[str, list[_Spelling]]:
    """Every name of every version: flags, their other names, and the negatives of switches."""
    names: dict[str, list[_Spelling]] = {}
    for flag in found.flags.values():
        names.setdefault(flag.name, []).append(_Spelling(name=flag.name))
        for other, spans in flag.also.items():
            negated = flag.takes[-1][1] == "on_off" and _says_no(other)
            names.setdefault(other, []).append(
                _Spelling(name=flag.name, spans=spans, alias=True, negated=negated)
            )
    if not found.names["prefixes"]:
        return names  # negatives are listed among the other names
    for flag in found.flags.values():
        if not any(kind == "on_off" for _, kind in flag.takes):
            continue
        bare = flag.name.removeprefix("--")
        names.setdefault(f"--no-{bare}", []).append(_Spelling(name=flag.name, negated=True))
        opposite = _opposite(bare)
        boundary = found.names.get("disable_negative")
        if boundary and opposite and opposite not in found.flags:
            names.setdefault(opposite, []).append(
                _Spelling(name=flag.name, negated=True, came=(boundary[0], boundary[1]))
            )
    return names


def _opposite(bare: str) -> str | None:
    for here, there in (("enable-", "disable-"), ("disable-", "enable-")):
        if bare.startswith(here):
            return f"--{there}{bare.removeprefix(here)}"
    return None


def _says_no(name: str) -> bool:
    return name.startswith(("--no-", "-no-")) or name in {"-nocb", "-ndio", "-nkvo", "-nr"}


def _release(text: str) -> tuple[int, ...]:
    return release_of(text) or ()
