"""The plan page through Django: what each verdict shows, errors, updates, texts of strangers, queries."""

import re
from html import unescape
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest
from django.test import Client

from access.models import User
from access.roles import Role
from planner.catalog import load_shipped
from planner.core.parse import parse_request
from planner.plan.form import read_plan
from planner.plan.page import answered

HX = {"HX-Request": "true"}


@pytest.fixture
def client(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_user("viewer", role=Role.VIEWER))
    return client


def text_of(response: Any, part: str | None = None) -> str:
    """Visible text of the page, or of the element with an id up to the next blank line."""
    html = response.content.decode()
    if part:
        html = html[html.index(f'id="{part}"') :]
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", html))).replace("\u00a0", " ")


def headline(response: Any) -> str:
    html = response.content.decode()
    found = re.search(r'<h2 id="verdict-title">(.*?)</h2>', html, re.DOTALL)
    assert found
    return unescape(found[1]).replace("\u00a0", " ")


def test_plan_opens_with_an_answered_example(client: Client) -> None:
    response = client.get("/plan/")
    assert response.status_code == 200
    assert re.fullmatch(
        r"Fits: all 16 users decode at once, and there is room for [0-9]+\.", headline(response)
    )
    html = response.content.decode()
    for part in ("step", "memory", "roofline-card", "curve-card", "startup", "working", "ask"):
        assert f'id="{part}"' in html
    assert "<style" not in html
    assert " style=" not in html
    assert "onclick" not in html


def test_plan_short_of_memory_shows_the_distance_and_what_helps(client: Client) -> None:
    response = client.get("/plan/?m=Qwen%2FQwen2.5-14B-Instruct")
    assert re.fullmatch(r"Does not fit: short by [0-9.]+ GiB per card\.", headline(response))
    html = response.content.decode()
    assert 'class="bar-beyond"' in html  # the bar runs past the end of the card
    assert 'id="step"' not in html
    links = re.findall(r'<li class="is-ok">.*?<b><a href="/plan/\?([^"]*)">', html)
    assert links
    for link in links:
        assert headline(client.get(f"/plan/?{unescape(link)}")).startswith("Fits")


def test_plan_with_too_little_cache_for_all_users(client: Client) -> None:
    response = client.get("/plan/?u=500&seqs=512")
    assert re.fullmatch(r"Fits, but only [0-9.]+ of 500 users decode at once\.", headline(response))
    assert 'class="card verdict is-warn"' in response.content.decode()
    missed = client.get("/plan/?u=500&seqs=512&tpot=1&tps=1")
    assert re.search(r"It misses your target by [0-9.]+ ms per token\.", text_of(missed, "answer"))


def test_plan_draws_the_target_into_the_step_where_it_is_near(client: Client) -> None:
    flag = '<text class="limit-flag'
    assert client.get("/plan/?tpot=30").content.decode().count(flag) == 2  # and the budget, in the memory bar
    for query in ("", "tpot=300"):
        assert client.get(f"/plan/?{query}").content.decode().count(flag) == 1


def test_plan_without_a_card_cannot_tell_but_says_what_it_knows(client: Client) -> None:
    response = client.get("/plan/?a=")
    assert headline(response) == "Cannot tell yet."
    # 28 layers × 4 KV heads × 128 × 2 (K and V) × 2 bytes = 57,344 bytes
    assert "KV per token computed 56.0 KiB" in text_of(response, "answer")


def test_plan_of_what_does_not_exist(client: Client) -> None:
    response = client.get("/plan/?kv=nvfp4")
    assert headline(response) == "Not supported: this combination does not exist."
    assert 'id="startup"' not in response.content.decode()
    assert "the reason is said above" in text_of(response)
    assert 'class="card verdict is-off"' in response.content.decode()


def test_plan_without_workload_answers_memory_alone(client: Client) -> None:
    response = client.get("/plan/?i=&o=&u=")
    assert re.fullmatch(
        r"Fits: the KV cache holds [0-9.]+ requests of the full 4,096 tokens\.", headline(response)
    )
    assert 'id="curve-card"' not in response.content.decode()


def test_plan_with_errors_says_them_beside_the_field(client: Client) -> None:
    response = client.get("/plan/?n=3&tp=2&u=many")
    assert response.status_code == 200
    assert headline(response) == "2 inputs need a look."
    html = response.content.decode()
    assert 'value="many" inputmode="decimal"' in html
    assert html.count('aria-invalid="true"') == 2
    assert 'href="#in-n"' in html


