"""A program brings in a model."""

import base64
import json
from typing import Any

import pytest
from django.test import Client

from access.roles import Role
from access.scopes import Scope
from planner.actions.catalog import sync_catalog
from planner.models import ModelImport, ModelShape
from tests.access.answering import ALLOWED, answering
from tests.access.people import bearer, person, token_text
from tests.planner.core.checkpoint.files import LLAMA_CONFIG, llama_tensors, safetensors_header
from tests.planner.imports.hub import COMMIT, MODEL, as_hugging_face, hub_at, llama_files

PATH = "/api/v1/model-imports"
HEADER = base64.b64encode(safetensors_header(llama_tensors())).decode()
pytestmark = pytest.mark.django_db


@pytest.fixture
def script() -> Client:
    sync_catalog()
    return bearer(token_text(person(Role.OPERATOR), Scope.CATALOG_READ, Scope.CATALOG_WRITE))


def sent(client: Client, **headers: str) -> Any:
    """A function that sends a body and answers with the status and what was said."""

    def send(body: Any) -> tuple[int, Any]:
        answer = client.post(PATH, json.dumps(body), content_type="application/json", headers=headers)
        return answer.status_code, answer.json()

    return send


def errors(answer: tuple[int, Any]) -> list[tuple[str | None, str]]:
    status, said = answer
    assert status == 422, said
    return [(item["field"], item["code"]) for item in said["errors"]]


def test_model_is_created_with_its_exact_bytes(script: Client) -> None:
    status, said = sent(script)(
        {"id": "team/tiny", "config": LLAMA_CONFIG, "headers": {"model.safetensors": HEADER}}
    )
    assert (status, said["outcome"], said["revision"]) == (201, "created", 1)
    # By hand: see tests/planner/core/checkpoint/test_understand.py
    assert (said["parameters"], said["total_bytes"], said["bytes_from"]) == (1_705_216, 3_410_432, "headers")
    assert said["parts"]["linear"] == {"weights": 1_179_648, "bytes": 2_359_296}
    # 2 layers, K and V, 2 heads of 64 in two bytes
    assert said["kv_bytes_per_token"] == 2 * 2 * 2 * 64 * 2
    assert said["remarks"] == []
    listed = script.get(PATH).json()["items"]
    assert [(row["model"], row["origin"], row["imported_by"]) for row in listed] == [
        ("team/tiny", "paste", "operator")
    ]
    assert script.get("/api/v1/models/team/tiny").status_code == 200


def test_same_again_changes_nothing_and_other_figures_need_the_revision(script: Client) -> None:
    send, body = sent(script), {"id": "team/tiny", "config": LLAMA_CONFIG}
    assert send(body)[0] == 201
    assert send(body)[1]["outcome"] == "unchanged"
    longer = {**body, "config": {**LLAMA_CONFIG, "max_position_embeddings": 8192}}
    assert (send(longer)[0], send(longer)[1]["code"]) == (409, "exists_already")
    assert send({**longer, "revision": 9})[0] == 412
    status, said = send({**longer, "revision": 1})
    assert (status, said["outcome"], said["revision"], said["context_tokens"]) == (200, "updated", 2, 8192)
    assert ModelImport.objects.count() == 2


def test_looking_keeps_nothing(script: Client) -> None:
    status, said = sent(script)({"config": LLAMA_CONFIG, "keep": False})
    assert (status, said["outcome"], said["id"], said["revision"]) == (200, "looked", "own/llama", None)
    assert not ModelShape.objects.filter(shipped__isnull=True).exists()


def test_key_that_is_repeated_gets_the_first_answer(script: Client) -> None:
    send = sent(script, **{"Idempotency-Key": "once"})
    body = {"id": "team/tiny", "config": LLAMA_CONFIG}
    assert send(body) == send(body)
    assert ModelImport.objects.count() == 1


def test_model_of_a_hub(script: Client, settings: Any) -> None:
    settings.OUTGOING_ALLOWED = ALLOWED
    with answering(as_hugging_face(llama_files())) as host:
        hub = hub_at(host.url, token="hf_open-sesame")
        status, said = sent(script)({"hub": {"id": hub.uid, "model": MODEL}})
        refused = sent(script)({"hub": {"id": hub.uid, "model": "team/other"}})
    assert (status, said["id"], said["origin"], said["commit"]) == (201, MODEL, "huggingface", COMMIT)
    assert errors(refused) == [("hub.model", "hub_no_model")]
    assert "sesame" not in str(said) + str(refused)


def test_hub_that_cannot_be_called_is_told(script: Client) -> None:
    hub = hub_at("http://127.0.0.1:9")
    assert errors(sent(script)({"hub": {"id": hub.uid, "model": MODEL}})) == [("hub", "hub_not_allowed")]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ([], [(None, "wrong_type")]),
        ({}, [("config", "files_or_hub")]),
        ({"config": LLAMA_CONFIG, "hub": {"id": "a", "model": "b"}}, [("config", "files_or_hub")]),
        ({"config": LLAMA_CONFIG, "other": 1}, [("other", "unknown_field")]),
        ({"config": [], "revision": True, "keep": 1}, [("config", "wrong_type"), ("keep", "wrong_type"), ("revision", "wrong_type")]),
        ({"hub": {"model": 7}}, [("hub.id", "missing"), ("hub.model", "wrong_type")]),
        ({"hub": {"id": "none", "model": "a/b"}}, [("hub.id", "hub_unknown")]),
        ({"headers": {"a.safetensors": "not base64!"}}, [("headers", "not_base64")]),
        ({"headers": {"a.safetensors": "AAAA"}}, [("headers", "header_cut")]),
        ({"headers": {"a.safetensors": HEADER}}, [("config", "config_not_given")]),
        ({"config": {"model_type": "bert"}}, [("config", "encoder_only")]),
        ({"id": "Qwen/Qwen3-8B", "config": LLAMA_CONFIG}, [("id", "name_shipped")]),
        ({"id": "one", "config": LLAMA_CONFIG}, [("id", "name_invalid")]),
        ({"config": LLAMA_CONFIG, "index": {"weight_map": {}}}, [("index", "not_an_index")]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(script: Client, body: Any, said: list[tuple[str | None, str]]) -> None:
    assert errors(sent(script)(body)) == said
    assert ModelImport.objects.count() == 0


def test_reading_needs_another_scope_than_writing() -> None:
    sync_catalog()
    reader = bearer(token_text(person(Role.OPERATOR), Scope.CATALOG_READ))
    assert reader.get(PATH).status_code == 200
    assert sent(reader)({"config": LLAMA_CONFIG})[0] == 403


def test_list_costs_the_same_whatever_its_length(script: Client, django_assert_max_num_queries: Any) -> None:
    send = sent(script)
    for place in range(12):
        send({"id": f"team/tiny{place}", "config": LLAMA_CONFIG})
    with django_assert_max_num_queries(9):
        assert len(script.get(PATH).json()["items"]) == 12
