"""The procurement script of docs/api.md, as it stands there, against a running server."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from access.models import User
from access.outbox import deliver_due
from access.roles import Role
from access.scopes import Scope
from access.webhooks import create_webhook, try_webhook
from planner.actions.catalog import sync_catalog
from planner.models import Quote, SavedPlan
from tests.access.people import person, token_text
from tests.access.receiver import receiving

NEEDED = [
    Scope.ESTIMATES_READ,
    Scope.CATALOG_READ,
    Scope.QUOTES_READ,
    Scope.QUOTES_WRITE,
    Scope.PLANS_READ,
    Scope.PLANS_WRITE,
]


@pytest.fixture
def script(root: Path, tmp_path: Path) -> Path:
    """procure.py and offers.csv in a folder."""
    text = (root / "docs" / "api.md").read_text(encoding="utf-8")
    for name in ("offers.csv", "procure.py"):
        [block] = re.findall(rf"`{re.escape(name)}`:\n\n```\w+\n(.*?)```", text, re.DOTALL)
        (tmp_path / name).write_text(block, encoding="utf-8")
    return tmp_path / "procure.py"


@pytest.fixture
def ada(transactional_db: None) -> User:
    sync_catalog()
    return person(Role.OPERATOR, name="ada")


def ran(script: Path, server: Any, token: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, script.name, "offers.csv", *arguments],
        cwd=script.parent,
        check=False,
        env={**os.environ, "DECODECK_URL": server.url, "DECODECK_TOKEN": token},
        capture_output=True,
        text=True,
        timeout=120,
    )


def loaded(script: Path, monkeypatch: pytest.MonkeyPatch, url: str) -> Any:
    """The script as a module whose server is `url`."""
    monkeypatch.setenv("DECODECK_URL", url)
    monkeypatch.setenv("DECODECK_TOKEN", "dk_x")
    spec = importlib.util.spec_from_file_location("procure", script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_offers_become_a_proposed_plan_once(script: Path, ada: User, live_server: Any) -> None:
    token = token_text(ada, *NEEDED)
    first = ran(script, live_server, token, "300000", "CNY")
    assert (first.returncode, first.stderr) == (0, "")
    # Two cards and a spare of 15,800 each: 47,400
    assert first.stdout.splitlines()[:2] == [
        "2 × GeForce RTX 4090: 31600.0 CNY (offer 2026-1182)",
        "1 × GeForce RTX 4090: 15800.0 CNY (offer 2026-1182)",
    ]
    assert first.stdout.splitlines()[2].startswith("Total: 47400.0 CNY, up to ")
    plan = SavedPlan.objects.get()
    assert (plan.state, plan.name, plan.owner) == ("proposed", "2 × GeForce RTX 4090", ada)
    assert f"Plan {plan.uid} is proposed." in first.stdout
    again = ran(script, live_server, token, "300000", "CNY")
    assert (again.returncode, again.stdout) == (0, first.stdout)
    assert (Quote.objects.count(), SavedPlan.objects.count()) == (3, 1)


def test_refusals_are_told_in_words(script: Path, ada: User, live_server: Any) -> None:
    small = ran(script, live_server, token_text(ada, *NEEDED), "100", "CNY")
    assert (small.returncode, small.stderr) == (
        1,
        "Nothing that was offered meets the targets within 100 CNY.\n",
    )
    short = ran(script, live_server, token_text(ada, Scope.CATALOG_READ), "300000", "CNY")
    assert (short.returncode, short.stderr.split(":")[0]) == (1, "permission_denied")
    offers = script.parent / "offers.csv"
    offers.write_text(offers.read_text().replace("15800.00", "-1"))
    wrong = ran(script, live_server, token_text(ada, *NEEDED), "300000", "CNY")
    assert wrong.returncode == 1
    assert wrong.stderr.startswith("invalid_request: 0.unit_price: ")
    assert SavedPlan.objects.count() == 0


class Busy(BaseHTTPRequestHandler):
    """A server that has too much to do at first."""

    keys: list[str | None] = []

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.keys.append(self.headers["Idempotency-Key"])
        body = json.dumps({"ok": True} if len(self.keys) > 2 else {"code": "throttled"}).encode()
        self.send_response(200 if len(self.keys) > 2 else 429)
        self.send_header("Retry-After", "0")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """Say nothing."""


def test_too_many_calls_are_sent_again_under_the_same_key(
    script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = HTTPServer(("127.0.0.1", 0), Busy)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    procure = loaded(script, monkeypatch, f"http://127.0.0.1:{server.server_address[1]}")
    answer = procure.call("POST", "/api/v1/quotes", [])
    server.shutdown()
    thread.join()
    server.server_close()
    assert answer == ({"ok": True}, "")
    assert (len(Busy.keys), len(set(Busy.keys))) == (3, 1)


def test_signature_of_a_call_that_came(
    script: Path, monkeypatch: pytest.MonkeyPatch, settings: Any, db: None
) -> None:
    settings.OUTGOING_ALLOWED = ["127.0.0.0/8"]
    admin = person(Role.ADMIN, name="root")
    procure = loaded(script, monkeypatch, "http://127.0.0.1:9")
    with receiving() as receiver:
        hook, secret = create_webhook(
            name="erp", url=receiver.url, events=["plan.approved"], is_active=True, actor=admin
        )
        try_webhook(hook, actor=admin)
        deliver_due()
        [(_path, headers, body)] = receiver.calls
    header = headers["Decodeck-Signature"]
    assert procure.is_ours(secret, header, body)
    assert not procure.is_ours(secret, header, body + b" ")
    assert not procure.is_ours("other", header, body)
    assert not procure.is_ours(secret, header, body, within_s=-1)
    assert not procure.is_ours(secret, "t=x", body)
