"""What people type into the pages of quotes and exchange rates."""

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from babel.numbers import NumberFormatError, parse_decimal
from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from access.forms import Styled
from planner.clock import today
from planner.core.parse.close import close_to
from planner.core.parse.money import CURRENCIES, close_currency
from planner.core.specs import Catalog
from planner.models import Quote
from planner.queries.quotes import price_text

EARLIEST = date(2000, 1, 1)
LATEST_YEARS = 20
MAX_PRICE = Decimal("1e11")
MAX_QUANTITY = 1_000_000
# What spreadsheets write; days whose month may be taken for the day are not read at all.
DAY_FORMATS = ["%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y年%m月%d日"]


class RevisionField(forms.IntegerField):
    """What the page was made from; it travels hidden."""

    widget = forms.HiddenInput

    def __init__(self) -> None:
        super().__init__(min_value=0, max_value=10**9)


class AmountField(forms.DecimalField):
    """An amount as people type it: 1,234.50 or 1 234.5. One whose commas could be decimals is refused, not guessed."""

    widget = forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"})
    default_error_messages = {
        "invalid": gettext_lazy("This is not an amount. Write it like 1234.50 or 1,234.50.")
    }

    def to_python(self, value: Any) -> Any:
        if isinstance(value, str) and value.strip():
            value = self._read(without_spaces(value))
        return super().to_python(value)

    def _read(self, text: str) -> Decimal:
        try:
            return parse_decimal(text, locale="en", strict=True)
        except NumberFormatError:
            raise ValidationError(self.error_messages["invalid"], code="invalid") from None


class QuantityField(forms.IntegerField):
    """A number of pieces, with or without commas between thousands."""

    def to_python(self, value: Any) -> Any:
        if isinstance(value, str):
            text = without_spaces(value)
            value = text.replace(",", "") if _has_thousands(text) else text
        return super().to_python(value)


class DayField(forms.DateField):
    """A day, its year first."""

    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    input_formats = DAY_FORMATS
    default_error_messages = {"invalid": gettext_lazy("This is no day. Write it like 2026-11-24.")}


def without_spaces(text: str) -> str:
    """A number without the spaces that people and spreadsheets put between thousands."""
    return "".join(text.split()).replace("\u00a0", "").replace("\u202f", "")


def _has_thousands(text: str) -> bool:
    first, *groups = text.lstrip("+").split(",")
    return first.isdigit() and len(first) <= 3 and all(len(group) == 3 for group in groups)


def checked_currency(code: str) -> str:
    """A currency that amounts may be in. Raises ValidationError that names what was perhaps meant."""
    code = code.strip().upper()
    if code in CURRENCIES:
        return code
    close = close_currency(code)
    text = _("%(code)s is no currency of ISO 4217.") % {"code": code[:20]}
    raise ValidationError(
        f"{text} {_('Did you mean %s?') % close}" if close else text, code="currency_unknown"
    )


class CurrencyField(forms.CharField):
    """A code of ISO 4217 in any case."""

    widget = forms.TextInput(
        attrs={"list": "currencies", "autocomplete": "off", "spellcheck": "false", "maxlength": 3}
    )

    def clean(self, value: Any) -> str:
        return checked_currency(super().clean(value))


class QuoteForm(Styled, forms.ModelForm):
    """One quote. `catalog` says which accelerators and platforms there are."""

    unit_price = AmountField(
        label=gettext_lazy("Price of one"), min_value=0, max_value=MAX_PRICE, max_digits=16, decimal_places=4
    )
    currency = CurrencyField(
        label=gettext_lazy("Currency"), help_text=gettext_lazy("Three letters, such as CNY or USD.")
    )
    minimum_quantity = QuantityField(
        label=gettext_lazy("From this many"),
        min_value=1,
        max_value=MAX_QUANTITY,
        initial=1,
        help_text=gettext_lazy("The price holds for orders of at least so many."),
    )
    quoted_on = DayField(label=gettext_lazy("Quoted on"))
    valid_until = DayField(
        label=gettext_lazy("Valid until"),
        required=False,
        help_text=gettext_lazy("Blank: until it is withdrawn."),
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
            "source": gettext_lazy("Where the offer can be read: an address, a document, a mail."),
        }
        widgets = {
            "subject": forms.TextInput(
                attrs={"list": "subjects", "autocomplete": "off", "spellcheck": "false"}
            ),
            "note": forms.Textarea(attrs={"rows": 2}),
        }

    def __init__(self, catalog: Catalog, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.catalog = catalog
        if self.instance.pk:
            self.initial["unit_price"] = price_text(self.instance.unit_price)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        for name, message in quote_faults(data, self.catalog, on=today()):
            self.add_error(name, message)
        return data


def quote_faults(data: Mapping[str, Any], catalog: Catalog, *, on: date) -> Iterator[tuple[str, str]]:
    """(field, what is wrong) of values that are well-formed each; missing ones were refused before."""
    quoted, until = data.get("quoted_on"), data.get("valid_until")
    if fault := _subject_fault(data.get("subject_kind"), data.get("subject"), catalog):
        yield "subject", fault
    if quoted and not EARLIEST <= quoted <= on + timedelta(days=1):
        yield "quoted_on", _("An offer is of the past: give a day from 2000 until today.")
    if until and until > on + timedelta(days=366 * LATEST_YEARS):
        yield "valid_until", _("This is more than 20 years ahead.")
    if quoted and until and until < quoted:
        yield "valid_until", _("It ends before it was made.")


def _subject_fault(kind: Any, subject: str | None, catalog: Catalog) -> str:
    """An accelerator or a platform is named by its id in the catalog."""
    tables: dict[str, Mapping[str, Any]] = {
        Quote.Subject.ACCELERATOR: catalog.accelerators,
        Quote.Subject.PLATFORM: catalog.platform_records,
    }
    known = tables.get(str(kind))
    if not subject or known is None or subject in known:
        return ""
    close = close_to(subject, list(known))
    text = _("The catalog has no such entry.")
    return f"{text} {_('Did you mean %s?') % close}" if close else text


class WithdrawForm(Styled, forms.Form):
    """Why something counts no more."""

    revision = RevisionField()
    reason = forms.CharField(label=gettext_lazy("Why"), max_length=500)


class RateForm(Styled, forms.Form):
    """One exchange rate."""

    revision = RevisionField()
    currency = CurrencyField(label=gettext_lazy("Currency"))
    per_usd = AmountField(
        label=gettext_lazy("One US dollar buys"),
        min_value=Decimal("0.000001"),
        max_value=Decimal(10**7),
        max_digits=18,
        decimal_places=8,
    )
    as_of = DayField(label=gettext_lazy("As of"))
    source = forms.CharField(
        label=gettext_lazy("Source"), max_length=500, help_text=gettext_lazy("Who says so, and where.")
    )

    def clean_currency(self) -> str:
        code: str = self.cleaned_data["currency"]
        if code == "USD":
            raise ValidationError(
                _("Rates are against the US dollar, which has none of its own."), code="base"
            )
        return code

    def clean_as_of(self) -> date:
        day: date = self.cleaned_data["as_of"]
        if not EARLIEST <= day <= today() + timedelta(days=1):
            raise ValidationError(_("A rate is of the past: give a day from 2000 until today."), code="day")
        return day
