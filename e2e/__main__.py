"""Build the image, start the five containers of compose.yaml, and drive them as a person and as an accident would."""

import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from e2e.base import ensure_base_image
from e2e.checks import CHECKS, Stage
from e2e.engine import Engine, EngineError, compose_command, container_engine
from scripts.services import free_port

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / "var" / "e2e" / "base.tar"
NOT_CHECKED = (
    "the official images of Python, PostgreSQL and Redis (a small Debian made here stood in for them)",
    "a TLS proxy in front of the web container",
)


def main() -> int:
    """Run every check and return the exit code."""
    try:
        with container_engine() as engine:
            print(
                f"engine: {engine.docker('version', '--format', '{{.Server.Version}}').strip()}", flush=True
            )
            base = os.environ.get("BASE_IMAGE") or ensure_base_image(engine, cache=CACHE)
            with _checkout() as folder:
                failed = _check(engine, folder=folder, base=base)
    except EngineError as error:
        print(f"make e2e: {error}", file=sys.stderr)
        return 1
    print("\nNot checked:")
    for text in NOT_CHECKED:
        print(f"  - {text}")
    print(f"\n{len(CHECKS) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


@contextmanager
def _checkout() -> Iterator[Path]:
    """Copy what git tracks, as a clone would have it, so that nobody's .env or data gets in."""
    with tempfile.TemporaryDirectory(prefix="decodeck-e2e-") as name:
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
        )
        for path in filter(None, listed.stdout.split("\0")):
            if not (ROOT / path).is_file():  # removed, and not committed yet
                continue
            target = Path(name) / path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / path, target)
        yield Path(name)


def _check(engine: Engine, *, folder: Path, base: str) -> list[str]:
    port = free_port()
    address = f"http://localhost:{port}"
    secret = {
        "SECRET_KEY": secrets.token_urlsafe(64),
        "DECODECK_ENCRYPTION_KEY": urlsafe_b64encode(os.urandom(32)).decode(),
        "POSTGRES_PASSWORD": secrets.token_hex(16),
        "DECODECK_URL": address,
        "DECODECK_BIND": f"127.0.0.1:{port}",
        "BASE_IMAGE": base,
    }
    (folder / ".env").write_text("".join(f"{name}={value}\n" for name, value in secret.items()))
    files = ["--file", str(folder / "compose.yaml"), "--file", str(folder / "e2e" / "compose.local.yaml")]
    compose = [
        *compose_command(),
        "--project-name",
        "decodeck-e2e",
        "--project-directory",
        str(folder),
        *files,
    ]
    stage = Stage(engine=engine, compose=compose, address=address)
    try:
        started = time.monotonic()
        engine.run([*compose, "build", "--quiet"])
        print(f"image built in {time.monotonic() - started:.0f} s", flush=True)
        _start(stage)
        return _run_checks(stage)
    finally:
        engine.run([*compose, "down", "--volumes", "--timeout", "5"], check=False)


def _start(stage: Stage) -> None:
    try:
        stage.engine.run([*stage.compose, "up", "--detach"])
    except EngineError as error:
        logs = stage.engine.run([*stage.compose, "logs", "--no-color", "--tail=25"], check=False)
        raise EngineError(f"{error}\n{logs[-8000:]}") from None


def _run_checks(stage: Stage) -> list[str]:
    failed = []
    for check in CHECKS:
        started = time.monotonic()
        try:
            check(stage)
            verdict = "ok"
        except (AssertionError, EngineError) as error:
            verdict = f"FAILED: {error}"
            failed.append(check.__name__)
        print(f"{check.__name__:<48}{verdict}  {time.monotonic() - started:.1f} s", flush=True)
    if failed:
        print(stage.engine.run([*stage.compose, "ps"], check=False))
        print(stage.engine.run([*stage.compose, "logs", "--tail=30"], check=False)[-12000:])
    return failed


if __name__ == "__main__":
    sys.exit(main())
