"""POST /api/v1/costs, and the team's assumptions by GET and PUT with If-Match."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from jsonschema import Draft202012Validator

from access.models import AuditEvent
from access.roles import Role
from planner.models import TeamSettings
from planner.schemas import PROBLEM
from planner.schemas.costs import ASSUMPTIONS_ANSWER, COST_ANSWER, COST_EXAMPLE, COST_REQUEST, NEW_ASSUMPTIONS
from tests.access.people import person, signed_in

COSTS, ASSUMPTIONS = "/api/v1/costs", "/api/v1/cost-assumptions"
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def operator(db: None) -> Client:
    return signed_in(person(Role.OPERATOR))


def post(client: Client, body: Any) -> Any:
    return client.post(COSTS, body, content_type="application/json")


def put(client: Client, body: Any, revision: int | None = 1) -> Any:
    headers = {} if revision is None else {"If-Match": f'"{revision}"'}
    return client.put(ASSUMPTIONS, body, content_type="application/json", headers=headers)


def test_example_keeps_the_contract(operator: Client) -> None:
    Draft202012Validator(COST_REQUEST).validate(COST_EXAMPLE)
    response = post(operator, COST_EXAMPLE)
    assert response.status_code == 200
    found = response.json()
    Draft202012Validator(COST_ANSWER).validate(found)
    # 18,000, a fifth for the server, a twentieth each for network and spares
    assert found["purchase"]["total"] == 18_000 * 1.3
    assert found["currency"] == "CNY"


def test_list_is_answered_in_its_order_and_a_bad_one_is_a_problem(operator: Client) -> None:
    first, bad = post(operator, [COST_EXAMPLE, {"id": "b"}]).json()
    assert first["id"] == "chat-7b"
    Draft202012Validator(PROBLEM).validate(bad)
    assert bad["id"] == "b"
    assert post(operator, {"id": "b"}).status_code == 422


def test_load_next_to_nothing_has_no_cost_per_token(operator: Client) -> None:
    response = post(operator, {**COST_EXAMPLE, "load": {"hours_per_day": 1e-320}})
    assert response.status_code == 200
    assert response.json()["per_million_output_tokens"]["at_load"] is None


def test_list_is_bounded(operator: Client) -> None:
    assert post(operator, [COST_EXAMPLE] * 101).json()["errors"][0]["code"] == "batch_too_long"


def test_assumptions_are_read_set_and_named(operator: Client) -> None:
    response = operator.get(ASSUMPTIONS)
    assert (response.status_code, response["ETag"]) == (200, '"1"')
    Draft202012Validator(ASSUMPTIONS_ANSWER).validate(response.json())
    body = {
        "currency": "CNY",
        "assumptions": {"tariff_per_kwh": {"value": 0.75, "source": "the bill"}, "pue": 1.3},
    }
    Draft202012Validator(NEW_ASSUMPTIONS).validate(body)
    response = put(operator, body)
    assert (response.status_code, response["ETag"]) == (200, '"2"')
    found = {item["name"]: item for item in response.json()["assumptions"]}
    assert (found["tariff_per_kwh"]["value"], found["tariff_per_kwh"]["by"]) == (0.75, "team")
    assert found["tariff_per_kwh"]["source"] == "the bill"
    assert (found["pue"]["value"], found["pue"]["default"]) == (1.3, 1.5)
    # ours is 40 dollars, at the shipped rate of 7.1
    assert (found["hourly_rate"]["value"], found["hourly_rate"]["by"]) == (284, "default")
    event = AuditEvent.objects.get(action="team.change")
    assert event.data["after"]["currency"] == "CNY"


def test_what_is_not_named_has_its_default_again(operator: Client) -> None:
    put(operator, {"assumptions": {"pue": 1.3}})
    put(operator, {"assumptions": {"hourly_rate": None}}, revision=2)
    assert TeamSettings.objects.get().cost == {}


def test_change_of_an_older_revision_is_refused(operator: Client) -> None:
    put(operator, {"assumptions": {"pue": 1.3}})
    late = put(operator, {"assumptions": {"pue": 1.9}})
    assert (late.status_code, late["ETag"]) == (412, '"2"')
    assert put(operator, {}, revision=None).status_code == 428
    assert TeamSettings.objects.get().cost["pue"]["value"] == 1.3


@pytest.mark.parametrize(
    ("body", "field", "code"),
    [
        ([], None, "wrong_type"),
        ({"currency": "XXX"}, "currency", "unknown_currency"),
        ({"currency": "KRW"}, "currency", "rate_missing"),
        ({"assumptions": []}, "assumptions", "wrong_type"),
        ({"assumptions": {"pue": 0.5}}, "assumptions.pue", "out_of_range"),
        ({"assumptions": {"pue": "high"}}, "assumptions.pue", "wrong_type"),
        ({"assumptions": {"pue": {"source": "a"}}}, "assumptions.pue", "wrong_type"),
        ({"assumptions": {"pue": {"value": 1.2, "by": "me"}}}, "assumptions.pue.by", "unknown_field"),
        ({"assumptions": {"pue": {"value": 1.2, "source": "x" * 301}}}, "assumptions.pue.source", "too_long"),
        ({"assumptions": {"weather": 1}}, "assumptions.weather", "assumption_unknown"),
        ({"colour": 1}, "colour", "unknown_field"),
    ],
)
def test_assumptions_that_cannot_be_are_refused_by_field(
    operator: Client, body: Any, field: str | None, code: str
) -> None:
    response = put(operator, json.dumps(body))
    assert response.status_code == 422
    found = response.json()
    assert [(item["field"], item["code"]) for item in found["errors"]] == [(field, code)]
    assert not TeamSettings.objects.exists()


def test_viewer_reads_assumptions_and_may_not_set_them(db: None) -> None:
    viewer = signed_in(person(Role.VIEWER))
    assert viewer.get(ASSUMPTIONS).status_code == 200
    assert put(viewer, {"assumptions": {"pue": 1.3}}).status_code == 403
    assert post(viewer, COST_EXAMPLE).status_code == 200


def test_no_body_resets_nothing(operator: Client) -> None:
    put(operator, {"assumptions": {"pue": 1.3}})
    answer = operator.put(ASSUMPTIONS, headers={"If-Match": '"2"'})
    assert (answer.status_code, answer.json()["code"]) == (400, "parse_error")
    assert operator.get(ASSUMPTIONS)["ETag"] == '"2"'


def test_command_answers_lines_and_says_what_is_wrong_with_a_bad_one() -> None:
    lines = "\n".join([json.dumps(COST_EXAMPLE), "{"])
    done = subprocess.run(
        [sys.executable, "manage.py", "costs", "--catalog", "shipped"],
        input=lines.encode(),
        capture_output=True,
        cwd=ROOT,
        check=False,
    )
    first, bad = (json.loads(line) for line in done.stdout.decode().splitlines())
    assert done.returncode == 2
    Draft202012Validator(COST_ANSWER).validate(first)
    Draft202012Validator(PROBLEM).validate(bad)
