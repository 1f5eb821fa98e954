"""The working behind the memory figures of one row, built only when somebody asks."""

import math

from planner.core.batch import MemoryBatch
from planner.core.defaults import Resolved, resolve
from planner.core.kv import LayerCache
from planner.core.layout import Layout, caches_of, layout_of, spread
from planner.core.outcome import Term
from planner.core.request import EstimateRequest
from planner.core.specs import AcceleratorSpec, Provenance
from planner.core.units import GIB
from planner.core.weights import part_bytes, published_scheme_id

DIGITS = 4
BUDGET_FORMULAS = {
    "share_of_total": "total × utilization",
    "static_share": "total × static share",
    "share_of_free": "total",
    "whole_context": "total",
}
POOL_FORMULAS = {
    "share_of_total": "budget − weights − activation − non-torch − graphs inside the budget",
    "static_share": "budget − weights − non-torch",
    "share_of_free": "share × (total − weights − activation − non-torch − graphs)",
    "whole_context": "cache of the whole context",
}


def terms(request: EstimateRequest, batch: MemoryBatch, row: int) -> list[Term]:
    """Formula, values and source of every memory figure of one row, in the order of the sum."""
    layout, resolved = layout_of(request), resolve(request)
    found = [_kv_bytes_per_token(request, layout, batch, row), _weights(request, batch, row)]
    card = request.accelerator
    if card is not None and not math.isnan(resolved.total_gib):
        found.insert(0, _total(request, card, resolved))
        found.insert(1, _budget(request, batch, row))
    found.extend(
        (
            _activation(request, resolved, batch, row),
            _from_table(request, batch.non_torch_gib[row], "non_torch_gib", "by tensor degree and link"),
            _graphs(request, resolved, batch, row),
            _pool(request, batch, row),
            _one_request(request, layout, resolved, batch, row),
            _capacity(batch, row),
        )
    )
    return found


def _rounded(value: float, digits: int = DIGITS) -> float | None:
    return round(float(value), digits) if math.isfinite(value) else None


def _origin(request: EstimateRequest, key: str) -> tuple[str, str]:
    """(source, kind) of a value of the engine's tables."""
    found = request.engine.provenance.get(key)
    return (found.source, found.kind) if found is not None else ("", "assumed")


def _total(request: EstimateRequest, card: AcceleratorSpec, resolved: Resolved) -> Term:
    source, kind = _origin(request, "os_share_of_unified" if card.unified_memory else "driver_reserved")
    return Term(
        term="total_gib",
        formula="reported memory − what driver or system keeps",
        values={"reported_gib": card.memory_gib},
        result=_rounded(resolved.total_gib),
        unit="GiB",
        source=source,
        kind=kind,
    )


def _budget(request: EstimateRequest, batch: MemoryBatch, row: int) -> Term:
    source, kind = _origin(request, "gpu_memory_utilization")
    given = request.settings.gpu_memory_utilization is not None
    return Term(
        term="budget_gib",
        formula=BUDGET_FORMULAS[request.engine.values["budget"]],
        values={
            "total_gib": _rounded(batch.total_gib[row]),
            "utilization": _rounded(batch.gpu_memory_utilization[row]),
        },
        result=_rounded(batch.budget_gib[row]),
        unit="GiB",
        source="as asked" if given else source,
        kind="computed" if given else kind,
    )


def _weights(request: EstimateRequest, batch: MemoryBatch, row: int) -> Term:
    parts, stated = part_bytes(request.model, request.scheme), _stored(request)
    parallelism = spread(request.engine, request.parallelism)
    values = {
        f"{name}_gib": _rounded(getattr(parts, name) / GIB)
        for name in ("embedding", "lm_head", "linear", "routed", "router", "other", "vision")
        if getattr(parts, name)
    }
    return Term(
        term="weights_gib",
        formula="(matmuls + embedding + head) / tensor + what every rank holds, of the tightest stage",
        values={
            **values,
            "tensor": parallelism.tensor,
            "pipeline": parallelism.pipeline,
            "bytes_per_weight": None if stated else request.scheme.bytes_per_weight,
        },
        result=_rounded(batch.weights_gib[row]),
        unit="GiB",
        source=stated.source if stated else request.scheme.source,
        kind=stated.kind if stated else request.scheme.kind,
    )


def _stored(request: EstimateRequest) -> Provenance | None:
    """Where the bytes of the checkpoint's own files are from, None where formulas are used."""
    model = request.model
    own = model.stored is not None and request.scheme.id == published_scheme_id(model)
    return model.provenance.get("weights") if own else None


