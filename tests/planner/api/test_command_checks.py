"""POST /api/v1/command-checks and manage.py check_command: the same objects, words beside the codes, problem JSON."""

import json
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.test import Client, override_settings
from jsonschema import Draft202012Validator

from access.models import Role, User
from planner.answers.command_checks import answer
from planner.catalog import load_shipped
from planner.messages import REASONS
from planner.messages.check import CHECK_PROBLEMS
from planner.schemas import PROBLEM
from planner.schemas.check import CHECK_ANSWER, EXAMPLE_CHECK
from tests.planner.core.check.test_launch_commands import CASES

URL = "/api/v1/command-checks"
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def viewer(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_user(username="ada", role=Role.VIEWER))
    return client


def post(client: Client, body: Any) -> Any:
    return client.post(URL, body, content_type="application/json")


def asked(case: dict[str, Any]) -> dict[str, Any]:
    names = ("id", "command", "engine", "version", "model", "count", "ports_in_use")
    return {name: case[name] for name in names if case.get(name) is not None} | {"accelerator": case["card"]}


def test_example_keeps_the_contract(viewer: Client) -> None:
    response = post(viewer, EXAMPLE_CHECK)
    assert response.status_code == 200
    found = response.json()
    Draft202012Validator(CHECK_ANSWER).validate(found)
    assert (found["id"], found["valid"]) == ("chat", False)
    # the value of vLLM 0.32.0 for INT8, by its own help text
    assert [(item["flag"], item["fix"]) for item in found["problems"]] == [
        ("--kv-cache-dtype", "--kv-cache-dtype int8_per_token_head")
    ]
    assert found["mended_command"] == EXAMPLE_CHECK["command"].replace("int8", "int8_per_token_head")


def test_every_case_keeps_the_contract_and_says_every_problem_in_words() -> None:
    validator = Draft202012Validator(CHECK_ANSWER)
    for found in answer([asked(case) for case in CASES], catalog=load_shipped()):
        validator.validate(found)
        for item in found["problems"]:
            assert "?" not in item["message"].replace("Did you mean", "").rstrip("?")
            assert item["message"] != item["code"]


def test_every_code_of_the_core_has_words() -> None:
    source = "".join(path.read_text() for path in sorted((ROOT / "planner" / "core" / "check").glob("*.py")))
    codes = {part.partition('"')[0] for part in source.split('code="')[1:]}
    assert codes - set(CHECK_PROBLEMS) - set(REASONS) == set()


def test_list_is_answered_in_its_order_with_problems_in_place(viewer: Client) -> None:
    found = post(viewer, [{"id": "a", "command": "vllm serve Qwen/Qwen3-8B"}, {"id": "b"}, 7]).json()
    assert [item.get("id") for item in found] == ["a", "b", None]
    assert [item.get("errors", [{}])[0].get("field") for item in found[1:]] == ["command", None]
    Draft202012Validator(PROBLEM).validate(found[1])


@pytest.mark.parametrize(
    ("body", "field", "code"),
    [
        ({"command": ""}, "command", "missing"),
        ({"command": 5}, "command", "wrong_type"),
        ({"command": "a" * 16_001}, "command", "too_long"),
        ({"command": "a", "engine": "ollama"}, "engine", "unknown_engine"),
        ({"command": "a", "version": 3}, "version", "wrong_type"),
        ({"command": "a", "count": 0}, "count", "out_of_range"),
        ({"command": "a", "count": "two"}, "count", "wrong_type"),
        ({"command": "a", "ports_in_use": 8000}, "ports_in_use", "wrong_type"),
        ({"command": "a", "ports_in_use": [0]}, "ports_in_use", "out_of_range"),
        ({"command": "a", "comand": "b"}, "comand", "unknown_field"),
    ],
)
def test_bad_input_is_a_problem_with_its_field(
    viewer: Client, body: dict[str, Any], field: str, code: str
) -> None:
    response = post(viewer, body)
    assert (response.status_code, response["Content-Type"]) == (422, "application/problem+json")
    assert [(item["field"], item["code"]) for item in response.json()["errors"]] == [(field, code)]


@override_settings(CHECKS_PER_CALL=2)
def test_more_than_the_limit_is_refused(viewer: Client) -> None:
    assert post(viewer, [EXAMPLE_CHECK] * 3).json()["errors"][0]["code"] == "batch_too_long"


def test_nothing_pasted_is_logged_or_kept(viewer: Client, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    secret = "sk-nobody-may-read-this"
    found = post(viewer, {"command": f"vllm serve Qwen/Qwen3-8B --api-key {secret} --foo"}).json()
    assert found["valid"] is False
    assert secret not in caplog.text
    assert secret not in json.dumps(found["flags"])


def test_command_line_reads_lines_and_says_how_many_were_bad(tmp_path: Path) -> None:
    lines = tmp_path / "commands.jsonl"
    marker = tmp_path / "run"
    lines.write_text(
        json.dumps({"id": "a", "command": f"vllm serve Qwen/Qwen3-8B --port 8000; touch {marker}"})
        + "\n"
        + json.dumps({"id": "b", "command": f"vllm serve $(touch {marker})"})
        + "\nnot json\n"
    )
    run = subprocess.run(
        [sys.executable, "manage.py", "check_command", "--catalog", "shipped", str(lines)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    found = [json.loads(line) for line in run.stdout.splitlines()]
    assert (run.returncode, [item["id"] for item in found]) == (2, ["a", "b", None])
    assert found[0]["valid"] is True
    assert not marker.exists()
