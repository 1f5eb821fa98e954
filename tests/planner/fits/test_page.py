"""The page "I have these cards": groups, filters, order, links, errors, updates."""

import json
import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from access.models import Role, User

HX = {"HX-Request": "true"}


@pytest.fixture
def client(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_user("viewer", role=Role.VIEWER))
    return client


def text_of(response: Any) -> str:
    return re.sub(
        r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", response.content.decode())).replace("\u00a0", " ")
    )


def headline(response: Any) -> str:
    found = re.search(r'<h2 id="verdict-title">(.*?)</h2>', response.content.decode(), re.DOTALL)
    assert found
    return unescape(found[1]).replace("\u00a0", " ")


def section(response: Any, name: str) -> str:
    html = response.content.decode()
    return html[html.index(f'<section class="card" id="{name}">') :].split("</section>")[0]


def names(part: str) -> list[str]:
    return re.findall(r'<th scope="row"><a [^>]*>([^<]+)</a>', part)


def test_page_opens_with_the_example_cards(client: Client) -> None:
    response = client.get("/fits/")
    assert response.status_code == 200
    assert re.fullmatch(r"\d+ of \d+ models run here, \d+ only quantized\.", headline(response))
    assert "What runs on 1 × GeForce RTX 4090?" in text_of(response)
    for part in ("as_published", "quantized", "too_large", "unsupported"):
        assert f'id="{part}"' in response.content.decode()
    html = response.content.decode()
    assert "<style" not in html
    assert " style=" not in html


def test_filters_leave_what_they_name_and_count_all_others_out(client: Client) -> None:
    response = client.get("/fits/?q=coder-7b&size=15")
    # the shape of Qwen2.5-7B is found by the name of its coder
    assert "Qwen/Qwen2.5-7B-Instruct" in section(response, "as_published")
    assert headline(response).startswith("1 of 1 model")


def test_filter_that_matches_nothing_offers_to_clear_itself(client: Client) -> None:
    response = client.get("/fits/?q=nothing-like-this&fam=qwen3")
    assert headline(response) == "No model matches these filters."
    assert 'href="/fits/?"' in response.content.decode() or 'href="/fits/"' in response.content.decode()


def test_list_is_ordered_by_size_and_on_demand_by_speed(client: Client) -> None:
    largest = section(client.get("/fits/?fam=qwen3"), "as_published")
    assert names(largest) == [
        "Qwen/Qwen3-8B",
        "Qwen/Qwen3-4B",
        "Qwen/Qwen3-4B-Instruct-2507",
        *names(largest)[3:],
    ]
    fastest = section(client.get("/fits/?fam=qwen3&sort=speed"), "as_published")
    assert names(fastest)[0] == "Qwen/Qwen3-0.6B"


def test_row_leads_to_the_plan_that_gives_its_figures(client: Client) -> None:
    part = section(client.get("/fits/?q=Qwen2.5-14B-Instruct&n=2"), "as_published")
    link = unescape(re.findall(r'<th scope="row"><a href="([^"]+)"', part)[0])
    tpot = re.findall(r'<td class="num">([0-9.]+)<span', part)[0]
    assert link.startswith("/plan/?")
    plan = client.get(link)
    assert plan.status_code == 200
    assert f"{tpot} <small>ms</small>" in plan.content.decode()


def test_long_group_is_cut_and_shown_whole_on_demand(client: Client) -> None:
    short = section(client.get("/fits/"), "as_published")
    assert short.count("<tr>") == 1 + 15
    more = re.findall(r'<a href="(/fits/\?all=as_published#as_published)">Show all (\d+)', short)
    whole = section(client.get(more[0][0].split("#")[0]), "as_published")
    assert whole.count("<tr>") == 1 + int(more[0][1])


def test_models_too_large_say_by_how_much_the_nearest_first(client: Client) -> None:
    part = section(client.get("/fits/?all=too_large"), "too_large")
    lacks = [float(gib.replace(",", "")) for gib in re.findall(r"short by ([\d,.]+)\xa0GiB", part)]
    assert lacks == sorted(lacks)


