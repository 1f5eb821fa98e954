"""Buying against renting: where they meet, by hand."""

import numpy as np
import pytest

from planner.core.cost.rent import Rented, meeting, spent

# Two cards at 1.50 an hour around the clock are 26,280 a year; 1,000 of work stays one's own.
RENTED = Rented(count=2, price_per_hour=1.5, hours_per_day=24, effort_per_year=1000)


def test_year_of_rent_by_hand() -> None:
    assert RENTED.yearly == 27_280


def test_purchase_pays_when_what_is_saved_reaches_it() -> None:
    # 40,000 paid at once, 3,280 a year to run: 24,000 a year are saved, 2,000 a month, so 20 months
    met = meeting(RENTED, purchase=40_000, running=3_280, yearly=13_280)
    assert met.months == 20
    # owning costs 12,280 a year beside the work: at 1,095 for each hour a day (2 × 1.50 × 365), 11.2 hours
    assert met.hours_per_day == pytest.approx(11.2146, abs=1e-4)


def test_purchase_never_pays_where_running_it_costs_more_than_rent() -> None:
    met = meeting(RENTED, purchase=40_000, running=30_000, yearly=40_000)
    assert met.months is None
    assert met.hours_per_day is None  # a day has 24: owning is dearer around the clock


def test_rent_of_nothing_never_meets() -> None:
    free = Rented(count=2, price_per_hour=0, hours_per_day=24, effort_per_year=0)
    assert meeting(free, purchase=1, running=0, yearly=1).hours_per_day is None


def test_money_spent_crosses_in_the_month_of_break_even() -> None:
    at, bought, rented = spent(RENTED, purchase=40_000, running=3_280, months=24)
    assert (at[0], bought[0], rented[0]) == (0, 40_000, 0)
    assert np.argmax(rented >= bought - 1e-6) == 20


def test_savings_below_any_money_never_pay_the_purchase() -> None:
    # 5e-324 saved a month, the smallest float: 40,000 over it is beyond a float
    rented = Rented(count=1, price_per_hour=1e-320, hours_per_day=24, effort_per_year=0)
    assert meeting(rented, purchase=40_000, running=0, yearly=40_000).months is None
