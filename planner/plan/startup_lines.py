"""What an engine version prints when it starts, as far as it is predicted: a table from version to lines."""

from collections.abc import Mapping
from typing import Any

# Placeholders are those of the contract's startup_log, and max_model_len.
_VLLM_BLOCKS = (
    "Loading model weights took {weights_gib:.4f} GB",
    "# GPU blocks: {blocks}, # CPU blocks: …",
    "Maximum concurrency for {max_model_len} tokens per request: {max_concurrency:.2f}x",
)
_VLLM_LINES = (
    "Model loading took {weights_gib:.4f} GiB and … seconds",
    "Available KV cache memory: {available_kv_cache_gib:.2f} GiB",
    "GPU KV cache size: {kv_cache_tokens:,} tokens",
    "Maximum concurrency for {max_model_len:,} tokens per request: {max_concurrency:.2f}x",
)
_VLLM_ROUNDED = ("Model loading took {weights_gib:.2f} GiB memory and … seconds", *_VLLM_LINES[1:])
_VLLM_JOINED = (
    *_VLLM_ROUNDED[:2],
    "GPU KV cache size: {kv_cache_tokens:,} tokens, "
    "Maximum concurrency for {max_model_len:,} tokens per request: {max_concurrency:.2f}x",
)
_SGLANG = (
    "Load weight end. … mem usage={weights_gib:.2f} GB.",
    "KV Cache is allocated. #tokens: {kv_cache_tokens}, …",
)
_TENSORRT_LLM = (
    "Allocated {available_kv_cache_gib:.2f} GiB for max tokens in paged KV cache ({kv_cache_tokens}).",
)
_LLAMA_CPP = (
    "load_tensors: … model buffer size = {weights_mib:.2f} MiB",
    "llama_kv_cache: … size = {available_kv_cache_mib:.2f} MiB",
)

# First version that prints so, oldest first.
LINES: Mapping[str, tuple[tuple[tuple[int, ...], tuple[str, ...]], ...]] = {
    "vllm": (
        ((0,), _VLLM_BLOCKS),
        ((0, 8), _VLLM_LINES),
        ((0, 13), _VLLM_ROUNDED),
        ((0, 20, 2), _VLLM_JOINED),
    ),
    "sglang": (((0,), _SGLANG),),
    "tensorrt-llm": (((0,), _TENSORRT_LLM),),
    "llama.cpp": (((0,), _LLAMA_CPP),),
}


def startup_lines(
    engine: str, version: str, log: Mapping[str, Any], *, max_model_len: int | None, block_size: int
) -> list[str]:
    """The predicted lines. A line whose figure is not known is left out; … stands for what is not predicted."""
    lines = next(
        (lines for first, lines in reversed(LINES.get(engine, ())) if _release(version) >= first), ()
    )
    starts = bool(
        log.get("kv_cache_tokens")
    )  # without room for a token the engine stops before it counts them
    values = {
        **log,
        "kv_cache_tokens": log["kv_cache_tokens"] if starts else None,
        "max_concurrency": log["max_concurrency"] if starts else None,
        "max_model_len": max_model_len,
        "blocks": _divided(log.get("kv_cache_tokens") or None, block_size),
        "weights_mib": _times(log.get("weights_gib"), 1024),
        "available_kv_cache_mib": _times(log.get("available_kv_cache_gib"), 1024),
    }
    return [line.format_map(values) for line in lines if _all_known(line, values)]


def _all_known(line: str, values: Mapping[str, Any]) -> bool:
    return all(values[name] is not None for name in values if "{" + name in line)


def _release(version: str) -> tuple[int, ...]:
    """0.20.2 as numbers; a build of llama.cpp (b4800) as one. Ends at the first part that is no number."""
    parts: list[int] = []
    for part in version.lstrip("vb").split("."):
        if not part.isdigit():
            break
        parts.append(int(part))
    return tuple(parts)


def _divided(value: float | None, by: int) -> int | None:
    return None if value is None else int(value // by)


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor
