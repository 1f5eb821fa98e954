"""A machine that hears of events: a real HTTP server on this one."""

import hashlib
import hmac
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Receiver(ThreadingHTTPServer):
    """Answers what it is told to, 204 unless told otherwise, and keeps what it heard: path, headers, body."""

    answers: list[int]
    calls: list[tuple[str, dict[str, str], bytes]]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/hook?a=1"

    def signed_by(self, secret: str, headers: Mapping[str, str], body: bytes) -> bool:
        """What a receiver does: the same sum over the time, a dot and the body as it came."""
        stamp, _comma, given = headers["Decodeck-Signature"].partition(",")
        signed = stamp.removeprefix("t=").encode() + b"." + body
        return given == "v1=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()


class Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.calls.append((self.path, dict(self.headers), body))
        self.send_response(self.server.answers.pop(0) if self.server.answers else 204)
        self.send_header("Location", "/elsewhere")
        self.end_headers()

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A receiver that listens for as long as the block runs."""
    server = Receiver(("127.0.0.1", 0), Handler)
    server.answers, server.calls = [], []
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
