"""Inputs of a form whose address is its state: short keys in, typed values at dotted paths out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

MAX_TYPED_CHARS = 400
FLAG_OFF = frozenset({"0", "false", "no", "off"})  # as people write it into a link by hand


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """One input: its key in the address, where it goes in a request, and what the worked example says.

    `used_when` names the switch that this input depends on, and the switch's value with which it counts.
    """

    key: str
    path: str = ""  # a switch has none
    default: str = ""
    kind: str = "text"  # text | number | flag | switch | carried (in the address, never in a request)
    used_when: tuple[str, str] | None = None
    options: tuple[str, ...] = ()  # of a switch; the first is the default


def read_input(item: Input, given: Mapping[str, str]) -> str:
    """The text of one input: its default where the key is absent, nothing where it is blank."""
    text = given.get(item.key, item.default).strip()[:MAX_TYPED_CHARS]
    if item.kind == "switch":
        return text if text in item.options else item.options[0]
    if item.kind == "carried":
        return text if text.isascii() and text.isalnum() else ""
    return "" if item.kind == "flag" and text.lower() in FLAG_OFF else text


def counts(item: Input, values: Mapping[str, str]) -> bool:
    """Whether the switches leave this input its meaning."""
    return item.used_when is None or values[item.used_when[0]] == item.used_when[1]


def typed(item: Input, text: str) -> Any:
    """The value that a request holds for this text; None where it holds none."""
    if item.kind in ("switch", "carried"):
        return None
    if item.kind == "flag":
        return True if text else None
    if not text:
        return None
    return number(text) if item.kind == "number" else text


def number(text: str) -> Any:
    """A number as people type it (1,024 or 1 024); other text stays text, so that the core can refuse it."""
    plain = (
        text.replace(",", "").replace("\u202f", "").replace("\u00a0", "").replace(" ", "").replace("_", "")
    )
    try:
        return int(plain)
    except ValueError:
        pass
    try:
        return float(plain)
    except ValueError:
        return text


def put(request: dict[str, Any], path: str, value: Any) -> None:
    """Set the value at a dotted path, making what lies on the way."""
    head, _, tail = path.partition(".")
    if tail:
        put(request.setdefault(head, {}), tail, value)
    else:
        request[head] = value


def flat(partial: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted path and value of every leaf of a partial request."""
    for key, value in partial.items():
        path = f"{prefix}.{key}" if prefix else key
        if isinstance(value, Mapping):
            yield from flat(value, path)
        else:
            yield path, value


def text_of(value: Any) -> str:
    """A value of a request as its input shows it."""
    if value is None or value is False:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "1" if value is True else str(value)


def positive(value: Any) -> bool:
    """Whether this is a whole number above zero."""
    return isinstance(value, int) and value > 0
