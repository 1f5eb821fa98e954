"""Writes of quotes and exchange rates."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils import timezone

from access.actions import record_audit
from access.models import User
from planner.actions.conflict import ConflictError
from planner.models import ExchangeRate, Quote
from planner.queries.quotes import identity_of, kept_already, quote_values

FIELDS = (
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
BATCH = 500


@transaction.atomic
def create_quotes(rows: Sequence[Mapping[str, Any]], *, actor: User) -> list[Quote]:
    """Write quotes down, all of them or none; each row has FIELDS, checked before."""
    quotes = [Quote(created_by=actor, **{name: row[name] for name in FIELDS if name in row}) for row in rows]
    Quote.objects.bulk_create(quotes, batch_size=BATCH)
    if len(quotes) == 1:
        record_audit(
            "quote.create", actor=actor, about=quotes[0], quote=quotes[0].uid, **quote_values(quotes[0])
        )
    else:
        record_audit(
            "quote.create_many", actor=actor, quotes=len(quotes), first=quotes[0].uid, last=quotes[-1].uid
        )
    return quotes


@transaction.atomic
def import_quotes(rows: Sequence[Mapping[str, Any]], *, actor: User) -> list[Quote]:
    """Write down those of the rows that say something new: a form sent twice, at once even, keeps each of them once."""
    User.objects.select_for_update().get(pk=actor.pk)
    known = kept_already(rows)
    new = [row for row in rows if identity_of(row) not in known]
    return create_quotes(new, actor=actor) if new else []


@transaction.atomic
def change_quote(quote: Quote, *, revision: int, actor: User, **values: Any) -> Quote:
    """Correct a quote in place. Raises ConflictError; what it said before is in the audit log."""
    current = _locked(quote, revision)
    before = quote_values(current)
    for name in FIELDS:
        if name in values:
            setattr(current, name, values[name])
    current.revision += 1
    current.save()
    after = quote_values(current)
    changed = {
        name: {"before": before[name], "after": after[name]} for name in after if after[name] != before[name]
    }
    record_audit("quote.change", actor=actor, about=current, quote=current.uid, changed=changed)
    return current


@transaction.atomic
def withdraw_quote(quote: Quote, *, revision: int, reason: str, actor: User, back: bool = False) -> Quote:
    """Let a quote count no more, or count again; it stays readable."""
    current = _locked(quote, revision)
    current.withdrawn_at = None if back else timezone.now()
    current.revision += 1
    current.save()
    action = "quote.restore" if back else "quote.withdraw"
    record_audit(action, actor=actor, about=current, reason=reason, quote=current.uid)
    return current


def _locked(quote: Quote, revision: int) -> Quote:
    current = Quote.objects.select_for_update().get(pk=quote.pk)
    if current.revision != revision:
        raise ConflictError(current)
    return current


@transaction.atomic
def set_rate(
    currency: str, *, per_usd: Decimal, as_of: date, source: str, revision: int, actor: User
) -> ExchangeRate:
    """Set what one US dollar buys of a currency; `revision` 0 says that there was no rate. Raises ConflictError."""
    current = ExchangeRate.objects.select_for_update().filter(currency=currency).first()
    if (current.revision if current else 0) != revision:
        raise ConflictError(current or ExchangeRate(currency=currency, revision=0))
    before = str(current.per_usd) if current else None
    rate = current or ExchangeRate(currency=currency, revision=0)
    rate.per_usd, rate.as_of, rate.source, rate.updated_by = per_usd, as_of, source, actor
    rate.revision += 1
    rate.save()
    record_audit("rate.set", actor=actor, about=rate, currency=currency, before=before, after=str(per_usd))
    return rate
