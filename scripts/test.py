"""Run the suite: `all` on both databases, both queues and a real browser; `quick` with Python alone."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO

from scripts.needs import TEST_NEEDS, ensure
from scripts.services import ServiceError, postgresql, redis

ROOT = Path(__file__).resolve().parent.parent
# What the environment of a developer may set, and a test run must not see.
OURS = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "LOG_LEVEL", "PROMETHEUS_MULTIPROC_DIR", "HOST", "PORT")


def main(which: str) -> int:
    """Run `which` suite, "all" or "quick"; return the exit code."""
    if which == "quick":
        print(
            "Left out: PostgreSQL, Redis, real workers and the browser. `make test` runs everything.",
            flush=True,
        )
        with _environment() as environment:
            return _pytest("not queue and not browser", environment=environment).wait()
    if not ensure(TEST_NEEDS):
        return 1
    try:
        return _both()
    except ServiceError as error:
        print(f"make test: {error}", file=sys.stderr)
        return 1


def _both() -> int:
    """Both runs at once, since each waits for services and browsers half its time; their words one after the other."""
    with ExitStack() as stack:
        other = stack.enter_context(_environment())
        other["DATABASE_URL"] = stack.enter_context(postgresql())
        other["REDIS_URL"] = stack.enter_context(redis())
        said = stack.enter_context(TemporaryFile())
        beside = _pytest("(database or queue) and not browser", environment=other, said=said)
        stack.callback(beside.kill)
        print("== SQLite, the folder queue and the browser ==", flush=True)
        first = _pytest("", environment=stack.enter_context(_environment())).wait()
        print("== What uses a database or a queue, again on PostgreSQL and Redis ==", flush=True)
        second = beside.wait()
        said.seek(0)
        shutil.copyfileobj(said, sys.stdout.buffer)
        sys.stdout.flush()
        return first or second


@contextmanager
def _environment() -> Iterator[dict[str, str]]:
    """The environment of one run, which has its own folder for what it writes."""
    kept = {
        name: text
        for name, text in os.environ.items()
        if name not in OURS and not name.startswith("DECODECK_")
    }
    with TemporaryDirectory(prefix="decodeck-") as folder:
        yield {**kept, "DECODECK_VAR": folder}


def _pytest(
    marks: str, *, environment: dict[str, str], said: IO[bytes] | None = None
) -> subprocess.Popen[bytes]:
    # Further arguments for pytest, such as ARGS="-k memory -x".
    extra = os.environ.get("ARGS", "").split()
    command = [sys.executable, "-m", "pytest", "-q", *(["-m", marks] if marks else []), *extra]
    return subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=said,
        stderr=subprocess.STDOUT if said else None,
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
