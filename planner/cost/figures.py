"""What a cost says in a headline, a sentence and six figures."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from planner.amounts import amount
from planner.core.cost.assumptions import BY_NAME
from planner.core.figures import DASH, NBSP, count, percent, short
from planner.plan.figures import Figure
from planner.presentation import ICON_OF_STATE, Verdict
from planner.setup import Setup

Cost = Mapping[str, Any]
# Remarks that stand beneath the headline; the others are in a list of their own.
ABOVE = frozenset({"no_price", "no_accelerator", "no_speed", "no_load", "idle", "load_above_capacity"})
HOURS_PER_DAY = 24


def verdict(cost: Cost, setup: Setup) -> Verdict:
    """The answer first: what a year costs, what a million tokens, and whether renting is cheaper."""
    said = [remark["message"] for remark in cost["remarks"] if remark["code"] in ABOVE]
    state = "off" if cost["yearly"]["total"] is None else "warn" if said else "ok"
    return Verdict(
        state=state,
        icon=ICON_OF_STATE[state],
        headline=headline(cost, setup),
        sentences=" ".join(part for part in (*said, rent_sentence(cost)) if part),
        figures=figures(cost),
        reasons=[],
    )


def headline(cost: Cost, setup: Setup) -> str:
    """One sentence with the yearly cost and that of a million output tokens."""
    yearly, tokens, currency = cost["yearly"]["total"], cost["per_million_output_tokens"], cost["currency"]
    if yearly is None:
        return _("What %(cards)s costs in a year is not known.") % {"cards": setup.cards}
    values = {"yearly": amount(yearly, currency)}
    if tokens["at_load"] is None:
        return _("%(yearly)s a year, and no tokens to divide it by.") % values
    values |= {
        "load": amount(tokens["at_load"], currency),
        "full": amount(tokens["at_full_load"], currency),
        "share": percent(cost["utilization"]),
    }
    if cost["utilization"] > 0.995:
        return _("%(yearly)s a year: %(load)s for a million output tokens at full load.") % values
    return (
        _(
            "%(yearly)s a year: %(load)s for a million output tokens at your load, %(full)s if it worked around the clock."
        )
        % values
    )


def rent_sentence(cost: Cost) -> str:
    """How renting the same compares."""
    rent, currency = cost["rent"], cost["currency"]
    if rent is None:
        return ""
    values = {
        "price": amount(rent["price_per_hour"], currency),
        "yearly": amount(rent["yearly"], currency),
        "hours": f"{rent['hours_per_day']:g}",
    }
    rented = _("Rented at %(price)s an hour for %(hours)s hours a day it is %(yearly)s a year") % values
    if rent["break_even"] is None:
        return rented + _(".")
    months = rent["break_even"]["months"]
    if months is None:
        return rented + _(", which is less than running one's own: a purchase never pays for itself.")
    return rented + _(": a purchase has paid for itself after %s months.") % short(months)


def figures(cost: Cost) -> list[Figure]:
    """Purchase, year, a million tokens as used and flat out, use, and where renting meets buying."""
    currency, tokens = cost["currency"], cost["per_million_output_tokens"]
    each = cost["bill"]["items"][0] if cost["bill"]["items"] else None
    priced = each is not None and each["price"] is not None
    return [
        _money(
            _("Purchase"),
            cost["purchase"]["total"],
            currency,
            sub=_("%s each") % amount(each["unit_price"], currency) if each and priced else "",
            anchor="purchase",
        ),
        _money(
            _("In a year"),
            cost["yearly"]["total"],
            currency,
            sub=_("written off over %s years") % f"{value_of(cost, 'depreciation_years'):g}",
            anchor="yearly",
        ),
        _money(
            _("Million tokens, at load"),
            tokens["at_load"],
            currency,
            sub=interval(tokens["interval_at_load"], currency),
            anchor="utilization",
        ),
        _money(
            _("At full load"),
            tokens["at_full_load"],
            currency,
            sub=interval(tokens["interval_at_full_load"], currency),
            anchor="utilization",
        ),
        Figure(
            name=_("At work"),
            value=percent(cost["utilization"]),
            unit="%" if cost["utilization"] is not None else "",
            kind="computed" if cost["utilization"] is not None else "",
            sub=_("%s tokens a day") % large(made) if (made := cost["tokens_per_day"]["at_load"]) else "",
            anchor="utilization",
        ),
        _break_even(cost),
    ]


def _money(name: str, value: float | None, currency: str, *, sub: str, anchor: str) -> Figure:
    return Figure(
        name=name,
        value=amount(value, currency),
        unit="",
        kind="" if value is None else "computed",
        sub=sub if value is not None else "",
        anchor=anchor,
    )


def _break_even(cost: Cost) -> Figure:
    met = cost["rent"] and cost["rent"]["break_even"]
    months = met["months"] if met else None
    hours = met["hours_per_day"] if met else None
    if not met:
        sub = _("no rent to compare with") if cost["rent"] is None else ""
    elif hours is None:
        sub = _("renting is cheaper around the clock")
    else:
        values = {"hours": short(hours), "share": percent(hours / HOURS_PER_DAY)}
        sub = _("or above %(hours)s rented hours a day (%(share)s %%)") % values
    return Figure(
        name=_("Pays for itself after"),
        value=DASH if months is None else short(months),
        unit="" if months is None else _("months"),
        kind="" if months is None else "computed",
        sub=sub,
        anchor="rent",
    )


def interval(ends: list[float] | None, currency: str) -> str:
    """The 80 % interval of an amount."""
    if not ends:
        return ""
    low, high = (amount(end, currency).removeprefix(f"{currency}{NBSP}") for end in ends)
    return f"{low}{DASH}{high}"


def large(value: float | None) -> str:
    """A number of tokens: 950,000 · 16.9 million · 1.2 billion."""
    if value is None:
        return DASH
    if value >= 1e9:
        return _("%s billion") % short(value / 1e9)
    if value >= 1e6:
        return _("%s million") % short(value / 1e6)
    return count(value)


def value_of(cost: Cost, name: str) -> float:
    """An assumption as it counts."""
    assert name in BY_NAME
    return float(next(item["value"] for item in cost["assumptions"] if item["name"] == name))
