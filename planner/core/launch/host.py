"""Where a launch runs: image and devices of a container, driver, addresses. Facts are data; unknown is a reason, never a guess."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from planner.core.engines import RELEASE, Release, release_of
from planner.core.launch.launch import Container
from planner.core.launch.tables import FlagTable, release_in, span
from planner.core.outcome import Reason
from planner.core.request import EstimateRequest
from planner.core.specs import AcceleratorSpec

TAG_PARTS = 3
ROCM_DEVICES = ("/dev/kfd", "/dev/dri")
INTEL_DEVICES = ("/dev/dri",)
# Boards whose containers come from their own maker: the images of the engines are not made for them.
BOARDS = "edge"
# Tag of the llama.cpp image per vendor, and the host devices that it needs.
LLAMA_IMAGES = {"amd": ("rocm", ROCM_DEVICES), "intel": ("intel", INTEL_DEVICES)}


def kind_of(card: AcceleratorSpec) -> str:
    """nvidia | amd | intel | cpu | apple | … : what decides about devices and images."""
    if card.accelerator_class in {"cpu", "apple"}:
        return card.accelerator_class
    return card.vendor.casefold()


def is_jetson(card: AcceleratorSpec | None) -> bool:
    """Whether its driver comes with the system image of the board (JetPack) rather than by itself."""
    return card is not None and card.accelerator_class == BOARDS and card.name.startswith("Jetson")


def container(request: EstimateRequest, found: FlagTable, devices: int) -> Container | Reason:
    """The container of a launch on this card, or why none can be written. `devices`: cards of this one server."""
    card = request.accelerator
    assert card is not None  # a plan without a card has no command
    kind = kind_of(card)
    facts = found.hosts["containers"][found.engine]
    if kind == "apple":
        return Reason(code="container_reaches_no_metal", values={"accelerator": card.name})
    if card.accelerator_class == BOARDS:
        return Reason(code="container_of_board", values={"accelerator": card.name})
    entry = _entry(found, request.engine.version)
    if entry is None:
        values = {"engine": found.engine, "version": request.engine.version}
        return Reason(code="entry_point_not_read", values=values)
    tag, passed = _tag(found, facts, request.engine.version, kind)
    if tag is None:
        vendor = "CPU" if kind == "cpu" else card.vendor
        return Reason(code="image_not_known", values={"engine": found.engine, "vendor": vendor})
    numbers = tuple(str(number) for number in range(devices)) if kind == "nvidia" else ()
    volumes = (("~/.cache/huggingface", facts["hub_cache"]),) if "hub_cache" in facts else ()
    named = ((f"{found.engine}-compiled", facts["compile_cache"]),) if "compile_cache" in facts else ()
    return Container(
        image=f"{facts['image']}:{tag}",
        entry_takes_model=entry["model"],
        words=() if entry["words"] else tuple(found.raw["forms"][0]["words"]),
        gpus=numbers,
        devices=passed,
        shares_memory=facts["shared_memory"] == "ipc_host",
        ulimits=facts["ulimits"],
        port=facts["port"],
        host=found.hosts["addresses"][found.engine]["in_container"] if "sets" not in facts else None,
        volumes=volumes,
        named_volumes=named,
    )


@lru_cache(maxsize=512)
def _entry(found: FlagTable, version: str) -> Mapping[str, Any] | None:
    """The entry point of the image at a version; between two that were read, the older way, which both take."""
    release = release_in(found, version) or found.read[-1][0]
    entries: list[Mapping[str, Any]] = found.hosts["containers"][found.engine]["entrypoints"]
    chosen: Mapping[str, Any] | None = None
    for entry in entries:
        if "seen" not in entry or span(entry["seen"]).start <= release:
            chosen = entry
    return chosen


def _tag(
    found: FlagTable, facts: Mapping[str, Any], version: str, kind: str
) -> tuple[str | None, tuple[str, ...]]:
    """(tag of the image, host devices to pass in); None where no image is known for this kind of card."""
    if "tags" not in facts:
        return (facts["tag"].format(version=tagged(version)) if kind == "nvidia" else None), ()
    if kind in {"nvidia", "cpu"}:
        return facts["tags"]["cuda12" if kind == "nvidia" else "cpu"], ()
    name, devices = LLAMA_IMAGES.get(kind, (None, ()))
    return (facts["tags"][name] if name else None), devices


def tagged(version: str) -> str:
    """The release part of a version with three numbers, as images are tagged: 0.19 and v0.19.0 + patch are 0.19.0."""
    match = RELEASE.match(version)
    parts = match.group(1).split(".") if match else [version]
    return ".".join(parts + ["0"] * (TAG_PARTS - len(parts)))


@lru_cache(maxsize=512)
def driver(found: FlagTable, version: str) -> Reason | None:
    """The driver of NVIDIA's cards that this version's binaries ask for; of the nearest older version that is known."""
    release = release_in(found, version) or found.read[-1][0]
    known = [row for row in found.hosts["drivers"][found.engine] if _at(row["seen"][0]) <= release]
    if not known:
        return None
    row = known[-1]
    values = {"driver": row["driver"], "cuda": row["cuda"], "engine": found.engine, "version": version}
    return Reason(code="driver_needed", values=values)


def _at(version: str) -> Release:
    return release_of(version) or ()
