"""Errors of the REST interface: one shape, a stable code, nothing of our insides."""

import io
import json
from typing import Any

import pytest
from django.test import Client
from django.test.utils import override_settings

from access import counters
from tests.access.people import person, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.access.urls")]


@pytest.fixture
def viewer() -> Client:
    client = signed_in(person())
    client.raise_request_exception = False
    return client


def send(client: Client, body: str, kind: str = "application/json") -> Any:
    return client.post("/api/valid", body, content_type=kind)


def code_of(response: Any) -> tuple[int, str]:
    body = response.json()
    assert response["Content-Type"] == "application/problem+json"
    assert body["type"] == "urn:decodeck:problem:" + body["code"]
    assert body["status"] == response.status_code
    assert body["title"]
    return response.status_code, body["code"]


def test_what_cannot_be_answered_has_a_code(viewer: Client) -> None:
    answers = {
        "no such address": viewer.get("/api/nothing"),
        "method": viewer.get("/api/valid"),
        "media type": send(viewer, "a=1", "application/x-www-form-urlencoded"),
        "no JSON": send(viewer, "{"),
        "not a number": send(viewer, '{"count": NaN}'),
        "deep": send(viewer, "[" * 100_000),
        "not UTF-8": viewer.generic("POST", "/api/valid", b'"\xff"', content_type="application/json"),
        "format": viewer.get("/api/conflict", headers={"Accept": "text/html"}),
        "refused by the view": viewer.get("/api/conflict"),
        "crash": viewer.get("/api/crash"),
        "undeclared": viewer.get("/api/undeclared"),
        "undeclared page": viewer.get("/api/plain-undeclared"),
    }
    assert {name: code_of(answer) for name, answer in answers.items()} == {
        "no such address": (404, "not_found"),
        "method": (405, "method_not_allowed"),
        "media type": (415, "unsupported_media_type"),
        "no JSON": (400, "parse_error"),
        "not a number": (400, "parse_error"),
        "deep": (400, "parse_error"),
        "not UTF-8": (400, "parse_error"),
        "format": (406, "not_acceptable"),
        "refused by the view": (500, "server_busy"),
        "crash": (500, "server_error"),
        "undeclared": (403, "permission_denied"),
        "undeclared page": (403, "permission_denied"),
    }


def test_crash_tells_nothing_of_its_cause(viewer: Client) -> None:
    assert "secret" not in viewer.get("/api/crash").content.decode()


def test_page_without_declaration_is_shut_even_to_an_administrator(viewer: Client) -> None:
    assert viewer.get("/plain-undeclared").status_code == 403


def test_fields_are_named_with_their_path(viewer: Client) -> None:
    answer = send(viewer, json.dumps({"count": 0, "names": ["abc", "abcd"]}))
    assert code_of(answer) == (422, "invalid_request")
    found = [(error["field"], error["code"]) for error in answer.json()["errors"]]
    assert found == [("count", "min_value"), ("names.1", "max_length")]


def test_missing_field_and_wrong_shape_are_named(viewer: Client) -> None:
    missing = send(viewer, "{}").json()["errors"]
    assert [(error["field"], error["code"]) for error in missing] == [("count", "required")]
    wrong = send(viewer, "[1]").json()["errors"]
    assert [(error["field"], error["code"]) for error in wrong] == [(None, "invalid")]


def test_browser_call_without_the_csrf_secret_is_a_problem() -> None:
    client = signed_in(person(), enforce_csrf_checks=True)
    assert code_of(send(client, '{"count": 1}')) == (403, "permission_denied")


def test_calls_beyond_the_limit_say_when_to_come_back(
    viewer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counters, "CALLS_PER_MINUTE", 2)
    assert [send(viewer, '{"count": 1}').status_code for _ in range(2)] == [200, 200]
    third = send(viewer, '{"count": 1}')
    assert code_of(third) == (429, "throttled")
    assert 0 < int(third["Retry-After"]) <= 60


def test_searches_beyond_their_own_limit_say_when_to_come_back(
    viewer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counters, "SEARCHES_PER_MINUTE", 1)
    assert search(viewer).status_code == 422
    second = search(viewer)
    assert code_of(second) == (429, "throttled")
    assert send(viewer, '{"count": 1}').status_code == 200


@override_settings(ROOT_URLCONF="config.urls")
def search(viewer: Client) -> Any:
    """A question that is refused before anything is searched: it counts too."""
    return viewer.post("/api/v1/recommendations", "{}", content_type="application/json")


def test_call_costs_the_same_queries_each_time(viewer: Client, django_assert_num_queries: Any) -> None:
    send(viewer, '{"count": 1}')
    # The session, its user, the count.
    with django_assert_num_queries(3):
        send(viewer, '{"count": 1}')


@override_settings(ALLOWED_HOSTS=["deck.example"])
def test_unknown_host_is_a_problem(viewer: Client) -> None:
    assert viewer.get("/api/valid", headers={"Host": "evil.example"}).status_code == 400


class Stalling(io.BytesIO):
    """A body that ends in the error that the web server meets where a client stalls."""

    def read(self, size: int | None = -1, /) -> bytes:
        raise BlockingIOError("Resource temporarily unavailable")

    def readline(self, size: int | None = -1, /) -> bytes:
        return self.read()


@pytest.mark.urls("config.urls")
@pytest.mark.parametrize(
    ("path", "media_type", "answered"),
    [
        ("/api/v1/estimates", "application/json", "application/problem+json"),
        ("/account/", "application/x-www-form-urlencoded", "text/plain; charset=utf-8"),
    ],
)
def test_body_that_stops_on_its_way_is_no_failure_of_ours(path: str, media_type: str, answered: str) -> None:
    client = signed_in(person())
    answer = client.post(path, "x" * 50, content_type=media_type, **{"wsgi.input": Stalling()})  # type: ignore[arg-type]
    assert (answer.status_code, answer["Content-Type"]) == (408, answered)
