"""The words behind a program as flags and values, read the way that program's own parser reads them.

argparse (vLLM, SGLang): unique prefixes, lists that swallow words. click (TensorRT-LLM) and llama-server: exact names.
"""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field

from planner.core.check.found import Edit, Finding
from planner.core.check.json_text import JsonText, read_json_value
from planner.core.check.words import Word
from planner.core.launch.flags import Found, find, kind_at, takes_many
from planner.core.launch.tables import NO_VALUE, FlagTable

NUMBER = re.compile(r"-\d+(?:\.\d+)?")
TRUTH = frozenset({"true", "false", "1", "0", "yes", "no", "on", "off"})
FALSE = frozenset({"false", "0", "no", "off"})
OPTIONAL = frozenset({"optional_text", "true_false"})
SWITCHES = NO_VALUE | {"true_false"}
JSON_KINDS = frozenset({"json", "json_or_text"})
# argparse takes a word with a dash for a flag; the others take whatever follows as the value.
ARGPARSE = frozenset({"vllm", "sglang"})
SHOWN = 200
LONGEST_NAME = 100
MOST_UNKNOWN = 40  # unknown flags, after which this is no command of the engine


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """One flag with its values. start..end is the whole piece, value_start..value_end the value in it."""

    typed: str
    found: Found
    kind: str | None
    values: tuple[str, ...] = ()
    start: int = 0
    end: int = 0
    value_start: int = 0
    value_end: int = 0
    unknown_value: bool = False  # a variable of the shell, or a placeholder

    @property
    def name(self) -> str | None:
        """The canonical name, None for a flag that no version has."""
        return self.found.flag.name if self.found.flag is not None else None

    @property
    def value(self) -> str | None:
        """The last value, None where there is none or the shell decides it."""
        return self.values[-1] if self.values and not self.unknown_value else None

    def with_value(self, value: str) -> Edit:
        """The edit that puts another value in the place of this one."""
        return Edit(self.value_start, self.value_end, value)

    def renamed(self, name: str) -> Edit:
        """The edit that puts another flag in its place and keeps the value."""
        return Edit(self.start, self.start + len(self.typed), name)

    def piece(self, name: str, text: str) -> str:
        """The flag under another name, with its value as it stands in the text."""
        known = self.values if self.unknown_value else map(shlex.quote, self.values)
        value = text[self.value_start : self.value_end] or " ".join(known)
        return f"{name} {value}" if self.values else name

    def dropped(self, text: str) -> Edit:
        """The edit that takes the whole piece away, with the blanks (and line ends) before it."""
        start = self.start
        while start > 0 and (text[start - 1].isspace() or text[start - 2 : start] == "\\\n"):
            start -= 1
            if text[start - 1 : start + 1] == "\\\n":
                start -= 1
        return Edit(start, self.end, "")


@dataclass(slots=True, kw_only=True)
class Arguments:
    """Flags and free words in the order typed."""

    given: list[Given] = field(default_factory=list)
    positionals: list[Word] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def last(self, *names: str) -> Given | None:
        """The last of these flags: a flag given twice takes its last value."""
        return next((item for item in reversed(self.given) if item.name in names), None)

    def on(self, name: str) -> bool | None:
        """Whether an on/off flag is on; None where it was not given."""
        item = self.last(name)
        if item is None:
            return None
        if item.kind in SWITCHES and item.values and item.values[-1].lower() in FALSE:
            return False
        return not item.found.negated


def read_arguments(
    words: Sequence[Word], *, table: FlagTable, version: str | None, text: str, model_is_free_word: bool
) -> Arguments:
    """Read all words. `text` is the source that the places of the words refer to."""
    reader = _Reader(words, table, version, text)
    reader.model_is_free_word = model_is_free_word
    return reader.read()


