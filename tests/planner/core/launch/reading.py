"""Commands read back by the rules of shell, Compose and systemd, written apart from the code that makes them."""

import shlex
from typing import Any

import yaml

from planner.core.launch.flags import FlagTable, choices_at, find, kind_at, takes_value

HEREDOC = "<<'EOF'\n"


def without_file(text: str) -> str:
    """The command behind a file that is written first."""
    if HEREDOC not in text:
        return text
    return text.partition("\nEOF\n")[2]


def file_of(text: str) -> Any:
    """The YAML that a command writes before it starts, None where it writes none."""
    if HEREDOC not in text:
        return None
    return yaml.safe_load(text.partition(HEREDOC)[2].partition("\nEOF\n")[0])


def shell_words(text: str) -> list[str]:
    """The words of one command, as a POSIX shell splits them: a backslash at the end of a line joins it to the next."""
    return shlex.split(without_file(text).replace("\\\n", ""))


def systemd_words(unit: str) -> list[str]:
    """The words of ExecStart by systemd.service(5): lines joined at a backslash, double quotes, %% and $$ undone."""
    joined = unit.replace("\\\n", " ")
    [line] = [line for line in joined.splitlines() if line.startswith("ExecStart=")]
    words, word, quoted, escaped, open_word = [], "", False, False, False
    for letter in line.removeprefix("ExecStart="):
        if escaped:
            word, escaped = word + letter, False
        elif letter == "\\":
            escaped = True
        elif letter == '"':
            quoted, open_word = not quoted, True
        elif letter == " " and not quoted:
            if word or open_word:
                words.append(word)
            word, open_word = "", False
        else:
            word += letter
    words += [word] if word or open_word else []
    assert not quoted
    return [word.replace("%%", "%").replace("$$", "$") for word in words]


def compose_words(text: str) -> tuple[dict[str, Any], list[str]]:
    """(the one service, its command) of a Compose file; $$ stands for $."""
    [service] = yaml.safe_load(text)["services"].values()
    return service, [word.replace("$$", "$") for word in service["command"]]


def faults(found: FlagTable, words: list[str], version: str) -> list[str]:
    """What a parser of this version would refuse in the words behind program and model."""
    wrong, place = [], 0
    while place < len(words):
        word = words[place]
        read = find(found, word, version)
        if read.how not in {"exact", "alias"} or read.status is None or not read.status.usable:
            wrong.append(f"{word}: {read.how}")
            place += 1
            continue
        kind = kind_at(read.flag, version)
        if kind == "true_false" or not takes_value(kind):
            place += 1
            continue
        value = words[place + 1]
        choices = choices_at(found, read.flag, version)
        if choices is not None and value not in choices.allowed:
            wrong.append(f"{word} {value}: not a choice")
        if kind == "integer":
            int(value)
        if kind == "number":
            float(value)
        place += 2
    return wrong
