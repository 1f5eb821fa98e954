"""Each flag by itself: is it there in this version, and does it take this value."""

import difflib
import re
from collections.abc import Iterator
from typing import Any

from planner.core.check.arguments import Given
from planner.core.check.found import Finding
from planner.core.check.launch import Launch, number_of
from planner.core.check.meant import MEANT, WISHED
from planner.core.launch.lookup import choices_at, concept_of, names_of, range_at, status_at
from planner.core.launch.tables import table as table_of

READABLE = re.compile(r"\d+(\.\d+)?[kmgtKMGT]?")
WHOLE = re.compile(r"[+-]?\d+")
SHOWN = 80


def flag_findings(launch: Launch) -> Iterator[Finding]:
    """Every flag against the table of the version."""
    for given in launch.arguments.given:
        if given.found.how == "ambiguous":
            yield Finding(
                code="flag_ambiguous",
                flag=given.typed,
                values={"candidates": list(given.found.candidates)},
                fix=given.found.candidates[0] if given.found.candidates else None,
            )
        elif given.found.flag is None:
            yield _unknown(launch, given)
        else:
            if given.found.how == "prefix":
                yield Finding(
                    code="flag_shortened",
                    severity="warning",
                    flag=given.typed,
                    values={"name": given.found.flag.name},
                    fix=given.found.flag.name,
                )
            yield from _standing(launch, given)
            yield from _value(launch, given)


def _unknown(launch: Launch, given: Given) -> Finding:
    """A name that no version read has: another engine's, a wished one, or a slip."""
    names, owner = _meant_names(launch, given)
    fix = names[0] if names else None
    edits = (given.renamed(fix),) if fix else ()
    if not fix and launch.standing.kind != "read":
        return Finding(
            code="flag_unknown_here",
            severity="warning" if launch.standing.kind in ("beyond", "between") else "error",
            flag=given.typed,
            values={"engine": launch.engine, "version": launch.version},
        )
    code = "flag_of_other_engine" if owner else "flag_unknown"
    piece = f"{fix} {given.value}" if fix and given.value else fix
    if not fix:
        edits = (given.dropped(launch.text),)
    return Finding(
        code=code,
        flag=given.typed,
        values={"engine": launch.engine, "other": owner, "instead": fix},
        fix=piece or "",
        edits=edits,
    )


def _meant_names(launch: Launch, given: Given) -> tuple[list[str], str | None]:
    """(flags of this engine that may be meant, the engine that the name belongs to)."""
    table = launch.table
    for other in ("vllm", "sglang", "tensorrt-llm", "llama.cpp"):
        if other == launch.engine:
            continue
        theirs = table_of(launch.flags, other)
        name = _exact(theirs, given.typed)
        concept = concept_of(theirs, name) if name else None
        own = [item for item in names_of(table, concept or "") if item.startswith("-")]
        if own:
            return own, other
    plain = _plain(given.typed)
    same = [name for name, flag in table.flags.items() if _plain(name) == plain and _usable(launch, flag)]
    same += [
        also
        for name, flag in table.flags.items()
        for also in flag.also
        if also.startswith("--") and _plain(also) == plain and _usable(launch, flag)
    ]
    if same:
        return same, None
    wished = WISHED.get(plain.replace("_", "-"))
    own = [item for item in names_of(table, wished or "") if item.startswith("-")]
    if own:
        return own, None
    close = [name for name in given.found.candidates if name.startswith("--")]
    if not close:
        close = difflib.get_close_matches(given.typed, list(table.flags), n=1, cutoff=0.85)
    ratio = difflib.SequenceMatcher(None, given.typed, close[0]).ratio() if close else 0
    return (close[:1] if ratio >= 0.72 else []), None


def _exact(table: Any, typed: str) -> str | None:
    if typed in table.flags:
        return typed
    for name, flag in table.flags.items():
        if typed in flag.also:
            return str(name)
    return None


def _plain(name: str) -> str:
    return name.lstrip("-").replace("_", "-").lower()


def _usable(launch: Launch, flag: Any) -> bool:
    return status_at(launch.table, flag, launch.version).usable


def _standing(launch: Launch, given: Given) -> Iterator[Finding]:
    """Removed, renamed, not there yet, or on its way out."""
    status = given.found.status
    if status is None:
        return
    values = {
        "engine": launch.engine,
        "version": launch.version or launch.table.newest,
        "last_with": status.last_with,
        "first_without": status.first_without,
        "last_without": status.last_without,
        "first_with": status.first_with,
        "instead": ", ".join(status.instead or status.similar),
    }
    if status.kind == "removed":
        yield _gone(launch, given, values)
    elif status.kind == "not_yet":
        yield _not_yet(launch, given, values)
    elif status.kind == "unknown_between":
        yield Finding(code="flag_unsure", severity="warning", flag=given.typed, values=values)
    elif status.deprecated_since is not None:
        since = {**values, "since": status.deprecated_since}
        fix = status.instead[0] if status.instead else None
        yield Finding(code="flag_deprecated", severity="warning", flag=given.typed, values=since, fix=fix)


def _gone(launch: Launch, given: Given, values: dict[str, Any]) -> Finding:
    status = given.found.status
    assert status is not None
    for name in (*status.instead, *status.similar):
        base = name.partition(".")[0]
        flag = launch.table.flags.get(base)
        if flag is None or not _usable(launch, flag) or " " in name:
            continue
        renamed = name in status.instead
        fix = f"{name} {given.value}" if given.value is not None else name
        return Finding(
            code="flag_renamed" if renamed else "flag_removed",
            flag=given.typed,
            values={**values, "instead": name},
            fix=fix,
            edits=(given.renamed(name),),
        )
    return Finding(
        code="flag_removed", flag=given.typed, values=values, fix="", edits=(given.dropped(launch.text),)
    )