def test_engine_that_does_not_run_on_a_card_offers_one_that_does(client: Client) -> None:
    response = client.get("/fits/?a=apple-m4-max&e=tensorrt-llm")
    assert headline(response) == "None of these models runs here."
    assert 'href="/fits/?a=apple-m4-max&amp;e=llama.cpp"' in response.content.decode()
    assert "models run here" in headline(client.get("/fits/?a=apple-m4-max&e=llama.cpp"))


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("a=none-such", "a"),
        ("n=0", "n"),
        ("n=100000", "n"),
        ("u=0", "u"),
        ("i=abc", "i"),
        ("a=", "a"),
        ("v=x", "v"),
    ],
)
def test_bad_input_is_named_at_its_field(client: Client, query: str, key: str) -> None:
    response = client.get(f"/fits/?{query}")
    assert response.status_code == 200
    assert headline(response) == "One input needs a look."
    assert f'href="#in-{key}"' in response.content.decode()


def test_update_is_a_part_with_its_address(client: Client) -> None:
    response = client.get("/fits/?n=2", headers=HX)
    assert response["HX-Push-Url"] == "/fits/?n=2"
    assert "<html" not in response.content.decode()
    assert 'id="rest" data-result hx-swap-oob="true"' in response.content.decode()


def test_address_holds_only_what_differs(client: Client) -> None:
    response = client.get("/fits/?n=1&u=16&q=&sort=speed&size=99")
    assert (response.status_code, response["Location"]) == (302, "/fits/?sort=speed")


def test_page_gives_the_same_question_for_a_program(client: Client) -> None:
    html = unescape(client.get("/fits/?n=2&tpot=50").content.decode())
    body = json.loads(html.split("-d '")[1].split("'</pre>")[0])
    assert body == {
        "accelerator": "nvidia-rtx-4090",
        "count": 2,
        "engine": {"name": "vllm"},
        "workload": {"input_tokens": 1024, "output_tokens": 256, "concurrency": 16},
        "targets": {"tpot_ms": 50},
    }
    answer = client.post("/api/v1/fits", body, content_type="application/json").json()
    assert f"{answer['counts']['too_large']}</dd>" in html


def test_card_of_unknown_bandwidth_promises_no_users(client: Client) -> None:
    # nobody states the bandwidth of this one
    response = client.get("/fits/?a=nvidia-h100-sxm5-64gb")
    assert "serves" not in section(response, "as_published")
    assert "starts; how fast is not known" in section(response, "as_published")
    assert "Largest that starts" in text_of(response)


def test_card_of_unknown_memory_is_not_called_too_small(client: Client) -> None:
    response = client.get("/fits/?a=huawei-ascend-950dt")
    assert headline(response) == "Cannot tell yet."
    assert 'id="too_large"' not in response.content.decode()
    assert "Nobody states the memory of Ascend 950DT" in text_of(response)


def test_list_in_which_nothing_does_all_is_no_success(client: Client) -> None:
    response = client.get("/fits/?tpot=0.5")
    assert "None of them does all that was asked" in text_of(response)
    assert "verdict is-warn" in response.content.decode()


@pytest.mark.parametrize(
    "query",
    [
        "by=day&day=50000&peak=3",
        "d=q&by=day&day=2000",
        "d=q&tpot=20&ttft=500&tps=30",
        "a=cpu-epyc-9005-12ch-ddr5-6000&e=llama.cpp&u=2",
        "a=nvidia-h100-sxm5-64gb&n=2",
        "a=huawei-ascend-950dt&n=3",
        "a=apple-m4-max&n=2&e=llama.cpp&sort=users&all=quantized",
        "e=tensorrt-llm&sort=context",
        "i=30000&o=2000&u=4",
    ],
)
def test_every_kind_of_question_is_answered(client: Client, query: str) -> None:
    response = client.get(f"/fits/?{query}")
    assert response.status_code == 200
    assert "input needs a look" not in headline(response)


def test_chinese_page_has_no_english_headline(client: Client) -> None:
    client.cookies["django_language"] = "zh-hans"
    assert client.get("/fits/").status_code == 200
