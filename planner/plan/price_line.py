"""What the accelerators of a plan cost to buy, by whose word; or why nobody can say."""

from dataclasses import asdict, dataclass
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from planner.core.cost.prices import Price
from planner.core.figures import NBSP
from planner.core.request import EstimateRequest
from planner.messages import word
from planner.messages.money import LACKS, asked_for, price_sentence
from planner.queries.prices import Books


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceLine:
    """The context of templates/planner/_price_line.html. `kind` is empty where there is no price."""

    lead: str
    text: str
    kind: str
    link: str
    link_text: str


def price_line(request: EstimateRequest, books: Books) -> PriceLine | None:
    """The price of the cards of a plan, in the team's currency; None where no card is named."""
    card = request.accelerator
    if card is None:
        return None
    book = books.about(card.id)
    price = book.buy(card.id, quantity=request.count)
    if price is not None:
        return _priced(price, request.count, card.name, book.currency)
    lack = book.lack(card.id, quantity=request.count)
    query = urlencode({"kind": "accelerator", "subject": card.id})
    return PriceLine(
        lead=_("No price."),
        text=word(LACKS, lack.code, lack.values),
        kind="",
        link=f"{reverse('planner:new_quote')}?{query}",
        link_text=_("Write a quote down"),
    )


def _priced(price: Price, count: int, name: str, currency: str) -> PriceLine:
    values = {
        "total": asked_for(price, currency, count=count),
        "cards": f"{count}{NBSP}×{NBSP}{name}",
        "one": asked_for(price, currency),
        "whose": price_sentence({**asdict(price)}, currency),
    }
    text = _("for %(cards)s, %(whose)s.") if count == 1 else _("for %(cards)s at %(one)s, %(whose)s.")
    return PriceLine(
        lead=values["total"],
        text=text % values,
        kind=price.kind,
        link=reverse("planner:quote", args=[price.quote]) if price.quote else "",
        link_text=_("The quote"),
    )
