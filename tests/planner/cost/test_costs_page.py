"""The page of a cost: the answer first, its address its state, errors beside their inputs, the CSV behind each card."""

import csv
import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from access.roles import Role
from planner.cost.form import read_form
from tests.access.people import person, signed_in
from tests.planner.money.offers import offer

PAGE = "/buy/costs/"
HX = {"HX-Request": "true"}


@pytest.fixture
def viewer(db: None) -> Client:
    return signed_in(person(Role.VIEWER))


def text_of(response: Any) -> str:
    plain = re.sub(r"<[^>]+>", " ", response.content.decode())
    return re.sub(r"\s+", " ", unescape(plain).replace("\u00a0", " "))


def test_first_load_says_that_nobody_priced_it_and_offers_public_prices(viewer: Client) -> None:
    response = viewer.get(PAGE)
    assert response.status_code == 200
    text = text_of(response)
    assert "What does 1 × GeForce RTX 4090 cost to own?" in text
    assert "What 1 × GeForce RTX 4090 costs in a year is not known." in text
    assert 'href="/buy/costs/?ps=public"' in response.content.decode()


def test_public_prices_answer_at_once_and_are_named(viewer: Client) -> None:
    text = text_of(viewer.get(PAGE, {"ps": "public"}))
    assert "for a million output tokens at your load" in text
    assert "public, not an offer" in text
    assert "Public prices, dated, not offers: GeForce RTX 4090." in text


def test_sum_of_a_year_is_that_of_its_items(viewer: Client) -> None:
    # 1,000 a card, nothing beside it: 1,000 × 0.9 ÷ 4 = 225 a year; failures 0.09 × 0.3 × 1,000 = 27;
    # work 12 h × 12 × 40 = 5,760; no electricity: 6,012
    asked = {
        "cp": "1,000",
        "host_share": "0",
        "network_share": "0",
        "spare_share": "0",
        "tariff_per_kwh": "0",
    }
    text = text_of(viewer.get(f"{PAGE}?{read_form(asked).query()}"))
    assert "USD 6,012 a year" in text
    assert "Depreciation USD 225" in text


def test_edit_gets_only_what_changed_and_its_address(viewer: Client) -> None:
    response = viewer.get(PAGE, {"ps": "public", "rent": "0.5"}, headers=HX)
    body = response.content.decode()
    assert response["HX-Push-Url"] == "/buy/costs/?ps=public&rent=0.5"
    assert "<html" not in body
    assert 'id="answer"' in body
    assert 'id="rest"' in body
    assert "a purchase has paid for itself after" in text_of(response)


def test_keys_of_a_plan_are_taken_and_those_not_shown_are_carried(viewer: Client) -> None:
    query = "a=nvidia-l4&n=2&util=0.85&tpot=60&ps=public"
    response = viewer.get(f"{PAGE}?{query}")
    assert response.status_code == 200
    body = response.content.decode()
    assert "What does 2 × L4 cost to own?" in text_of(response)
    assert '<input type="hidden" name="util" value="0.85">' in body
    assert '<input type="hidden" name="tpot" value="60">' in body
    assert 'href="/plan/?a=nvidia-l4&amp;n=2&amp;util=0.85&amp;tpot=60"' in body


def test_address_is_written_one_way(viewer: Client) -> None:
    response = viewer.get(PAGE, {"a": "nvidia-rtx-4090", "cp": "", "nonsense": "1", "pue": "1.2"})
    assert response.status_code == 302
    assert response["Location"] == "/buy/costs/?pue=1.2"


@pytest.mark.parametrize(
    ("typed", "key", "message"),
    [
        ({"pue": "0.5"}, "pue", "0.5 is out of range: allowed is 1 to 3."),
        ({"cp": "much"}, "cp", "Expected a number, found text."),
        ({"n": "3", "tp": "2"}, "n", "count is 3"),
        ({"cur": "KRW"}, "cur", "There is no exchange rate for KRW."),
        ({"plat": "nothing"}, "plat", "No platform"),
        ({"rh": "30"}, "rh", "30 is out of range: allowed is 0 to 24."),
        ({"c": "broken"}, "c", "damaged"),
    ],
)
def test_wrong_input_is_named_at_its_place_and_kept(
    viewer: Client, typed: dict[str, str], key: str, message: str
) -> None:
    response = viewer.get(PAGE, typed)
    body = response.content.decode()
    assert response.status_code == 200
    assert "One input needs a look." in body
    slot = re.search(rf'id="error-{key}".*?</span></span>', body)
    assert slot is not None
    assert message in unescape(slot[0])


def test_quote_is_the_price_and_opens(viewer: Client) -> None:
    made = offer("nvidia-rtx-4090", "1800")
    response = viewer.get(PAGE)
    assert f'href="/buy/quotes/{made.uid}/"' in response.content.decode()
    assert "quoted by Hua Dong Trading on 2026-11-24" in text_of(response)


@pytest.mark.parametrize(
    ("table", "head", "rows"),
    [("terms", "part", 15), ("utilization", "utilization", 13), ("rent", "month", 61)],
)
def test_csv_holds_the_numbers_behind_a_card(viewer: Client, table: str, head: str, rows: int) -> None:
    response = viewer.get(f"{PAGE}{table}.csv", {"ps": "public", "rent": "0.5"})
    lines = list(csv.reader(b"".join(response.streaming_content).decode().splitlines()))
    assert (lines[0][0], len(lines) - 1) == (head, rows)


def test_csv_of_a_wrong_question_leads_to_its_page(viewer: Client) -> None:
    response = viewer.get(f"{PAGE}terms.csv", {"pue": "0"})
    assert (response.status_code, response["Location"]) == (302, "/buy/costs/?pue=0")
    assert viewer.get(f"{PAGE}weather.csv").status_code == 404


def test_nobody_reads_it_without_signing_in(db: None) -> None:
    response = Client().get(PAGE)
    assert (response.status_code, response["Location"].partition("?")[0]) == (302, "/sign-in/")


def test_page_asks_few_queries(viewer: Client, django_assert_max_num_queries: Any) -> None:
    viewer.get(PAGE)
    offer("nvidia-rtx-4090", "1800")
    # Session, user, team, the catalog's stamp with a savepoint around it, and the three of a price book
    with django_assert_max_num_queries(9):
        viewer.get(PAGE)
