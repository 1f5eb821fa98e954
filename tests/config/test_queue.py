"""Real workers on a real queue: what is due gets done, and no accident loses it.

Runs on the folder queue with SQLite, and on Redis with PostgreSQL.
"""

import json
import os
import shutil
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone

from access.models import OutboxMessage, Webhook
from access.outbox import enqueue_webhook
from access.sealing import seal
from tests.config.conftest import WorkPlace

pytestmark = pytest.mark.queue
SENT = OutboxMessage.State.SENT


class Receiver:
    """A machine that hears of events; it can be told to leave the first call unanswered."""

    def __init__(self) -> None:
        self.heard: Counter[int] = Counter()
        self.answering = threading.Event()
        self.answering.set()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                receiver.heard[body["id"]] += 1
                receiver.answering.wait(60)
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/events"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    yield made
    made.answering.set()
    made.server.shutdown()
    made.server.server_close()


def enqueue(receiver: Receiver, *, number: int) -> list[int]:
    webhook = Webhook.objects.create(name="receiver", url=receiver.url, sealed_secret=seal("secret"))
    return [enqueue_webhook(webhook, event="test", data={"number": each}).pk for each in range(number)]


def sent() -> int:
    return OutboxMessage.objects.filter(state=SENT).count()


def test_worker_does_what_is_due(work_place: WorkPlace, receiver: Receiver) -> None:
    messages = enqueue(receiver, number=3)

    work_place.start_worker()
    work_place.send_tick()

    work_place.wait_for(lambda: sent() == 3)
    assert receiver.heard == dict.fromkeys(messages, 1)


def test_killed_worker_loses_nothing(work_place: WorkPlace, receiver: Receiver) -> None:
    first, second, third = enqueue(receiver, number=3)
    receiver.answering.clear()
    worker = work_place.start_worker()
    work_place.send_tick()
    work_place.wait_for(lambda: receiver.heard[first] == 1)

    os.killpg(worker.pid, signal.SIGKILL)
    worker.wait()
    receiver.answering.set()
    assert sent() == 0
    # The dead worker's claim runs out after its lease; here at once.
    OutboxMessage.objects.filter(pk=first).update(next_attempt_at=timezone.now())
    work_place.start_worker()
    work_place.send_tick()

    work_place.wait_for(lambda: sent() == 3)
    # The first may be sent twice, since nobody can know whether it was; the others are sent once.
    assert receiver.heard == {first: 2, second: 1, third: 1}


def test_stopped_worker_finishes_what_it_has_begun(work_place: WorkPlace, receiver: Receiver) -> None:
    (message,) = enqueue(receiver, number=1)
    receiver.answering.clear()
    worker = work_place.start_worker()
    work_place.send_tick()
    work_place.wait_for(lambda: receiver.heard[message] == 1)

    worker.terminate()
    threading.Timer(1.0, receiver.answering.set).start()

    assert worker.wait(30) == 0
    assert sent() == 1
    assert receiver.heard == {message: 1}


def test_lost_queue_only_delays(work_place: WorkPlace, receiver: Receiver) -> None:
    enqueue(receiver, number=1)
    work_place.send_tick()
    lose_queue(Path(work_place.environment["DECODECK_VAR"]))
    work_place.start_worker()

    work_place.send_tick()

    work_place.wait_for(lambda: sent() == 1)


def lose_queue(var: Path) -> None:
    """Throw away every message that waits, as a broker does that lost its disk."""
    if settings.REDIS_URL:
        import redis

        with redis.Redis.from_url(settings.REDIS_URL) as broker:
            assert broker.llen("celery") >= 1  # that of a killed worker may be back
            broker.flushdb()
        return
    assert len(list((var / "queue" / "messages").iterdir())) == 1
    shutil.rmtree(var / "queue")
