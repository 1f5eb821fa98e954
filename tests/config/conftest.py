"""A worker of its own for a test of the queue, on the run's database and on the run's kind of queue."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

WAIT_S = 40.0


@dataclass(slots=True)
class WorkPlace:
    """Starts workers and sends them ticks; everything that it starts ends with the test."""

    environment: dict[str, str]
    root: Path
    log: Path
    processes: list[subprocess.Popen[bytes]]

    def start_worker(self) -> subprocess.Popen[bytes]:
        """Start `celery worker` as the product does, in a session of its own."""
        with self.log.open("ab") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "scripts.parts", "worker"],
                cwd=self.root, env=self.environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                start_new_session=True,
            )  # fmt: skip
        self.processes.append(process)
        return process

    def send_tick(self) -> None:
        """Queue one tick, as the scheduler does."""
        code = "from config.tasks import tick; tick.delay()"
        subprocess.run(
            [sys.executable, "-c", f"import django; django.setup(); {code}"],
            cwd=self.root, env=self.environment, check=True, timeout=60,
        )  # fmt: skip

    def wait_for(self, is_so: Callable[[], bool]) -> None:
        """Wait until `is_so`, or fail with the end of the worker's log."""
        deadline = time.monotonic() + WAIT_S
        while not is_so():
            assert time.monotonic() < deadline, self.log.read_text(errors="replace")[-3000:]
            time.sleep(0.1)


@pytest.fixture
def work_place(transactional_db: None, tmp_path: Path, root: Path) -> Iterator[WorkPlace]:
    """A place for workers on the test's own database."""
    database: dict[str, Any] = connection.settings_dict
    if connection.vendor == "sqlite":
        url = f"sqlite:///{database['NAME']}"
    else:
        url = f"postgresql://{database['USER']}@/{database['NAME']}?host={database['OPTIONS']['host']}"
    environment = {
        **os.environ,
        "DATABASE_URL": url,
        "DECODECK_VAR": str(tmp_path / "var"),
        "DECODECK_ENCRYPTION_KEY": settings.ENCRYPTION_KEYS[0],
        "DECODECK_OUTGOING_ALLOW": "127.0.0.0/8",
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "WORKERS": "1",
    }
    place = WorkPlace(environment=environment, root=root, log=tmp_path / "worker.log", processes=[])
    yield place
    for process in place.processes:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
