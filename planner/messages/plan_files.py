"""Words of plans as files and as bills of materials."""

from typing import Any

from django.utils.translation import gettext_lazy as _

UNSTATED = _("No price was typed for it.")
PRICED_TODAY = _("It has a price today: keep another version to take it in.")

# Columns of the bill: key in the document's items, name, whether it is a number.
BILL_COLUMNS: tuple[tuple[str, Any], ...] = (
    ("kind_name", _("Kind")),
    ("name", _("Item")),
    ("quantity", _("Quantity")),
    ("unit_price", _("Price of one")),
    ("total", _("Total")),
    ("whose", _("Whose word")),
    ("source", _("Source")),
    ("power_w", _("Power of one, W")),
    ("power_total_w", _("Power, W")),
    ("note", _("Note")),
)
ALTERNATIVE_COLUMNS: tuple[tuple[str, Any], ...] = (
    ("set_up", _("Cards")),
    ("tpot_ms", _("Time per token, ms")),
    ("output_tokens_per_s", _("Output, tok/s")),
    ("power_w", _("Power, W")),
    ("purchase", _("Purchase of the cards")),
    ("whose", _("Whose word")),
)
SHEETS: dict[str, Any] = {
    "bill": _("Bill of materials"),
    "plan": _("Plan"),
    "cost": _("Cost of a year"),
    "alternatives": _("Alternatives"),
}
