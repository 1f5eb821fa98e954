"""The pages of quotes: the list and its filters, one quote, writing it down, correcting it, withdrawing it."""

import re
from datetime import date, timedelta
from decimal import Decimal
from html import unescape
from typing import Any

import pytest
from django.test import Client

from access.models import AuditEvent, User
from access.roles import Role
from planner.models import Quote, TeamSettings
from tests.access.people import person, signed_in
from tests.planner.money.offers import offer, rate

QUOTES = "/buy/quotes/"
HX = {"HX-Request": "true"}
FORM = {
    "subject_kind": "accelerator",
    "subject": "nvidia-rtx-4090",
    "offer": "purchase",
    "unit_price": "15,800.50",
    "currency": "cny",
    "minimum_quantity": "1",
    "supplier": "Hua Dong Trading",
    "source": "offer 2026-1182",
    "quoted_on": "2026-11-24",
    "valid_until": "",
    "note": "",
}
pytestmark = pytest.mark.django_db


@pytest.fixture
def operator() -> User:
    return person(Role.OPERATOR)


@pytest.fixture
def client(operator: User) -> Client:
    return signed_in(operator)


def text_of(response: Any) -> str:
    html = re.sub(r"<(script|style).*?</\1>", " ", response.content.decode(), flags=re.DOTALL)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", html))).replace("\u00a0", " ")


def subjects(response: Any) -> list[str]:
    return re.findall(r'<th scope="row"><a href="[^"]*">([^<]*)</a>', response.content.decode())


def lasting(subject: str = "nvidia-l4", price: str = "2500", currency: str = "USD", **more: Any) -> Quote:
    return offer(subject, price, currency, **{"quoted_on": date(2020, 1, 1), "valid_until": None, **more})


def test_list_without_quotes_offers_the_first_step(client: Client) -> None:
    text = text_of(client.get(QUOTES))
    assert "None yet" in text and "New quote" in text


def test_list_shows_the_thing_its_price_and_what_that_is_for_the_team(client: Client) -> None:
    TeamSettings.objects.create(pk=1, currency="CNY")
    rate("CNY", "7.2")
    lasting(price="2500.25")
    text = text_of(client.get(QUOTES))
    assert "L4 nvidia-l4 Purchase USD 2,500.25 CNY 18,002" in text
    assert "Hua Dong Trading 2020-01-01 – valid" in text


def test_list_for_htmx_is_the_rows_alone(client: Client) -> None:
    lasting()
    whole, part = client.get(QUOTES).content.decode(), client.get(QUOTES, headers=HX).content.decode()
    assert "<html" in whole and "<html" not in part
    assert "nvidia-l4" in part


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("q=4090", {"GeForce RTX 4090"}),
        ("state=expired", {"A10"}),
        ("state=withdrawn", {"L40S"}),
        ("state=valid", {"L4", "GeForce RTX 4090", "rack"}),
        ("offer=rent_month", {"GeForce RTX 4090"}),
        ("subject_kind=item", {"rack"}),
        ("supplier=dong", {"L4", "A10", "L40S", "rack"}),
        ("currency=CNY", {"GeForce RTX 4090"}),
        ("q=nothing-like-it", set()),
    ],
)
def test_list_filters(client: Client, query: str, expected: set[str]) -> None:
    lasting()
    lasting("nvidia-rtx-4090", "18000", "CNY", offer=Quote.Offer.RENT_MONTH, supplier="Nan Fang")
    lasting("nvidia-a10", valid_until=date(2020, 2, 1))
    lasting("nvidia-l40s", withdrawn_at="2026-01-01T00:00:00Z")
    lasting("rack", subject_kind=Quote.Subject.ITEM)
    assert set(subjects(client.get(f"{QUOTES}?{query}"))) == expected


