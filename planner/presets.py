"""Workloads to start from: each only fills fields. The lengths are assumptions, to be replaced by one's own means."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from planner.forms import Plan

PRESETS: tuple[tuple[Any, Mapping[str, str]], ...] = (
    (_("Chat"), {"i": "1024", "o": "256", "u": "16", "len": "4096"}),
    (_("RAG 10k"), {"i": "10000", "o": "500", "u": "8", "len": "16384"}),
    (_("Code"), {"i": "2048", "o": "512", "u": "16", "len": "8192"}),
    (_("Agents"), {"i": "6000", "o": "800", "u": "16", "len": "32768"}),
    (_("Batch"), {"i": "1024", "o": "512", "u": "128", "len": "4096"}),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """A link to the same plan with another workload."""

    name: str
    link: str
    current: bool


def presets(plan: Plan) -> list[Preset]:
    """The presets as links from this plan."""
    return [
        Preset(
            name=str(name),
            link="?" + plan.query(changes),
            current=all(plan.values[key] == text for key, text in changes.items()),
        )
        for name, changes in PRESETS
    ]
