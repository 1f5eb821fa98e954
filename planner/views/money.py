"""Quotes and exchange rates."""

from collections.abc import Sequence

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from access.declare import PersonRequest, require_role
from access.listing import listing, render_list
from access.revisions import typed_revision
from access.roles import Role
from planner.actions.conflict import ConflictError
from planner.actions.quotes import change_quote, create_quotes, set_rate, withdraw_quote
from planner.clock import today
from planner.core.parse.money import COMMON_CURRENCIES
from planner.core.specs import Catalog
from planner.forms.quotes import QuoteForm, RateForm, WithdrawForm
from planner.models import Quote
from planner.money.page import ConflictRow, RateRow, Shown, conflict_rows, quote_page, rate_rows, subjects
from planner.queries import current_catalog
from planner.queries.prices import current_rates, price_book
from planner.queries.quotes import COLUMNS, DEFAULT_SORT, QuoteFilters, comparable_quotes, events_of
from planner.queries.quotes import quotes as all_quotes
from planner.queries.team import team_settings

GET_POST = ["GET", "HEAD", "POST"]


@require_safe
@require_role(Role.VIEWER)
def quotes(request: PersonRequest) -> HttpResponse:
    """Every quote, with search, filters and sort in the address."""
    shown = _shown()
    found = listing(
        request,
        comparable_quotes(shown.rates.per_usd),
        filters=QuoteFilters,
        columns=COLUMNS,
        sort=DEFAULT_SORT,
    )
    rows = [shown.row(quote) for quote in found.rows]
    context = {"listing": found, "rows": rows, "may_write": request.user.may(Role.OPERATOR)}
    return render_list(
        request, page="planner/money/quotes.html", part="planner/money/_quotes.html", context=context
    )


@require_safe
@require_role(Role.VIEWER)
def quote(request: PersonRequest, uid: str) -> HttpResponse:
    """One quote: who offered what, until when, whether it counts, and what was done to it."""
    found = get_object_or_404(all_quotes(), uid=uid)
    return _quote(request, found, WithdrawForm(initial={"revision": found.revision}))


def _quote(request: PersonRequest, found: Quote, form: WithdrawForm, *, status: int = 200) -> HttpResponse:
    shown = _shown()
    book = price_book(on=shown.on, currency=shown.currency, only=[found.subject])
    context = {
        "page": quote_page(found, shown, book=book, events=list(events_of(found))),
        "withdraw": form,
        "may_write": request.user.may(Role.OPERATOR),
    }
    return render(request, "planner/money/quote.html", context, status=status)


def _shown() -> Shown:
    return Shown(
        catalog=current_catalog(), rates=current_rates(), currency=team_settings().currency, on=today()
    )


@require_http_methods(GET_POST)
@require_role(Role.OPERATOR)
def new_quote(request: PersonRequest) -> HttpResponse:
    """Write a quote down. The address may name what it is about: `kind` and `subject`."""
    catalog, posted = current_catalog(), request.method == "POST"
    kind = request.GET.get("kind", "")
    start = {
        "subject": request.GET.get("subject", "")[:200],
        "subject_kind": kind if kind in Quote.Subject.values else Quote.Subject.ACCELERATOR,
        "quoted_on": today(),
        "currency": team_settings().currency,
    }
    form = QuoteForm(catalog, request.POST if posted else None, initial=start)
    if posted and form.is_valid():
        made = create_quotes([form.cleaned_data], actor=request.user)[0]
        messages.success(request, _("The quote is kept."))
        return redirect("planner:quote", uid=made.uid)
    context = {"form": form, **_choices(catalog)}
    return render(request, "planner/money/quote_form.html", context, status=422 if posted else 200)


