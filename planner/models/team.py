"""What a team decides once and every plan uses."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class TeamSettings(models.Model):
    """One row: currency, cost assumptions that differ from ours, and how plans are approved."""

    currency = models.CharField(_("currency"), max_length=3, default="USD")
    # Assumptions of planner.core.cost that the team replaced: name -> {"value", "source"}
    cost = models.JSONField(default=dict, blank=True)
    approver_is_another = models.BooleanField(_("nobody approves their own plan"), default=True)
    # A change of a plan's price by at least this much is told to webhooks
    price_change_percent = models.FloatField(_("price change that is told, in percent"), default=5.0)
    revision = models.PositiveIntegerField(default=1)
    updated_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    updated_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return "settings of the team"
