"""The description of the REST interface and a page to read it with; both are public, as the code is."""

from typing import Any

from csp.decorators import csp_update
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.views import SpectacularAPIView
from rest_framework.permissions import AllowAny

from access.declare import public

schema = public(
    SpectacularAPIView.as_view(permission_classes=[AllowAny], throttle_classes=[], authentication_classes=[])
)


class TokenScheme(OpenApiAuthenticationExtension):
    """How the description says that a token signs in."""

    target_class = "access.tokens.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": (
                "An API token (`dk_…`), made under Account → API tokens. What stands behind `token` in the `security` of a "
                "call is the scope that it needs; its owner's role must include it too."
            ),
        }


# Swagger UI's own style sheet draws its icons with data: addresses; they can show a picture and run nothing.
@public
@require_safe
@csp_update({"img-src": "data:"})
def docs(request: HttpRequest) -> HttpResponse:
    """Swagger UI from our own files, started by a file too, since no page may hold code."""
    return render(request, "access/api_docs.html")
