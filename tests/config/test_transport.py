"""The folder queue: messages are whole, come in order, and go to one taker each."""

import multiprocessing
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty
from typing import Any

import pytest
from kombu import Connection, Exchange, Producer, Queue

from config.celery import app
from config.queue import queue_settings

assert app.main == "decodeck"  # importing it registers the transport


def connect(folder: Path) -> Connection:
    settings = queue_settings("", folder=folder)
    return Connection(
        settings["CELERY_BROKER_URL"], transport_options=settings["CELERY_BROKER_TRANSPORT_OPTIONS"]
    )


def work_queue(folder: Path) -> Queue:
    """A queue of that folder alone: kombu remembers by name, in the whole process, which queues are declared."""
    return Queue(folder.name, Exchange(folder.name), routing_key=folder.name)


def put(folder: Path, *numbers: int) -> None:
    with connect(folder) as connection:
        queue = work_queue(folder)
        producer = Producer(connection.default_channel)
        for number in numbers:
            producer.publish(
                {"number": number}, exchange=queue.exchange, routing_key=queue.name, declare=[queue]
            )


def take_all(folder: Path) -> list[int]:
    taken = []
    with connect(folder) as connection:
        queue = work_queue(folder)(connection.default_channel)
        queue.declare()
        while message := queue.get():
            taken.append(message.payload["number"])
            message.ack()
    return taken


def _take(folder: Path, results: Any) -> None:
    results.put(take_all(folder))


@contextmanager
def no_room() -> Iterator[None]:
    """Every file that is written to is too large, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_message_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    with connect(tmp_path) as connection:
        channel = connection.default_channel
        with no_room(), pytest.raises(OSError, match="File too large"):
            channel._put("work", {"number": 1})
    assert list((tmp_path / "messages").iterdir()) == []


def test_messages_come_in_the_order_in_which_they_were_put(tmp_path: Path) -> None:
    put(tmp_path, 1, 2, 3)
    put(tmp_path, 4)

    assert take_all(tmp_path) == [1, 2, 3, 4]
    assert list((tmp_path / "messages").iterdir()) == []


def test_two_takers_never_take_the_same_message(tmp_path: Path) -> None:
    put(tmp_path, *range(200))
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    takers = [context.Process(target=_take, args=(tmp_path, results)) for _ in range(2)]
    for taker in takers:
        taker.start()
    taken = [results.get(timeout=60) for _ in takers]
    for taker in takers:
        taker.join()

    assert sorted(taken[0] + taken[1]) == list(range(200))


def test_message_that_is_still_being_written_is_not_seen(tmp_path: Path) -> None:
    put(tmp_path, 1)
    (whole,) = (tmp_path / "messages").iterdir()
    whole.rename(whole.with_name(f".{whole.name}"))

    with connect(tmp_path) as connection, pytest.raises(Empty):
        connection.default_channel._get(tmp_path.name)
