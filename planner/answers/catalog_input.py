"""Accelerators and platforms as people and programs state them: checked field by field, then as whole records."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from planner.answers.catalog_fields import (
    ACCELERATOR_FIELDS,
    ACCELERATOR_FIGURES,
    DTYPES,
    HOST_PARTS,
    ID_FORM,
    LINKS,
    LIST_LIMIT,
    PCIE_FORM,
    PLATFORM_FIELDS,
    PLATFORM_FIGURES,
    TEXT_LIMIT,
    Field,
    stated_value,
)
from planner.answers.catalog_figures import read_figures
from planner.answers.catalog_statement import TEAM_WORD, Record, Statement, is_amount

BETWEEN = ("type", "domain_size")
# In our answers; may come back with them
ANSWERED = ("derived", "origin", "edited_fields", "retired", "revision", "created_at", "updated_at")
TAKEN = ("new", "bandwidth", "compare")  # addresses of pages beside those of records
LINK_PARTS = ("kind", "name", "domain_size", "bridge")


def read_accelerator(
    value: Any, *, base: Record, shipped: Record | None, words: Mapping[str, str]
) -> Statement:
    """An accelerator as stated. What is left out is as in `base`; `words`: source key -> text.

    A figure is {"value", "kind", "source"}; null takes the team's word back, or leaves an own record without it.
    """
    said = Statement(record={**base, "figures": dict(base["figures"])}, shipped=shipped, words=words)
    _object(said, value, [item.name for item in ACCELERATOR_FIELDS])
    if said.errors:
        return said
    _fields(said, value, ACCELERATOR_FIELDS)
    read_figures(said, value, ACCELERATOR_FIGURES)
    _source_of_names(said, value, base)
    twice = set(said.record["native_dtypes"]) & set(said.record["unknown_dtypes"])
    if twice and not said.errors:
        said.wrong("unknown_dtypes", "both", _("%s is native already.") % ", ".join(sorted(twice)))
    if shipped is None and not said.errors and not {"memory_gib", "memory_gb"} & set(said.record["figures"]):
        text = _(
            "Give the memory that the tool of the maker prints, or what is on the box: without it nothing fits."
        )
        said.wrong("figures.memory_gib", "missing", text)
    return said


def read_platform(value: Any, *, base: Record, shipped: Record | None, words: Mapping[str, str]) -> Statement:
    """A platform as stated; as for an accelerator. Whether its parts exist is checked when it is written."""
    said = Statement(record={**base, "figures": dict(base["figures"])}, shipped=shipped, words=words)
    _object(said, value, [item.name for item in PLATFORM_FIELDS])
    if said.errors:
        return said
    _fields(said, value, PLATFORM_FIELDS)
    read_figures(said, value, PLATFORM_FIGURES)
    if shipped is None:
        kept = list(base["sources"]) if not value.get("source") else []
        said.record["sources"] = kept or _cited(said, value)
    return said


def read_id(value: Any, said: Statement) -> str:
    """The id of a new record."""
    text = value.get("id") if isinstance(value, Mapping) else None
    if not isinstance(text, str) or not ID_FORM.fullmatch(text) or text in TAKEN:
        message = _("Small letters, digits, dots and hyphens, such as acme-x1-48gb; at most 100.")
        said.wrong("id", "malformed", message)
        return ""
    return text


def _object(said: Statement, value: Any, fields: Sequence[str]) -> None:
    if not isinstance(value, Mapping):
        said.wrong(None, "wrong_type", _("Send a JSON object."))
        return
    known = ("id", *fields, "figures", "source")
    for name in list(value)[:LIST_LIMIT]:
        if name not in known and name not in ANSWERED:
            text = _("No such field. Known here: %(known)s.") % {"known": ", ".join(known)}
            said.wrong(str(name)[:60], "unknown_field", text)
    if value.get("id") not in (None, said.record["id"]):
        said.wrong("id", "differs", _("An id stays as it is. Leave it out."))


def _fields(said: Statement, value: Record, fields: Sequence[Field]) -> None:
    for item in fields:
        if item.name in value:
            stated = value[item.name]
            if stated is None or stated == "":
                if item.required:
                    said.wrong(item.name, "missing", _("This field is required."))
                else:
                    _put(said, item.name, _blank(item))
            else:
                found = READERS[item.form](said, item, stated)
                if found is not None:
                    _put(said, item.name, found)
        elif item.required and not said.record.get(item.name):
            said.wrong(item.name, "missing", _("This field is required."))


def _blank(item: Field) -> Any:
    if item.form == "between":
        return dict.fromkeys(BETWEEN)
    if item.form == "host":
        return dict.fromkeys(HOST_PARTS)
    return list(item.blank) if isinstance(item.blank, tuple) else item.blank


def _put(said: Statement, name: str, value: Any) -> None:
    """A field into the record, nested where the record nests it. What is as it was keeps what nobody states of it."""
    record = said.record
    if name == "reported_names":
        record["names"] = {**record["names"], "reported": value}
    elif name not in record or not _same(stated_value(record, name), value):
        record[name] = {"kind": value} if name == "pcie" and value else value


def _same(now: Any, value: Any) -> bool:
    """Lists of dtypes are sets that keep the order in which they came."""
    if now and isinstance(now, list) and isinstance(now[0], str):
        return sorted(now) == sorted(value)
    return bool(now == value)


def _text(said: Statement, item: Field, value: Any, *, place: str = "") -> str | None:
    if not isinstance(value, str):
        said.wrong(place or item.name, "wrong_type", _("Expected text."))
        return None
    text = " ".join(value.split())
    if not text or len(text) > TEXT_LIMIT or not text.isprintable():
        said.wrong(place or item.name, "too_long", _("From 1 to %s printable characters.") % TEXT_LIMIT)
        return None
    return text


def _choice(said: Statement, item: Field, value: Any) -> str | None:
    if value in item.choices and isinstance(value, str):
        return value
    said.wrong(item.name, "unknown_choice", _("One of: %s.") % ", ".join(item.choices))
    return None


def _whole(said: Statement, item: Field, value: Any, *, place: str = "") -> int | None:
    number = int(value) if isinstance(value, float) and value.is_integer() else value
    if isinstance(number, bool) or not isinstance(number, int) or not item.low <= number <= item.high:
        text = _("A whole number from %(low)s to %(high)s.") % {"low": item.low, "high": item.high}
        said.wrong(place or item.name, "out_of_range", text)
        return None
    return number


def _flag(said: Statement, item: Field, value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    said.wrong(item.name, "wrong_type", _("true or false."))
    return None


def _list(said: Statement, item: Field, value: Any) -> list[Any] | None:
    if isinstance(value, list | tuple) and len(value) <= LIST_LIMIT:
        return list(value)
    said.wrong(item.name, "wrong_type", _("A list of up to %s entries.") % LIST_LIMIT)
    return None


def _choices(said: Statement, item: Field, value: Any) -> list[str] | None:
    found = _list(said, item, value)
    if found is None or not all(isinstance(name, str) and name in item.choices for name in found):
        said.wrong(item.name, "unknown_choice", _("Some of: %s.") % ", ".join(item.choices))
        return None
    return [name for name in DTYPES if name in found]


def _texts(said: Statement, item: Field, value: Any) -> list[str] | None:
    found = _list(said, item, value)
    if found is None:
        return None
    texts = [_text(said, item, entry) for entry in found]
    return None if None in texts else list(dict.fromkeys(text for text in texts if text))


def _numbers(said: Statement, item: Field, value: Any) -> list[float] | None:
    found = _list(said, item, value)
    if found is None:
        return None
    if all(is_amount(entry) for entry in found):
        return found
    said.wrong(item.name, "wrong_type", _("Numbers above zero."))
    return None


def _pcie(said: Statement, item: Field, value: Any) -> str | None:
    if isinstance(value, str) and PCIE_FORM.fullmatch(value):
        return value
    said.wrong(item.name, "malformed", _("Such as pcie4-x16: the generation and the lanes."))
    return None


def _parts_of(said: Statement, item: Field, value: Any, names: Sequence[str]) -> Mapping[str, Any] | None:
    if isinstance(value, Mapping) and set(value) <= set(names):
        return value
    said.wrong(item.name, "wrong_type", _("An object with %s.") % ", ".join(names))
    return None


def _link(said: Statement, item: Field, value: Any) -> dict[str, Any] | None:
    parts = _parts_of(said, item, value, LINK_PARTS)
    if parts is None:
        return None
    kind = parts.get("kind")
    if not isinstance(kind, str) or not kind or len(kind) > TEXT_LIMIT:
        said.wrong("link.kind", "unknown_choice", _("One of: %s.") % ", ".join(LINKS))
        return None
    now = said.record.get("link")
    if now and all(parts.get(name) == now.get(name) for name in LINK_PARTS):
        return dict(now)
    size = parts.get("domain_size")
    size_field = Field(name="link.domain_size", form="whole", low=1, high=100_000)
    bridge = parts.get("bridge") or False
    if not isinstance(bridge, bool):
        said.wrong("link.bridge", "wrong_type", _("true or false."))
    name = parts.get("name") or kind
    return {
        "kind": kind,
        "name": _text(said, item, name, place="link.name") or kind,
        "bridge": bool(bridge),
        "domain_size": None if size in (None, "") else _whole(said, size_field, size),
    }


def _carried(said: Statement, item: Field, value: Any) -> list[dict[str, Any]] | None:
    found = _list(said, item, value)
    if not found:
        said.wrong(item.name, "missing", _("At least one accelerator, as an id and a count."))
        return None
    count = Field(name=f"{item.name}.count", form="whole", low=1, high=100_000)
    parts = []
    for entry in found:
        if (
            not isinstance(entry, Mapping)
            or set(entry) != {"id", "count"}
            or not isinstance(entry["id"], str)
        ):
            said.wrong(item.name, "wrong_type", _("Each is an object with id and count."))
            return None
        number = _whole(said, count, entry["count"], place=item.name)
        if number is None:
            return None
        parts.append({"id": entry["id"][:TEXT_LIMIT], "count": number})
    if len({part["id"] for part in parts}) < len(parts):
        said.wrong(item.name, "twice", _("Name each accelerator once, with how many there are."))
        return None
    return parts


def _between(said: Statement, item: Field, value: Any) -> dict[str, Any] | None:
    parts = _parts_of(said, item, value, BETWEEN)
    if parts is None:
        return None
    size_field = Field(name="interconnect.domain_size", form="whole", low=1, high=100_000)
    kind, size = parts.get("type"), parts.get("domain_size")
    return {
        "type": _text(said, item, kind, place="interconnect.type") if kind else None,
        "domain_size": None if size in (None, "") else _whole(said, size_field, size),
    }


def _host(said: Statement, item: Field, value: Any) -> dict[str, Any] | None:
    names = tuple(dict.fromkeys((*HOST_PARTS, *said.record.get("host", {}))))
    parts = _parts_of(said, item, value, names)
    if parts is None:
        return None
    now = said.record.get("host", {})
    stated = {
        name: _text(said, item, text, place=f"host.{name}") if text else None for name, text in parts.items()
    }
    return {**now, **stated}


READERS: dict[str, Callable[[Statement, Field, Any], Any]] = {
    "text": _text,
    "choice": _choice,
    "whole": _whole,
    "flag": _flag,
    "choices": _choices,
    "texts": _texts,
    "numbers": _numbers,
    "pcie": _pcie,
    "link": _link,
    "parts": _carried,
    "between": _between,
    "host": _host,
}


def _source_of_names(said: Statement, value: Record, base: Record) -> None:
    """Names that the team states cite the team."""
    names = said.record["names"]
    if names["reported"] != base["names"]["reported"] or not names["sources"]:
        said.record["names"] = {**names, "sources": _cited(said, value)}


def _cited(said: Statement, value: Record) -> list[str]:
    """The source of what is no figure: the one that was given, else the team's word."""
    key = said.cite(value.get("source") or TEAM_WORD, "source")
    return [key] if key else []
