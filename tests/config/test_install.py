"""`make install` says in one line what is missing."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest


@pytest.fixture
def checkout(tmp_path: Path, root: Path) -> Path:
    """A checkout without an environment, with a lock that pins nothing."""
    folder = tmp_path / "checkout"
    (folder / "scripts").mkdir(parents=True)
    shutil.copy(root / "scripts" / "install.sh", folder / "scripts")
    (folder / "requirements.lock").write_text("")
    return folder


def install(folder: Path, *, user: str | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", str(folder / "scripts" / "install.sh")],
        env={**os.environ, **environment}, user=user, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_missing_python_is_named(checkout: Path, tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("dirname", "cmp", "mkdir"):
        found = shutil.which(name)
        assert found
        (tools / name).symlink_to(found)

    done = install(checkout, PATH=str(tools), PYTHON="")

    assert done.returncode == 1
    assert done.stderr.startswith("make install: no Python 3.11 or newer on PATH.")
    assert not (checkout / ".venv").exists()


def test_python_that_is_too_old_is_named(checkout: Path) -> None:
    done = install(checkout, PYTHON="/bin/false")

    assert (done.returncode, done.stderr) == (
        1,
        "make install: PYTHON=/bin/false is not a Python 3.11 or newer.\n",
    )


def test_folder_that_cannot_be_written_is_named(checkout: Path) -> None:
    checkout.chmod(0o555)
    for folder in (checkout.parent, checkout.parent.parent, checkout.parent.parent.parent):
        folder.chmod(folder.stat().st_mode | 0o055)

    # Root may write anywhere, so it tries as somebody else.
    done = install(checkout, user="nobody" if os.geteuid() == 0 else None, PYTHON="/bin/true")

    assert (done.returncode, done.stderr) == (
        1,
        f"make install: cannot write to {checkout}: is this folder read-only?\n",
    )


def test_half_a_checkout_is_named(checkout: Path) -> None:
    (checkout / "requirements.lock").unlink()

    assert (
        install(checkout).stderr == "make install: requirements.lock is missing: is this a whole checkout?\n"
    )


def test_second_time_does_nothing(checkout: Path) -> None:
    first = install(checkout)
    stamp = (checkout / ".venv" / "installed.lock").stat().st_mtime_ns

    second = install(checkout)

    assert (first.returncode, second.returncode) == (0, 0)
    assert second.stdout == ""
    assert (checkout / ".venv" / "installed.lock").stat().st_mtime_ns == stamp
