"""Doing one thing many times at once, each time on a database connection of its own."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connections

T = TypeVar("T")


def at_once(work: Callable[[], T], *, times: int) -> list[T]:
    """The results of `times` calls that start together."""
    gate = threading.Barrier(times)

    def run() -> T:
        try:
            gate.wait(20)
            return work()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(times) as pool:
        return [each.result(60) for each in [pool.submit(run) for _ in range(times)]]
