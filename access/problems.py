"""Errors as RFC 9457 problem JSON: one shape for every endpoint, with a stable `code`."""

import logging
from collections.abc import Sequence
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views import defaults
from rest_framework import exceptions
from rest_framework.views import set_rollback

log = logging.getLogger("decodeck.problem")

MEDIA_TYPE = "application/problem+json"
TYPE_PREFIX = "urn:decodeck:problem:"


def problem(
    code: str,
    *,
    status: int,
    title: str,
    detail: str = "",
    errors: Sequence[dict[str, Any]] = (),
    current: dict[str, Any] | None = None,
) -> JsonResponse:
    """Return one problem; `errors` has a {field, code, message} for each field that is wrong.

    `current` is what a write met that started from something older.
    """
    body: dict[str, Any] = {"type": TYPE_PREFIX + code, "title": str(title), "status": status, "code": code}
    if detail:
        body["detail"] = str(detail)
    if errors:
        body["errors"] = list(errors)
    if current is not None:
        body["current"] = current
    return JsonResponse(body, status=status, content_type=MEDIA_TYPE)


def invalid(errors: Sequence[dict[str, Any]], *, title: str = "") -> JsonResponse:
    """The answer to a body whose fields are wrong: each of `errors` has field, code and message."""
    first = errors[0]
    detail = f"{first['field']}: {first['message']}" if first.get("field") else str(first["message"])
    return problem(
        "invalid_request",
        status=422,
        title=title or _("This request cannot be answered."),
        detail=detail,
        errors=errors,
    )


def is_api(request: HttpRequest) -> bool:
    """Does a program rather than a browser wait for the answer?"""
    return request.path_info.startswith("/api/")


def exception_handler(exc: Exception, _context: dict[str, Any]) -> HttpResponse | None:
    """REST framework's exceptions as problems; None, and so a 500, for what nobody foresaw."""
    if isinstance(exc, Http404):
        exc = exceptions.NotFound()
    elif isinstance(exc, PermissionDenied):
        exc = exceptions.PermissionDenied()
    if not isinstance(exc, exceptions.APIException):
        return None
    set_rollback()
    response = _problem_of(exc)
    # The framework sets these two on the exceptions that have them.
    sign_in, wait = getattr(exc, "auth_header", None), getattr(exc, "wait", None)
    if sign_in:
        response["WWW-Authenticate"] = sign_in
    if wait:
        response["Retry-After"] = str(int(wait))
    return response


def _problem_of(exc: exceptions.APIException) -> JsonResponse:
    if isinstance(exc, exceptions.ValidationError):
        return problem(
            "invalid_request",
            status=422,
            title=_("This request cannot be answered."),
            errors=list(_field_errors(exc.get_full_details(), path="")),
        )
    return problem(
        str(exc.get_codes()),
        status=exc.status_code,
        title=_title(exc.status_code),
        detail=str(exc.detail),
    )


def _field_errors(details: Any, *, path: str) -> list[dict[str, Any]]:
    """Flatten the framework's tree of errors; a field within a field reads `outer.inner`, a row `rows.3`."""
    if isinstance(details, dict) and set(details) == {"message", "code"}:
        return [{"field": path or None, "code": details["code"], "message": details["message"]}]
    if isinstance(details, dict):
        pairs = [
            (path if name == "non_field_errors" else _join(path, name), value)
            for name, value in details.items()
        ]
    else:
        leaf = all(isinstance(value, dict) and set(value) == {"message", "code"} for value in details)
        pairs = [(path if leaf else _join(path, str(index)), value) for index, value in enumerate(details)]
    return [error for name, value in pairs for error in _field_errors(value, path=name)]


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _title(status: int) -> str:
    titles = {
        400: _("This request cannot be read."),
        401: _("Sign in first."),
        403: _("This is not allowed."),
        404: _("There is nothing here."),
        405: _("This method is not answered here."),
        406: _("This format is not available."),
        408: _("The body did not arrive in full."),
        411: _("The length of the body must be stated."),
        413: _("The body is too large."),
        415: _("This media type is not read here."),
        429: _("Too many requests."),
    }
    return titles.get(status, _("The request failed."))


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """handler400."""
    if is_api(request):
        return problem("bad_request", status=400, title=_title(400))
    return defaults.bad_request(request, exception)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """handler403."""
    if is_api(request):
        return problem("permission_denied", status=403, title=_title(403))
    return _page(request, status=403, exception=str(exception))


def _page(request: HttpRequest, *, status: int, **context: str) -> HttpResponse:
    """The page of a failure. Django's own views look for a token in the body, and so read it: these do not."""
    return render(request, f"{status}.html", context, status=status)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The answer to a browser's request without the secret that our own pages send along."""
    if is_api(request):
        return problem(
            "csrf_failed", status=403, title=_title(403), detail=_("The CSRF token is missing or wrong.")
        )
    return render(request, "403_csrf.html", {"reason": reason}, status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """handler404."""
    if is_api(request):
        return problem("not_found", status=404, title=_title(404), detail=_("No such address in this API."))
    return _page(request, status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """handler500. Says nothing of the cause: that is in the log, under the id of the request."""
    if is_api(request):
        return problem("server_error", status=500, title=_("The server failed; the failure is logged."))
    return defaults.server_error(request)


def too_large(request: HttpRequest, *, limit_bytes: int) -> HttpResponse:
    """A body beyond the limit: answered without reading it."""
    if is_api(request):
        detail = _("At most %(limit)s bytes are read here.") % {"limit": limit_bytes}
        return problem("body_too_large", status=413, title=_title(413), detail=detail)
    return render(request, "413.html", status=413)


def length_required(request: HttpRequest) -> HttpResponse:
    """A body of unknown length: refused, since only a stated length can be held against the limit."""
    if is_api(request):
        detail = _("Send a Content-Length header in place of a chunked body.")
        return problem("length_required", status=411, title=_title(411), detail=detail)
    return HttpResponse(_title(411), status=411, content_type="text/plain; charset=utf-8")


def incomplete(request: HttpRequest) -> HttpResponse:
    """A body that stopped arriving."""
    if is_api(request):
        return problem("body_incomplete", status=408, title=_title(408))
    return HttpResponse(_title(408), status=408, content_type="text/plain; charset=utf-8")
