"""Users and what proves who they are, and the records of what was done."""

import zoneinfo
from collections.abc import Iterator
from typing import Any, ClassVar, NoReturn

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from access.roles import Role
from access.scopes import Scope


def validate_time_zone(name: str) -> None:
    """Refuse a name that the IANA time zone database does not have."""
    if name not in zoneinfo.available_timezones():
        raise ValidationError(
            _("%(name)s is not a known time zone."), code="time_zone_unknown", params={"name": name}
        )


class UserManager(BaseUserManager["User"]):
    """Finds users without regard to case: two people must not differ by a capital letter only."""

    def get_by_natural_key(self, username: str | None) -> "User":
        # Lower, as the unique constraint has it: by `iexact` one name may match two users on PostgreSQL.
        return self.alias(lowered=Lower("username")).get(lowered=Lower(models.Value(username)))

    def create_user(self, username: str, *, password: str | None = None, **fields: object) -> "User":
        """Create a user; without a password nobody can sign in as this user until one is set."""
        user = self.model(username=self.model.normalize_username(username), **fields)
        user.set_password(password)
        user.full_clean(exclude=["password"])
        user.save(using=self._db)
        return user

    def create_superuser(self, username: str, *, password: str | None = None, **fields: object) -> "User":
        """Create an administrator; Django's own `createsuperuser` command calls this."""
        return self.create_user(username, password=password, **{**fields, "role": Role.ADMIN})


class User(AbstractBaseUser):
    """A person who signs in. The role alone decides what they may do: there are no groups and no
    permissions per object, because one organisation uses one Decodeck. Users are never deleted, so that
    the record of what they did keeps its author; they are barred from signing in instead."""

    username = models.CharField(
        _("user name"), max_length=150, unique=True, validators=[UnicodeUsernameValidator()]
    )
    email = models.EmailField(_("mail address"), blank=True)
    role = models.CharField(_("role"), max_length=16, choices=Role, default=Role.VIEWER)
    language = models.CharField(
        _("language"), max_length=16, blank=True, help_text=_("Empty: the browser's language.")
    )
    time_zone = models.CharField(
        _("time zone"), max_length=64, default="UTC", validators=[validate_time_zone]
    )
    is_active = models.BooleanField(_("may sign in"), default=True)
    created_at = models.DateTimeField(_("created"), default=timezone.now, editable=False)

    objects = UserManager()

    EMAIL_FIELD = "email"
    USERNAME_FIELD = "username"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        verbose_name = _("user")
        verbose_name_plural = _("users")
        constraints = [
            models.UniqueConstraint(
                Lower("username"),
                name="access_user_username_any_case",
                violation_error_message=_("A user with that name already exists."),
            ),
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="access_user_role_known"),
        ]

    def __str__(self) -> str:
        return self.username

    def may(self, needed: Role) -> bool:
        """May this user do what `needed` may?"""
        return Role(self.role).may(needed)


class SignInLink(models.Model):
    """A link that signs one user in, once. Only its hash is kept."""

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="sign_in_links")
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"link {self.pk} of user {self.user_id}"

    @property
    def is_live(self) -> bool:
        """Neither used nor expired."""
        return self.used_at is None and timezone.now() < self.expires_at


class ApiToken(models.Model):
    """What a script signs in with. `prefix` finds it and may be shown; the secret's hash proves it."""

    user = models.ForeignKey(User, on_delete=models.PROTECT, related_name="api_tokens")
    name = models.CharField(_("name"), max_length=80)
    prefix = models.CharField(max_length=16, unique=True)
    digest = models.CharField(max_length=64)
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        indexes = [models.Index(fields=["user", "-created_at"], name="access_token_of_user")]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix})"

    @property
    def state(self) -> str:
        """revoked, expired or live."""
        if self.revoked_at is not None:
            return "revoked"
        return "live" if timezone.now() < self.expires_at else "expired"

    @property
    def scope_names(self) -> list[str]:
        """The scopes in words; one that this version no longer knows is shown as it is stored."""
        return [str(Scope(scope).label) if scope in Scope.values else scope for scope in self.scopes]


class Counter(models.Model):
    """How often something happened in the running window; kept here so that all web processes share it."""

    key = models.CharField(max_length=80, unique=True)
    count = models.PositiveIntegerField()
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.key}: {self.count}"


class AppendOnly(models.QuerySet):
    """Rows about the past: added, never changed, never removed."""

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError(f"{self.model.__name__} is append-only")

    update = delete = bulk_update = update_or_create = _refuse


def _pairs(data: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in data.items():
        if isinstance(value, dict):
            yield from _pairs(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", ", ".join(map(str, value)) if isinstance(value, list) else str(value)


class AuditEvent(models.Model):
    """Who did what to which object, when, why, and in which request."""

    at = models.DateTimeField(default=timezone.now, db_index=True)
    actor = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    action = models.CharField(max_length=64)
    reason = models.CharField(max_length=500, blank=True)
    object_type = models.CharField(max_length=64, blank=True)
    object_id = models.CharField(max_length=64, blank=True)
    request_id = models.CharField(max_length=128, blank=True)
    data = models.JSONField(default=dict)

    objects = AppendOnly.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [models.Index(fields=["object_type", "object_id"], name="access_audit_of_object")]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M:%S} {self.action}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise TypeError("AuditEvent is append-only")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError("AuditEvent is append-only")

    @property
    def details(self) -> list[tuple[str, str]]:
        """The data as pairs to read: nested names joined by dots, lists by commas."""
        return list(_pairs(self.data))


class IdempotencyKey(models.Model):
    """A write that a caller may repeat: the first one's answer is kept and given again."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    fingerprint = models.CharField(max_length=64)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(db_index=True)
    status = models.PositiveSmallIntegerField(null=True)
    answer = models.JSONField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="access_idempotency_key_once")]

    def __str__(self) -> str:
        return f"{self.key} of user {self.user_id}"


class Webhook(models.Model):
    """A machine that wants to hear of things. Its secret is sealed: we must send with it, so a hash won't do."""

    name = models.CharField(_("name"), max_length=80)
    url = models.URLField(_("address"), max_length=500)
    sealed_secret = models.TextField()
    events = models.JSONField(_("events"), default=list)
    is_active = models.BooleanField(_("in use"), default=True)
    revision = models.PositiveIntegerField(default=1)
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    deleted_at = models.DateTimeField(null=True)  # what was sent to it stays readable

    class Meta:
        ordering = ["name", "pk"]

    def __str__(self) -> str:
        return self.name


class OutboxMessage(models.Model):
    """Something to be sent, written in the transaction that made it necessary and delivered afterwards."""

    class Kind(models.TextChoices):
        MAIL = "mail", _("Mail")
        WEBHOOK = "webhook", _("Webhook")

    class State(models.TextChoices):
        WAITING = "waiting", _("Waiting")
        SENT = "sent", _("Sent")
        GIVEN_UP = "given_up", _("Given up")

    kind = models.CharField(max_length=16, choices=Kind)
    webhook = models.ForeignKey(Webhook, null=True, on_delete=models.PROTECT, related_name="+")
    target = models.CharField(max_length=500)
    payload = models.JSONField()
    state = models.CharField(max_length=16, choices=State, default=State.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    next_attempt_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True)
    last_error = models.CharField(max_length=500, blank=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["next_attempt_at"], condition=models.Q(state="waiting"), name="access_outbox_due"
            ),
            models.Index(fields=["webhook", "-id"], name="access_outbox_of_webhook"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk} to {self.target}"
