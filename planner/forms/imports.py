"""What people give when they bring in a model, and what an administrator says of a hub."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from access import outgoing
from access.forms import Styled
from planner.core.checkpoint.index import NAME as INDEX_NAME
from planner.models import HubEndpoint
from planner.queries.imports import hubs

MOST_FILE_BYTES = 64_000_000
MOST_FILES = 300
MOST_TEXT = 4_000_000
CODE = {"spellcheck": "false", "autocomplete": "off"}


class FilesInput(forms.ClearableFileInput):
    """A choice of several files."""

    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Several files at once."""

    widget = FilesInput

    def clean(self, data: Any, initial: Any = None) -> list[Any]:
        one = super().clean
        return [one(item, initial) for item in data or []]


class GivenForm(Styled, forms.Form):
    """Files of a model: pasted, chosen, or both."""

    config = forms.CharField(
        label="config.json",
        required=False,
        max_length=MOST_TEXT,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 9, "class": "textarea", "placeholder": "{ … }", **CODE}),
    )
    chosen = FilesField(label=_("Files"), required=False, allow_empty_file=True)

    def clean_chosen(self) -> list[Any]:
        """So many files, none too large."""
        files: list[Any] = self.cleaned_data["chosen"]
        if len(files) > MOST_FILES:
            raise ValidationError(_("Choose at most %s files.") % MOST_FILES, code="too_many")
        for file in files:
            if file.size > MOST_FILE_BYTES:
                text = _("%(name)s has more than 64 MB. Only its beginning is needed: cut it as said below.")
                raise ValidationError(text, code="too_large", params={"name": file.name})
        return files

    def given(self) -> dict[str, bytes]:
        """Bytes by name; what was pasted is config.json, or an index by what it holds."""
        found = {str(file.name)[:200]: file.read() for file in self.cleaned_data["chosen"]}
        text = self.cleaned_data["config"].strip()
        if text:
            is_index = '"weight_map"' in text and "config.json" not in found
            found[INDEX_NAME if is_index else "config.json"] = text.encode()
        return found


class HubChoice(forms.ModelChoiceField):
    """A hub that is in use, by its name."""

    def __init__(self) -> None:
        super().__init__(hubs(in_use=True), label=_("Hub"), to_field_name="uid", empty_label=None)


class WantedForm(Styled, forms.Form):
    """A model on a hub."""

    hub = HubChoice()
    model = forms.CharField(
        label=_("Model"),
        max_length=200,
        widget=forms.TextInput(attrs={"placeholder": "Qwen/Qwen3-8B", **CODE}),
    )
    revision = forms.CharField(
        label=_("Revision"),
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs={"placeholder": "main", **CODE}),
    )
    file = forms.CharField(
        label=_("GGUF file"),
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs={"placeholder": "model-Q4_K_M.gguf", **CODE}),
    )


class HubForm(Styled, forms.ModelForm):
    """A hub or a mirror of one."""

    kind = forms.ChoiceField(label=_("Kind"), choices=HubEndpoint.Kind.choices)
    # Not the model's own field: its validator knows no hosts of one word, such as a neighbour's in a compose file.
    base_url = forms.CharField(
        label=_("Address"),
        max_length=300,
        widget=forms.TextInput(attrs={"placeholder": "https://huggingface.co", **CODE}),
    )
    token = forms.CharField(
        label=_("Token"),
        required=False,
        max_length=500,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=_(
            "For models that are not public. It is kept sealed, sent to this address alone, and not shown again."
        ),
    )

    class Meta:
        model = HubEndpoint
        fields = ("name", "kind")

    field_order = ("name", "kind", "base_url", "token")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk is not None:
            self.fields["base_url"].initial = self.instance.base_url
            self.fields["is_active"] = forms.BooleanField(
                label=_("in use"), required=False, initial=self.instance.is_active
            )
            if self.instance.sealed_token:
                self.fields["forget_token"] = forms.BooleanField(label=_("Forget its token"), required=False)

    def clean_token(self) -> str:
        """A token that can stand in a header."""
        token: str = self.cleaned_data["token"]
        if not token.isascii() or not token.isprintable() or " " in token:
            raise ValidationError(_("A token is one word of letters, digits and signs."), code="invalid")
        return token

    def clean_base_url(self) -> str:
        """An address that this server may call today; it is checked again with each call."""
        url: str = self.cleaned_data["base_url"].rstrip("/")
        if "?" in url or "#" in url:
            raise ValidationError(_("Give the address without ? and #."), code="invalid")
        try:
            outgoing.check(url, allowed=settings.OUTGOING_ALLOWED)
        except outgoing.RefusedError as error:
            text = _(
                "This address may not be called: %(why)s. An operator lists hosts and networks in DECODECK_OUTGOING_ALLOW."
            )
            raise ValidationError(text, code="not_allowed", params={"why": error}) from None
        except (outgoing.FailedError, ValueError):
            raise ValidationError(
                _("This address leads nowhere. Check its spelling."), code="no_address"
            ) from None
        return url

    def values(self) -> Mapping[str, Any]:
        """What is to be stored, the token in plain beside it."""
        return {name: self.cleaned_data[name] for name in self.fields}


class TryForm(Styled, forms.Form):
    """A model to try a hub with."""

    model = forms.CharField(
        label=_("A model that it has"),
        max_length=200,
        initial="Qwen/Qwen3-0.6B",
        widget=forms.TextInput(attrs=CODE),
    )


class DeleteHubForm(Styled, forms.Form):
    """Deleting asks for the name."""

    name = forms.CharField(label=_("Type its name to delete it"), max_length=80, strip=True)

    def __init__(self, expected: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.expected = expected
        self.fields["name"].widget.attrs["autocomplete"] = "off"

    def clean_name(self) -> str:
        """Nothing but its own name will do."""
        if self.cleaned_data["name"] != self.expected:
            raise ValidationError(_("This is not its name. Nothing was deleted."), code="other_name")
        return self.expected
