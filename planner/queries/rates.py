"""Exchange rates in force: the team's, and shipped ones where the team has set none."""

from typing import Any

from planner.catalog.files import shipped_prices
from planner.models import ExchangeRate


def rates_in_force() -> list[dict[str, Any]]:
    """Each rate with its source, by currency. One query."""
    own = {rate.currency: _own(rate) for rate in ExchangeRate.objects.select_related("updated_by")}
    shipped = {row["currency"]: row for row in shipped_rates()}
    return [rate for _code, rate in sorted({**shipped, **own}.items())]


def shipped_rates() -> list[dict[str, Any]]:
    """Rates for a first look, until the team sets its own."""
    return [_shipped(row) for row in shipped_prices()["rates"]]


def _own(rate: ExchangeRate) -> dict[str, Any]:
    return {
        "currency": rate.currency,
        "per_usd": float(rate.per_usd),
        "as_of": rate.as_of.isoformat(),
        "source": rate.source,
        "assumed": False,
        "revision": rate.revision,
    }


def _shipped(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "currency": row["currency"],
        "per_usd": row["per_usd"],
        "as_of": row["date"],
        "source": row["source"],
        "assumed": True,
        "revision": 0,
    }
