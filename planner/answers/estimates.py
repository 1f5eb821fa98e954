"""Estimates as the outside sees them: JSON in, JSON out, codes with their words."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from planner.core import CORE_VERSION
from planner.core.estimate import estimate
from planner.core.outcome import Problem
from planner.core.parse import Rejected, Reserved, parse_request
from planner.core.request import EstimateRequest
from planner.core.specs import Catalog
from planner.messages import ADVICE, PROBLEMS, REASONS, word
from planner.messages.edge import CAUSES
from planner.messages.folklore import rule_message
from planner.messages.launch import command_words
from planner.messages.settings import SETTING_REASONS, TARGET_REASONS

# A well-formed question about a model that this version cannot size: a verdict, not a fault of the asker.
UNSUPPORTED_CODES = frozenset({"architecture_unknown", "encoder_only", "encoder_decoder", "no_text_config"})
PROBLEM_TYPE = "urn:decodeck:problem:"
EMPTY_ANSWER: dict[str, Any] = {
    "memory": None,
    "startup_log": None,
    "speed": None,
    "step": None,
    "advice": [],
    "commands": None,
    "settings": [],
    "targets": [],
    "rules_of_thumb": [],
    "explain": [],
    "sustained": None,
}


def answer(objects: Sequence[Any], *, catalog: Catalog) -> list[dict[str, Any]]:
    """One answer or problem object per input, in order. A bad one does not stop the others."""
    parsed = [_parse(obj, catalog) for obj in objects]
    estimated = iter(estimate([item for item in parsed if isinstance(item, EstimateRequest)], catalog))
    return [_outcome(item, estimated, catalog) for item in parsed]


def _parse(obj: Any, catalog: Catalog) -> EstimateRequest | Rejected | Reserved:
    if isinstance(obj, Problem):  # a line that was not JSON
        return Rejected(id=None, problems=(obj,))
    return parse_request(obj, catalog)


def is_problem(obj: Mapping[str, Any]) -> bool:
    """Whether an object of `answer` is a problem rather than an estimate."""
    return "errors" in obj


def _outcome(item: EstimateRequest | Rejected | Reserved, estimated: Any, catalog: Catalog) -> dict[str, Any]:
    if isinstance(item, Rejected):
        if all(problem.code in UNSUPPORTED_CODES for problem in item.problems):
            return _unsupported(item.id, [_as_reason(problem) for problem in item.problems], catalog)
        return problem_object(item.id, item.problems)
    if isinstance(item, Reserved):
        return _unsupported(item.id, [_reserved(field) for field in item.fields], catalog)
    return in_words(next(estimated))


def in_words(found: dict[str, Any]) -> dict[str, Any]:
    """Put messages beside the codes of one answer of the core."""
    for item in found["reasons"]:
        item["message"] = word(REASONS, item["code"], item["values"])
    for item in found["advice"]:
        item["message"] = word(ADVICE, item["code"], item["values"])
    for item in found["settings"]:
        item["reason"]["message"] = word(SETTING_REASONS, item["reason"]["code"], item["reason"]["values"])
    for item in found["targets"]:
        item["reason"]["message"] = word(TARGET_REASONS, item["reason"]["code"], item["reason"]["values"])
    for item in found["rules_of_thumb"]:
        item["message"] = rule_message(item["code"], item["verdict"], item["values"])
    if found["sustained"] and (settled := found["sustained"]["sustained"]):
        settled["message"] = word(CAUSES, settled["cause"], settled)
    command_words(found["commands"])
    return found


def problem_object(request_id: str | None, problems: Sequence[Problem], *, title: str = "") -> dict[str, Any]:
    """RFC 9457 problem for one request, echoing its id, with one entry per field."""
    errors = [{"field": item.field, "code": item.code, "message": problem_message(item)} for item in problems]
    first = errors[0]
    return {
        "id": request_id,
        "type": PROBLEM_TYPE + "invalid_request",
        "title": title or _("This request cannot be estimated."),
        "status": 422,
        "code": "invalid_request",
        "detail": f"{first['field']}: {first['message']}" if first["field"] else first["message"],
        "errors": errors,
    }


def problem_message(item: Problem) -> str:
    """The sentence for one problem; close names become a question."""
    values = dict(item.values)
    if "close" in values:
        values["close"] = " " + _("Did you mean %s?") % values["close"] if values["close"] else ""
    return word(PROBLEMS, item.code, values)


def _as_reason(item: Problem) -> dict[str, Any]:
    return {
        "code": item.code,
        "field": item.field,
        "values": dict(item.values),
        "fix": None,
        "message": problem_message(item),
    }


def _reserved(field: str) -> dict[str, Any]:
    values = {"field": field}
    return {
        "code": "reserved_field",
        "field": field,
        "values": values,
        "fix": None,
        "message": word(REASONS, "reserved_field", values),
    }


def _unsupported(request_id: str | None, reasons: list[dict[str, Any]], catalog: Catalog) -> dict[str, Any]:
    basis = {"catalog": catalog.hash, "core": CORE_VERSION, "calibration": None}
    return {"id": request_id, "verdict": "unsupported", "reasons": reasons, **EMPTY_ANSWER, "basis": basis}
