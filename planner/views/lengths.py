"""Length logs: the list, reading a new one, one log, its tables as CSV, another name, archiving."""

from collections.abc import Iterable

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from access.declare import PersonRequest, require_role
from access.listing import listing, render_list
from access.roles import Role
from planner.actions.lengths import archive_length_log, keep_length_log, rename_length_log
from planner.answers.length_files import Read, read_log, refusal_message
from planner.core.traffic.summary import Summary, histograms_of
from planner.core.traffic.table import Refused
from planner.csv_cells import csv_lines
from planner.forms.lengths import NewLogForm, RenameForm
from planner.lengths.page import log_page, plan_query, recommend_query, row_of
from planner.lengths.plot import bars, table
from planner.models import LengthLog
from planner.plots import plain_cell
from planner.queries.lengths import COLUMNS, DEFAULT_SORT, LengthLogFilters, length_log, length_logs

GET_POST = ["GET", "HEAD", "POST"]
# Where on the form a fault of the log belongs, {role} being what a column is for.
PLACES = {
    "no_column": "{role}_column",
    "no_such_column": "{role}_column",
    "column_of_text": "{role}_column",
    "several_models": "model",
    "no_such_model": "model",
    "other_model": "later",
}


@require_safe
@require_role(Role.VIEWER)
def logs(request: PersonRequest) -> HttpResponse:
    """Every log, with search, filters and sort in the address."""
    found = listing(request, length_logs(), filters=LengthLogFilters, columns=COLUMNS, sort=DEFAULT_SORT)
    context = {
        "listing": found,
        "rows": [row_of(log) for log in found.rows],
        "may_write": request.user.may(Role.OPERATOR),
    }
    return render_list(
        request, page="planner/lengths/logs.html", part="planner/lengths/_logs.html", context=context
    )


@require_http_methods(GET_POST)
@require_role(Role.OPERATOR)
def new_log(request: PersonRequest) -> HttpResponse:
    """Read a log: look at it first, or keep what it comes to. The file itself is kept nowhere."""
    if request.method != "POST":
        return render(request, "planner/lengths/new.html", {"form": NewLogForm()})
    form = NewLogForm(request.POST, request.FILES)
    read = read_log(_chunks(form), form.question()) if form.is_valid() else None
    if isinstance(read, Refused):
        form.add_error(_place(form, read), refusal_message(read))
    if not isinstance(read, Read) or form.errors:
        return render(request, "planner/lengths/new.html", {"form": form}, status=422)
    if "look" in request.POST:
        return _looked_at(request, form, read.found)
    log = keep_length_log(read.found, name=form.cleaned_data["name"], origin=read.kind, actor=request.user)
    messages.success(request, _("The lengths are kept. The log itself is not."))
    return redirect("planner:length_log", uid=log.uid)


def _place(form: NewLogForm, refused: Refused) -> str:
    """The field beside which a fault is said: that of the log itself unless something else was asked for."""
    log = "file" if form.cleaned_data.get("file") else "text"
    return PLACES.get(refused.code, log).format_map({"role": refused.values.get("role", "")})


def _chunks(form: NewLogForm) -> Iterable[bytes]:
    file = form.cleaned_data.get("file")
    return file.chunks() if file else [form.cleaned_data["text"].encode()]


def _looked_at(request: HttpRequest, form: NewLogForm, found: Summary) -> HttpResponse:
    page = log_page(found.summary, found.histograms, requests=found.requests)
    context = {"form": form, "page": page, "from_file": bool(form.cleaned_data.get("file"))}
    return render(request, "planner/lengths/new.html", context)


@require_safe
@require_role(Role.VIEWER)
def log(request: PersonRequest, uid: str) -> HttpResponse:
    """One log: how long, how many, how it was read, and the plan that follows."""
    found = _found(uid)
    page = log_page(found.summary, found.histograms, requests=found.requests)
    context = {
        "log": found,
        "page": page,
        "plan_query": plan_query(page.fill, found.uid),
        "recommend_query": recommend_query(page.fill),
        "rename": RenameForm(initial={"name": found.name}),
        "may_write": request.user.may(Role.OPERATOR),
    }
    return render(request, "planner/lengths/log.html", context)


@require_safe
@require_role(Role.VIEWER)
def log_csv(request: PersonRequest, uid: str, length: str) -> StreamingHttpResponse:
    """The table beneath a histogram as CSV: numbers without separators, for a spreadsheet."""
    histogram = histograms_of(_found(uid).histograms).get(length)
    if histogram is None:
        raise Http404
    shown = table(bars(histogram))
    lines = csv_lines(shown.head, ([plain_cell(cell) for cell in row] for row in shown.rows))
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{length}-lengths.csv"'
    return response


@require_POST
@require_role(Role.OPERATOR)
def rename_log(request: PersonRequest, uid: str) -> HttpResponse:
    """Give a log another name."""
    found, form = _found(uid), RenameForm(request.POST)
    if form.is_valid():
        rename_length_log(found, name=form.cleaned_data["name"], actor=request.user)
        messages.success(request, _("The log has its new name."))
    else:
        messages.error(request, _("Give the log a name of up to 120 characters."))
    return redirect("planner:length_log", uid=uid)


@require_POST
@require_role(Role.OPERATOR)
def archive_log(request: PersonRequest, uid: str) -> HttpResponse:
    """Take a log out of the list, or bring it back."""
    found = _found(uid)
    back = found.archived_at is not None
    archive_length_log(found, actor=request.user, back=back)
    messages.success(request, _("The log is back in the list.") if back else _("The log is archived."))
    return redirect("planner:length_log", uid=uid)


def _found(uid: str) -> LengthLog:
    found = length_log(uid)
    if found is None:
        raise Http404
    return found