@require_http_methods(GET_POST)
@require_role(Role.OPERATOR)
def edit_quote(request: PersonRequest, uid: str) -> HttpResponse:
    """Correct a quote. Where somebody else did meanwhile, both versions stand side by side and nothing is lost."""
    found, catalog = get_object_or_404(all_quotes(), uid=uid), current_catalog()
    context = {"quote": found, "revision": found.revision, **_choices(catalog)}
    if request.method != "POST":
        form = QuoteForm(catalog, instance=found)
        return render(request, "planner/money/quote_form.html", {**context, "form": form})
    form = QuoteForm(catalog, request.POST, instance=Quote.objects.get(pk=found.pk))
    revision = typed_revision(request.POST.get("revision", ""))
    context |= {"form": form, "revision": revision}
    if not form.is_valid():
        return render(request, "planner/money/quote_form.html", context, status=422)
    try:
        change_quote(found, revision=revision, actor=request.user, **form.cleaned_data)
    except ConflictError as conflict:
        context |= {
            "conflict": conflict_rows(form, conflict.current, form.cleaned_data),
            "revision": conflict.current.revision,  # type: ignore[attr-defined]
        }
        return render(request, "planner/money/quote_form.html", context, status=409)
    messages.success(request, _("The quote is corrected."))
    return redirect("planner:quote", uid=uid)


def _choices(catalog: Catalog) -> dict[str, object]:
    """What the form's fields offer as one types."""
    return {"subjects": subjects(catalog), "currencies": COMMON_CURRENCIES}


@require_POST
@require_role(Role.OPERATOR)
def withdraw(request: PersonRequest, uid: str) -> HttpResponse:
    """Let a quote count no more, or count again, with a reason that is kept."""
    found = get_object_or_404(all_quotes(), uid=uid)
    form = WithdrawForm(request.POST)
    if not form.is_valid():
        return _quote(request, found, form, status=422)
    back, data = found.withdrawn_at is not None, form.cleaned_data
    try:
        withdraw_quote(found, revision=data["revision"], reason=data["reason"], actor=request.user, back=back)
    except ConflictError:
        current = WithdrawForm({"reason": data["reason"], "revision": found.revision})
        current.add_error(None, _("Somebody changed this quote meanwhile. Look at it, and say so again."))
        return _quote(request, found, current, status=409)
    messages.success(request, _("The quote counts again.") if back else _("The quote is withdrawn."))
    return redirect("planner:quote", uid=uid)


@require_safe
@require_role(Role.VIEWER)
def rates(request: PersonRequest) -> HttpResponse:
    """What one US dollar buys, by whose word."""
    asked, rows = request.GET.get("currency", ""), rate_rows()
    row = next((row for row in rows if row.currency == asked), None)
    start = (
        {"currency": row.currency, "per_usd": row.per_usd, "revision": row.revision}
        if row
        else {"currency": asked[:3], "revision": 0}
    )
    return _rates(request, RateForm(initial={**start, "as_of": today()}), rows=rows)


@require_POST
@require_role(Role.OPERATOR)
def change_rate(request: PersonRequest) -> HttpResponse:
    """Set one rate. Where somebody else did meanwhile, theirs stands beside what was typed and nothing is lost."""
    form = RateForm(request.POST)
    if not form.is_valid():
        return _rates(request, form, status=422)
    data = dict(form.cleaned_data)
    try:
        rate = set_rate(data.pop("currency"), actor=request.user, **data)
    except ConflictError as conflict:
        current = conflict.current
        rows = conflict_rows(form, current, form.cleaned_data)
        form.data = {**form.data.dict(), "revision": str(current.revision)}  # type: ignore[attr-defined]
        return _rates(request, form, status=409, conflict=rows)
    messages.success(request, _("The rate of %(currency)s is set.") % {"currency": rate.currency})
    return redirect("planner:rates")


def _rates(
    request: PersonRequest,
    form: RateForm,
    *,
    rows: Sequence[RateRow] | None = None,
    status: int = 200,
    conflict: Sequence[ConflictRow] = (),
) -> HttpResponse:
    context = {
        "rows": rate_rows() if rows is None else rows,
        "form": form,
        "conflict": conflict,
        "currencies": COMMON_CURRENCIES,
        "may_write": request.user.may(Role.OPERATOR),
    }
    return render(request, "planner/money/rates.html", context, status=status)
