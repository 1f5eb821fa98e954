"""Words about prices, bills and offers."""

from typing import Any

from django.utils.translation import gettext_lazy as _

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
