"""POST /api/v1/limits and manage.py limits: the same objects, the words beside the codes, errors as problem JSON."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from jsonschema import Draft202012Validator

from access.models import Role, User
from planner.schemas import EXAMPLE, PROBLEM
from planner.schemas.limits import LIMITS_ANSWER

URL = "/api/v1/limits"
ROOT = Path(__file__).resolve().parents[3]
TOO_LARGE = {**EXAMPLE, "id": "large", "model": {"id": "Qwen/Qwen2.5-14B-Instruct"}}


@pytest.fixture
def viewer(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_user(username="ada", role=Role.VIEWER))
    return client


def post(client: Client, body: Any) -> Any:
    return client.post(URL, body, content_type="application/json")


def test_limits_of_the_example_keep_the_contract(viewer: Client) -> None:
    response = post(viewer, EXAMPLE)
    assert response.status_code == 200
    found = response.json()
    Draft202012Validator(LIMITS_ANSWER).validate(found)
    assert (found["id"], found["verdict"]) == (EXAMPLE["id"], "fits")
    # the model's own limit, max_position_embeddings of its config.json
    assert found["longest_context_tokens"] == 32_768
    assert found["limited_by"]["longest_context_tokens"]["code"] == "model_limit"
    assert found["most_users"] == 16
    assert found["limited_by"]["most_users"]["message"] == "max_num_seqs 16"
    assert (found["changes"], found["in_vain"]) == ([], [])


def test_setup_that_does_not_fit_is_told_what_would_help(viewer: Client) -> None:
    found = post(viewer, TOO_LARGE).json()
    Draft202012Validator(LIMITS_ANSWER).validate(found)
    first = found["changes"][0]
    assert (first["code"], first["change"], first["solves"]) == ("narrow_weights", {"weights": "fp8"}, True)
    assert first["gain"]["users"] == [None, 16]


def test_pair_names_both_of_its_halves(viewer: Client) -> None:
    asked = {**TOO_LARGE, "model": {"id": "Qwen/Qwen2.5-32B-Instruct"}}
    found = post(viewer, asked).json()
    Draft202012Validator(LIMITS_ANSWER).validate(found)
    pair = next(change for change in found["changes"] if change["code"] == "pair")
    assert pair["message"] == "fp8 KV cache and awq-int4 weights"
    assert pair["values"]["first"]["code"] == "narrow_cache"


def test_list_keeps_its_order_round_a_bad_request(viewer: Client) -> None:
    response = post(viewer, [EXAMPLE, {"id": "bad"}, TOO_LARGE])
    first, bad, last = response.json()
    assert (first["id"], bad["id"], last["id"]) == (EXAMPLE["id"], "bad", "large")
    Draft202012Validator(PROBLEM).validate(bad)
    assert bad["title"] == "The limits of this request cannot be found."


def test_bad_request_alone_is_problem_json(viewer: Client) -> None:
    response = post(viewer, {**EXAMPLE, "count": 3})
    assert (response.status_code, response["Content-Type"]) == (422, "application/problem+json")


@pytest.mark.parametrize(
    "asked",
    [
        {**EXAMPLE, "nodes": 2},
        {"id": "odd", "model": {"config": {"model_type": "nothing-known", "architectures": ["Odd"]}}},
    ],
)
def test_what_is_not_answered_yet_is_unsupported(viewer: Client, asked: dict[str, Any]) -> None:
    found = post(viewer, asked).json()
    Draft202012Validator(LIMITS_ANSWER).validate(found)
    assert (found["id"], found["verdict"], found["most_users"]) == (asked["id"], "unsupported", None)


def test_without_a_card_nothing_is_known(viewer: Client) -> None:
    found = post(viewer, {**EXAMPLE, "accelerator": None}).json()
    Draft202012Validator(LIMITS_ANSWER).validate(found)
    assert (found["verdict"], found["longest_context_tokens"]) == ("unknown", None)


def test_too_long_a_list_is_refused(viewer: Client) -> None:
    response = post(viewer, [EXAMPLE] * 101)
    assert response.status_code == 422
    assert response.json()["errors"][0]["code"] == "batch_too_long"


def test_command_answers_lines_and_counts_problems() -> None:
    text = json.dumps(EXAMPLE) + "\n{\n" + json.dumps(TOO_LARGE) + "\n"
    done = subprocess.run(
        [sys.executable, "manage.py", "limits", "--catalog", "shipped"],
        input=text.encode(),
        capture_output=True,
        cwd=ROOT,
        check=False,
    )
    first, bad, last = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 2
    assert (first["id"], last["id"]) == (EXAMPLE["id"], "large")
    assert bad["errors"][0]["code"] == "not_json"
