"""Run the suite: `all` on both databases, both queues and a real browser; `quick` with Python alone."""

import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from scripts.needs import TEST_NEEDS, ensure
from scripts.services import ServiceError, postgresql, redis

ROOT = Path(__file__).resolve().parent.parent
# What the environment of a developer may set, and a test run must not see.
OURS = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "LOG_LEVEL", "PROMETHEUS_MULTIPROC_DIR", "HOST", "PORT")


def main(which: str) -> int:
    """Run `which` suite, "all" or "quick"; return the exit code."""
    with TemporaryDirectory(prefix="decodeck-") as folder:
        return _run(which, environment=_environment(folder))


def _environment(folder: str) -> dict[str, str]:
    kept = {
        name: text
        for name, text in os.environ.items()
        if name not in OURS and not name.startswith("DECODECK_")
    }
    return {**kept, "DECODECK_VAR": folder}


def _run(which: str, *, environment: dict[str, str]) -> int:
    if which == "quick":
        print(
            "Left out: PostgreSQL, Redis, real workers and the browser. `make test` runs everything.",
            flush=True,
        )
        return _pytest("not queue and not browser", environment=environment)
    if not ensure(TEST_NEEDS):
        return 1
    print("== SQLite, the folder queue and the browser ==", flush=True)
    first = _pytest("", environment=environment)
    print("== What uses a database or a queue, again on PostgreSQL and Redis ==", flush=True)
    try:
        with ExitStack() as services:
            environment["DATABASE_URL"] = services.enter_context(postgresql())
            environment["REDIS_URL"] = services.enter_context(redis())
            second = _pytest("(database or queue) and not browser", environment=environment)
    except ServiceError as error:
        print(f"make test: {error}", file=sys.stderr)
        second = 1
    return first or second


def _pytest(marks: str, *, environment: dict[str, str]) -> int:
    # Further arguments for pytest, such as ARGS="-k memory -x".
    extra = os.environ.get("ARGS", "").split()
    command = [sys.executable, "-m", "pytest", "-q", *(["-m", marks] if marks else []), *extra]
    return subprocess.run(
        command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
