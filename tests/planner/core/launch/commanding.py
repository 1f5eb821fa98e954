"""What the tests of launch commands share: one catalog, and a plan with its commands in one line."""

from typing import Any

from planner.catalog import load_shipped
from planner.core.estimate import evaluate
from planner.core.launch.commands import commands
from planner.core.parse import parse_request
from planner.core.request import EstimateRequest

CATALOG = load_shipped()
QWEN = "Qwen/Qwen2.5-7B-Instruct"


def answer(model: str = QWEN, card: str | None = "nvidia-rtx-4090", **more: Any) -> dict[str, Any] | None:
    request = {
        "model": {"id": model} if "config" not in more else {"config": more.pop("config")},
        "accelerator": card,
        "settings": {"max_model_len": 4096, "max_num_seqs": 16, "max_num_batched_tokens": 2048},
        "workload": {"input_tokens": 1024, "output_tokens": 256, "concurrency": 16},
        **more,
    }
    parsed = parse_request(request, CATALOG)
    assert isinstance(parsed, EstimateRequest), parsed
    settled, memory_batch, _ = evaluate([parsed], CATALOG)
    return commands(settled[0], memory_batch, 0, flags=CATALOG.flags)


def codes(found: dict[str, Any]) -> list[str]:
    return [note["code"] for note in found["notes"]]
