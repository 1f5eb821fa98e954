"""What an API token may be allowed to do: the one list of scopes, and the role that each of them needs."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from access.roles import Role


class Scope(models.TextChoices):
    """A token carries some of these. Its owner's role must include them too, today and not when it was made."""

    ESTIMATES_READ = "estimates:read", _("Ask for estimates")
    METRICS_READ = "metrics:read", _("Read this server's metrics")

    @property
    def role(self) -> Role:
        """The least role that may use this scope, in the browser or through a token."""
        return ROLE_OF_SCOPE[self]


ROLE_OF_SCOPE: dict[Scope, Role] = {
    Scope.ESTIMATES_READ: Role.VIEWER,
    Scope.METRICS_READ: Role.OPERATOR,
}
