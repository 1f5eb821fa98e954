"""The sum of one set-up, step by step, with its own numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from planner.amounts import amount
from planner.core.cost.assumptions import OPERATIONS
from planner.core.figures import NBSP, count, percent
from planner.cost.budget_rows import SetUp, tokens_per_s
from planner.cost.figures import Cost, large, value_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One line of the sum: what, how it comes about, the result."""

    name: str
    sum: str
    result: str


def steps(item: SetUp) -> list[Step]:
    """From the price of a card to that of a million tokens."""
    cost = item["owning"]
    return [
        _purchase(item, cost),
        _users(item),
        _tokens_full(item, cost),
        _tokens_load(cost),
        _year(cost),
        _million(cost, "at_load", _("A million output tokens, at your load")),
        _million(cost, "at_full_load", _("A million output tokens, at full load")),
    ]


def _purchase(item: SetUp, cost: Cost) -> Step:
    values = {
        "cards": item["count"],
        "one": amount(item["cost"]["unit_price"], cost["currency"]),
        "host": _share(cost, "host_share"),
        "network": _share(cost, "network_share"),
        "spares": _share(cost, "spare_share"),
    }
    return Step(
        name=_("Purchase"),
        sum=_(
            "%(cards)s × %(one)s for the cards; of that again %(host)s for servers, %(network)s for network and storage, "
            "%(spares)s for spares"
        )
        % values,
        result=amount(cost["purchase"]["total"], cost["currency"]),
    )


def _share(cost: Cost, name: str) -> str:
    return f"{percent(value_of(cost, name))}{NBSP}%"


def _users(item: SetUp) -> Step:
    copies, most = item["parallelism"]["data"], item["users"]["most"]
    each = ngettext(
        "%(copies)s copy of the model × %(each)s users",
        "%(copies)s copies of the model × %(each)s users",
        copies,
    ) % {"copies": copies, "each": count(None if most is None else most / copies)}
    values = {"each": each, "stops": item["users"]["message"]}
    return Step(
        name=_("Users at once"),
        sum=_("%(each)s; the next one is stopped by %(stops)s") % values,
        result=count(most),
    )


def _tokens_full(item: SetUp, cost: Cost) -> Step:
    return Step(
        name=_("Output tokens a day, at full load"),
        sum=_("%s a second with all of them × 86,400 seconds") % count(tokens_per_s(item)),
        result=large(cost["tokens_per_day"]["at_full_load"]),
    )


def _tokens_load(cost: Cost) -> Step:
    load, made = cost["load"], cost["tokens_per_day"]["at_load"]
    if load["by"] == "requests_per_day":
        requests = load["requests_per_day"]
        values = {"requests": count(requests), "each": count(made / requests if made and requests else None)}
        how = _("%(requests)s requests × %(each)s tokens") % values
    else:
        hours = load["hours_per_day"]
        values = {
            "hours": f"{hours:g}",
            "rate": count(made / (3600 * hours)) if made and hours else count(None),
        }
        how = _("%(rate)s a second with your users × 3,600 seconds × %(hours)s hours") % values
    return Step(name=_("Output tokens a day, at your load"), sum=how, result=large(made))


def _year(cost: Cost) -> Step:
    currency, terms = cost["currency"], {term["item"]: term["amount"] for term in cost["yearly"]["terms"]}
    parts = [
        (_("depreciation"), terms["depreciation"]),
        (_("electricity and cooling"), terms["power"]),
        (_("work"), sum(terms[name] for name in OPERATIONS)),
        (_("failures"), terms["failures"]),
        (_("hosting and licences"), terms["hosting"] + terms["licence"]),
    ]
    said = " + ".join(f"{amount(value, currency)} {name}" for name, value in parts if value)
    return Step(name=_("A year"), sum=said, result=amount(cost["yearly"]["total"], currency))


def _million(cost: Cost, when: str, name: str) -> Step:
    currency = cost["currency"]
    whole = cost["yearly"]["total"] if when == "at_load" else cost["yearly_at_full_load"]
    values = {"year": amount(whole, currency), "tokens": large(cost["tokens_per_day"][when])}
    return Step(
        name=name,
        sum=_("%(year)s a year ÷ (365 × %(tokens)s) × 1,000,000") % values,
        result=amount(cost["per_million_output_tokens"][when], currency),
    )


def known(items: Sequence[SetUp]) -> Iterator[SetUp]:
    """Set-ups whose year is known: of the others no sum can be written."""
    return (item for item in items if item["owning"]["yearly"]["total"] is not None)
