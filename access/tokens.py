"""API tokens as they come in: `Authorization: Bearer dk_<prefix>_<secret>`."""

import re
from datetime import timedelta
from hmac import compare_digest

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import authentication, exceptions
from rest_framework.request import Request

from access.models import ApiToken, User
from access.secret_text import digest_of

# Coarse on purpose: a write for each call would make every read of the API a write.
LAST_USED_GRAIN = timedelta(hours=1)
_FORM = re.compile(r"dk_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")


def bearer_of(request: HttpRequest) -> str | None:
    """The bearer token that a request carries; None when it carries none."""
    scheme, _space, value = request.headers.get("Authorization", "").partition(" ")
    return value.strip() if scheme.lower() == "bearer" else None


def find_token(text: str) -> ApiToken | None:
    """The live token of a user who may sign in, in one query; None for any other text.

    Unknown, wrong, expired and revoked are one answer: a stranger with an old token learns nothing.
    """
    parts = _FORM.fullmatch(text)
    if parts is None:
        return None
    token = ApiToken.objects.select_related("user").filter(prefix=parts[1]).first()
    if token is None or not compare_digest(token.digest, digest_of(parts[2])):
        return None
    if token.state != "live" or not token.user.is_active:
        return None
    _note_use(token)
    return token


def _note_use(token: ApiToken) -> None:
    now = timezone.now()
    if token.last_used_at is None or now - token.last_used_at > LAST_USED_GRAIN:
        ApiToken.objects.filter(pk=token.pk, last_used_at=token.last_used_at).update(last_used_at=now)


class TokenAuthentication(authentication.BaseAuthentication):
    """The REST framework's view of our tokens; the first in its list, so that its header goes with a 401."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        text = bearer_of(request)
        if text is None:
            return None
        token = find_token(text)
        if token is None:
            raise exceptions.AuthenticationFailed(_("This token is not valid."), code="token_invalid")
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="decodeck"'
