"""The layers that every request passes: size, who it is from, and in which language and time zone."""

import math
import re
import zoneinfo
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, UnreadablePostError
from django.shortcuts import resolve_url
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from access.declare import access_of, is_rest
from access.permissions import may_use
from access.problems import incomplete, is_api, length_required, problem, too_large
from access.scopes import Scope
from access.tokens import bearer_of, find_token

GetResponse = Callable[[HttpRequest], HttpResponse]


class BodyLimitMiddleware:
    """Refuses a body by its stated length, before a byte of it is read or kept."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "Transfer-Encoding" in request.headers and "Content-Length" not in request.headers:
            return length_required(request)
        limit = body_limit(request.path_info)
        if _stated_length(request) > limit:
            return too_large(request, limit_bytes=limit)
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """A client that went silent or away in the middle of its body is no failure of ours."""
        return incomplete(request) if isinstance(exception, UnreadablePostError) else None


def body_limit(path: str) -> int:
    """How many bytes a body sent to this path may have."""
    return next((size for start, size in settings.BODY_LIMITS_BYTES if path.startswith(start)))


def _stated_length(request: HttpRequest) -> float:
    text = request.META.get("CONTENT_LENGTH") or "0"
    if not re.fullmatch(r"[0-9]+", text):
        return 0
    # Longer than any length there is, and too long for int().
    return int(text) if len(text) < 20 else math.inf


class AccessMiddleware:
    """Holds every view to what it declares (`access.declare`), and denies those that declare nothing."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> HttpResponse | None:
        access = access_of(view)
        if access is None:
            raise PermissionDenied(_("This page does not say who may see it."))
        if access.public or is_rest(view):
            return None
        if access.scope is not None:
            return _check_scope(request, access.scope)
        if not request.user.is_authenticated:
            return _sign_in_first(request)
        if access.role is None or not request.user.may(access.role):
            raise PermissionDenied(_("Your role does not include this."))
        return None


def _check_scope(request: HttpRequest, scope: Scope) -> HttpResponse | None:
    """For plain views that programs read, such as metrics: the answers that the REST framework would give."""
    text = bearer_of(request)
    token = find_token(text) if text is not None else None
    user = token.user if token else request.user
    if not user.is_authenticated or (text is not None and token is None):
        response = problem("not_authenticated", status=401, title=_("Sign in first."))
        response["WWW-Authenticate"] = 'Bearer realm="decodeck"'
        return response
    if not may_use(scope, user=user, token=token):
        return problem("permission_denied", status=403, title=_("This is not allowed."))
    return None


def _sign_in_first(request: HttpRequest) -> HttpResponse:
    if is_api(request):
        return problem("not_authenticated", status=401, title=_("Sign in first."))
    if request.headers.get("HX-Request"):
        # A redirect would be followed and swapped into the page that asked; on a 401 the page says so itself.
        return HttpResponse(status=401)
    address = resolve_url(settings.LOGIN_URL)
    return HttpResponseRedirect(f"{address}?next={quote(request.get_full_path())}")


class PreferencesMiddleware:
    """Speaks the language and the time zone of the person who is signed in."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        user = request.user
        if not user.is_authenticated:
            return self.get_response(request)
        if user.language:
            translation.activate(user.language)
            request.LANGUAGE_CODE = translation.get_language()
        with timezone.override(zoneinfo.ZoneInfo(user.time_zone)):
            return self.get_response(request)


class SecurityHeadersMiddleware:
    """The headers that neither Django nor django-csp sets."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Permissions-Policy", settings.PERMISSIONS_POLICY)
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        return response
