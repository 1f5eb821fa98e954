"""Both sides of number formats: weights by size and by layer group, and the KV cache before or after them."""

import math
from collections.abc import Iterator
from typing import Any

from planner.core.beside import SIXTEEN_BIT_BYTES, WIDE_CACHES, Beside
from planner.core.launch.checkpoint import is_hub_name, release_for
from planner.core.outcome import Advice
from planner.core.settings import longest_tokens
from planner.core.units import GIB
from planner.core.weights import part_bytes

ACCURACY = "https://arxiv.org/abs/2411.02355"
LAYER_GROUPS = "https://qwen.readthedocs.io/en/stable/quantization/llama.cpp.html"
NARROW_EMBEDDINGS = "https://docs.vllm.ai/projects/llm-compressor/en/latest/examples/quantization_embedding/"
CACHE_SCALES = "https://docs.vllm.ai/en/latest/features/quantization/quantized_kvcache/"
CACHE_SPEED = "https://github.com/vllm-project/vllm/pull/49050"
CACHE_LONG_CONTEXT = "https://github.com/vllm-project/vllm/issues/23813"
KEYS_BY_CHANNEL = "https://huggingface.co/papers/2402.02750"

# What engines make out of wide weights while they load them.
ON_LOAD = {"vllm": ("fp8",), "sglang": ("fp8",)}
# Below this many parameters 4-bit weights lose more than above it.
SMALL_MODEL = 10e9
LONG_CONTEXT = 32_768
WORTH_PERCENT = 3.0


def advice_on_formats(found: Beside) -> Iterator[Advice]:
    """Remarks on the stored weights and the cache of one plan."""
    yield from _weights(found)
    yield from _release(found)
    yield from _layer_groups(found)
    if found.plan.request.kv_cache_dtype in WIDE_CACHES:
        yield from _cache_or_weights(found)
    else:
        yield from _narrow_cache(found)


def _weights(found: Beside) -> Iterator[Advice]:
    """What the width of the weights buys, and what it costs in accuracy."""
    plan, scheme = found.plan, found.plan.request.scheme
    if scheme.bytes_per_weight >= SIXTEEN_BIT_BYTES:
        narrow = found.variants.get("narrow")
        if narrow is None or math.isnan(plan.of_memory("weights_gib")):
            return
        values: dict[str, Any] = {
            "gib": plan.of_memory("weights_gib"),
            "narrow_gib": narrow.of_memory("weights_gib"),
            "scheme": narrow.request.scheme.id,
            "percent": _gain_percent(found, "narrow"),
        }
        known = math.isfinite(values["percent"])
        code = "wide_weights" if known else "wide_weights_unmeasured"
        yield Advice(code=code, severity="info", values=values, source=ACCURACY)
        return
    if plan.request.model.native_weight_format is not None and plan.request.scheme_as_published:
        return  # made in this format: there is no wider one to lose against
    parameters = found.plan.request.model.linear_params + found.plan.request.model.routed_params
    values = {"scheme": scheme.id, "billion": parameters / 1e9}
    if scheme.bytes_per_weight >= 1.0:
        code = "eight_bit_float_weights" if scheme.compute_dtype == "fp8" else "eight_bit_weights"
        yield Advice(code=code, severity="info", values=values, source=ACCURACY)
        return
    small = parameters < SMALL_MODEL and not found.plan.request.scheme_as_published
    code = "four_bit_weights_small_model" if parameters < SMALL_MODEL else "four_bit_weights"
    yield Advice(code=code, severity="warning" if small else "info", values=values, source=ACCURACY)


def _release(found: Beside) -> Iterator[Advice]:
    """That weights in this format are not to be had: a checkpoint takes time, memory and a test of its own."""
    request = found.plan.request
    wide = request.model.native_weight_format is None and request.model.scheme is None
    made = wide and request.scheme.id in ON_LOAD.get(request.engine.name, ())
    plain = request.scheme.kernel in ("dense", "gguf") or request.scheme_as_published
    if plain or made or not is_hub_name(request.model) or release_for(request) is not None:
        return
    total = part_bytes(request.model, request.scheme).total / GIB
    values = {"scheme": request.scheme.id, "model": request.model.id, "gib": total}
    yield Advice(code="format_not_published", severity="warning", values=values)


