"""What people type into saved plans."""

from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from access.forms import Styled
from planner.core.cost.assumptions import ASSUMPTIONS, GROUPS, InForce
from planner.core.parse.money import CURRENCIES
from planner.forms.quotes import AmountField, RevisionField
from planner.messages import word
from planner.messages.cost import ASSUMPTION_NAMES, UNITS
from planner.messages.cost import GROUPS as GROUP_NAMES

SHARE_DAYS = [(7, _("7 days")), (30, _("30 days")), (90, _("90 days"))]
MOST_EXTRAS = 50
EMPTY_EXTRAS = 2
WHOSE = {"team": _("the team's"), "default": _("ours")}


def plain_lines(text: str) -> str:
    """A text as it was typed, with the line ends that we keep: browsers send others."""
    return text.replace("\r\n", "\n")


class SaveForm(Styled, forms.Form):
    """A new plan."""

    name = forms.CharField(label=_("Name"), max_length=120)
    note = forms.CharField(label=_("Why this one? (optional)"), max_length=500, required=False)
    notes = forms.CharField(
        label=_("Notes (optional)"),
        max_length=20_000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
    )

    def clean_notes(self) -> str:
        return plain_lines(self.cleaned_data["notes"])


class VersionForm(Styled, forms.Form):
    """Another version of a plan."""

    note = forms.CharField(label=_("What changes, and why?"), max_length=500)


class DetailsForm(Styled, forms.Form):
    """Name, owner and notes of a plan, and what they were when the page was made."""

    name = forms.CharField(label=_("Name"), max_length=120)
    owner = forms.ChoiceField(label=_("Owner"))
    notes = forms.CharField(
        label=_("Notes"), max_length=20_000, required=False, widget=forms.Textarea(attrs={"rows": 8})
    )
    base_name = forms.CharField(widget=forms.HiddenInput, required=False, max_length=120, strip=False)
    base_owner = forms.CharField(widget=forms.HiddenInput, required=False, max_length=150, strip=False)
    base_notes = forms.CharField(widget=forms.HiddenInput, required=False, max_length=20_000, strip=False)

    def __init__(self, owners: list[str], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["owner"].choices = [(name, name) for name in owners]  # type: ignore[attr-defined]

    def clean_notes(self) -> str:
        return plain_lines(self.cleaned_data["notes"])

    def clean_base_notes(self) -> str:
        return plain_lines(self.cleaned_data["base_notes"])


class CommentForm(Styled, forms.Form):
    """Something to say about a plan."""

    text = forms.CharField(label=_("Comment"), max_length=4_000, widget=forms.Textarea(attrs={"rows": 3}))

    def clean_text(self) -> str:
        return plain_lines(self.cleaned_data["text"])


class StepForm(Styled, forms.Form):
    """A step of the approval, with its reason."""

    revision = RevisionField()
    reason = forms.CharField(label=_("Reason"), max_length=500, required=False)


class RevisionForm(forms.Form):
    """A step that takes no words."""

    revision = RevisionField()


class RulesForm(Styled, forms.Form):
    """What holds for every plan of the team."""

    revision = RevisionField()
    approver_is_another = forms.BooleanField(
        label=_("Nobody decides on a version that they made or proposed"), required=False
    )
    price_change_percent = forms.FloatField(
        label=_("Price changes are told from (percent)"), min_value=0, max_value=100
    )


class ShareForm(Styled, forms.Form):
    """A link for somebody without an account."""

    days = forms.TypedChoiceField(label=_("Good for"), choices=SHARE_DAYS, coerce=int, initial=30)
    with_prices = forms.BooleanField(
        label=_("Show prices too"), required=False, widget=forms.CheckboxInput(attrs={"class": "checkbox"})
    )


class BillForm(Styled, forms.Form):
    """What is ordered beside the cards, and whose prices count."""

    currency = forms.ChoiceField(label=_("Currency"), required=False)
    price_source = forms.ChoiceField(
        label=_("Prices"),
        choices=[("", _("quotes alone")), ("public", _("quotes, else public prices"))],
        required=False,
    )
    platform = forms.ChoiceField(label=_("Platform"), required=False)
    spares = forms.IntegerField(label=_("Spare cards"), min_value=0, max_value=10_000, required=False)

    def __init__(
        self, platforms: list[tuple[str, str]], team_currency: str, *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields["platform"].choices = [("", _("not chosen")), *platforms]  # type: ignore[attr-defined]
        own = gettext("the team's: %s") % team_currency
        self.fields["currency"].choices = [("", own), *((code, code) for code in CURRENCIES)]  # type: ignore[attr-defined]


class ExtraForm(Styled, forms.Form):
    """Another item of a bill."""

    name = forms.CharField(label=_("Item"), max_length=120)
    quantity = forms.IntegerField(label=_("Quantity"), min_value=1, max_value=100_000, initial=1)
    unit_price = AmountField(label=_("Price of one"), min_value=0, max_value=10**12, required=False)
    source = forms.CharField(label=_("Source"), max_length=300, required=False)


class BaseExtras(forms.BaseFormSet):
    """Items of a bill; two of one name would be one item with two quantities."""

    def clean(self) -> None:
        names = [form.cleaned_data["name"] for form in self.kept() if "name" in form.cleaned_data]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            text = gettext("%s is here twice. Give each item a name of its own.") % ", ".join(twice)
            raise forms.ValidationError(text, code="twice")

    def kept(self) -> list[forms.Form]:
        """The rows that hold an item and are not to be taken out."""
        return [form for form in self.forms if form.cleaned_data and not form.cleaned_data.get("DELETE")]


ExtraFormSet = forms.formset_factory(
    ExtraForm,
    formset=BaseExtras,
    extra=EMPTY_EXTRAS,
    max_num=MOST_EXTRAS,
    absolute_max=MOST_EXTRAS,
    can_delete=True,
    validate_max=True,
)


def _assumption_field(now_is: InForce, currency: str) -> forms.Field:
    """A blank one says beneath it what counts then, and whose word that is."""
    unit = word(UNITS, now_is.unit, {"currency": currency})
    typed = {"class": "input", "inputmode": "decimal", "autocomplete": "off"}
    return forms.FloatField(
        label=ASSUMPTION_NAMES[now_is.name],
        required=False,
        help_text=f"{unit} · {WHOSE[now_is.by]}: {now_is.value:,.4g}",
        widget=forms.TextInput(attrs=typed),
    )


class CostForm(forms.Form):
    """Assumptions of cost that this plan replaces; what is left blank is the team's, or ours."""

    def __init__(self, in_force: Mapping[str, InForce], currency: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for item in ASSUMPTIONS:
            self.fields[item.name] = _assumption_field(in_force[item.name], currency)

    def groups(self) -> Iterator[tuple[Any, list[forms.BoundField]]]:
        """The fields under the names of their groups."""
        for group in GROUPS:
            yield GROUP_NAMES[group], [self[item.name] for item in ASSUMPTIONS if item.group == group]

    def given(self) -> dict[str, float]:
        """What was typed."""
        return {name: value for name, value in self.cleaned_data.items() if value is not None}
