"""Bytes of a file into its lines, a bounded piece at a time: nothing makes a line longer than its limit."""

import codecs
from collections.abc import Iterable, Iterator

WIDE_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
MARK = b"\xef\xbb\xbf"
# In the order of trying: what spreadsheets in China write, and one that takes every byte
OTHER_ENCODINGS = ("gb18030", "latin-1")


class LineTooLongError(Exception):
    """A line without an end in sight."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"a line is longer than {limit} bytes")
        self.limit = limit


def lines_of(chunks: Iterable[bytes], *, limit: int) -> Iterator[str]:
    """Lines without their ends, from bytes in UTF-8, UTF-16 with its mark, or GB 18030.

    Encodings are tried line by line: figures are the same in all of them. Raises LineTooLongError.
    """
    for number, line in enumerate(_byte_lines(_narrowed(chunks), limit)):
        yield _decoded(line.removeprefix(MARK) if number == 0 else line)


def _narrowed(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes, those of UTF-16 as UTF-8."""
    decoder = None
    for number, chunk in enumerate(_marked(chunks)):
        if number == 0 and (wide := WIDE_MARKS.get(chunk[:2])):
            decoder = codecs.getincrementaldecoder(wide)(errors="replace")
            yield decoder.decode(chunk[2:]).encode()
        else:
            yield chunk if decoder is None else decoder.decode(chunk).encode()


def _marked(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes, the first piece long enough to hold a mark."""
    iterator = iter(chunks)
    first = b""
    for chunk in iterator:
        first += chunk
        if len(first) >= len(MARK):
            break
    yield first
    yield from iterator


def _byte_lines(chunks: Iterable[bytes], limit: int) -> Iterator[bytes]:
    rest = b""
    end = b""
    for chunk in chunks:
        rest += chunk
        # Old Macintosh programs end lines with a carriage return alone
        end = end or (b"\r" if b"\r" in rest and b"\n" not in rest and not rest.endswith(b"\r") else b"\n")
        *whole, rest = rest.split(end)
        for line in whole:
            if len(line) > limit:
                raise LineTooLongError(limit)
            yield line
        if len(rest) > limit:
            raise LineTooLongError(limit)
    if rest:
        yield rest


def _decoded(line: bytes) -> str:
    try:
        return line.decode().rstrip("\r")
    except UnicodeDecodeError:
        pass
    for encoding in OTHER_ENCODINGS:
        try:
            return line.decode(encoding).rstrip("\r")
        except UnicodeDecodeError:
            continue
    raise AssertionError("latin-1 takes every byte")
