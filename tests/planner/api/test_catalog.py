"""The catalog by REST: lists, records, the team's own ones, If-Match and Idempotency-Key, and every wrong body."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from jsonschema import Draft202012Validator

from access.roles import Role
from access.scopes import Scope
from planner.actions.entries import map_accelerator
from planner.models import Accelerator, AcceleratorMapping
from planner.schemas import catalog as schemas
from tests.access.people import bearer, person, token_text
from tests.planner.browse.small import CARD, MODEL, own_card, small_catalog

API = "/api/v1/accelerators"
ONE = f"{API}/{CARD}"


@pytest.fixture(autouse=True)
def _catalog(db: None, tmp_path: Path) -> None:
    small_catalog(tmp_path)


@pytest.fixture
def script() -> Client:
    user = person(Role.OPERATOR)
    return bearer(token_text(user, Scope.CATALOG_READ, Scope.CATALOG_WRITE, Scope.ESTIMATES_READ))


@pytest.fixture
def reader() -> Client:
    return bearer(token_text(person(Role.VIEWER), Scope.CATALOG_READ))


def sent(client: Client, method: str, path: str, body: Any = None, **headers: str) -> Any:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.generic(
        method, path, "" if body is None else json.dumps(body), content_type="application/json", headers=named
    )


def codes(response: Any) -> list[tuple[str | None, str]]:
    return [(error["field"], error["code"]) for error in response.json()["errors"]]


FASTER = {"figures": {"bandwidth_gb_s": {"value": 600, "kind": "measured", "source": "stream test"}}}


@pytest.mark.parametrize(
    ("path", "schema", "first"),
    [
        ("accelerators", schemas.ACCELERATOR, "amd-mi300x"),
        ("platforms", schemas.PLATFORM, "dgx-a100-640gb"),
        ("models", schemas.MODEL_LISTED, MODEL),
        ("engines", schemas.ENGINE_LISTED, "llama.cpp"),
        ("schemes", schemas.SCHEME, "awq-int4"),
    ],
)
def test_list_is_as_its_schema_says(reader: Client, path: str, schema: dict[str, Any], first: str) -> None:
    body = reader.get(f"/api/v1/{path}").json()
    assert body["items"][0]["id"] == first
    for item in body["items"]:
        Draft202012Validator(schema).validate(item)


@pytest.mark.parametrize(
    ("path", "schema"),
    [
        (f"accelerators/{CARD}", schemas.ACCELERATOR),
        ("platforms/dgx-a100-640gb", schemas.PLATFORM),
        (f"models/{MODEL}", schemas.MODEL),
        ("engines/vllm", schemas.ENGINE),
        ("schemes/fp8", schemas.SCHEME),
    ],
)
def test_record_is_as_its_schema_says(reader: Client, path: str, schema: dict[str, Any]) -> None:
    response = reader.get(f"/api/v1/{path}")
    assert response.status_code == 200
    Draft202012Validator(schema).validate(response.json())
    assert reader.get(f"/api/v1/{path}-not").status_code == 404


def test_list_is_paged_by_cursor(reader: Client) -> None:
    seen, address = [], f"{API}?limit=2"
    while address:
        body = reader.get(address).json()
        seen += [item["id"] for item in body["items"]]
        address = body["next"]
    assert seen == sorted(seen)
    assert len(seen) == 5


def test_list_is_filtered_and_refuses_a_filter_that_cannot_be(reader: Client) -> None:
    items = reader.get(f"{API}?min_bandwidth=3000&vendor=NVIDIA").json()["items"]
    assert [item["id"] for item in items] == ["nvidia-h100-sxm5-80gb"]
    response = reader.get(f"{API}?accelerator_class=toaster")
    assert (response.status_code, codes(response)) == (422, [("accelerator_class", "invalid_choice")])


def test_list_costs_the_same_whatever_is_in_it(script: Client, django_assert_num_queries: Any) -> None:
    script.get(API)
    with CaptureQueriesContext(connection) as before:
        script.get(API)
    number = len(before)
    sent(script, "POST", API, own_card())
    with django_assert_num_queries(number):
        script.get(API)


def test_model_has_its_bytes(reader: Client) -> None:
    body = reader.get(f"/api/v1/models/{MODEL}").json()
    # by hand: 28 layers, 4 KV heads of 128, K and V, two bytes
    assert body["kv_bytes_per_token"][0]["bytes"] == 57_344
    assert body["tensor_parallel"] == [1, 2, 4]
    published = [weights for weights in body["weights"] if weights["as_published"]]
    # 7,615,616,512 parameters as published, two bytes each
    assert published == [
        {
            "scheme": "bf16",
            "as_published": True,
            "bytes": 15_231_233_024,
            "engines": ["sglang", "tensorrt-llm", "vllm"],
        }
    ]


def test_own_card_is_added_once_however_often_it_is_sent(script: Client) -> None:
    first = sent(script, "POST", API, own_card(), Idempotency_Key="a")
    again = sent(script, "POST", API, own_card(), Idempotency_Key="a")
    assert (first.status_code, first["ETag"], first.json()["origin"]) == (201, '"1"', "own")
    assert again.json() == first.json()
    Draft202012Validator(schemas.ACCELERATOR).validate(first.json())
    other = sent(script, "POST", API, own_card(), Idempotency_Key="b")
    assert (other.status_code, other.json()["code"]) == (409, "exists_already")


def test_examples_of_the_documentation_are_taken(script: Client) -> None:
    assert sent(script, "POST", API, schemas.EXAMPLE_CARD).status_code == 201
    assert sent(script, "PATCH", ONE, schemas.EXAMPLE_CHANGE, If_Match='"1"').status_code == 200
    body = {**schemas.EXAMPLE_PLATFORM, "accelerators": [{"id": CARD, "count": 8}]}
    assert sent(script, "POST", "/api/v1/platforms", body).status_code == 201


def test_change_is_felt_by_estimates_and_reset_takes_it_back(script: Client) -> None:
    request = {
        "model": {"id": MODEL},
        "accelerator": CARD,
        "engine": {"name": "vllm"},
        "settings": {"max_model_len": 4096},
        "workload": {"input_tokens": 512, "output_tokens": 128, "concurrency": 1},
    }

    def tpot() -> float:
        return float(sent(script, "POST", "/api/v1/estimates", request).json()["speed"]["tpot_ms"])

    before = tpot()
    changed = sent(script, "PATCH", ONE, FASTER, If_Match='"1"')
    assert (changed.status_code, changed["ETag"], changed.json()["origin"]) == (200, '"2"', "edited")
    assert changed.json()["figures"]["bandwidth_gb_s"]["shipped"]["value"] == 300
    assert tpot() < 0.7 * before
    reset = sent(script, "DELETE", ONE, If_Match='"2"')
    assert (reset.status_code, reset.json()["origin"]) == (200, "shipped")
    assert tpot() == before


@pytest.mark.parametrize("method", ["PATCH", "PUT", "DELETE"])
def test_write_names_the_revision_it_starts_from(script: Client, method: str) -> None:
    body = None if method == "DELETE" else FASTER
    assert sent(script, method, ONE, body).status_code == 428
    stale = sent(script, method, ONE, body, If_Match='"9"')
    assert (stale.status_code, stale["ETag"], stale.json()["code"]) == (412, '"1"', "changed_meanwhile")


def test_whole_statement_brings_a_retired_card_back(script: Client) -> None:
    sent(script, "POST", API, own_card())
    path = f"{API}/acme-x1-48gb"
    gone = sent(script, "DELETE", path, If_Match='"1"')
    assert gone.json()["retired"] is True
    assert [item["id"] for item in script.get(f"{API}?origin=retired").json()["items"]] == ["acme-x1-48gb"]
    back = sent(script, "PUT", path, own_card(name="Acme X1 again"), If_Match='"2"')
    assert (back.json()["retired"], back.json()["name"]) == (False, "Acme X1 again")


def test_card_that_something_names_is_not_retired(script: Client) -> None:
    sent(script, "POST", API, own_card())
    map_accelerator(
        "X1", Accelerator.objects.get(key="acme-x1-48gb"), actor=person(Role.OPERATOR, name="two")
    )
    response = sent(script, "DELETE", f"{API}/acme-x1-48gb", If_Match='"1"')
    assert (response.status_code, response.json()["code"], response.json()["detail"]) == (
        409,
        "in_use",
        "mapping X1",
    )


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ([], [(None, "wrong_type")]),
        ("text", [(None, "wrong_type")]),
        (own_card(id="Not An Id"), [("id", "malformed")]),
        (own_card(id="compare"), [("id", "malformed")]),
        (own_card(id=None), [("id", "malformed")]),
        (own_card(colour=1), [("colour", "unknown_field")]),
        (own_card(figures={}), [("figures.memory_gib", "missing")]),
    ],
)
def test_wrong_body_is_refused_field_by_field(
    script: Client, body: Any, expected: list[tuple[str, str]]
) -> None:
    response = sent(script, "POST", API, body)
    assert (response.status_code, codes(response)) == (422, expected)
    assert Accelerator.objects.count() == 5


def test_reader_writes_nothing(reader: Client) -> None:
    for method, path in (("POST", API), ("PATCH", ONE), ("PUT", ONE), ("DELETE", ONE)):
        assert sent(reader, method, path, FASTER, If_Match='"1"').status_code == 403
    assert sent(reader, "POST", "/api/v1/accelerator-names", {}).status_code == 403


def test_model_is_stated_and_reset(script: Client) -> None:
    path = f"/api/v1/models/{MODEL}"
    body = {
        "max_context_tokens": {"value": 65_536, "kind": "measured", "source": "needle test"},
        "notes": "ours",
    }
    changed = sent(script, "PATCH", path, body, If_Match='"1"')
    assert changed.status_code == 200
    assert (changed.json()["max_context_tokens"]["value"], changed.json()["notes"]) == (65_536, "ours")
    assert changed.json()["edited_fields"] == ["context"]
    partly = sent(script, "PATCH", path, {"max_context_tokens": None}, If_Match='"2"').json()
    assert (partly["max_context_tokens"]["value"], partly["notes"]) == (32_768, "ours")
    reset = sent(script, "DELETE", path, If_Match='"3"').json()
    assert (reset["origin"], reset["notes"]) == ("shipped", None)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ([], None),
        ({"shape": {}}, "shape"),
        ({"max_context_tokens": 5}, "max_context_tokens"),
        ({"max_context_tokens": {"value": 0, "kind": "measured", "source": "x"}}, "max_context_tokens.value"),
        ({"max_context_tokens": {"value": 5, "kind": [], "source": "x"}}, "max_context_tokens.kind"),
        ({"max_context_tokens": {"value": 5, "kind": "measured", "source": 4}}, "max_context_tokens.source"),
        ({"engines": []}, "engines"),
        ({"engines": {"vllm": "sometimes"}}, "engines.vllm"),
        ({"engines": {"vllm": {}}}, "engines.vllm"),
        ({"engines": {"ollama": "native"}}, "engines.ollama"),
        ({"engines": {"vllm": "absent"}, "engines_source": 3}, "engines_source"),
        ({"notes": 3}, "notes"),
    ],
)
def test_wrong_word_of_a_model_is_named(script: Client, body: Any, field: str | None) -> None:
    response = sent(script, "PATCH", f"/api/v1/models/{MODEL}", body, If_Match='"1"')
    assert (response.status_code, [name for name, _code in codes(response)]) == (422, [field])


def test_reported_name_is_added_changed_and_removed(script: Client) -> None:
    made = sent(script, "POST", "/api/v1/accelerator-names", {"name": "Secret  Board", "accelerator": CARD})
    Draft202012Validator(schemas.REPORTED).validate(made.json())
    assert (made.status_code, made.json()["name"], made["ETag"]) == (201, "Secret Board", '"1"')
    path = f"/api/v1/accelerator-names/{made.json()['id']}"
    assert script.get(path).json() == made.json()
    assert sent(script, "PATCH", path, {"accelerator": "amd-mi300x"}).status_code == 428
    changed = sent(script, "PATCH", path, {"accelerator": "amd-mi300x"}, If_Match='"1"')
    assert (changed.json()["accelerator"], changed["ETag"]) == ("amd-mi300x", '"2"')
    assert sent(script, "DELETE", path, If_Match='"1"').status_code == 412
    assert sent(script, "DELETE", path, If_Match='"2"').status_code == 204
    assert not AcceleratorMapping.objects.exists()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, [(None, "wrong_type")]),
        ({"name": 3, "accelerator": CARD}, [(None, "wrong_type")]),
        ({"name": "NVIDIA L4", "accelerator": "amd-mi300x"}, [("name", "invalid")]),
        ({"name": "X", "accelerator": "nothing"}, [("accelerator", "invalid")]),
    ],
)
def test_wrong_name_is_refused(script: Client, body: Any, expected: list[tuple[str | None, str]]) -> None:
    response = sent(script, "POST", "/api/v1/accelerator-names", body)
    assert (response.status_code, codes(response)) == (422, expected)
