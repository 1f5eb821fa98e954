"""The price book: which quotes count on a day, which of them is the price, and what it is in another currency."""

import math
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from django.utils import timezone

from planner.core.cost.prices import PriceBook
from planner.models import ExchangeRate, Quote, TeamSettings
from planner.queries.prices import Books, price_book, shipped_book
from tests.planner.money.offers import ON, offer, rate

L4 = "nvidia-l4"
pytestmark = pytest.mark.django_db


def book(currency: str = "USD", **more: Any) -> PriceBook:
    return price_book(on=ON, currency=currency, **more)


def amount(found: PriceBook, name: str = L4, quantity: int = 1) -> float | None:
    price = found.buy(name, quantity=quantity)
    return None if price is None else price.amount


def test_price_is_the_cheapest_that_holds() -> None:
    offer(price="2600")
    cheapest = offer(price="2500", supplier="Second")
    found = book().buy(L4)
    assert found is not None
    assert (found.amount, found.kind, found.supplier, found.quote) == (2500, "quoted", "Second", cheapest.uid)
    assert (found.quoted_on, found.valid_until, found.rate) == ("2026-11-24", "2026-12-31", None)


@pytest.mark.parametrize(
    "facts",
    [
        {"valid_until": date(2026, 11, 30)},  # until yesterday
        {"quoted_on": date(2026, 12, 2)},  # of tomorrow
        {"withdrawn_at": timezone.now()},
        {"offer": Quote.Offer.RENT_HOUR},
        {"subject_kind": Quote.Subject.ITEM},
    ],
)
def test_quote_that_is_no_price_today(facts: dict[str, Any]) -> None:
    offer(**facts)
    assert book().buy(L4) is None


@pytest.mark.parametrize("until", [ON, None])
def test_quote_holds_on_its_last_day_and_without_an_end(until: date | None) -> None:
    offer(valid_until=until)
    assert amount(book()) == 2500


def test_price_hangs_on_the_quantity() -> None:
    offer(price="2500")
    offer(price="2200", minimum_quantity=8)
    found = book()
    assert [amount(found, quantity=n) for n in (1, 7, 8, 64)] == [2500, 2500, 2200, 2200]


def test_quote_for_many_is_no_price_of_one_and_says_so() -> None:
    offer(minimum_quantity=8)
    found = book()
    assert found.buy(L4, quantity=4) is None
    lack = found.lack(L4, quantity=4)
    assert (lack.code, lack.values) == ("price_for_more", {"quantity": 4, "least": 8})


def test_price_in_another_currency_says_its_rate() -> None:
    rate("CNY", "7.2")
    offer(price="18000", currency="CNY")
    found = book("USD").buy(L4)
    assert found is not None
    assert found.amount == pytest.approx(2500)  # 18,000 / 7.2
    assert (found.stated, found.stated_currency, found.rate_assumed) == (18_000, "CNY", False)
    assert found.rate == pytest.approx(1 / 7.2)


def test_prices_cross_from_currency_to_currency_through_the_dollar() -> None:
    rate("EUR", "0.9")
    rate("CNY", "7.2")
    offer(price="900", currency="EUR")
    assert amount(book("CNY")) == pytest.approx(7200)  # 900 / 0.9 * 7.2


def test_cheapest_is_found_across_currencies() -> None:
    rate("CNY", "7.2")
    offer(price="2600", currency="USD")
    offer(price="18000", currency="CNY")  # USD 2,500
    assert amount(book("USD")) == pytest.approx(2500)


def test_quote_without_a_rate_is_no_price_and_is_named() -> None:
    offer(currency="EUR")
    found = book("USD")
    assert (found.buy(L4), dict(found.unconverted)) == (None, {L4: "EUR"})
    assert found.lack(L4).code == "price_without_rate"
    assert amount(book("EUR")) == 2500  # in its own currency it needs none


def test_shipped_rate_is_said_to_be_assumed_until_the_team_sets_one() -> None:
    offer(price="7100", currency="CNY")
    first = book("USD").buy(L4)
    rate("CNY", "7.2")
    second = book("USD").buy(L4)
    assert first is not None and second is not None
    assert (first.rate_assumed, second.rate_assumed) == (True, False)


