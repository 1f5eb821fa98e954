"""Everything that the page of a cost shows for one question, put together once per request."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from planner.amounts import exact_amount
from planner.answers import bills
from planner.answers.costs import answer
from planner.answers.estimates import is_problem, problem_object
from planner.charts import Bar
from planner.core.cost.ask import CostRequest, parse_cost
from planner.core.figures import count
from planner.core.specs import Catalog
from planner.cost import pictures
from planner.cost.figures import ABOVE, verdict
from planner.cost.form import OWN, SHOWN, CostForm, key_of
from planner.cost.working import AssumptionGroup, Worked, defaults_of, groups, worked
from planner.form_hints import hints_of
from planner.messages.cost import ASSUMPTION_NAMES
from planner.messages.money import LINE_KINDS, price_sentence
from planner.models import TeamSettings
from planner.plan.curves import Picture
from planner.plan.page import FieldError
from planner.plan.page import field_label as plan_label
from planner.presentation import Verdict
from planner.queries.prices import Books
from planner.setup import setup_of

ELSEWHERE = frozenset({"busy_hours_per_day"})  # stands beside the load
HINTS = ("m", "w", "a", "d", "by")


@dataclass(frozen=True, slots=True, kw_only=True)
class BillRow:
    """One line of the bill; `link` leads to its quote, or to where one is written down."""

    kind: str
    name: str
    quantity: str
    unit_price: str
    total: str
    whose: str
    source: str  # where a public price can be read
    link: str
    priced: bool
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CostPage:
    """The context of templates/planner/cost/costs.html and its parts. `verdict` is None when the input has errors."""

    form: CostForm
    title: str
    currency: str
    errors: Mapping[str, str]
    error_list: Sequence[FieldError]
    assumptions: Sequence[AssumptionGroup]
    hints: Mapping[str, str] = field(default_factory=dict)
    hours: str = ""  # a day, where none are typed
    verdict: Verdict | None = None
    priced: bool = False
    with_public: str = ""  # the address that asks public prices too, where that would help
    purchase: Bar | None = None
    yearly: Bar | None = None
    use: Picture | None = None
    rent: Picture | None = None
    rented: bool = False
    bill: Sequence[BillRow] = ()
    remarks: Sequence[str] = ()
    working: Sequence[Worked] = ()
    platforms: Sequence[tuple[str, str]] = ()
    curl: str = ""
    command: str = ""
    basis: Mapping[str, Any] = field(default_factory=dict)

    @property
    def kinds(self) -> list[str]:
        """Where the figures come from, each once, for the key beneath them."""
        return list(dict.fromkeys(f.kind for f in self.verdict.figures if f.kind)) if self.verdict else []

    @property
    def anchors(self) -> set[str]:
        """Sections that figures may point to."""
        shown = {"purchase": self.purchase, "yearly": self.yearly, "utilization": self.use, "rent": self.rent}
        return {name for name, part in shown.items() if part}

    @property
    def quantile_messages(self) -> dict[str, str]:
        """The messages of the quantiles, which share a place beneath their rows."""
        return {key: self.errors.get(key, "") for key in ("i50", "i90", "i99", "o50", "o90", "o99")}

    @property
    def messages(self) -> dict[str, str]:
        """A message for every input that is shown, empty where all is well."""
        model = "c" if self.form.plan.packed_config else "m"
        keys = [key for key in sorted(SHOWN) if key not in ("m", "d", "by")]
        own = [item.key for item in OWN if item.kind != "switch"]
        return {key: self.errors.get(key, "") for key in (model, *keys, *own)}


def cost_page(
    form: CostForm, *, catalog: Catalog, books: Books, team: TeamSettings, address: str
) -> CostPage:
    """Ask for the cost and put the answer into words and pictures. `address` is that of the API."""
    question = form.question()
    currency = str(question.get("currency") or team.currency)
    if form.plan.problems:
        return _with_errors(form, problem_object(None, form.plan.problems), currency)
    (cost,) = answer([question], catalog=catalog, books=books, team=team)
    if is_problem(cost):
        return _with_errors(form, cost, currency)
    parsed = parse_cost(question, catalog)
    assert isinstance(parsed, CostRequest)  # it was answered
    setup = setup_of(parsed.request)
    rows = groups(cost["assumptions"], form.values, {}, but=ELSEWHERE)
    hours = next(item for item in cost["assumptions"] if item["name"] == "busy_hours_per_day")
    return CostPage(
        form=form,
        title=_("What does %(cards)s cost to own?") % {"cards": setup.cards},
        currency=cost["currency"],
        errors={},
        error_list=[],
        assumptions=rows,
        hints=hints_of(parsed.request, None),
        hours="" if hours["by"] == "given" else f"{hours['value']:g}",
        verdict=verdict(cost, setup),
        priced=cost["purchase"]["total"] is not None,
        with_public=_with_public(form, parsed, cost, books),
        purchase=pictures.purchase_bar(cost),
        yearly=pictures.yearly_bar(cost),
        use=pictures.utilization_picture(cost),
        rent=pictures.rent_picture(cost),
        rented=cost["rent"] is not None,
        bill=[_bill_row(item) for item in cost["bill"]["items"]],
        remarks=[item["message"] for item in cost["remarks"] if item["code"] not in ABOVE],
        working=worked(cost),
        platforms=[(item["id"], item["name"]) for item in bills.platforms_for(parsed.request, catalog)],
        curl=curl(question, address),
        command=f"python manage.py costs <<'EOF'\n{json.dumps(question, ensure_ascii=False)}\nEOF",
        basis=cost["basis"],
    )


def _with_public(form: CostForm, parsed: CostRequest, cost: Mapping[str, Any], books: Books) -> str:
    """The address with public prices, where the cards have no price and a public one is known."""
    card = parsed.request.accelerator
    if cost["purchase"]["total"] is not None or card is None or parsed.price_source == "public":
        return ""
    known = books.of(cost["currency"], "public").buy(card.id, quantity=parsed.request.count)
    return f"?{form.query({'ps': 'public'})}" if known else ""


def _bill_row(item: Mapping[str, Any]) -> BillRow:
    price = item["price"]
    quote = price["quote"] if price else None
    subject = urlencode({"kind": _subject_kind(item["kind"]), "subject": item["id"] or item["name"]})
    return BillRow(
        kind=str(LINE_KINDS[item["kind"]]),
        name=item["name"],
        quantity=count(item["quantity"]),
        unit_price=exact_amount(item["unit_price"], item["currency"]),
        total=exact_amount(item["total"], item["currency"]),
        whose=price_sentence(price, item["currency"]) if price else _("Nobody has priced it."),
        source=price["source"] if price else "",
        link=reverse("planner:quote", args=[quote])
        if quote
        else ""
        if price
        else f"{reverse('planner:new_quote')}?{subject}",
        priced=price is not None,
        note=item["note"]["message"] if item["note"] else "",
    )


def _subject_kind(kind: str) -> str:
    return {"spare": "accelerator", "extra": "item"}.get(kind, kind)


def _with_errors(form: CostForm, problem: Mapping[str, Any], currency: str) -> CostPage:
    errors: dict[str, str] = {}
    for item in problem["errors"]:
        key = key_of(item["field"])
        errors[key] = f"{errors[key]} {item['message']}" if key in errors else item["message"]
    return CostPage(
        form=form,
        title=_("Cost to own and to rent"),
        currency=currency,
        errors=errors,
        error_list=[
            FieldError(key=key, label=field_label(key), message=message) for key, message in errors.items()
        ],
        assumptions=groups(defaults_of(currency), form.values, errors, but=ELSEWHERE),
    )


def field_label(key: str) -> str:
    """The label of an input, as the form has it."""
    labels = {
        "cur": _("Currency"),
        "ps": _("Prices"),
        "cp": _("Your price of one card"),
        "plat": _("Server"),
        "platp": _("Price of the server"),
        "spare": _("Spare cards"),
        "rent": _("Rent of one card"),
        "rh": _("Hours a day"),
        **{name: str(label) for name, label in ASSUMPTION_NAMES.items()},
    }
    return labels.get(key) or plan_label(key)


def curl(question: Mapping[str, Any], address: str) -> str:
    """The same question to the API."""
    body = json.dumps(question, ensure_ascii=True).replace("'", "\\u0027")
    return (
        f"curl -sS {address} \\\n"
        f'  -H "Authorization: Bearer $DECODECK_TOKEN" \\\n'
        f'  -H "Content-Type: application/json" \\\n'
        f"  -d '{body}'"
    )
