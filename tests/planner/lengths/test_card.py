"""The card of a plan: how likely its cache runs out, from the lengths typed or those of a log."""

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from access.roles import Role
from tests.access.people import person, signed_in

BUSY = "/plan/?d=q&i50=800&i90=1800&i99=3000&o50=200&o90=500&o99=900&u=100&len=8192&seqs=128"


@pytest.fixture
def client(db: None) -> Client:
    return signed_in(person(Role.OPERATOR))


def card(response: Any) -> str:
    html = response.content.decode()
    assert 'id="runs-out"' in html
    part = html[html.index('<section class="card" id="runs-out">') :].split("</section>")[0]
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", part)).replace("\u00a0", " "))


def test_busy_plan_says_how_often_and_what_would_help(client: Client) -> None:
    found = card(client.get(BUSY, follow=True))
    said = re.search(r"([\d.]+) percent of the time the running requests need more KV cache", found)
    assert said is not None
    assert 10 < float(said[1]) < 50
    assert "vLLM then sends the youngest requests back to the queue" in found
    assert "max_num_seqs 88" in found
    assert "fp8 KV cache" in found
    assert "log-normal lengths through P50 and P90" in found


def test_help_leads_to_a_plan_in_which_it_is_rare(client: Client) -> None:
    html = client.get(BUSY, follow=True).content.decode()
    link = unescape(re.search(r'href="(/plan/\?[^"]+)">max_num_seqs 88</a>', html)[1])  # type: ignore[index]
    assert re.search(r"0\.\d+ percent of the time", card(client.get(link, follow=True)))


def test_calm_plan_is_certain(client: Client) -> None:
    found = card(client.get(BUSY.replace("u=100", "u=8"), follow=True))
    assert "Never: even the longest requests together fit into the KV cache." in found


def test_means_are_said_to_be_an_assumption(client: Client) -> None:
    found = card(client.get("/plan/"))
    assert "assumed · every request of the mean length, which real ones are not" in found
    assert "fill the plan from a log" in found


def test_plan_that_does_not_start_has_no_card(client: Client) -> None:
    html = client.get("/plan/?m=Qwen/Qwen2.5-32B-Instruct", follow=True).content.decode()
    assert 'id="runs-out"' not in html


def test_unknown_log_in_an_address_is_passed_over(client: Client) -> None:
    found = card(client.get(BUSY + "&ll=nothinglike", follow=True))
    assert "log-normal lengths" in found


def test_htmx_update_brings_the_card(client: Client) -> None:
    response = client.get(BUSY, headers={"HX-Request": "true"})
    assert "<html" not in response.content.decode()
    assert "of the time the running requests need more" in card(response)


def test_curve_is_a_csv_file(client: Client) -> None:
    response = client.get(BUSY.replace("/plan/", "/plan/runs-out.csv"))
    lines = response.content.decode().splitlines()
    assert lines[0] == "Running at once,Probability"
    assert len(lines) > 8


def test_card_judges_by_the_lengths_of_a_log(client: Client) -> None:
    body = {"name": "x", "rows": [{"prompt_tokens": 900, "completion_tokens": 90}] * 20}
    uid = client.post("/api/v1/length-logs", body, content_type="application/json").json()["uid"]
    found = client.get(f"{BUSY}&ll={uid}", follow=True)
    assert "lengths as logged, each input with its own output, from x" in card(found)
    assert "take the lengths typed here" in card(found)
