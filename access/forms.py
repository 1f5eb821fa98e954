"""What people type into the pages of access."""

import logging
import zoneinfo
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.contrib.auth.password_validation import password_validators_help_text_html, validate_password
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from access import outgoing
from access.announce import EVENTS
from access.counters import SIGN_IN_WINDOW, allow, client_address, forget, give_back, sign_in_limits
from access.models import User
from access.scopes import Scope
from access.webhooks import check_address

log = logging.getLogger("decodeck.access")

TOKEN_DAYS = [(7, _("7 days")), (30, _("30 days")), (90, _("90 days")), (365, _("1 year"))]


class Styled:
    """Gives each field of a form the classes of our own parts."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():  # type: ignore[attr-defined]
            if isinstance(field.widget, forms.Select):
                field.widget.attrs.setdefault("class", "select")
            elif not isinstance(field.widget, forms.CheckboxSelectMultiple):
                field.widget.attrs.setdefault("class", "input")


class SignInForm(Styled, AuthenticationForm):
    """Name and password, so many tries in a quarter of an hour.

    The try is counted before the password is looked at, so that many at once can't pass together. Whether
    the name exists makes no difference to the answer, nor to the time it takes: Django hashes either way.
    """

    error_messages = {
        **AuthenticationForm.error_messages,
        "invalid_login": _("This name and this password do not go together. Mind capitals in the password."),
    }

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(request, *args, **kwargs)
        # Django states this length for the browser alone, and SQLite compares no text that is endless.
        self.fields["username"].validators.append(MaxLengthValidator(self.username_field.max_length))
        self.address = client_address(request, trusted_proxies=settings.TRUSTED_PROXIES)

    def clean(self) -> dict[str, Any]:
        if "username" not in self.cleaned_data or "password" not in self.cleaned_data:
            # No password was tried: nothing to count, and above all nothing to forget.
            return self.cleaned_data
        limits = sign_in_limits(self.cleaned_data["username"], address=self.address)
        for key, limit in limits.items():
            if not allow(key, limit=limit, window=SIGN_IN_WINDOW):
                # Without the name: people type passwords there.
                log.warning("sign-in locked", extra={"address": self.address})
                raise ValidationError(
                    _(
                        "Too many tries. Wait a quarter of an hour, or ask an administrator for a sign-in link."
                    ),
                    code="locked_out",
                )
        cleaned = super().clean()
        by_name, by_address = limits
        forget(by_name)
        give_back(by_address)
        return cleaned

    def is_locked_out(self) -> bool:
        """Was this try refused for the number of those before it?"""
        return self.has_error("__all__", code="locked_out")


class SignInLinkForm(Styled, forms.Form):
    """Sign in by link; a password may be set on the way."""

    password = forms.CharField(
        label=_("New password"),
        required=False,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    repeated = forms.CharField(
        label=_("The same again"),
        required=False,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        self.fields["password"].help_text = password_validators_help_text_html()

    def clean_password(self) -> str:
        password = self.cleaned_data["password"]
        if password:
            validate_password(password, self.user)
        return password

    def clean(self) -> dict[str, Any]:
        if "password" in self.cleaned_data and self.cleaned_data["password"] != self.cleaned_data.get(
            "repeated"
        ):
            self.add_error("repeated", _("The two passwords differ."))
        return self.cleaned_data


class PasswordForm(Styled, PasswordChangeForm):
    """The old password and the new one twice."""


def language_choices() -> list[tuple[str, Any]]:
    """The languages that we speak, and none of them."""
    return [("", _("As the browser asks")), *settings.LANGUAGES]


def time_zone_choices() -> list[tuple[str, str]]:
    """The time zones of this machine's database."""
    return [(name, name) for name in sorted(zoneinfo.available_timezones())]


