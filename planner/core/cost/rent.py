"""Buying against renting: what each costs by month, and where they meet."""

from dataclasses import dataclass

import numpy as np

from planner.core.batch import FloatArray
from planner.core.cost.own import DAYS_PER_YEAR, MONTHS_PER_YEAR

HOURS_PER_DAY = 24
HOURS_PER_MONTH = 730.0  # 8,760 hours a year over twelve months


@dataclass(frozen=True, slots=True, kw_only=True)
class Rented:
    """Cards rented by the hour. `effort_per_year` is the work that remains one's own."""

    count: int
    price_per_hour: float  # of one card
    hours_per_day: float
    effort_per_year: float

    @property
    def yearly(self) -> float:
        """What a year of it costs."""
        hours = self.hours_per_day * DAYS_PER_YEAR
        return self.count * self.price_per_hour * hours + self.effort_per_year


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """Where buying and renting cost the same; None where they never do.

    `months` until a purchase has paid for itself in money spent; `hours_per_day` from which owning is cheaper in a year,
    None where it is dearer around the clock.
    """

    months: float | None
    hours_per_day: float | None


def meeting(rented: Rented, *, purchase: float, running: float, yearly: float) -> Meeting:
    """`running` is what a year of owning costs beside the purchase, `yearly` with its depreciation."""
    saved = (rented.yearly - running) / MONTHS_PER_YEAR
    months = purchase / saved if saved > 0 else None
    if months is not None and not np.isfinite(months):
        months = None  # rents and savings that differ by less than any money does
    hourly = rented.count * rented.price_per_hour * DAYS_PER_YEAR
    hours = max(0.0, yearly - rented.effort_per_year) / hourly if hourly > 0 else None
    return Meeting(
        months=months, hours_per_day=hours if hours is not None and hours <= HOURS_PER_DAY else None
    )


def spent(
    rented: Rented, *, purchase: float, running: float, months: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(months 0…n, money spent when bought, money spent when rented), each (n + 1,)."""
    at = np.arange(months + 1, dtype=np.float64)
    bought = purchase + running / MONTHS_PER_YEAR * at
    return at, bought, rented.yearly / MONTHS_PER_YEAR * at
