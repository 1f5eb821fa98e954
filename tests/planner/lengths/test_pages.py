"""The pages of length logs: the list, reading a log by file and paste, one log, its CSV, another name, archiving."""

import io
import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.core import serializers
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from access.models import AuditEvent
from access.roles import Role
from planner.models import LengthLog
from tests.access.people import person, signed_in

HX = {"HX-Request": "true"}
DATA = Path(__file__).resolve().parents[2] / "data"
CSV = "prompt,prompt_tokens,completion_tokens,start_time,latency_s\n" + "".join(
    f"secret words {number},{100 + number},{10 + number % 7},{1796040000 + 20 * number},{30}\n"
    for number in range(200)
)


@pytest.fixture
def operator(db: None) -> Client:
    return signed_in(person(Role.OPERATOR))


def text_of(response: Any) -> str:
    plain = re.sub(r"<[^>]+>", " ", response.content.decode())
    return re.sub(r"\s+", " ", unescape(plain).replace("\u00a0", " "))


def post(client: Client, **fields: Any) -> Any:
    return client.post("/lengths/new/", {"name": "chat", **fields})


def kept(client: Client, **fields: Any) -> LengthLog:
    response = post(client, **fields)
    assert response.status_code == 302, text_of(response)
    return LengthLog.objects.get(uid=response["Location"].split("/")[-2])


def upload(text: str | bytes, name: str = "log.csv") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, text.encode() if isinstance(text, str) else text)


def test_first_page_says_what_to_do(operator: Client) -> None:
    response = operator.get("/lengths/")
    assert response.status_code == 200
    assert "How long are our requests?" in text_of(response)
    assert "None yet" in text_of(response)
    assert 'href="/lengths/new/"' in response.content.decode()


def test_viewer_reads_and_may_not_add(operator: Client) -> None:
    log = kept(operator, text=CSV)
    viewer = signed_in(person(Role.VIEWER, name="reader"))
    assert viewer.get("/lengths/").status_code == 200
    page = viewer.get(f"/lengths/{log.uid}/")
    assert page.status_code == 200
    assert "Archive this log" not in text_of(page)
    assert viewer.get("/lengths/new/").status_code == 403
    assert viewer.post(f"/lengths/{log.uid}/archive/").status_code == 403


def test_file_is_read_and_its_lengths_kept(operator: Client) -> None:
    log = kept(operator, file=upload(CSV))
    assert (log.name, log.origin, log.requests) == ("chat", "csv", 200)
    page = text_of(operator.get(f"/lengths/{log.uid}/"))
    # 200 inputs from 100 to 299: half of them within 199, 99 % within 297
    assert "200 requests: 99 % have up to 297 tokens of input and 16 of output" in page
    assert "Input 200 measured 199 measured 279 measured 297 measured 299 measured" in page
    # one starts every 20 s and takes 30 s: two are under way
    assert "At once, peak measured 2 requests exact, from starts and ends" in page
    assert "1 more column; 1 of them holds text" in page


def test_page_has_no_inline_style_and_labelled_charts(operator: Client) -> None:
    log = kept(operator, text=CSV)
    html = operator.get(f"/lengths/{log.uid}/").content.decode()
    assert "<style" not in html
    assert " style=" not in html
    assert html.count('role="img" aria-labelledby="lengths-') == 2
    assert html.count('class="hist"') == 2


def test_looking_keeps_nothing_and_what_was_pasted(operator: Client) -> None:
    response = post(operator, text=CSV, look="1")
    assert response.status_code == 200
    assert "Nothing is kept yet" in text_of(response)
    assert "Column for input prompt_tokens" in text_of(response)
    assert "secret words 7" in response.content.decode()  # back in the field, for the one who pasted it
    assert LengthLog.objects.count() == 0


def test_nothing_of_prompts_is_kept_anywhere(operator: Client) -> None:
    kept(operator, file=upload(CSV))
    rows = [
        {"messages": "secret words", "secret words": {"usage": {"prompt_tokens": 5, "completion_tokens": 6}}}
    ]
    kept(operator, text=json.dumps(rows[0]), kind="jsonl")
    kept(operator, file=upload((DATA / "vllm_bench_serve.json").read_bytes(), "bench.json"))
    everything = serializers.serialize("json", [*LengthLog.objects.all(), *AuditEvent.objects.all()])
    assert LengthLog.objects.count() == 3
    assert "secret" not in everything


def test_json_lines_and_benchmarks_are_known_by_looking(operator: Client) -> None:
    lines = "\n".join(
        json.dumps({"usage": {"prompt_tokens": n, "completion_tokens": 5}}) for n in range(1, 51)
    )
    assert kept(operator, text=lines).origin == "jsonl"
    bench = kept(operator, file=upload((DATA / "vllm_bench_serve.json").read_bytes(), "bench.json"))
    assert (bench.origin, bench.requests) == ("jsonl", 4)


def test_metrics_are_read_with_honest_ends(operator: Client) -> None:
    log = kept(operator, text=(DATA / "vllm_metrics_138_requests.prom").read_text(), hours="1")
    page = text_of(operator.get(f"/lengths/{log.uid}/"))
    assert "between 101 and 200" in page
    assert "138 requests: 99 % have up to 200 tokens of input and 100 of output" in page
    assert "Engine vLLM" in page
    assert "Requests a day computed 3,312 scaled from 1.0 hour" in page


def test_two_readings_give_what_came_between(operator: Client) -> None:
    before = (DATA / "vllm_metrics_138_requests.prom").read_text()
    after = before.replace('model_name="small-llama"} 138.0', 'model_name="small-llama"} 238.0')
    assert kept(operator, text=before, later=after).requests == 100


def test_new_start_between_two_readings_is_said(operator: Client) -> None:
    before = (DATA / "vllm_metrics_138_requests.prom").read_text()
    log = kept(operator, text=before, later=before.replace("138.0", "40.0"), hours="2")
    assert log.requests == 40
    assert "started anew between the two readings" in text_of(operator.get(f"/lengths/{log.uid}/"))


def test_models_of_a_dump_are_chosen_between(operator: Client) -> None:
    dump = (DATA / "sglang_metrics_two_models.prom").read_text()
    response = post(operator, text=dump)
    assert response.status_code == 422
    assert "It holds 2 models. Say which one: qwen, llama." in text_of(response)
    log = kept(operator, text=dump, model="qwen")
    assert "≥ 1,001 computed beyond the last bucket" in text_of(operator.get(f"/lengths/{log.uid}/"))


def test_engine_without_lengths_says_what_it_knows(operator: Client) -> None:
    answer = text_of(post(operator, text=(DATA / "trtllm_metrics.prom").read_text()))
    assert (
        "TensorRT-LLM counts no lengths here, only totals: 800 tokens in and 200 out on average of 40 requests"
        in answer
    )


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "Choose a file, or paste its lines."),
        ({"text": "when,who\n1,2\n"}, "No column is known to hold the tokens of input."),
        (
            {"text": "a,b\n1,2\n", "input_column": "a", "output_column": "z"},
            "There is no column 'z' for output.",
        ),
        ({"text": "prompt_tokens,completion_tokens\nx,y\n"}, "The column prompt_tokens holds text"),
        ({"text": "prompt_tokens,completion_tokens\n-1,2\n"}, "None of its 1 rows has two lengths"),
        ({"text": '{"a": 1}'}, "None of its 1 values has the tokens"),
        ({"text": "# HELP x y\nx 1\n"}, "No metric of vLLM, SGLang, TensorRT-LLM or llama.cpp is in it."),
        ({"text": "1,2\n", "hours": "-1"}, "Ensure this value is greater than or equal to 1e-06"),
        ({"text": "1,2\n", "hours": "nan"}, "Enter a number."),
        ({"text": "1,2\n", "kind": "xml"}, "Select a valid choice."),
        ({"text": "1,2\n", "name": ""}, "This field is required."),
        ({"text": '{"prompt_tokens": NaN, "completion_tokens": 1}'}, "None of its 1 values"),
        ({"text": "[" * 5000}, "None of its 1 values"),
    ],
)
def test_log_that_cannot_be_read_is_told_why(operator: Client, fields: dict[str, str], said: str) -> None:
    response = post(operator, **fields)
    assert response.status_code == 422
    assert said in text_of(response)
    assert LengthLog.objects.count() == 0


def test_line_that_does_not_end_is_refused(operator: Client) -> None:
    response = post(operator, file=upload("prompt_tokens,completion_tokens\n" + "9" * 2_000_000))
    assert response.status_code == 422
    assert "A line is longer than" in text_of(response)


def test_file_of_other_bytes_is_refused(operator: Client) -> None:
    response = post(operator, file=upload(bytes(range(256)) * 4000, "picture.png"))
    assert response.status_code == 422


def test_body_larger_than_a_log_is_refused_before_it_is_read(operator: Client) -> None:
    response = operator.generic("POST", "/lengths/new/", b"x", CONTENT_LENGTH="70000000")
    assert response.status_code == 413