class AccountForm(Styled, forms.ModelForm):
    """What a person may change about themself."""

    language = forms.ChoiceField(label=_("Language"), required=False, choices=language_choices)
    time_zone = forms.ChoiceField(label=_("Time zone"), choices=time_zone_choices)

    class Meta:
        model = User
        fields = ["email", "language", "time_zone"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["email"].widget.attrs["autocomplete"] = "email"


def validate_printable(text: str) -> None:
    """Refuse control characters, and those that make text read backwards: a name must show what it is."""
    if not text.isprintable():
        raise ValidationError(_("Use letters, digits and signs that show."), code="not_printable")


class TokenForm(Styled, forms.Form):
    """A new API token: only scopes that the person's own role includes are offered."""

    name = forms.CharField(
        label=_("Name"),
        max_length=80,
        help_text=_("What uses it, for example: procurement script."),
        validators=[validate_printable],
    )
    days = forms.TypedChoiceField(label=_("Expires after"), coerce=int, choices=TOKEN_DAYS, initial=90)

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered = [(scope.value, scope.label) for scope in Scope if user.may(scope.role)]
        self.fields["scopes"] = forms.MultipleChoiceField(
            label=_("Allowed to"), widget=forms.CheckboxSelectMultiple, choices=offered
        )
        self.order_fields(["name", "scopes", "days"])


class UserForm(Styled, forms.ModelForm):
    """A new user, who then signs in by a link."""

    class Meta:
        model = User
        fields = ["username", "role"]

    def clean_username(self) -> str:
        return User.normalize_username(self.cleaned_data["username"])


class UserChangeForm(Styled, forms.ModelForm):
    """What an administrator may change about a user."""

    class Meta:
        model = User
        fields = ["role", "is_active"]


def _host_to_call(url: str) -> str | None:
    """The host of an http or https address with nothing in it that is not sent; None for any other text."""
    try:
        parts = urlsplit(url)
        odd = parts.port == 0 or parts.username is not None or parts.password is not None or parts.fragment
    except ValueError:  # brackets without an address in them, or a port beyond 65535
        return None
    is_plain = parts.scheme in ("http", "https") and not odd and " " not in url
    return parts.hostname if is_plain else None


class WebhookForm(Styled, forms.Form):
    """A machine that wants to hear of things."""

    name = forms.CharField(
        label=_("Name"),
        max_length=80,
        help_text=_("What listens there, for example: procurement."),
        validators=[validate_printable],
    )
    url = forms.CharField(
        label=_("Address"),
        max_length=500,
        help_text=_("https://… It gets a POST with JSON for each event."),
        validators=[validate_printable],
    )
    events = forms.MultipleChoiceField(
        label=_("Events"), widget=forms.CheckboxSelectMultiple, choices=list(EVENTS.items())
    )

    def clean_url(self) -> str:
        """An address that this server may call today; it is checked again with each call."""
        url: str = self.cleaned_data["url"]
        host = _host_to_call(url)
        if host is None:
            raise ValidationError(
                _("Give an address that begins with https:// or http://, without a user name."),
                code="invalid",
            )
        try:
            check_address(url)
        except outgoing.RefusedError:
            text = _(
                "%(host)s may not be called from here. An operator lists hosts and networks in"
                " DECODECK_OUTGOING_ALLOW; a private address counts by its network alone."
            )
            raise ValidationError(text, code="not_allowed", params={"host": host}) from None
        except outgoing.FailedError:
            text = _("%(host)s has no address. Check its spelling.")
            raise ValidationError(text, code="no_address", params={"host": host}) from None
        return url


class DeleteWebhookForm(Styled, forms.Form):
    """Deleting asks for the name, so that nobody deletes the one beside it."""

    name = forms.CharField(label=_("Type its name to delete it"), max_length=80, strip=True)

    def __init__(self, expected: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.expected = expected
        self.fields["name"].widget.attrs["autocomplete"] = "off"

    def clean_name(self) -> str:
        if self.cleaned_data["name"] != self.expected:
            raise ValidationError(_("This is not its name. Nothing was deleted."), code="other_name")
        return self.expected
