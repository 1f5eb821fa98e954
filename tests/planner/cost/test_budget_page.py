"""The page of a budget: what a range of money buys, by hand for one card; its address its state; errors at their inputs."""

import csv
import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from access.roles import Role
from planner.answers.budgets import answer
from planner.catalog import load_shipped
from planner.cost.budget_form import query_for_plan, read_budget
from planner.models import TeamSettings
from planner.plan.form import read_plan
from planner.queries.prices import Books
from tests.access.people import person, signed_in
from tests.planner.money.offers import ON, offer, rate

PAGE = "/buy/budget/"
CARD = "nvidia-rtx-5090"
HX = {"HX-Request": "true"}


@pytest.fixture
def viewer(db: None) -> Client:
    return signed_in(person(Role.VIEWER))


def text_of(response: Any) -> str:
    plain = re.sub(r"<[^>]+>", " ", response.content.decode())
    return re.sub(r"\s+", " ", unescape(plain).replace("\u00a0", " "))


def found(**typed: str) -> dict[str, Any]:
    question = read_budget(typed).question()
    return answer(question, catalog=load_shipped(), books=Books(on=ON), team=TeamSettings())


def test_first_load_says_that_nobody_stated_a_price_and_what_to_do(viewer: Client) -> None:
    response = viewer.get(PAGE)
    assert response.status_code == 200
    text = text_of(response)
    assert "What does CNY 200,000 to 300,000 buy?" in text
    assert "Nobody has stated a price, so what it buys is not known." in text
    assert 'href="/buy/budget/?ps=public"' in response.content.decode()
    assert "Write a quote down" not in text  # a viewer writes none


def test_operator_is_led_to_writing_a_quote_down(db: None) -> None:
    body = signed_in(person(Role.OPERATOR)).get(PAGE).content.decode()
    assert 'href="/buy/quotes/new/"' in body
    assert 'href="/buy/quotes/import/"' in body


def test_public_prices_answer_where_they_are_ticked_and_are_named(viewer: Client) -> None:
    response = viewer.get(PAGE, {"ps": "public"})
    text = text_of(response)
    assert "users of Qwen3-32B at once, with 8 × GeForce RTX 5090" in text
    assert "public, which are no offers" in text
    assert "Prices in USD are exchanged into CNY at a round rate that nobody here has set" in text
    assert 'name="ps" value="public" checked' in response.content.decode()


def test_one_quote_worked_out_by_hand(db: None) -> None:
    rate("CNY", "7.1")
    offer(CARD, "28400", "CNY")
    (item,) = [each for each in found()["set_ups"] if each["count"] == 8]
    owning = item["owning"]
    # 8 × 28,400 = 227,200 for the cards; servers 20 %, network 5 %, spares 5 % of it again: × 1.3
    assert owning["purchase"]["total"] == pytest.approx(295_360)
    terms = {term["item"]: term["amount"] for term in owning["yearly"]["terms"]}
    # 295,360 × (1 - 0.1) ÷ 4 years
    assert terms["depreciation"] == pytest.approx(66_456)
    # 8 cards × 0.09 failures a year × 0.3 of a card's price × 28,400
    assert terms["failures"] == pytest.approx(6_134.4)
    # 2 + 4 + 4 + 2 hours a month × 12 × USD 40 × 7.1
    work = sum(terms[name] for name in ("driver_hours", "engine_hours", "monitoring_hours", "weights_hours"))
    assert work == pytest.approx(40_896)
    # 575 W of the datasheet × (0.2 idle + 0.6 × duty) + 100 W of the server, × 8 cards × 8,760 h × PUE 1.5 × 0.12 × 7.1
    duty = owning["utilization"]
    kwh = 8 * (575 * (0.2 + 0.6 * duty) + 100) / 1000 * 8760 * 1.5
    assert terms["power"] == pytest.approx(kwh * 0.12 * 7.1, rel=1e-3)
    assert owning["yearly"]["total"] == pytest.approx(66_456 + 6_134.4 + 40_896 + terms["power"])
    # a million tokens: the year ÷ (tokens a day × 365) × 1,000,000
    tokens = owning["tokens_per_day"]
    each = owning["per_million_output_tokens"]
    assert each["at_load"] == pytest.approx(
        owning["yearly"]["total"] / (tokens["at_load"] * 365) * 1e6, rel=1e-5
    )
    flat_out = 8 * (575 * 0.8 + 100) / 1000 * 8760 * 1.5 * 0.12 * 7.1
    whole = 66_456 + 6_134.4 + 40_896 + flat_out
    assert owning["yearly_at_full_load"] == pytest.approx(whole, rel=1e-5)
    assert each["at_full_load"] == pytest.approx(whole / (tokens["at_full_load"] * 365) * 1e6, rel=1e-5)
    # your load: 8 hours of the tokens per second of 64 users
    assert tokens["at_load"] == pytest.approx(item["speed"]["output_tokens_per_s"] * 3600 * 8, rel=1e-4)
    assert item["users"]["most"] > 64


def test_every_set_up_is_within_the_ends_and_the_most_users_come_first(db: None) -> None:
    rate("CNY", "7.1")
    offer(CARD, "28400", "CNY")
    offer("nvidia-rtx-4090", "19880", "CNY")
    answered = found()
    totals = [item["owning"]["purchase"]["total"] for item in answered["set_ups"]]
    assert totals
    assert all(200_000 <= total <= 300_000 for total in totals)
    users = [item["users"]["most"] for item in answered["set_ups"]]
    assert users == sorted(users, reverse=True)
    assert (answered["prices"]["quoted"], answered["prices"]["public"]) == (2, 0)


