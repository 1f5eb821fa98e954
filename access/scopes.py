"""What an API token may be allowed to do: the one list of scopes, and the role that each of them needs."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from access.roles import Role


class Scope(models.TextChoices):
    """A token carries some of these. Its owner's role must include them too, today and not when it was made."""

    ESTIMATES_READ = "estimates:read", _("Ask for estimates")
    CATALOG_READ = "catalog:read", _("Read the catalog")
    CATALOG_WRITE = "catalog:write", _("Change the catalog and import models")
    QUOTES_READ = "quotes:read", _("Read quotes, rates and costs")
    QUOTES_WRITE = "quotes:write", _("Write quotes, rates and cost assumptions")
    PLANS_READ = "plans:read", _("Read saved plans and length logs")
    PLANS_WRITE = "plans:write", _("Write saved plans and length logs")
    PLANS_APPROVE = "plans:approve", _("Approve and reject plans")
    WEBHOOKS_WRITE = "webhooks:write", _("Manage webhooks")
    METRICS_READ = "metrics:read", _("Read this server's metrics")

    @property
    def role(self) -> Role:
        """The least role that may use this scope, in the browser or through a token."""
        return ROLE_OF_SCOPE[self]


ROLE_OF_SCOPE: dict[Scope, Role] = {
    Scope.ESTIMATES_READ: Role.VIEWER,
    Scope.CATALOG_READ: Role.VIEWER,
    Scope.CATALOG_WRITE: Role.OPERATOR,
    Scope.QUOTES_READ: Role.VIEWER,
    Scope.QUOTES_WRITE: Role.OPERATOR,
    Scope.PLANS_READ: Role.VIEWER,
    Scope.PLANS_WRITE: Role.OPERATOR,
    Scope.PLANS_APPROVE: Role.APPROVER,
    Scope.WEBHOOKS_WRITE: Role.ADMIN,
    Scope.METRICS_READ: Role.OPERATOR,
}
