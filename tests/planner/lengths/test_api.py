"""REST: length logs, and how likely the KV cache runs out."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from jsonschema import Draft202012Validator

from access.roles import Role
from access.scopes import Scope
from planner.models import LengthLog
from planner.schemas import PROBLEM
from planner.schemas.lengths import (
    EXAMPLE_LOG,
    EXHAUSTION_ANSWER,
    EXHAUSTION_EXAMPLE,
    LOG,
    WHOLE_LOG,
)
from tests.access.people import bearer, person, signed_in, token_text

LOGS, EXHAUSTION = "/api/v1/length-logs", "/api/v1/kv-exhaustion"
DATA = Path(__file__).resolve().parents[2] / "data"


@pytest.fixture
def operator(db: None) -> Client:
    return signed_in(person(Role.OPERATOR))


def post(client: Client, address: str, body: Any, **headers: str) -> Any:
    return client.post(address, body, content_type="application/json", headers=headers)


def refused(response: Any) -> dict[str, str]:
    assert response.status_code == 422, response.content
    Draft202012Validator(PROBLEM).validate(response.json())
    return {error["field"]: error["code"] for error in response.json()["errors"]}


def rows(count: int = 300) -> list[dict[str, Any]]:
    return [
        {
            "prompt_tokens": 500 + 7 * number % 2000,
            "completion_tokens": 50 + number % 300,
            "start": 100 + number,
        }
        for number in range(count)
    ]


def test_rows_become_a_log(operator: Client) -> None:
    response = post(operator, LOGS, EXAMPLE_LOG)
    assert response.status_code == 201
    found = response.json()
    Draft202012Validator(WHOLE_LOG).validate(found)
    assert (found["requests"], found["origin"]) == (2, "jsonl")
    assert found["figures"]["input"]["p99"] == {"value": 2310, "low": 2310, "high": 2310, "kind": "measured"}
    assert found["figures"]["peak_concurrency"]["value"] == 2  # 09:00:00 to :06.1, and :04 to :16.9
    assert found["workload"]["concurrency"] == 2
    assert operator.get(f"{LOGS}/{found['uid']}").json() == found


def test_text_in_every_format(operator: Client) -> None:
    lines = "\n".join(json.dumps(row) for row in rows(5))
    for text, origin in (
        ("input_len,output_len\n5,6\n", "csv"),
        (lines, "jsonl"),
        ((DATA / "vllm_metrics_138_requests.prom").read_text(), "metrics"),
    ):
        found = post(operator, LOGS, {"name": "x", "text": text}).json()
        Draft202012Validator(WHOLE_LOG).validate(found)
        assert found["origin"] == origin


def test_same_key_makes_one_log(operator: Client) -> None:
    first = post(operator, LOGS, EXAMPLE_LOG, **{"Idempotency-Key": "k1"})
    again = post(operator, LOGS, EXAMPLE_LOG, **{"Idempotency-Key": "k1"})
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert LengthLog.objects.count() == 1


def test_list_is_paged_and_filtered(operator: Client, django_assert_num_queries: Any) -> None:
    for number in range(5):
        post(operator, LOGS, {**EXAMPLE_LOG, "name": f"log {number}"})
    operator.get(LOGS)
    first = operator.get(LOGS, {"limit": 2}).json()
    for item in first["items"]:
        Draft202012Validator(LOG).validate(item)
    assert [item["name"] for item in first["items"]] == ["log 4", "log 3"]
    second = operator.get(first["next"]).json()
    assert [item["name"] for item in second["items"]] == ["log 2", "log 1"]
    assert [item["name"] for item in operator.get(LOGS, {"q": "3"}).json()["items"]] == ["log 3"]
    assert refused(operator.get(LOGS, {"origin": "xml"})) == {"origin": "invalid_choice"}
    # session, user, throttle, rows
    with django_assert_num_queries(4):
        operator.get(LOGS, {"limit": 3})


@pytest.mark.parametrize(
    ("body", "errors"),
    [
        ([], {None: "wrong_type"}),
        ({}, {"text": "rows_or_text", "name": "missing"}),
        ({"name": "x", "rows": [], "text": "a"}, {"text": "rows_or_text"}),
        ({"name": "x", "rows": {}}, {"rows": "wrong_type"}),
        ({"name": "x", "rows": []}, {"rows": "no_requests"}),
        ({"name": "x", "text": 5}, {"text": "wrong_type"}),
        ({"name": "x", "text": "a,b\n1,2"}, {"text": "no_column"}),
        ({"name": "x", "text": "1,2", "format": "xml"}, {"format": "unknown_choice"}),
        ({"name": "x", "text": "1,2", "duration_unit": []}, {"duration_unit": "unknown_choice"}),
        ({"name": "x", "text": "1,2", "hours": 0}, {"hours": "out_of_range"}),
        ({"name": "x", "text": "1,2", "hours": True}, {"hours": "out_of_range"}),
        ({"name": "x", "text": "1,2", "columns": {"cat": "a"}}, {"columns": "wrong_type"}),
        ({"name": "x", "text": "1,2", "columns": {"input": 5}}, {"columns": "wrong_type"}),
        ({"name": "x", "text": "1,2", "what": 1}, {"what": "unknown_field"}),
        ({"name": "y" * 121, "text": "1,2"}, {"name": "too_long"}),
    ],
)
def test_body_that_cannot_be_is_refused_by_field(operator: Client, body: Any, errors: dict[Any, str]) -> None:
    assert refused(post(operator, LOGS, body)) == errors
    assert LengthLog.objects.count() == 0


def test_model_of_a_dump_must_be_named(operator: Client) -> None:
    text = (DATA / "sglang_metrics_two_models.prom").read_text()
    assert refused(post(operator, LOGS, {"name": "x", "text": text})) == {"model": "several_models"}
    assert post(operator, LOGS, {"name": "x", "text": text, "model": "llama"}).json()["requests"] == 3


def test_scopes_are_held_apart(operator: Client) -> None:
    uid = post(operator, LOGS, EXAMPLE_LOG).json()["uid"]
    reader = bearer(token_text(person(Role.OPERATOR, name="ben"), Scope.PLANS_READ))
    assert reader.get(f"{LOGS}/{uid}").status_code == 200
    assert post(reader, LOGS, EXAMPLE_LOG).status_code == 403
    asker = bearer(token_text(person(Role.VIEWER, name="cai"), Scope.ESTIMATES_READ))
    assert asker.get(f"{LOGS}/{uid}").status_code == 403
    assert post(asker, EXHAUSTION, EXHAUSTION_EXAMPLE).status_code == 200
    # a log named in a question is read, too
    assert post(asker, EXHAUSTION, {**EXHAUSTION_EXAMPLE, "length_log": uid}).status_code == 403
    assert post(asker, EXHAUSTION, [{**EXHAUSTION_EXAMPLE, "length_log": uid}]).status_code == 403


def test_unknown_log_is_404(operator: Client) -> None:
    assert operator.get(f"{LOGS}/nothing").status_code == 404


def test_exhaustion_keeps_the_contract(operator: Client) -> None:
    response = post(operator, EXHAUSTION, EXHAUSTION_EXAMPLE)
    assert response.status_code == 200
    found = response.json()
    Draft202012Validator(EXHAUSTION_ANSWER).validate(found)
    assert (found["id"], found["verdict"], found["code"]) == ("busy", "fits", "computed")
    assert found["lengths"]["code"] == "quantiles"
    assert found["concurrency_that_passes"] == found["max_num_seqs_within"] + 1
    assert found["minutes_per_hour"] == pytest.approx(60 * found["probability"], abs=1e-3)
    assert {item["code"] for item in found["help"]} >= {"fewer_slots", "narrow_cache"}
    assert "vLLM then sends the youngest requests back" in found["message"]


def test_log_counts_in_place_of_the_workload(operator: Client) -> None:
    short = post(
        operator, LOGS, {"name": "short", "rows": [{"prompt_tokens": 10, "completion_tokens": 5}] * 50}
    ).json()
    found = post(operator, EXHAUSTION, {**EXHAUSTION_EXAMPLE, "length_log": short["uid"]}).json()
    Draft202012Validator(EXHAUSTION_ANSWER).validate(found)
    # 100 requests of at most 14 tokens take one block each
    assert (found["lengths"]["code"], found["certainty"], found["probability"]) == ("log", "never", 0)
    assert found["lengths"]["resident_tokens_mean"] == 12


def test_lengths_of_buckets_are_taken_as_independent(operator: Client) -> None:
    text = (DATA / "vllm_metrics_138_requests.prom").read_text()
    uid = post(operator, LOGS, {"name": "x", "text": text}).json()["uid"]
    found = post(operator, EXHAUSTION, {**EXHAUSTION_EXAMPLE, "length_log": uid}).json()
    assert found["lengths"]["code"] == "log_apart"
    # a request of 128.4 tokens in holds those and half of its output, size-biased
    assert 155 < found["lengths"]["resident_tokens_mean"] < 170


def test_means_alone_are_an_assumption(operator: Client) -> None:
    request = {
        **EXHAUSTION_EXAMPLE["request"],
        "workload": {"input_tokens": 1000, "output_tokens": 200, "concurrency": 100},
    }
    found = post(operator, EXHAUSTION, {"request": request}).json()
    assert (found["lengths"]["code"], found["lengths"]["kind"]) == ("means", "assumed")


def test_accepted_probability_moves_the_setting(operator: Client) -> None:
    strict = post(operator, EXHAUSTION, {**EXHAUSTION_EXAMPLE, "accepted": 0.0001}).json()
    loose = post(operator, EXHAUSTION, {**EXHAUSTION_EXAMPLE, "accepted": 0.2}).json()
    assert strict["max_num_seqs_within"] < loose["max_num_seqs_within"]


@pytest.mark.parametrize(
    ("question", "errors"),
    [
        ({}, {"request": "not_an_object"}),
        ({"request": {}}, {"request.model": "missing"}),
        ({"request": EXHAUSTION_EXAMPLE["request"], "accepted": 0}, {"accepted": "not_a_fraction"}),
        ({"request": EXHAUSTION_EXAMPLE["request"], "length_log": "none"}, {"length_log": "no_such_log"}),
        ({"request": EXHAUSTION_EXAMPLE["request"], "length_log": 5}, {"length_log": "wrong_type"}),
        ({"request": EXHAUSTION_EXAMPLE["request"], "what": 5}, {"what": "unknown_field"}),
    ],
)
def test_question_that_cannot_be_is_refused_by_field(
    operator: Client, question: Any, errors: dict[str, str]
) -> None:
    assert refused(post(operator, EXHAUSTION, question)) == errors


def test_list_answers_each_question_at_its_place(operator: Client) -> None:
    reserved = {"request": {**EXHAUSTION_EXAMPLE["request"], "nodes": 2}}
    found = post(operator, EXHAUSTION, [EXHAUSTION_EXAMPLE, {}, reserved]).json()
    assert (found[0]["code"], found[1]["status"], found[2]["verdict"]) == ("computed", 422, "unsupported")
    Draft202012Validator(EXHAUSTION_ANSWER).validate(found[2])
