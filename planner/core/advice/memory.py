"""Remarks on formats, context and margins: things that start, but not as their names promise."""

from collections.abc import Iterator

from planner.core.batch import MemoryBatch
from planner.core.outcome import Advice
from planner.core.request import EstimateRequest
from planner.core.validity import UNSUPPORTED_CODES

# What a scheme computes in, by the word that accelerators use for it.
MATRIX_DTYPES = {"fp8": "fp8", "int8": "int8", "fp4": "fp4"}


def memory_advice(request: EstimateRequest, batch: MemoryBatch, row: int) -> Iterator[Advice]:
    """All remarks of this module on one row."""
    if not any(reason.code in UNSUPPORTED_CODES for reason in batch.reasons[row]):
        yield from _format(request)
    yield from _context(request, batch, row)
    if batch.verdicts[row] == "fits":
        yield from _margin(request, batch, row)


def _format(request: EstimateRequest) -> Iterator[Advice]:
    card, scheme = request.accelerator, request.scheme
    dtype = MATRIX_DTYPES.get(scheme.compute_dtype)
    if card is None or dtype is None or scheme.weight_only or dtype in card.native_dtypes:
        return
    values = {"scheme": scheme.id, "dtype": dtype, "name": card.name}
    if dtype in card.unknown_dtypes:
        yield Advice(code="format_support_unknown", severity="warning", values=values)
    else:
        source = request.engine.provenance.get("weight_only_fallback")
        yield Advice(
            code="format_weight_only",
            severity="info",
            values=values,
            source=source.source if source is not None else "",
        )


def _context(request: EstimateRequest, batch: MemoryBatch, row: int) -> Iterator[Advice]:
    limit, asked = request.model.max_position_embeddings, int(batch.max_model_len[row])
    if asked > limit and request.engine.values["context_above_limit"] == "warned":
        yield Advice(
            code="context_above_trained_length",
            severity="warning",
            values={"max_model_len": asked, "limit": limit},
        )


def _margin(request: EstimateRequest, batch: MemoryBatch, row: int) -> Iterator[Advice]:
    """The low end of the interval holds less than one request: the start may still be refused."""
    if request.engine.values["budget"] == "whole_context":
        return
    concurrency, kv_gib = float(batch.max_concurrency[row]), float(batch.kv_cache_gib[row])
    if not concurrency:
        return
    needed = kv_gib / concurrency
    low = float(batch.kv_cache_low_gib[row])
    if low < needed:
        values = {"spare_gib": kv_gib - needed, "needed_gib": needed, "low_gib": low}
        yield Advice(code="memory_margin_thin", severity="warning", values=values)
