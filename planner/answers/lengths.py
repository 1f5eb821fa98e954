"""Length logs as the outside sees them: JSON in, JSON out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from planner.answers.length_files import Read, read_log, read_rows, refusal_message
from planner.core.traffic.asked import KINDS, MAX_HOURS, Asked, Question
from planner.core.traffic.names import ROLES, UNIT_SECONDS, UNITS_OF_TIME
from planner.core.traffic.summary import filled
from planner.core.traffic.table import Refused
from planner.messages import word
from planner.messages.lengths import LEFT_OUT
from planner.models import LengthLog

FIELDS = ("name", "rows", "text", "format", "later", "hours", "model", "columns", "duration_unit")
TEXTS = {"name": 120, "text": 12_000_000, "later": 8_000_000, "model": 200}
Errors = list[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """A checked body: the name to keep a log under, and the log."""

    name: str
    read: Read


def read_body(body: Any) -> Asking | Errors:
    """Check and read a log from a JSON body; else {field, code, message} of everything that is wrong with it."""
    if not isinstance(body, Mapping):
        return [_error(None, "wrong_type", _("Send a JSON object."))]
    errors = [*_unknown(body), *_texts(body), *_choices(body)]
    if (body.get("rows") is None) == (body.get("text") is None):
        errors.append(_error("text", "rows_or_text", _("Send either rows or text.")))
    if body.get("rows") is not None and not isinstance(body["rows"], list):
        errors.append(_error("rows", "wrong_type", _("Expected a list of objects.")))
    if not str(body.get("name") or "").strip():
        errors.append(_error("name", "missing", _("Give the log a name.")))
    if errors:
        return errors
    found = _read(body)
    if isinstance(found, Refused):
        place = {"several_models": "model", "no_such_model": "model", "other_model": "later"}
        field = place.get(found.code, "rows" if body.get("rows") is not None else "text")
        return [_error(field, found.code, refusal_message(found))]
    return Asking(name=str(body["name"]).strip(), read=found)


def _read(body: Mapping[str, Any]) -> Read | Refused:
    unit = body.get("duration_unit")
    asked = Asked(columns=body.get("columns") or {}, unit_s=None if unit is None else UNIT_SECONDS[unit])
    if body.get("rows") is not None:
        return read_rows(body["rows"], asked)
    question = Question(
        kind=body.get("format") or "",
        asked=asked,
        model=body.get("model") or "",
        later=body.get("later") or "",
        hours=body.get("hours"),
    )
    return read_log([body["text"].encode()], question)


def _unknown(body: Mapping[str, Any]) -> Errors:
    text = _("No such field. Known here: %(known)s.") % {"known": ", ".join(FIELDS)}
    return [_error(str(name)[:60], "unknown_field", text) for name in body if name not in FIELDS][:20]


def _texts(body: Mapping[str, Any]) -> Errors:
    errors = []
    for name, limit in TEXTS.items():
        value = body.get(name)
        if value is None:
            continue
        if not isinstance(value, str):
            errors.append(_error(name, "wrong_type", _("Expected text.")))
        elif len(value) > limit or "\x00" in value:
            text = _("At most %(limit)s characters, and none that does not show.") % {"limit": limit}
            errors.append(_error(name, "too_long", text))
    return errors


def _choices(body: Mapping[str, Any]) -> Errors:
    errors = []
    for name, known in (("format", KINDS), ("duration_unit", UNITS_OF_TIME)):
        if body.get(name) is not None and body[name] not in known:
            text = _("Expected one of %(known)s.") % {"known": ", ".join(known)}
            errors.append(_error(name, "unknown_choice", text))
    hours = body.get("hours")
    number = isinstance(hours, int | float) and not isinstance(hours, bool)
    if hours is not None and not (number and 0 < hours <= MAX_HOURS):
        text = _("Expected hours above 0 and up to %(most)s.") % {"most": int(MAX_HOURS)}
        errors.append(_error("hours", "out_of_range", text))
    columns = body.get("columns")
    known_roles = isinstance(columns, Mapping) and all(
        role in ROLES and isinstance(name, str) and len(name) <= 120 for role, name in columns.items()
    )
    if columns is not None and not known_roles:
        text = _("Expected an object from %(roles)s to names of columns.") % {"roles": ", ".join(ROLES)}
        errors.append(_error("columns", "wrong_type", text))
    return errors


def _error(field: str | None, code: str, message: str) -> dict[str, Any]:
    return {"field": field, "code": code, "message": str(message)}


def shown(log: LengthLog) -> dict[str, Any]:
    """A log as JSON, without its histograms."""
    figures = {name: value for name, value in log.summary.items() if name not in ("version", "read", "day")}
    return {
        "uid": log.uid,
        "name": log.name,
        "origin": log.origin,
        "requests": log.requests,
        "figures": figures,
        "read": in_words(log.summary["read"]),
        "workload": workload_of(log.summary),
        "archived": log.archived_at is not None,
        "created_at": log.created_at.isoformat(),
        "owner": log.owner.username,
    }


def whole(log: LengthLog) -> dict[str, Any]:
    """A log as JSON with its histograms: bins of low to high tokens, both included, and their counts."""
    return {**shown(log), "histograms": log.histograms}


def in_words(read: Mapping[str, Any]) -> dict[str, Any]:
    """How a log was read, with a sentence for each reason to leave a row out."""
    found = dict(read)
    if "left_out" in found:
        found["left_out"] = [
            {"code": code, "rows": rows, "message": word(LEFT_OUT, code, {})}
            for code, rows in sorted(found["left_out"].items())
        ]
    return found


def workload_of(summary: Mapping[str, Any]) -> dict[str, Any]:
    """The workload of an estimate request that a log amounts to; without a load where it has no times."""
    found = filled(summary)
    load: dict[str, Any] = {}
    if found.requests_per_day is not None:
        load = {"requests_per_day": found.requests_per_day, "peak_factor": found.peak_factor}
    elif found.concurrency is not None:
        load = {"concurrency": found.concurrency}
    return {"input_tokens": found.input_tokens, "output_tokens": found.output_tokens, **load}
