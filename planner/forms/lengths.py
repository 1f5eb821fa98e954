"""What people give to a length log: a file or its text, and what its columns are where that is not plain."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from access.forms import Styled
from planner.core.traffic.asked import CSV, JSONL, MAX_HOURS, METRICS, Asked, Question
from planner.core.traffic.names import DURATION, END, INPUT, OUTPUT, START, UNIT_SECONDS

KINDS = [
    ("", _("found out by looking")),
    (CSV, _("CSV, with a line for each request")),
    (JSONL, _("JSON or JSON Lines")),
    (METRICS, _("/metrics of an engine")),
]
UNITS = [
    ("", _("as its name says, else seconds")),
    ("s", _("seconds")),
    ("ms", _("milliseconds")),
    ("us", _("microseconds")),
    ("ns", _("nanoseconds")),
    ("min", _("minutes")),
]
MAX_FILE_BYTES = 64_000_000
MAX_TEXT_CHARS = 4_000_000
COLUMN_FIELDS = {
    "input_column": INPUT,
    "output_column": OUTPUT,
    "start_column": START,
    "end_column": END,
    "duration_column": DURATION,
}


def _text(label: Any, rows: int, **attrs: str) -> forms.CharField:
    widget = forms.Textarea(attrs={"rows": rows, "spellcheck": "false", "class": "textarea", **attrs})
    return forms.CharField(label=label, required=False, max_length=MAX_TEXT_CHARS, widget=widget, strip=False)


def _column(label: Any) -> forms.CharField:
    attrs = {"autocomplete": "off", "spellcheck": "false"}
    return forms.CharField(label=label, required=False, max_length=120, widget=forms.TextInput(attrs=attrs))


class NewLogForm(Styled, forms.Form):
    """A new log. Everything but the name and the log itself is found out where it is left blank."""

    name = forms.CharField(
        label=_("Name"), max_length=120, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )
    file = forms.FileField(label=_("File"), required=False, allow_empty_file=True)
    text = _text(_("or its lines"), 8, placeholder="prompt_tokens,completion_tokens,start_time,latency_s")
    kind = forms.ChoiceField(label=pgettext_lazy("of a file", "What it is"), choices=KINDS, required=False)
    input_column = _column(_("Input tokens"))
    output_column = _column(_("Output tokens"))
    start_column = _column(_("Start"))
    end_column = _column(_("End"))
    duration_column = _column(_("Duration"))
    duration_unit = forms.ChoiceField(label=_("Unit of the duration"), choices=UNITS, required=False)
    later = _text(_("A second reading, later"), 5, placeholder="vllm:request_prompt_tokens_bucket{…} …")
    hours = forms.FloatField(
        label=_("Hours that it counted"),
        required=False,
        min_value=1e-6,
        max_value=MAX_HOURS,
        widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"}),
    )
    model = forms.CharField(
        label=_("Model"),
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file is not None and file.size > MAX_FILE_BYTES:
            values = {"limit": MAX_FILE_BYTES // 1_000_000}
            raise forms.ValidationError(
                _("It is larger than %(limit)s MB. Send a part.") % values, code="too_large"
            )
        return file

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not self.errors and not data.get("file") and not (data.get("text") or "").strip():
            self.add_error("file", _("Choose a file, or paste its lines."))
        return data

    def question(self) -> Question:
        """What was said beside the log."""
        data = self.cleaned_data
        columns = {role: data[name] for name, role in COLUMN_FIELDS.items() if data.get(name)}
        unit = data.get("duration_unit")
        return Question(
            kind=data.get("kind") or "",
            asked=Asked(columns=columns, unit_s=UNIT_SECONDS[unit] if unit else None),
            model=data.get("model") or "",
            later=data.get("later") or "",
            hours=data.get("hours"),
        )

    @property
    def names_columns(self) -> bool:
        """Whether something was said about columns: that part of the form is then open."""
        return any(self[name].value() or self[name].errors for name in (*COLUMN_FIELDS, "duration_unit"))

    @property
    def is_about_metrics(self) -> bool:
        """Whether something was said about a dump: that part of the form is then open."""
        return any(self[name].value() or self[name].errors for name in ("later", "hours", "model"))


class RenameForm(Styled, forms.Form):
    """Another name of a log."""

    name = forms.CharField(
        label=_("Name"), max_length=120, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )
