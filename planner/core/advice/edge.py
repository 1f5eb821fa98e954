"""Remarks on small machines and on CPU serving: shared memory, the pace that bandwidth sets, prompts, sockets, starts."""

import math
from collections.abc import Iterator

from planner.core.batch import MemoryBatch, SpeedBatch
from planner.core.outcome import Advice
from planner.core.request import EstimateRequest
from planner.core.specs import AcceleratorSpec, Catalog, ModelSpec
from planner.core.sustained import long_run
from planner.core.units import GB, GIB
from planner.core.weights import part_bytes
from planner.core.work import sockets

SMALL_CLASSES = frozenset({"edge", "npu"})
PHONE_VENDORS = frozenset({"Qualcomm", "MediaTek", "Apple iPhone"})
SHORT_CONTEXT = 1024
FOUR_BIT, EIGHT_BIT = "gguf-q4_k_m", "gguf-q8_0"
# Sequential reads in GB/s: an NVMe drive, the flash of phones and boards, an SD card
NVME_GB_S, FLASH_GB_S, CARD_GB_S = 3.0, 0.5, 0.08
LASTING_SHARE = 0.95
SLOW_PROMPT_S = 1.0
DENSE_GB = 8.0
STORAGE_RULE = "rule of thumb"
TWO_SOCKETS = (
    "https://github.com/mozilla-ai/llamafile/issues/765 (4 tokens/s on two sockets, 8 pinned to one); "
    "https://github.com/ggml-org/llama.cpp/issues/11744 (2.4 and 4.3 tokens/s of 70B in 16 bits); "
    "https://dev.to/leaseweb/cpu-inference-on-amd-epyc-9334-real-numbers-for-llm-and-tts-workloads-54e7"
)
THREADS = "https://github.com/ggml-org/llama.cpp/issues/6434 (fastest near 60 threads on 96 cores)"
SPARSE = "https://inventivehq.com/blog/moe-on-cpu-benchmark (10.6 tokens/s of a 30B-A3B, 4.9 of a dense 7B, one CPU)"
MAC_PLUGIN = "https://docs.vllm.ai/en/latest/getting_started/installation"
APP_LIMIT = "https://developer.apple.com/forums/thread/826325"


def edge_advice(
    request: EstimateRequest, memory: MemoryBatch, speed: SpeedBatch, row: int, catalog: Catalog
) -> list[Advice]:
    """All remarks of this module on one row; none for graphics cards and servers."""
    card = request.accelerator
    if card is None:
        return []
    found: list[Advice] = []
    if card.accelerator_class == "apple" and request.engine.name == "vllm":
        found.append(Advice(code="vllm_on_mac_needs_plugin", severity="info", source=MAC_PLUGIN))
    if memory.verdicts[row] not in ("fits", "does_not_fit"):
        return found
    if card.unified_memory and card.accelerator_class != "cpu":
        found.extend(_shared_memory(card, memory, row))
    if memory.verdicts[row] != "fits" or not speed.tpot_ms[row] > 0:
        return found
    if card.accelerator_class in SMALL_CLASSES:
        found.extend(_warm(card, request.count, catalog))
        found.extend(_small(request, card, memory, speed, row))
        found.extend(_four_bits(request.model, catalog))
    if card.accelerator_class == "cpu":
        found.extend(_cores(request, card, speed, row))
    return found


def _shared_memory(card: AcceleratorSpec, memory: MemoryBatch, row: int) -> Iterator[Advice]:
    usable, installed = float(memory.total_gib[row]), card.memory_gb
    if installed and math.isfinite(usable) and usable < installed:
        origin = card.provenance.get("memory_gib")
        yield Advice(
            code="memory_shared_with_system",
            severity="info",
            values={
                "usable_gib": usable,
                "installed_gib": installed,
                "percent": round(100 * usable / installed),
            },
            source=origin.source if origin is not None else "",
        )
    if card.accelerator_class == "edge" and card.vendor in PHONE_VENDORS:
        yield Advice(code="phone_app_memory_limit", severity="warning", source=APP_LIMIT)


