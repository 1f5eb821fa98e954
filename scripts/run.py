"""Start Decodeck on this machine: web, worker and scheduler under one process, until Ctrl-C.

A part that ends is started again; one that keeps ending stops everything with its last lines. The parts end
with this process, even when it's killed.
"""

import fcntl
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO
from urllib.error import URLError
from urllib.request import urlopen

from scripts.children import end_with_parent
from scripts.parts import ROOT, command_of, data_folder

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 25.0
# More restarts than this within the window means that the part can't run at all.
RESTARTS, RESTART_WINDOW_S = 3, 60.0
LOG_KEEP_BYTES = 20_000_000


class CannotRunError(Exception):
    """Says, in one sentence, why Decodeck can't run here."""


@dataclass(slots=True)
class Part:
    """One of the processes, its log file and when it was started lately."""

    name: str
    command: list[str]
    log: Path
    process: subprocess.Popen[bytes] | None = None
    starts: deque[float] = field(default_factory=deque)

    def start(self, *, environment: dict[str, str]) -> None:
        """Start the process with its output going to the log."""
        if self.log.exists() and self.log.stat().st_size > LOG_KEEP_BYTES:
            self.log.replace(self.log.with_suffix(".log.1"))
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                self.command,
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=end_with_parent(),
            )
        self.starts.append(time.monotonic())

    def has_ended(self) -> bool:
        """Tell whether the process was started and runs no more."""
        return self.process is not None and self.process.poll() is not None

    def fails_too_often(self) -> bool:
        """Tell whether it was started too often within the window."""
        while self.starts and time.monotonic() - self.starts[0] > RESTART_WINDOW_S:
            self.starts.popleft()
        return len(self.starts) > RESTARTS

    def last_lines(self) -> str:
        """Return the end of the log."""
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        if not lines:
            free_mb = shutil.disk_usage(self.log.parent).free // 1_000_000
            return f"    (it wrote none; {free_mb} MB are free on that disk)"
        return "\n".join(f"    {line[:400]}" for line in lines[-8:])


def main() -> int:
    """Run until a signal; return the exit code."""
    port = os.environ.get("PORT") or "8000"
    host = os.environ.get("HOST") or "127.0.0.1"
    var = data_folder()
    try:
        lock = _own(var)
        _check_port(host, port)
        environment = _environment(var, host=host, port=port)
        _prepare(environment)
    except CannotRunError as error:
        print(f"make run: {error}", file=sys.stderr)
        return 1
    except OSError as error:  # a full disk, most often
        print(f"make run: cannot write to {var}: {error.strerror or error}.", file=sys.stderr)
        return 1
    with lock:
        return _supervise(_parts(var), environment=environment, url=_url(host, port))


def _own(var: Path) -> IO[str]:
    """Make the folder of data and lock it: two supervisors on one database would run each tick twice."""
    try:
        var.mkdir(parents=True, exist_ok=True)
        (var / "log").mkdir(exist_ok=True)
        lock = (var / "run.lock").open("a+")
    except OSError as error:
        raise CannotRunError(
            f"cannot write to {var}: {error.strerror}. Set DECODECK_VAR to a folder that can be written."
        ) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise CannotRunError(f"Decodeck is running already on the data in {var}.") from None
    return lock


def _check_port(host: str, port: str) -> None:
    if not port.isdecimal() or not 0 < int(port) < 65536:
        raise CannotRunError(f"PORT={port} is not a port number.")
    try:
        family = socket.getaddrinfo(host, int(port), type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, int(port)))
    except OSError as error:
        raise CannotRunError(
            f"port {port} on {host} cannot be used: {error.strerror or error}. Choose another one: make run PORT=8001"
        ) from error


