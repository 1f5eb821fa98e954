"""The page on which a model is brought in: read first, kept then, planned at once."""

import json
import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from access.models import AuditEvent
from access.roles import Role
from planner.actions.catalog import sync_catalog
from planner.models import ModelImport, ModelShape
from tests.access.people import person, signed_in
from tests.planner.core.checkpoint.files import LLAMA_CONFIG, llama_tensors, safetensors_header
from tests.planner.core.checkpoint.test_understand import llama_gguf
from tests.planner.imports.hub import llama_files

PATH = "/catalog/models/import/"
KEEP = "/catalog/models/import/keep/"
CONFIG = json.dumps(LLAMA_CONFIG)
pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> Client:
    sync_catalog()
    return signed_in(person(Role.OPERATOR))


def text_of(response: Any) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def package_of(response: Any) -> str:
    found = re.search(r'name="package" value="([^"]+)"', response.content.decode())
    assert found, text_of(response)[:2000]
    return found.group(1)


def looked(client: Client, config: str = CONFIG, files: dict[str, bytes] | None = None) -> Any:
    chosen = [SimpleUploadedFile(name, body) for name, body in (files or {}).items()]
    return client.post(PATH, {"config": config, "chosen": chosen})


def test_page_offers_files_and_says_that_no_hub_is_set_up(client: Client) -> None:
    shown = text_of(client.get(PATH))
    assert "No hub is set up" in shown
    assert "An administrator can add one" in shown
    assert "head -c 2M" in shown


def test_config_alone_is_looked_at_and_nothing_is_kept(client: Client) -> None:
    response = looked(client)
    shown = text_of(response)
    assert response.status_code == 200
    assert "Is this the model?" in shown
    assert "computed from the widths in the config" in shown
    assert "1,705,216" in shown  # by hand: see tests/planner/core/checkpoint/test_understand.py
    assert ModelImport.objects.count() == 0
    assert not ModelShape.objects.filter(shipped__isnull=True).exists()


def test_model_that_is_kept_is_planned(client: Client) -> None:
    package = package_of(looked(client, "", llama_files()))
    kept = client.post(KEEP, {"package": package, "id": "team/tiny"}, follow=True)
    assert kept.redirect_chain == [("/catalog/models/team/tiny/", 302)]
    assert "team/tiny is in the catalog. Plan it" in text_of(kept)
    assert "Bytes of its files by part" in text_of(kept)
    entry = ModelShape.objects.get(key="team/tiny")
    assert (entry.origin, entry.parameters) == ("own", 1_705_216)
    assert entry.record["figures"]["weights"]["value"]["linear"] == 2_359_296
    row = ModelImport.objects.get()
    assert (row.model, row.origin, row.config, str(row.imported_by)) == (
        entry,
        "upload",
        LLAMA_CONFIG,
        "operator",
    )
    assert row.checkpoint is not None
    assert row.checkpoint["total_bytes"] == 3_410_432
    assert AuditEvent.objects.filter(action="catalog.import").count() == 1
    plan = client.get("/plan/", {"m": "team/tiny", "a": "nvidia-h100-sxm5-80gb"})
    assert plan.status_code == 200
    assert "team/tiny" in text_of(plan)


def test_same_again_changes_nothing(client: Client) -> None:
    package = package_of(looked(client))
    for _time in range(2):
        client.post(KEEP, {"package": package, "id": "team/tiny"})
    again = client.post(KEEP, {"package": package_of(looked(client)), "id": "team/tiny"}, follow=True)
    assert "in the catalog already, with the same figures" in text_of(again)
    assert ModelImport.objects.count() == 1
    assert ModelShape.objects.get(key="team/tiny").revision == 1


