"""The same plan on another engine: its request with what that engine calls by another name, or stores otherwise."""

from collections.abc import Mapping
from typing import Any

from planner.core.request import EstimateRequest
from planner.core.settings import sequences_for

EIGHT_BIT_CACHE = {"vllm": "fp8", "sglang": "fp8_e4m3", "tensorrt-llm": "fp8", "llama.cpp": "q8_0"}
CACHES_OF_EIGHT_BITS = frozenset(
    {"fp8", "fp8_e4m3", "fp8_e5m2", "int8", "q8_0", "int8_per_token_head", "fp8_per_token_head", "mxfp8"}
)
# Nearest GGUF type by what a format stores, and the other way round.
GGUF_OF_KERNEL = {
    "fp8": "gguf-q8_0",
    "int8": "gguf-q8_0",
    "int4": "gguf-q4_k_m",
    "nf4": "gguf-q4_k_m",
    "fp4": "gguf-q4_k_m",
}
GGUF_OF_SCHEME = {
    "fp32": "gguf-f32",
    "bf16": "gguf-bf16",
    "fp16": "gguf-f16",
    "mxfp4": "gguf-mxfp4",
    "gptq-int8": "gguf-q8_0",
}
SCHEME_OF_GGUF = {
    "gguf-f32": "fp32",
    "gguf-f16": "fp16",
    "gguf-bf16": "bf16",
    "gguf-mxfp4": "mxfp4",
    "gguf-q8_0": "fp8",
}
FOUR_BIT_SCHEMES = ("awq-int4", "gptq-int4", "int4-g128")
NO_BNB = frozenset({"tensorrt-llm"})
# Settings that mean the same on every engine; a share of memory or a block does not.
DERIVE = "derive"
COMMON_SETTINGS = ("max_model_len", "max_num_seqs", "enforce_eager")


def on_engine(request: Mapping[str, Any], parsed: EstimateRequest, engine: str) -> dict[str, Any]:
    """The request (as JSON, with `parsed` from it) put to another engine in its newest known version."""
    asked = {
        key: value
        for key, value in request.items()
        if key not in {"id", "engine", "kv_cache_dtype", "weights"}
    }
    asked["engine"] = {"name": engine}
    if parsed.kv_cache_dtype in CACHES_OF_EIGHT_BITS:
        asked["kv_cache_dtype"] = EIGHT_BIT_CACHE[engine]
    asked["weights"] = weights_on(parsed, engine)
    asked["settings"] = _settings_on(asked.get("settings"), parsed, engine)
    return asked


def _settings_on(settings: Any, parsed: EstimateRequest, engine: str) -> Any:
    """The settings that mean the same there. llama.cpp has a context for each slot it is told of: it must be told."""
    if settings == DERIVE:
        return DERIVE
    kept = {
        name: value
        for name, value in (settings or {}).items()
        if name in COMMON_SETTINGS and value is not None
    }
    if engine != "llama.cpp" or parsed.workload is None or "max_num_seqs" in kept:
        return kept
    if "max_model_len" not in kept:
        return DERIVE
    return {**kept, "max_num_seqs": sequences_for(parsed.workload.concurrency, parsed.parallelism.data)}


def weights_on(parsed: EstimateRequest, engine: str) -> str | None:
    """The scheme nearest to the plan's that the engine reads; None: as published."""
    scheme = parsed.scheme
    if engine == "llama.cpp":
        if scheme.kernel == "gguf":
            return scheme.id
        return GGUF_OF_SCHEME.get(scheme.id) or GGUF_OF_KERNEL.get(scheme.kernel, "gguf-q4_k_m")
    if scheme.kernel == "gguf":
        return SCHEME_OF_GGUF.get(scheme.id) or _four_bit(parsed)
    if scheme.kernel == "nf4" and engine in NO_BNB:
        return _four_bit(parsed)
    return None if parsed.scheme_as_published else scheme.id


def _four_bit(parsed: EstimateRequest) -> str:
    """A 4-bit scheme that this model is published in, else the common one."""
    published = {stored for stored, _ in parsed.model.release_ids}
    return next((scheme for scheme in FOUR_BIT_SCHEMES if scheme in published), FOUR_BIT_SCHEMES[-1])