def test_expired_quote_is_named_with_its_last_day() -> None:
    offer(valid_until=date(2026, 10, 1))
    offer(valid_until=date(2026, 11, 1))
    found = book()
    assert (found.buy(L4), dict(found.expired)) == (None, {L4: "2026-11-01"})
    assert (found.lack(L4).code, found.lack(L4).values) == ("price_expired", {"on": "2026-11-01"})


def test_expired_quote_is_not_named_beside_one_that_holds() -> None:
    offer(valid_until=date(2026, 11, 1))
    offer()
    assert book().expired == {}


def test_thing_without_a_quote_has_no_price() -> None:
    found = book()
    assert (found.buy(L4), found.lack(L4).code) == (None, "no_price")


def test_rent_by_the_month_is_a_rent_by_the_hour() -> None:
    offer(price="730", offer=Quote.Offer.RENT_MONTH)  # 730 hours a month
    found = book().rent(L4)
    assert found is not None
    assert (found.amount, found.stated, found.stated_per) == (1.0, 730, "month")


def test_public_price_stands_in_only_where_asked_for_and_nothing_is_quoted() -> None:
    offer()
    assert book().buy("nvidia-rtx-4090") is None
    found = book(public=True)
    card = found.buy("nvidia-rtx-4090")
    assert card is not None and card.kind == "public" and card.basis
    own = found.buy(L4)
    assert own is not None and own.kind == "quoted"


def test_public_range_counts_with_its_upper_end() -> None:
    ranges = [price for offers in book(public=True).purchase.values() for price in offers if price.stated_low]
    assert ranges
    assert all(
        price.stated is not None and price.stated_low < price.stated == price.amount for price in ranges
    )


def test_book_of_some_things_holds_only_these() -> None:
    offer()
    offer("nvidia-rtx-4090")
    assert set(book(only=[L4]).purchase) == {L4}


def test_key_names_the_content() -> None:
    offer()
    first = book().key
    assert price_book(on=date(2026, 12, 2), currency="USD").key == first
    assert book("CNY").key != first
    offer("nvidia-a10")
    assert book().key != first


def test_key_changes_with_a_rate_that_costs_are_exchanged_by() -> None:
    first = book("CNY").key
    rate("CNY", "7.3")
    assert book("CNY").key != first


def test_given_price_wins_over_the_book() -> None:
    offer()
    found = book().with_given({L4: 1999.0}).buy(L4)
    assert found is not None
    assert (found.amount, found.kind) == (1999.0, "given")


def test_book_takes_three_queries(django_assert_num_queries: Any) -> None:
    for number in range(20):
        offer(price=str(100 + number))
    with django_assert_num_queries(3):
        book(public=True)


def test_books_of_a_day_are_read_once(django_assert_num_queries: Any) -> None:
    TeamSettings.objects.create(pk=1, currency="CNY")
    books = Books(on=ON)
    with django_assert_num_queries(4):  # the team's currency and one book
        assert [books.of(None, "quotes").currency for _ in range(3)] == ["CNY"] * 3
    assert books.of("EUR", "none").purchase == {}


def test_without_a_database_only_public_prices_are_known(django_assert_num_queries: Any) -> None:
    offer()
    with django_assert_num_queries(0):
        found = Books(on=ON, stored=False).of(None, "public")
    assert found.currency == "USD"
    assert {price.kind for offers in found.purchase.values() for price in offers} == {"public"}
    assert shipped_book(on=ON, currency="EUR", public=True).purchase == {}  # no rate is shipped for it


def test_price_is_finite_for_the_dearest_quote() -> None:
    ExchangeRate.objects.create(currency="VND", per_usd="10000000", as_of=ON, source="x")
    offer(price="99999999999.9999", currency="USD")
    price = book("VND").buy(L4)
    assert price is not None and math.isfinite(price.amount)
    assert replace(price).stated == 99999999999.9999
