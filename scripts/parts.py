"""The processes that Decodeck is made of. `python -m scripts.parts NAME` becomes one of them, in a container."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAMES = ("prepare", "web", "worker", "scheduler")


def command_of(name: str, *, var: Path) -> list[str]:
    """Return the command line of one part; `var` is the folder of data."""
    celery = [sys.executable, "-m", "celery", "--quiet", "--app", "config"]
    # Workers need not know of each other: the database says what is due.
    alone = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    return {
        "prepare": [sys.executable, "manage.py", "prepare"],
        "web": [sys.executable, "-m", "gunicorn", "--config", "config/gunicorn.py", "config.wsgi"],
        "worker": [*celery, "worker", "--concurrency", os.environ.get("WORKERS") or "2", *alone],
        "scheduler": [*celery, "beat", "--schedule", str(var / "schedule"), "--pidfile", ""],
    }[name]


def data_folder() -> Path:
    """Return the folder that DECODECK_VAR names, or var/ in the checkout."""
    return Path(os.environ.get("DECODECK_VAR") or ROOT / "var").resolve()


def main(arguments: list[str]) -> None:
    """Become the part that is named."""
    if len(arguments) != 1 or arguments[0] not in NAMES:
        sys.exit(f"usage: python -m scripts.parts {'|'.join(NAMES)}")
    command = command_of(arguments[0], var=data_folder())
    os.chdir(ROOT)
    os.execv(command[0], command)  # noqa: S606 - this process is that part from here on


if __name__ == "__main__":
    main(sys.argv[1:])
