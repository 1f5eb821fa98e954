"""Each flag by itself: is it there in this version, and does it take this value."""

import difflib
import json
from collections.abc import Iterator
from typing import Any

from planner.core.check.arguments import Given
from planner.core.check.found import Edit, Finding
from planner.core.check.kinds import SHOWN, json_value, not_of_kind
from planner.core.check.launch import Launch, number_of
from planner.core.check.meant import MEANT
from planner.core.check.unknown import unknown_flag, usable
from planner.core.launch.flags import find
from planner.core.launch.lookup import (
    choices_at,
    concept_of,
    kind_at,
    range_at,
    takes_value,
)

LEAST_PERCENT = 10  # from here on a share of memory was typed in percent


def flag_findings(launch: Launch) -> Iterator[Finding]:
    """Every flag against the table of the version."""
    unknown: set[str] = set()
    yield from _given_twice(launch)
    for given in launch.arguments.given:
        if given.found.flag is None:
            if given.typed in unknown:
                continue
            unknown.add(given.typed)
        if given.found.how == "ambiguous":
            yield Finding(
                code="flag_ambiguous",
                flag=given.typed,
                values={"candidates": list(given.found.candidates)},
                fix=given.found.candidates[0] if given.found.candidates else None,
            )
        elif given.found.flag is None:
            yield unknown_flag(launch, given)
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


def _given_twice(launch: Launch) -> Iterator[Finding]:
    """The same flag with another value: the last one counts."""
    values: dict[str, tuple[str, ...]] = {}
    for given in launch.arguments.given:
        if given.name is None or given.found.key is not None:
            continue
        before = values.get(given.name)
        if before is not None and before != given.values:
            counts = {"value": " ".join(given.values)[:SHOWN]}
            yield Finding(code="flag_given_twice", severity="warning", flag=given.typed, values=counts)
        values[given.name] = given.values


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
        fix = status.instead[0] if status.instead and not given.found.negated else None
        yield Finding(code="flag_deprecated", severity="warning", flag=given.typed, values=since, fix=fix)


def _gone(launch: Launch, given: Given, values: dict[str, Any]) -> Finding:
    """A flag that is no longer there: by its successor, by one for the same wish that takes the value, or without it."""
    status = given.found.status
    assert status is not None
    wrapped = _overriding(launch, given)
    if wrapped is not None:
        return Finding(
            code="flag_renamed",
            flag=given.typed,
            values={**values, "instead": "--hf-overrides"},
            fix=wrapped,
            edits=(Edit(given.start, given.end, wrapped),),
        )
    for name in (*status.instead, *status.similar):
        flag = launch.table.flags.get(name.partition(".")[0])
        if flag is None or not usable(launch, flag) or launch.arguments.last(name) is not None:
            continue
        takes = "." in name or takes_value(kind_at(flag, launch.version))
        switched = "." in name and not given.values  # a switch became a key that is true
        if "." not in name and kind_at(flag, launch.version) == "json" and given.kind != "json":
            continue
        if not switched and (takes != bool(given.values) or (name in status.similar and not takes)):
            continue
        code = "flag_renamed" if name in status.instead else "flag_removed"
        fix = f"{name} true" if switched else given.piece(name, launch.text)
        edits: tuple[Edit, ...] = (Edit(given.start, given.end, fix),)
        if "." in name and not _is_usable_name(launch, name):
            fix, edits = _as_one_object(launch, given, name.partition(".")[0])
        return Finding(code=code, flag=given.typed, values={**values, "instead": name}, fix=fix, edits=edits)
    without = {**values, "instead": ""} if not status.instead else values
    return Finding(
        code="flag_removed", flag=given.typed, values=without, fix="", edits=(given.dropped(launch.text),)
    )


def _is_usable_name(launch: Launch, name: str) -> bool:
    status = find(launch.table, name, launch.version).status
    return status is not None and status.usable


def _as_one_object(launch: Launch, given: Given, base: str) -> tuple[str, tuple[Edit, ...]]:
    """Flags that became keys of one JSON flag, where keys cannot be written one by one: the first holds them all."""
    moved: list[tuple[Given, str]] = []
    for item in launch.arguments.given:
        status = item.found.status
        for name in status.instead if status is not None and status.kind == "removed" else ():
            head, _, key = name.partition(".")
            if head == base and key:
                moved.append((item, key))
    whole: dict[str, Any] = {}
    for item, key in moved:
        value = item.value or "true"
        is_method = key == "model" and value.startswith("[")
        whole["method" if is_method else key] = json_value(value.strip("[]") if is_method else value)
    fix = f"{base} '{json.dumps(whole)}'"
    if moved and given is not moved[0][0]:
        return "", (given.dropped(launch.text),)
    return fix, (Edit(given.start, given.end, fix),)


