"""JSON from strangers: the standard and nothing beyond it, in UTF-8."""

from typing import Any

import pytest

from access.strict_json import NotJsonError, TooDeepError, loads


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b'{"a": 1}', {"a": 1}),
        (b'\xef\xbb\xbf{"a": 1}', {"a": 1}),
        ('"你好"'.encode(), "你好"),
        (r'"\ud83d\ude00"', "😀"),
        (r'"\\ud800"', r"\ud800"),
        ("-0", 0),
    ],
)
def test_json_is_read(text: bytes | str, value: Any) -> None:
    assert loads(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "{",
        "nul",
        "NaN",
        "[Infinity]",
        "[-Infinity]",
        "9" * 10_000,
        "{'a': 1}",
        '{"a": 1,}',
        '"\n"',
        r'"\ud800"',
        r'{"\uDFFF": 1}',
        b'"\xff"',
        '{"a": 1}'.encode("utf-16"),
        b"\x00",
    ],
)
def test_text_that_is_not_json_is_refused(text: bytes | str) -> None:
    with pytest.raises(NotJsonError):
        loads(text)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000])
def test_endless_nesting_is_refused(text: str) -> None:
    with pytest.raises(TooDeepError):
        loads(text)


def test_field_that_stands_twice_is_refused_where_it_must_not() -> None:
    text = '[{"a": 1, "b": {"a": 2}}, {"b": 1, "a": 2, "b": 3}]'
    assert loads(text) == [{"a": 1, "b": {"a": 2}}, {"b": 3, "a": 2}]
    with pytest.raises(NotJsonError, match="'b' stands twice in one object"):
        loads(text, unique=True)
    assert loads('[{"a": {"a": 1}}, {"a": 2}]', unique=True) == [{"a": {"a": 1}}, {"a": 2}]
