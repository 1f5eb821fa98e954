"""The programs that the tests need beside Python: found, installed where that's possible, or named."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

from scripts.services import ServiceError, postgresql_program


@dataclass(frozen=True, slots=True)
class Need:
    """A program, how to tell that it's there, and the packages of Debian and Ubuntu that bring it."""

    name: str
    is_met: Callable[[], bool]
    packages: tuple[str, ...]


def _has_postgresql() -> bool:
    try:
        return bool(postgresql_program("initdb") and postgresql_program("postgres"))
    except ServiceError:
        return False


def _has_chinese_font() -> bool:
    listed = subprocess.run(["fc-list", ":lang=zh"], capture_output=True, text=True, check=False)
    return bool(listed.stdout.strip())


def _has(program: str) -> Callable[[], bool]:
    return lambda: shutil.which(program) is not None


def _has_chromium() -> bool:
    return any(shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome"))


TEST_NEEDS = (
    Need("PostgreSQL", _has_postgresql, ("postgresql",)),
    Need("Redis", _has("redis-server"), ("redis-server",)),
    Need("Chromium", _has_chromium, ("chromium",)),
    Need("fontconfig", _has("fc-list"), ("fontconfig",)),
    Need("a font with Chinese characters", _has_chinese_font, ("fonts-noto-cjk",)),
    Need("a C compiler", _has("cc"), ("gcc", "libc6-dev")),
)


def ensure(needs: tuple[Need, ...]) -> bool:
    """Install what is missing where this is root on Debian or Ubuntu; else print the one line that would."""
    missing = [need for need in needs if not _is_met(need)]
    if not missing:
        return True
    packages = [package for need in missing for package in need.packages]
    print(f"Missing: {', '.join(need.name for need in missing)}.", flush=True)
    line = f"apt-get update && apt-get install -y --no-install-recommends {' '.join(packages)}"
    if os.geteuid() == 0 and shutil.which("apt-get"):
        _install(packages)
        missing = [need for need in missing if not _is_met(need)]
    if missing:
        print(
            f"Still missing: {', '.join(need.name for need in missing)}. Run, as root:\n    {line}",
            file=sys.stderr,
        )
    return not missing


def _is_met(need: Need) -> bool:
    try:
        return need.is_met()
    except FileNotFoundError:
        return False


def _install(packages: list[str]) -> None:
    print(f"Installing {' '.join(packages)} ...", flush=True)
    # A policy that forbids it keeps the packages from starting servers of their own beside ours.
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    for command in (["update"], ["install", "-y", "--no-install-recommends", *packages]):
        done = subprocess.run(
            ["apt-get", "-qq", *command],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            print(done.stderr.strip()[-2000:], file=sys.stderr)
            return
