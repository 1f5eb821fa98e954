"""The answer of a search, as codes and values: finalists as full estimates, the rest as counts and short entries."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from planner.core import CORE_VERSION
from planner.core.estimate import estimate, number
from planner.core.launch.checkpoint import released
from planner.core.lengths import Quantiles
from planner.core.request import TARGET_NAMES, EstimateRequest, Targets
from planner.core.search.asked import SearchRequest
from planner.core.search.figures import Figures
from planner.core.search.judge import TARGET_REASONS, misses, rows_of
from planner.core.search.rank import Ranking, Scores, per_accelerator
from planner.core.search.space import Index, Space
from planner.core.specs import Catalog

EXAMPLES = 5
NEAREST = 5


def options(
    asked: Sequence[EstimateRequest],
    *,
    request: SearchRequest,
    ranking: Ranking,
    places: Sequence[int],
    scores: Scores,
    winners: Mapping[str, int | None],
    catalog: Catalog,
) -> list[dict[str, Any]]:
    """Full estimates of the set-ups at `places` of the ranking (from 0), `asked` being their requests."""
    frontier = {int(row) for row in ranking.frontier}
    found = []
    for place, question, answer in zip(places, asked, estimate(asked, catalog), strict=True):
        card = question.accelerator
        assert card is not None  # every candidate has one
        rank = place + 1
        price = request.constraints.prices.get(card.id)
        found.append(
            {
                **answer,
                "rank": rank,
                "score": number(scores.by_objective[request.objective][ranking.rows[place]], 4),
                "accelerator": card.id,
                "count": question.count,
                "parallelism": _parallelism(question),
                "weights": question.scheme.id,
                "kv_cache_dtype": question.kv_cache_dtype,
                "engine": {"name": question.engine.name, "version": question.engine.version},
                "release": released(question.model, question.scheme.id),
                "settings_used": _settings(question),
                "load": {
                    "concurrency": question.workload.concurrency if question.workload else None,
                    "requests_per_s": request.workload.requests_per_s,
                },
                "power_w": _power(question),
                "cost": _cost(request, price, question.count),
                "reason": _reason(question, answer, ranking, place, scores=scores, request=request),
                "winner_of": [name for name, winner in winners.items() if winner == rank],
                "on_frontier": int(ranking.rows[place]) in frontier,
                "variations": int(ranking.variations[place]),
                "bill_of_materials": [_bill(request, question, price)],
                "request": request_of(question),
            }
        )
    return found


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
        "parallelism": _parallelism(question),
        "interconnect": None,
        "engine": {"name": question.engine.name, "version": question.engine.version},
        "settings": _settings(question),
        "workload": {
            "input_tokens": _length(workload.input_tokens, workload.input_quantiles),
            "output_tokens": _length(workload.output_tokens, workload.output_quantiles),
            "concurrency": workload.concurrency,
        },
        "targets": _targets(question.targets),
    }


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


def _parallelism(question: EstimateRequest) -> dict[str, Any]:
    spread = question.parallelism
    return {
        "tensor": spread.tensor,
        "pipeline": spread.pipeline,
        "data": spread.data,
        "expert": spread.expert,
    }


def _settings(question: EstimateRequest) -> dict[str, Any]:
    settings = question.settings
    return {
        "gpu_memory_utilization": settings.gpu_memory_utilization,
        "max_model_len": settings.max_model_len,
        "max_num_seqs": settings.max_num_seqs,
        "max_num_batched_tokens": settings.max_num_batched_tokens,
        "block_size": settings.block_size,
        "enforce_eager": settings.enforce_eager,
    }


def _power(question: EstimateRequest) -> float | int | None:
    """Board power of all accelerators, None where the datasheet has none."""
    card = question.accelerator
    return None if card is None or card.tdp_w is None else number(card.tdp_w * question.count, 1)


def _cost(request: SearchRequest, price: float | None, count: int) -> dict[str, Any] | None:
    if price is None:
        return None
    return {"purchase": number(price * count, 2), "currency": request.constraints.currency}


def _bill(request: SearchRequest, question: EstimateRequest, price: float | None) -> dict[str, Any]:
    card = question.accelerator
    assert card is not None  # every candidate has one
    return {
        "item": "accelerator",
        "id": card.id,
        "name": card.name,
        "quantity": question.count,
        "unit_price": price,
        "currency": request.constraints.currency if price is not None else None,
        "total": None if price is None else number(price * question.count, 2),
    }


def _reason(
    question: EstimateRequest,
    answer: Mapping[str, Any],
    ranking: Ranking,
    place: int,
    *,
    scores: Scores,
    request: SearchRequest,
) -> dict[str, Any]:
    """What put this set-up at its rank: the figures that were multiplied or compared, and how far the next one is behind."""
    objective = request.objective
    score = scores.by_objective[objective]
    card = question.accelerator
    assert card is not None  # every candidate has one
    price = request.constraints.prices.get(card.id)
    here = score[ranking.rows[place]]
    behind = score[ranking.rows[place + 1]] if place + 1 < len(ranking.rows) else np.nan
    values: dict[str, Any] = {
        "rank": place + 1,
        "of": len(ranking.rows),
        "tpot_ms": answer["speed"]["tpot_ms"],
        "output_tokens_per_s": answer["speed"]["output_tokens_per_s"],
        "power_w": _power(question),
        "purchase": None if price is None else number(price * question.count, 2),
        "next_percent": number(100 * (behind - here) / abs(here), 1) if here else None,
    }
    if objective == "balanced":
        values["by"] = scores.balanced_by
        values["product"] = number(here, 1)
    code = f"ranked_by_{objective}" if np.isfinite(here) else f"not_ranked_by_{objective}"
    return {"code": code, "values": values}


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