def _gain_percent(found: Beside, name: str) -> float:
    """How much more throughput a variant has, in percent; NaN where one of the two is not known."""
    other = found.running(name)
    if other is None:
        return math.nan
    return 100 * (other.of_speed("output_tokens_per_s") / found.plan.of_speed("output_tokens_per_s") - 1)


def _layer_groups(found: Beside) -> Iterator[Advice]:
    """Where the bytes of a quantized model are: what stays wide, and the matrices in the middle that pay for it."""
    request = found.plan.request
    if request.scheme.bytes_per_weight >= SIXTEEN_BIT_BYTES:
        return
    model, parts = request.model, part_bytes(request.model, request.scheme)
    wide = parts.embedding + parts.lm_head
    share = 100 * wide / parts.total
    ffn = 3.0 * (model.intermediate_size or 0) * model.hidden_size * model.num_layers
    matmuls = model.linear_params + model.routed_params
    middle = 100 * (model.routed_params or min(ffn, model.linear_params)) / matmuls if matmuls else math.nan
    values = {"wide_gib": wide / GIB, "percent": share, "middle_percent": middle}
    gguf = request.scheme.kernel == "gguf"
    yield Advice(
        code="layer_groups_mixed" if gguf else "layer_groups_wide_ends",
        severity="info",
        values=values,
        source=LAYER_GROUPS if gguf else NARROW_EMBEDDINGS,
    )


def _cache_or_weights(found: Beside) -> Iterator[Advice]:
    """Which of the two formats gives this plan more room, and what an 8-bit cache does to speed."""
    plan, cache = found.plan, found.variants.get("narrow_cache")
    if cache is None or not cache.fits:
        return
    weights = found.variants.get("narrow")
    now = plan.of_memory("kv_cache_tokens") if plan.fits else 0.0
    values: dict[str, Any] = {
        "dtype": cache.request.kv_cache_dtype,
        "cache_tokens": cache.of_memory("kv_cache_tokens") - now,
        "percent": _gain_percent(found, "narrow_cache"),
        "kv_percent": 100 * plan.of_speed("kv_ms") / plan.of_speed("tpot_ms"),
    }
    known = math.isfinite(values["percent"]) and math.isfinite(values["kv_percent"])
    if not known or values["cache_tokens"] < 1:  # a cache of the whole context has no more room than that
        return
    if weights is None or not weights.fits:
        yield Advice(code="narrow_cache_gain", severity="info", values=values, source=CACHE_SPEED)
        return
    values["weight_tokens"] = weights.of_memory("kv_cache_tokens") - now
    values["scheme"] = weights.request.scheme.id
    first = "cache" if values["cache_tokens"] >= values["weight_tokens"] else "weights"
    yield Advice(code=f"{first}_first", severity="info", values=values, source=CACHE_SPEED)


def _narrow_cache(found: Beside) -> Iterator[Advice]:
    """Scales and long contexts of a cache that is quantized already."""
    request = found.plan.request
    values: dict[str, Any] = {"dtype": request.kv_cache_dtype}
    if request.kv_cache_dtype.startswith("fp8"):
        yield Advice(code="cache_scales", severity="info", values=values, source=CACHE_SCALES)
    elif request.engine.name == "llama.cpp":
        yield Advice(code="cache_keys_before_values", severity="info", values=values, source=KEYS_BY_CHANNEL)
    workload = request.workload
    longest = longest_tokens(workload) if workload is not None else 0
    if longest >= LONG_CONTEXT:
        values = {**values, "tokens": float(longest)}
        yield Advice(code="cache_long_context", severity="warning", values=values, source=CACHE_LONG_CONTEXT)
