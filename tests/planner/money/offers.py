"""Quotes and rates as tests need them."""

from datetime import date
from decimal import Decimal
from typing import Any

from planner.models import ExchangeRate, Quote

ON = date(2026, 12, 1)


def offer(subject: str = "nvidia-l4", price: str = "2500", currency: str = "USD", **more: Any) -> Quote:
    """A quote that holds on `ON`, made a week before it."""
    return Quote.objects.create(
        **{
            "subject": subject,
            "unit_price": Decimal(price),
            "currency": currency,
            "supplier": "Hua Dong Trading",
            "source": "offer 2026-1182",
            "quoted_on": date(2026, 11, 24),
            "valid_until": date(2026, 12, 31),
            **more,
        }
    )


def rate(currency: str, per_usd: str) -> ExchangeRate:
    """A rate that the team set."""
    return ExchangeRate.objects.create(
        currency=currency, per_usd=Decimal(per_usd), as_of=date(2026, 11, 30), source="the bank's rate"
    )