class _Reader:
    """One pass over the words, as the parser of this engine version makes it."""

    model_is_free_word = False

    def __init__(self, words: Sequence[Word], table: FlagTable, version: str | None, text: str) -> None:
        self.words = words
        self.table = table
        self.version = version
        self.text = text
        self.found = Arguments()
        self.meanings: dict[str, Found] = {}

    def read(self) -> Arguments:
        at = 0
        while at < len(self.words):
            word = self.words[at]
            if sum(found.flag is None for found in self.meanings.values()) > MOST_UNKNOWN:
                self.found.findings.append(Finding(code="flags_cut", values={"limit": MOST_UNKNOWN}))
                break
            if word.text == "--" and self.table.engine in ARGPARSE:
                self.found.positionals.extend(self.words[at + 1 :])
                break
            if _is_flag(word):
                at = self._flag(at)
            else:
                self.found.positionals.append(word)
                at += 1
        return self.found

    def _flag(self, at: int) -> int:
        """Read the flag at this place and its value; returns the place behind them."""
        word = self.words[at]
        found = self._meaning(word.text)
        kind = "text" if found.key else kind_at(found.flag, self.version) if found.flag is not None else None
        typed = _typed(word.text, found)
        if found.value is not None:
            return self._attached(at, typed, found, kind)
        taken = self._taken(at + 1, found, kind)
        if kind in JSON_KINDS and taken:
            return self._json(at, typed, found, kind or "json")
        if kind is not None and not taken and kind not in NO_VALUE and kind not in OPTIONAL:
            self.found.findings.append(self._missing(word, typed, found, kind))
        self.found.given.append(_given(word, typed, found, kind, taken))
        end = at + 1 + len(taken)
        if kind in NO_VALUE and end < len(self.words) and self.words[end].text.lower() in TRUTH:
            stray = self.words[end]
            self._value_to_switch(_given(word, typed, found, kind, [stray]), stray.text)
            return end + 1
        return end

    def _meaning(self, word: str) -> Found:
        """What a word means as a flag; a name that comes again is looked up once."""
        if word not in self.meanings:
            self.meanings[word] = find(self.table, word, self.version)
        return self.meanings[word]

    def _missing(self, word: Word, typed: str, found: Found, kind: str) -> Finding:
        """A value that does not follow. Flash attention of llama-server was a switch once: it means on."""
        if found.flag is not None and found.flag.name == "--flash-attn":
            edits = (Edit(word.end, word.end, " on"),)
            return Finding(
                code="value_missing", flag=typed, values={"kind": kind}, fix=f"{typed} on", edits=edits
            )
        return Finding(code="value_missing", flag=typed, values={"kind": kind})

    def _attached(self, at: int, typed: str, found: Found, kind: str | None) -> int:
        word, value = self.words[at], found.value or ""
        sign = self.text[word.start : word.end].find("=")
        value_start = word.start + (sign + 1 if sign >= 0 and found.how != "level" else len(typed))
        given = Given(
            typed=typed,
            found=found,
            kind=kind,
            values=(value,),
            start=word.start,
            end=word.end,
            value_start=value_start,
            value_end=word.end,
            unknown_value=word.variable or word.placeholder,
        )
        self.found.given.append(given)
        if kind in NO_VALUE and found.how != "level":
            self._value_to_switch(given, value)
        elif kind in JSON_KINDS and value[:1] in ("{", "["):
            judged = read_json_value(self.text, value_start, word.end, value)
            if judged.mend is not None:
                self._json_finding(typed, value_start, judged)
                return self._behind(at + 1, judged.end)
        return at + 1

    def _taken(self, start: int, found: Found, kind: str | None) -> list[Word]:
        """The words that the flag takes as its value."""
        following = self.words[start] if start < len(self.words) else None
        if following is None or kind in NO_VALUE:
            return []
        if kind is None:
            model = self.model_is_free_word and not self.found.positionals and "/" in following.text
            return [] if _is_flag(following) or model else [following]
        if takes_many(kind):
            rest = self.words[start:]
            return list(rest[: next((i for i, word in enumerate(rest) if _is_flag(word)), len(rest))])
        if kind == "true_false":
            return [following] if following.text.lower() in TRUTH else []
        if _is_flag(following) and (
            self.table.engine in ARGPARSE
            or kind in OPTIONAL
            or self._meaning(following.text).flag is not None
        ):
            return []
        return [following]

    def _value_to_switch(self, given: Given, value: str) -> None:
        """A switch takes no value: without it where it says yes, its negative or nothing where it says no."""
        if value.lower() not in FALSE:
            edit, fix = Edit(given.start, given.end, given.typed), given.typed
        elif given.kind == "on_off" and not given.found.negated and self.table.names["prefixes"]:
            fix = "--no-" + (given.name or given.typed).removeprefix("--")
            edit = Edit(given.start, given.end, fix)
        else:
            edit, fix = given.dropped(self.text), ""
        values = {"value": value[:SHOWN], "engine": self.table.engine}
        self.found.findings.append(
            Finding(code="value_to_switch", flag=given.typed, values=values, fix=fix, edits=(edit,))
        )

    def _json(self, at: int, typed: str, found: Found, kind: str) -> int:
        """A flag that takes JSON: words up to where the JSON ends, however the shell cut them.

        A number, a file or key=value pairs in the place of an object: some versions take them, so they pass.
        """
        word, value = self.words[at], self.words[at + 1]
        opening = self.text[value.start : value.start + 2].strip("'\"")[:1]
        is_object = value.text[:1] in ("{", "[") or opening in ("{", "[")
        if value.variable or value.placeholder or not is_object:
            self.found.given.append(_given(word, typed, found, kind, [value]))
            return at + 2
        judged = read_json_value(self.text, value.start, value.end, value.text)
        following = at + 2 if judged.mend is None else self._behind(at + 2, judged.end)
        self.found.given.append(_given(word, typed, found, kind, self.words[at + 1 : following]))
        if judged.mend is not None:
            self._json_finding(typed, value.start, judged)
        return following

    def _behind(self, at: int, end: int) -> int:
        """The first word from `at` on that begins behind a place of the text."""
        while at < len(self.words) and self.words[at].start < end:
            at += 1
        return at

    def _json_finding(self, typed: str, start: int, judged: JsonText) -> None:
        edits = (Edit(start, judged.end, judged.mend),) if judged.mend else ()
        self.found.findings.append(
            Finding(code=f"json_{judged.cause}", flag=typed, fix=judged.mend or None, edits=edits)
        )


def _is_flag(word: Word) -> bool:
    text = word.text
    if len(text) < 2 or not text.startswith("-") or NUMBER.fullmatch(text):
        return False
    name = text.partition("=")[0]
    return " " not in name and len(name) <= LONGEST_NAME


def _typed(word: str, found: Found) -> str:
    if found.value is None:
        return word
    if found.how in {"level", "attached"} and "=" not in word:
        return word[: len(word) - len(found.value)] or word
    return word.partition("=")[0]


def _given(word: Word, typed: str, found: Found, kind: str | None, taken: Sequence[Word]) -> Given:
    last = taken[-1] if taken else word
    return Given(
        typed=typed,
        found=found,
        kind=kind,
        values=tuple(item.text for item in taken),
        start=word.start,
        end=last.end,
        value_start=taken[0].start if taken else word.end,
        value_end=last.end,
        unknown_value=any(item.variable or item.placeholder for item in taken),
    )
