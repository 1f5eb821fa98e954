"""What people type into the pages that keep something: quotes, rates, plans."""

from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from babel.numbers import NumberFormatError, parse_decimal
from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from access.forms import Styled
from planner.core.parse.close import close_to
from planner.core.parse.money import CURRENCIES
from planner.core.specs import Catalog
from planner.models import Quote

EARLIEST = date(2000, 1, 1)
LATEST_YEARS = 20
MAX_PRICE = Decimal("1e11")


class RevisionField(forms.IntegerField):
    """What the page was made from; it travels hidden."""

    widget = forms.HiddenInput

    def __init__(self) -> None:
        super().__init__(min_value=0, max_value=10**9)


class AmountField(forms.DecimalField):
    """An amount as people type it: 1,234.50 or 1234.5."""

    widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"})

    def to_python(self, value: Any) -> Any:
        if isinstance(value, str) and value.strip():
            try:
                value = parse_decimal(value.strip().replace("\u00a0", "").replace(" ", ""), locale="en")
            except NumberFormatError:
                raise ValidationError(
                    _("This is not an amount. Write it like 1234.50."), code="invalid"
                ) from None
        return super().to_python(value)


def checked_currency(code: str) -> str:
    """A currency that amounts may be in. Raises ValidationError that names what was perhaps meant."""
    code = code.strip().upper()
    if code in CURRENCIES:
        return code
    close = close_to(code, CURRENCIES)
    text = _("%(code)s is no currency here.") % {"code": code[:20]}
    raise ValidationError(
        f"{text} {_('Did you mean %s?') % close}" if close else text, code="currency_unknown"
    )


class QuoteForm(Styled, forms.ModelForm):
    """One quote. `catalog` says which accelerators and platforms there are."""

    unit_price = AmountField(
        label=gettext_lazy("Price of one"), min_value=0, max_value=MAX_PRICE, max_digits=16, decimal_places=4
    )

    class Meta:
        model = Quote
        fields = (
            "subject_kind",
            "subject",
            "offer",
            "unit_price",
            "currency",
            "minimum_quantity",
            "supplier",
            "source",
            "quoted_on",
            "valid_until",
            "note",
        )
        help_texts = {
            "subject": gettext_lazy(
                "The id in the catalog, such as nvidia-rtx-4090; for another item its name."
            ),
            "currency": gettext_lazy("Three letters, such as CNY or USD."),
            "source": gettext_lazy("Where the offer can be read: an address, a document, a mail."),
            "valid_until": gettext_lazy("Blank: until it is withdrawn."),
        }
        widgets = {
            "quoted_on": forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
            "valid_until": forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
            "subject": forms.TextInput(
                attrs={"list": "subjects", "autocomplete": "off", "spellcheck": "false"}
            ),
            "note": forms.Textarea(attrs={"rows": 2}),
        }

    def __init__(self, catalog: Catalog, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.catalog = catalog

    def clean_currency(self) -> str:
        return checked_currency(self.cleaned_data["currency"])

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        _check_subject(self, data, self.catalog)
        quoted, until = data.get("quoted_on"), data.get("valid_until")
        today = date.today()  # noqa: DTZ011  # offers are dated in days, not in time zones
        if quoted and not EARLIEST <= quoted <= today + timedelta(days=1):
            self.add_error("quoted_on", _("An offer is of the past: give a day from 2000 until today."))
        if until and until > today + timedelta(days=366 * LATEST_YEARS):
            self.add_error("valid_until", _("This is more than 20 years ahead."))
        if quoted and until and until < quoted:
            self.add_error("valid_until", _("It ends before it was made."))
        return data


def _check_subject(form: forms.Form | forms.ModelForm, data: dict[str, Any], catalog: Catalog) -> None:
    """An accelerator or a platform is named by its id in the catalog."""
    kind, subject = data.get("subject_kind"), data.get("subject")
    tables: dict[str, Mapping[str, Any]] = {
        Quote.Subject.ACCELERATOR: catalog.accelerators,
        Quote.Subject.PLATFORM: catalog.platform_records,
    }
    known = tables.get(str(kind))
    if not subject or known is None or subject in known:
        return
    close = close_to(subject, list(known))
    text = _("The catalog has no such entry.")
    form.add_error("subject", f"{text} {_('Did you mean %s?') % close}" if close else text)


class WithdrawForm(Styled, forms.Form):
    """Why something counts no more."""

    revision = RevisionField()
    reason = forms.CharField(label=gettext_lazy("Why"), max_length=500)


class RateForm(Styled, forms.Form):
    """One exchange rate."""

    revision = RevisionField()
    currency = forms.CharField(label=gettext_lazy("Currency"), max_length=3)
    per_usd = AmountField(
        label=gettext_lazy("One US dollar buys"),
        min_value=Decimal("0.000001"),
        max_value=Decimal(10**7),
        max_digits=18,
        decimal_places=8,
    )
    as_of = forms.DateField(
        label=gettext_lazy("As of"), widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )
    source = forms.CharField(label=gettext_lazy("Source"), max_length=500)

    def clean_currency(self) -> str:
        code = checked_currency(self.cleaned_data["currency"])
        if code == "USD":
            raise ValidationError(
                _("Rates are against the US dollar, which has none of its own."), code="base"
            )
        return code
