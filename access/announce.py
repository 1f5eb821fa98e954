"""Events that machines may hear of: told to every webhook that asked for them, in the transaction that makes them true."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from access.models import Webhook
from access.outbox import enqueue_webhook

EVENTS: dict[str, Any] = {
    "plan.proposed": _("A plan is proposed"),
    "plan.approved": _("A plan is approved"),
    "plan.rejected": _("A plan is rejected"),
    "plan.verdict_changed": _("A saved plan no longer gets the verdict that it had"),
    "plan.price_changed": _("The price of a saved plan changed"),
}


def announce(event: str, data: dict[str, Any]) -> int:
    """Put `event` into the outbox for each webhook that asked for it; returns how many did.

    There are few webhooks, so they are filtered here: SQLite cannot look into a list of JSON.
    """
    if event not in EVENTS:
        raise ValueError(f"{event} is no event")
    asked = [hook for hook in Webhook.objects.filter(is_active=True) if event in hook.events]
    for hook in asked:
        enqueue_webhook(hook, event=event, data=data)
    return len(asked)
