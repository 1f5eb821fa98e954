"""Names of what is planned, resolved against the catalog: what sentences and pictures talk about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from planner.core.figures import NBSP
from planner.core.request import EstimateRequest

ENGINE_NAMES = {"vllm": "vLLM", "sglang": "SGLang", "tensorrt-llm": "TensorRT-LLM", "llama.cpp": "llama.cpp"}
MAIN_MEMORY_CLASSES = frozenset({"cpu", "edge", "apple", "npu"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """Names of what is planned, resolved: what the sentences talk about."""

    model: str
    card: str | None
    count: int
    cards_per_replica: int
    engine: str
    parallelism: str
    max_model_len: int | None = None
    block_size: int = 16
    engine_name: str = ""
    engine_version: str = ""
    accelerator_class: str = ""
    utilization: float | None = None  # gpu_memory_utilization in force

    @property
    def main_memory(self) -> bool:
        """Whether the model lies in the memory of the machine rather than in that of a card."""
        return self.accelerator_class in MAIN_MEMORY_CLASSES

    @property
    def each(self) -> str:
        """One of them, as the memory bar names it."""
        if self.accelerator_class == "cpu":
            return _("Each machine") if self.count > 1 else _("Machine")
        if self.main_memory:
            return _("Each device") if self.count > 1 else _("Device")
        return _("Each card") if self.count > 1 else _("Card")

    @property
    def cards(self) -> str:
        return f"{self.count}{NBSP}×{NBSP}{self.card}" if self.card else _("no accelerator")

    @property
    def replica(self) -> str:
        """The cards that hold one copy of the model."""
        return f"{self.cards_per_replica}{NBSP}×{NBSP}{self.card}"


def _model_name(model_id: str) -> str:
    """A pasted config that names no model has the id config:<model_type>."""
    kind = model_id.removeprefix("config:")
    return model_id if kind == model_id else f"{kind} (config.json)"


def setup_of(parsed: EstimateRequest, settings: Sequence[Mapping[str, Any]] = ()) -> Setup:
    """Names out of a parsed request; `settings` are those in force, as an answer lists them."""
    in_force = {item["name"]: item["value"] for item in settings}
    degrees = parsed.parallelism
    shown = [
        f"{name}{NBSP}{value}"
        for name, value in (("TP", degrees.tensor), ("PP", degrees.pipeline), ("DP", degrees.data))
        if value > 1
    ]
    if degrees.expert:
        shown.append("EP")
    return Setup(
        model=_model_name(parsed.model.id),
        card=parsed.accelerator.name if parsed.accelerator else None,
        count=parsed.count,
        cards_per_replica=degrees.tensor * degrees.pipeline,
        engine=f"{ENGINE_NAMES.get(parsed.engine.name, parsed.engine.name)} {parsed.engine.version}",
        parallelism=", ".join(shown),
        max_model_len=in_force.get("max_model_len")
        or parsed.settings.max_model_len
        or parsed.model.max_position_embeddings,
        block_size=in_force.get("block_size") or parsed.settings.block_size or 16,
        engine_name=parsed.engine.name,
        engine_version=parsed.engine.version,
        utilization=in_force.get("gpu_memory_utilization", parsed.settings.gpu_memory_utilization),
        accelerator_class=parsed.accelerator.accelerator_class if parsed.accelerator else "",
    )