def test_plan_address_is_brought_to_its_short_form(client: Client) -> None:
    full = {"m": "Qwen/Qwen2.5-7B-Instruct", "u": "4", "a": "nvidia-rtx-4090", "len": "4096", "other": "x"}
    response = client.get("/plan/", full)
    assert (response.status_code, response["Location"]) == (302, "/plan/?u=4")
    assert client.get("/plan/?u=4").status_code == 200


def test_plan_update_sends_only_what_changes(client: Client) -> None:
    response = client.get("/plan/?u=4&len=4096", headers=HX)
    assert (response.status_code, response["HX-Push-Url"]) == (200, "/plan/?u=4")
    html = response.content.decode()
    assert "<html" not in html
    assert "<form" not in html
    swapped = re.findall(r'id="([^"]+)"[^>]*hx-swap-oob="true"', html)
    assert {"rest", "plan-title", "basis", "presets", "plan-query", "hint-m", "error-u"} <= set(swapped)
    page = client.get("/plan/?u=4").content.decode()
    assert [part for part in swapped if page.count(f'id="{part}"') != 1] == []
    replaced = client.get("/plan/?u=4", headers={**HX, "Plan-History": "replace"})
    assert (replaced["HX-Replace-Url"], replaced.has_header("HX-Push-Url")) == ("/plan/?u=4", False)


def test_plan_update_with_errors_leaves_the_last_pictures(client: Client) -> None:
    html = client.get("/plan/?u=x", headers=HX).content.decode()
    assert 'id="rest"' not in html
    assert 'id="error-u"' in html
    assert "Below is the last answer" in html


def test_plan_applies_the_fix_of_a_reason(client: Client) -> None:
    response = client.get("/plan/?util=0.72&len=32768")
    html = response.content.decode()
    link = re.search(r'verdict-reason.*?href="/plan/\?([^"]*)"', html, re.DOTALL)
    assert link
    changed = dict(parse_qsl(unescape(link[1]), keep_blank_values=True))
    assert changed.keys() == {"len", "util"}
    assert headline(client.get("/plan/", changed)).startswith("Fits")


def test_plan_offers_the_same_mend_once(client: Client) -> None:
    # 28 heads, 4 KV heads and a width of 18,944 do not divide by 3: three reasons, one mend
    html = client.get("/plan/?n=3").content.decode()
    assert html.count('class="verdict-reason"') == 3
    assert html.count("Apply: ") == 1


def test_plan_presets_change_the_workload_alone(client: Client) -> None:
    html = client.get("/plan/?kv=fp8").content.decode()
    links = re.findall(r'<a class="chip" href="/plan/\?([^"]*)"', html)
    assert len(links) == 7
    plans = [dict(parse_qsl(unescape(link))) for link in links]
    assert [plan["kv"] for plan in plans] == ["fp8"] * 7
    assert (
        html.count(
            '<a class="chip" href="/plan/?kv=fp8&amp;tpot=50&amp;ttft=2000" aria-current="true">Chat</a>'
        )
        == 1
    )
    # the work of a team of programmers: 5,000 requests a day, 150 tokens of answer each
    assert plans[1] == {"kv": "fp8", "i": "2048", "o": "150", "by": "day", "tpot": "25", "ttft": "1000"}


def test_plan_shows_texts_of_strangers_as_text(client: Client) -> None:
    hostile = '"><script>alert(1)</script>'
    for key in ("m", "a", "u", "v", "w", "kv", "l", "e", "len", "c"):
        response = client.get("/plan/?" + urlencode({key: hostile}))
        assert "<script>alert" not in response.content.decode()
    response = client.post("/plan/config/", {"config": hostile, "plan": hostile})
    assert "<script>alert" not in response.content.decode()


def test_plan_reads_a_pasted_config(client: Client) -> None:
    config = """{"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "hidden_size": 3584,
        "intermediate_size": 18944, "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4,
        "vocab_size": 152064, "max_position_embeddings": 32768, "tie_word_embeddings": false,
        "torch_dtype": "bfloat16"}"""
    response = client.post("/plan/config/", {"config": config, "plan": "u=4"})
    assert response.status_code == 302
    shown = client.get(response["Location"])
    assert headline(shown).startswith("Fits: all 4 users decode at once")
    assert "7.62 B parameters" in text_of(shown)
    assert dict(parse_qsl(response["Location"].partition("?")[2]))["u"] == "4"


