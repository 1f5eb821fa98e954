"""Whole answers of the core against the shipped catalog, for tests of what stands beside the figures."""

from typing import Any

from planner.core.estimate import estimate
from planner.core.parse import parse_request
from planner.core.request import EstimateRequest
from tests.planner.core.asking import CATALOG

CHAT = {"input_tokens": 1024, "output_tokens": 256, "concurrency": 16}


def checked(**request: Any) -> EstimateRequest:
    """A request: Qwen2.5-7B on one RTX 4090 with vLLM 0.33 unless said otherwise."""
    whole = {
        "model": {"id": request.pop("model", "Qwen/Qwen2.5-7B-Instruct")},
        "accelerator": request.pop("accelerator", "nvidia-rtx-4090"),
        "engine": {"name": "vllm", "version": "0.33.0"},
        "settings": {"max_model_len": 4096, "max_num_seqs": 16},
        "workload": CHAT,
        **request,
    }
    parsed = parse_request(whole, CATALOG)
    assert isinstance(parsed, EstimateRequest), parsed
    return parsed


def answered(**request: Any) -> dict[str, Any]:
    """The answer of the core to such a request: codes and values."""
    return estimate([checked(**request)], CATALOG)[0]


def by_name(items: list[dict[str, Any]], key: str = "code") -> dict[str, dict[str, Any]]:
    """Items of a list of an answer by their code or name."""
    return {item[key]: item for item in items}