def test_list_where_none_match_offers_to_clear_the_filters(client: Client) -> None:
    lasting()
    assert "None match" in text_of(client.get(f"{QUOTES}?q=zzz"))


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        (
            "price",
            ["A10", "L4", "GeForce RTX 4090", "L40S"],
        ),  # USD 1,000 · CNY 7,200 at 7.2 · USD 1,500 · no rate
        ("-price", ["L40S", "GeForce RTX 4090", "L4", "A10"]),
        ("until", ["L40S", "L4", "A10", "GeForce RTX 4090"]),  # without an end: last
        ("supplier", ["L40S", "GeForce RTX 4090", "L4", "A10"]),
        ("no-such-column", ["L40S", "GeForce RTX 4090", "L4", "A10"]),  # as by default: newest first
    ],
)
def test_list_sorts_over_currencies(client: Client, sort: str, expected: list[str]) -> None:
    rate("CNY", "7.2")
    first = date(2021, 1, 1)
    lasting("nvidia-a10", "1000", quoted_on=first, supplier="D", valid_until=date(2098, 1, 1))
    lasting(
        "nvidia-l4", "7201", "CNY", quoted_on=first + timedelta(1), supplier="C", valid_until=date(2097, 1, 1)
    )
    lasting("nvidia-rtx-4090", "1500", quoted_on=first + timedelta(2), supplier="B")
    lasting(
        "nvidia-l40s", "1", "EUR", quoted_on=first + timedelta(3), supplier="A", valid_until=date(2096, 1, 1)
    )
    assert subjects(client.get(f"{QUOTES}?sort={sort}")) == expected


def test_list_asks_the_database_as_often_for_many_as_for_few(
    client: Client, django_assert_num_queries: Any
) -> None:
    client.get(QUOTES)
    # session, user, savepoint around the version of the catalog, rates, currency of the team, count, rows
    for many in (1, 60):
        Quote.objects.bulk_create(
            Quote(
                subject="nvidia-l4",
                unit_price=1,
                currency="USD",
                supplier="S",
                source="s",
                quoted_on="2020-01-01",
            )
            for _ in range(many)
        )
        with django_assert_num_queries(9):
            client.get(QUOTES)
        with django_assert_num_queries(9):
            client.get(f"{QUOTES}?q=l4&state=valid&currency=USD&sort=-price", headers=HX)


def test_viewer_reads_quotes_and_is_offered_no_change() -> None:
    viewer, quote = signed_in(person(Role.VIEWER)), lasting()
    listed, shown = viewer.get(QUOTES), viewer.get(f"{QUOTES}{quote.uid}/")
    assert (listed.status_code, shown.status_code) == (200, 200)
    assert "New quote" not in text_of(listed) and "Withdraw" not in text_of(shown)
    for address in ("new/", f"{quote.uid}/edit/", "import/"):
        assert viewer.get(f"{QUOTES}{address}").status_code == 403
    assert viewer.post(f"{QUOTES}{quote.uid}/withdraw/", {"reason": "x", "revision": 1}).status_code == 403


def test_new_quote_is_kept_exactly_with_its_audit_event(client: Client, operator: User) -> None:
    response = client.post(f"{QUOTES}new/", FORM, follow=True)
    quote = Quote.objects.get()
    assert response.redirect_chain == [(f"{QUOTES}{quote.uid}/", 302)]
    assert (str(quote.unit_price), quote.currency, quote.valid_until) == ("15800.5000", "CNY", None)
    event = AuditEvent.objects.get(action="quote.create")
    assert (event.actor, event.data["unit_price"], event.data["quote"]) == (operator, "15800.50", quote.uid)
    assert "Hua Dong Trading sells one for CNY 15,800.50." in text_of(response)