def test_list_searches_filters_sorts_and_answers_htmx(
    operator: Client, django_assert_num_queries: Any
) -> None:
    for number in range(3):
        kept(operator, text=CSV, name=f"chat {number}")
    kept(operator, text=(DATA / "vllm_metrics_138_requests.prom").read_text(), name="engine")
    # session, user, count, rows
    with django_assert_num_queries(4):
        page = operator.get("/lengths/")
    assert text_of(page).count("199 / 279 / 297") == 3
    part = operator.get("/lengths/?q=chat&sort=name", headers=HX)
    assert "<html" not in part.content.decode()
    names = re.findall(r'/lengths/\w+/">([^<]+)</a>', part.content.decode())
    assert names == ["chat 0", "chat 1", "chat 2"]
    assert "engine" in text_of(operator.get("/lengths/?origin=metrics", headers=HX))
    assert "None match" in text_of(operator.get("/lengths/?q=nothing"))


def test_detail_costs_the_same_queries_for_any_log(operator: Client, django_assert_num_queries: Any) -> None:
    log = kept(operator, text=CSV)
    operator.get(f"/lengths/{log.uid}/")  # the message of the redirect is shown once
    with django_assert_num_queries(3):
        operator.get(f"/lengths/{log.uid}/")


def test_table_beneath_a_histogram_is_a_csv_file(operator: Client) -> None:
    log = kept(operator, text="input_tokens,output_tokens\n5,1\n5,2\n9,2\n")
    response = operator.get(f"/lengths/{log.uid}/input.csv")
    lines = b"".join(response.streaming_content).decode().splitlines()  # type: ignore[attr-defined]
    assert lines == ['"From, tokens","To, tokens",Requests,Share', "5,5,2,67 %", "9,9,1,33 %"]
    assert operator.get(f"/lengths/{log.uid}/nothing.csv").status_code == 404
    assert operator.get("/lengths/none/input.csv").status_code == 404


def test_another_name_and_the_archive_are_audited(operator: Client) -> None:
    log = kept(operator, text=CSV)
    operator.post(f"/lengths/{log.uid}/rename/", {"name": "weekdays"})
    operator.post(f"/lengths/{log.uid}/archive/")
    log.refresh_from_db()
    assert (log.name, log.archived_at is not None) == ("weekdays", True)
    assert "weekdays" not in text_of(operator.get("/lengths/"))
    assert "weekdays" in text_of(operator.get("/lengths/?show=archived"))
    operator.post(f"/lengths/{log.uid}/archive/")
    log.refresh_from_db()
    assert log.archived_at is None
    assert [
        event.action for event in AuditEvent.objects.filter(action__startswith="length_log").order_by("pk")
    ] == [
        "length_log.create",
        "length_log.rename",
        "length_log.archive",
        "length_log.restore",
    ]


def test_blank_name_changes_nothing(operator: Client) -> None:
    log = kept(operator, text=CSV)
    operator.post(f"/lengths/{log.uid}/rename/", {"name": " "})
    log.refresh_from_db()
    assert log.name == "chat"


def test_plan_is_filled_from_a_log(operator: Client) -> None:
    log = kept(operator, text=CSV)
    html = operator.get(f"/lengths/{log.uid}/").content.decode()
    link = unescape(re.search(r'href="(/plan/\?[^"]+ll=[^"]+)"', html)[1])  # type: ignore[index]
    plan = operator.get(link, follow=True)
    assert plan.status_code == 200
    values = dict(re.findall(r'name="(\w+)"[^>]* value="([^"]*)"', plan.content.decode()))
    assert (values["i50"], values["i90"], values["i99"]) == ("199", "279", "297")
    assert values["ll"] == log.uid
    # 66 minutes are no day: users at once
    assert values["u"] == "2"
    assert "lengths as logged, each input with its own output, from chat" in text_of(plan)
    other = unescape(re.search(r'href="(/recommend/\?d=q[^"]+)"', html)[1])  # type: ignore[index]
    assert operator.get(other, follow=True).status_code == 200


def test_chinese_pages_are_whole(operator: Client) -> None:
    log = kept(operator, text="输入长度,输出长度\n" + "12,30\n" * 5)
    operator.cookies["django_language"] = "zh-hans"
    for address in ("/lengths/", "/lengths/new/", f"/lengths/{log.uid}/"):
        assert operator.get(address).status_code == 200


def test_gbk_file_of_a_spreadsheet_is_read(operator: Client) -> None:
    data = io.BytesIO("输入token数,输出token数,说明\n812,190,你好\n".encode("gbk")).getvalue()
    assert kept(operator, file=upload(data)).requests == 1
