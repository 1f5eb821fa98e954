"""Workloads to start from: each only fills fields. Lengths, load and targets are assumptions, to be replaced by one's own."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from django.utils.translation import gettext_lazy as _

# A plan has no place: only a search reads it.
ON_A_SERVER = {"place": "server"}
MEANS_AND_USERS = {"d": "", "by": "", **ON_A_SERVER}
NO_TARGETS = {"tpot": "", "ttft": "", "tps": ""}
PRESETS: tuple[tuple[Any, Mapping[str, str], Mapping[str, str]], ...] = (
    (
        _("Chat"),
        {**MEANS_AND_USERS, "i": "1024", "o": "256", "u": "16", "len": "4096"},
        {**NO_TARGETS, "tpot": "50", "ttft": "2000"},
    ),
    (
        _("Code"),
        {
            **ON_A_SERVER,
            "d": "",
            "i": "2048",
            "o": "150",
            "by": "day",
            "day": "5000",
            "peak": "4",
            "len": "4096",
        },
        {**NO_TARGETS, "tpot": "25", "ttft": "1000"},
    ),
    (
        _("RAG 10k"),
        {**MEANS_AND_USERS, "i": "10000", "o": "500", "u": "8", "len": "16384"},
        {**NO_TARGETS, "tpot": "60", "ttft": "10000"},
    ),
    (
        _("Long texts"),
        {**MEANS_AND_USERS, "i": "24000", "o": "1000", "u": "4", "len": "32768"},
        {**NO_TARGETS, "tpot": "100"},
    ),
    (
        _("Agents"),
        {**MEANS_AND_USERS, "i": "6000", "o": "800", "u": "16", "len": "32768"},
        {**NO_TARGETS, "tpot": "40", "ttft": "5000"},
    ),
    (
        _("Batch"),
        {**MEANS_AND_USERS, "i": "1024", "o": "512", "u": "128", "len": "4096"},
        NO_TARGETS,
    ),
    (
        _("Edge"),
        {
            **MEANS_AND_USERS,
            "place": "edge",
            "i": "512",
            "o": "256",
            "u": "1",
            "len": "1024",
            # what small machines run: decode is bound by bandwidth there, and weights are most of what is read
            "e": "llama.cpp",
            "w": "gguf-q4_k_m",
        },
        {**NO_TARGETS, "tps": "10"},
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A link to the same plan with another workload; `current` while the workload is this one, whatever the targets."""

    name: str
    link: str
    current: bool


class Asked(Protocol):
    """What a form asks for: a plan, or a search."""

    def query(self, changes: Mapping[str, str] | None = None) -> str:
        """The address of this, or of the same with changes."""
        ...


def presets(asked: Asked, *, path: str) -> list[Preset]:
    """The presets as links from what is asked now, on the page at `path`."""
    here = asked.query(NO_TARGETS)
    return [
        Preset(
            name=str(name),
            link=f"{path}?{asked.query({**workload, **targets})}",
            current=asked.query({**workload, **NO_TARGETS}) == here,
        )
        for name, workload, targets in PRESETS
    ]
