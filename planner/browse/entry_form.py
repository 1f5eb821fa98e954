"""The form of a record: from a record or from what was typed to inputs, and from what was typed to a statement."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _

from planner.answers.catalog import Stated, shown_figures
from planner.answers.catalog_fields import HOST_PARTS, KINDS, LINKS, UNITS, Field, stated_value
from planner.messages.catalog import CLASSES, FIELDS, FIGURE_KINDS, FIGURES, HINTS
from planner.messages.catalog import HOST_PARTS as HOST_WORDS
from planner.models import CatalogEntry

MAX_TYPED = 4_000
PART = re.compile(r"(\d{1,6})\s*[x×*]?\s+(\S{1,100})|(\d{1,6})\s*[x×*]\s*(\S{1,100})")
LINK_INPUTS = ("link.kind", "link.name", "link.domain_size", "link.bridge")
BETWEEN_INPUTS = ("interconnect.type", "interconnect.domain_size")
Typed = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """One input. form: text | area | select | check | checks. `chosen` are the values of a choice of several."""

    name: str
    label: Any
    form: str
    value: str = ""
    options: Sequence[tuple[str, Any]] = ()
    chosen: Sequence[str] = ()
    hint: Any = ""
    error: str = ""
    required: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureInput:
    """Value, kind and source of one figure. `shipped`: what counts where the value is left blank."""

    name: str
    label: Any
    unit: str
    value: str
    kind: str
    source: str
    shipped: str
    errors: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryForm:
    """The context of templates/planner/browse/_entry_form.html."""

    inputs: Sequence[Input]
    figures: Sequence[FigureInput]
    kinds: Sequence[tuple[str, Any]]
    loose: Sequence[str]  # what is wrong with no input in particular
    wrong: int


def statement_of(post: QueryDict, kind: Stated, figures: Sequence[str]) -> dict[str, Any]:
    """What was typed, as the API takes it. What cannot be read as a number stays text, and is refused as such."""
    said: dict[str, Any] = {item.name: _typed(post, item) for item in kind.fields}
    said["figures"] = {name: _typed_figure(post, name) for name in figures}
    if source := _text(post, "source"):
        said["source"] = source
    return said


def _text(post: QueryDict, name: str) -> str | None:
    return post.get(name, "")[:MAX_TYPED].strip() or None


def _lines(post: QueryDict, name: str) -> list[str]:
    return [line.strip() for line in post.get(name, "")[:MAX_TYPED].splitlines() if line.strip()]


def typed_number(text: str | None) -> Any:
    """A number where it is one: 1,008 and 1008.5 are; 2500-3000 is two ends."""
    if text is None:
        return None
    plain = text.replace(",", "").replace("\u00a0", "").replace(" ", "").replace("–", "-")
    ends = plain.split("-")
    if len(ends) > 2 or not all(re.fullmatch(r"\d{1,15}(\.\d{1,9})?", end) for end in ends):
        return text
    values = [int(number) if number.is_integer() else number for number in map(float, ends)]
    return values if len(values) == 2 else values[0]


def _typed(post: QueryDict, item: Field) -> Any:
    name = item.name
    if item.form == "flag":
        return {"": item.blank, "yes": True, "no": False}.get(post.get(name, ""), item.blank)
    if item.form == "choices":
        return post.getlist(name)
    if item.form == "texts":
        return _lines(post, name)
    if item.form == "numbers":
        return [typed_number(line) for line in _lines(post, name)]
    if item.form == "whole":
        return typed_number(_text(post, name))
    if item.form == "link":
        return _typed_link(post)
    if item.form == "between":
        return {
            "type": _text(post, BETWEEN_INPUTS[0]),
            "domain_size": typed_number(_text(post, BETWEEN_INPUTS[1])),
        }
    if item.form == "host":
        return {part: _text(post, f"host.{part}") for part in HOST_PARTS}
    if item.form == "parts":
        return [_part(line) for line in _lines(post, name)]
    return _text(post, name)


def _typed_link(post: QueryDict) -> dict[str, Any] | None:
    kind, name, size, bridge = LINK_INPUTS
    if _text(post, kind) is None:
        return None
    return {
        "kind": _text(post, kind),
        "name": _text(post, name),
        "domain_size": typed_number(_text(post, size)),
        "bridge": bool(_text(post, bridge)),
    }


def _part(line: str) -> Any:
    """8 nvidia-l4 or 8 x nvidia-l4; anything else is refused as it stands."""
    found = PART.fullmatch(line)
    if found is None:
        return line
    count, key = (found[1], found[2]) if found[1] else (found[3], found[4])
    return {"id": key, "count": int(count)}


def _typed_figure(post: QueryDict, name: str) -> dict[str, Any] | None:
    value = _text(post, f"figures.{name}.value")
    if value is None:
        return None
    return {
        "value": typed_number(value),
        "kind": _text(post, f"figures.{name}.kind"),
        "source": _text(post, f"figures.{name}.source"),
    }


def entry_form(
    kind: Stated,
    figures: Sequence[str],
    *,
    entry: CatalogEntry | None,
    words: Mapping[str, str],
    post: QueryDict | None = None,
    errors: Sequence[Mapping[str, Any]] = (),
) -> EntryForm:
    """The inputs, filled with what was typed, else with the record as it counts; errors beside what they are about."""
    found = {str(error["field"]): str(error["message"]) for error in reversed(errors)}
    record = entry.record if entry else kind.blank("")
    inputs = [] if entry else [_input("id", "text", post.get("id", "") if post else "", found, required=True)]
    for item in kind.fields:
        inputs += _inputs(item, record, post, found)
    if entry is None:
        inputs.append(_input("source", "text", post.get("source", "") if post else "", found))
    shown = shown_figures(entry, words) if entry else {}
    rows = [_figure(name, shown.get(name), post, found) for name in figures]
    named = {item.name for item in inputs} | {
        f"figures.{name}{part}" for name in figures for part in ("", ".value", ".kind", ".source")
    }
    return EntryForm(
        inputs=inputs,
        figures=rows,
        kinds=[(name, FIGURE_KINDS[name]) for name in KINDS],
        loose=[
            f"{field}: {text}" if field != "None" else text
            for field, text in found.items()
            if field not in named
        ],
        wrong=len(found),
    )


def _input(
    name: str,
    form: str,
    value: str,
    errors: Mapping[str, str],
    *,
    label: Any = None,
    options: Sequence[tuple[str, Any]] = (),
    chosen: Sequence[str] = (),
    required: bool = False,
) -> Input:
    return Input(
        name=name,
        label=FIELDS.get(name, name) if label is None else label,
        form=form,
        value=value,
        options=options,
        chosen=chosen,
        hint=HINTS.get(name, ""),
        error=errors.get(name, ""),
        required=required,
    )


def _kept(post: QueryDict | None, name: str, text: str) -> str:
    """What was typed into an input; `text` where nothing was sent yet."""
    return text if post is None else str(post.get(name, ""))


def _inputs(item: Field, record: Typed, post: QueryDict | None, errors: Mapping[str, str]) -> list[Input]:
    """The inputs of one field: a link has four, a host one for each part."""
    now = stated_value(record, item.name)
    typed = partial(_kept, post)
    name = item.name
    if item.form == "choice":
        options = [(word, CLASSES[word]) for word in item.choices]
        return [
            _input(name, "select", typed(name, now or ""), errors, options=options, required=item.required)
        ]
    if item.form == "flag":
        options = [("yes", _("yes")), ("no", _("no"))]
        if item.blank is None:
            options = [("", _("nobody says")), *options]
        return [
            _input(
                name, "select", typed(name, {True: "yes", False: "no"}.get(now, "")), errors, options=options
            )
        ]
    if item.form == "choices":
        chosen = post.getlist(name) if post is not None else list(now or ())
        return [
            _input(name, "checks", "", errors, options=[(word, word) for word in item.choices], chosen=chosen)
        ]
    if item.form in ("texts", "numbers"):
        return [_input(name, "area", typed(name, "\n".join(_plain(entry) for entry in now or ())), errors)]
    if item.form == "parts":
        lines = "\n".join(f"{part['count']} {part['id']}" for part in now or ())
        return [_input(name, "area", typed(name, lines), errors, required=True)]
    if item.form == "link":
        return _link_inputs(now or {}, typed, errors)
    if item.form == "between":
        kind, size = BETWEEN_INPUTS
        between = now or {}
        return [
            _input(
                kind, "text", typed(kind, between.get("type") or ""), errors, label=FIELDS["interconnect"]
            ),
            _input(
                size,
                "text",
                typed(size, _plain(between.get("domain_size"))),
                errors,
                label=_("Linked together"),
            ),
        ]
    if item.form == "host":
        return [
            _input(
                f"host.{part}",
                "text",
                typed(f"host.{part}", (now or {}).get(part) or ""),
                errors,
                label=_("Host: %s") % HOST_WORDS[part],
            )
            for part in HOST_PARTS
        ]
    return [_input(name, "text", typed(name, _plain(now)), errors, required=item.required)]


def _link_inputs(now: Mapping[str, Any], typed: Any, errors: Mapping[str, str]) -> list[Input]:
    kind, name, size, bridge = LINK_INPUTS
    known = [now["kind"]] if now.get("kind") and now["kind"] not in LINKS else []
    options = [("", _("none")), *((word, word) for word in (*known, *LINKS))]
    chosen = typed(bridge, "yes" if now.get("bridge") else "")
    return [
        _input(
            kind, "select", typed(kind, now.get("kind") or ""), errors, label=FIELDS["link"], options=options
        ),
        _input(name, "text", typed(name, now.get("name") or ""), errors, label=_("Name of the link")),
        _input(size, "text", typed(size, _plain(now.get("domain_size"))), errors, label=_("Linked together")),
        _input(bridge, "check", chosen, errors, label=_("By a bridge between cards")),
    ]


def _plain(value: Any) -> str:
    """A value as it is typed."""
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return "-".join(_plain(end) for end in value)
    return f"{value:.10g}" if isinstance(value, int | float) else str(value)


def _figure(
    name: str, shown: Mapping[str, Any] | None, post: QueryDict | None, errors: Mapping[str, str]
) -> FigureInput:
    place = f"figures.{name}"
    under = (shown or {}).get("shipped")
    if shown and shown["origin"] == "shipped":
        under = shown
    parts = ("value", "kind", "source")
    if post is not None:
        value, kind, source = (post.get(f"{place}.{part}", "") for part in parts)
    else:
        value, kind, source = (_plain((shown or {}).get(part)) for part in parts)
    return FigureInput(
        name=name,
        label=FIGURES[name],
        unit=UNITS[name],
        value=value,
        kind=kind,
        source=source,
        shipped=f"{_plain(under['value'])} {UNITS[name]}" if under else "",
        errors=[
            errors[field] for field in (place, *(f"{place}.{part}" for part in parts)) if field in errors
        ],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Differing:
    """A field that somebody else left otherwise than it was typed here."""

    label: Any
    theirs: str
    typed: str


def differing(said: Typed, current: CatalogEntry, kind: Stated, words: Mapping[str, str]) -> list[Differing]:
    """Where what was typed differs from what stands there now."""
    record, shown = current.record, shown_figures(current, words)
    rows = []
    for item in kind.fields:
        theirs, typed = stated_value(record, item.name), said.get(item.name)
        if (theirs or None) != (typed or None):
            rows.append(Differing(label=FIELDS[item.name], theirs=_said(theirs), typed=_said(typed)))
    for name, figure in said["figures"].items():
        theirs = shown.get(name)
        if figure is None and (theirs is None or theirs["origin"] == "shipped"):
            continue
        if figure is None or theirs is None or any(figure[part] != theirs[part] for part in figure):
            rows.append(Differing(label=FIGURES[name], theirs=_said(theirs), typed=_said(figure)))
    return rows


def stated_instead(entry: CatalogEntry, kind: Stated) -> list[Differing]:
    """What of a shipped record that is no figure the team states otherwise; `theirs` is what is shipped."""
    shipped, record = entry.shipped or {}, entry.record
    pairs = [
        (item, stated_value(shipped, item.name), stated_value(record, item.name)) for item in kind.fields
    ]
    return [
        Differing(label=FIELDS[item.name], theirs=_said(under), typed=_said(over))
        for item, under, over in pairs
        if under != over
    ]


def _said(value: Any) -> str:
    if value in (None, "", [], {}):
        return "–"
    if isinstance(value, Mapping) and "value" in value:
        kind = str(FIGURE_KINDS.get(str(value["kind"]), value["kind"]))
        return f"{_plain(value['value'])} ({kind}; {value['source']})"
    if isinstance(value, Mapping):
        return ", ".join(f"{part} {_said(entry)}" for part, entry in value.items())
    if isinstance(value, list | tuple):
        return "; ".join(_said(entry) for entry in value)
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return _plain(value)
