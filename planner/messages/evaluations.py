"""Words about judging saved plans again."""

from typing import Any

from django.utils.translation import gettext_lazy as _

# Parts of a basis that are another one
PARTS: dict[str, Any] = {
    "catalog": _("The catalog changed."),
    "core": _("The model of decode is a newer one."),
    "calibration": _("The calibration is another one."),
    "prices": _("Prices changed."),
}
# The same where it is known what of it
RECORDS = _("The catalog changed: {names}.")
OFFERS = _("Prices changed: {offers}.")

FAILURES: dict[str, Any] = {
    "rejected": _("What it asks for can no longer be answered."),
    "error": _("It could not be judged: {error}. The log of the server says more."),
}
