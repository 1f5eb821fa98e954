"""What people type into saved plans."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from access.forms import Styled
from planner.core.parse.money import CURRENCIES
from planner.forms.quotes import AmountField, RevisionField

SHARE_DAYS = [(7, _("7 days")), (30, _("30 days")), (90, _("90 days"))]
MOST_EXTRAS = 50


class SaveForm(Styled, forms.Form):
    """A new plan."""

    name = forms.CharField(label=_("Name"), max_length=120)
    notes = forms.CharField(
        label=_("Notes"), max_length=20_000, required=False, widget=forms.Textarea(attrs={"rows": 4})
    )


class VersionForm(Styled, forms.Form):
    """Another version of a plan."""

    note = forms.CharField(label=_("What changes, and why"), max_length=500)


class DetailsForm(SaveForm):
    """Name and notes of a plan, and what they were when the page was made."""

    revision = RevisionField()
    base_name = forms.CharField(widget=forms.HiddenInput, required=False, max_length=120)
    base_notes = forms.CharField(widget=forms.HiddenInput, required=False, max_length=20_000, strip=False)


class CommentForm(Styled, forms.Form):
    """Something to say about a plan."""

    text = forms.CharField(label=_("Comment"), max_length=4_000, widget=forms.Textarea(attrs={"rows": 3}))


class StepForm(Styled, forms.Form):
    """A step of the approval, with its reason."""

    revision = RevisionField()
    reason = forms.CharField(label=_("Reason"), max_length=500, required=False)


class ShareForm(Styled, forms.Form):
    """A link for somebody without an account."""

    days = forms.TypedChoiceField(label=_("Good for"), choices=SHARE_DAYS, coerce=int)
    with_prices = forms.BooleanField(label=_("Show prices too"), required=False)


class BillForm(Styled, forms.Form):
    """What is ordered beside the cards, and whose prices count."""

    currency = forms.ChoiceField(label=_("Currency"), required=False)
    platform = forms.ChoiceField(label=_("Platform"), required=False)
    spares = forms.IntegerField(label=_("Spare cards"), min_value=0, max_value=10_000, required=False)
    price_source = forms.ChoiceField(
        label=_("Prices"),
        choices=[("", _("quotes")), ("public", _("quotes, else public prices"))],
        required=False,
    )

    def __init__(
        self, platforms: list[tuple[str, str]], team_currency: str, *args: Any, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields["platform"].choices = [("", _("not chosen")), *platforms]  # type: ignore[attr-defined]
        own = _("the team's: %s") % team_currency
        self.fields["currency"].choices = [("", own), *((code, code) for code in CURRENCIES)]  # type: ignore[attr-defined]


class ExtraForm(Styled, forms.Form):
    """Another item of a bill."""

    name = forms.CharField(label=_("Item"), max_length=120)
    quantity = forms.IntegerField(label=_("Quantity"), min_value=1, max_value=100_000, initial=1)
    unit_price = AmountField(label=_("Price of one"), min_value=0, max_value=10**12, required=False)
    source = forms.CharField(label=_("Source"), max_length=300, required=False)


ExtraFormSet = forms.formset_factory(
    ExtraForm, extra=2, max_num=MOST_EXTRAS, absolute_max=MOST_EXTRAS, can_delete=True, validate_max=True
)
