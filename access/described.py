"""How the description of the REST interface speaks of one call. Apart from its pages, since every REST view loads it."""

from drf_spectacular.openapi import AutoSchema
from rest_framework.permissions import SAFE_METHODS

from access.permissions import HasScope


class DescribedView(AutoSchema):
    """The framework's description of a view, with the scope that a token needs: OpenAPI 3.1 has a place for it."""

    def get_auth(self) -> list[dict[str, list[str]]]:
        scopes = self._scopes()
        return [dict.fromkeys(scheme, scopes) for scheme in super().get_auth()]

    def _scopes(self) -> list[str]:
        asked = [item for item in self.view.get_permissions() if isinstance(item, HasScope)]
        safe = self.method in SAFE_METHODS
        return [str(item.scope if safe or item.write is None else item.write) for item in asked]
