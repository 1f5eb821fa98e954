"""The outermost layer of each request: its id, its log line and its share of the metrics."""

import logging
import re
from collections.abc import Callable
from time import perf_counter
from uuid import uuid4

from django.http import HttpRequest, HttpResponse

from access.request_id import request_id
from config.metrics import REQUEST_SECONDS, REQUESTS

log = logging.getLogger("decodeck.request")
_VALID_ID = re.compile(r"[A-Za-z0-9._-]{8,128}")


class RequestLogMiddleware:
    """Gives each request an id, the caller's if it's a sane one, and logs the answer without its query or body."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get("X-Request-ID", "")
        current = given if _VALID_ID.fullmatch(given) else uuid4().hex
        token = request_id.set(current)
        started = perf_counter()
        try:
            response = self.get_response(request)
            response["X-Request-ID"] = current
            _record(request, response, seconds=perf_counter() - started)
            return response
        finally:
            request_id.reset(token)


def _record(request: HttpRequest, response: HttpResponse, *, seconds: float) -> None:
    match = request.resolver_match
    # Paths are unbounded and may hold a secret (a sign-in link does): the route is neither.
    route = f"/{match.route}" if match else None
    view = match.view_name if match else "none"
    REQUESTS.labels(view=view, method=_method(request), status=str(response.status_code)).inc()
    REQUEST_SECONDS.labels(view=view).observe(seconds)
    # Only a user that the view has looked at: asking request.user would cost a query on each answer.
    user = getattr(request, "_cached_user", None)
    log.info(
        "request",
        extra={
            "method": _method(request),
            "route": route,
            "status": response.status_code,
            "ms": round(1000 * seconds, 1),
            "user_id": getattr(user, "pk", None),
        },
    )


def _method(request: HttpRequest) -> str:
    known = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
    return request.method if request.method in known else "OTHER"
