"""What a budget is checked for, and the search that it becomes."""

from dataclasses import replace
from typing import Any

import pytest

from planner.catalog import load_shipped
from planner.core.cost.budget import BudgetRequest, at_levels, parse_budget, purchase_per_cards, search_of
from planner.core.cost.prices import Price, PriceBook
from planner.core.limits import most_users_by_cache, most_users_within_targets
from planner.core.parse import Rejected, parse_request
from planner.core.reach import Crowd, crowds_of
from planner.core.request import EstimateRequest
from planner.core.search import recommend

CATALOG = load_shipped()
ASKED: dict[str, Any] = {
    "budget": {"low": 200_000, "high": 300_000, "currency": "CNY"},
    "model": {"id": "Qwen/Qwen3-32B"},
    "weights": ["fp8"],
    "engine": {"name": "vllm"},
    "workload": {"input_tokens": 1024, "output_tokens": 256, "concurrency": 16},
    "targets": {"tpot_ms": 50, "ttft_ms": 2000},
}
SHARES = {"host_share": 0.2, "network_share": 0.05, "spare_share": 0.05}


def book(**prices: float) -> PriceBook:
    offers = {
        name.replace("_", "-"): (Price(amount=price, kind="quoted", source=""),)
        for name, price in prices.items()
    }
    return PriceBook(currency="CNY", key="", on="2026-12-01", purchase=offers)


def asked(**changes: Any) -> BudgetRequest:
    found = parse_budget({**ASKED, **changes}, CATALOG)
    assert isinstance(found, BudgetRequest), found
    return found


def faults(**changes: Any) -> list[tuple[str | None, str]]:
    found = parse_budget({**ASKED, **changes}, CATALOG)
    assert isinstance(found, Rejected)
    return [(problem.field, problem.code) for problem in found.problems]


def test_purchase_is_the_cards_and_what_is_bought_beside_them() -> None:
    # 1 + 0.2 + 0.05 + 0.05: of 300,000, cards may cost 300,000 ÷ 1.3 = 230,769
    assert purchase_per_cards(SHARES) == pytest.approx(1.3)
    search = search_of(asked(), CATALOG, book(nvidia_rtx_4090=20_000), factor=1.3)
    assert search.constraints.budget == pytest.approx(230_769.23, abs=0.01)
    assert search.constraints.spend_from == pytest.approx(153_846.15, abs=0.01)


def test_only_cards_with_a_price_are_searched_and_only_counts_within_the_ends() -> None:
    # 20,000 × 8 = 160,000 is within 153,846 to 230,769; 7 of them are too cheap; an H200 at 250,000 is too dear
    prices = book(nvidia_rtx_4090=20_000, nvidia_h200_sxm5_141gb=250_000)
    found = recommend(search_of(asked(), CATALOG, prices, factor=1.3), CATALOG)
    assert [(option["accelerator"], option["count"]) for option in found["options"]] == [
        ("nvidia-rtx-4090", 8)
    ]
    out = {group["reason"] for group in found["excluded"]}
    assert {"under_budget", "over_budget"} <= out


def test_exact_ends_are_within() -> None:
    exact = {"low": 160_000 * 1.3, "high": 160_000 * 1.3, "currency": "CNY"}
    search = search_of(asked(budget=exact), CATALOG, book(nvidia_rtx_4090=20_000), factor=1.3)
    assert [option["count"] for option in recommend(search, CATALOG)["options"]] == [8]


def test_card_on_sale_no_more_needs_somebody_who_offers_it() -> None:
    gone = next(
        name for name, record in CATALOG.accelerator_records.items() if record.get("on_sale") is False
    )
    price = Price(amount=30_000.0, kind="public", source="")
    listed = PriceBook(currency="CNY", key="", on="2026-12-01", purchase={gone: (price,)})
    offered = replace(listed, purchase={gone: (replace(price, kind="quoted"),)})
    assert search_of(asked(), CATALOG, listed, factor=1.3).accelerators == ()
    assert [card.id for card in search_of(asked(), CATALOG, offered, factor=1.3).accelerators] == [gone]


@pytest.mark.parametrize(
    ("changes", "problems"),
    [
        ({"budget": {"low": 5, "high": 3, "currency": "CNY"}}, [("budget.low", "budget_reversed")]),
        ({"budget": {"low": 5, "currency": "CNY"}}, [("budget.high", "missing")]),
        ({"budget": {"high": 5}}, [("budget.currency", "missing")]),
        ({"budget": {"high": -5, "currency": "CNY"}}, [("budget.high", "out_of_range")]),
        ({"hours_per_day": 25}, [("hours_per_day", "out_of_range")]),
        ({"place": "moon"}, [("place", "unknown_choice")]),
        ({"workload": None}, [("workload", "missing")]),
        ({"colour": "red"}, [("colour", "unknown_field")]),
    ],
)
def test_wrong_question_names_its_field(changes: dict[str, Any], problems: list[tuple[str, str]]) -> None:
    assert faults(**changes) == problems


def test_levels_are_multiples_of_the_users_asked_for() -> None:
    assert [level.workload.concurrency for level in at_levels(asked().search)] == [64, 256, 1024]


def test_crowd_of_many_is_what_limits_find_for_each() -> None:
    cards = [("nvidia-rtx-4090", 4), ("nvidia-h100-sxm5-80gb", 1), ("nvidia-l40s", 2)]
    requests = [_request(card, count) for card, count in cards]
    for targets in (requests[0].targets, None):
        found = crowds_of(requests, CATALOG, targets=targets)
        each = []
        for request in requests:
            most = most_users_by_cache(request, CATALOG)
            within = most_users_within_targets(request, CATALOG, most, raise_slots=True) if targets else most
            each.append(Crowd(within.value, within.code))
        assert found == each


def _request(card: str, count: int) -> EstimateRequest:
    found = parse_request(
        {
            "model": {"id": "Qwen/Qwen3-32B"},
            "weights": "fp8",
            "accelerator": card,
            "count": count,
            "parallelism": {"tensor": count},
            "settings": {"max_model_len": 4096, "max_num_seqs": 16},
            "workload": ASKED["workload"],
            "targets": ASKED["targets"],
        },
        CATALOG,
    )
    assert isinstance(found, EstimateRequest), found
    return found