def _environment(var: Path, *, host: str, port: str) -> dict[str, str]:
    metrics = var / "metrics"
    shutil.rmtree(metrics, ignore_errors=True)
    metrics.mkdir()
    # What waits in the folder queue are wake-ups of an earlier run, and the first tick finds their work.
    shutil.rmtree(var / "queue" / "messages", ignore_errors=True)
    return {
        **os.environ,
        "DECODECK_URL": os.environ.get("DECODECK_URL") or _url(host, port),
        "DECODECK_VAR": str(var),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "HOST": host,
        "PORT": port,
        "PROMETHEUS_MULTIPROC_DIR": str(metrics),
        "PYTHONUNBUFFERED": "1",
    }


def _prepare(environment: dict[str, str]) -> None:
    print("Preparing the database and the catalog ...", flush=True)
    done = subprocess.run(
        command_of("prepare", var=Path(environment["DECODECK_VAR"])),
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        log = Path(environment["DECODECK_VAR"]) / "log" / "prepare.log"
        log.write_text(done.stderr)
        raise CannotRunError(f"{_cause(done.stderr)}\n(the whole story is in {log})")


def _cause(traceback: str) -> str:
    """Return what the last exception said, without where it was raised and the name of its class."""
    lines = traceback.strip().splitlines()
    raised = [number for number, line in enumerate(lines) if line[:1].strip() and ": " in line]
    told = lines[raised[-1] :] if raised else lines[-3:]
    return "\n".join([told[0].partition(": ")[2], *told[1:]]) if raised else "\n".join(told)


def _parts(var: Path) -> list[Part]:
    names = ("web", "worker", "scheduler")
    return [Part(name, command_of(name, var=var), log=var / "log" / f"{name}.log") for name in names]


def _supervise(parts: list[Part], *, environment: dict[str, str], url: str) -> int:
    stopping: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda received, _: stopping.append(received))
    for part in parts:
        part.start(environment=environment)
    announced = False
    deadline = time.monotonic() + START_TIMEOUT_S
    failure = None
    while not stopping and failure is None:
        failure = _restart_ended(parts, environment=environment)
        if not announced and _answers(url):
            _announce(url, environment=environment, logs=parts[0].log.parent)
            announced = True
        elif not announced and time.monotonic() > deadline:
            failure = f"no answer at {url} after {START_TIMEOUT_S:.0f} s; see {parts[0].log}"
        time.sleep(0.2)
    if failure:
        print(f"make run: {failure}", file=sys.stderr, flush=True)
    _stop(parts)
    return 1 if failure else 0


def _restart_ended(parts: list[Part], *, environment: dict[str, str]) -> str | None:
    """Start ended parts again; return the reason when one ends too often."""
    for part in parts:
        if not part.has_ended():
            continue
        if part.fails_too_often():
            return f"the {part.name} keeps ending. Its last lines, from {part.log}:\n{part.last_lines()}"
        print(f"The {part.name} ended ({_how(part)}); starting it again.", flush=True)
        part.start(environment=environment)
    return None


def _how(part: Part) -> str:
    code = part.process.returncode if part.process else 0
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _answers(url: str) -> bool:
    try:
        with urlopen(f"{url}/healthz", timeout=2) as answer:  # noqa: S310 - our own address
            return bool(answer.status == 200)
    except (URLError, OSError):
        return False


def _announce(url: str, *, environment: dict[str, str], logs: Path) -> None:
    """Print the one address to open: a new one-time link for the first administrator, to this terminal only."""
    done = subprocess.run(
        [sys.executable, "manage.py", "sign_in_link"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    link = done.stdout.strip() if done.returncode == 0 else ""
    print(f"\nDecodeck is ready: {link or url + '/'}\n(logs are in {logs}; Ctrl-C stops it)", flush=True)
    if not link:
        print(f"(it made no sign-in link: {_cause(done.stderr)})", flush=True)


def _url(host: str, port: str) -> str:
    reachable = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104
    return f"http://{reachable}:{port}"


def _stop(parts: list[Part]) -> None:
    print("Stopping ...", flush=True)
    running = [part.process for part in parts if part.process and part.process.poll() is None]
    for process in running:
        process.terminate()
    deadline = time.monotonic() + STOP_TIMEOUT_S
    for process in running:
        try:
            process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


if __name__ == "__main__":
    sys.exit(main())
