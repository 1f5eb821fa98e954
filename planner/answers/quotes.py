"""Quotes as programs and files give them: checked by the fields and rules of the page's form."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from planner.clock import today
from planner.core.specs import Catalog
from planner.forms.quotes import QuoteForm, quote_faults
from planner.models import Quote
from planner.queries.quotes import identity_of, quote_values, state_of

DEFAULTS: dict[str, Any] = {
    "subject_kind": Quote.Subject.ACCELERATOR,
    "offer": Quote.Offer.PURCHASE,
    "minimum_quantity": 1,
}
FIELDS = tuple(QuoteForm.Meta.fields)
NUMBERS = frozenset({"unit_price", "minimum_quantity"})
ERRORS_SHOWN = 50
Values = dict[str, Any]
Error = dict[str, Any]


class QuoteChecker:
    """Checks quotes one after the other: the fields are made once, as a form for each of thousands would take long."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.fields = QuoteForm(catalog).fields
        self.on = today()

    def check(
        self, value: Any, *, prefix: str = "", instance: Quote | None = None
    ) -> tuple[Values, list[Error]]:
        """(clean values, errors) of one quote; errors are {field, code, message}, their fields behind `prefix`.

        With `instance` only what differs need be given.
        """
        if not isinstance(value, Mapping):
            return {}, [_error(prefix or None, "wrong_type", _("A quote is a JSON object."))]
        errors = _shape(value, prefix)
        if errors:
            return {}, errors
        base = quote_values(instance) if instance is not None else DEFAULTS
        clean, errors = self._clean({**base, **_given(value)}, prefix)
        faults = quote_faults(clean, self.catalog, on=self.on)
        errors += [_error(_join(prefix, name), "invalid", message) for name, message in faults]
        return (clean, []) if not errors else ({}, errors)

    def _clean(self, data: Mapping[str, Any], prefix: str) -> tuple[Values, list[Error]]:
        clean: Values = {}
        errors: list[Error] = []
        for name, field in self.fields.items():
            given = data.get(name)
            try:
                clean[name] = field.clean("" if given is None else given)
            except ValidationError as error:
                errors += [
                    _error(_join(prefix, name), item.code or "invalid", message)
                    for item in error.error_list
                    for message in item.messages
                ]
        return clean, errors


def _given(value: Mapping[str, Any]) -> Values:
    """What was given; null takes away what may be absent, and else stands for nothing."""
    return {
        name: "" if item is None else item
        for name, item in value.items()
        if item is not None or name in ("valid_until", "note")
    }


def check_quote(value: Any, catalog: Catalog, *, instance: Quote | None = None) -> tuple[Values, list[Error]]:
    """(clean values, errors) of one quote; see QuoteChecker."""
    return QuoteChecker(catalog).check(value, instance=instance)


def check_quotes(values: Iterable[Any], catalog: Catalog) -> tuple[list[Values], list[Error]]:
    """(clean rows, errors) of many quotes, errors with the place of the row before the field; the first of them."""
    checker = QuoteChecker(catalog)
    rows: list[Values] = []
    errors: list[Error] = []
    for place, value in enumerate(values):
        clean, found = checker.check(value, prefix=str(place))
        rows.append(clean)
        errors += found
        if len(errors) >= ERRORS_SHOWN:
            break
    return rows, errors[:ERRORS_SHOWN]


def repeated(rows: Sequence[Values]) -> dict[int, int]:
    """Place of a row -> place of the row before it that says the same offer."""
    first: dict[tuple[Any, ...], int] = {}
    found: dict[int, int] = {}
    for place, row in enumerate(rows):
        before = first.setdefault(identity_of(row), place)
        if before != place:
            found[place] = before
    return found


def _shape(value: Mapping[str, Any], prefix: str) -> list[Error]:
    """Unknown fields, and values that are neither text nor number: a field would make text of anything."""
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


def shown(quote: Quote, *, on: date) -> dict[str, Any]:
    """A quote as JSON."""
    return {
        "uid": quote.uid,
        **quote_values(quote),
        "state": state_of(quote, on=on),
        "revision": quote.revision,
        "created_at": quote.created_at.isoformat(),
        "created_by": quote.created_by.username if quote.created_by else None,
    }


def _join(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


def _error(field: str | None, code: str, message: Any) -> Error:
    return {"field": field, "code": code, "message": str(message)}
