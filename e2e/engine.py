"""A container engine: the one that runs here, or one of our own for as long as the check takes."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from scripts.children import end_with_parent
from scripts.needs import Need, ensure

START_TIMEOUT_S = 60.0
NEEDS = (
    Need("a container engine", lambda: shutil.which("dockerd") is not None, ("docker.io", "iptables")),
    Need("Docker's client", lambda: shutil.which("docker") is not None, ("docker.io",)),
    Need("Docker Compose", lambda: bool(compose_command()), ("docker-compose",)),
    Need("debootstrap", lambda: shutil.which("debootstrap") is not None, ("debootstrap",)),
)


class EngineError(Exception):
    """No engine can be had here; the text says why."""


@dataclass(frozen=True, slots=True)
class Engine:
    """How to call the engine."""

    environment: dict[str, str]

    def docker(self, *arguments: str, check: bool = True, stdin: int = subprocess.DEVNULL) -> str:
        """Run the client and return what it printed; an EngineError holds what went wrong."""
        return self.run(["docker", *arguments], check=check, stdin=stdin)

    def run(self, command: list[str], *, check: bool = True, stdin: int = subprocess.DEVNULL) -> str:
        """Run any command with this engine as Docker's."""
        done = subprocess.run(
            command, env=self.environment, stdin=stdin, capture_output=True, text=True, check=False
        )
        if check and done.returncode != 0:
            raise EngineError(f"{' '.join(command)} failed:\n{done.stdout[-1500:]}{done.stderr[-3000:]}")
        return done.stdout


@contextmanager
def container_engine() -> Iterator[Engine]:
    """Yield an engine: what DOCKER_HOST or the usual socket answers, else a private one, started as root."""
    if shutil.which("docker") and _answers(dict(os.environ)):
        yield Engine(environment=dict(os.environ))
        return
    if os.geteuid() != 0:
        raise EngineError("no Docker engine answers, and starting one needs root")
    if not ensure(NEEDS):
        raise EngineError("a program is missing that a private engine needs")
    with (
        tempfile.TemporaryDirectory(prefix="decodeck-engine-", ignore_cleanup_errors=True) as name,
        _private_engine(Path(name)) as engine,
    ):
        yield engine


def compose_command() -> list[str]:
    """Return how Compose is called here, as a plugin or on its own; empty when it isn't installed."""
    plugin = shutil.which("docker") and subprocess.run(
        ["docker", "compose", "version"], capture_output=True, check=False
    )
    if plugin and plugin.returncode == 0:
        return ["docker", "compose"]
    return ["docker-compose"] if shutil.which("docker-compose") else []


def _answers(environment: dict[str, str]) -> bool:
    asked = subprocess.run(["docker", "info"], env=environment, capture_output=True, check=False)
    return asked.returncode == 0 and b"Server Version" in asked.stdout


@contextmanager
def _private_engine(folder: Path) -> Iterator[Engine]:
    socket = f"unix://{folder}/engine.sock"
    # No rules in the machine's firewall and no bridge of its own are left behind: containers reach each
    # other on the network that Compose makes, and the engine's proxy publishes the port.
    command = [
        "dockerd", "--host", socket, "--data-root", f"{folder}/data", "--exec-root", f"{folder}/exec",
        "--pidfile", f"{folder}/engine.pid", "--iptables=false", "--ip6tables=false", "--ip-masq=false",
        "--ip-forward=false", "--bridge=none",
    ]  # fmt: skip
    log = folder / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, preexec_fn=end_with_parent()
        )
    environment = {
        **os.environ,
        "DOCKER_HOST": socket,
        "DOCKER_BUILDKIT": "0",
        "COMPOSE_DOCKER_CLI_BUILD": "0",
    }
    deadline = time.monotonic() + START_TIMEOUT_S
    try:
        while not _answers(environment):
            if process.poll() is not None or time.monotonic() > deadline:
                raise EngineError(f"dockerd did not start:\n{log.read_text(errors='replace')[-3000:]}")
            time.sleep(0.3)
        yield Engine(environment=environment)
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
