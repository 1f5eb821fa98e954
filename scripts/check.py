"""Everything that can be said about the code without running its tests. Each finding fails it."""

import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from scripts.lock import stale_requirements

ROOT = Path(__file__).resolve().parent.parent
PY = sys.executable
# As an operator would set them: what `check --deploy` warns about must be clean with these.
PRODUCTION = {
    "DECODECK_URL": "https://decodeck.example.com",
    "DECODECK_TRUSTED_PROXIES": "1",
    "DATABASE_URL": "postgresql://decodeck@database.example.com/decodeck",
    "REDIS_URL": "redis://queue.example.com/0",
}
LOCAL: dict[str, str] = {}

# name, command, environment
STEPS: tuple[tuple[str, list[str], dict[str, str]], ...] = (
    ("format", [PY, "-m", "ruff", "format", "--check", "--quiet", "."], LOCAL),
    ("lint", [PY, "-m", "ruff", "check", "--quiet", "."], LOCAL),
    ("types", [PY, "-m", "mypy", "--no-incremental"], LOCAL),
    ("imports", [str(Path(PY).parent / "lint-imports"), "--no-cache"], LOCAL),
    ("settings", [PY, "manage.py", "check", "--deploy", "--fail-level", "WARNING"], PRODUCTION),
    ("migrations", [PY, "manage.py", "makemigrations", "--check", "--dry-run"], LOCAL),
    ("translations", [PY, "-m", "scripts.translations"], LOCAL),
)


def main() -> int:
    """Run every step, print the findings of those that fail, and return the exit code."""
    failed = []
    with TemporaryDirectory(prefix="decodeck-") as folder:
        for name, command, extra in STEPS:
            if not _passes(
                name, command, environment={**_clean_environment(), "DECODECK_VAR": folder, **extra}
            ):
                failed.append(name)
    failed += _check_templates() + _check_lock()
    print(f"\ncheck: {'failed: ' + ', '.join(failed) if failed else 'all good'}")
    return 1 if failed else 0


def _clean_environment() -> dict[str, str]:
    """Return the environment without what a developer may have set for running Decodeck."""
    return {
        name: text for name, text in os.environ.items() if name not in PRODUCTION and name != "SECRET_KEY"
    }


def _passes(name: str, command: list[str], *, environment: dict[str, str]) -> bool:
    started = time.monotonic()
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    good = done.returncode == 0
    print(f"{name:<14}{'ok' if good else 'FAILED'}  {time.monotonic() - started:.1f} s", flush=True)
    if not good:
        print(f"{done.stdout}{done.stderr}".strip())
    return good


def _check_templates() -> list[str]:
    templates = [str(path) for path in sorted((ROOT / "templates").rglob("*.html"))]
    command = [str(Path(PY).parent / "djade"), "--target-version", "5.2", "--check", *templates]
    good = not templates or _passes("templates", command, environment=dict(os.environ))
    return [] if good else ["templates"]


def _check_lock() -> list[str]:
    stale = stale_requirements(ROOT)
    print(f"{'lock':<14}{'FAILED' if stale else 'ok'}")
    for line in stale:
        print(line)
    return ["lock"] if stale else []


if __name__ == "__main__":
    sys.exit(main())
