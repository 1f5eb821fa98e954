"""Words about saved plans."""

from typing import Any

from django.utils.translation import gettext_lazy as _

REFUSALS: dict[str, Any] = {
    "illegal_step": _("A plan that is {state} cannot be taken this way."),
    "not_an_approver": _("Only an approver decides on a plan."),
    "own_plan": _("You made or proposed this version: somebody else decides on it."),
    "reason_missing": _("Say why: the reason is kept with the decision."),
}

STEPS: dict[str, Any] = {
    "propose": _("Propose"),
    "withdraw": _("Withdraw the proposal"),
    "approve": _("Approve"),
    "reject": _("Reject"),
    "reopen": _("Reopen as a draft"),
}

FLIPS: dict[str, Any] = {
    "verdict": _("verdict"),
    "running": _("users that decode at once"),
    "speed": _("time per token"),
    "price": _("price"),
    "price_known": _("whether there is a price"),
    "currency": _("currency"),
    "failed": _("it could not be judged"),
}

# Figures that are compared, in their order: name and unit.
FIGURES: dict[str, tuple[Any, Any]] = {
    "verdict": (_("Verdict"), ""),
    "running": (_("Users that decode at once"), ""),
    "tpot_ms": (_("Time per token"), "ms"),
    "ttft_ms": (_("First token"), "ms"),
    "output_tokens_per_s": (_("Output"), "tok/s"),
    "kv_cache_tokens": (_("KV cache"), _("tokens")),
    "power_w": (_("Power"), "W"),
    "purchase": (_("Purchase"), "money"),
    "yearly": (_("Cost of a year"), "money"),
    "per_million_output_tokens": (_("A million output tokens"), "money"),
}
