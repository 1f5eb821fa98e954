"""The page of the command check through Django: example, answers in place, links, texts of strangers."""

from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from access.models import User
from access.roles import Role
from planner.check.form import MAX_LINK_CHARACTERS

URL = "/check/"
HX = {"HX-Request": "true"}
GOOD = "vllm serve Qwen/Qwen3-8B --max-model-len 8192"


@pytest.fixture
def client(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_user("viewer", role=Role.VIEWER))
    return client


def page(client: Client, **given: str) -> str:
    response = client.post(URL, given)
    assert response.status_code == 200
    return unescape(response.content.decode())


def test_example_is_judged_and_mended(client: Client) -> None:
    text = unescape(client.get(URL).content.decode())
    assert "Would not start: 1 thing is wrong." in text
    assert "--kv-cache-dtype int8_per_token_head" in text
    assert text.count('<svg class="bar bars-bar"') == 1


def test_right_command_shows_memory_and_the_log_to_expect(client: Client) -> None:
    text = page(client, q=GOOD, a="nvidia-h100-sxm5-80gb", n="1", v="0.32.0")
    assert "Should start as it stands." in text
    assert "Held against vLLM 0.32.0, whose flags were read one by one." in text
    assert "GPU KV cache size:" in text


def test_edit_answers_with_the_answer_alone_and_keeps_the_address(client: Client) -> None:
    response = client.post(URL, {"q": GOOD}, headers=HX)
    assert b"<html" not in response.content
    assert b'id="answer"' in response.content
    assert "HX-Push-Url" not in response.headers


def test_short_check_has_a_link_that_gives_the_same(client: Client) -> None:
    text = page(client, q=GOOD, n="1", a="L40S")
    link = text.split('data-copy-url="')[1].split('"')[0]
    assert parse_qs(urlsplit(link).query) == {"q": [GOOD], "n": ["1"], "a": ["L40S"]}
    again = unescape(client.get(link).content.decode())
    assert (
        again.split('id="answer"')[1].split("<footer")[0] == text.split('id="answer"')[1].split("<footer")[0]
    )


def test_long_check_and_one_with_a_key_have_no_link(client: Client) -> None:
    assert "data-copy-url" not in page(client, q=GOOD + " " * MAX_LINK_CHARACTERS)
    assert "data-copy-url" not in page(client, q=GOOD + " --api-key sk-1")


def test_answer_opens_as_a_plan(client: Client) -> None:
    text = page(client, q=GOOD + " -tp 2", a="nvidia-l40s", n="2")
    link = text.split('href="/plan/?')[1].split('"')[0]
    found = parse_qs(link, keep_blank_values=True)
    assert (found["m"], found["n"], found["len"]) == (["Qwen/Qwen3-8B"], ["2"], ["8192"])


def test_texts_of_strangers_stay_text(client: Client) -> None:
    response = client.post(
        URL, {"q": "vllm serve <script>alert(1)</script> --x '\"><b>'", "m": "<i>", "v": "<u>"}
    )
    assert b"<script>alert" not in response.content
    assert b"<b>'" not in response.content
    assert b"<u>" not in response.content


@pytest.mark.parametrize("given", [{"q": ""}, {"q": "a" * 17_000}, {"q": GOOD, "n": "many"}, {"q": "hello"}])
def test_what_cannot_be_checked_says_why(client: Client, given: dict[str, str]) -> None:
    text = page(client, **given)
    assert "This cannot be checked yet." in text or "No launch command was found here." in text


def test_visitors_without_a_session_are_sent_to_sign_in(db: None) -> None:
    assert Client().get(URL).status_code == 302


def test_page_asks_the_database_a_fixed_number_of_times(
    client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client.get(URL)
    with django_assert_max_num_queries(5):
        client.post(URL, {"q": GOOD})
