"""Words of the search over the catalog: problems of a question, reasons of a rank, of what was left out, of winners."""

from typing import Any

from django.utils.translation import gettext_lazy as _

PROBLEMS: dict[str, Any] = {
    "list_empty": _("This list is empty. Leave it out to search all."),
    "too_many_entries": _("{found} entries; at most {limit} are read."),
    "not_answered_yet": _("This is not answered yet. Leave it out."),
    "engine_or_engines": _("Give one engine or a list of engines, not both."),
    "budget_needs_currency": _("A budget needs its currency, for example USD, EUR or CNY."),
    "prices_need_currency": _("Prices need their currency, for example USD, EUR or CNY."),
    "currencies_differ": _(
        "The budget is in {budget} and the prices in {prices}. Amounts are not converted here: give both in one currency."
    ),
    "unknown_currency": _("No currency {found!r}.{close} Known: {known}."),
    "accelerator_named_twice": _("{accelerator} is named twice here. Give it once."),
    "unknown_vendor": _("No accelerator of a vendor {found!r}.{close} Known: {known}."),
    "unknown_class": _("No class {found!r}.{close} Known: {known}."),
    "unknown_choice": _("No choice {found!r}. Known: {known}."),
    "owned_not_in_accelerators": _(
        "You own {accelerator}, but it is not among accelerators. Add it there, or leave accelerators out."
    ),
    "counts_above_max_count": _(
        "counts begins at {least}, but max_count is {max_count}. Raise one or lower the other."
    ),
    "edge_is_one_device": _(
        "An edge device works alone, but counts begins at {least}. Ask for 1, or for place server."
    ),
}
