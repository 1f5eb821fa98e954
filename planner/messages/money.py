"""Words about prices, bills and offers."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from planner.amounts import amount, exact_amount, exchange_text
from planner.core.cost.prices import Price

# What a public price is the price of.
BASES: dict[str, Any] = {
    "list_at_launch": _("list price when it came out"),
    "list_now": _("list price"),
    "kit_at_launch": _("list price of the developer kit when it came out"),
    "machine_at_launch": _("about what a whole machine with it cost when it came out"),
    "mini_pc_at_launch": _("about what a small computer with it cost when it came out"),
    "module_at_launch": _("about what the module cost when it came out"),
    "estimate_at_launch": _("somebody's estimate of its price when it came out"),
    "street_new": _("asked in shops for new ones"),
    "street_used": _("asked for used and refurbished ones"),
    "street_estimate": _("somebody's estimate of what is asked"),
    "street": _("asked for it"),
}

BILL_NOTES: dict[str, Any] = {
    "platform_with_cards": _("With {cards} × {accelerator} in each: {held} in all, {used} of them used."),
    "platform_without_cards": _("Takes {cards} × {accelerator} each; the cards are a line of their own."),
    "part_of_board": _(
        "{accelerator} is sold on boards of {size}: {boards} of them hold {held}, and {used} are used."
    ),
}

LINE_KINDS: dict[str, Any] = {
    "accelerator": _("Accelerator"),
    "platform": _("Platform"),
    "spare": _("Spare"),
    "extra": _("Other"),
}

PRICE_KINDS: dict[str, Any] = {
    "quoted": _("quoted"),
    "public": _("public, not an offer"),
    "given": _("given here"),
}

# What is done to a quote, by the action of its audit event.
EVENTS: dict[str, Any] = {
    "quote.create": _("written down"),
    "quote.change": _("corrected"),
    "quote.withdraw": _("withdrawn"),
    "quote.restore": _("made to count again"),
}

# Why a thing has no price.
LACKS: dict[str, Any] = {
    "no_price": _("Nobody has priced it."),
    "price_expired": _("A quote expired on {on}."),
    "price_without_rate": _("A quote in {currency} does not count: no rate is set for it."),
    "price_for_more": _("It is quoted from {least} pieces on, and this takes {quantity}."),
}


def basis_name(price: Mapping[str, Any]) -> str:
    """What a public price is the price of; empty for others."""
    return str(BASES[price["basis"]]) if price["basis"] else ""


def asked_for(price: Price, currency: str, *, count: int = 1) -> str:
    """What is asked for so many: to the last digit where a source says it, rounded where it was exchanged or counted out."""
    whole = price.amount * count
    counted = price.rate is not None or bool(price.stated_per)
    return amount(whole, currency) if counted else exact_amount(whole, currency)


def price_sentence(price: Mapping[str, Any], currency: str) -> str:
    """Whose word a price is, of when, until when, and at which rate it was exchanged into `currency`."""
    parts = [_whose(price)]
    if price["valid_until"]:
        parts.append(gettext("until %s") % price["valid_until"])
    if price["minimum_quantity"] > 1:
        parts.append(gettext("from %s pieces on") % price["minimum_quantity"])
    if price["rate"]:
        parts.append(_exchanged(price, currency))
    return gettext(", ").join(parts)


def _whose(price: Mapping[str, Any]) -> str:
    if price["kind"] == "given":
        return gettext("given here")
    if price["kind"] == "public":
        values = {"what": basis_name(price), "date": price["quoted_on"]}
        if price["stated_low"] is None:
            return gettext("public, not an offer: %(what)s, %(date)s") % values
        values |= {"low": exact_amount(price["stated_low"], price["stated_currency"])}
        return (
            gettext("public, not an offer: %(what)s, %(date)s, from %(low)s; the upper end counts") % values
        )
    return gettext("quoted by %(supplier)s on %(date)s") % {
        "supplier": price["supplier"],
        "date": price["quoted_on"],
    }


def _exchanged(price: Mapping[str, Any], currency: str) -> str:
    values = {
        "stated": exact_amount(price["stated"], price["stated_currency"]),
        "rate": exchange_text(price["rate"], given=price["stated_currency"], wanted=currency),
    }
    if price["rate_assumed"]:
        return gettext("%(stated)s at an assumed rate of %(rate)s") % values
    return gettext("%(stated)s at %(rate)s") % values
