"""People and tokens for tests."""

from datetime import timedelta
from typing import Any

from django.test import Client
from django.utils import timezone

from access.actions import create_token
from access.models import ApiToken, User
from access.roles import Role
from access.scopes import Scope


def person(role: Role = Role.VIEWER, *, name: str = "") -> User:
    """A user with this role and no password."""
    return User.objects.create_user(name or str(role), role=role)


def signed_in(user: User, **options: Any) -> Client:
    """A browser in which the user is signed in."""
    client = Client(**options)
    client.force_login(user)
    return client


def token_text(user: User, *scopes: Scope, expired: bool = False, revoked: bool = False) -> str:
    """The text of a new token of this user."""
    token, text = create_token(user, name="script", scopes=list(scopes), days=1, actor=user)
    now = timezone.now()
    if expired:
        ApiToken.objects.filter(pk=token.pk).update(expires_at=now - timedelta(seconds=1))
    if revoked:
        ApiToken.objects.filter(pk=token.pk).update(revoked_at=now)
    return text


def bearer(text: str) -> Client:
    """A script that sends this token."""
    return Client(headers={"Authorization": f"Bearer {text}"})
