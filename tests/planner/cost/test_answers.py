"""Answers about cost: prices, load and assumptions in, every figure with its working out."""

import json
from copy import deepcopy
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from planner.answers import costs
from planner.catalog import load_shipped
from planner.models import Quote, TeamSettings
from planner.queries.prices import Books
from planner.schemas import PROBLEM
from planner.schemas.costs import COST_ANSWER, COST_REQUEST
from tests.planner.money.offers import ON, offer, rate

CARD, SERVER = "nvidia-rtx-4090", "dgx-h100"
REQUEST: dict[str, Any] = {
    "model": {"id": "Qwen/Qwen2.5-7B-Instruct"},
    "accelerator": CARD,
    "count": 1,
    "engine": {"name": "vllm", "version": "0.19.0"},
    "settings": {"max_model_len": 4096, "max_num_seqs": 16},
    "workload": {"input_tokens": 1000, "output_tokens": 250, "concurrency": 16},
}
DAILY = {"input_tokens": 1000, "output_tokens": 250, "requests_per_day": 4000}
pytestmark = pytest.mark.django_db


def ask(*, team: TeamSettings | None = None, request: Any = REQUEST, **question: Any) -> dict[str, Any]:
    asked = {"request": request, **question}
    if request is not None:
        Draft202012Validator(COST_REQUEST).validate(asked)
    books = Books(on=ON)
    (found,) = costs.answer([asked], catalog=load_shipped(), books=books, team=team or TeamSettings())
    Draft202012Validator(PROBLEM if "errors" in found else COST_ANSWER).validate(
        json.loads(json.dumps(found))
    )
    return found


def codes(found: dict[str, Any]) -> list[str]:
    return [remark["code"] for remark in found["remarks"]]


def errors(found: dict[str, Any]) -> list[tuple[str, str]]:
    return [(item["field"], item["code"]) for item in found["errors"]]


def term(found: dict[str, Any], item: str) -> dict[str, Any]:
    terms = [*found["purchase"]["terms"], *found["yearly"]["terms"]]
    return next(each for each in terms if each["item"] == item)


def test_card_that_nobody_priced_has_no_cost_and_says_so() -> None:
    found = ask()
    assert (found["purchase"]["total"], found["yearly"]["total"]) == (None, None)
    assert found["per_million_output_tokens"] == {
        "at_load": None,
        "interval_at_load": None,
        "at_full_load": None,
        "interval_at_full_load": None,
    }
    assert found["by_utilization"] == []
    assert {"no_price", "no_rent"} <= set(codes(found))
    # what needs no price is still there
    assert found["tokens_per_day"]["at_load"] > 0
    assert term(found, "driver_hours")["amount"] == 960


def test_quote_is_the_price_and_the_asker_s_own_comes_before_it() -> None:
    offer(CARD, "1800")
    assert ask()["purchase"]["terms"][0]["amount"] == 1800
    assert ask()["bill"]["items"][0]["price"]["kind"] == "quoted"
    own = ask(purchase={"unit_price": 1500})
    assert own["purchase"]["terms"][0]["amount"] == 1500
    assert own["bill"]["items"][0]["price"]["kind"] == "given"


def test_no_prices_means_none_of_quotes_and_public_lists() -> None:
    offer(CARD, "1800")
    found = ask(price_source="none")
    assert found["purchase"]["total"] is None
    assert found["basis"]["prices"] is None


def test_public_price_is_used_only_when_asked_for_and_named() -> None:
    assert ask(price_source="quotes")["purchase"]["total"] is None
    found = ask(price_source="public")
    assert found["bill"]["items"][0]["price"]["kind"] == "public"
    assert "public_prices" in codes(found)


def test_load_in_hours_by_hand() -> None:
    found = ask(price_source="public", load={"hours_per_day": 6})
    rate_s = found["tokens_per_day"]["at_load"] / (6 * 3600)
    # 6 h of tokens at the rate of 16 users, which is all that 16 slots can do: a quarter of a day
    assert found["utilization"] == pytest.approx(0.25)
    assert found["tokens_per_day"]["at_full_load"] == pytest.approx(rate_s * 86_400)
    assert found["load"] == {
        "by": "hours_per_day",
        "requests_per_day": None,
        "hours_per_day": 6,
        "utilization": None,
    }


