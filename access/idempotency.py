"""Writes that may be repeated: `Idempotency-Key` on a request makes a second one give the first one's answer.

A key belongs to one user for a day. The claim is committed first, so that a second request sees it; the work
and its answer are committed together, so that a crash between them leaves neither.
"""

import hashlib
import json
import re
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any

from django.db import IntegrityError, transaction
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from access.models import IdempotencyKey
from access.problems import problem
from access.revisions import etag

HEADER = "Idempotency-Key"
LIFE = timedelta(days=1)
# A claim without an answer after this long is a dead process's.
LEASE = timedelta(minutes=2)
_FORM = re.compile(r"[\x21-\x7e]{1,200}")

Work = Callable[..., HttpResponse]


def idempotent(view: Work) -> Work:
    """Decorate the function of a REST view, inside `@api_view`; requests without a key pass as they are."""

    @wraps(view)
    def answer(request: Request, *args: Any, **kwargs: Any) -> HttpResponse:
        key = request.headers.get(HEADER)
        if key is None:
            return view(request, *args, **kwargs)
        if not _FORM.fullmatch(key):
            detail = _("Up to 200 printable ASCII characters without spaces, such as a UUID.")
            return problem(
                "idempotency_key_malformed", status=400, title=_("This key cannot be used."), detail=detail
            )
        user_pk, digest = int(request.user.pk or 0), fingerprint(request)
        claimed = _claim(user_pk, key=key, digest=digest)
        if claimed is None:
            return _replay(user_pk, key=key, digest=digest)
        return _work(claimed, lambda: view(request, *args, **kwargs))

    return answer


def fingerprint(request: Request) -> str:
    """What makes two requests the same: method, path with query, and body."""
    head = f"{request.method} {request.get_full_path()}\n".encode()
    return hashlib.sha256(head + request.body).hexdigest()


def _claim(user_pk: int, *, key: str, digest: str) -> IdempotencyKey | None:
    """The row that is ours to answer; None when another request has it."""
    now = timezone.now()
    mine = IdempotencyKey.objects.filter(user_id=user_pk, key=key)
    mine.filter(expires_at__lte=now).delete()
    mine.filter(status=None, created_at__lte=now - LEASE).delete()
    try:
        with transaction.atomic():
            return IdempotencyKey.objects.create(
                user_id=user_pk, key=key, fingerprint=digest, created_at=now, expires_at=now + LIFE
            )
    except IntegrityError:
        return None


def _replay(user_pk: int, *, key: str, digest: str) -> HttpResponse:
    row = IdempotencyKey.objects.filter(user_id=user_pk, key=key).first()
    if row is not None and row.fingerprint != digest:
        return problem(
            "idempotency_key_reused",
            status=422,
            title=_("This key was used for another request."),
            detail=_("Take a new key for each new request."),
        )
    if row is None or row.status is None:
        return _in_flight()
    headers = {"Idempotency-Replayed": "true"}
    if isinstance(row.answer, dict) and isinstance(row.answer.get("revision"), int):
        headers["ETag"] = etag(row.answer["revision"])
    return Response(row.answer, status=row.status, headers=headers)


def _work(row: IdempotencyKey, work: Callable[[], HttpResponse]) -> HttpResponse:
    """Do the work and keep its answer; what fails gives the key back, so that it may be tried again."""
    try:
        with transaction.atomic():
            response = work()
            succeeded = response.status_code < 300
            kept = succeeded and _keep(row, response)
            if not kept:
                transaction.set_rollback(True)
    except Exception:
        row.delete()
        raise
    if not succeeded:
        row.delete()
        return response
    # Slower than the lease: another request has the key now, and nothing of this one's work stays.
    return response if kept else _in_flight()


def _keep(row: IdempotencyKey, response: Any) -> bool:
    unanswered = IdempotencyKey.objects.filter(pk=row.pk, status=None)
    sent = JSONRenderer().render(response.data)  # times and amounts as they are sent; nothing for a 204
    answer = json.loads(sent) if sent else None
    return bool(unanswered.update(status=response.status_code, answer=answer))


def _in_flight() -> HttpResponse:
    response = problem(
        "idempotency_key_in_flight",
        status=409,
        title=_("The first request with this key is still being answered."),
        detail=_("Ask again in a moment."),
    )
    response["Retry-After"] = "1"
    return response
