"""Shell text to words, the way a shell reads it, without running anything.

POSIX shell quoting: single quotes, double quotes, backslash, comments, line continuation, variables. Each word keeps
its place in the text, so that a mend can be made where the fault stands.
"""

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from planner.core.check.found import Edit, Finding

MAX_CHARACTERS = 16_000
MAX_WORDS = 400
# Of all values of variables filled in together: A=$B$B, B=$C$C … would double with each line.
MAX_FILLED_IN = 16_000
ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
PLACEHOLDER = re.compile(r"<[A-Za-z][\w ./-]{0,60}>")
SEPARATORS = ("&&", "||", ";", "|", "&")
BLANK = re.compile(r"\s*")
FLAG = re.compile(r"--?[A-Za-z]")
REDIRECTION = re.compile(r"&?[<>]+[&|]?\d?-?", re.ASCII)
# The fallback is bounded, else each of many that never close would be looked for to the end of the text.
VARIABLE = re.compile(
    r"\$(?:\{([A-Za-z_][A-Za-z0-9_]*)(?::?-([^}]{0,300}))?\}|([A-Za-z_][A-Za-z0-9_]*|[0-9@*#?]))"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One word as the program gets it, and where it stands in the text."""

    text: str
    start: int
    end: int
    quoted: bool = False
    variable: bool = False  # holds a $NAME or $(command) whose value is not known here
    placeholder: bool = False  # <model>, as documentation writes it

    @property
    def typed_again(self) -> str:
        """The word for another command: quoted where a shell would read it otherwise, a variable left to the shell."""
        return self.text if self.variable or self.placeholder else shlex.quote(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One simple command: its words, the assignments in front of it, and what ended it ("" at the end)."""

    words: tuple[Word, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    env_words: tuple[Word, ...] = ()
    separator: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """A text as commands. `text` is what places refer to."""

    text: str
    commands: tuple[Command, ...]
    findings: tuple[Finding, ...] = ()


def read_script(text: str) -> Script:
    """Commands of a shell text. `text` is at most MAX_CHARACTERS long and has been through `typed_text`."""
    reader = _Reader(text, 0, len(text))
    commands = tuple(reader.commands())
    return Script(text=text, commands=commands, findings=tuple(reader.findings))


def read_region(text: str, start: int, end: int) -> Script:
    """Commands of a part of a text, such as the value of a key in a file; places are those of the whole text."""
    reader = _Reader(text, start, end)
    return Script(text=text, commands=tuple(reader.commands()), findings=tuple(reader.findings))


def read_inside(script: Script, word: Word) -> Script:
    """The script inside a quoted word (`bash -c "…"`), with places in the outer text where quoting allows them."""
    raw = script.text[word.start : word.end]
    plain = len(raw) >= 2 and raw[0] == raw[-1] and raw[0] in "'\"" and raw[1:-1] == word.text
    if not plain:
        # places would be those of another text: read for what it says, not for mending
        return replace(read_script(word.text), text="")
    return read_region(script.text, word.start + 1, word.end - 1)


class _Reader:
    """Reads text[start:end]; `variables` are those set earlier in the same text."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text = text
        self.at = start
        self.end = end
        self.findings: list[Finding] = []
        self.variables: dict[str, str] = {}
        self.words_read = 0
        self.filled_in = 0

    def commands(self) -> Iterator[Command]:
        words: list[Word] = []
        while self.at < self.end and self.words_read < MAX_WORDS:
            before = self.at
            separator = self._separator()
            if self.at > before and not separator:
                continue
            if separator:
                if words:
                    yield self._command(words, separator)
                words = []
                continue
            if not self._skipped():
                word = self._word()
                if word is not None:
                    words.append(word)
                    self.words_read += 1
        if self.words_read >= MAX_WORDS:
            self.findings.append(Finding(code="text_cut", severity="warning", values={"limit": MAX_WORDS}))
        if words:
            yield self._command(words, "")

    def _command(self, words: list[Word], separator: str) -> Command:
        count = 0
        env: dict[str, str] = {}
        exported = words[0].text in ("export", "set", "env", "declare")
        rest = words[1:] if exported else words
        for word in rest:
            found = None if word.text.startswith("-") else ASSIGNMENT.fullmatch(word.text)
            if found is None:
                break
            env[found[1]] = found[2]
            count += 1
        if count == len(rest) and rest:
            self.variables |= env
        env = {**self.variables, **env}
        left = tuple(rest[count:])
        return Command(words=left, env=env, env_words=tuple(rest[:count]), separator=separator)

    def _separator(self) -> str:
        """The end of a command at this place, consumed; "" if there is none."""
        if self.text[self.at] == "\n":
            return self._line_end()
        for separator in SEPARATORS:
            if self.text.startswith(separator, self.at, self.end):
                if separator == "&" and self.text.startswith("&>", self.at):
                    return ""
                self.at += len(separator)
                return separator
        return ""

    def _line_end(self) -> str:
        """The end of a line: of the command too, unless the next line goes on with a flag and was cut off by mistake."""
        found = BLANK.match(self.text, self.at, self.end)
        following = found.end() if found else self.end
        if self.words_read and FLAG.match(self.text, following, self.end):
            self.findings.append(
                Finding(
                    code="line_not_continued",
                    flag=self.text[following : following + 60].split(maxsplit=1)[0],
                    fix="\\",
                    edits=(Edit(self.at, self.at, " \\"),),
                )
            )
            self.at = following
            return ""
        self.at = following
        return "\n"

    def _skipped(self) -> bool:
        """White space, a continued line, a comment or a redirection at this place."""
        start = self.at
        text, at = self.text, self.at
        if text[at].isspace() and text[at] != "\n":
            self.at += 1
        elif text.startswith("\\\n", at):
            self.at += 2
        elif text[at] == "#":
            end = text.find("\n", at, self.end)
            self.at = self.end if end < 0 else end
        elif text[at] in "()":
            self.at += 1
        elif text[at] in "<>" or text.startswith("&>", at):
            return self._redirection()
        return self.at > start

    def _redirection(self) -> bool:
        if PLACEHOLDER.match(self.text, self.at, self.end):
            return False
        found = REDIRECTION.match(self.text, self.at, self.end)
        self.at = found.end() if found else self.at + 1
        while self.at < self.end and self.text[self.at] in " \t":
            self.at += 1
        # the file, unless the target was a descriptor such as 2>&1
        if found is None or not found.group().endswith(("1", "2", "-")):
            self._word()
        return True

    def _word(self) -> Word | None:
        """One word; None where white space or the end came first."""
        start, parts, quoted, variable = self.at, list[str](), False, False
        found = PLACEHOLDER.match(self.text, self.at, self.end)
        if found is not None:
            self.at = found.end()
            return Word(text=found.group(), start=start, end=self.at, placeholder=True)
        while self.at < self.end and not self._ends_word():
            before = self.at
            text, unknown = self._piece()
            parts.append(text)
            quoted = quoted or self.text[before] in "\\'\""
            variable = variable or unknown
        if self.text[self.at : self.at + 1] == ">" and "".join(parts).isdigit():
            self._redirection()  # 2>file: the digit belongs to the redirection
            return None
        if self.at == start:
            self.at += 1  # a character that starts no word: never stand still
            return None
        return Word(text="".join(parts), start=start, end=self.at, quoted=quoted, variable=variable)

    def _ends_word(self) -> bool:
        char = self.text[self.at]
        return char.isspace() or char in ";|()<>&"

    def _piece(self) -> tuple[str, bool]:
        """The next part of a word, and whether only a running shell knows it."""
        char = self.text[self.at]
        if char == "'":
            return self._single(), False
        if char == '"':
            return self._double()
        if char in "$`":
            return self._variable()
        if char != "\\":
            self.at += 1
            return char, False
        following = self.text[self.at + 1 : min(self.at + 2, self.end)]
        self.at = min(self.at + 2, self.end)
        return ("" if following == "\n" else following), False

    def _single(self) -> str:
        end = self.text.find("'", self.at + 1, self.end)
        if end < 0:
            return self._unclosed("'")
        inside = self.text[self.at + 1 : end]
        self.at = end + 1
        return inside

    def _double(self) -> tuple[str, bool]:
        """The inside of double quotes: backslash escapes four characters only, variables are filled in."""
        opened, parts, unknown = self.at, list[str](), False
        self.at += 1
        while self.at < self.end:
            char = self.text[self.at]
            if char == '"':
                self.at += 1
                return "".join(parts), unknown
            following = self.text[self.at + 1 : self.at + 2]
            if char == "\\" and following and following in '"\\$`\n':
                parts.append("" if following == "\n" else following)
                self.at += 2
            elif char in "$`":
                text, missing = self._variable()
                parts.append(text)
                unknown = unknown or missing
            else:
                parts.append(char)
                self.at += 1
        self.at = opened
        return self._unclosed('"'), unknown

    def _unclosed(self, quote: str) -> str:
        """A quote without its end takes the rest of the text, as a shell that waits for more would."""
        self.findings.append(
            Finding(
                code="quote_not_closed",
                flag=self.text[self.at : self.at + 40].split("\n")[0],
                values={"quote": quote},
                fix=quote,
                edits=(Edit(self.end, self.end, quote),),
            )
        )
        inside = self.text[self.at + 1 : self.end]
        self.at = self.end
        return inside

    def _variable(self) -> tuple[str, bool]:
        """$NAME, ${NAME}, $(command) or `command` at this place: its value where the text sets it."""
        start, text = self.at, self.text
        if text[start] == "`":
            return self._until("`", start + 1)
        if text.startswith("$(", start):
            return self._until(")", start + 2)
        match = VARIABLE.match(text, start, self.end)
        if match is None:
            self.at += 1
            return "$", False
        self.at = match.end()
        fallback: str | None = match[2]
        value = self.variables.get(match[1] or match[3], fallback or "")
        known = (match[1] or match[3]) in self.variables or fallback is not None
        self.filled_in += len(value)
        known = known and self.filled_in <= MAX_FILLED_IN
        return (value, False) if known else (match.group(), True)

    def _until(self, closing: str, start: int) -> tuple[str, bool]:
        end = self.text.find(closing, start, self.end)
        self.at = self.end if end < 0 else end + 1
        return self.text[start - 1 : self.at], True
