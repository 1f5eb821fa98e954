"""Requests against the shipped catalog, for the tests of the core."""

from typing import Any

from planner.catalog import load_shipped
from planner.core.batch import MemoryBatch
from planner.core.memory import evaluate
from planner.core.parse import parse_request
from planner.core.request import EstimateRequest

CATALOG = load_shipped()


def ask(model: str, accelerator: str | None = "nvidia-h100-sxm5-80gb", **more: Any) -> EstimateRequest:
    """A checked request; `tensor`, `pipeline`, `data`, `expert`, `engine`, `version` and settings by name."""
    parallelism = {name: more.pop(name) for name in ("tensor", "pipeline", "data", "expert") if name in more}
    request = {
        "model": {"id": model},
        "accelerator": accelerator,
        "parallelism": parallelism,
        "engine": {"name": more.pop("engine", "vllm"), "version": more.pop("version", None)},
        "weights": more.pop("weights", None),
        "kv_cache_dtype": more.pop("kv_cache_dtype", "auto"),
        "settings": more,
    }
    parsed = parse_request(request, CATALOG)
    assert isinstance(parsed, EstimateRequest), parsed
    return parsed


def answer(model: str, accelerator: str | None = "nvidia-h100-sxm5-80gb", **more: Any) -> MemoryBatch:
    """Memory of one request."""
    return evaluate([ask(model, accelerator, **more)])


def codes(batch: MemoryBatch) -> list[str]:
    """Reason codes of the first row."""
    return [reason.code for reason in batch.reasons[0]]
