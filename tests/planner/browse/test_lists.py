"""Lists of the catalog: first load, HTMX load, refused user, search, filters, order, and what they cost."""

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from access.models import User
from planner.actions.entries import map_accelerator
from planner.answers.catalog import ACCELERATORS, change, create
from planner.models import Accelerator
from tests.planner.browse.small import CARD, own_card

pytestmark = pytest.mark.usefixtures("catalog")
HX = {"HX-Request": "true"}
LISTS = {
    "/catalog/accelerators/": "Which accelerators are there?",
    "/catalog/platforms/": "Which machines carry them?",
    "/catalog/models/": "Which models are known?",
    "/catalog/engines/": "Which engines, and what changed when?",
    "/catalog/quantization/": "How narrow may weights be?",
    "/catalog/names/": "Which card is it that a machine reports?",
}


def text_of(response: Any) -> str:
    plain = re.sub(r"<[^>]+>", " ", response.content.decode())
    return re.sub(r"\s+", " ", unescape(plain).replace("\u00a0", " "))


def rows_of(response: Any) -> list[str]:
    """What stands first in each row of the list."""
    table = response.content.decode().partition("<tbody>")[2].partition("</tbody>")[0]
    return [
        re.sub(r"<[^>]+>", "", cell).strip()
        for cell in re.findall(r"<a href=\"/catalog/[^\"]*\">(.*?)</a>", table)
    ]


@pytest.mark.parametrize(("path", "heading"), LISTS.items())
def test_first_load_is_the_whole_page(viewer: Client, path: str, heading: str) -> None:
    response = viewer.get(path)
    assert response.status_code == 200
    assert heading in text_of(response)


@pytest.mark.parametrize("path", LISTS)
def test_htmx_load_is_the_rows_alone(viewer: Client, path: str) -> None:
    content = viewer.get(path, headers=HX).content.decode()
    assert "<html" not in content
    assert "<h1" not in content


@pytest.mark.parametrize("path", LISTS)
def test_stranger_is_sent_to_sign_in(path: str) -> None:
    assert Client().get(path)["Location"].startswith("/sign-in/")


# 2: session and user, 2: the list; 6: the stamp of the catalog, asked twice, each time in a savepoint that only a test
# has; vendors or families where the filter has them; engines count models of their own.
@pytest.mark.parametrize(
    ("path", "queries"),
    [
        ("/catalog/accelerators/", 5),
        ("/catalog/platforms/", 10),
        ("/catalog/models/", 11),
        ("/catalog/engines/", 11),
        ("/catalog/quantization/", 10),
        ("/catalog/names/", 10),
    ],
)
def test_list_costs_the_same_whatever_is_in_it(
    viewer: Client, operator: User, django_assert_num_queries: Any, path: str, queries: int
) -> None:
    map_accelerator("Secret Board", Accelerator.objects.get(key=CARD), actor=operator)
    viewer.get(path)
    with django_assert_num_queries(queries):
        viewer.get(path)
    create(ACCELERATORS, own_card(), actor=operator)
    for number in range(3):
        map_accelerator(f"Board {number}", Accelerator.objects.get(key=CARD), actor=operator)
    viewer.get(path)
    with django_assert_num_queries(queries):
        viewer.get(path)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        # by bandwidth, the widest first: 5,300, 3,350, 2,039, 1,008, 300 GB/s
        ("", ["Instinct MI300X", "H100 SXM5 80GB", "A100 SXM4 80GB", "GeForce RTX 4090", "L4"]),
        ("?sort=name", ["A100 SXM4 80GB", "GeForce RTX 4090", "H100 SXM5 80GB", "Instinct MI300X", "L4"]),
        ("?sort=-power", ["Instinct MI300X", "H100 SXM5 80GB", "GeForce RTX 4090", "A100 SXM4 80GB", "L4"]),
        ("?vendor=AMD", ["Instinct MI300X"]),
        ("?accelerator_class=consumer", ["GeForce RTX 4090"]),
        ("?q=nvidia+80gb", ["H100 SXM5 80GB", "A100 SXM4 80GB"]),
        ("?min_memory=80", ["Instinct MI300X", "A100 SXM4 80GB"]),
        ("?min_bandwidth=3000&max_power=700", ["H100 SXM5 80GB"]),
        ("?origin=own", []),
        ("?origin=shipped&q=amd", ["Instinct MI300X"]),
        ("?origin=retired", []),
    ],
)
def test_accelerators_are_found_and_ordered(viewer: Client, query: str, expected: list[str]) -> None:
    assert rows_of(viewer.get(f"/catalog/accelerators/{query}")) == expected


def test_list_that_none_match_offers_to_clear_the_filters(viewer: Client) -> None:
    content = viewer.get("/catalog/accelerators/?q=nothing").content.decode()
    assert "None match" in content
    assert "Clear filters" in content


def test_wrong_filter_is_told_beside_its_field(viewer: Client) -> None:
    response = viewer.get("/catalog/accelerators/?min_memory=much")
    assert "Enter a number" in text_of(response)


def test_edited_and_own_cards_say_so(viewer: Client, operator: User) -> None:
    create(ACCELERATORS, own_card(), actor=operator)
    entry = Accelerator.objects.get(key=CARD)
    change(ACCELERATORS, entry, {"name": "L4 in our racks"}, revision=1, actor=operator)
    text = text_of(viewer.get("/catalog/accelerators/"))
    assert "Acme X1 48GB the team's own" in text
    assert "L4 in our racks edited by the team" in text
    assert rows_of(viewer.get("/catalog/accelerators/?origin=edited")) == ["L4 in our racks"]
    assert rows_of(viewer.get("/catalog/accelerators/?origin=own")) == ["Acme X1 48GB"]
    assert len(rows_of(viewer.get("/catalog/accelerators/?origin=shipped"))) == 4


def test_models_by_size_and_build(viewer: Client) -> None:
    assert rows_of(viewer.get("/catalog/models/?experts=true")) == ["openai/gpt-oss-20b"]
    # 7.6 and 8.0 billion
    assert rows_of(viewer.get("/catalog/models/?size=10&sort=-parameters")) == [
        "meta-llama/Llama-3.1-8B-Instruct",
        "Qwen/Qwen2.5-7B-Instruct",
    ]


def test_viewer_is_offered_nothing_to_write(viewer: Client, browser_of_operator: Client) -> None:
    for path in ("/catalog/accelerators/", "/catalog/platforms/"):
        assert f'href="{path}new/"' not in viewer.get(path).content.decode()
        assert f'href="{path}new/"' in browser_of_operator.get(path).content.decode()
