"""A base image made on this machine: a small Debian with Python, PostgreSQL and Redis."""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from e2e.engine import Engine, EngineError

IMAGE = "decodeck-e2e-base"
PACKAGES = "python3,python3-venv,ca-certificates,postgresql,redis-server"
CERTIFICATES = Path("etc/ssl/certs/ca-certificates.crt")
SOURCES = (Path("/etc/apt/sources.list"), Path("/etc/apt/sources.list.d/debian.sources"))
_DEB = re.compile(r"^deb\s+(?:\[[^]]*\]\s+)?(\S+)\s+(\S+)", re.MULTILINE)
_URIS = re.compile(r"^URIs:\s*(\S+).*?^Suites:\s*(\S+)", re.MULTILINE | re.DOTALL)


def ensure_base_image(engine: Engine, *, cache: Path) -> str:
    """Return the name of the base image, imported from `cache`, or made first when it isn't there."""
    if not cache.exists():
        cache.parent.mkdir(parents=True, exist_ok=True)
        _make(cache)
    engine.docker("import", str(cache), IMAGE)
    return IMAGE


def _make(archive: Path) -> None:
    mirror, suite = _own_mirror()
    with tempfile.TemporaryDirectory(prefix="decodeck-base-") as name:
        root = Path(name) / "root"
        done = subprocess.run(
            ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", suite, str(root), mirror],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode != 0:
            raise EngineError(f"debootstrap failed:\n{done.stdout[-2000:]}{done.stderr[-1000:]}")
        _trust_what_this_machine_trusts(root)
        shutil.rmtree(root / "var/cache/apt/archives", ignore_errors=True)
        partial = archive.with_suffix(".partial")
        subprocess.run(["tar", "-C", str(root), "-cf", str(partial), "."], check=True)
        partial.rename(archive)


def _own_mirror() -> tuple[str, str]:
    """Return the mirror and the suite that this machine's own apt uses."""
    for path in SOURCES:
        text = path.read_text() if path.exists() else ""
        lines = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
        found = _DEB.search(lines) or _URIS.search(lines)
        if found:
            return found.group(1), found.group(2)
    raise EngineError("apt's sources name no mirror: the base image is made on Debian only")


def _trust_what_this_machine_trusts(root: Path) -> None:
    """Let pip reach an index behind a proxy of this machine's network."""
    shutil.copyfile(Path("/") / CERTIFICATES, root / CERTIFICATES)
    (root / "etc/pip.conf").write_text(f"[global]\ncert = /{CERTIFICATES}\n")
