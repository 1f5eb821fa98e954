"""Pages of one record, cards by bandwidth and side by side: figures with unit, kind and source, and what they cost."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from access.models import User
from planner.actions.entries import retire_entry
from planner.actions.quotes import create_quotes
from planner.answers.catalog import ACCELERATORS, change, create
from planner.models import Accelerator, TeamSettings
from tests.planner.browse.small import CARD, MODEL, own_card
from tests.planner.browse.test_lists import text_of
from tests.planner.money.offers import offer

pytestmark = pytest.mark.usefixtures("catalog")
PAGES = {
    f"/catalog/accelerators/{CARD}/": "L4",
    "/catalog/accelerators/bandwidth/": "How fast can each card decode at most?",
    "/catalog/accelerators/compare/": "Which of these cards decodes better?",
    "/catalog/platforms/dgx-a100-640gb/": "DGX A100 640GB",
    f"/catalog/models/{MODEL}/": MODEL,
    "/catalog/engines/vllm/": "vLLM",
    "/catalog/quantization/fp8/": "fp8",
}


def quoted(user: User, **changes: Any) -> None:
    row = {
        "subject": CARD,
        "unit_price": Decimal(2400),
        "currency": "USD",
        "supplier": "Hua Dong",
        "source": "offer 7",
        "quoted_on": date(2026, 11, 1),
        **changes,
    }
    create_quotes([row], actor=user)


@pytest.mark.parametrize(("path", "heading"), PAGES.items())
def test_page_of_a_record_shows(viewer: Client, path: str, heading: str) -> None:
    response = viewer.get(path)
    assert response.status_code == 200
    assert heading in text_of(response)


@pytest.mark.parametrize("path", PAGES)
def test_stranger_is_sent_to_sign_in(path: str) -> None:
    assert Client().get(path)["Location"].startswith("/sign-in/")


@pytest.mark.parametrize(
    "path",
    [
        "/catalog/accelerators/nothing/",
        "/catalog/platforms/nothing/",
        "/catalog/models/no/thing/",
        "/catalog/engines/nothing/",
        "/catalog/quantization/nothing/",
    ],
)
def test_record_that_is_not_there_is_not_found(viewer: Client, path: str) -> None:
    assert viewer.get(path).status_code == 404


# 2: session and user; 6: the stamp of the catalog, asked twice, each time in a savepoint that only a test has.
# A card: itself, sources, the team's currency, rates, quotes that hold and those that ended.
@pytest.mark.parametrize(
    ("path", "queries"),
    [
        (f"/catalog/accelerators/{CARD}/", 14),
        ("/catalog/accelerators/bandwidth/", 12),
        (f"/catalog/accelerators/compare/?id={CARD}&id=nvidia-rtx-4090", 12),
        ("/catalog/platforms/dgx-a100-640gb/", 14),
        (f"/catalog/models/{MODEL}/", 10),
        ("/catalog/engines/vllm/", 10),
        ("/catalog/quantization/fp8/", 9),
    ],
)
def test_page_costs_the_same_with_more_around_it(
    viewer: Client, operator: User, django_assert_num_queries: Any, path: str, queries: int
) -> None:
    viewer.get(path)
    with django_assert_num_queries(queries):
        viewer.get(path)
    for number in range(5):
        quoted(operator, supplier=f"Supplier {number}")
    with django_assert_num_queries(queries):
        viewer.get(path)


def test_card_has_what_decode_makes_of_it(viewer: Client) -> None:
    text = text_of(viewer.get(f"/catalog/accelerators/{CARD}/"))
    # 300 GB/s over 22.49 GiB (23,034 MiB): 12.4 times a second; 300 GB/s over 72 W: 4.17
    assert "it can read all of its memory 12.4 times a second" in text
    assert "Bandwidth per watt 4.17 GB/s/W" in text
    assert "Nobody has quoted a price that holds today" in text


def test_card_with_a_quote_has_a_price_of_bandwidth(viewer: Client, operator: User) -> None:
    quoted(operator)
    text = text_of(viewer.get(f"/catalog/accelerators/{CARD}/"))
    # 2,400 over 300
    assert "Price of bandwidth USD 8 per GB/s" in text
    assert "Hua Dong" in text


def test_card_says_which_figures_are_the_teams_and_what_is_shipped(viewer: Client, operator: User) -> None:
    figure = {"value": 290, "kind": "measured", "source": "stream test"}
    body = {"figures": {"bandwidth_gb_s": figure}, "ecc": None}
    change(ACCELERATORS, Accelerator.objects.get(key=CARD), body, revision=1, actor=operator)
    text = text_of(viewer.get(f"/catalog/accelerators/{CARD}/"))
    assert "One of them is the team's word" in text
    assert "290 GB/s measured stream test shipped: 300 GB/s" in text


def test_retired_card_stays_readable(viewer: Client, operator: User) -> None:
    entry, _errors = create(ACCELERATORS, own_card(), actor=operator)
    assert entry is not None
    retire_entry(entry, revision=1, actor=operator)
    text = text_of(viewer.get("/catalog/accelerators/acme-x1-48gb/"))
    assert "It is retired: plans that name it stay readable" in text
    assert "Plan with it" not in text


def test_model_has_bytes_of_cache_and_weights(viewer: Client) -> None:
    text = text_of(viewer.get(f"/catalog/models/{MODEL}/"))
    # 28 layers x 4 heads x 128 x 2 x 2 bytes = 56 KiB; 7,615,616,512 parameters as published
    assert (
        "7.62 billion parameters, 14.2 GiB as published (bf16), and 56.0 KiB of cache for each token" in text
    )
    assert "Tensor parallel degrees that divide it: 1, 2, 4." in text


def test_other_name_of_a_model_leads_to_it(viewer: Client) -> None:
    response = viewer.get(f"/catalog/models/{MODEL}-AWQ/")
    assert (response.status_code, response["Location"]) == (302, f"/catalog/models/{MODEL}/")


def test_engine_tells_what_a_version_changed(viewer: Client) -> None:
    text = text_of(viewer.get("/catalog/engines/vllm/"))
    # vLLM 0.20.0 raised the default from 0.9 to 0.92
    assert "gpu_memory_utilization 0.9 0.92" in text


def test_tiers_hold_their_cards_and_the_ceiling_of_the_example(viewer: Client) -> None:
    content = viewer.get(
        "/catalog/accelerators/bandwidth/?m=meta-llama/Llama-3.1-8B-Instruct"
    ).content.decode()
    tier = content.partition('id="tier-700-1200"')[2].partition("</section>")[0]
    assert "GeForce RTX 4090" in tier
    assert "H100" not in tier
    # Llama-3.1-8B reads 2 x (8,030,261,248 - 128,256 x 4,096) bytes: 1008e9 / 15.01e9 = 67.2
    assert "67.2" in tier


def test_example_that_is_not_in_the_catalog_is_said(viewer: Client) -> None:
    text = text_of(viewer.get("/catalog/accelerators/bandwidth/?m=no/model"))
    assert "The catalog has no no/model: this is the usual example." in text


def compared(viewer: Client, query: str) -> str:
    return viewer.get(f"/catalog/accelerators/compare/?{query}").content.decode()


def test_best_of_a_row_is_marked_in_words_too(viewer: Client) -> None:
    content = compared(viewer, f"id={CARD}&id=nvidia-rtx-4090")
    row = content.partition("Memory bandwidth")[2].partition("</tr>")[0]
    assert row.count('class="fig best"') == 1
    assert row.index("300<") < row.index('<span class="fig best">1,008<span class="vh"> best')


def test_differences_only_leaves_equal_rows_out(viewer: Client) -> None:
    query = f"id={CARD}&id=nvidia-rtx-4090"
    assert "Price of one" in compared(viewer, query)
    assert "Price of one" not in compared(viewer, f"{query}&diff=1")


def test_cards_that_are_not_there_and_too_many_are_said(viewer: Client) -> None:
    assert "Not in the catalog: nvidia-l5 (Did you mean nvidia-l4?)" in compared(
        viewer, f"id={CARD}&id=nvidia-l5"
    )
    assert "No card chosen yet" in compared(viewer, "")


def test_quoted_price_is_shown_to_its_last_digit_and_an_exchanged_one_beside_what_was_quoted(
    viewer: Client,
) -> None:
    TeamSettings.objects.create(pk=1, currency="USD")
    offer(CARD, "2500.25", valid_until=date(2099, 1, 1))
    offer(CARD, "14200.50", "CNY", valid_until=date(2099, 1, 1))  # at 7.1
    text = text_of(viewer.get(f"/catalog/accelerators/{CARD}/"))
    assert "USD 2,500.25 Hua Dong Trading" in text
    assert "USD 2,000 CNY 14,200.50 Hua Dong Trading" in text


def test_card_shows_the_cheapest_offers_and_leads_to_all_of_them(viewer: Client) -> None:
    for number in range(12):
        offer(CARD, str(2000 + number), valid_until=date(2099, 1, 1))
    content = viewer.get(f"/catalog/accelerators/{CARD}/").content.decode()
    assert "USD\u00a02,009" in content
    assert "USD\u00a02,010" not in content
    assert f'<a href="/buy/quotes/?q={CARD}">All quotes for it</a>' in content
