"""Bodies of the calls about saved plans, checked by the fields of the pages' forms."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _

from planner.answers.estimates import problem_message
from planner.core.outcome import Problem
from planner.forms.plans import plain_lines

Error = dict[str, Any]
NAME = forms.CharField(max_length=120)
WHY = forms.CharField(max_length=500)
MAYBE_WHY = forms.CharField(max_length=500, required=False)
NOTES = forms.CharField(max_length=20_000, required=False)
TEXT = forms.CharField(max_length=4_000)
DAYS = forms.IntegerField(min_value=1, max_value=90)
FLAG = forms.BooleanField(required=False)
OBJECT = forms.JSONField()

Fields = Mapping[str, forms.Field]
NEW_PLAN: Fields = {"name": NAME, "notes": NOTES, "note": MAYBE_WHY, "content": OBJECT}
NEW_VERSION: Fields = {"note": WHY, "content": OBJECT}
COMMENT: Fields = {"text": TEXT}
STEP: Fields = {"reason": MAYBE_WHY}
SHARE: Fields = {"days": DAYS, "with_prices": FLAG}
COMPARISON: Fields = {"plans": OBJECT}
MOST_NAMED = 20  # unknown fields that an answer names


def details_of(owners: Sequence[str]) -> Fields:
    """The fields of a plan that are no part of a version; these people may own it."""
    owner = forms.ChoiceField(choices=[(name, name) for name in owners])
    return {"name": NAME, "notes": NOTES, "owner": owner, "archived": FLAG}


def read_body(body: Any, fields: Fields, *, partial: bool = False) -> tuple[dict[str, Any], list[Error]]:
    """(clean values, errors) of a body. `partial`: only what is given is read."""
    if not isinstance(body, Mapping):
        text = _("Send an object with these fields: %s.") % ", ".join(fields)
        return {}, [error(None, "wrong_type", text)]
    known = ", ".join(fields)
    errors = [
        error(str(name)[:60], "unknown_field", _("No such field. Known here: %(known)s.") % {"known": known})
        for name in list(body)
        if name not in fields
    ][:MOST_NAMED]
    clean: dict[str, Any] = {}
    for name, field in fields.items():
        if name in body or not partial:
            _read(name, field, body.get(name), clean, errors)
    return clean, errors


def _read(name: str, field: forms.Field, value: Any, clean: dict[str, Any], errors: list[Error]) -> None:
    """Put one clean value into `clean`, or what is wrong with it into `errors`."""
    if value is not None and not _has_type(field, value):
        errors.append(error(name, "wrong_type", _("This has another type than it should.")))
        return
    if isinstance(field, forms.JSONField):
        if value is None:
            errors.append(error(name, "required", str(field.error_messages["required"])))
        clean[name] = value
        return
    try:
        clean[name] = field.clean("" if value is None else value)
    except forms.ValidationError as refused:
        errors += [
            error(name, item.code or "invalid", text) for item in refused.error_list for text in item.messages
        ]
        return
    if isinstance(value, str):
        clean[name] = plain_lines(clean[name])


def _has_type(field: forms.Field, value: Any) -> bool:
    """Whether a value is of the field's type in JSON: a field of a form would make text of anything."""
    if isinstance(field, forms.JSONField):
        return True
    if isinstance(field, forms.BooleanField):
        return isinstance(value, bool)
    if isinstance(field, forms.IntegerField):
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, str)


def error(field: str | None, code: str, message: str) -> Error:
    """One thing that is wrong with a body."""
    return {"field": field, "code": code, "message": str(message)}


def problem_errors(problems: Sequence[Problem], *, under: str) -> list[Error]:
    """What is wrong with a content, its fields under the body's."""
    return [
        error(f"{under}.{item.field}" if item.field else under, item.code, problem_message(item))
        for item in problems
    ]
