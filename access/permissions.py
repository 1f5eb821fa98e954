"""What the REST framework asks before a view runs: is the caller's scope enough?"""

from typing import Any

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from access.models import ApiToken, User
from access.scopes import Scope


class DenyUndeclared(BasePermission):
    """The default of every REST view: nobody, until the view lists a `HasScope`."""

    def has_permission(self, request: Request, view: Any) -> bool:
        return False


class HasScope(BasePermission):
    """A token with this scope, or a person signed in with the role that the scope needs.

    `write`, where given, is the scope of every method that is not safe. Goes into `permission_classes` as an
    instance, `[HasScope("estimates:read")]`: the framework calls what is listed there to get a permission, and
    calling an instance gives the instance.
    """

    def __init__(self, scope: str, *, write: str | None = None) -> None:
        self.scope = Scope(scope)
        self.write = None if write is None else Scope(write)

    def __call__(self) -> "HasScope":
        return self

    def has_permission(self, request: Request, view: Any) -> bool:
        scope = self.scope if request.method in SAFE_METHODS or self.write is None else self.write
        return may_use(scope, user=request.user, token=request.auth)


def may_use(scope: Scope, *, user: Any, token: Any) -> bool:
    """May this user, through this token if one is given, use the scope?"""
    if not isinstance(user, User) or not user.may(scope.role):
        return False
    return token is None or (isinstance(token, ApiToken) and scope in token.scopes)


def actor_of(request: Request) -> User:
    """Who calls, after HasScope let them: a user and never a stranger."""
    user = request.user
    assert isinstance(user, User)
    return user
