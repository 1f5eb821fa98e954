"""Each answer has an id and one log line, and no line holds a path, a query, a body or a secret."""

import io
import json
import logging
import logging.config
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from access.roles import Role
from config.logs import logging_settings
from tests.access.people import person, signed_in


@pytest.fixture
def lines() -> Iterator[Any]:
    """The log lines written since, as objects."""
    stream = io.StringIO()
    settings = logging_settings("DEBUG")
    settings["handlers"]["stderr"]["stream"] = stream
    logging.config.dictConfig(settings)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    logging.config.dictConfig(logging_settings(""))


def test_answer_carries_the_id_of_its_log_line(client: Client, lines: Any) -> None:
    answer = client.get("/healthz?token=very-secret")

    (line,) = [line for line in lines() if line["logger"] == "decodeck.request"]
    assert line["request_id"] == answer["X-Request-ID"]
    assert (line["method"], line["route"], line["status"], line["level"]) == ("GET", "/healthz", 200, "INFO")


def test_sane_id_of_the_caller_is_kept(client: Client) -> None:
    assert (
        client.get("/healthz", headers={"X-Request-ID": "trace-0001.a_b"})["X-Request-ID"] == "trace-0001.a_b"
    )


@pytest.mark.parametrize(
    "given", ["short", "x" * 129, "with space", "line\nbreak", '{"json": 1}', "<b>12345678</b>"]
)
def test_other_ids_are_replaced(client: Client, given: str) -> None:
    answer = client.get("/healthz", headers={"X-Request-ID": given})

    assert len(answer["X-Request-ID"]) == 32
    assert answer["X-Request-ID"] != given


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path", ["/sign-in/very-secret/", "/no-such-page/very-secret", "/healthz?key=very-secret"]
)
def test_no_line_repeats_what_may_be_secret(client: Client, lines: Any, path: str) -> None:
    client.get(path, headers={"Authorization": "Bearer very-secret", "Cookie": "sessionid=very-secret"})
    client.post(path, data={"password": "very-secret"}, headers={"X-Request-ID": "given-request-id"})

    assert "very-secret" not in json.dumps(
        [line for line in lines() if not line["logger"].startswith("django.db")]
    )


def test_unhandled_exception_is_logged_with_its_id_and_without_its_path(
    client: Client, lines: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A fault outside of what the view catches.
    monkeypatch.setattr("config.health.CHECKS", None)
    client.raise_request_exception = False
    answer = client.get("/readyz?key=very-secret")

    (line,) = [line for line in lines() if line["logger"] == "django.request"]
    assert answer.status_code == 500
    assert (line["message"], line["request_id"]) == ("unhandled exception", answer["X-Request-ID"])
    assert "AttributeError" in line["exc_info"]
    assert "very-secret" not in json.dumps(line)


@pytest.mark.django_db
def test_refusal_is_no_fault(lines: Any) -> None:
    answer = signed_in(person(Role.VIEWER)).get("/buy/quotes/new/")

    assert answer.status_code == 403
    assert [line for line in lines() if line["logger"] == "django.request"] == []


def test_unknown_level_is_refused() -> None:
    with pytest.raises(
        ValueError, match="must be one of DEBUG, INFO, WARNING, ERROR, CRITICAL; it is 'LOUD'"
    ):
        logging_settings("loud")
