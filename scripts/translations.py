"""Holds the Chinese texts against the code: none missing, none left over, each with the same placeholders.

python -m scripts.translations            says what is wrong; exit 1 if anything is
python -m scripts.translations --update   adds new texts to the file, empty, and takes out those nobody uses
"""

import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parent.parent
PO_FILE = ROOT / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po"
PACKAGES = ("access", "config", "fleet", "ops", "planner")
KEYWORDS: dict[str, tuple[int | tuple[int, str], ...] | None] = {
    "_": None,
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "pgettext": ((1, "c"), 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
}
PLACEHOLDER = re.compile(r"%\([a-z_]+\)s|%s|%d|%%|\{[a-z_]*(?:![rs])?(?::[^}]*)?\}")
WIDTH = 100


def main(arguments: list[str]) -> int:
    """Check, or update with --update; returns the exit code."""
    written = read_texts(PO_FILE)
    used = texts_of_the_code(ROOT)
    if arguments == ["--update"]:
        save(merged(written, used), PO_FILE)
        return 0
    found = [*problems(written, used)]
    for line in found:
        print(line)
    print(f"{len(list(used))} texts, {len(found)} problems")
    return 1 if found else 0


def problems(written: Catalog, used: Catalog) -> Iterator[str]:
    """One line for each text that is missing, fuzzy, left over, or lost a placeholder on the way."""
    for message in _texts(used):
        known = written.get(message.id, message.context)
        if known is None or not all(_strings(known)):
            yield f"missing: {_place(message)}: {_first(message)!r}"
        elif known.fuzzy:
            yield f"fuzzy: {_place(message)}: {_first(message)!r}"
        else:
            for text in _strings(known):
                if _placeholders(text) != _placeholders(_last(message)):
                    yield f"placeholders: {_place(message)}: {_last(message)!r} is {text!r}"
    for message, errors in written.check():
        yield from (f"format: {_first(message)!r}: {error}" for error in errors)
    for message in _texts(written):
        if used.get(message.id, message.context) is None:
            yield f"unused: {_first(message)!r}"


def texts_of_the_code(root: Path) -> Catalog:
    """Every text marked for translation in Python and in templates."""
    catalog = Catalog()
    for path in _sources(root):
        for line, message, _comments, context in extract(
            "python", io.BytesIO(_source(path).encode()), keywords=KEYWORDS
        ):
            catalog.add(message, locations=[(path.relative_to(root).as_posix(), line)], context=context)
    return catalog


def merged(written: Catalog, used: Catalog) -> Catalog:
    """The texts in use, with the translations that exist."""
    catalog = Catalog(locale="zh_Hans", project="Decodeck", fuzzy=False, charset="utf-8")
    for message in sorted(_texts(used), key=lambda item: (item.locations[0][0], item.locations[0][1])):
        known = written.get(message.id, message.context)
        catalog.add(
            message.id,
            known.string if known and _is_plural(known) == _is_plural(message) else None,
            locations=sorted({(name, 0) for name, _line in message.locations}),
            context=message.context,
        )
    return catalog


def read_texts(path: Path) -> Catalog:
    """The translations as they stand; an empty catalog when there is no file yet."""
    if not path.exists():
        return Catalog(locale="zh_Hans")
    with path.open("rb") as file:
        return read_po(file, locale="zh_Hans")


def save(catalog: Catalog, path: Path) -> None:
    """Write a file that changes only where texts change: no dates, no line numbers."""
    buffer = io.BytesIO()
    write_po(buffer, catalog, width=WIDTH, include_lineno=False, omit_header=True)
    header = (
        'msgid ""\nmsgstr ""\n"Language: zh_Hans\\n"\n"MIME-Version: 1.0\\n"\n'
        '"Content-Type: text/plain; charset=utf-8\\n"\n"Content-Transfer-Encoding: 8bit\\n"\n'
        '"Plural-Forms: nplurals=1; plural=0;\\n"\n\n'
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(header + buffer.getvalue().decode().lstrip("\n"), encoding="utf-8")


def _sources(root: Path) -> Iterator[Path]:
    for package in PACKAGES:
        yield from (path for path in sorted((root / package).rglob("*.py")) if "migrations" not in path.parts)
    yield from sorted((root / "templates").rglob("*.html"))


def _source(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return text
    # What is left around the calls is filler; without indentation the tokenizer takes it for names.
    return "\n".join(line.strip() for line in templatize(text, origin=str(path)).splitlines())


def _texts(catalog: Catalog) -> list[Message]:
    return [message for message in catalog if message.id]


def _strings(message: Message) -> tuple[str, ...]:
    return (message.string,) if isinstance(message.string, str) else tuple(message.string or ("",))


def _is_plural(message: Message) -> bool:
    """A text that became plural, or ceased to be, has no translation yet."""
    return not isinstance(message.id, str)


def _first(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def _last(message: Message) -> str:
    """The plural where there is one: it has all placeholders."""
    return message.id if isinstance(message.id, str) else message.id[-1]


def _place(message: Message) -> str:
    name, line = message.locations[0]
    return f"{name}:{line}"


def _placeholders(text: str) -> list[str]:
    return sorted(PLACEHOLDER.findall(text))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
