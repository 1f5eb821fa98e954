"""REST: quotes and exchange rates."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.decorators import api_view, permission_classes
from rest_framework.request import Request
from rest_framework.response import Response

from access.idempotency import idempotent
from access.paging import paged
from access.permissions import HasScope, actor_of
from access.problems import invalid
from access.revisions import asked_revision, changed_meanwhile, etag
from planner.actions.conflict import ConflictError
from planner.actions.quotes import change_quote, create_quotes, set_rate, withdraw_quote
from planner.answers.quotes import check_quote, check_quotes, shown
from planner.api.filtering import filtered
from planner.api.lists import ETAG, IDEMPOTENCY_KEY, IF_MATCH, filters, page_of, problems
from planner.clock import today
from planner.forms.quotes import RateForm
from planner.models import ExchangeRate, Quote
from planner.queries import current_catalog
from planner.queries.quotes import QuoteFilters
from planner.queries.quotes import quotes as all_quotes
from planner.queries.rates import rates_in_force
from planner.schemas.quotes import (
    EXAMPLE_QUOTE,
    NEW_QUOTE,
    NEW_RATE,
    QUOTE,
    QUOTE_CHANGE,
    RATE,
    WITHDRAWAL,
)

MOST_AT_ONCE = 1_000
WITH_SCOPE = [HasScope("quotes:read", write="quotes:write")]


@extend_schema(
    methods=["GET"],
    operation_id="list_quotes",
    summary="List quotes",
    parameters=filters(
        q="Words in subject, supplier or note.",
        state="valid, expired or withdrawn.",
        offer="purchase, rent_hour or rent_month.",
        subject_kind="accelerator, platform or item.",
        supplier="Part of a supplier's name.",
        currency="ISO 4217.",
    ),
    responses={200: page_of(QUOTE), **problems(404, 422)},
    tags=["quotes"],
)
@extend_schema(
    methods=["POST"],
    operation_id="create_quotes",
    summary="Write quotes down",
    description="One quote, or a list of up to 1,000 of which all are kept or none.",
    parameters=[IDEMPOTENCY_KEY],
    request={"application/json": {"oneOf": [NEW_QUOTE, {"type": "array", "items": NEW_QUOTE}]}},
    responses={201: {"oneOf": [QUOTE, {"type": "array", "items": QUOTE}]}, **problems(400, 409, 413, 422)},
    examples=[OpenApiExample("A card", value=EXAMPLE_QUOTE, request_only=True)],
    tags=["quotes"],
)
@api_view(["GET", "POST"])
@permission_classes(WITH_SCOPE)  # type: ignore[arg-type]  # an instance makes itself
def quotes(request: Request) -> HttpResponse:
    """List quotes, or write some down."""
    if request.method == "POST":
        return _create(request)
    found = filtered(QuoteFilters, request, all_quotes())
    if isinstance(found, HttpResponse):
        return found
    on = today()
    return paged(request, found, lambda quote: shown(quote, on=on))


@idempotent
def _create(request: Request) -> HttpResponse:
    body: Any = request.data
    catalog, on = current_catalog(), today()
    if not isinstance(body, list):
        clean, errors = check_quote(body, catalog)
        if errors:
            return invalid(errors)
        made = create_quotes([clean], actor=actor_of(request))[0]
        return _one(made, status=201)
    if not 1 <= len(body) <= MOST_AT_ONCE:
        text = _("Send from 1 to %(limit)s quotes.") % {"limit": MOST_AT_ONCE}
        return invalid([{"field": None, "code": "batch_size", "message": text}])
    rows, errors = check_quotes(body, catalog)
    if errors:
        return invalid(errors)
    made_all = create_quotes(rows, actor=actor_of(request))
    return Response([shown(quote, on=on) for quote in made_all], status=201)


def _one(quote: Quote, *, status: int = 200) -> Response:
    return Response(shown(quote, on=today()), status=status, headers={"ETag": etag(quote.revision)})


@extend_schema(
    methods=["GET"],
    operation_id="get_quote",
    summary="One quote",
    parameters=[ETAG],
    responses={200: QUOTE, **problems(404)},
    tags=["quotes"],
)
@extend_schema(
    methods=["PATCH"],
    operation_id="change_quote",
    summary="Correct a quote",
    parameters=[IF_MATCH, ETAG],
    request={"application/json": QUOTE_CHANGE},
    responses={200: QUOTE, **problems(400, 404, 412, 413, 422, 428)},
    examples=[OpenApiExample("A lower price", value={"unit_price": "15200.00"}, request_only=True)],
    tags=["quotes"],
)
@api_view(["GET", "PATCH"])
@permission_classes(WITH_SCOPE)  # type: ignore[arg-type]
def quote(request: Request, uid: str) -> HttpResponse:
    """Read or correct one quote."""
    found = get_object_or_404(all_quotes(), uid=uid)
    if request.method == "GET":
        return _one(found)
    revision = asked_revision(request)
    if isinstance(revision, HttpResponse):
        return revision
    clean, errors = check_quote(request.data, current_catalog(), instance=found)
    if errors:
        return invalid(errors)
    try:
        return _one(change_quote(found, revision=revision, actor=actor_of(request), **clean))
    except ConflictError as conflict:
        return _conflict(conflict)


def _conflict(conflict: ConflictError) -> HttpResponse:
    return changed_meanwhile(conflict.current.revision)  # type: ignore[attr-defined]


@extend_schema(
    operation_id="withdraw_quote",
    summary="Let a quote count no more",
    parameters=[IF_MATCH, IDEMPOTENCY_KEY, ETAG],
    request={"application/json": WITHDRAWAL},
    responses={200: QUOTE, **problems(400, 404, 409, 412, 413, 422, 428)},
    examples=[OpenApiExample("Sold out", value={"reason": "sold out"}, request_only=True)],
    tags=["quotes"],
)
@api_view(["POST"])
@permission_classes([HasScope("quotes:write")])  # type: ignore[list-item]
@idempotent
def withdraw(request: Request, uid: str) -> HttpResponse:
    """Withdraw a quote with its reason; one that is withdrawn already is answered as it is."""
    found = get_object_or_404(all_quotes(), uid=uid)
    revision = asked_revision(request)
    if isinstance(revision, HttpResponse):
        return revision
    body: Any = request.data
    reason = body.get("reason") if isinstance(body, dict) else None
    if not isinstance(reason, str) or not reason.strip() or len(reason) > 500:
        text = _("Say why, in up to 500 characters.")
        return invalid([{"field": "reason", "code": "required", "message": text}])
    if found.withdrawn_at is not None:
        return _one(found)
    try:
        return _one(withdraw_quote(found, revision=revision, reason=reason.strip(), actor=actor_of(request)))
    except ConflictError as conflict:
        return _conflict(conflict)


@extend_schema(
    operation_id="list_exchange_rates",
    summary="What one US dollar buys",
    responses={200: {"type": "array", "items": RATE}, **problems()},
    tags=["quotes"],
)
@api_view(["GET"])
@permission_classes([HasScope("quotes:read")])  # type: ignore[list-item]
def rates(request: Request) -> Response:
    """Every rate in force."""
    return Response(rates_in_force())


@extend_schema(
    operation_id="set_exchange_rate",
    summary="Set what one US dollar buys of a currency",
    parameters=[IF_MATCH, ETAG],
    request={"application/json": NEW_RATE},
    responses={200: RATE, **problems(400, 404, 412, 413, 422, 428)},
    examples=[
        OpenApiExample(
            "The renminbi",
            value={"per_usd": "7.0512", "as_of": "2026-11-30", "source": "the bank's rate of the day"},
            request_only=True,
        )
    ],
    tags=["quotes"],
)
@api_view(["PUT"])
@permission_classes([HasScope("quotes:write")])  # type: ignore[list-item]
def rate(request: Request, currency: str) -> HttpResponse:
    """Set one rate; revision 0 is that of a currency for which the team set none."""
    revision = asked_revision(request)
    if isinstance(revision, HttpResponse):
        return revision
    errors, data = _rate_values(request.data, currency, revision)
    if errors:
        return invalid(errors)
    try:
        made: ExchangeRate = set_rate(data.pop("currency"), actor=actor_of(request), **data)
    except ConflictError as conflict:
        return _conflict(conflict)
    row = next(row for row in rates_in_force() if row["currency"] == made.currency)
    return Response(row, headers={"ETag": etag(made.revision)})


def _rate_values(body: Any, currency: str, revision: int) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """(errors, clean values) of the body of a rate."""
    known = {"per_usd", "as_of", "source"}
    if not isinstance(body, dict) or set(body) - known:
        text = _("Send an object with per_usd, as_of and source.")
        return [{"field": None, "code": "wrong_type", "message": text}], {}
    text = _("This has another type than it should.")
    wrong = [name for name, value in body.items() if not _is_text(value, or_number=name == "per_usd")]
    if wrong:
        return [{"field": name, "code": "wrong_type", "message": text} for name in wrong], {}
    form = RateForm({**body, "currency": currency, "revision": revision})
    if form.is_valid():
        return [], dict(form.cleaned_data)
    found = form.errors.get_json_data()
    return [
        {"field": name, "code": item["code"] or "invalid", "message": item["message"]}
        for name, items in found.items()
        for item in items
    ], {}


def _is_text(value: Any, *, or_number: bool) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return value is None or isinstance(value, str) or (or_number and number)
