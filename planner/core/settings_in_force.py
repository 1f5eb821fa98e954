"""Every engine setting in force, with the reason for its value: asked for, derived here, or the version's own default."""

import math
from collections.abc import Iterator
from typing import Any

from planner.core.batch import MemoryBatch
from planner.core.outcome import Why
from planner.core.request import EstimateRequest

WHOLE = ("max_model_len", "max_num_seqs", "max_num_batched_tokens", "block_size")
# What an engine without this idea prints nothing about.
NO_SHARE = "whole_context"


def settings_in_force(
    request: EstimateRequest, batch: MemoryBatch, row: int, *, narrow_cache: tuple[str, int] | None
) -> list[tuple[str, Any, Why]]:
    """(name, value, reason) of every setting; None where the value is not known.

    `narrow_cache` is the KV cache dtype that would hold more and the tokens it would hold, where the cache is short.
    """
    return [
        *((name, _whole(batch, name, row), _reason(request, batch, name, row)) for name in WHOLE),
        *_share(request, batch, row),
        ("kv_cache_dtype", request.kv_cache_dtype, _cache_dtype(request, narrow_cache)),
        ("enforce_eager", request.settings.enforce_eager, _eager(request)),
    ]


def _whole(batch: MemoryBatch, name: str, row: int) -> int | None:
    value = float(getattr(batch, name)[row])
    return int(value) if math.isfinite(value) else None


def _reason(request: EstimateRequest, batch: MemoryBatch, name: str, row: int) -> Why:
    if name in request.setting_reasons:
        return request.setting_reasons[name]
    if getattr(request.settings, name) is not None:
        return Why(code="asked_for")
    if name == "max_model_len":
        return Why(
            code="length_of_model", values={"model": request.model.id, "limit": _whole(batch, name, row)}
        )
    default = request.engine.values.get("default_block_size") if name == "block_size" else None
    if default is not None and _whole(batch, name, row) != default:
        return Why(code="block_of_layers", values={"default": default})
    return _default(request)


def _default(request: EstimateRequest) -> Why:
    values = {"engine": request.engine.name, "version": request.engine.version}
    return Why(code="default_of_version", values=values)


def _share(request: EstimateRequest, batch: MemoryBatch, row: int) -> Iterator[tuple[str, Any, Why]]:
    name = "gpu_memory_utilization"
    if request.engine.values["budget"] == NO_SHARE:
        return
    share, total = float(batch.gpu_memory_utilization[row]), float(batch.total_gib[row])
    reason = request.setting_reasons.get(name)
    if reason is None and getattr(request.settings, name) is not None:
        reason = Why(code="asked_for")
    if reason is None:
        reason = _default_share(request, share, total)
    yield name, round(share, 4) if math.isfinite(share) else None, reason


def _default_share(request: EstimateRequest, share: float, total_gib: float) -> Why:
    """The version's own share, and what it leaves; a card that may drive a display has less to give."""
    values: dict[str, Any] = {"engine": request.engine.name, "version": request.engine.version}
    if request.engine.values["budget"] != "share_of_total" or math.isnan(total_gib):
        return Why(code="default_of_version", values=values)
    values["reserve_gib"] = (1 - share) * total_gib
    card = request.accelerator
    display = card is not None and card.accelerator_class in ("consumer", "workstation")
    return Why(code="default_share_with_display" if display else "default_share", values=values)


def _cache_dtype(request: EstimateRequest, narrow_cache: tuple[str, int] | None) -> Why:
    if narrow_cache is not None:
        dtype, tokens = narrow_cache
        return Why(code="narrower_cache_would_hold", values={"dtype": dtype, "tokens": tokens})
    return Why(code="cache_as_model" if request.kv_cache_dtype == "auto" else "asked_for")


def _eager(request: EstimateRequest) -> Why:
    return Why(code="asked_for") if request.settings.enforce_eager else _default(request)
