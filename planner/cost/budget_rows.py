"""What a budget buys as a table: one set-up in a line, sorted by any of its figures."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from planner.amounts import plain_amount
from planner.core.figures import DASH, NBSP, count, percent
from planner.core.specs import Catalog
from planner.cost.budget_form import BudgetForm
from planner.cost.figures import large
from planner.cost.form import read_form
from planner.plan.form import plan_of_request
from planner.recommend.form import ANY_ENGINE
from planner.recommend.words import Named, engine_name, named

SetUp = Mapping[str, Any]
SECONDS_PER_DAY = 86_400
# In a column there is room for a word: the sentences are in the sum and on the page of the cost
PRICE_WORDS = {"quoted": gettext_lazy("quoted"), "public": gettext_lazy("public price")}
STOP_WORDS: Mapping[str, Any] = {
    "kv_cache": gettext_lazy("KV cache"),
    "tpot_ms": "TPOT",
    "ttft_ms": "TTFT",
    "output_tokens_per_s_per_user": gettext_lazy("speed for each"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A figure that set-ups are compared by. `best` says which end leads: low | high."""

    key: str  # of the sort in the address; "" is the order that comes by itself
    name: str
    unit: str
    best: str
    value: Callable[[SetUp], float | None]
    text: Callable[[SetUp], str]
    sub: Callable[[SetUp], str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The head of a column, which sorts by it."""

    key: str
    name: str
    unit: str
    link: str
    direction: str  # ascending | descending, "" where the table is not sorted by it


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    text: str
    sub: str
    best: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One set-up: its figures, and the pages that show its cost and its plan."""

    named: Named
    cost_link: str
    cells: Sequence[Cell]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bought:
    """The table, and the set-ups in the same order."""

    heads: Sequence[Head]
    rows: Sequence[Row]
    set_ups: Sequence[SetUp]
    names: Mapping[int, Named]  # by rank


def per_million(item: SetUp, when: str) -> float | None:
    """What a million output tokens cost: at_load | at_full_load."""
    found: float | None = item["owning"]["per_million_output_tokens"][when]
    return found


def tokens_per_s(item: SetUp) -> float | None:
    """Output tokens per second with as many users as it takes."""
    found = item["owning"]["tokens_per_day"]["at_full_load"]
    return None if found is None else found / SECONDS_PER_DAY


def measures(currency: str) -> list[Measure]:
    """What set-ups are compared by, in the order shown."""
    return [
        Measure(
            key="",
            name=_("Users at once"),
            unit="",
            best="high",
            value=lambda item: item["users"]["most"],
            text=lambda item: count(item["users"]["most"]),
            sub=_stop_words,
        ),
        Measure(
            key="tokens",
            name=_("Output tokens a day"),
            unit="",
            best="high",
            value=tokens_per_s,
            text=lambda item: large(item["owning"]["tokens_per_day"]["at_full_load"]),
            sub=lambda item: _("%s a second") % count(tokens_per_s(item)),
        ),
        Measure(
            key="purchase",
            name=_("Purchase"),
            unit=currency,
            best="low",
            value=lambda item: item["owning"]["purchase"]["total"],
            text=lambda item: _plain(item["owning"]["purchase"]["total"]),
            sub=_price_words,
        ),
        Measure(
            key="yearly",
            name=_("A year"),
            unit=currency,
            best="low",
            value=lambda item: item["owning"]["yearly"]["total"],
            text=lambda item: _plain(item["owning"]["yearly"]["total"]),
        ),
        Measure(
            key="load",
            name=_("Million tokens, at your load"),
            unit=currency,
            best="low",
            value=lambda item: per_million(item, "at_load"),
            text=lambda item: _plain(per_million(item, "at_load")),
            sub=_use_words,
        ),
        Measure(
            key="full",
            name=_("Million tokens, at full load"),
            unit=currency,
            best="low",
            value=lambda item: per_million(item, "at_full_load"),
            text=lambda item: _plain(per_million(item, "at_full_load")),
        ),
    ]


def bought(form: BudgetForm, set_ups: Sequence[SetUp], *, currency: str, catalog: Catalog) -> Bought:
    """Every set-up with its figures, in the order that the address asks for."""
    sort, every = form.values["sort"], measures(currency)
    shown = ordered(set_ups, next(item for item in every if item.key == sort))
    names = {item["rank"]: _named(item, form, catalog) for item in shown}
    leading = {measure.key: _leading(measure, shown) for measure in every}
    return Bought(
        heads=[_head(measure, form, sort) for measure in every],
        rows=[
            Row(
                named=names[item["rank"]],
                cost_link=cost_link(form, item),
                cells=[
                    Cell(
                        text=measure.text(item),
                        sub=measure.sub(item) if measure.sub else "",
                        best=item["rank"] in leading[measure.key],
                    )
                    for measure in every
                ],
            )
            for item in shown
        ],
        set_ups=shown,
        names=names,
    )


def ordered(set_ups: Sequence[SetUp], measure: Measure) -> list[SetUp]:
    """By one figure, its best end first; what is not known last, ties as they came."""
    sign = -1 if measure.best == "high" else 1

    def place(item: SetUp) -> float:
        value = measure.value(item)
        return math.inf if value is None else sign * value

    return sorted(set_ups, key=place)


def best_of(set_ups: Sequence[SetUp], measure: Measure) -> SetUp | None:
    """The set-up that leads by one figure; None where it is known of none."""
    first = ordered(set_ups, measure)[0] if set_ups else None
    return None if first is None or measure.value(first) is None else first


def cost_link(form: BudgetForm, item: SetUp) -> str:
    """The page that shows the cost of one set-up; empty where the form of a plan has no input for something in it."""
    plan = plan_of_request(item["request"])
    if plan is None:
        return ""
    money = {key: form.values[key] for key in ("cur", "ps", "busy_hours_per_day")}
    query = read_form({**plan.values, **money}).query()
    return f"{reverse('planner:costs')}?{query}"


def _named(item: SetUp, form: BudgetForm, catalog: Catalog) -> Named:
    """The words of a set-up, without the engine where it is the same for all."""
    found = named(item, catalog)
    if form.values["e"] == ANY_ENGINE:
        return found
    return replace(found, how=found.how.removesuffix(f" · {engine_name(item['engine'])}"))


def _head(measure: Measure, form: BudgetForm, sort: str) -> Head:
    direction = "descending" if measure.best == "high" else "ascending"
    return Head(
        key=measure.key or "users",
        name=measure.name,
        unit=measure.unit,
        link=f"{reverse('planner:budget')}?{form.query({'sort': measure.key})}",
        direction=direction if measure.key == sort else "",
    )


def _leading(measure: Measure, set_ups: Sequence[SetUp]) -> set[int]:
    """Ranks of the set-ups that lead by a figure, as it is written; none of one alone."""
    first = best_of(set_ups, measure)
    if first is None or len(set_ups) == 1:
        return set()
    return {item["rank"] for item in set_ups if measure.text(item) == measure.text(first)}


def _plain(value: float | None) -> str:
    return DASH if value is None else plain_amount(value)


def _price_words(item: SetUp) -> str:
    return str(PRICE_WORDS[item["cost"]["price"]["kind"]])


def _stop_words(item: SetUp) -> str:
    """What stops the next user, in a word; nothing where that takes a sentence."""
    word = STOP_WORDS.get(item["users"]["code"])
    return _("limit: %s") % word if word else ""


def _use_words(item: SetUp) -> str:
    share = item["owning"]["utilization"]
    return "" if share is None else _("%s of its tokens") % f"{percent(share)}{NBSP}%"
