"""Quotes as programs and files give them: checked by the same form as the page's."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from planner.core.specs import Catalog
from planner.forms.quotes import QuoteForm
from planner.models import Quote
from planner.queries.quotes import quote_values, state_of

DEFAULTS: dict[str, Any] = {
    "subject_kind": Quote.Subject.ACCELERATOR,
    "offer": Quote.Offer.PURCHASE,
    "minimum_quantity": 1,
}
FIELDS = tuple(QuoteForm.Meta.fields)
NUMBERS = frozenset({"unit_price", "minimum_quantity"})
ERRORS_SHOWN = 50


def check_quote(
    value: Any, catalog: Catalog, *, prefix: str = "", instance: Quote | None = None
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """(clean values, errors) of one quote; errors are {field, code, message}, their fields behind `prefix`.

    With `instance` only what differs need be given.
    """
    if not isinstance(value, Mapping):
        return {}, [_error(prefix or None, "wrong_type", _("A quote is a JSON object."))]
    errors = _shape(value, prefix)
    if errors:
        return {}, errors
    base = quote_values(instance) if instance is not None else DEFAULTS
    data = {**base, **{name: item for name, item in value.items() if item is not None}}
    for name in ("valid_until", "note"):
        if name in value and value[name] is None:
            data[name] = ""
    form = QuoteForm(catalog, {name: item if item is not None else "" for name, item in data.items()})
    if form.is_valid():
        return form.cleaned_data, []
    return {}, [
        _error(_join(prefix, "" if name == "__all__" else name), item["code"] or "invalid", item["message"])
        for name, items in form.errors.get_json_data().items()
        for item in items
    ]


def _shape(value: Mapping[str, Any], prefix: str) -> list[dict[str, Any]]:
    """Unknown fields, and values that are neither text nor number: a form would make text of anything."""
    errors = []
    for name, item in list(value.items())[:ERRORS_SHOWN]:
        place = _join(prefix, str(name)[:60])
        if name not in FIELDS:
            known = ", ".join(FIELDS)
            errors.append(
                _error(place, "unknown_field", _("No such field. Known here: %(known)s.") % {"known": known})
            )
        elif isinstance(item, bool) or not isinstance(item, str | int | float | None):
            errors.append(_error(place, "wrong_type", _("Expected text or a number.")))
        elif name not in NUMBERS and isinstance(item, int | float):
            errors.append(_error(place, "wrong_type", _("Expected text.")))
    return errors


def check_quotes(
    values: Sequence[Any], catalog: Catalog
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """(clean rows, errors) of many quotes, errors with the place of the row before the field."""
    rows, errors = [], []
    for place, value in enumerate(values):
        clean, found = check_quote(value, catalog, prefix=str(place))
        rows.append(clean)
        errors += found
        if len(errors) >= ERRORS_SHOWN:
            break
    return rows, errors[:ERRORS_SHOWN]


def shown(quote: Quote, *, on: Any) -> dict[str, Any]:
    """A quote as JSON."""
    return {
        "uid": quote.uid,
        **quote_values(quote),
        "state": state_of(quote, on=on),
        "revision": quote.revision,
        "created_at": quote.created_at.isoformat(),
        "created_by": quote.created_by.username if quote.created_by else None,
    }


def _join(prefix: str, name: str) -> str | None:
    return ".".join(part for part in (prefix, name) if part) or None


def _error(field: str | None, code: str, message: str) -> dict[str, Any]:
    return {"field": field, "code": code, "message": str(message)}
