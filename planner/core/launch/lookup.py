"""What a table of flags says about one version: there or not, which values, which default, which rules."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from planner.core.engines import Release, release_of
from planner.core.launch.tables import (
    MANY_VALUES,
    NO_VALUE,
    Flag,
    FlagTable,
    Pair,
    Span,
    release_in,
    span,
    spans_by_name,
    table,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How well a version is known.

    kind: read (a table of exactly this version) | line (read in a source of this line, exact release unknown) |
    between (two versions that were read) | beyond (newer than the newest read) | before | unreadable.
    """

    kind: str
    older: str | None  # nearest version read at or below
    newer: str | None  # nearest version read above

    @property
    def verified(self) -> bool:
        """Whether a command may call itself checked against this version."""
        return self.kind == "read"


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """Whether a flag is there.

    kind: present | removed | not_yet | unknown_between | beyond (in the newest read, the version is newer) | before
    (in the oldest read, the version is older). Boundaries are the two versions read around a change.
    """

    kind: str
    last_without: str | None = None
    first_with: str | None = None
    last_with: str | None = None
    first_without: str | None = None
    instead: tuple[str, ...] = ()
    similar: tuple[str, ...] = ()
    differs: str | None = None
    deprecated_since: str | None = None  # where the end is announced at this version

    @property
    def usable(self) -> bool:
        """Whether nothing speaks against the flag at this version."""
        return self.kind in {"present", "beyond", "before"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """Values of a flag at a version. `unsure`: listed on one side of a gap between versions read."""

    allowed: tuple[str, ...]
    unsure: tuple[str, ...]
    ever: Mapping[str, tuple[Pair, ...]]
    parser_checks: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """Numeric bounds, checked when the configuration is built. None: no bound on that side."""

    low: float | None
    low_included: bool
    high: float | None
    high_included: bool


@lru_cache(maxsize=512)
def standing(found: FlagTable, version: str | None) -> Standing:
    """How well this version is known; None is the newest version read."""
    release = release_in(found, version)
    if release is None:
        return Standing(kind="unreadable", older=None, newer=None)
    older = [text for at, text in found.read if at <= release]
    newer = [text for at, text in found.read if at > release]
    first, last = (older[-1] if older else None), (newer[0] if newer else None)
    if found.is_line:
        line = found.read[-1][0]
        same = release[: len(line)] == line
        return Standing(kind="line" if same else "beyond" if older else "before", older=first, newer=last)
    if any(at == release for at, _ in found.read):
        return Standing(kind="read", older=first, newer=last)
    return Standing(
        kind="before" if not older else "beyond" if not newer else "between", older=first, newer=last
    )


def status_at(found: FlagTable, flag: Flag, version: str | None) -> Status:
    """Whether a flag is there at a version, by the versions around its coming and going."""
    release = release_in(found, version) or found.read[-1][0]
    if flag.refused and release >= flag.seen.start:
        return Status(kind="removed", instead=flag.instead, similar=flag.similar, differs=flag.differs)
    return _status(found, release, flag.seen, (flag.came, flag.went), flag)


def boundary_status(
    found: FlagTable, seen: Span, version: str | None, *, side: str | None = "server"
) -> Status:
    """The same for what has a span only (names, variables, values): its neighbours are the versions read around it."""
    read = found.read_engine_side if side == "engine" else found.read
    release = release_in(found, version) or found.read[-1][0]
    below = [text for at, text in read if at < seen.start]
    above = [text for at, text in read if at > seen.end]
    came = (below[-1], seen.first) if below else None
    went = (seen.last, above[0]) if above else None
    return _status(found, release, seen, (came, went), None)


def _status(
    found: FlagTable,
    release: Release,
    seen: Span,
    changes: tuple[Pair | None, Pair | None],
    flag: Flag | None,
) -> Status:
    came, went = changes
    instead, similar, differs = (flag.instead, flag.similar, flag.differs) if flag else ((), (), None)

    def say(kind: str, *, mend: bool = False) -> Status:
        return Status(
            kind=kind,
            last_without=came[0] if came else None,
            first_with=came[1] if came else None,
            last_with=went[0] if went else None,
            first_without=went[1] if went else None,
            instead=instead if mend else (),
            similar=similar if mend else (),
            differs=differs if mend else None,
        )

    if release < seen.start:
        if came is None:
            return say("before")
        return say("not_yet" if release <= _at(came[0]) else "unknown_between")
    if release > seen.end and went is not None:
        return say("removed" if release >= _at(went[1]) else "unknown_between", mend=True)
    if flag is not None and flag.deprecated is not None and release >= _at(flag.deprecated):
        return Status(
            kind="beyond" if release > found.read[-1][0] else "present",
            deprecated_since=flag.deprecated,
            last_with=went[0] if went else None,
            first_without=went[1] if went else None,
            instead=instead,
            similar=similar,
            differs=differs,
        )
    return say("beyond" if release > seen.end and not found.is_line else "present")


def kind_at(flag: Flag, version: str | None) -> str:
    """What the flag takes: nothing | on_off | true_false | integer | number | text | choice | json | …"""
    return str(_step(flag.takes, version))


def default_at(flag: Flag, version: str | None) -> Any:
    """What holds where the flag is not given, as the engine writes it; None: unset, see the table's default rules."""
    return _step(flag.unset, version)


def takes_value(kind: str) -> bool:
    """Whether a word follows the flag."""
    return kind not in NO_VALUE


def takes_many(kind: str) -> bool:
    """Whether the flag swallows every word up to the next flag."""
    return kind in MANY_VALUES


def _step(steps: tuple[tuple[Release, Any], ...], version: str | None) -> Any:
    """The value of the last step not above the version; the first one for anything older."""
    release = release_of(version) if version is not None else None
    value = steps[0][1] if release is not None else steps[-1][1]
    if release is None:
        return value
    for start, step in steps:
        if start <= release:
            value = step
    return value


def choices_at(found: FlagTable, flag: Flag, version: str | None) -> Choices | None:
    """The values that a flag takes at a version, None where it is free.

    Where a parser stopped listing values that the engine still checks, its table of values is used.
    """
    release = release_in(found, version) or found.read[-1][0]
    checks = flag.parser_checks is None or any(part.holds(release) for part in flag.parser_checks)
    spans: Mapping[str, tuple[Span, ...]] = flag.choices
    name = found.raw.get("value_tables_of", {}).get(flag.name)
    if name is not None:
        spans = spans_by_name(found.raw["values"][name])
    elif kind_at(flag, version) not in {"choice", "text", "texts"}:
        return None
    if not spans:
        return None
    allowed, unsure = _listed(found, spans, release, flag.side)
    if not allowed and not unsure:
        return None
    return Choices(
        allowed=allowed,
        unsure=unsure,
        ever={value: tuple((part.first, part.last) for part in parts) for value, parts in spans.items()},
        parser_checks=checks and bool(flag.choices),
    )


def value_table(found: FlagTable, name: str, version: str | None) -> tuple[str, ...]:
    """Values of a table (quantization, quantization_deprecated, load_format) listed at a version."""
    release = release_in(found, version) or found.read[-1][0]
    allowed, _ = _listed(found, spans_by_name(found.raw.get("values", {}).get(name, {})), release, "engine")
    return allowed


def _listed(
    found: FlagTable, spans: Mapping[str, tuple[Span, ...]], release: Release, side: str | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(values listed at a release, values listed on one side of it only). Beyond the newest read, the newest counts."""
    read = [at for at, _ in (found.read_engine_side if side == "engine" else found.read)]
    older = max((at for at in read if at <= release), default=read[0])
    newer = min((at for at in read if at >= release), default=read[-1])
    allowed, unsure = [], []
    for value, parts in spans.items():
        sides = [any(part.holds(at) for part in parts) for at in (older, newer)]
        if all(sides):
            allowed.append(value)
        elif any(sides):
            unsure.append(value)
    return tuple(allowed), tuple(unsure)


def range_at(flag: Flag, version: str | None) -> Range | None:
    """Numeric bounds of a flag at a version."""
    bounds = flag.range
    if bounds is None or (version is not None and (release_of(version) or ()) < _at(bounds["from"])):
        return None
    return Range(
        low=bounds.get("at_least", bounds.get("above")),
        low_included="at_least" in bounds,
        high=bounds.get("at_most", bounds.get("below")),
        high_included="at_most" in bounds,
    )


@lru_cache(maxsize=512)
def rules_at(found: FlagTable, version: str | None) -> tuple[Mapping[str, Any], ...]:
    """Checks across flags that hold at a version: records with id, flags, when, then, at (parse | config | start | warn), source."""
    release = release_in(found, version) or found.read[-1][0]
    return tuple(rule for rule in found.raw["rules"] if _rule_holds(found, rule, release))


def _rule_holds(found: FlagTable, rule: Mapping[str, Any], release: Release) -> bool:
    newest = found.read[-1][0]
    at = min(release, newest)
    return "versions" not in rule or any(span(pair).holds(at) for pair in rule["versions"])


@lru_cache(maxsize=512)
def forms_at(found: FlagTable, version: str | None) -> tuple[Mapping[str, Any], ...]:
    """Programs that start the engine at a version, newest way last: records of words and of the flag naming the model."""
    return tuple(
        form
        for form in found.raw["forms"]
        if "seen" not in form or boundary_status(found, span(form["seen"]), version).usable
    )


def environment_at(found: FlagTable, name: str, version: str | None) -> Status | None:
    """Whether an environment variable is read at a version, None for one that no table names."""
    for record in found.raw["environment"]:
        if record["name"] == name:
            return boundary_status(found, span(record["seen"]), version)
    return None


def concept_of(found: FlagTable, flag_name: str) -> str | None:
    """The concern that a flag answers, the same word in every engine."""
    for record in found.hosts["concepts"]:
        if flag_name in record.get(found.engine, ()):
            return str(record["concept"])
    return None


def names_of(found: FlagTable, concept: str) -> tuple[str, ...]:
    """The flags of this engine for a concern; keys of a configuration file start with `config:`."""
    for record in found.hosts["concepts"]:
        if record["concept"] == concept:
            return tuple(record.get(found.engine, ()))
    return ()


def names_elsewhere(flags: Mapping[str, Any], engine: str, flag_name: str) -> dict[str, tuple[str, ...]]:
    """Engine -> flags for the same concern, for the engines that have one."""
    concept = concept_of(table(flags, engine), flag_name)
    if concept is None:
        return {}
    named = {
        other: names_of(table(flags, other), concept) for other in flags if other not in {engine, "hosts"}
    }
    return {other: names for other, names in named.items() if names}


def _at(text: str) -> Release:
    return release_of(text) or ()