def _kv_bytes_per_token(request: EstimateRequest, layout: Layout, batch: MemoryBatch, row: int) -> Term:
    caches = [cache for cache in caches_of(request) if cache.bytes_per_token]
    values: dict[str, float | int | str | None] = {"kv_cache_dtype": request.kv_cache_dtype}
    for cache in caches:
        values[_layers_key(cache)] = f"{cache.layers} × {cache.bytes_per_token:g} B"
    exact = sum(cache.layers * cache.bytes_per_token for cache in caches)
    if exact and layout.pool.bytes_per_token > exact:
        values["group_padding"] = round(layout.pool.bytes_per_token / exact, DIGITS)
    return Term(
        term="kv_bytes_per_token",
        formula="Σ layers × KV heads of a rank × (K width + V width) × bytes per element, groups padded",
        values=values,
        result=_rounded(batch.kv_bytes_per_token[row], 2),
        unit="B",
        source="shapes of the model; page sizes of the engine's cache specifications",
        kind="computed",
    )


def _layers_key(cache: LayerCache) -> str:
    return f"{cache.kind}_{cache.window}" if cache.window else cache.kind


def _activation(request: EstimateRequest, resolved: Resolved, batch: MemoryBatch, row: int) -> Term:
    source, kind = _origin(request, "activation")
    model, rule = request.model, request.engine.values["activation"]
    return Term(
        term="activation_gib",
        formula="max(batch × hidden × 2 + c × sequences × vocabulary, batch × widest layer) + experts' workspace",
        values={
            "batch_tokens": resolved.profiled_tokens,
            "sequences": min(resolved.profiled_tokens, resolved.max_num_seqs),
            "vocabulary": model.vocab_size,
            "hidden": model.hidden_size,
            "c_bytes": rule["bytes_per_logit"],
        },
        result=_rounded(batch.activation_gib[row]),
        unit="GiB",
        source=source,
        kind=kind,
    )


def _from_table(request: EstimateRequest, value: float, key: str, formula: str) -> Term:
    source, kind = _origin(request, key)
    link = request.link.kind if request.link is not None else None
    return Term(
        term=key,
        formula=formula,
        values={"tensor": request.parallelism.tensor, "link": link},
        result=_rounded(value),
        unit="GiB",
        source=source,
        kind=kind,
    )


def _graphs(request: EstimateRequest, resolved: Resolved, batch: MemoryBatch, row: int) -> Term:
    source, kind = _origin(request, "graph_cost")
    return Term(
        term="cuda_graph_gib",
        formula="fixed + captured sizes × (share per size + layers × cost), 0 in eager mode",
        values={
            "layers": request.model.num_layers,
            "largest_batch": resolved.graph_batch,
            "inside_budget": bool(request.engine.values["cuda_graphs"]["inside_budget"]),
        },
        result=_rounded(batch.cuda_graph_gib[row]),
        unit="GiB",
        source=source,
        kind=kind,
    )


def _pool(request: EstimateRequest, batch: MemoryBatch, row: int) -> Term:
    source, kind = _origin(request, "budget")
    return Term(
        term="kv_cache_gib",
        formula=POOL_FORMULAS[request.engine.values["budget"]],
        values={
            "budget_gib": _rounded(batch.budget_gib[row]),
            "weights_gib": _rounded(batch.weights_gib[row]),
            "activation_gib": _rounded(batch.activation_gib[row]),
            "non_torch_gib": _rounded(batch.non_torch_gib[row]),
            "cuda_graph_gib": _rounded(batch.cuda_graph_gib[row]),
            "outside_budget_gib": _rounded(batch.outside_budget_gib[row]),
        },
        result=_rounded(batch.kv_cache_gib[row]),
        unit="GiB",
        source=source,
        kind=kind,
    )


def _one_request(
    request: EstimateRequest, layout: Layout, resolved: Resolved, batch: MemoryBatch, row: int
) -> Term:
    share = float(batch.kv_bytes_per_token[row]) / (layout.pool.bytes_per_token or math.inf)
    needed = layout.pool.request_bytes(resolved.max_model_len, resolved.tokens_in_flight) * share
    return Term(
        term="one_request_gib",
        formula="Σ groups blocks × bytes per block at max_model_len",
        values={
            "max_model_len": resolved.max_model_len,
            "groups": len(layout.pool.groups),
            "block_tokens": layout.pool.block_tokens,
            "tokens_in_flight": resolved.tokens_in_flight,
        },
        result=_rounded(needed / GIB),
        unit="GiB",
        source=_origin(request, "hybrid_pages")[0],
        kind="computed",
    )


def _capacity(batch: MemoryBatch, row: int) -> Term:
    return Term(
        term="kv_cache_tokens",
        formula="KV memory / cost of one request × its length; whole blocks",
        values={
            "kv_cache_gib": _rounded(batch.kv_cache_gib[row]),
            "max_concurrency": _rounded(batch.max_concurrency[row], 2),
            "max_model_len": _rounded(batch.max_model_len[row]),
        },
        result=_rounded(batch.kv_cache_tokens[row]),
        unit="tokens",
        source="whole blocks of the pool",
        kind="computed",
    )
