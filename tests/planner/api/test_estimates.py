"""POST /api/v1/estimates: the same objects as the command, errors as problem JSON."""

from typing import Any

import pytest
from django.test import Client
from jsonschema import Draft202012Validator

from access.models import Role, User
from planner.schemas import ANSWER, EXAMPLE, PROBLEM

URL = "/api/v1/estimates"

pytestmark = pytest.mark.django_db


@pytest.fixture
def viewer() -> Client:
    user = User.objects.create_user(username="ada", password="correct horse", role=Role.VIEWER)
    client = Client()
    client.force_login(user)
    return client


def post(client: Client, body: Any) -> Any:
    return client.post(URL, body, content_type="application/json")


def test_estimate_of_one_object_is_one_answer(viewer: Client) -> None:
    response = post(viewer, EXAMPLE)
    assert response.status_code == 200
    Draft202012Validator(ANSWER).validate(response.json())
    assert response.json()["verdict"] == "fits"


def test_estimate_of_a_list_keeps_order_and_answers_round_a_bad_one(viewer: Client) -> None:
    response = post(viewer, [EXAMPLE, {"id": "bad"}, {**EXAMPLE, "id": "c"}])
    assert response.status_code == 200
    first, bad, last = response.json()
    assert (first["id"], bad["id"], last["id"]) == (EXAMPLE["id"], "bad", "c")
    Draft202012Validator(PROBLEM).validate(bad)


def test_bad_request_is_problem_json_that_names_the_field(viewer: Client) -> None:
    response = post(viewer, {**EXAMPLE, "weights": "int3"})
    assert (response.status_code, response["Content-Type"]) == (422, "application/problem+json")
    assert [(item["field"], item["code"]) for item in response.json()["errors"]] == [
        ("weights", "unknown_scheme")
    ]


def test_empty_body_names_the_missing_model(viewer: Client) -> None:
    response = post(viewer, "")
    assert (response.status_code, response["Content-Type"]) == (422, "application/problem+json")
    assert [(item["field"], item["code"]) for item in response.json()["errors"]] == [("model", "missing")]


@pytest.mark.parametrize("body", ["{", "nul", '{"a": NaN}', "[" * 100_000, "9" * 10_000])
def test_body_that_is_not_json_is_a_400(viewer: Client, body: str) -> None:
    response = post(viewer, body)
    assert (response.status_code, response["Content-Type"]) == (400, "application/problem+json")


def test_empty_list_is_refused(viewer: Client) -> None:
    assert post(viewer, []).json()["errors"][0]["code"] == "batch_empty"


def test_too_long_list_is_refused(viewer: Client, settings: Any) -> None:
    settings.ESTIMATES_PER_CALL = 2
    assert post(viewer, [EXAMPLE] * 3).json()["errors"][0]["code"] == "batch_too_long"


def test_nobody_gets_no_estimate() -> None:
    response = post(Client(), EXAMPLE)
    assert (response.status_code, response["Content-Type"]) == (401, "application/problem+json")


def test_html_in_an_id_comes_back_as_data(viewer: Client) -> None:
    response = post(viewer, {**EXAMPLE, "id": "<script>alert('é')</script>"})
    assert response["Content-Type"] == "application/json"
    assert response.json()["id"] == "<script>alert('é')</script>"