def test_form_of_a_new_quote_starts_with_what_the_address_names(client: Client) -> None:
    TeamSettings.objects.create(pk=1, currency="CNY")
    html = client.get(f"{QUOTES}new/?kind=platform&subject=some-platform").content.decode()
    assert 'value="some-platform"' in html and 'value="CNY"' in html
    assert '<option value="platform" selected>' in html


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("subject", "nvidia-rtx-4900", "The catalog has no such entry. Did you mean nvidia-rtx-4"),
        ("subject", "RTX 4090", "Did you mean nvidia-rtx-4090"),
        ("unit_price", "1.234,50", "This is not an amount"),
        ("unit_price", "15,5", "This is not an amount"),
        ("unit_price", "-1", "greater than or equal to 0"),
        ("unit_price", "1e99", "less than or equal to"),
        ("unit_price", "nan", "not an amount"),
        ("unit_price", "1.00001", "4 decimal places"),
        ("currency", "RMB", "RMB is no currency of ISO 4217. Did you mean CNY?"),
        ("currency", "XYZ", "XYZ is no currency of ISO 4217."),
        ("minimum_quantity", "0", "greater than or equal to 1"),
        ("supplier", "", "This field is required."),
        ("supplier", "x" * 121, "at most 120 characters"),
        ("quoted_on", "11/24/2026", "This is no day. Write it like 2026-11-24."),
        ("quoted_on", "2999-01-01", "An offer is of the past"),
        ("quoted_on", "1999-12-31", "An offer is of the past"),
        ("valid_until", "2020-01-01", "It ends before it was made."),
        ("valid_until", "2999-01-01", "This is more than 20 years ahead."),
    ],
)
def test_form_refuses_what_cannot_be_and_keeps_what_was_typed(
    client: Client, field: str, value: str, message: str
) -> None:
    response = client.post(f"{QUOTES}new/", {**FORM, field: value})
    assert (response.status_code, Quote.objects.count()) == (422, 0)
    assert message in text_of(response)
    assert 'value="Hua Dong Trading"' in response.content.decode() or field == "supplier"


@pytest.mark.parametrize(
    ("typed", "kept"),
    [("15800", "15800"), ("1 234.5", "1234.5"), ("1,234,567.0001", "1234567.0001"), ("0", "0")],
)
def test_amounts_are_read_as_people_type_them(client: Client, typed: str, kept: str) -> None:
    client.post(f"{QUOTES}new/", {**FORM, "unit_price": typed})
    assert Quote.objects.get().unit_price == Decimal(kept)


def test_form_of_a_correction_starts_with_what_is_there(client: Client) -> None:
    html = client.get(f"{QUOTES}{lasting(price='15800.5').uid}/edit/").content.decode()
    assert 'value="15800.50"' in html and 'name="revision" value="1"' in html


def test_other_item_needs_no_entry_in_the_catalog(client: Client) -> None:
    client.post(f"{QUOTES}new/", {**FORM, "subject_kind": "item", "subject": "42U rack"})
    assert Quote.objects.get().subject == "42U rack"


def test_correction_says_what_it_changed(client: Client) -> None:
    quote = lasting("nvidia-rtx-4090", "15800", "CNY")
    response = client.post(
        f"{QUOTES}{quote.uid}/edit/", {**FORM, "revision": 1, "unit_price": "15200"}, follow=True
    )
    quote.refresh_from_db()
    assert (quote.unit_price, quote.revision) == (15200, 2)
    changed = AuditEvent.objects.get(action="quote.change").data["changed"]
    assert changed["unit_price"] == {"before": "15800.00", "after": "15200.00"}
    assert "corrected" in text_of(response) and "price of one: 15800.00 → 15200.00" in text_of(response)


def test_correction_of_an_older_revision_writes_nothing_and_loses_nothing(client: Client) -> None:
    quote = lasting("nvidia-rtx-4090", "15800", "CNY")
    address = f"{QUOTES}{quote.uid}/edit/"
    client.post(address, {**FORM, "revision": 1, "unit_price": "15000"})
    response = client.post(address, {**FORM, "revision": 1, "unit_price": "14000", "note": "mine"})
    assert response.status_code == 409
    html, text = response.content.decode(), text_of(response)
    assert "Somebody else corrected this quote meanwhile." in text
    assert "Price of one 15000 14000" in text and "Note – mine" in text
    assert (
        'value="14000"' in html
        and re.search(r">\s*mine</textarea>", html)
        and 'name="revision" value="2"' in html
    )
    quote.refresh_from_db()
    assert (quote.unit_price, quote.note) == (15000, "")
    client.post(address, {**FORM, "revision": 2, "unit_price": "14000", "note": "mine"})
    quote.refresh_from_db()
    assert (quote.unit_price, quote.revision) == (14000, 3)


