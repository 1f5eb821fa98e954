"""The answer of a search, as codes and values: requests as they are asked, candidates in a line, and what is out."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from planner.core import CORE_VERSION
from planner.core.estimate import number
from planner.core.lengths import Quantiles
from planner.core.request import TARGET_NAMES, EstimateRequest, Targets, Workload
from planner.core.search.asked import SearchRequest
from planner.core.search.figures import Figures
from planner.core.search.judge import TARGET_REASONS, misses, rows_of
from planner.core.search.rank import Ranking, per_accelerator
from planner.core.search.space import Index, Space
from planner.core.specs import Catalog

EXAMPLES = 5
NEAREST = 5


def request_of(question: EstimateRequest) -> dict[str, Any]:
    """The estimate request, in the shape of the contract, that is answered with exactly the same figures."""
    workload, card = question.workload, question.accelerator
    assert workload is not None and card is not None  # every candidate has both
    return {
        "model": {"id": question.model.id},
        "weights": question.scheme.id,
        "kv_cache_dtype": question.kv_cache_dtype,
        "accelerator": card.id,
        "count": question.count,
        "parallelism": parallelism_of(question),
        "interconnect": None,
        "engine": {"name": question.engine.name, "version": question.engine.version},
        "settings": settings_of(question),
        "workload": {
            "input_tokens": _length(workload.input_tokens, workload.input_quantiles),
            "output_tokens": _length(workload.output_tokens, workload.output_quantiles),
            **_load(workload),
        },
        "targets": _targets(question.targets),
    }


def _load(workload: Workload) -> dict[str, Any]:
    """As it was asked for: a rate stays one, its concurrency follows from it for every set-up anew."""
    if workload.requests_per_day is None:
        return {"concurrency": workload.concurrency}
    return {"requests_per_day": workload.requests_per_day, "peak_factor": workload.peak_factor}


def _length(mean: int, quantiles: Quantiles | None) -> int | dict[str, int]:
    return mean if quantiles is None else {name: getattr(quantiles, name) for name in ("p50", "p90", "p99")}


def _targets(targets: Targets | None) -> dict[str, Any] | None:
    """Targets as they were asked for; None where there are none."""
    found: dict[str, Any] = {}
    for name in TARGET_NAMES:
        limit = None if targets is None else getattr(targets, name)
        if targets is not None and limit is not None:
            found[name] = {"p99": limit} if name in targets.measured_only else limit
    return found or None


def parallelism_of(question: EstimateRequest) -> dict[str, Any]:
    """The spread, in the shape of the contract."""
    spread = question.parallelism
    return {
        "tensor": spread.tensor,
        "pipeline": spread.pipeline,
        "data": spread.data,
        "expert": spread.expert,
    }


def settings_of(question: EstimateRequest) -> dict[str, Any]:
    """The settings, in the shape of the contract; None stands for the default of the engine version."""
    settings = question.settings
    return {
        "gpu_memory_utilization": settings.gpu_memory_utilization,
        "max_model_len": settings.max_model_len,
        "max_num_seqs": settings.max_num_seqs,
        "max_num_batched_tokens": settings.max_num_batched_tokens,
        "block_size": settings.block_size,
        "enforce_eager": settings.enforce_eager,
    }


def short(space: Space, figures: Figures, row: int, ranks: Mapping[int, int]) -> dict[str, Any]:
    """A candidate in a line: what it is, what it reaches, and its rank where it has one."""
    plan = space.plans[space.plan[row]]
    return {
        "accelerator": space.accelerators[space.accelerator[row]].id,
        "count": plan.tensor * plan.pipeline * plan.data,
        "parallelism": {
            "tensor": plan.tensor,
            "pipeline": plan.pipeline,
            "data": plan.data,
            "expert": plan.expert,
        },
        "weights": space.schemes[space.scheme[row]].id,
        "kv_cache_dtype": space.cache_dtypes[space.cache_dtype[row]],
        "engine": space.engines[space.engine[row]].name,
        "tpot_ms": number(figures.tpot_ms[row], 4),
        "ttft_ms": number(figures.ttft_ms[row], 4),
        "output_tokens_per_s": number(figures.output_tokens_per_s[row], 4),
        "rank": ranks.get(row),
    }


def frontier(space: Space, figures: Figures, ranking: Ranking) -> list[dict[str, Any]]:
    """Points that no other beats in both tokens/s per user and tokens/s per accelerator, fastest first."""
    ranks = {int(row): place + 1 for place, row in enumerate(ranking.rows)}
    each = per_accelerator(space, figures)
    return [
        {
            **short(space, figures, int(row), ranks),
            "output_tokens_per_s_per_user": number(1e3 / figures.tpot_ms[row], 4),
            "output_tokens_per_s_per_accelerator": number(each[row], 4),
        }
        for row in ranking.frontier
    ]


def excluded(space: Space, figures: Figures) -> list[dict[str, Any]]:
    """Candidates that are out, by reason, most first; examples are of different accelerators.

    `details` splits a reason by the refusal that an estimate would give, where there is one.
    """
    found: dict[str, dict[str, Any]] = {}
    for reason in figures.reasons:
        rows = rows_of(figures, reason)
        name, _, detail = reason.partition(":")
        entry = found.setdefault(name, _entry(name))
        entry["count"] += len(rows)
        if detail:
            entry["details"].append({"detail": detail, "count": len(rows)})
        _add_examples(entry, [short(space, figures, row, {}) for row in _examples(space, rows)])
    for reason, accelerator, rows_of_it in space.filtered:
        if not rows_of_it:  # it would have had no set-up anyway
            continue
        entry = found.setdefault(reason, _entry(reason))
        entry["count"] += rows_of_it
        _add_examples(entry, [{"accelerator": space.accelerators[accelerator].id}])
    for entry in found.values():
        entry["details"].sort(key=lambda part: (-part["count"], part["detail"]))
        if len(entry["details"]) == 1:
            entry["detail"] = entry["details"][0]["detail"]
    return sorted(found.values(), key=lambda entry: (-entry["count"], entry["reason"]))


def _entry(reason: str) -> dict[str, Any]:
    return {"reason": reason, "detail": None, "details": [], "count": 0, "examples": []}


def _add_examples(entry: Mapping[str, Any], more: Sequence[Mapping[str, Any]]) -> None:
    examples = entry["examples"]
    seen = {example["accelerator"] for example in examples}
    examples.extend([one for one in more if one["accelerator"] not in seen][: EXAMPLES - len(examples)])


def _examples(space: Space, rows: Index) -> list[int]:
    """A row of each of the first few accelerators."""
    _, first = np.unique(space.accelerator[rows], return_index=True)
    return [int(row) for row in rows[np.sort(first)[:EXAMPLES]]]


def nearest(request: SearchRequest, space: Space, figures: Figures) -> list[dict[str, Any]]:
    """Set-ups that come closest where none meets everything: those that serve the load, else those that start.

    Each says what it misses: the figure and its limit, or the memory that is short.
    """
    over = np.nanmax(np.stack([*misses(request.targets, figures), np.zeros(len(space))]), axis=0)
    served = _with_reasons(figures, TARGET_REASONS)
    loaded = _with_reasons(figures, ("load_above_capacity",))
    short_of = _with_reasons(figures, ("does_not_fit",))
    if len(served):
        rows = served[np.argsort(over[served], kind="stable")]
    elif len(loaded):
        rows = loaded[np.argsort(-figures.output_tokens_per_s[loaded], kind="stable")]
    else:
        rows = short_of[np.argsort(figures.short_gib[short_of], kind="stable")]
    set_up = space.accelerator[rows] * (int(space.count.max(initial=0)) + 1) + space.count[rows]
    _, first = np.unique(set_up, return_index=True)
    return [
        {
            **short(space, figures, int(row), {}),
            "reason": figures.reasons[int(figures.outcome[row]) - 1],
            "misses": _missed(request, figures, int(row)),
        }
        for row in rows[np.sort(first)[:NEAREST]]
    ]


def _with_reasons(figures: Figures, names: Sequence[str]) -> Index:
    rows = [rows_of(figures, name) for name in names if name in figures.reasons]
    return np.concatenate(rows) if rows else np.zeros(0, dtype=np.intp)


def _missed(request: SearchRequest, figures: Figures, row: int) -> list[dict[str, Any]]:
    per_user = 1e3 / float(figures.tpot_ms[row])
    values = {"ttft_ms": figures.ttft_ms[row], "tpot_ms": figures.tpot_ms[row]}
    found: list[dict[str, Any]] = []
    for name in TARGET_NAMES:
        limit = request.targets.mean_limit(name)
        value = float(values.get(name, per_user))
        if limit is not None and (value > limit if name in values else value < limit):
            found.append({"name": name, "limit": limit, "value": number(value, 4)})
    if np.isfinite(figures.short_gib[row]):
        found.append({"name": "memory_gib", "limit": 0, "value": number(figures.short_gib[row], 4)})
    return found


def shape_of(answer: Mapping[str, Any]) -> dict[str, float | int | None] | None:
    """Shares of machine time of one answer: reading weights, reading cache, prompts, interconnect, host."""
    step = answer["step"]
    if step is None:
        return None
    whole = sum(step.values())
    return {name.removesuffix("_ms"): number(value / whole, 4) for name, value in step.items()}


def basis_of(catalog: Catalog) -> dict[str, Any]:
    """What the answer rests on."""
    return {"catalog": catalog.hash, "core": CORE_VERSION, "calibration": None}
