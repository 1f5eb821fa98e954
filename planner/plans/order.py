"""The form of what is ordered beside the cards and of what its cost is assumed to be."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, cast

from django.http import QueryDict

from planner.answers.bills import platforms_for
from planner.answers.costs import team_values
from planner.core.cost.assumptions import InForce, in_force
from planner.core.parse import parse_request
from planner.core.request import EstimateRequest
from planner.core.specs import Catalog
from planner.forms.plans import BaseExtras, BillForm, CostForm, ExtraFormSet
from planner.queries.prices import exchange, price_book
from planner.queries.team import team_settings


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderForms:
    """The three parts of the form; `content` is what it began with."""

    content: Mapping[str, Any]
    bill: BillForm
    extras: BaseExtras
    cost: CostForm

    @property
    def cost_open(self) -> bool:
        """Whether the plan replaces an assumption, or one that was typed needs a look."""
        return bool(self.content.get("cost") or (self.cost.is_bound and self.cost.errors))

    def is_valid(self) -> bool:
        """Whether all of it can be read; asks each part, so that each says what is wrong with it."""
        return all([self.bill.is_valid(), self.extras.is_valid(), self.cost.is_valid()])

    def changed(self) -> dict[str, Any]:
        """The content with what was typed."""
        data = self.bill.cleaned_data
        bill = {
            "currency": data["currency"] or None,
            "platform": data["platform"] or None,
            "spares": data["spares"] or None,
            "extra": [_item(form.cleaned_data) for form in self.extras.kept()] or None,
        }
        parts = {
            "bill": {key: value for key, value in bill.items() if value is not None},
            "cost": self.cost.given(),
            "price_source": data["price_source"],
        }
        kept = {key: value for key, value in self.content.items() if key not in parts}
        return {**kept, **{key: value for key, value in parts.items() if value}}


def order_forms(
    content: Mapping[str, Any], given: QueryDict | None, *, catalog: Catalog, on: date
) -> OrderForms:
    """The form with what a content holds, or with what was typed."""
    bill, team = content.get("bill") or {}, team_settings()
    currency = bill.get("currency") or team.currency
    start = {**bill, "price_source": content.get("price_source", "")}
    return OrderForms(
        content=content,
        bill=BillForm(_platforms(content, catalog), team.currency, given, initial=start),
        extras=cast("BaseExtras", ExtraFormSet(given, initial=_typed(bill), prefix="extra")),
        cost=CostForm(
            _in_force(currency, on), currency, given, initial=content.get("cost") or {}, prefix="cost"
        ),
    )


def _in_force(currency: str, on: date) -> dict[str, InForce]:
    """What counts where the plan says nothing."""
    book = price_book(on=on, currency=currency, only=[])
    usd = exchange("USD", currency, book.per_usd) or 1.0
    return in_force(given={}, team=team_values(team_settings(), book), usd=usd)


def _platforms(content: Mapping[str, Any], catalog: Catalog) -> list[tuple[str, str]]:
    """Platforms that carry the plan's cards; one that it has already stays, whatever the catalog says now."""
    parsed = parse_request(content["request"], catalog)
    found = platforms_for(parsed, catalog) if isinstance(parsed, EstimateRequest) else []
    choices = [(str(record["id"]), str(record["name"])) for record in found]
    own = (content.get("bill") or {}).get("platform")
    if own and own not in dict(choices):
        record = catalog.platform_records.get(own)
        choices.append((own, str(record["name"]) if record else own))
    return choices


def _typed(bill: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The other items of a bill as the form shows them: 18000, not 18000.0."""
    return [
        {
            **item,
            "unit_price": None
            if item.get("unit_price") is None
            else f"{item['unit_price']:.2f}".removesuffix(".00"),
        }
        for item in bill.get("extra", [])
    ]


def _item(data: Mapping[str, Any]) -> dict[str, Any]:
    """One more item as a content has it."""
    price = data["unit_price"]
    item = {
        "name": data["name"],
        "quantity": data["quantity"],
        "unit_price": None if price is None else float(price),
        "source": data["source"] or None,
    }
    return {key: value for key, value in item.items() if value is not None}
