"""Figures as they are stated: a value, its kind and where it can be read."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from planner.answers.catalog_fields import KINDS, LIST_LIMIT, UNITS
from planner.answers.catalog_statement import Record, Statement, is_amount
from planner.queries.entries import in_words

ANSWERED = frozenset({"unit", "origin", "shipped"})  # in our answers; may come back with them
SPANS = ("max_power_w", "typical_power_w")  # may be given as two ends


def read_figures(said: Statement, value: Record, names: Sequence[str]) -> None:
    """Read `value["figures"]` into the record. Null takes the team's word back, or leaves an own record without it."""
    stated = value.get("figures", {})
    if not isinstance(stated, Mapping):
        said.wrong("figures", "wrong_type", _("An object of figures by their names."))
        return
    for name, figure in list(stated.items())[:LIST_LIMIT]:
        if name not in names and not _stands(said, name, figure):
            text = _("No such figure. Known here: %s.") % ", ".join(names)
            said.wrong(f"figures.{str(name)[:60]}", "unknown_field", text)
        elif name not in names:
            continue
        elif figure is None:
            said.record["figures"].pop(name, None)
            if under := _shipped(said, name):
                said.record["figures"][name] = under
        elif read := read_figure(said, name, figure):
            said.record["figures"][name] = read


def read_figure(said: Statement, name: str, figure: Any) -> Record | None:
    """One figure: the one that stands there or is shipped where nothing differs, else the team's with its source."""
    place = f"figures.{name}"
    if not isinstance(figure, Mapping) or set(figure) - ANSWERED != {"value", "kind", "source"}:
        said.wrong(place, "wrong_type", _("An object with value, kind and source."))
        return None
    value, kind = figure["value"], figure["kind"]
    text = " ".join(figure["source"].split()) if isinstance(figure["source"], str) else ""
    under = _shipped(said, name)
    for known in (under, said.record["figures"].get(name)):
        if known and (known["value"], known["kind"], in_words(known["sources"], said.words)) == (
            value,
            kind,
            text,
        ):
            return known
    if not _is_value(value, name):
        said.wrong(f"{place}.value", "wrong_type", _("A number above zero, in %s.") % UNITS[name])
        return None
    if not isinstance(kind, str) or kind not in KINDS:
        said.wrong(f"{place}.kind", "unknown_choice", _("One of: %s.") % ", ".join(KINDS))
    if under and value != under["value"] and text == in_words(under["sources"], said.words):
        message = _("The value is another than this source says. Say where the new one is from.")
        said.wrong(f"{place}.source", "source_unchanged", message)
        return None
    key = said.cite(text, f"{place}.source")
    return {"value": value, "kind": kind, "sources": [key]} if key else None


def _stands(said: Statement, name: Any, figure: Any) -> bool:
    """Whether a figure that nobody may state comes back as it was answered."""
    now = said.record["figures"].get(name)
    return bool(now) and isinstance(figure, Mapping) and figure.get("value") == now["value"]


def _shipped(said: Statement, name: str) -> Record | None:
    found: Record | None = (said.shipped or {}).get("figures", {}).get(name)
    return found


def _is_value(value: Any, name: str) -> bool:
    if name in SPANS and isinstance(value, list | tuple):
        return len(value) == 2 and all(is_amount(end) for end in value) and value[0] <= value[1]
    return is_amount(value)
