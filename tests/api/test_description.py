"""The description is valid OpenAPI 3.1 and leaves nothing unsaid: words, rights, examples, problems, headers, pages."""

from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from access.scopes import Scope
from tests.api.described import Operation, described, faults, operations
from tests.api.shown import said
from tests.api.world import World

ALL = list(operations())
each = pytest.mark.parametrize("operation", ALL, ids=lambda operation: operation.name)


def test_description_is_openapi_3_1() -> None:
    assert described()["openapi"].startswith("3.1.")
    assert list(OpenAPIV31SpecValidator(described()).iter_errors()) == []


def test_operations_have_names_of_their_own() -> None:
    names = [operation.spec["operationId"] for operation in ALL]
    assert len(names) == len(set(names))
    assert all(name.isidentifier() for name in names)


@each
def test_words_and_rights(operation: Operation) -> None:
    assert operation.spec["summary"]
    assert len(operation.spec["tags"]) == 1
    scheme, session = operation.spec["security"]
    [scope] = scheme["token"]
    assert scope in Scope
    assert session == {"cookieAuth": [scope]}
    for where in ("query", "header"):
        assert all(item.get("description") for item in operation.parameters(where).values())
    assert all(answer["description"] for answer in operation.spec["responses"].values())


@each
def test_problems_follow_from_how_it_is_called(operation: Operation) -> None:
    asked = {"401", "403", "429"}
    headers = operation.parameters("header")
    if operation.body is not None:
        asked |= {"400", "413", "415", "422"}
    if "Idempotency-Key" in headers:
        asked |= {"400", "409", "422"}
    if "If-Match" in headers:
        asked |= {"412", "428"}
    if operation.parameters("path"):
        asked |= {"404"}
    responses = operation.spec["responses"]
    assert asked - set(responses) == set()
    for status, answer in responses.items():
        if status.startswith("4"):
            [(kind, media)] = answer["content"].items()
            assert kind == "application/problem+json"
            assert faults(operation, int(status), kind, media["example"]) == []
    assert "Retry-After" in responses["429"]["headers"]


@each
def test_bodies_are_shown(operation: Operation) -> None:
    if operation.body is None:
        return
    schema = {**operation.body["schema"], "components": described()["components"]}
    assert operation.examples()
    for body in operation.examples():
        assert [error.message for error in Draft202012Validator(schema).iter_errors(body)] == []


@each
def test_answers_are_shown(operation: Operation) -> None:
    for status, answer in operation.spec["responses"].items():
        media = answer.get("content", {}).get("application/json")
        if status.startswith("2") and media is not None:
            assert faults(operation, int(status), "application/json", media["example"]) == []


@each
def test_lists_have_pages_and_writes_may_be_repeated(operation: Operation) -> None:
    answers = operation.spec["responses"]
    page = answers.get("200", {}).get("content", {}).get("application/json", {}).get("schema", {})
    if operation.method == "get" and "items" in page.get("properties", {}) and "next" in page["properties"]:
        assert {"cursor", "limit"} <= set(operation.parameters("query"))
    if operation.writes and operation.method == "post":
        assert "Idempotency-Key" in operation.parameters("header")
    if operation.writes and operation.method in ("put", "patch"):
        assert operation.parameters("header")["If-Match"]["required"]


def test_examples_are_answered_as_described(world: World, subtests: Any) -> None:
    """What the description shows can be sent as it stands."""
    for operation in ALL:
        with subtests.test(operation.name):
            answer = said(operation, world)
            assert answer.status_code < 300, answer.content
            kind = answer.headers.get("Content-Type", "")
            value = answer.json() if "json" in kind else None
            assert faults(operation, answer.status_code, kind, value) == []


def test_documentation_names_every_kind_of_call(root: Path) -> None:
    text = (root / "docs" / "api.md").read_text(encoding="utf-8")
    kinds = {operation.path.split("/")[3] for operation in ALL}
    assert {kind for kind in kinds if kind not in text} == set()
