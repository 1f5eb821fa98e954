"""What the reader must know of an order before trusting it, as codes and values."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.core.request import Targets
from planner.core.search.asked import SearchRequest
from planner.core.search.figures import Figures
from planner.core.search.rank import AMONG_USABLE
from planner.core.settings import longest_tokens


def remarks(
    request: SearchRequest,
    figures: Figures,
    floor: Targets,
    reached: NDArray[np.bool_],
    *,
    balanced_by: str,
    priced: NDArray[np.bool_],
    options: Sequence[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """Remarks on the order as a whole.

    `reached` says which of its set-ups (m,) are fast enough to use, `priced` which have a price; `options` are those
    that are answered in full.
    """
    return [
        *_on_length(request, figures),
        *_on_money(request, priced),
        *_on_prices(request, options),
        *_on_order(request, floor, reached, balanced_by),
        *(
            _remark("target_unknown_until_measured", f"targets.{name}")
            for name in request.targets.measured_only
        ),
        *([] if len(reached) else [_remark("nothing_meets_everything", None)]),
    ]


def _remark(code: str, field: str | None, **values: Any) -> dict[str, Any]:
    return {"code": code, "field": field, "values": values}


def _on_length(request: SearchRequest, figures: Figures) -> Iterator[dict[str, Any]]:
    """Requests that every set-up of the answer refuses, and a window that is a guess."""
    workload, model = request.workload, request.model
    limit, longest = model.max_position_embeddings, longest_tokens(request.workload)
    if workload.longest_tokens is None:
        yield _remark("window_from_means", "workload", max_model_len=figures.max_model_len)
    elif longest > limit:
        longer = model.longer_by
        if longer is None or longer.tokens < longest:
            yield _remark("longest_above_model_limit", "workload", tokens=longest, limit=limit)
        else:
            yield _remark(
                "longest_above_model_limit_scaled",
                "workload",
                tokens=longest,
                limit=limit,
                kind=longer.kind,
                factor=longer.factor,
                original=longer.original,
                longer=longer.tokens,
            )


def _on_money(request: SearchRequest, priced: NDArray[np.bool_]) -> Iterator[dict[str, Any]]:
    """Set-ups that can be neither the cheapest nor over a budget."""
    known = bool(priced.any()) if len(priced) else bool(request.priced.purchase)
    if not known:
        yield _remark("no_prices", "constraints.prices")
        if request.constraints.budget is not None:
            yield _remark("budget_without_prices", "constraints.budget")
    elif not priced.all():
        unpriced = int((~priced).sum())
        yield _remark("some_without_price", "constraints.prices", unpriced=unpriced, of=len(priced))


def _on_prices(request: SearchRequest, options: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Whose word the prices are, where it is not a supplier's or the asker's alone."""
    prices = [option["cost"]["price"] for option in options if option["cost"] is not None]
    if any(price["kind"] == "public" for price in prices):
        yield _remark("public_prices", "constraints.price_source")
    assumed = {price["stated_currency"] for price in prices if price["rate_assumed"]}
    if assumed:
        yield _remark(
            "rate_assumed",
            "constraints.currency",
            given=", ".join(sorted(assumed)),
            wanted=request.priced.currency,
        )
    without = sorted(set(request.priced.unconverted.values()))
    if without:
        yield _remark("quotes_without_rate", "constraints.currency", currencies=", ".join(without))


def _on_order(
    request: SearchRequest, floor: Targets, reached: NDArray[np.bool_], balanced_by: str
) -> Iterator[dict[str, Any]]:
    if request.objective == "balanced":
        yield _remark(f"balanced_by_{balanced_by}", "objective")
    if request.objective == "highest_throughput" and request.workload.requests_per_s is not None:
        yield _remark("throughput_is_capacity", "objective")
    limits = {
        "tokens_per_s": floor.output_tokens_per_s_per_user,
        "first_token_s": None if floor.ttft_ms is None else floor.ttft_ms / 1e3,
    }
    asked = {name: limit for name, limit in limits.items() if limit is not None}
    if not asked or not len(reached):
        return
    if reached.any():
        yield _remark("_".join(["usable_floor_assumed", *_only(asked)]), "targets", **asked)
    elif request.objective in AMONG_USABLE:
        yield _remark("_".join(["nothing_reaches_usable_floor", *_only(asked)]), "targets", **asked)


def _only(asked: dict[str, float]) -> list[str]:
    """Which half of the floor is assumed, where the asker gave the other."""
    return [] if len(asked) == 2 else list(asked)
