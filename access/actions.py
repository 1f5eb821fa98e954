"""What people and tokens do to access itself; each verb writes its audit event in the same transaction."""

from datetime import timedelta
from typing import Any

from django.contrib.sessions.backends.db import SessionStore
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Model
from django.utils import timezone

from access.models import ApiToken, AuditEvent, Counter, IdempotencyKey, SignInLink, User
from access.request_id import request_id
from access.roles import Role
from access.scopes import Scope
from access.secret_text import digest_of, new_secret

SIGN_IN_LINK_LIFE = timedelta(minutes=30)
# Long enough to see in an inquiry which links there were.
SIGN_IN_LINK_KEPT = timedelta(days=30)
FIRST_ADMIN = "admin"


def record_audit(
    action: str, *, actor: User | None, about: Model | None = None, reason: str = "", **data: Any
) -> AuditEvent:
    """Write down that `actor` (None: the system itself) did `action`, such as "token.create", to `about`."""
    return AuditEvent.objects.create(
        action=action,
        actor=actor,
        reason=reason,
        object_type=about._meta.label_lower if about else "",  # noqa: SLF001  # Django documents _meta
        object_id=str(about.pk) if about else "",
        request_id=request_id.get(),
        data=data,
    )


@transaction.atomic
def create_token(
    user: User, *, name: str, scopes: list[Scope], days: int, actor: User
) -> tuple[ApiToken, str]:
    """Return the new token and its text, which can't be had again."""
    prefix, secret = new_secret_prefix(), new_secret()
    token = ApiToken.objects.create(
        user=user,
        name=name,
        prefix=prefix,
        digest=digest_of(secret),
        scopes=sorted(str(scope) for scope in scopes),
        expires_at=timezone.now() + timedelta(days=days),
    )
    record_audit("token.create", actor=actor, about=token, prefix=prefix, scopes=token.scopes, days=days)
    return token, f"dk_{prefix}_{secret}"


def new_secret_prefix() -> str:
    """Twelve hexadecimal digits that name a token in lists and logs; they prove nothing."""
    return digest_of(new_secret())[:12]


@transaction.atomic
def revoke_token(token: ApiToken, *, actor: User) -> bool:
    """Make the token worthless from now on; False when it was revoked before."""
    revoked = ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now())
    if revoked:
        record_audit("token.revoke", actor=actor, about=token, prefix=token.prefix)
    return bool(revoked)


@transaction.atomic
def create_sign_in_link(user: User, *, actor: User | None) -> tuple[SignInLink, str]:
    """Return a link for `user` and the secret that goes into its address; links made before end with it."""
    secret = new_secret()
    _end_links(user)
    link = SignInLink.objects.create(
        user=user, digest=digest_of(secret), expires_at=timezone.now() + SIGN_IN_LINK_LIFE
    )
    record_audit("sign_in_link.create", actor=actor, about=user)
    return link, secret


def first_admin() -> User:
    """The administrator of longest standing who may sign in, created if there is none.

    A ValidationError means that somebody else bears the first administrator's name.
    """
    found = _longest_standing_admin()
    if found is not None:
        return found
    try:
        return create_user(FIRST_ADMIN, role=Role.ADMIN, actor=None)
    except (ValidationError, IntegrityError):
        # Two processes may start at once: then the other one created it.
        found = _longest_standing_admin()
        if found is None:
            raise
        return found


def _longest_standing_admin() -> User | None:
    return User.objects.filter(role=Role.ADMIN, is_active=True).order_by("pk").first()


@transaction.atomic
def use_sign_in_link(link: SignInLink, *, password: str = "") -> bool:
    """Use the link up and, if one is given, set its user's password; False when it was used or has expired."""
    now = timezone.now()
    used = SignInLink.objects.filter(pk=link.pk, used_at=None, expires_at__gt=now).update(used_at=now)
    if not used:
        return False
    if password:
        set_password(link.user, password=password, actor=link.user)
    record_audit("sign_in_link.use", actor=link.user, about=link.user)
    return True


def _end_links(user: User) -> None:
    now = timezone.now()
    SignInLink.objects.filter(user=user, used_at=None, expires_at__gt=now).update(expires_at=now)


@transaction.atomic
def set_password(user: User, *, password: str, actor: User) -> None:
    """Change the password; every other session of the user ends with it, as Django ties them together.

    So does every sign-in link: whoever holds an old one must not get past the new password.
    """
    user.set_password(password)
    user.save(update_fields=["password"])
    _end_links(user)
    record_audit("user.password", actor=actor, about=user)


@transaction.atomic
def create_user(username: str, *, role: Role, actor: User | None) -> User:
    """Create a user without a password: they sign in by a link."""
    user = User.objects.create_user(username, role=role)
    record_audit("user.create", actor=actor, about=user, role=role)
    return user


class LastAdminError(Exception):
    """After this change nobody could administer users any more."""


@transaction.atomic
def change_user(user: User, *, fields: list[str], actor: User) -> None:
    """Save what an administrator changed about `user`; someone barred from signing in is out at once.

    Raises LastAdminError: two administrators may take the role from each other in the same moment.
    """
    if not fields:
        return
    admins = User.objects.filter(role=Role.ADMIN, is_active=True)
    list(admins.select_for_update().order_by("pk"))
    user.save(update_fields=fields)
    if not admins.exists():
        raise LastAdminError
    if not user.is_active:
        _end_links(user)
    record_audit("user.change", actor=actor, about=user, **{name: getattr(user, name) for name in fields})


def set_language(user: User, *, language: str) -> None:
    """Remember the language for every browser of this user."""
    User.objects.filter(pk=user.pk).update(language=language)


def forget_expired() -> None:
    """Remove what has served its time, sessions included; audit events and messages stay."""
    now = timezone.now()
    Counter.objects.filter(expires_at__lte=now).delete()
    IdempotencyKey.objects.filter(expires_at__lte=now).delete()
    SignInLink.objects.filter(expires_at__lte=now - SIGN_IN_LINK_KEPT).delete()
    SessionStore.clear_expired()
