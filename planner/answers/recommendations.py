"""Recommendations as the outside sees them: JSON in, JSON out, codes with their words."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from planner.amounts import amount
from planner.answers import estimates
from planner.core.figures import count, short
from planner.core.outcome import Problem
from planner.core.parse import Rejected
from planner.core.search import recommend
from planner.core.search.asked import SearchRequest
from planner.core.search.parse import parse_search
from planner.core.search.space import MAX_CANDIDATES, TooManyCandidatesError
from planner.core.specs import Catalog
from planner.messages import word
from planner.messages.money import LACKS, basis_name, price_sentence
from planner.messages.search import ADVICE, EXCLUDED, RANKS, REMARKS
from planner.queries.prices import Books


def answer(objects: Sequence[Any], *, catalog: Catalog, books: Books) -> list[dict[str, Any]]:
    """One answer or problem object per question, in order. A bad one does not stop the others."""
    return [_answer(obj, catalog, books) for obj in objects]


def answer_for_page(obj: Mapping[str, Any], *, catalog: Catalog, books: Books) -> dict[str, Any]:
    """One answer without the words inside its estimates: a page of many options shows none of them."""
    return _answer(obj, catalog, books, whole=False)


def _answer(obj: Any, catalog: Catalog, books: Books, *, whole: bool = True) -> dict[str, Any]:
    parsed = Rejected(id=None, problems=(obj,)) if isinstance(obj, Problem) else parse_search(obj, catalog)
    if isinstance(parsed, Rejected):
        return estimates.problem_object(
            parsed.id, parsed.problems, title=_("This search cannot be answered.")
        )
    try:
        found = recommend(_with_prices(parsed, books), catalog)
    except TooManyCandidatesError as error:
        values = {"found": f"{error.found:,}", "limit": f"{MAX_CANDIDATES:,}"}
        problem = Problem(code="too_many_candidates", field=None, values=values)
        return estimates.problem_object(parsed.id, [problem], title=_("This search cannot be answered."))
    if whole:
        for option in found["options"]:
            estimates.in_words(option)
    return in_words(found, model=obj["model"])


def _with_prices(parsed: SearchRequest, books: Books) -> SearchRequest:
    """The question with the book that its prices come from, in its currency or else the team's."""
    asked = parsed.constraints
    return replace(parsed, book=books.of(asked.currency, asked.price_source))


def in_words(found: dict[str, Any], *, model: Mapping[str, Any]) -> dict[str, Any]:
    """Put messages beside the codes of the search, and the asker's `model` into the requests of its options."""
    for option in found["options"]:
        option["reason"]["message"] = _rank_message(option)
        _add_price_words(option)
        for item in option["bill_of_materials"]:
            item["message"] = _bill_message(item)
        option["request"]["model"] = dict(model)
    for group in found["excluded"]:
        group["message"] = excluded_message(group["reason"], group["detail"])
        for part in group["details"]:
            part["message"] = excluded_message(group["reason"], part["detail"])
    for item in found["nearest"]:
        item["message"] = excluded_message(*_split(item["reason"]))
    for item in found["reasons"]:
        item["message"] = word(REMARKS, item["code"], {"field": item["field"], **_shown(item["values"])})
    return found


def _add_price_words(option: Mapping[str, Any]) -> None:
    """Whose word the price is, or why there is none."""
    if option["cost"] is not None:
        price, currency = option["cost"]["price"], option["cost"]["currency"]
        price["basis_name"] = basis_name(price)
        price["message"] = price_sentence(price, currency)
    if option["price_note"] is not None:
        note = option["price_note"]
        note["message"] = word(LACKS, note["code"], note["values"])


def _bill_message(item: Mapping[str, Any]) -> str:
    """What else a line of a bill brings; empty where it is what it says."""
    boards = item["boards"]
    if boards is None or boards["held"] == boards["used"]:
        return ""
    return word(ADVICE, "part_of_board", {**boards, "accelerator": item["name"]})


def excluded_message(reason: str, detail: str | None) -> str:
    """Why set-ups are out, as narrowly as it can be said."""
    exact = f"{reason}:{detail}"
    return word(EXCLUDED, exact if exact in EXCLUDED else reason, {})


def _shown(values: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers as a command line takes them: whole ones without a point or a comma."""
    return {name: f"{value:g}" if isinstance(value, float) else value for name, value in values.items()}


def _split(reason: str) -> tuple[str, str | None]:
    name, _colon, detail = reason.partition(":")
    return name, detail or None


def _rank_message(option: Mapping[str, Any]) -> str:
    code, values = option["reason"]["code"], option["reason"]["values"]
    exact = f"{code}.{values.get('by')}"
    shown = {name: count(values[name]) for name in ("rank", "of", "power_w", "output_tokens_per_s")}
    shown |= {name: short(values[name]) for name in ("ms_per_token", "capacity_per_s")}
    if option["cost"] is not None:
        shown["purchase"] = amount(option["cost"]["purchase"], option["cost"]["currency"])
    return word(RANKS, exact if exact in RANKS else code, {**values, **shown})