def _small(
    request: EstimateRequest, card: AcceleratorSpec, memory: MemoryBatch, speed: SpeedBatch, row: int
) -> Iterator[Advice]:
    if speed.running[row] == 1.0 and card.bandwidth_gb_s is not None:
        yield Advice(
            code="bandwidth_sets_the_pace",
            severity="info",
            values={
                "bandwidth_gb_s": card.bandwidth_gb_s,
                "efficiency": round(float(speed.mbu[row]), 2),
                "gb_per_token": float(speed.bytes_per_step[row]) / GB,
                "tokens_per_s": float(1e3 / speed.decode_step_ms[row]),
            },
        )
    yield from _short_context(request, memory, speed, row)
    gigabytes = float(memory.weights_gib[row]) * GIB / GB
    yield Advice(
        code="load_time",
        severity="info",
        values={
            "gib": float(memory.weights_gib[row]),
            "ssd_s": gigabytes / NVME_GB_S,
            "flash_s": gigabytes / FLASH_GB_S,
            "card_s": gigabytes / CARD_GB_S,
        },
        source=STORAGE_RULE,
    )


def _warm(card: AcceleratorSpec, count: int, catalog: Catalog) -> Iterator[Advice]:
    rule = long_run(catalog.power, card, count)
    if rule is not None and rule["share"] < LASTING_SHARE:
        values = {"percent": round(100 * rule["share"])}
        yield Advice(
            code="first_speed_does_not_last", severity="warning", values=values, source=rule["source"]
        )


def _four_bits(model: ModelSpec, catalog: Catalog) -> Iterator[Advice]:
    if FOUR_BIT not in catalog.schemes or EIGHT_BIT not in catalog.schemes:
        return
    four, eight = (part_bytes(model, catalog.schemes[name]).total / GIB for name in (FOUR_BIT, EIGHT_BIT))
    values = {"four_gib": four, "eight_gib": eight, "ratio": round(eight / four, 1)}
    yield Advice(code="four_bit_halves_eight", severity="info", values=values)


def _short_context(
    request: EstimateRequest, memory: MemoryBatch, speed: SpeedBatch, row: int
) -> Iterator[Advice]:
    workload, per_token = request.workload, float(memory.kv_bytes_per_token[row])
    if workload is None or not math.isfinite(per_token):
        return
    seconds = float(speed.ttft_ms[row]) / workload.input_tokens
    values = {
        "tokens": f"{SHORT_CONTEXT:,}",
        "mib": round(per_token * SHORT_CONTEXT / (1 << 20)),
        "seconds": seconds,
    }
    yield Advice(code="context_is_cheap_when_short", severity="info", values=values)


def _cores(request: EstimateRequest, card: AcceleratorSpec, speed: SpeedBatch, row: int) -> Iterator[Advice]:
    if sockets(card) > 1:
        yield Advice(code="two_sockets_need_numa", severity="warning", source=TWO_SOCKETS)
    workload, first_s = request.workload, float(speed.ttft_ms[row]) / 1e3
    if workload is not None and first_s > SLOW_PROMPT_S:
        yield Advice(
            code="prompts_are_slow_on_cores",
            severity="info",
            values={"input_tokens": workload.input_tokens, "seconds": first_s},
        )
    if request.engine.name == "llama.cpp":
        yield Advice(code="threads_are_physical_cores", severity="info", source=THREADS)
    yield from _sparse_or_dense(request)
    origin = card.provenance.get("memory_gib")
    if origin is not None and origin.kind == "assumed" and card.memory_gib is not None:
        values = {"memory_gib": card.memory_gib}
        yield Advice(code="memory_of_machine_assumed", severity="info", values=values)


def _sparse_or_dense(request: EstimateRequest) -> Iterator[Advice]:
    """How much of the weights one token reads, for a machine with much memory and little bandwidth."""
    model = request.model
    parts = part_bytes(model, request.scheme)
    total = parts.total
    if model.moe is None:
        if total / GB > DENSE_GB:
            yield Advice(code="dense_on_cores", severity="info", values={"gb": total / GB}, source=SPARSE)
        return
    idle = parts.routed * (1.0 - model.moe.experts_per_token / model.moe.num_experts)
    values = {"active_percent": round(100 * (total - idle) / total), "active_gb": (total - idle) / GB}
    yield Advice(code="sparse_models_suit_cores", severity="info", values=values, source=SPARSE)