@pytest.mark.parametrize("revision", ["", "x", "99999999999999999999", "-1"])
def test_correction_without_a_revision_is_a_conflict(client: Client, revision: str) -> None:
    quote = lasting("nvidia-rtx-4090", "15800", "CNY")
    response = client.post(f"{QUOTES}{quote.uid}/edit/", {**FORM, "revision": revision})
    assert response.status_code == 409


def test_withdrawn_quote_says_why_and_can_count_again(client: Client) -> None:
    quote = lasting()
    address = f"{QUOTES}{quote.uid}/withdraw/"
    response = client.post(address, {"revision": 1, "reason": "sold out"}, follow=True)
    text = text_of(response)
    assert "It was withdrawn and is no price any more." in text and "sold out" in text
    response = client.post(address, {"revision": 2, "reason": "in stock again"}, follow=True)
    quote.refresh_from_db()
    assert quote.withdrawn_at is None
    assert "It is the price of L4 today." in text_of(response)


def test_withdrawal_needs_a_reason(client: Client) -> None:
    quote = lasting()
    response = client.post(f"{QUOTES}{quote.uid}/withdraw/", {"revision": 1, "reason": " "})
    assert response.status_code == 422
    assert "This field is required." in text_of(response)


def test_withdrawal_of_an_older_revision_keeps_the_reason(client: Client) -> None:
    quote = lasting()
    Quote.objects.update(revision=5)
    response = client.post(f"{QUOTES}{quote.uid}/withdraw/", {"revision": 4, "reason": "sold out"})
    assert response.status_code == 409
    html = response.content.decode()
    assert 'value="sold out"' in html and 'name="revision" value="5"' in html


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        ({}, "It is the price of L4 today."),
        ({"valid_until": date(2020, 2, 1)}, "It expired and is no price any more."),
        ({"currency": "EUR"}, "It does not count: no rate is set for EUR."),
        ({"subject_kind": "item"}, "Other items are typed into a bill"),
        ({"offer": "rent_hour"}, "It is the price of L4 today."),
        ({"minimum_quantity": 8}, "From 8 on it is the price of L4 today."),
    ],
)
def test_quote_says_whether_it_counts(client: Client, facts: dict[str, Any], text: str) -> None:
    quote = lasting(**facts)
    assert text in text_of(client.get(f"{QUOTES}{quote.uid}/"))


def test_quote_that_is_beaten_leads_to_the_one_that_counts(client: Client) -> None:
    dear, cheap = lasting(price="2600"), lasting(price="2500", supplier="Nan Fang")
    response = client.get(f"{QUOTES}{dear.uid}/")
    assert "Nan Fang asks less, USD 2,500, so that one counts." in text_of(response)
    assert f'href="{QUOTES}{cheap.uid}/"' in response.content.decode()


def test_quoted_price_is_shown_to_its_last_digit_wherever_it_stands(client: Client) -> None:
    TeamSettings.objects.create(pk=1, currency="USD")
    lasting(price="2500.25")
    assert "USD 7,500.75 for 3 × L4 at USD 2,500.25" in text_of(client.get("/plan/?a=nvidia-l4&n=3"))
    other = lasting(price="2600")
    assert "asks less, USD 2,500.25" in text_of(client.get(f"{QUOTES}{other.uid}/"))


def test_quote_in_another_currency_says_the_rate(client: Client) -> None:
    quote = lasting(price="14200", currency="CNY")
    text = text_of(client.get(f"{QUOTES}{quote.uid}/"))
    assert "CNY 14,200 · USD 2,000 at CNY 7.1 for one USD assumed" in text


def test_page_of_a_quote_asks_the_database_a_fixed_number_of_times(
    client: Client, django_assert_num_queries: Any
) -> None:
    quote = lasting()
    client.get(f"{QUOTES}{quote.uid}/")
    # session, user, savepoint around the version of the catalog, quote, rates, currency, book of three, events
    with django_assert_num_queries(12):
        client.get(f"{QUOTES}{quote.uid}/")


def test_quote_that_is_not_there_is_not_found(client: Client) -> None:
    assert client.get(f"{QUOTES}nothing/").status_code == 404