def test_requests_a_day_say_the_load() -> None:
    found = ask(price_source="public", request={**REQUEST, "workload": DAILY})
    assert found["tokens_per_day"]["at_load"] == 4000 * 250
    cost = found["yearly"]["total"] / (4000 * 250 * 365) * 1e6
    assert found["per_million_output_tokens"]["at_load"] == pytest.approx(cost, rel=1e-4)
    # 1,000 tokens of input beside 250 of output: five times as many tokens for the same money
    assert found["per_million_tokens"]["at_load"] == pytest.approx(cost / 5, rel=1e-4)
    # so many tokens are made whatever the speed: only electricity moves with it
    low, high = found["per_million_output_tokens"]["interval_at_load"]
    assert low < cost < high < low * 1.05


def test_utilization_says_the_load() -> None:
    found = ask(price_source="public", load={"utilization": 0.5})
    tokens = found["tokens_per_day"]
    assert tokens["at_load"] == pytest.approx(tokens["at_full_load"] / 2)


def test_load_beyond_what_is_served_counts_what_is_served() -> None:
    many = {**DAILY, "requests_per_day": 900_000, "peak_factor": 1}
    found = ask(price_source="public", request={**REQUEST, "workload": many})
    tokens = found["tokens_per_day"]
    assert tokens["asked"] == 900_000 * 250
    assert tokens["at_load"] == tokens["at_full_load"] < tokens["asked"]
    assert "load_above_capacity" in codes(found)
    assert found["utilization"] == 1


def test_faster_end_of_the_interval_is_the_cheaper_one() -> None:
    found = ask(price_source="public")["per_million_output_tokens"]
    for name in ("at_load", "at_full_load"):
        low, high = found[f"interval_{name}"]
        assert low < found[name] < high


def test_cost_of_tokens_falls_with_utilization() -> None:
    found = ask(price_source="public")
    curve = [point["per_million_output_tokens"] for point in found["by_utilization"]]
    assert curve == sorted(curve, reverse=True)
    assert curve[-1] == found["per_million_output_tokens"]["at_full_load"]
    assert "utilization_dominates" in codes(found)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"workload": None}, "no_load"),
        ({"model": {"id": "Qwen/Qwen2.5-72B-Instruct"}}, "no_speed"),
        ({"accelerator": None}, "no_accelerator"),
    ],
)
def test_what_cannot_be_divided_says_why(change: dict[str, Any], code: str) -> None:
    found = ask(price_source="public", request={**REQUEST, **change})
    assert code in codes(found)
    assert found["per_million_output_tokens"]["at_load"] is None


def test_idle_set_up_has_a_yearly_cost_and_no_cost_of_a_token() -> None:
    found = ask(price_source="public", load={"hours_per_day": 0})
    assert found["yearly"]["total"] > 0
    assert found["per_million_output_tokens"]["at_load"] is None
    assert found["per_million_output_tokens"]["at_full_load"] > 0
    assert "idle" in codes(found)


def test_rent_that_is_quoted_is_compared_and_one_given_comes_before_it() -> None:
    offer(CARD, "1800")
    offer(CARD, "365", offer=Quote.Offer.RENT_MONTH)
    found = ask()["rent"]
    assert found["price_per_hour"] == 0.5  # 365 a month of 730 hours
    assert found["yearly"] == pytest.approx(0.5 * 8760 + 12 * 12 * 40)  # our own 12 hours a month stay
    assert len(found["curve"]) == 61
    assert found["break_even"]["months"] > 0
    assert ask(rent={"price_per_month": 730})["rent"]["price_per_hour"] == 1
    never = ask(rent={"price_per_hour": 0.001})
    assert never["rent"]["break_even"]["months"] is None
    assert "never_pays" in codes(never)


def test_rent_without_a_price_to_buy_has_no_break_even() -> None:
    found = ask(rent={"price_per_hour": 0.5})["rent"]
    assert (found["break_even"], found["curve"]) == (None, [])


