"""Both sides of running it: batching, the engine, the share of memory, block size, error correction."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from planner.core.beside import Beside, is_card
from planner.core.outcome import Advice
from planner.core.specs import Catalog
from planner.core.units import GIB

BATCHING = "https://www.anyscale.com/blog/continuous-batching-llm-inference"
ENGINES = "https://chinmayhebbal.com/blogs/llm-serving-benchmark.html"
CHUNKS = "https://docs.vllm.ai/en/stable/configuration/optimization/"
HIGH_SHARE = "https://github.com/vllm-project/vllm/issues/57475"
BLOCKS = "https://www.mintlify.com/vllm-project/vllm/concepts/paged-attention"
NO_ECC = "https://fridayswithfaraday.com/posts/gpu-hw-ecc-memory-reliability"
ECC_COST = "https://support.chaos.com/hc/en-us/articles/24886637113617-ECC-State-for-Nvidia-GPUs-Error-Correcting-Code"

HIGHEST_SHARE = 0.95
USUAL_SHARE = 0.9
# Waste of half a block per request that is worth a word, as a share of a mean request.
BLOCK_WASTE = 0.02
WORTH_PERCENT = 3.0


def advice_on_running(found: Beside, catalog: Catalog) -> Iterator[Advice]:
    """Remarks on how one plan is run."""
    yield from _batching(found)
    yield from _chunk(found)
    yield from _share(found)
    yield from _block(found)
    yield from _error_correction(found, catalog.accelerator_records)
    if is_card(found.plan.request.accelerator) and math.isfinite(found.plan.of_speed("tpot_ms")):
        engine = {"engine": found.plan.request.engine.name}
        yield Advice(code="engines_not_ranked", severity="info", values=engine, source=ENGINES)


def _batching(found: Beside) -> Iterator[Advice]:
    """What serving together gains over one request after another, and what each of them pays."""
    plan, alone = found.plan, found.running("alone")
    if alone is None or math.isnan(plan.of_speed("tpot_ms")):
        return
    values = {
        "running": plan.of_speed("running"),
        "tokens_per_s": plan.of_speed("output_tokens_per_s"),
        "alone_tokens_per_s": alone.of_speed("output_tokens_per_s"),
        "ratio": plan.of_speed("output_tokens_per_s") / alone.of_speed("output_tokens_per_s"),
        "tpot_ms": plan.of_speed("tpot_ms"),
        "alone_tpot_ms": alone.of_speed("tpot_ms"),
    }
    yield Advice(code="batching_gain", severity="info", values=values, source=BATCHING)


def _chunk(found: Beside) -> Iterator[Advice]:
    """Nobody waits for a token: a larger share of each pass for prompts."""
    plan, offline = found.plan, found.running("offline")
    if offline is None:
        return
    gain = 100 * (offline.of_speed("output_tokens_per_s") / plan.of_speed("output_tokens_per_s") - 1)
    if math.isfinite(gain) and gain >= WORTH_PERCENT:
        values = {
            "chunk": int(offline.of_memory("max_num_batched_tokens")),
            "now": int(plan.of_memory("max_num_batched_tokens")),
            "percent": gain,
        }
        yield Advice(code="offline_chunk", severity="info", values=values, source=CHUNKS)


def _share(found: Beside) -> Iterator[Advice]:
    """A larger share holds more requests and leaves less for a peak; a smaller one the other way round."""
    plan = found.plan
    share, total = plan.of_memory("gpu_memory_utilization"), plan.of_memory("total_gib")
    per_token = plan.of_memory("kv_bytes_per_token")
    card = plan.request.accelerator
    if plan.request.engine.values["budget"] != "share_of_total" or not plan.fits or not per_token > 0:
        return
    if card is None or card.unified_memory or card.accelerator_class == "cpu":
        return
    other = HIGHEST_SHARE if share < HIGHEST_SHARE else USUAL_SHARE
    gib = abs(other - share) * total
    values = {
        "share": share,
        "other": other,
        "tokens": gib * GIB / per_token,
        "reserve_gib": (1 - share) * total,
        "other_reserve_gib": (1 - other) * total,
    }
    code = "larger_share" if other > share else "smaller_share"
    yield Advice(code=code, severity="info", values=values, source=HIGH_SHARE)


def _block(found: Beside) -> Iterator[Advice]:
    """The last block of every request is half empty on average."""
    plan, workload = found.plan, found.plan.request.workload
    block = plan.of_memory("block_size")
    if workload is None or not plan.fits or plan.request.engine.values["budget"] == "whole_context":
        return
    mean = workload.input_tokens + workload.output_tokens / 2
    waste = block / 2 / mean
    asked = plan.request.settings.block_size is not None
    if math.isfinite(waste) and (asked or waste > BLOCK_WASTE):
        values = {"block_size": int(block), "tokens": block / 2, "percent": 100 * waste}
        yield Advice(code="block_size_trade", severity="info", values=values, source=BLOCKS)


def _error_correction(found: Beside, records: Mapping[str, Mapping[str, Any]]) -> Iterator[Advice]:
    """Cards without error correction cost less and do not notice a flipped bit."""
    card = found.plan.request.accelerator
    if card is None or not is_card(card):
        return
    has = records.get(card.id, {}).get("ecc")
    if has is False:
        yield Advice(code="no_error_correction", severity="info", values={"name": card.name}, source=NO_ECC)
    elif has is True and card.accelerator_class in ("consumer", "workstation"):
        yield Advice(
            code="error_correction_can_be_off", severity="info", values={"name": card.name}, source=ECC_COST
        )
