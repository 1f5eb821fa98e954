"""`make run`, as a process: it starts everything, says where, and leaves nothing behind."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from scripts.run import Part, _announce
from scripts.services import free_port

pytestmark = pytest.mark.queue
WAIT_S = 60.0


class Running:
    """One `make run` on a folder and a port of its own."""

    def __init__(self, folder: Path, *, root: Path) -> None:
        self.port, self.var, self.output = free_port(), folder / "var", folder / "output"
        kept = {name: text for name, text in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
        self.environment = {**kept, "PORT": str(self.port), "DECODECK_VAR": str(self.var)}
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "scripts.run"],
                cwd=root, env=self.environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            )  # fmt: skip

    def text(self) -> str:
        """Return what it has printed."""
        return self.output.read_text()

    def status(self, path: str) -> int:
        """Return the status of a page, 0 when nobody answers."""
        try:
            with urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as answer:
                return int(answer.status)
        except (URLError, OSError):
            return 0

    def children(self) -> dict[str, int]:
        """Return the process ids of the parts, by what their command line runs."""
        listed = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        names = {"gunicorn": "web", "worker": "worker", "beat": "scheduler"}
        found = {}
        for pid in map(int, listed):
            words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
            found[next((name for word, name in names.items() if word in words), "other")] = pid
        return found

    def wait_for(self, is_so: Callable[[], bool]) -> None:
        """Wait until `is_so`, or fail with what was printed."""
        deadline = time.monotonic() + WAIT_S
        while not is_so():
            assert time.monotonic() < deadline, self.text()
            time.sleep(0.1)


@pytest.fixture
def running(tmp_path: Path, root: Path) -> Iterator[Running]:
    started = Running(tmp_path, root=root)
    yield started
    if started.process.poll() is None:
        started.process.terminate()
    started.process.wait(40)


def exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"


def test_run_prints_one_link_that_signs_in_and_stops_on_signal(running: Running) -> None:
    running.wait_for(lambda: "Decodeck is ready" in running.text())
    links = re.findall(r"http://\S+", running.text())
    parts = running.children()

    assert len(links) == 1
    assert links[0].startswith(f"http://127.0.0.1:{running.port}/sign-in/")
    assert running.status(links[0].removeprefix(f"http://127.0.0.1:{running.port}")) == 200
    assert running.status("/readyz") == 200
    assert sorted(parts) == ["scheduler", "web", "worker"]
    running.process.terminate()
    assert running.process.wait(40) == 0
    assert [pid for pid in parts.values() if exists(pid)] == []


def test_killed_part_is_started_again(running: Running) -> None:
    running.wait_for(lambda: "Decodeck is ready" in running.text())
    before = running.children()["worker"]

    os.kill(before, signal.SIGKILL)

    running.wait_for(lambda: running.children().get("worker", before) != before)
    assert "The worker ended (signal 9); starting it again." in running.text()


def test_killed_run_takes_its_parts_along(running: Running) -> None:
    running.wait_for(lambda: "Decodeck is ready" in running.text())
    parts = running.children()

    running.process.kill()
    running.process.wait()

    running.wait_for(lambda: not any(exists(pid) for pid in parts.values()))
    assert running.status("/healthz") == 0


def refused(root: Path, **environment: str) -> str:
    """Run it where it can't, and return what it says."""
    done = subprocess.run(
        [sys.executable, "-m", "scripts.run"],
        cwd=root, env={**os.environ, **environment}, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    return done.stderr


def test_port_in_use_is_named(tmp_path: Path, root: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said = refused(root, PORT=str(port), DECODECK_VAR=str(tmp_path))

    assert said == (
        f"make run: port {port} on 127.0.0.1 cannot be used: Address already in use. "
        "Choose another one: make run PORT=8001\n"
    )


@pytest.mark.parametrize("port", ["http", "0", "65536", "-1"])
def test_port_that_is_none_is_named(tmp_path: Path, root: Path, port: str) -> None:
    assert (
        refused(root, PORT=port, DECODECK_VAR=str(tmp_path))
        == f"make run: PORT={port} is not a port number.\n"
    )


def test_folder_that_cannot_be_written_is_named(tmp_path: Path, root: Path) -> None:
    (tmp_path / "file").write_text("")

    said = refused(root, DECODECK_VAR=str(tmp_path / "file"))

    assert said.startswith(f"make run: cannot write to {tmp_path / 'file'}: ")
    assert said.endswith("Set DECODECK_VAR to a folder that can be written.\n")


def test_wrong_setting_is_named(tmp_path: Path, root: Path) -> None:
    said = refused(
        root, PORT=str(free_port()), DECODECK_VAR=str(tmp_path), DATABASE_URL="mysql://u:secret@h/d"
    )

    assert "DATABASE_URL: must look like sqlite:///FILE or postgresql://USER:PASSWORD@HOST:PORT/NAME" in said
    assert "secret" not in said


def test_why_there_is_no_link_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    environment = {**os.environ, "DECODECK_VAR": str(tmp_path), "DATABASE_URL": "sqlite:////nowhere/x"}
    _announce("http://127.0.0.1:8000", environment=environment, logs=tmp_path)

    said = capsys.readouterr().out
    assert "Decodeck is ready: http://127.0.0.1:8000/\n" in said
    assert "(it made no sign-in link: unable to open database file)" in said


def test_part_that_could_not_even_write_points_at_the_disk(tmp_path: Path) -> None:
    assert "MB are free on that disk" in Part("web", [], log=tmp_path / "web.log").last_lines()
