"""Quotes and exchange rates."""

from datetime import date

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from access.declare import PersonRequest, require_role
from access.listing import listing, render_list
from access.roles import Role
from planner.actions.conflict import ConflictError
from planner.actions.quotes import change_quote, create_quotes, set_rate, withdraw_quote
from planner.forms.quotes import QuoteForm, RateForm, WithdrawForm
from planner.models import Quote
from planner.money.page import conflict_rows, quote_page, rate_rows, row_of, subjects
from planner.queries import current_catalog
from planner.queries.quotes import COLUMNS, DEFAULT_SORT, QuoteFilters
from planner.queries.quotes import quotes as all_quotes

GET_POST = ["GET", "HEAD", "POST"]


def today() -> date:
    """The day on which offers hold: the server's."""
    return date.today()  # noqa: DTZ011


@require_safe
@require_role(Role.VIEWER)
def quotes(request: PersonRequest) -> HttpResponse:
    """Every quote, with search, filters and sort in the address."""
    found = listing(request, all_quotes(), filters=QuoteFilters, columns=COLUMNS, sort=DEFAULT_SORT)
    rows = [row_of(quote, on=today()) for quote in found.rows]
    context = {"listing": found, "rows": rows, "may_write": request.user.may(Role.OPERATOR)}
    return render_list(
        request, page="planner/money/quotes.html", part="planner/money/_quotes.html", context=context
    )


@require_safe
@require_role(Role.VIEWER)
def quote(request: PersonRequest, uid: str) -> HttpResponse:
    """One quote: who offered what, until when, and by whose hand it is here."""
    found = get_object_or_404(all_quotes(), uid=uid)
    context = {
        "page": quote_page(found, catalog=current_catalog(), on=today()),
        "withdraw": WithdrawForm(initial={"revision": found.revision}),
        "may_write": request.user.may(Role.OPERATOR),
    }
    return render(request, "planner/money/quote.html", context)


@require_http_methods(GET_POST)
@require_role(Role.OPERATOR)
def new_quote(request: PersonRequest) -> HttpResponse:
    """Write a quote down."""
    catalog = current_catalog()
    given = request.POST if request.method == "POST" else None
    start = {"subject": request.GET.get("subject", "")[:200], "quoted_on": today()}
    kind = request.GET.get("kind", "")
    if kind in Quote.Subject.values:
        start["subject_kind"] = kind
    form = QuoteForm(catalog, given, initial=start)
    if form.is_valid():
        made = create_quotes([form.cleaned_data], actor=request.user)[0]
        messages.success(request, _("The quote is kept."))
        return redirect("planner:quote", uid=made.uid)
    context = {"form": form, "subjects": subjects(catalog)}
    return render(request, "planner/money/quote_form.html", context, status=422 if given else 200)


@require_http_methods(GET_POST)
@require_role(Role.OPERATOR)
def edit_quote(request: PersonRequest, uid: str) -> HttpResponse:
    """Correct a quote. Where somebody else did meanwhile, both versions stand side by side and nothing is lost."""
    found, catalog = get_object_or_404(all_quotes(), uid=uid), current_catalog()
    given = request.POST if request.method == "POST" else None
    form = QuoteForm(catalog, given, instance=Quote.objects.get(pk=found.pk) if given else found)
    revision = given.get("revision", "") if given else str(found.revision)
    context = {"form": form, "quote": found, "revision": revision, "subjects": subjects(catalog)}
    if given and form.is_valid():
        try:
            asked = int(revision) if revision.isascii() and revision.isdigit() else -1
            change_quote(found, revision=asked, actor=request.user, **form.cleaned_data)
        except ConflictError as conflict:
            context |= {
                "conflict": conflict_rows(form, conflict.current),
                "revision": conflict.current.revision,  # type: ignore[attr-defined]
            }
            return render(request, "planner/money/quote_form.html", context, status=409)
        messages.success(request, _("The quote is corrected."))
        return redirect("planner:quote", uid=uid)
    return render(request, "planner/money/quote_form.html", context, status=422 if given else 200)


@require_POST
@require_role(Role.OPERATOR)
def withdraw(request: PersonRequest, uid: str) -> HttpResponse:
    """Let a quote count no more, or count again."""
    found = get_object_or_404(Quote, uid=uid)
    form = WithdrawForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Say why: the reason is kept with the quote."))
        return redirect("planner:quote", uid=uid)
    back = found.withdrawn_at is not None
    data = form.cleaned_data
    try:
        withdraw_quote(found, revision=data["revision"], reason=data["reason"], actor=request.user, back=back)
    except ConflictError:
        messages.error(request, _("Somebody changed this quote meanwhile. Look at it again."))
    else:
        messages.success(request, _("The quote counts again.") if back else _("The quote is withdrawn."))
    return redirect("planner:quote", uid=uid)


@require_safe
@require_role(Role.VIEWER)
def rates(request: PersonRequest) -> HttpResponse:
    """What one US dollar buys, by whose word."""
    asked = request.GET.get("currency", "")
    row = next((row for row in rate_rows() if row.currency == asked), None)
    start = (
        {"currency": row.currency, "per_usd": row.per_usd, "revision": row.revision}
        if row
        else {"revision": 0}
    )
    return _rates(request, RateForm(initial={**start, "as_of": today()}))


@require_POST
@require_role(Role.OPERATOR)
def change_rate(request: PersonRequest) -> HttpResponse:
    """Set one rate."""
    form = RateForm(request.POST)
    if not form.is_valid():
        return _rates(request, form, status=422)
    data = dict(form.cleaned_data)
    try:
        rate = set_rate(data.pop("currency"), actor=request.user, **data)
    except ConflictError as conflict:
        current = conflict.current
        form.add_error(
            "per_usd",
            _("Somebody set this rate meanwhile: it is %(rate)s now. Set yours again if it is the newer one.")
            % {"rate": getattr(current, "per_usd", "–")},
        )
        form.data = {**form.data.dict(), "revision": str(current.revision)}  # type: ignore[attr-defined]
        return _rates(request, form, status=409)
    messages.success(request, _("The rate of %(currency)s is set.") % {"currency": rate.currency})
    return redirect("planner:rates")


def _rates(request: PersonRequest, form: RateForm, *, status: int = 200) -> HttpResponse:
    context = {"rows": rate_rows(), "form": form, "may_write": request.user.may(Role.OPERATOR)}
    return render(request, "planner/money/rates.html", context, status=status)
