"""Recommendations with the team's quotes: which price an option has, whose word it is, and what an old quote says."""

import json
from datetime import date
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from planner.answers import recommendations
from planner.catalog import load_shipped
from planner.models import TeamSettings
from planner.queries.prices import Books
from planner.schemas.recommend import RECOMMENDATION, SEARCH
from tests.planner.money.offers import ON, offer, rate

L4, RTX = "nvidia-l4", "nvidia-rtx-4090"
pytestmark = pytest.mark.django_db


def ask(*, stored: bool = True, objective: str = "lowest_cost", **constraints: Any) -> dict[str, Any]:
    question = {
        "model": {"id": "Qwen/Qwen2.5-7B-Instruct"},
        "accelerators": [L4, RTX],
        "counts": [1, 2],
        "engine": {"name": "vllm"},
        "workload": {"input_tokens": 1024, "output_tokens": 256, "concurrency": 8},
        "constraints": constraints,
        "objective": objective,
    }
    Draft202012Validator(SEARCH).validate(question)
    books = Books(on=ON, stored=stored)
    (found,) = recommendations.answer([question], catalog=load_shipped(), books=books)
    if "options" in found:
        Draft202012Validator(RECOMMENDATION).validate(json.loads(json.dumps(found)))
    return found


def option(found: dict[str, Any], card: str = L4, count: int = 1) -> dict[str, Any]:
    return next(o for o in found["options"] if (o["accelerator"], o["count"]) == (card, count))


def said(text: str) -> str:
    return text.replace("\u00a0", " ")


def test_quotes_fill_in_where_the_asker_gives_no_price() -> None:
    offer(L4, "2500")
    found = ask(prices={RTX: 1800}, currency="USD")
    assert option(found, L4, 2)["cost"]["purchase"] == 5000
    assert option(found, RTX)["cost"]["price"]["message"] == "given here"
    assert option(found)["cost"]["price"]["message"] == (
        "quoted by Hua Dong Trading on 2026-11-24, until 2026-12-31"
    )
    assert found["winners"]["cheapest"] == 1
    assert found["options"][0]["accelerator"] == RTX


def test_price_is_exchanged_into_the_asked_currency_and_says_the_rate() -> None:
    rate("CNY", "7.2")
    offer(L4, "18000", "CNY")
    cost = option(ask(currency="USD"))["cost"]
    assert (cost["purchase"], cost["currency"]) == (2500, "USD")
    assert said(cost["price"]["message"]).endswith("CNY 18,000 at CNY 7.2 for one USD")


def test_shipped_rate_is_called_assumed() -> None:
    offer(L4, "14200", "CNY")
    found = ask(currency="USD")
    assert "at an assumed rate of CNY 7.1 for one USD" in said(option(found)["cost"]["price"]["message"])
    assert "rate_assumed" in {remark["code"] for remark in found["reasons"]}


def test_without_a_currency_amounts_are_in_the_team_s() -> None:
    TeamSettings.objects.create(pk=1, currency="CNY")
    offer(L4, "18000", "CNY")
    assert option(ask())["cost"]["currency"] == "CNY"


def test_budget_leaves_out_what_its_quote_exceeds() -> None:
    offer(L4, "2500")
    found = ask(budget={"amount": 4000, "currency": "USD"})
    kept = {(o["accelerator"], o["count"]) for o in found["options"]}
    assert kept == {(L4, 1), (RTX, 1), (RTX, 2)}  # the other card has no price: neither within nor over
    assert "over_budget" in {group["reason"] for group in found["excluded"]}


def test_expired_quote_is_no_price_and_is_named() -> None:
    offer(L4, "2500", valid_until=date(2026, 11, 30))
    found = option(ask(currency="USD"))
    assert found["cost"] is None
    assert found["price_note"]["message"] == "A quote expired on 2026-11-30."


def test_quote_without_a_rate_is_no_price_and_is_named() -> None:
    offer(L4, "2500", "EUR")
    found = ask(currency="USD")
    assert option(found)["price_note"]["message"] == ("A quote in EUR does not count: no rate is set for it.")
    remarks = {remark["code"]: remark["message"] for remark in found["reasons"]}
    assert remarks["quotes_without_rate"].startswith("Quotes in EUR do not count")


def test_no_prices_are_used_where_none_are_wanted() -> None:
    offer(L4, "2500")
    found = ask(price_source="none", currency="USD")
    assert option(found)["cost"] is None
    assert found["basis"]["prices"] is None


def test_public_prices_stand_in_only_where_asked_for() -> None:
    offer(L4, "2500")
    assert option(ask(currency="USD"), RTX)["cost"] is None
    found = ask(price_source="public", currency="USD")
    assert option(found)["cost"]["price"]["kind"] == "quoted"
    price = option(found, RTX)["cost"]["price"]
    assert (price["kind"], price["stated_low"], price["amount"]) == ("public", 1800, 2800)
    assert said(price["message"]) == (
        "public, not an offer: asked in shops for new ones, 2026, from USD 1,800; the upper end counts"
    )


def test_unknown_price_source_is_refused() -> None:
    (error,) = recommendations.answer(
        [
            {
                "model": {"id": "Qwen/Qwen2.5-7B-Instruct"},
                "workload": {"input_tokens": 10, "output_tokens": 10, "concurrency": 1},
                "constraints": {"price_source": "street"},
            }
        ],
        catalog=load_shipped(),
        books=Books(on=ON),
    )[0]["errors"]
    assert (error["field"], error["code"]) == ("constraints.price_source", "unknown_choice")


def test_same_question_on_the_same_basis_has_the_same_answer() -> None:
    offer(L4, "2500")
    first, again = ask(), ask()
    assert json.dumps(first) == json.dumps(again)
    offer(RTX, "1800")
    assert ask()["basis"]["prices"] != first["basis"]["prices"]


def test_questions_of_one_call_read_the_prices_once(django_assert_num_queries: Any) -> None:
    question = {
        "model": {"id": "Qwen/Qwen2.5-7B-Instruct"},
        "accelerators": [L4],
        "workload": {"input_tokens": 1024, "output_tokens": 256, "concurrency": 8},
    }
    with django_assert_num_queries(4):  # the team's currency, rates, quotes, expired ones
        recommendations.answer([question] * 3, catalog=load_shipped(), books=Books(on=ON))


def test_without_a_database_there_are_no_quotes() -> None:
    offer(L4, "2500")
    assert option(ask(stored=False, currency="USD"))["price_note"]["code"] == "no_price"
