"""Reads of access."""

from dataclasses import dataclass

from django.db.models import QuerySet

from access.models import ApiToken, AuditEvent, SignInLink, User
from access.roles import Role
from access.secret_text import digest_of

AUDIT_PAGE = 50


def tokens_for(user: User) -> QuerySet[ApiToken]:
    """The tokens that a user may see and revoke: their own, and for an administrator everybody's."""
    tokens = ApiToken.objects.select_related("user")
    return tokens if user.may(Role.ADMIN) else tokens.filter(user=user)


def link_of(secret: str) -> SignInLink | None:
    """The sign-in link with this secret, used or not, if its user may sign in."""
    links = SignInLink.objects.select_related("user").filter(user__is_active=True)
    return links.filter(digest=digest_of(secret)).first()


@dataclass(frozen=True, slots=True)
class AuditPage:
    """Some events, newest first, and where the older ones go on."""

    events: list[AuditEvent]
    older_than: int | None


def audit_page(before: int | None) -> AuditPage:
    """The page of events older than `before`. By number and not by offset: page 1,000 costs what page 1 does."""
    events = AuditEvent.objects.select_related("actor")
    if before is not None:
        events = events.filter(pk__lt=before)
    found = list(events[: AUDIT_PAGE + 1])
    more = len(found) > AUDIT_PAGE
    return AuditPage(events=found[:AUDIT_PAGE], older_than=found[AUDIT_PAGE - 1].pk if more else None)
