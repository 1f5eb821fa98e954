"""Hubs: what is fetched from a real server on this machine, what fails in which words, and where the token goes."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from django.test import Client

from access.models import AuditEvent
from access.roles import Role
from planner.actions.catalog import sync_catalog
from planner.answers import hubs as answers
from planner.models import HubEndpoint, ModelImport, ModelShape
from tests.access.answering import ALLOWED, Host, Said, answering
from tests.access.people import person, signed_in
from tests.planner.core.checkpoint.files import LLAMA_CONFIG, TEXT, gguf_header, value
from tests.planner.core.checkpoint.test_understand import llama_gguf
from tests.planner.imports.hub import (
    COMMIT,
    MODEL,
    NAMES,
    as_hugging_face,
    as_modelscope,
    hub_at,
    llama_files,
)
from tests.planner.imports.test_page import KEEP, PATH, package_of, text_of

TOKEN = "hf_open-sesame"
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _loopback_is_listed(settings: Any) -> None:
    settings.OUTGOING_ALLOWED = ALLOWED


@pytest.fixture
def host() -> Iterator[Host]:
    with answering(as_hugging_face(llama_files())) as found:
        yield found


@pytest.fixture
def client() -> Client:
    sync_catalog()
    return signed_in(person(Role.OPERATOR))


@pytest.fixture
def admin() -> Client:
    return signed_in(person(Role.ADMIN))


def asked(client: Client, hub: HubEndpoint, **more: str) -> Any:
    return client.post(PATH, {"hub": hub.uid, "model": MODEL, **more})


def test_model_of_hugging_face_is_read_in_parts_and_kept(client: Client, host: Host) -> None:
    response = asked(client, hub_at(host.url, token=TOKEN))
    assert "the headers of its files, exactly" in text_of(response)
    assert {headers["authorization"] for _path, headers in host.asked} == {f"Bearer {TOKEN}"}
    ranges = {path: headers.get("range") for path, headers in host.asked}
    assert ranges[f"/{MODEL}/resolve/{COMMIT}/{NAMES[0]}"] == "bytes=0-499999"
    assert TOKEN not in response.content.decode()
    client.post(KEEP, {"package": package_of(response), "id": MODEL})
    row = ModelImport.objects.get()
    assert (row.origin, row.address, row.commit) == ("huggingface", f"{host.url}/{MODEL}", COMMIT)
    assert ModelShape.objects.get(key=MODEL).record["figures"]["weights"]["value"]["linear"] == 2_359_296


def test_model_of_modelscope_is_read_alike(client: Client) -> None:
    with answering(as_modelscope(llama_files())) as host:
        response = asked(client, hub_at(host.url, kind="modelscope"))
    assert "the headers of its files, exactly" in text_of(response)


def test_header_longer_than_the_first_range_is_asked_for_again(
    client: Client, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "FIRST_BYTES", 64)
    response = asked(client, hub_at(host.url))
    assert "the headers of its files, exactly" in text_of(response)
    assert len([path for path, _headers in host.asked if path.endswith(NAMES[0])]) == 2


def test_gguf_longer_than_the_first_range_is_asked_for_again(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "FIRST_GGUF_BYTES", 5_000)
    with answering(as_hugging_face({"tiny-Q8_0.gguf": llama_gguf() + bytes(200_000)})) as host:
        assert "gguf-q8_0" in text_of(asked(client, hub_at(host.url)))


def test_several_ggufs_are_asked_about(client: Client) -> None:
    files = {"a-Q8_0.gguf": llama_gguf(), "b-Q4_0.gguf": llama_gguf(), "mmproj-f16.gguf": b""}
    with answering(as_hugging_face(files)) as host:
        hub = hub_at(host.url)
        assert "Say which: a-Q8_0.gguf, b-Q4_0.gguf." in text_of(asked(client, hub))
        assert "holds no c.gguf" in text_of(asked(client, hub, file="c.gguf"))
        assert "gguf-q8_0" in text_of(asked(client, hub, file="a-Q8_0.gguf"))


def test_headers_that_do_not_come_leave_the_index(client: Client) -> None:
    found = as_hugging_face(llama_files())
    found[f"/{MODEL}/resolve/{COMMIT}/{NAMES[1]}"] = Said(status=500)
    with answering(found) as host:
        shown = text_of(asked(client, hub_at(host.url)))
    assert "the total of its index, parts by the widths" in shown
    assert "headers of its 2 files were not read" in shown


def test_token_does_not_follow_a_redirect(client: Client) -> None:
    files = llama_files()
    with answering({f"/{name}": Said(body) for name, body in files.items()}) as store:
        found = as_hugging_face(files)
        for name in NAMES:
            found[f"/{MODEL}/resolve/{COMMIT}/{name}"] = Said(
                status=302, headers={"Location": f"{store.url}/{name}"}
            )
        with answering(found) as host:
            assert "exactly" in text_of(asked(client, hub_at(host.url, token=TOKEN)))
        assert len(store.asked) == 2
        assert [headers for _path, headers in store.asked if "authorization" in headers] == []
        assert TOKEN not in json.dumps([headers for _path, headers in store.asked])


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (Said(status=401), "refuses team/tiny (401)"),
        (Said(status=403), "refuses team/tiny (403)"),
        (Said(status=404), "has no team/tiny at this revision"),
        (Said(status=503), "answered 503"),
        (Said(b"<html>"), "sent something else than a list of files"),
        (Said(b"[]"), "sent something else than a list of files"),
        (Said(b"{}"), "holds neither a config.json nor a GGUF file"),
        (Said(b'{"siblings": [7, {"rfilename": "../config.json"}]}'), "holds neither a config.json"),
        (Said(b" " * 8_000_001), "sends more of its list of files than is read"),
        (Said(status=302, headers={"Location": "http://10.0.0.1/"}), "may not be called from here"),
        (Said(status=302, headers={"Location": "/api/models/team/tiny/revision/main"}), "cannot be reached"),
    ],
)  # fmt: skip
def test_hub_that_fails_is_told_and_the_paste_box_is_there(client: Client, said: Said, words: str) -> None:
    with answering({f"/api/models/{MODEL}/revision/main": said}) as host:
        response = asked(client, hub_at(host.url, token=TOKEN))
    shown = text_of(response)
    assert response.status_code == 422
    assert words in shown
    assert "From its files" in shown
    assert TOKEN not in response.content.decode()


def test_hub_that_is_slow_is_left(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "DEADLINE_S", 0.3)
    with answering({f"/api/models/{MODEL}/revision/main": Said(b" " * 100, drip=0.05)}) as host:
        assert "took too long" in text_of(asked(client, hub_at(host.url)))


def test_hub_that_is_gone_or_not_listed_is_told(client: Client, settings: Any) -> None:
    with answering() as host:
        hub = hub_at(host.url)
    assert "cannot be reached" in text_of(asked(client, hub))
    settings.OUTGOING_ALLOWED = []
    assert "An operator lists it in DECODECK_OUTGOING_ALLOW" in text_of(asked(client, hub)).replace(
        "an op", "An op"
    )


@pytest.mark.parametrize(
    "more", [{"model": "../etc"}, {"model": "a/b/c"}, {"revision": "../x"}, {"model": "a b"}]
)
def test_what_cannot_be_on_a_hub_is_not_asked_for(
    client: Client, host: Host, more: Mapping[str, str]
) -> None:
    assert client.post(PATH, {"hub": hub_at(host.url).uid, "model": MODEL, **more}).status_code == 422
    assert host.asked == []


def test_hub_is_asked_ten_times_a_minute(client: Client, host: Host) -> None:
    hub = hub_at(host.url)
    for _time in range(10):
        assert asked(client, hub).status_code == 200
    assert "Wait a moment" in text_of(asked(client, hub))


def test_hub_out_of_use_is_not_offered(client: Client, host: Host) -> None:
    hub = hub_at(host.url)
    HubEndpoint.objects.update(is_active=False)
    assert "No hub is set up" in text_of(client.get(PATH))
    assert asked(client, hub).status_code == 422
    assert host.asked == []


def test_hub_is_added_tried_changed_and_deleted(admin: Client, host: Host) -> None:
    given = {"name": "Mirror", "kind": "huggingface", "base_url": f"{host.url}/", "token": TOKEN}
    added = admin.post("/account/hubs/", given, follow=True)
    hub = HubEndpoint.objects.get()
    assert (hub.base_url, hub.sealed_token != "", TOKEN in hub.sealed_token) == (host.url, True, False)
    assert TOKEN not in added.content.decode()
    page = f"/account/hubs/{hub.uid}/"
    assert TOKEN not in admin.get(page).content.decode()
    host.answers[f"/{MODEL}/resolve/main/config.json"] = Said(b"{}")
    assert "has 2 bytes" in text_of(admin.post(f"{page}try/", {"model": MODEL}, follow=True))
    assert host.asked[-1][1]["authorization"] == f"Bearer {TOKEN}"
    assert "at this revision" in text_of(admin.post(f"{page}try/", {"model": "a/b"}))
    admin.post(page, {**given, "name": "Ours", "token": "", "is_active": "on"})
    hub.refresh_from_db()
    assert (hub.name, hub.sealed_token != "", hub.is_active) == ("Ours", True, True)
    assert admin.post(f"{page}delete/", {"delete-name": "Mirror"}).status_code == 422
    admin.post(f"{page}delete/", {"delete-name": "Ours"})
    assert not HubEndpoint.objects.exists()
    said = [event.action for event in AuditEvent.objects.filter(action__startswith="hub.").order_by("pk")]
    assert said == ["hub.create", "hub.change", "hub.delete"]
    assert TOKEN not in str([event.data for event in AuditEvent.objects.all()])


def test_token_does_not_go_to_another_address(admin: Client, host: Host) -> None:
    hub = hub_at(host.url, token=TOKEN)
    given = {"name": "A hub", "kind": "huggingface", "is_active": "on"}
    admin.post(f"/account/hubs/{hub.uid}/", {**given, "base_url": host.url.replace("127.0.0.1", "127.0.0.2")})
    hub.refresh_from_db()
    assert hub.sealed_token == ""


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"base_url": "https://10.0.0.1"}, "This address may not be called"),
        ({"base_url": "ftp://127.0.0.1"}, "This address may not be called"),
        ({"base_url": "http://user:word@127.0.0.1"}, "This address may not be called"),
        ({"base_url": "http://[::"}, "This address leads nowhere"),
        ({"base_url": "http://127.0.0.1/?a"}, "without ? and #"),
        ({"token": "two words"}, "A token is one word"),
        ({"token": "a\r\nb"}, "A token is one word"),
        ({"kind": "other"}, "Select a valid choice"),
        ({"name": ""}, "This field is required"),
    ],
)
def test_hub_that_cannot_be_is_refused(admin: Client, change: dict[str, str], words: str) -> None:
    given = {"name": "A", "kind": "huggingface", "base_url": "http://127.0.0.1", **change}
    response = admin.post("/account/hubs/", given)
    assert response.status_code == 422
    assert words in text_of(response)
    assert not HubEndpoint.objects.exists()


def test_name_of_a_hub_is_its_own(admin: Client) -> None:
    hub_at("http://127.0.0.1")
    given = {"name": "A hub", "kind": "huggingface", "base_url": "http://127.0.0.1"}
    assert admin.post("/account/hubs/", given).status_code == 422


def test_hubs_cost_few_queries(admin: Client, django_assert_max_num_queries: Any) -> None:
    for place in range(20):
        hub_at("http://127.0.0.1", name=f"Hub {place}")
    with django_assert_max_num_queries(8):
        assert len(re.findall("127.0.0.1", admin.get("/account/hubs/").content.decode())) >= 20


def test_hub_of_a_model_without_an_architecture_is_told(client: Client) -> None:
    with answering(
        as_hugging_face({"a.gguf": gguf_header({"general.architecture": value(TEXT, "clip")}, {})})
    ) as host:
        assert "no language model that writes text" in text_of(asked(client, hub_at(host.url)))


def test_config_of_a_hub_that_is_no_json_is_told(client: Client) -> None:
    with answering(as_hugging_face({**llama_files(), "config.json": b"{"})) as host:
        assert "config.json is not valid JSON" in text_of(asked(client, hub_at(host.url)))
    assert LLAMA_CONFIG["hidden_size"] == 256
