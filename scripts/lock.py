"""Whether the lock still answers pyproject.toml, found out without a package index."""

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

_PIN = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)", re.MULTILINE)
_ADDRESS = re.compile(r"https?://|--(extra-)?index-url|--find-links|--trusted-host")


def stale_requirements(root: Path) -> list[str]:
    """Return a sentence for each requirement that a lock doesn't pin rightly; empty when they are fresh."""
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    runtime, dev = project["dependencies"], project["optional-dependencies"]["dev"]
    return [
        *_stale(root / "requirements.lock", runtime + dev),
        *_stale(root / "requirements-runtime.lock", runtime),
        *_differing(root / "requirements-runtime.lock", root / "requirements.lock"),
    ]


def _stale(lock: Path, requirements: list[str]) -> list[str]:
    pins = _pins(lock)
    found = [f"{lock.name} names an index: run make lock"] if _ADDRESS.search(lock.read_text()) else []
    for text in requirements:
        wanted = Requirement(text)
        pinned = pins.get(canonicalize_name(wanted.name))
        if pinned is None or not wanted.specifier.contains(pinned):
            found.append(f"{lock.name} has {pinned or 'nothing'} for {text}: run make lock")
    return found


def _differing(part: Path, whole: Path) -> list[str]:
    pins = _pins(whole)
    return [
        f"{part.name} has {name} {version} and {whole.name} {pins.get(name)}: run make lock"
        for name, version in _pins(part).items()
        if pins.get(name) != version
    ]


def _pins(lock: Path) -> dict[str, Version]:
    return {canonicalize_name(name): Version(version) for name, version in _PIN.findall(lock.read_text())}
