"""Quotes as CSV files: in, out, and an empty one to fill."""

from collections.abc import Iterator

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from access.declare import PersonRequest, require_role
from access.roles import Role
from planner.actions.quotes import import_quotes as keep_quotes
from planner.answers.quotes import FIELDS
from planner.csv_cells import csv_lines
from planner.money.files import MAX_BYTES
from planner.money.importing import Read, Refused, read_import
from planner.queries import current_catalog
from planner.queries.quotes import QuoteFilters, quote_values
from planner.queries.quotes import quotes as all_quotes

EXAMPLE = {
    "subject_kind": "accelerator",
    "subject": "nvidia-rtx-4090",
    "offer": "purchase",
    "unit_price": "",
    "currency": "CNY",
    "minimum_quantity": "1",
    "supplier": "",
    "source": "",
    "quoted_on": "",
    "valid_until": "",
    "note": "",
}


@require_http_methods(["GET", "HEAD", "POST"])
@require_role(Role.OPERATOR)
def import_quotes(request: PersonRequest) -> HttpResponse:
    """Many quotes from one file: shown first, then all of them are kept, or none and what is wrong with which cell."""
    context = {"fields": FIELDS, "text": request.POST.get("text", "")}
    if request.method != "POST":
        return render(request, "planner/money/import.html", context)
    data, fault = _uploaded(request)
    read = Refused(whole=fault) if fault else read_import(data, current_catalog())
    if isinstance(read, Refused):
        return render(request, "planner/money/import.html", {**context, "refused": read}, status=422)
    if "keep" not in request.POST or not read.new:
        return render(request, "planner/money/import.html", {**context, "read": read})
    return _kept(request, read)


def _kept(request: PersonRequest, read: Read) -> HttpResponse:
    made = keep_quotes(read.new, actor=request.user)
    said = ngettext("%(count)s quote is kept.", "%(count)s quotes are kept.", len(made))
    messages.success(request, said % {"count": f"{len(made):,}"})
    return redirect("planner:quotes")


def _uploaded(request: PersonRequest) -> tuple[bytes, str]:
    """(the bytes of the file or of what was pasted, what is wrong with them as a whole)."""
    file = request.FILES.get("file")
    if isinstance(file, UploadedFile):
        if (file.size or 0) > MAX_BYTES:
            return b"", _("This file is larger than %(limit)s MB.") % {"limit": MAX_BYTES // 1_000_000}
        return file.read(), ""
    pasted = request.POST.get("text", "")
    return pasted.encode(), "" if pasted.strip() else _("Choose a file, or paste its lines.")


@require_safe
@require_role(Role.VIEWER)
def template(request: PersonRequest) -> StreamingHttpResponse:
    """A file to fill, with the columns that are read."""
    return _file(csv_lines(FIELDS, [[EXAMPLE[name] for name in FIELDS]]), "quotes-template.csv")


@require_safe
@require_role(Role.VIEWER)
def export(request: PersonRequest) -> StreamingHttpResponse:
    """The quotes that the filters leave, as a file that can be imported again."""
    found = QuoteFilters(request.GET, queryset=all_quotes(), request=request).qs.order_by(
        "-created_at", "-pk"
    )
    rows = ([quote_values(quote)[name] for name in FIELDS] for quote in found.iterator(chunk_size=1000))
    return _file(csv_lines(FIELDS, rows), "quotes.csv")


def _file(lines: Iterator[str], name: str) -> StreamingHttpResponse:
    response = StreamingHttpResponse(_marked(lines), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _marked(lines: Iterator[str]) -> Iterator[str]:
    """With the mark by which spreadsheets know UTF-8: without it Chinese is garbled in them."""
    yield "\ufeff"
    yield from lines
