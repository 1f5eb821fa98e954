"""Everything that the page of a budget shows for one question, put together once per request."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from planner.amounts import amount
from planner.answers.budgets import answer
from planner.answers.estimates import is_problem
from planner.charts import Bar
from planner.core.cost.budget import BudgetRequest, parse_budget
from planner.core.figures import NBSP, count
from planner.core.specs import Catalog
from planner.cost import pictures
from planner.cost.budget_form import INPUTS, SHARED, BudgetForm, key_of
from planner.cost.budget_rows import Bought, Measure, SetUp, best_of, bought, measures
from planner.cost.budget_sum import Step, known, steps
from planner.form_hints import means_hint, model_hint, users_hint
from planner.messages.cost import ASSUMPTION_NAMES
from planner.models import TeamSettings
from planner.plan.figures import Figure
from planner.plan.page import FieldError
from planner.plan.page import field_label as plan_label
from planner.presentation import ICON_OF_STATE, Verdict
from planner.queries.prices import Books
from planner.recommend.words import Named

# Remarks of the search that hold for what a budget buys
SAID = frozenset({"rate_assumed", "quotes_without_rate"})


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Why set-ups are not in the table, and how many."""

    message: str
    count: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetPage:
    """The context of templates/planner/cost/budget.html and its parts. `verdict` is None when the input has errors."""

    form: BudgetForm
    title: str
    errors: Mapping[str, str]
    error_list: Sequence[FieldError]
    hints: Mapping[str, str] = field(default_factory=dict)
    verdict: Verdict | None = None
    hours: str = ""  # a day, where none are typed
    with_public: str = ""  # the address that asks public prices too, where that would help
    priced: bool = True  # whether anybody stated a price
    bought: Bought | None = None
    shown: str = ""  # how much of it the table has
    first: Named | None = None
    steps: Sequence[Step] = ()
    purchase: Bar | None = None
    yearly: Bar | None = None
    remarks: Sequence[str] = ()
    left_out: Sequence[LeftOut] = ()
    recommend_link: str = ""
    basis: Mapping[str, Any] = field(default_factory=dict)

    @property
    def quantile_messages(self) -> dict[str, str]:
        """The messages of the quantiles, which share a place beneath their rows."""
        return {key: self.errors.get(key, "") for key in ("i50", "i90", "i99", "o50", "o90", "o99")}

    @property
    def messages(self) -> dict[str, str]:
        """A message for every input, empty where all is well: an update must also take old ones away."""
        keys = [item.key for item in INPUTS if item.path and item.key != "ps"]
        return {key: self.errors.get(key, "") for key in keys}


def budget_page(form: BudgetForm, *, catalog: Catalog, books: Books, team: TeamSettings) -> BudgetPage:
    """Ask what the budget buys and put the answer into words."""
    question = form.question()
    found = answer(question, catalog=catalog, books=books, team=team)
    if is_problem(found):
        return _with_errors(form, found)
    parsed = parse_budget(question, catalog)
    assert isinstance(parsed, BudgetRequest)  # it was answered
    currency, set_ups = parsed.currency, found["set_ups"]
    table = bought(form, set_ups, currency=currency, catalog=catalog) if set_ups else None
    first = next(known(table.set_ups), None) if table else None
    hours = team.cost.get("busy_hours_per_day", {}).get("value", 8)
    return BudgetPage(
        form=form,
        title=_("What does %s buy?") % _range(parsed),
        errors={},
        error_list=[],
        hints=_hints(parsed, first),
        verdict=_verdict(parsed, found, table),
        hours=f"{hours:g}",
        with_public=f"?{form.query({'ps': 'public'})}"
        if parsed.price_source != "public" and _helps(found, books, currency)
        else "",
        priced=bool(found["prices"]["quoted"] + found["prices"]["public"]),
        bought=table,
        shown=_shown(found),
        first=table.names[first["rank"]] if table and first else None,
        steps=steps(first) if first else [],
        purchase=pictures.purchase_bar(first["owning"]) if first else None,
        yearly=pictures.yearly_bar(first["owning"]) if first else None,
        remarks=_remarks(found),
        left_out=[LeftOut(message=item["message"], count=count(item["count"])) for item in found["excluded"]],
        recommend_link=_recommend_link(form),
        basis=found["basis"] or {},
    )


def _helps(found: Mapping[str, Any], books: Books, currency: str) -> bool:
    """Whether public prices would price more."""
    return found["prices"]["without"] > 0 and any(
        offer.kind == "public"
        for offers in books.of(currency, "public").purchase.values()
        for offer in offers
    )


def _range(asked: BudgetRequest) -> str:
    """CNY 200,000 to 300,000"""
    high = amount(asked.high, asked.currency)
    if not asked.low:
        return _("up to %s") % high
    values = {"low": amount(asked.low, asked.currency), "high": amount(asked.high, None)}
    return _("%(low)s to %(high)s") % values


def _model_name(asked: BudgetRequest) -> str:
    return asked.search.model.id.rpartition("/")[2]


def _verdict(asked: BudgetRequest, found: Mapping[str, Any], table: Bought | None) -> Verdict:
    prices = found["prices"]
    if not prices["quoted"] + prices["public"]:
        return _said(
            "off",
            _("Nobody has stated a price, so what it buys is not known."),
            _("Write down what suppliers quoted, or use public prices: they are dated, and no offers."),
        )
    if table is None:
        return _said(
            "warn",
            _("It buys no set-up that carries this load of %s.") % _model_name(asked),
            " ".join((_priced(prices), _("What leaves most out is said below."))),
        )
    largest = best_of(table.set_ups, measures(asked.currency)[0]) or table.set_ups[0]
    return Verdict(
        state="ok",
        icon=ICON_OF_STATE["ok"],
        headline=_headline(asked, found, largest, table),
        sentences=" ".join((_costs(largest, table), _priced(prices))),
        figures=_figures(table, asked.currency),
        reasons=[],
    )


def _said(state: str, headline: str, sentences: str) -> Verdict:
    return Verdict(
        state=state,
        icon=ICON_OF_STATE[state],
        headline=headline,
        sentences=sentences,
        figures=[],
        reasons=[],
    )


def _headline(asked: BudgetRequest, found: Mapping[str, Any], largest: SetUp, table: Bought) -> str:
    values = {
        "users": count(largest["users"]["most"]),
        "model": _model_name(asked),
        "setup": table.names[largest["rank"]].name,
        "n": count(found["within"]),
    }
    return (
        ngettext(
            "Up to %(users)s users of %(model)s at once, with %(setup)s: it buys %(n)s set-up.",
            "Up to %(users)s users of %(model)s at once, with %(setup)s: the most of %(n)s set-ups that it buys.",
            found["within"],
        )
        % values
    )


def _costs(item: SetUp, table: Bought) -> str:
    """What one set-up costs."""
    cost = item["owning"]
    values = {
        "setup": table.names[item["rank"]].name,
        "how": table.names[item["rank"]].how,
        "purchase": amount(cost["purchase"]["total"], cost["currency"]),
        "yearly": amount(cost["yearly"]["total"], cost["currency"]),
    }
    return _("%(setup)s (%(how)s): %(purchase)s at the start and %(yearly)s a year.") % values


def _priced(prices: Mapping[str, int]) -> str:
    """Whose prices there are, and how many cards have none."""
    values = {name: count(number) for name, number in prices.items()}
    if not prices["public"]:
        return (
            _(
                "Cards that suppliers quoted: %(quoted)s. Cards on sale without a price: %(without)s, left out."
            )
            % values
        )
    return (
        _(
            "Prices: %(quoted)s quoted, %(public)s public, which are no offers. Cards on sale without a price: %(without)s, left out."
        )
        % values
    )


def _figures(table: Bought, currency: str) -> list[Figure]:
    """Which set-up leads by what."""
    every = {measure.key: measure for measure in measures(currency)}
    names = {
        "": _("Most users at once"),
        "load": _("Cheapest tokens, at your load"),
        "full": _("Cheapest tokens, at full load"),
        "yearly": _("Cheapest year"),
    }
    return [_figure(name, every[key], table) for key, name in names.items()]


def _figure(name: str, measure: Measure, table: Bought) -> Figure:
    item = best_of(table.set_ups, measure)
    unit = f"{measure.unit}{NBSP}" if measure.unit else ""
    return Figure(
        name=name,
        value=count(None) if item is None else f"{unit}{measure.text(item)}",
        unit=_("a million") if measure.key in ("load", "full") else "",
        kind="" if item is None else "computed",
        sub="" if item is None else table.names[item["rank"]].name,
        anchor="set-ups",
    )


def _shown(found: Mapping[str, Any]) -> str:
    """How much of what is within the budget the table has; empty where it is all."""
    shown = len(found["set_ups"])
    if found["within"] <= shown:
        return ""
    values = {"shown": count(shown), "all": count(found["within"])}
    return _("The %(shown)s of %(all)s that make most tokens at your load.") % values


def _remarks(found: Mapping[str, Any]) -> list[str]:
    said = [item["message"] for item in found["reasons"] if item["code"] in SAID]
    if not found["set_ups"]:
        return said
    return [
        *said,
        _(
            "Full load is every one of these users at work around the clock. Your load is what you typed, and most of a year "
            "is paid either way."
        ),
        _(
            "Servers, network and spares are shares of the cards' price here: a bill with quotes replaces them."
        ),
        _(
            "What fewer bits do to the answers of a model is not in these figures. Test quality on your task before you order."
        ),
    ]


def _hints(asked: BudgetRequest, first: SetUp | None) -> dict[str, str]:
    search = asked.search
    return {
        "m": model_hint(search.model),
        "d": means_hint(search.workload),
        "by": users_hint(search.workload, None) if first is None else "",
    }


def _recommend_link(form: BudgetForm) -> str:
    """The same model, load and limits as a search that ranks all that fits under the upper end."""
    kept = (*SHARED, "cur", "ps", "w", "e", "place", "max")
    pairs = [(key, form.values[key]) for key in kept]
    return f"{reverse('planner:recommend')}?{urlencode([*pairs, ('bud', form.values['hi'])])}"


def _with_errors(form: BudgetForm, problem: Mapping[str, Any]) -> BudgetPage:
    errors: dict[str, str] = {}
    for item in problem["errors"]:
        key = "max" if item["code"] == "too_many_candidates" else key_of(item["field"])
        errors[key] = f"{errors[key]} {item['message']}" if key in errors else item["message"]
    return BudgetPage(
        form=form,
        title=_("What a budget buys"),
        errors=errors,
        error_list=[
            FieldError(key=key, label=field_label(key), message=message) for key, message in errors.items()
        ],
    )


def field_label(key: str) -> str:
    """The label of an input, as the form has it."""
    labels = {
        "lo": pgettext("budget", "From"),
        "hi": pgettext("budget", "To"),
        "cur": _("Currency"),
        "ps": _("Prices"),
        "place": _("Where"),
        "max": _("Cards at most"),
        "busy_hours_per_day": str(ASSUMPTION_NAMES["busy_hours_per_day"]),
    }
    return labels.get(key) or plan_label(key)
