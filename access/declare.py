"""Each view says who may call it; `access.middleware.AccessMiddleware` denies those that say nothing.

@public                                  anybody
@require_role(Role.VIEWER)               a person who is signed in and may do that much
@require_scope(Scope.METRICS_READ)       a token with that scope, or a person with the role it needs
permission_classes = [HasScope(...)]     the same for views of the REST framework (access.permissions), where
                                         HasScope(..., write=...) asks for another scope to change something
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from django.http import HttpRequest

from access.models import User
from access.permissions import HasScope
from access.roles import Role
from access.scopes import Scope

View = TypeVar("View", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Access:
    """Who may call a view: everybody, a role, or a scope. Exactly one of the three is set.

    `write` is the scope for methods that change something, where it is another one.
    """

    public: bool = False
    role: Role | None = None
    scope: Scope | None = None
    write: Scope | None = None


class PersonRequest(HttpRequest):
    """A request to a view behind `require_role`: somebody is signed in. For type checkers only."""

    user: User


def public(view: View) -> View:
    """Declare that anybody may call this view."""
    return _declare(view, Access(public=True))


def require_role(role: Role) -> Callable[[View], View]:
    """Declare that only people with at least this role may call this view."""
    return lambda view: _declare(view, Access(role=role))


def require_scope(scope: Scope) -> Callable[[View], View]:
    """Declare that a token with this scope, or a person with the role it needs, may call this view."""
    return lambda view: _declare(view, Access(scope=Scope(scope)))


def _declare(view: View, access: Access) -> View:
    view.access = access  # type: ignore[attr-defined]
    return view


def access_of(view: Callable[..., Any]) -> Access | None:
    """What a view declares; None when it says nothing, or says several things."""
    declared = getattr(view, "access", None)
    if declared is not None:
        return declared
    scopes = [
        each
        for each in getattr(getattr(view, "cls", None), "permission_classes", [])
        if isinstance(each, HasScope)
    ]
    return Access(scope=scopes[0].scope, write=scopes[0].write) if len(scopes) == 1 else None


def is_rest(view: Callable[..., Any]) -> bool:
    """Does the REST framework authenticate this view's callers itself?"""
    return hasattr(view, "cls")