def test_plan_of_an_unknown_architecture_is_a_verdict(client: Client) -> None:
    response = client.post("/plan/config/", {"config": '{"model_type": "nonsense"}', "plan": "u=4"})
    shown = client.get(response["Location"])
    assert headline(shown) == "Not supported: this model cannot be sized."
    assert "nonsense" in text_of(shown, "error-c")
    assert client.get(response["Location"], headers=HX).status_code == 200


def test_plan_refuses_a_config_that_is_none_and_keeps_the_text(client: Client) -> None:
    response = client.post("/plan/config/", {"config": "not json {", "plan": "u=4"})
    assert response.status_code == 422
    html = response.content.decode()
    # the form is longer than a screen: the browser is told to show the place where something is wrong
    assert 'aria-invalid="true" autofocus>not json {</textarea>' in html
    assert "This is not valid JSON: Expecting value: line 1 column 1 (char 0).<" in html
    assert 'id="in-u" name="u" value="4"' in html


def test_plan_speaks_chinese(client: Client) -> None:
    User.objects.update(language="zh-hans")
    response = client.get("/plan/?m=Qwen%2FQwen2.5-14B-Instruct")
    assert headline(response).startswith("放不下")
    assert '<html lang="zh-Hans">' in response.content.decode()


def test_plan_is_for_people_who_are_signed_in(db: None) -> None:
    assert Client().get("/plan/?u=4")["Location"] == "/sign-in/?next=/plan/%3Fu%3D4"
    assert Client().get("/plan/?u=4", headers=HX).status_code == 401


@pytest.mark.parametrize(
    "query",
    ["", "m=Qwen%2FQwen2.5-14B-Instruct", "a=", "i=&o=&u=", "s=ours&d=q&by=day&tpot=20&ttft=1", "kv=nvfp4"],
)
def test_plan_leads_only_to_places_on_the_page(client: Client, query: str) -> None:
    html = client.get(f"/plan/?{query}").content.decode()
    places = re.findall(r'href="#([^"]+)"', html)
    assert "main" in places
    assert [place for place in places if f'id="{place}"' not in html] == []
    ids = re.findall(r' id="([^"]+)"', html)
    assert sorted(ids) == sorted(set(ids))


@pytest.mark.parametrize("query", ["", "tpot=60&tps=5", "m=Qwen%2FQwen2.5-14B-Instruct", "a="])
def test_plan_figures_of_an_answer_open_to_their_working(client: Client, query: str) -> None:
    html = client.get(f"/plan/?{query}").content.decode()
    figures = html[html.index('<dl class="figures') :]
    known = re.findall(r"<dt>(.*?)</dt>", figures[: figures.index("</dl>")], re.DOTALL)
    assert known
    assert [dt for dt in known if "<svg" in dt and 'href="#' not in dt] == []


def test_plan_of_requests_a_day_says_how_they_become_users(client: Client) -> None:
    response = client.get("/plan/?by=day&day=86400&peak=2")
    # 86,400 requests in 86,400 s are 1 per second, 2 at twice the mean
    assert "86,400 requests a day are 2.00 per second at the peak" in text_of(response, "answer")
    said = re.search(
        r"each stays for ([0-9.]+) s, so ([0-9.]+) are there at a time on average, planned as ([0-9]+)",
        text_of(response, "answer"),
    )
    assert said
    stay, mean, users = map(float, said.groups())
    # Little's law by hand: rate times stay; the plan is for whole users
    assert mean == pytest.approx(2 * stay, rel=0.01)
    assert users - 1 < mean <= users
    assert f"2.00 per second at the peak: {users:.0f} users at once" in text_of(response, "hint-by")


def test_plan_of_more_requests_than_it_serves_says_so(client: Client) -> None:
    response = client.get("/plan/?by=day&day=8640000&peak=2")
    assert headline(response) == "Fits, but the load is more than it serves."
    assert 'class="card verdict is-warn"' in response.content.decode()


def test_plan_with_derived_settings_speaks_of_the_length_in_force(client: Client) -> None:
    # 1,024 + 256 tokens and a fifth are 1,536, in whole blocks
    text = text_of(client.get("/plan/?s=ours"), "answer")
    assert "full requests of 1,536;" in text
    whole = text_of(client.get("/plan/?s=ours"))
    assert "Maximum concurrency for 1,536 tokens per request" in whole


def test_plan_of_a_length_distribution_says_its_means(client: Client) -> None:
    response = client.get("/plan/?d=q&i50=100&i90=100&i99=100&o50=50&o90=50&o99=50")
    assert "Means 100 in, 50 out" in text_of(response, "hint-d")
    wrong = client.get("/plan/?d=q&i50=9&i90=5&i99=1")
    assert headline(wrong) == "One input needs a look."
    assert "must not fall" in text_of(wrong, "answer")


