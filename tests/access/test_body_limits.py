"""Bodies beyond the limit: refused by their stated length, on a real server, without being read."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from access.middleware import body_limit

START_LIMIT_S = 60


@pytest.fixture(scope="module")
def port(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of our own web server, as `make run` starts it; its database is never asked."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        number = probe.getsockname()[1]
    var = tmp_path_factory.mktemp("var")
    environ = {**os.environ, "PORT": str(number), "WEB_WORKERS": "1", "DECODECK_VAR": str(var)}
    command = [sys.executable, "-m", "gunicorn", "-c", "config/gunicorn.py", "config.wsgi"]
    with (var / "log").open("wb") as log:
        server = subprocess.Popen(command, cwd=root, env=environ, stdout=log, stderr=log)
    try:
        _wait_for(number, server, var / "log")
        yield number
    finally:
        server.terminate()
        server.wait(20)


def _wait_for(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + START_LIMIT_S
    while time.monotonic() < until and server.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    pytest.fail(log.read_text())


def exchange(port: int, head: str, body: bytes = b"") -> tuple[int, str, str]:
    """Send a request by hand; return the status, the content type and the body of the answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(head.replace("\n", "\r\n").encode() + b"\r\n\r\n" + body)
        with connection.makefile("rb") as answer:
            status = int(answer.readline().split()[1])
            headers = dict(line.decode().split(": ", 1) for line in iter(answer.readline, b"\r\n"))
            text = answer.read(int(headers["Content-Length"])).decode()
    return status, headers["Content-Type"].strip(), text


def test_200_megabytes_are_refused_after_the_head(port: int) -> None:
    head = "POST /api/v1/estimates HTTP/1.1\nHost: localhost\nContent-Length: 200000000"
    # Nothing of the body is sent: a server that wanted to read it first would never answer.
    status, kind, text = exchange(port, head)
    assert (status, kind) == (413, "application/problem+json")
    assert json.loads(text)["code"] == "body_too_large"


def test_page_refuses_a_large_body_as_a_page(port: int) -> None:
    status, kind, _text = exchange(
        port, "POST /sign-in/ HTTP/1.1\nHost: localhost\nContent-Length: 200000000"
    )
    assert (status, kind) == (413, "text/html; charset=utf-8")


def test_body_of_unknown_length_is_refused(port: int) -> None:
    head = "POST /api/v1/estimates HTTP/1.1\nHost: localhost\nTransfer-Encoding: chunked"
    status, kind, text = exchange(port, head, b"5\r\n[1,2]\r\n0\r\n\r\n")
    assert (status, kind) == (411, "application/problem+json")
    assert json.loads(text)["code"] == "length_required"


@pytest.mark.parametrize(("length", "status"), [("-1", 400), ("1e9", 400), ("x", 400), ("9" * 40, 413)])
def test_length_that_is_no_length_is_answered(port: int, length: str, status: int) -> None:
    head = f"POST /api/v1/estimates HTTP/1.1\nHost: localhost\nContent-Length: {length}"
    assert exchange(port, head)[0] == status


def test_estimates_may_be_larger_than_the_rest() -> None:
    assert body_limit("/api/v1/estimates") > body_limit("/sign-in/")
