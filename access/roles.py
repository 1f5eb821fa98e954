"""Who may do what: four roles, each of which may do all that the one before it may."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Role(models.TextChoices):
    """Ordered from the least to the most powerful; `may` relies on this order."""

    VIEWER = "viewer", _("Viewer")
    OPERATOR = "operator", _("Operator")
    APPROVER = "approver", _("Approver")
    ADMIN = "admin", _("Administrator")

    def may(self, needed: "Role") -> bool:
        """Does this role include `needed`?"""
        order = list(Role)
        return order.index(self) >= order.index(needed)