def _overriding(launch: Launch, given: Given) -> str | None:
    """Rotary settings as an override of the model's configuration, where that took the place of their flags."""
    key = {"--rope-scaling": "rope_scaling", "--rope-theta": "rope_theta"}.get(given.name or "")
    value = given.value
    if key is None or value is None or launch.arguments.last("--hf-overrides") is not None:
        return None
    inner = value if value.startswith("{") or number_of(value) is not None else None
    return f"--hf-overrides '{{\"{key}\": {inner}}}'" if inner is not None and "'" not in inner else None


def _not_yet(launch: Launch, given: Given, values: dict[str, Any]) -> Finding:
    """A flag, or a way of writing it, of a later version: what was there before it, else without it."""
    flag = given.found.flag
    assert flag is not None
    instead = _as_before(launch, given)
    fix = instead if instead is not None else ""
    edit = Edit(given.start, given.end, fix) if fix else given.dropped(launch.text)
    values = {**values, "instead": fix.partition(" ")[0]}
    return Finding(code="flag_of_later_version", flag=given.typed, values=values, fix=fix, edits=(edit,))


def _as_before(launch: Launch, given: Given) -> str | None:
    flag = given.found.flag
    assert flag is not None
    there = usable(launch, flag)
    if there and given.found.key is not None and given.value is not None:
        return f"{flag.name} '{_nested(given.found.key, given.value)}'"
    if there and given.found.negated and kind_at(flag, launch.version) == "on_off":
        return f"--no-{flag.name.removeprefix('--')}"
    if there:
        return given.piece(flag.name, launch.text)
    if given.values and given.kind == "json":
        return _key_by_key(launch, flag.name, given.values[-1])
    older = next(
        (
            other.name
            for other in launch.table.flags.values()
            if flag.name in other.instead
            and usable(launch, other)
            and takes_value(kind_at(other, launch.version)) == bool(given.values)
        ),
        None,
    )
    return given.piece(older, launch.text) if older is not None else None


def _key_by_key(launch: Launch, name: str, value: str) -> str | None:
    """The keys of a JSON flag as the flags that they were before it; None where none of them was one."""
    whole = json_value(value)
    if not isinstance(whole, dict):
        return None
    if whole.get("method") == "ngram":
        whole = {**whole, "model": "[ngram]"}
    pieces = [
        f"{other.name} {whole[key]}"
        for other in launch.table.flags.values()
        if usable(launch, other)
        for head, _, key in (successor.partition(".") for successor in other.instead)
        if head == name and isinstance(whole.get(key), (str, int, float))
    ]
    return " ".join(pieces) or None


def _nested(key: str, value: str) -> str:
    """A dotted key and its value as JSON."""
    plain = json_value(value)
    for part in reversed(key.split(".")):
        plain = {part: plain}
    return json.dumps(plain)


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
        wrong = not_of_kind(launch, given, kind, value)
        if wrong is not None:
            yield wrong
            return
    choices = choices_at(launch.table, given.found.flag, launch.version)
    if choices is not None and kind in ("choice", "text", "texts"):
        yield from _choice(launch, given, choices)
    yield from _range(launch, given)


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
    if not fix:
        yield Finding(code=code, flag=given.typed, values=values, fix="", edits=(given.dropped(launch.text),))
        return
    yield Finding(code=code, flag=given.typed, values=values, fix=f"{given.typed} {fix}", edits=edits)


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
    if not close and concept == "kv_dtype" and "auto" in allowed:
        return "auto"
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
    fix = str(_default_port(launch)) if concept == "port" else _inside(concept, number, low, high)
    yield Finding(
        code="value_out_of_range",
        flag=given.typed,
        values={"value": given.values[-1][:SHOWN], "low": low, "high": high, "engine": launch.engine},
        fix=f"{given.typed} {fix}" if fix else None,
        edits=(given.with_value(fix),) if fix else (),
    )


def _default_port(launch: Launch) -> int:
    return int(launch.table.hosts["addresses"][launch.engine]["port"])


def _inside(concept: str | None, number: float, low: float | None, high: float | None) -> str | None:
    """A value within the bounds that is closest to what was meant: 90 is 0.9 where a share is asked for."""
    if concept == "memory_share":
        return f"{number / 100:g}" if LEAST_PERCENT <= number < 100 else "0.9"
    if high is not None and number > high:
        return f"{high:g}"
    return f"{low:g}" if low is not None and low >= 0 else "1"
