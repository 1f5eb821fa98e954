"""A host that others fetch from: a real HTTP server on this machine, which answers what a test says."""

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ALLOWED = ["127.0.0.0/8"]


@dataclass(frozen=True)
class Said:
    """One answer. drip: seconds between its single bytes, of which it claims to have more than it sends."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    drip: float = 0.0


class Host(ThreadingHTTPServer):
    """Answers by path, 404 to the rest, parts of a body where a range is asked for; keeps what it was asked."""

    daemon_threads = True
    answers: dict[str, Said]
    asked: list[tuple[str, dict[str, str]]]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Host

    def do_GET(self) -> None:
        self.server.asked.append((self.path, {name.lower(): text for name, text in self.headers.items()}))
        said = self.server.answers.get(self.path, Said(b"not here", 404))
        status, body = said.status, said.body
        if "Range" in self.headers and status == 200:
            first, last = self.headers["Range"].removeprefix("bytes=").split("-")
            status, body = 206, body[int(first) : int(last) + 1]
        self.send_response(status)
        for name, text in said.headers.items():
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(body) + (1_000_000 if said.drip else 0)))
        self.end_headers()
        try:
            self._send(body, said.drip)
        except OSError:  # whoever asked went away
            self.close_connection = True

    def _send(self, body: bytes, drip: float) -> None:
        if not drip:
            self.wfile.write(body)
            return
        for byte in body:
            self.wfile.write(bytes([byte]))
            time.sleep(drip)

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def answering(answers: Mapping[str, Said] | None = None) -> Iterator[Host]:
    """A host that listens for as long as the block runs."""
    host = Host(("127.0.0.1", 0), Handler)
    host.answers, host.asked = dict(answers or {}), []
    thread = threading.Thread(target=host.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield host
    finally:
        host.shutdown()
        thread.join()
        host.server_close()
