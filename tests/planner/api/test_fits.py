"""POST /api/v1/fits and manage.py fits: every model for the cards at hand, and bad questions by their field."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from jsonschema import Draft202012Validator

from access.models import Role, User
from planner.schemas import PROBLEM
from planner.schemas.fits import FITS_ANSWER, FITS_EXAMPLE

URL = "/api/v1/fits"
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def viewer(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_user(username="ada", role=Role.VIEWER))
    return client


def post(client: Client, body: Any, url: str = URL) -> Any:
    return client.post(url, body, content_type="application/json")


def test_cards_are_answered_with_every_model(viewer: Client) -> None:
    found = post(viewer, FITS_EXAMPLE).json()
    Draft202012Validator(FITS_ANSWER).validate(found)
    assert found["id"] == FITS_EXAMPLE["id"]
    assert sum(found["counts"].values()) == len(found["models"])
    by_id = {item["model"]: item for item in found["models"]}
    # 2 × 24 GB: 29.5 GB of bf16 weights fit, 141 GB only at four bits, 1.3 TB never
    assert by_id["Qwen/Qwen2.5-14B-Instruct"]["group"] == "as_published"
    assert by_id["meta-llama/Llama-3.3-70B-Instruct"]["group"] == "quantized"
    assert by_id["deepseek-ai/DeepSeek-R1"]["group"] == "too_large"
    assert by_id["deepseek-ai/DeepSeek-R1"]["figures"]["spare_gib"] < 0


def test_request_of_a_model_gives_its_figures(viewer: Client) -> None:
    models = post(viewer, FITS_EXAMPLE).json()["models"]
    for item in [model for model in models if model["verdict"] == "fits"][::25]:
        answer = post(viewer, item["request"], "/api/v1/estimates").json()
        assert answer["speed"]["tpot_ms"] == item["figures"]["tpot_ms"]
        limits = post(viewer, item["request"], "/api/v1/limits").json()
        assert limits["longest_context_tokens"] == item["longest_context_tokens"]
        assert limits["most_users_by_cache"] == item["most_users"]


@pytest.mark.parametrize(
    ("change", "field", "code"),
    [
        ({"accelerator": None}, "accelerator", "missing"),
        ({"workload": None}, "workload", "missing"),
        ({"accelerator": "none-such"}, "accelerator", "unknown_accelerator"),
        ({"count": 0}, "count", "out_of_range"),
        ({"count": 65}, "count", "out_of_range"),
        ({"count": True}, "count", "wrong_type"),
        ({"model": {"id": "x"}}, "model", "unknown_field"),
        ({"settings": {}}, "settings", "unknown_field"),
        ({"workload": {"input_tokens": 1}}, "workload.output_tokens", "missing"),
    ],
)
def test_bad_question_is_named_at_its_field(
    viewer: Client, change: dict[str, Any], field: str, code: str
) -> None:
    response = post(viewer, {**FITS_EXAMPLE, **change})
    assert (response.status_code, response["Content-Type"]) == (422, "application/problem+json")
    assert (field, code) in [(item["field"], item["code"]) for item in response.json()["errors"]]


@pytest.mark.parametrize("body", [5, "text", None])
def test_question_that_is_no_object_is_a_problem(viewer: Client, body: Any) -> None:
    response = post(viewer, json.dumps(body))
    assert response.status_code == 422
    Draft202012Validator(PROBLEM).validate(response.json())


def test_command_answers_lines(tmp_path: Path) -> None:
    lines = tmp_path / "cards.jsonl"
    lines.write_text(json.dumps(FITS_EXAMPLE) + "\n" + json.dumps({"id": "bad"}) + "\n")
    done = subprocess.run(
        [sys.executable, "manage.py", "fits", "--catalog", "shipped", str(lines)],
        capture_output=True,
        cwd=ROOT,
        check=False,
    )
    first, bad = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, first["id"], bad["id"]) == (2, FITS_EXAMPLE["id"], "bad")