def test_page_opens_the_sum_of_the_first_and_links_its_cost(viewer: Client) -> None:
    rate("CNY", "7.1")
    offer(CARD, "28400", "CNY")
    response = viewer.get(PAGE)
    text = text_of(response)
    assert "CNY 295,360 at the start" in text
    assert (
        "8 × CNY 28,400 for the cards; of that again 20 % for servers, 5 % for network and storage, 5 % for spares"
        in text
    )
    assert "CNY 66,456 depreciation + " in text
    link = re.search(r'href="(/buy/costs/\?[^"]+)">8\u00a0×\u00a0GeForce RTX 5090', response.content.decode())
    assert link is not None
    cost = text_of(viewer.get(unescape(link[1])))
    assert "What does 8 × GeForce RTX 5090 cost to own?" in cost
    assert "CNY 295,360" in cost
    assert "a year: " in cost


def test_cost_behind_a_row_is_the_cost_of_the_row(viewer: Client) -> None:
    rate("CNY", "7.1")
    offer(CARD, "28400", "CNY")
    body = viewer.get(PAGE).content.decode()
    year = re.search(r"(CNY\u00a0[0-9,]+) at the start and (CNY\u00a0[0-9,]+) a year", body)
    link = re.search(r'href="(/buy/costs/\?[^"]+)">8', body)
    assert year is not None
    assert link is not None
    assert f"{year[2]} a year: " in viewer.get(unescape(link[1])).content.decode()


def test_budget_that_buys_nothing_says_so_and_why(viewer: Client) -> None:
    rate("CNY", "7.1")
    offer(CARD, "28400", "CNY")
    text = text_of(viewer.get(PAGE, {"lo": "1000", "hi": "20000"}))
    assert "It buys no set-up that carries this load of Qwen3-32B." in text
    assert "Over the budget, at the prices that are known" in text


def test_edit_gets_only_what_changed_and_its_address(viewer: Client) -> None:
    response = viewer.get(PAGE, {"ps": "public", "hi": "400000"}, headers=HX)
    body = response.content.decode()
    assert response["HX-Push-Url"] == "/buy/budget/?hi=400000&ps=public"
    assert "<html" not in body
    assert 'id="answer"' in body
    assert 'id="rest"' in body
    assert "What does CNY 200,000 to 400,000 buy?" in text_of(response)


def test_address_is_written_one_way(viewer: Client) -> None:
    response = viewer.get(PAGE, {"cur": "CNY", "nonsense": "1", "ps": "public"})
    assert (response.status_code, response["Location"]) == (302, "/buy/budget/?ps=public")


def test_head_of_a_column_sorts_by_it(viewer: Client) -> None:
    body = viewer.get(PAGE, {"ps": "public", "sort": "purchase"}).content.decode()
    assert '<th scope="col" class="num" aria-sort="ascending"><a id="sort-purchase"' in body
    assert '<input type="hidden" name="sort" value="purchase">' in body
    lines = list(csv.reader(_csv(viewer, "ps=public").splitlines()))
    cheapest = min(float(line[lines[0].index("purchase")]) for line in lines[1:])
    first = re.search(r"<tbody>\s*<tr>.*?</tr>", body, re.DOTALL)
    assert first is not None
    assert f"{cheapest:,.0f}" in first[0]


def _csv(client: Client, query: str) -> str:
    response = client.get(f"{PAGE}set-ups.csv?{query}")
    return b"".join(response.streaming_content).decode()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("typed", "key", "message"),
    [
        ({"lo": "400000"}, "lo", "The lower end, 400,000, is above the upper end, 300,000."),
        ({"hi": ""}, "hi", "This field is required."),
        ({"hi": "much"}, "hi", "Expected a number, found text."),
        ({"cur": "KRW"}, "cur", "There is no exchange rate for KRW."),
        ({"m": "nobody/knows"}, "m", "nobody/knows"),
        ({"max": "100"}, "max", "out of range"),
        ({"max": "64", "ps": "public"}, "max", "at most 400,000 are searched at once"),
        ({"busy_hours_per_day": "30"}, "busy_hours_per_day", "30 is out of range: allowed is 0 to 24."),
        ({"place": "moon"}, "place", "moon"),
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


def test_csv_of_a_wrong_question_leads_to_its_page(viewer: Client) -> None:
    response = viewer.get(f"{PAGE}set-ups.csv", {"max": "0"})
    assert (response.status_code, response["Location"]) == (302, "/buy/budget/?max=0")


def test_plan_asks_with_its_own_model_load_and_targets() -> None:
    plan = read_plan({"i": "2000", "tpot": "60"})
    form = read_budget(dict(pair.split("=") for pair in query_for_plan(plan).replace("%2F", "/").split("&")))
    assert (form.values["m"], form.values["i"], form.values["u"]) == (
        "Qwen/Qwen2.5-7B-Instruct",
        "2000",
        "16",
    )
    assert (form.values["tpot"], form.values["ttft"]) == ("60", "")


def test_nobody_reads_it_without_signing_in(db: None) -> None:
    response = Client().get(PAGE)
    assert (response.status_code, response["Location"].partition("?")[0]) == (302, "/sign-in/")


@pytest.mark.parametrize(("asked", "queries"), [({}, 12), ({"ps": "public"}, 9)])
def test_page_asks_few_queries(
    viewer: Client, asked: dict[str, str], queries: int, django_assert_num_queries: Any
) -> None:
    viewer.get(PAGE)
    offer(CARD, "28400", "CNY")
    # session, user, the catalog's stamp in a savepoint (three), team, the three of a book; a second book says whether
    # public prices would help
    with django_assert_num_queries(queries):
        viewer.get(PAGE, asked)
