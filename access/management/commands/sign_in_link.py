"""manage.py sign_in_link: print a link that signs one user in, once."""

from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from access.actions import FIRST_ADMIN, SIGN_IN_LINK_LIFE, create_sign_in_link, first_admin
from access.models import User


class Command(BaseCommand):
    help = "Print a one-time sign-in link: for the first administrator, created if there is none, or for --username."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--username", help="the user to sign in; they must exist and may sign in")
        parser.add_argument("--address", default=settings.PUBLIC_ADDRESS, help="what the link starts with")

    def handle(self, *args: Any, **options: Any) -> None:
        user = self._user(options["username"])
        _link, secret = create_sign_in_link(user, actor=None)
        self.stdout.write(options["address"].rstrip("/") + reverse("access:sign_in_link", args=[secret]))
        minutes = int(SIGN_IN_LINK_LIFE.total_seconds() // 60)
        self.stderr.write(f"Signs {user.username} in once, within {minutes} minutes.")

    def _user(self, username: str | None) -> User:
        if username is None:
            return self._first_admin()
        try:
            user = User.objects.get_by_natural_key(username)
        except User.DoesNotExist:
            user = None
        if user is None or not user.is_active:
            raise CommandError(f"no user {username!r} who may sign in")
        return user

    def _first_admin(self) -> User:
        try:
            return first_admin()
        except ValidationError:
            raise CommandError(
                f"no administrator may sign in, and the name {FIRST_ADMIN!r} is taken by somebody else"
            ) from None