def test_model_that_changed_is_updated_at_the_revision_that_was_seen(client: Client) -> None:
    client.post(KEEP, {"package": package_of(looked(client)), "id": "team/tiny"})
    longer = json.dumps({**LLAMA_CONFIG, "max_position_embeddings": 8192})
    package = package_of(looked(client, longer))
    offered = client.post(KEEP, {"package": package, "id": "team/tiny"})
    assert "Update the model of this name?" in text_of(offered)
    assert ModelShape.objects.get(key="team/tiny").context_tokens == 4096
    stale = client.post(KEEP, {"package": package, "id": "team/tiny", "revision": "7"})
    assert stale.status_code == 422
    assert "Somebody changed this model meanwhile" in text_of(stale)
    client.post(KEEP, {"package": package, "id": "team/tiny", "revision": "1"})
    entry = ModelShape.objects.get(key="team/tiny")
    assert (entry.context_tokens, entry.revision) == (8192, 2)
    assert ModelImport.objects.count() == 2


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Qwen/Qwen3-8B", "The catalog ships a model of this name"),
        ("one", "Give it a name of two parts"),
        ("a/b/c", "Give it a name of two parts"),
        ("a/" + "b" * 200, "Give it a name of two parts"),
        ("team/<script>", "Give it a name of two parts"),
    ],
)
def test_name_that_cannot_be_is_refused(client: Client, name: str, words: str) -> None:
    response = client.post(KEEP, {"package": package_of(looked(client)), "id": name})
    assert response.status_code == 422
    assert words in text_of(response)
    assert ModelImport.objects.count() == 0


def test_preview_of_somebody_else_or_changed_on_its_way_is_not_kept(client: Client) -> None:
    package = package_of(looked(client))
    other = signed_in(person(Role.OPERATOR, name="other"))
    for who, sent in ((other, package), (client, package[:-1] + "x"), (client, "")):
        response = who.post(KEEP, {"package": sent, "id": "team/tiny"}, follow=True)
        assert "too old or was changed on its way" in text_of(response)
    assert ModelImport.objects.count() == 0


def test_gguf_needs_no_config(client: Client) -> None:
    response = looked(client, "", {"tiny.gguf": llama_gguf()})
    assert "gguf-q8_0" in text_of(response)
    assert 'value="own/Tiny"' in response.content.decode()


def test_custom_code_is_said_and_not_run(client: Client) -> None:
    config = json.dumps({**LLAMA_CONFIG, "auto_map": {"AutoModel": "modeling.Model"}})
    assert "brings code of its own. It was not run" in text_of(looked(client, config))


@pytest.mark.parametrize(
    ("config", "files", "words"),
    [
        ("", {}, "There is nothing to read"),
        ("{", {}, "config.json is not valid JSON"),
        ("[1]", {}, "config.json is not a JSON object"),
        ("[" * 100_000, {}, "config.json is not valid JSON"),
        ('{"model_type": "bert"}', {}, "is an encoder"),
        ('{"model_type": "unheard_of", "hidden_size": 1}', {}, "unheard_of"),
        ("", {"model.safetensors": b"<html>nothing</html>"}, "neither JSON nor the beginning"),
        ("", {"model.safetensors": safetensors_header(llama_tensors())}, "The config.json is missing"),
        (CONFIG, {"model.safetensors": safetensors_header(llama_tensors())[:500]}, "is cut short"),
        (CONFIG, {"model.safetensors": b"\xff" * 100}, "neither JSON nor the beginning"),
        (CONFIG, {"model.safetensors": b""}, "is cut short: 8 bytes"),
        ("", {"a.gguf": b"GGUF\x03\0\0\0" + b"\xff" * 16}, "at most"),
        (CONFIG, {"config.json": CONFIG.encode()}, ""),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_one_clear_error(
    client: Client, config: str, files: dict[str, bytes], words: str
) -> None:
    response = looked(client, config, files)
    assert response.status_code == (422 if words else 200)
    assert words in text_of(response)


def test_config_that_was_pasted_stands_in_the_form_again(client: Client) -> None:
    assert "{&quot;half&quot;" in looked(client, '{"half"').content.decode()


def test_file_that_is_too_large_is_refused_before_it_is_read(client: Client) -> None:
    response = client.generic(
        "POST", PATH, b"", content_type="multipart/form-data; boundary=b", CONTENT_LENGTH="70000000"
    )
    assert response.status_code == 413


@pytest.mark.parametrize("path", [PATH, KEEP])
def test_viewer_may_not(path: str) -> None:
    assert signed_in(person(Role.VIEWER)).post(path, {"config": CONFIG}).status_code == 403


def test_pages_cost_few_queries(client: Client, django_assert_max_num_queries: Any) -> None:
    looked(client)  # the catalog is read once for a process
    with django_assert_max_num_queries(8):
        client.get(PATH)
    with django_assert_max_num_queries(10):
        package = package_of(looked(client))
    with django_assert_max_num_queries(40):
        client.post(KEEP, {"package": package, "id": "team/tiny"})
