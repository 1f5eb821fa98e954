"""A pasted text as it should have been typed: what web pages, documents and Windows put into commands."""

import re

from planner.core.check.found import Finding

# What word processors and web pages make of quotes, dashes and spaces.
DOUBLE, SINGLE = "“”„«»″", "‘’‚′"
TO_QUOTES = str.maketrans(DOUBLE + SINGLE, '"' * len(DOUBLE) + "'" * len(SINGLE))
BLANKS, INVISIBLE = "\u00a0\u202f\u2007\u3000\u2009", "\u200b\u200c\u200d\u2060\ufeff\u00ad"
TO_SPACES = str.maketrans(BLANKS, " " * len(BLANKS), INVISIBLE)
ANY_QUOTE = re.compile(f"[{DOUBLE}{SINGLE}]")
SHOWN = 60
PROMPT = re.compile(r"^[ \t]*(?:\$|!|PS>|PS [A-Z]:[^>\n]*>|[A-Z]:\\[^>\n]*>)[ \t]+|^!(?=[a-z])", re.MULTILINE)
FENCE = re.compile(r"^[ \t]*```.*$\n?", re.MULTILINE)
# A dash that starts a word is a flag; elsewhere it is text.
LONG_DASH = re.compile(r"(?<!\S)[–—―]-?(?=[A-Za-z]{2})")
SHORT_DASH = re.compile(r"(?<!\S)[–—―−‐‑]{1,2}(?=[A-Za-z])")
BLANK_AFTER_BACKSLASH = re.compile(r"\\[ \t]+\n")
WINDOWS_CONTINUATION = re.compile(r"(?<=\s)[\^`][ \t]*\n")


def typed_text(pasted: str) -> tuple[str, list[Finding]]:
    """The text with what cannot have been meant put right, and a finding for each kind a shell stumbles over."""
    text = pasted.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "").removeprefix("\ufeff")
    text = FENCE.sub("", text)
    text = PROMPT.sub("", text)
    text = WINDOWS_CONTINUATION.sub(r"\\\n", text)
    findings: list[Finding] = []
    for code, change in (
        ("typographic_quotes", _quotes),
        ("typographic_dash", _dashes),
        ("typographic_space", _spaces),
        ("blank_after_backslash", _backslashes),
    ):
        changed, flag, fix = change(text)
        if changed != text:
            findings.append(Finding(code=code, flag=flag, fix=fix))
            text = changed
    return text, findings


def _quotes(text: str) -> tuple[str, str, str]:
    piece = _around(text, ANY_QUOTE.search(text))
    return text.translate(TO_QUOTES), piece, piece.translate(TO_QUOTES)


def _dashes(text: str) -> tuple[str, str, str]:
    piece = _around(text, SHORT_DASH.search(text))
    return _dashed(text), piece, _dashed(piece)


def _around(text: str, found: re.Match[str] | None) -> str:
    """The word in which something was found, as far as it is short."""
    if found is None:
        return ""
    before = text[max(0, found.start() - SHOWN) : found.start()].split()
    begins = found.start() > 0 and not text[found.start() - 1].isspace()
    after = text[found.start() : found.start() + SHOWN].split(maxsplit=1)
    return (before[-1] if before and begins else "") + (after[0] if after else "")


def _dashed(text: str) -> str:
    return SHORT_DASH.sub(lambda found: "-" * len(found.group()), LONG_DASH.sub("--", text))


def _spaces(text: str) -> tuple[str, str, str]:
    return text.translate(TO_SPACES), "␣", " "


def _backslashes(text: str) -> tuple[str, str, str]:
    return BLANK_AFTER_BACKSLASH.sub(r"\\\n", text), "\\", "\\"