def test_platform_with_its_cards_is_counted_once() -> None:
    # eight H100 in one machine: its price is that of the cards, and no share of servers comes on top
    offer(SERVER, "280000", subject_kind=Quote.Subject.PLATFORM)
    request = {**REQUEST, "accelerator": "nvidia-h100-sxm5-80gb", "count": 8, "parallelism": {"data": 8}}
    found = ask(
        request=request, bill={"platform": SERVER}, assumptions={"network_share": 0, "spare_share": 0}
    )
    assert found["purchase"]["total"] == 280_000
    assert "host_assumed" not in codes(found)


def test_extra_without_a_price_leaves_no_total() -> None:
    offer(CARD, "1800")
    found = ask(bill={"extra": [{"name": "a switch"}]})
    assert found["purchase"]["total"] is None
    assert "a switch" in next(item["message"] for item in found["remarks"] if item["code"] == "no_price")


def test_spare_by_number_is_counted_once() -> None:
    offer(CARD, "1000")
    found = ask(bill={"spares": 2}, assumptions={"host_share": 0, "network_share": 0})
    assert found["purchase"]["total"] == 3000


def test_team_s_amounts_are_exchanged_and_its_word_is_shown() -> None:
    rate("CNY", "7")
    team = TeamSettings(
        currency="CNY",
        cost={"hourly_rate": {"value": 210, "source": "payroll"}, "pue": {"value": 1.3, "source": ""}},
    )
    found = {item["name"]: item for item in ask(team=team, currency="USD")["assumptions"]}
    assert (found["hourly_rate"]["value"], found["hourly_rate"]["by"]) == (pytest.approx(30), "team")
    assert found["hourly_rate"]["source"] == "payroll"
    assert found["pue"]["value"] == 1.3
    assert ask(team=team)["currency"] == "CNY"


def test_answer_does_not_change_what_was_asked() -> None:
    asked = {"request": deepcopy(REQUEST), "load": {"hours_per_day": 3}}
    before = deepcopy(asked)
    costs.answer([asked], catalog=load_shipped(), books=Books(on=ON), team=TeamSettings())
    assert asked == before


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ({"request": None}, [("request", "missing")]),
        ({"request": {**REQUEST, "count": 3}}, [("request.count", "count_mismatch")]),
        ({"currency": "RMB"}, [("currency", "unknown_currency")]),
        ({"price_source": "rumour"}, [("price_source", "unknown_choice")]),
        ({"purchase": {"unit_price": -1}}, [("purchase.unit_price", "out_of_range")]),
        ({"load": {"hours_per_day": 25}}, [("load.hours_per_day", "out_of_range")]),
        ({"load": {"hours_per_day": 2, "utilization": 0.5}}, [("load", "load_twice")]),
        ({"request": {**REQUEST, "workload": DAILY}, "load": {"hours_per_day": 2}}, [("load", "load_twice")]),
        ({"assumptions": {"pue": 0.5}}, [("assumptions.pue", "out_of_range")]),
        ({"assumptions": {"weather": 1}}, [("assumptions.weather", "assumption_unknown")]),
        ({"rent": {"price_per_hour": 1, "price_per_month": 1}}, [("rent", "rent_twice")]),
        ({"bill": {"currency": "USD"}, "currency": "CNY"}, [("bill.currency", "two_currencies")]),
        ({"bill": {"platform": "nothing"}}, [("bill.platform", "unknown_platform")]),
        ({"bill": {"extra": [{"quantity": 1}]}}, [("bill.extra.0.name", "wrong_type")]),
        ({"colour": "red"}, [("colour", "unknown_field")]),
        ({"id": 7}, [("id", "wrong_type")]),
    ],
)
def test_question_that_cannot_be_answered_names_field_and_mend(
    question: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    (found,) = costs.answer(
        [{"request": REQUEST, **question}], catalog=load_shipped(), books=Books(on=ON), team=TeamSettings()
    )
    assert errors(found) == expected


def test_currency_without_a_rate_is_refused() -> None:
    assert errors(ask(currency="KRW")) == [("currency", "rate_missing")]
