"""A PostgreSQL and a Redis of our own, in temporary folders, for as long as the tests run."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.children import end_with_parent

START_TIMEOUT_S = 40.0
# PostgreSQL refuses to run as root; the first of these that exists runs it then.
UNPRIVILEGED = ("postgres", "nobody")


class ServiceError(Exception):
    """A service that the tests need doesn't start."""


@contextmanager
def postgresql() -> Iterator[str]:
    """Start a private server on a socket and yield its DATABASE_URL. Nothing survives it, nor is synced."""
    user = _unprivileged_user()
    with _folder(owner=user) as folder:
        data = folder / "data"
        made = subprocess.run(
            [postgresql_program("initdb"), "--auth=trust", "--username=decodeck", "--encoding=UTF8", "--locale=C", "--no-sync", "-D", data],
            user=user, cwd=folder, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if made.returncode != 0:
            raise ServiceError(f"initdb failed:\n{made.stderr}")
        options = {
            "listen_addresses": "",
            "unix_socket_directories": folder,
            "fsync": "off",
            "full_page_writes": "off",
        }
        arguments = [text for name, value in options.items() for text in ("-c", f"{name}={value}")]
        command = [postgresql_program("postgres"), "-D", str(data), *arguments]
        with _running(command, folder=folder, user=user) as process:
            _wait(process, (folder / ".s.PGSQL.5432").exists, name="PostgreSQL", log=folder / "log")
            yield f"postgresql://decodeck@/postgres?host={folder}"


@contextmanager
def redis() -> Iterator[str]:
    """Start a private server on a free port of the loopback and yield its REDIS_URL."""
    with _folder(owner=None) as folder:
        port = free_port()
        command = [
            "redis-server",
            "--bind",
            "127.0.0.1",
            "--port",
            str(port),
            "--save",
            "",
            "--dir",
            str(folder),
        ]
        with _running(command, folder=folder, user=None) as process:
            _wait(process, lambda: _accepts(port), name="Redis", log=folder / "log")
            yield f"redis://127.0.0.1:{port}/0"


def postgresql_program(name: str) -> str:
    """Find a program of the server, which Debian keeps off PATH; the newest version if there are several."""
    installed = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[4]))
    found = shutil.which(name) or (str(installed[-1]) if installed else None)
    if not found:
        raise ServiceError(f"PostgreSQL's {name} is not installed")
    return found


def _unprivileged_user() -> str | None:
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in UNPRIVILEGED if name in known)


@contextmanager
def _folder(*, owner: str | None) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="decodeck-", ignore_cleanup_errors=True) as name:
        if owner:
            shutil.chown(name, owner)
        yield Path(name)


@contextmanager
def _running(command: list[str], *, folder: Path, user: str | None) -> Iterator[subprocess.Popen[bytes]]:
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            command,
            cwd=folder,
            user=user,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            preexec_fn=end_with_parent(),
        )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait(process: subprocess.Popen[bytes], is_up: Callable[[], bool], *, name: str, log: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while not is_up():
        if process.poll() is not None or time.monotonic() > deadline:
            raise ServiceError(f"{name} did not start:\n{log.read_text(errors='replace')[-2000:]}")
        time.sleep(0.1)


def _accepts(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def free_port() -> int:
    """Return a port of the loopback that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
