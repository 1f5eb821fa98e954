"""A version of a plan as one document: the bill of its page, of its files and of its calls, so that none can differ."""

import copy
from collections.abc import Mapping
from datetime import date
from typing import Any

from django.utils.translation import gettext as _

from planner.answers.alternatives import alternatives
from planner.answers.plans import content_currency, figures_of, in_words, parse_content
from planner.core.cost.prices import PriceBook
from planner.core.parse import Rejected
from planner.core.plan_changes import leaves
from planner.core.specs import Catalog
from planner.messages import word
from planner.messages.money import LACKS, LINE_KINDS, price_sentence
from planner.messages.plan_files import PRICED_TODAY, UNSTATED
from planner.messages.plans import FIGURES
from planner.models import PlanVersion
from planner.plans.fields import field_name, value_text
from planner.plans.page import title_of
from planner.queries.prices import Books
from planner.queries.team import team_settings

FORMAT = "decodeck.plan/1"
DRAWING = ("accelerator", "platform")


def document(version: PlanVersion, *, catalog: Catalog, on: date) -> dict[str, Any]:
    """One version, whole: who and when, what was asked, what came out, the bill, the cost, what else would do.

    All but `alternatives`, and why something has no price, is what was answered when the version was kept; those two are
    of `on`. The schema is planner/schemas/plan_files.py.
    """
    answer, books = in_words(copy.deepcopy(version.answer)), Books(on=on)
    content, plan = version.content, version.plan
    return {
        "format": FORMAT,
        "plan": {
            "uid": plan.uid,
            "name": plan.name,
            "owner": plan.owner.username,
            "state": plan.state,
            "notes": plan.notes,
            "version": version.number,
            "note": version.note,
            "author": version.author.username,
            "created_at": version.created_at.isoformat(),
        },
        "title": title_of(content["request"], catalog),
        "basis": version.basis,
        "content": content,
        "inputs": [
            {"path": ".".join(path), "name": field_name(path), "text": value_text(path, value, catalog)}
            for path, value in leaves(content).items()
        ],
        "figures": _figures(answer),
        "bill": _bill(answer["bill"], book=_book(version, catalog, books)),
        "cost": _cost(answer["cost"]),
        "alternatives": {
            "on": on.isoformat(),
            "items": alternatives(content, catalog=catalog, books=books),
        },
    }


def _figures(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = figures_of(answer)
    return [
        {
            "key": key,
            "name": str(name),
            "value": found.get(key),
            "unit": found["currency"] if unit == "money" else str(unit),
        }
        for key, (name, unit) in FIGURES.items()
    ]


def _book(version: PlanVersion, catalog: Catalog, books: Books) -> PriceBook:
    """The prices of today, in the currency and from the source that the plan asks for."""
    content = parse_content(version.content, catalog)
    if isinstance(content, Rejected):
        return books.of(version.answer["bill"]["currency"], "quotes")
    source = "public" if content.public_prices else "quotes"
    return books.of(content_currency(content, team_settings()), source)


def _bill(bill: Mapping[str, Any], *, book: PriceBook) -> dict[str, Any]:
    return {
        "currency": bill["currency"],
        "on": bill["on"],
        "items": [_item(item, bill["currency"], book) for item in bill["items"]],
        "total": bill["total"],
        "priced_total": bill["priced_total"],
        "complete": bill["complete"],
        "unpriced": bill["unpriced"],
        "power_w": bill["power_w"],
    }


def _item(item: Mapping[str, Any], currency: str, book: PriceBook) -> dict[str, Any]:
    """A line of the bill with its words. Spares draw nothing, and what else is ordered does not say."""
    price, draws = item["price"], item["kind"] in DRAWING and item["power_w"] is not None
    return {
        **item,
        "kind_name": str(LINE_KINDS[item["kind"]]),
        "price": price and {**price, "message": price_sentence(price, currency)},
        "lack": None if price else _lack(item, book),
        "power_w": item["power_w"] if draws else None,
        "power_total_w": item["power_w"] * item["quantity"] if draws else None,
    }


def _lack(item: Mapping[str, Any], book: PriceBook) -> dict[str, str]:
    """Why a line has no price, as far as can be told today: a quote may have come since."""
    if item["id"] is None:
        return {"code": "unstated", "message": str(UNSTATED)}
    if book.buy(item["id"], quantity=item["quantity"]) is not None:
        return {"code": "priced_since", "message": str(PRICED_TODAY)}
    lack = book.lack(item["id"], quantity=item["quantity"])
    return {"code": lack.code, "message": word(LACKS, lack.code, lack.values)}


def _cost(cost: Mapping[str, Any]) -> dict[str, Any]:
    tokens = cost["per_million_output_tokens"]
    return {
        "currency": cost["currency"],
        "yearly": [
            {"item": term["item"], "name": term["name"], "amount": term["amount"]}
            for term in cost["yearly"]["terms"]
        ],
        "yearly_total": cost["yearly"]["total"],
        "per_million_output_tokens": {name: tokens[name] for name in ("at_load", "at_full_load")},
        "remarks": [remark["message"] for remark in cost["remarks"]],
    }


def file_name(found: Mapping[str, Any], ending: str) -> str:
    """What a file of this version is called."""
    return f"plan-{found['plan']['uid']}-v{found['plan']['version']}.{ending}"


def headline(found: Mapping[str, Any]) -> str:
    """The plan and its version in one line."""
    plan = found["plan"]
    values = {"name": plan["name"], "number": plan["version"], "day": plan["created_at"][:10]}
    return _("%(name)s, version %(number)s of %(day)s") % values


def basis_text(found: Mapping[str, Any]) -> str:
    """What the version rests on, in one line."""
    basis = found["basis"]
    values = {"catalog": basis["catalog"][:12], "core": basis["core"], "prices": basis["prices"][:12]}
    return _("Basis: catalog %(catalog)s · core %(core)s · prices %(prices)s") % values
