"""Remarks beside the verdict: what the asker should know before trusting or using the answer."""

import math
from collections.abc import Iterator

from planner.core.advice.memory import memory_advice
from planner.core.batch import MemoryBatch, SpeedBatch
from planner.core.outcome import Advice
from planner.core.request import EstimateRequest

LOW_CONFIDENCE_KINDS = ("unsure", "assumed")


def advice_for(request: EstimateRequest, memory: MemoryBatch, speed: SpeedBatch, row: int) -> list[Advice]:
    """All remarks on one row."""
    return [
        *_on_input(request),
        *_on_card(request),
        *memory_advice(request, memory, row),
        *_on_result(request, memory, speed, row),
    ]


def _on_input(request: EstimateRequest) -> Iterator[Advice]:
    if request.engine.beyond_newest:
        yield Advice(
            code="engine_version_beyond_tables",
            severity="warning",
            values={"engine": request.engine.name, "version": request.engine.version},
        )
    if request.derive_settings and request.workload is not None and request.workload.longest_tokens is None:
        yield Advice(
            code="settings_derived",
            severity="warning",  # of requests that vary, many are longer than the mean and a fifth
            values={
                "max_model_len": request.settings.max_model_len,
                "max_num_seqs": request.settings.max_num_seqs,
            },
        )
    if request.settings.enforce_eager:
        yield Advice(code="eager_mode_slows_decode", severity="warning")


def _on_card(request: EstimateRequest) -> Iterator[Advice]:
    card = request.accelerator
    if card is None:
        return
    for name in ("bandwidth_gb_s", "memory_gib", "fp16_tflops"):
        origin = card.provenance.get(name)
        if name == "fp16_tflops" and card.fp32_shader_tflops is not None:
            continue  # the shader rate stands in for it
        if getattr(card, name) is None:
            yield Advice(
                code="accelerator_figure_unknown",
                severity="warning",
                values={"figure": name, "name": card.name},
            )
        elif origin is not None and origin.kind in LOW_CONFIDENCE_KINDS and name != "fp16_tflops":
            yield Advice(
                code="accelerator_figure_unsure",
                severity="warning",
                values={"figure": name, "name": card.name},
                source=origin.source,
            )


def _on_result(
    request: EstimateRequest, memory: MemoryBatch, speed: SpeedBatch, row: int
) -> Iterator[Advice]:
    if memory.verdicts[row] != "fits":
        return
    parallelism = request.parallelism
    if parallelism.tensor > 1 and request.link is not None and request.link.kind.startswith("pcie"):
        share = speed.interconnect_ms[row] / speed.tpot_ms[row]
        if math.isfinite(share) and share > 0.15:
            yield Advice(
                code="interconnect_takes_share",
                severity="info",
                values={"percent": round(100 * share), "link": request.link.kind},
            )
    low, high = speed.tpot_low_ms[row], speed.tpot_high_ms[row]
    if math.isfinite(low) and low > 0 and high / low > 2:
        yield Advice(code="interval_wide", severity="info", values={"ratio": round(float(high / low), 1)})
