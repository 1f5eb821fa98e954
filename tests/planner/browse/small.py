"""A small catalog in the database: a few cards, machines and models of the shipped one, and people to ask for it."""

import json
import shutil
from pathlib import Path
from typing import Any

from planner.actions.catalog import sync_catalog
from planner.catalog import SHIPPED

CARD = "nvidia-l4"
CARDS = (CARD, "nvidia-rtx-4090", "nvidia-h100-sxm5-80gb", "amd-mi300x", "nvidia-a100-sxm4-80gb")
PLATFORMS = ("dgx-a100-640gb", "dgx-h100")
MODEL = "Qwen/Qwen2.5-7B-Instruct"
MODELS = (MODEL, "openai/gpt-oss-20b", "meta-llama/Llama-3.1-8B-Instruct")


def small_catalog(folder: Path) -> None:
    """Sync a catalog of these few records."""
    shutil.copytree(SHIPPED / "engines", folder / "engines")
    for name in ("schemes.json", "links.json", "sources.json", "power.json"):
        shutil.copy(SHIPPED / name, folder / name)
    write(folder / "accelerators.jsonl", CARDS)
    write(folder / "platforms.jsonl", PLATFORMS)
    write(folder / "models.jsonl", MODELS)
    sync_catalog(folder)


def write(path: Path, ids: tuple[str, ...]) -> None:
    rows = [json.loads(line) for line in (SHIPPED / path.name).read_text(encoding="utf-8").splitlines()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows if row["id"] in ids), encoding="utf-8")


def own_card(**changes: Any) -> dict[str, Any]:
    """What a team states of a card of its own."""
    return {
        "id": "acme-x1-48gb",
        "name": "Acme X1 48GB",
        "vendor": "Acme",
        "class": "datacenter",
        "compute_capability": None,
        "native_dtypes": ["bf16"],
        "reported_names": ["ACME X1"],
        "figures": {
            "memory_gib": {"value": 47.4, "kind": "measured", "source": "acme-smi"},
            "bandwidth_gb_s": {"value": 768, "kind": "datasheet", "source": "Acme brief"},
            "tdp_w": {"value": 250, "kind": "datasheet", "source": "Acme brief"},
        },
        "source": "Acme brief",
        **changes,
    }
