"""Prices of a book in the search: which price an option has, what a budget leaves, and what has no price."""

from dataclasses import replace

import pytest

from planner.core.cost.prices import Price, PriceBook
from planner.core.search import recommend
from tests.planner.core.asking import CATALOG
from tests.planner.core.search.searching import SMALL, seek

FEW = ["nvidia-l4", "nvidia-rtx-4090"]


def quoted(amount, **more):
    return Price(**{"amount": amount, "kind": "quoted", "source": "offer 7", "supplier": "Hua Dong", **more})


def book_of(**more):
    offers = {"nvidia-l4": (quoted(2500.0),), "nvidia-rtx-4090": (quoted(1800.0),)}
    return PriceBook(**{"currency": "USD", "key": "k", "on": "2026-12-01", "purchase": offers, **more})


def ask(book, **more):
    found = seek(SMALL, **{"accelerators": FEW, "counts": [1, 2], "currency": "USD", **more})
    return recommend(replace(found, book=book), CATALOG)


def option(answer, accelerator, count=1):
    return next(o for o in answer["options"] if (o["accelerator"], o["count"]) == (accelerator, count))


def remarks(answer):
    return {remark["code"]: remark["values"] for remark in answer["reasons"]}


def test_option_has_the_price_of_the_book_and_whose_it_is():
    cost = option(ask(book_of()), "nvidia-l4", 2)["cost"]
    assert (cost["purchase"], cost["unit_price"], cost["currency"]) == (5000, 2500, "USD")
    assert (cost["price"]["kind"], cost["price"]["supplier"], cost["price"]["source"]) == (
        "quoted",
        "Hua Dong",
        "offer 7",
    )


def test_given_price_stands_before_that_of_the_book():
    answer = ask(book_of(), prices={"nvidia-l4": 100.0})
    assert option(answer, "nvidia-l4")["cost"]["price"]["kind"] == "given"
    assert option(answer, "nvidia-rtx-4090")["cost"]["price"]["kind"] == "quoted"
    assert option(answer, "nvidia-l4")["cost"]["purchase"] == 100


def test_price_for_more_counts_from_its_quantity_on():
    offers = (quoted(2000.0, minimum_quantity=2), quoted(2500.0))
    answer = ask(book_of(purchase={"nvidia-l4": offers}), accelerators=["nvidia-l4"])
    assert [option(answer, "nvidia-l4", n)["cost"]["purchase"] for n in (1, 2)] == [2500, 4000]


def test_cheapest_is_named_and_a_budget_leaves_out_what_is_dearer():
    answer = ask(book_of(), objective="lowest_cost", budget=2600.0)
    assert answer["options"][0]["accelerator"] == "nvidia-rtx-4090"
    assert answer["winners"]["cheapest"] == 1
    assert {(o["accelerator"], o["count"]) for o in answer["options"]} == {
        ("nvidia-rtx-4090", 1),
        ("nvidia-l4", 1),
    }
    assert "over_budget" in {group["reason"] for group in answer["excluded"]}


def test_option_without_a_price_is_ranked_after_those_that_have_one():
    answer = ask(book_of(purchase={"nvidia-l4": (quoted(2500.0),)}), objective="lowest_cost", limit=20)
    kinds = [o["cost"] is not None for o in answer["options"]]
    assert kinds == sorted(kinds, reverse=True) and len(set(kinds)) == 2
    last = answer["options"][-1]
    assert (last["price_note"]["code"], last["reason"]["code"]) == ("no_price", "not_ranked_by_lowest_cost")
    assert remarks(answer)["some_without_price"] == {"unpriced": 2, "of": 4}


def test_option_without_a_price_is_ranked_by_everything_else():
    priced = ask(book_of(), objective="lowest_tpot")
    bare = ask(None, objective="lowest_tpot")
    order = [(o["accelerator"], o["count"]) for o in priced["options"]]
    assert order == [(o["accelerator"], o["count"]) for o in bare["options"]]


@pytest.mark.parametrize(
    ("more", "code", "values"),
    [
        ({}, "no_price", {}),
        ({"expired": {"nvidia-l4": "2026-11-01"}}, "price_expired", {"on": "2026-11-01"}),
        ({"unconverted": {"nvidia-l4": "EUR"}}, "price_without_rate", {"currency": "EUR"}),
        (
            {"purchase": {"nvidia-l4": (quoted(2.0, minimum_quantity=8),)}},
            "price_for_more",
            {"quantity": 1, "least": 8},
        ),
    ],
)
def test_option_says_why_it_has_no_price(more, code, values):
    found = option(ask(book_of(**{"purchase": {}, **more})), "nvidia-l4")
    assert (found["cost"], found["price_note"]) == (None, {"code": code, "values": values})


def test_option_with_a_price_has_no_note():
    assert option(ask(book_of()), "nvidia-l4")["price_note"] is None


def test_remarks_say_whose_the_prices_are():
    offers = {
        "nvidia-l4": (quoted(2500.0, kind="public"),),
        "nvidia-rtx-4090": (quoted(1800.0, stated_currency="CNY", rate=0.14, rate_assumed=True),),
    }
    found = remarks(ask(book_of(purchase=offers, unconverted={"nvidia-a10": "EUR"})))
    assert found["public_prices"] == {}
    assert found["rate_assumed"] == {"given": "CNY", "wanted": "USD"}
    assert found["quotes_without_rate"] == {"currencies": "EUR"}
    assert "no_prices" not in found


def test_basis_names_the_prices():
    assert ask(book_of())["basis"]["prices"] == "k"
    assert ask(None)["basis"]["prices"] is None


def test_card_that_a_supplier_offers_is_searched_though_it_is_never_on_sale():
    records = CATALOG.accelerator_records
    card = next(name for name, record in records.items() if record.get("on_sale") is False)
    everything = {"accelerators": (), "counts": [1]}
    public = book_of(purchase={card: (quoted(1.0, kind="public"),)})
    offered = book_of(purchase={card: (quoted(1.0),)})

    def left_out(book):
        groups = {group["reason"]: group["count"] for group in ask(book, **everything)["excluded"]}
        return groups.get("not_on_sale", 0)

    assert left_out(public) == left_out(None)
    assert left_out(offered) < left_out(None)
