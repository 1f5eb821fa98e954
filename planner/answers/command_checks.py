"""Command checks as the outside sees them: JSON in, JSON out, codes with their words. Nothing pasted is kept or run."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from planner.answers import estimates
from planner.core.check.judge import check
from planner.core.check.parse import parse_check
from planner.core.outcome import Problem
from planner.core.parse import Rejected
from planner.core.specs import Catalog
from planner.messages import REASONS, word
from planner.messages.check import CHECK_PROBLEMS
from planner.messages.flags import flag_words
from planner.setup import ENGINE_NAMES


def answer(objects: Sequence[Any], *, catalog: Catalog) -> list[dict[str, Any]]:
    """One answer or problem object per question, in order. A bad one does not stop the others."""
    return [_answer(obj, catalog) for obj in objects]


def _answer(obj: Any, catalog: Catalog) -> dict[str, Any]:
    parsed = Rejected(id=None, problems=(obj,)) if isinstance(obj, Problem) else parse_check(obj)
    if isinstance(parsed, Rejected):
        return estimates.problem_object(
            parsed.id, parsed.problems, title=_("This command cannot be checked.")
        )
    return in_words(check(parsed, catalog), catalog)


def in_words(found: dict[str, Any], catalog: Catalog) -> dict[str, Any]:
    """Put messages beside the codes of one answer of the core, and what each flag does."""
    for record in found["flags"]:
        if record["flag"] is not None:
            name = record["flag"].partition(".")[0]
            record["about"] = flag_words(catalog.flags, found["engine"]["name"], name) or None
    for item in found["problems"]:
        item["message"] = problem_message(item)
    if found["estimate"] is not None:
        found["estimate"] = estimates.in_words(dict(found["estimate"]))
    return found


def problem_message(item: Mapping[str, Any]) -> str:
    """The sentence for one problem, as exactly as its values allow."""
    values = {
        key: _shown(value) for key, value in item["values"].items() if value is not None and value != ""
    }
    for key in ("engine", "other"):
        if values.get(key) in ENGINE_NAMES:
            values[key] = ENGINE_NAMES[values[key]]
    if "close" in item["values"]:
        close = item["values"]["close"]
        values["close"] = " " + _("Did you mean %s?") % close if close else ""
    if "reason" in values and values["reason"] in REASONS:
        return word(REASONS, values["reason"], values)
    return word(CHECK_PROBLEMS, _narrowest(item["code"], values), values)


def _shown(value: Any) -> Any:
    return ", ".join(map(str, value)) if isinstance(value, list) else value


def _narrowest(code: str, values: Mapping[str, Any]) -> str:
    """The code with what is known of the case behind it, where there are words for that."""
    has = values.keys()
    endings = (
        ("between", {"low", "high"} <= has),
        ("low", "low" in has),
        ("high", "high" in has),
        ("instead", "instead" in has and (code != "flag_removed" or "first_without" in has)),
        ("since", "first_without" in has or ("last_with" in has and code == "variable_not_read")),
        ("unknown", "first_with" not in has and code == "flag_of_later_version"),
        ("differ", values.get("agree") is False),
    )
    for ending, holds in endings:
        exact = f"{code}.{ending}"
        if holds and exact in CHECK_PROBLEMS:
            return exact
    return code
