"""Writes that name what they started from: `If-Match: "3"` on a request, so that nobody overwrites what they have not seen."""

import re
from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext as _
from rest_framework.request import Request

from access.problems import problem

_FORM = re.compile(r'(?:W/)?"?(\d{1,9})"?')


def etag(revision: int) -> str:
    """The ETag of a row at this revision."""
    return f'"{revision}"'


def asked_revision(request: Request) -> int | HttpResponse:
    """The revision that the caller read before it writes, or the problem to answer with."""
    text = request.headers.get("If-Match", "").strip()
    found = _FORM.fullmatch(text)
    if found is not None:
        return int(found[1])
    return problem(
        "revision_required",
        status=428,
        title=_("Say which revision this change starts from."),
        detail=_(
            "Send the ETag that you read as If-Match, so that nothing of somebody else's is overwritten."
        ),
    )


def typed_revision(text: str) -> int:
    """The revision that a form was made from; one that nothing has, where it is no number."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1


def changed_meanwhile(current: int, *, shown: dict[str, Any] | None = None) -> HttpResponse:
    """The answer to a write that started from an older revision; `shown` is what stands there now."""
    response = problem(
        "changed_meanwhile",
        status=412,
        title=_("Somebody else changed this meanwhile."),
        detail=_("It is at revision %(current)s now. Read it again, and apply your change to that.")
        % {"current": current},
        current=shown,
    )
    response["ETag"] = etag(current)
    return response
