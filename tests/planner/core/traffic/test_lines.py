"""Bytes into lines: encodings, ends, and lines that never end."""

import pytest

from planner.core.traffic.lines import LineTooLongError, lines_of


def read(data: bytes, *, size: int = 7, limit: int = 1000) -> list[str]:
    return list(lines_of((data[at : at + size] for at in range(0, len(data), size)), limit=limit))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gbk", "gb18030", "utf-16"])
@pytest.mark.parametrize("size", [1, 2, 5, 1000])
def test_chinese_heads_are_read_in_every_encoding(encoding, size):
    text = "输入长度,输出长度\n812,190\n"
    assert read(text.encode(encoding), size=size) == ["输入长度,输出长度", "812,190"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_ends_of_lines_of_every_system(end):
    assert [line for line in read(f"a,b{end}1,2{end}3,4".encode(), size=1000) if line] == [
        "a,b",
        "1,2",
        "3,4",
    ]


def test_bytes_of_no_encoding_are_still_lines():
    assert read(b"a,b\n\xff\xfe\xfa,2\n")[0] == "a,b"


def test_line_without_an_end_is_refused_before_it_is_whole():
    def endless():
        while True:
            yield b"x" * 100

    with pytest.raises(LineTooLongError):
        list(lines_of(endless(), limit=1000))


def test_nothing_has_no_lines():
    assert read(b"") == []