def test_plan_page_of_a_processor_speaks_of_machines(client: Client) -> None:
    html = client.get("/plan/?a=cpu-desktop-2ch-ddr5-5600&e=llama.cpp&w=gguf-q4_k_m&u=1").content.decode()
    assert 'class="bars-name">Machine' in html


def test_plan_asks_the_database_a_fixed_number_of_times(
    client: Client, django_assert_num_queries: Any
) -> None:
    client.get("/plan/")
    # session, user, savepoint around the version of the catalog, currency of the team, rates, quotes, expired ones
    with django_assert_num_queries(9):
        client.get("/plan/?u=4", headers=HX)
    with django_assert_num_queries(9):
        client.get("/plan/")


def example_answer() -> dict[str, Any]:
    """An answer of the contract with every part filled, written by hand."""
    return {
        "id": None,
        "verdict": "fits",
        "reasons": [],
        "memory": {
            "per_accelerator": {
                "total_gib": 24.0,
                "budget_gib": 21.6,
                "weights_gib": 14.0,
                "activation_gib": 1.0,
                "non_torch_gib": 0.6,
                "cuda_graph_gib": 0.4,
                "kv_cache_gib": 6.0,
                "outside_budget_gib": 0.4,
            },
            "kv_bytes_per_token": 57344,
            "kv_cache_tokens": 112347,
            "max_concurrency": 24.0,
            "interval": {"kv_cache_gib": [5.0, 7.0]},
        },
        "startup_log": None,
        "speed": {
            "running": 16,
            "decode_step_ms": 16.0,
            "tpot_ms": 20.0,
            "ttft_ms": 1500.0,
            "output_tokens_per_s": 700.0,
            "output_tokens_per_s_per_user": 50.0,
            "bound": "memory",
            "mbu": 0.5,
            "interval": {
                "decode_step_ms": [12.0, 20.0],
                "tpot_ms": [16.0, 25.0],
                "output_tokens_per_s": [600.0, 800.0],
            },
            "provenance": "calibrated",
        },
        "step": {"weights_ms": 12.0, "kv_ms": 2.0, "prefill_ms": 4.0, "interconnect_ms": 0.0, "host_ms": 2.0},
        "advice": [],
        "settings": [],
        "targets": [],
        "rules_of_thumb": [],
        "commands": None,
        "basis": {"catalog": "abc", "core": "1", "calibration": None},
        "explain": [],
    }


def test_page_of_an_answer_says_its_figures() -> None:
    plan = read_plan({})
    parsed = parse_request(plan.request(), load_shipped())
    page = answered(
        plan, example_answer(), plan.request(), parsed, changes=[], found=None, address="https://x/api"
    )
    assert page.verdict and page.step and page.memory
    assert page.verdict.headline == "Fits: all 16 users decode at once."
    assert [(item.value, item.unit) for item in page.verdict.figures] == [
        ("20.0", "ms"),
        ("1.50", "s"),
        ("700", "tok/s"),
        ("50.0", "tok/s"),
        ("24.0", "×"),
        ("50", "%"),
    ]
    assert page.kinds == ["calibrated", "computed"]
    assert [part.series for part in page.step.segments] == ["weights", "kv", "compute", "host"]
    # left of the line weights, framework, activation, KV; right of it graphs and what is free
    assert [(part.series, part.value) for part in page.memory.segments] == [
        ("weights", "14.0"),
        ("host", "0.60"),
        ("compute", "1.00"),
        ("kv", "6.00"),
        ("host", "0.40"),
        ("free", "2.00"),
    ]
    assert page.step_sentence.replace("\u00a0", " ") == (
        "Of the time per token, 60 % reads weights, 20 % computes prompts of other users, 10 % reads the KV cache."
    )


@pytest.mark.parametrize(("prompt", "told"), [("1024", False), ("7680", True)])
def test_page_says_why_more_run_than_full_requests_fit(client: Client, prompt: str, told: bool) -> None:
    # gpt-oss: half of its layers keep a window of 128 tokens of a decoding request
    keys = {"m": "openai/gpt-oss-120b", "a": "nvidia-h100-sxm5-80gb", "len": "8192", "i": prompt}
    page = client.get("/plan/?" + urlencode(keys)).content.decode()
    assert ("layers with a window keep less" in page) is told
