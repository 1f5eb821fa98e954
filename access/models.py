"""Users: who may do what."""

import zoneinfo

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from access.roles import Role


def validate_time_zone(name: str) -> None:
    """Refuse a name that the IANA time zone database does not have."""
    if name not in zoneinfo.available_timezones():
        raise ValidationError(
            _("%(name)s is not a known time zone."), code="time_zone_unknown", params={"name": name}
        )


class UserManager(BaseUserManager["User"]):
    """Finds users without regard to case: two people must not differ by a capital letter only."""

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(username__iexact=username)

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
    permissions per object, because one organisation uses one Decodeck."""

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
    REQUIRED_FIELDS: list[str] = []

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