def _not_yet(launch: Launch, given: Given, values: dict[str, Any]) -> Finding:
    """A flag of a later version: the one that it replaced, where that is still there, else without it."""
    name = given.name
    older = next(
        (
            flag.name
            for flag in launch.table.flags.values()
            if name in {item.partition(".")[0] for item in flag.instead} and _usable(launch, flag)
        ),
        None,
    )
    fix = "" if older is None else f"{older} {given.value}" if given.value else older
    edit = given.dropped(launch.text) if older is None else given.renamed(older)
    return Finding(
        code="flag_of_later_version",
        flag=given.typed,
        values={**values, "instead": older or ""},
        fix=fix,
        edits=(edit,),
    )


def _value(launch: Launch, given: Given) -> Iterator[Finding]:
    """The value against what the flag takes."""
    if given.unknown_value or not given.values or given.found.key or given.found.flag is None:
        return
    if given.found.status is not None and not given.found.status.usable:
        return
    kind = given.kind or ""
    for value in given.values:
        if value in given.found.flag.words:
            continue
        wrong = _not_of_kind(launch, given, kind, value)
        if wrong is not None:
            yield wrong
            return
    choices = choices_at(launch.table, given.found.flag, launch.version)
    if choices is not None and kind in ("choice", "text", "texts"):
        yield from _choice(launch, given, choices)
    yield from _range(launch, given)


def _not_of_kind(launch: Launch, given: Given, kind: str, value: str) -> Finding | None:
    """A value that is no number where one is expected."""
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
        code = "not_whole"
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


def _choice(launch: Launch, given: Given, choices: Any) -> Iterator[Finding]:
    value = given.values[-1]
    known = {item.lower(): item for item in (*choices.allowed, *choices.unsure)}
    if value in choices.allowed:
        return
    values = {
        "value": value[:SHOWN],
        "engine": launch.engine,
        "version": launch.version or launch.table.newest,
        "allowed": ", ".join(choices.allowed),
    }
    if value in choices.unsure:
        yield Finding(code="value_unsure", severity="warning", flag=given.typed, values=values)
        return
    if launch.standing.kind == "beyond" and value not in choices.ever:
        yield Finding(code="value_unsure", severity="warning", flag=given.typed, values=values)
        return
    fix = _meant_value(launch, given, choices.allowed) or known.get(value.lower())
    code = "value_not_in_version" if value in choices.ever else "value_not_known"
    if value in choices.ever:
        values["versions"] = ", ".join(f"{first} to {last}" for first, last in choices.ever[value])
    edits = (given.with_value(fix),) if fix else ()
    if not fix and concept_of(launch.table, given.name or "") in ("weight_quantization", "load_format"):
        fix, edits = "", (given.dropped(launch.text),)
        yield Finding(code=code, flag=given.typed, values=values, fix=fix, edits=edits)
        return
    yield Finding(
        code=code, flag=given.typed, values=values, fix=f"{given.typed} {fix}" if fix else None, edits=edits
    )


def _meant_value(launch: Launch, given: Given, allowed: tuple[str, ...]) -> str | None:
    value = given.values[-1].lower()
    concept = concept_of(launch.table, given.name or "") or ""
    meant = MEANT.get(concept, {}).get(value.replace("-", "_"), ())
    for item in meant:
        if item in allowed:
            return item
    number = number_of(value)
    numbers = [int(item) for item in allowed if item.isdigit()]
    if number is not None and numbers:
        return str(min(numbers, key=lambda item: (abs(item - number), item)))
    close = difflib.get_close_matches(value, allowed, n=1, cutoff=0.6)
    return close[0] if close else None


def _range(launch: Launch, given: Given) -> Iterator[Finding]:
    """Numeric bounds. A share of memory above 1 was refused by every version, whatever its bounds say."""
    assert given.found.flag is not None
    number = number_of(given.values[-1])
    concept = concept_of(launch.table, given.found.flag.name)
    if number is None:
        return
    bounds = range_at(given.found.flag, launch.version)
    low, low_in = (bounds.low, bounds.low_included) if bounds else (None, False)
    high, high_in = (bounds.high, bounds.high_included) if bounds else (None, False)
    if concept == "memory_share" and launch.engine != "llama.cpp":
        low, low_in, high, high_in = 0, False, 1, launch.engine == "vllm"
    elif (
        low is None
        and concept
        in ("tensor_parallel", "pipeline_parallel", "data_parallel", "max_sequences", "token_budget")
        and launch.engine != "llama.cpp"
    ):
        low, low_in = (1, True) if concept != "token_budget" or launch.engine != "sglang" else (-1, True)
    below = low is not None and (number < low or (number == low and not low_in))
    above = high is not None and (number > high or (number == high and not high_in))
    if concept == "port" and not 0 <= number <= 65535:
        below, low, high = True, 0, 65535
    if not (below or above):
        return
    fix = _inside(concept, number, low, high)
    yield Finding(
        code="value_out_of_range",
        flag=given.typed,
        values={"value": given.values[-1][:SHOWN], "low": low, "high": high, "engine": launch.engine},
        fix=f"{given.typed} {fix}" if fix else None,
        edits=(given.with_value(fix),) if fix else (),
    )


def _inside(concept: str | None, number: float, low: float | None, high: float | None) -> str | None:
    """A value within the bounds that is closest to what was meant: 90 is 0.9 where a share is asked for."""
    if concept == "memory_share":
        return f"{number / 100:g}" if 1 < number < 100 else "0.9"
    if concept == "port":
        return None
    if high is not None and number > high:
        return f"{high:g}"
    if low is None:
        return None
    return f"{low:g}" if low >= 1 else "1"
