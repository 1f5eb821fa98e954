"""Addresses of tests only: what fails in each way, and a write that may be repeated."""

import threading
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.urls import path
from rest_framework import exceptions, serializers
from rest_framework.decorators import api_view, permission_classes
from rest_framework.request import Request
from rest_framework.response import Response

from access.actions import record_audit
from access.declare import public
from access.idempotency import idempotent
from access.permissions import HasScope

handler400 = "access.problems.bad_request"
handler403 = "access.problems.forbidden"
handler404 = "access.problems.not_found"
handler500 = "access.problems.server_error"

viewers = permission_classes([HasScope("estimates:read")])
release = threading.Event()
started = threading.Event()


class Row(serializers.Serializer):
    """A number and rows within."""

    count = serializers.IntegerField(min_value=1)
    names = serializers.ListField(child=serializers.CharField(max_length=3), default=list)


@api_view(["POST"])
@viewers
def valid(request: Request) -> Response:
    """Echo what was read."""
    row = Row(data=request.data)
    row.is_valid(raise_exception=True)
    return Response(row.validated_data)


@api_view(["GET"])
@viewers
def conflict(request: Request) -> Response:
    """Fail as an action would."""
    raise exceptions.APIException("the reason", code="server_busy")


@api_view(["GET"])
@viewers
def crash(request: Request) -> Response:
    """Fail as nobody foresaw."""
    raise RuntimeError("secret detail")


@api_view(["GET"])
def undeclared(request: Request) -> Response:
    """A REST view that says nothing."""
    return Response({})


def plain_undeclared(request: HttpRequest) -> HttpResponse:
    """A page that says nothing."""
    return HttpResponse("open")


@api_view(["POST"])
@viewers
@idempotent
def create(request: Request) -> Response:
    """Write one audit event; `fail` makes it fail after the write."""
    event = record_audit("test.create", actor=request.user)
    if request.data.get("fail"):
        raise exceptions.ValidationError({"fail": ["asked for"]})
    return Response({"pk": event.pk}, status=201)


@api_view(["POST"])
@viewers
@idempotent
def slow(request: Request) -> Response:
    """Write one audit event, no sooner than the test lets go."""
    started.set()
    assert release.wait(20)
    return Response({"pk": record_audit("test.create", actor=request.user).pk}, status=201)


@public
def whoami(request: HttpRequest) -> HttpResponse:
    """Answer with the time zone and the language in force."""
    from django.utils import timezone, translation

    name: Any = "nobody" if isinstance(request.user, AnonymousUser) else request.user.username
    return HttpResponse(f"{name} {timezone.get_current_timezone_name()} {translation.get_language()}")


urlpatterns = [
    path("api/valid", valid),
    path("api/conflict", conflict),
    path("api/crash", crash),
    path("api/undeclared", undeclared),
    path("api/plain-undeclared", plain_undeclared),
    path("plain-undeclared", plain_undeclared),
    path("api/create", create),
    path("api/slow", slow),
    path("whoami", whoami),
]
