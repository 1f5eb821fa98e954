"""What else would carry the load of a plan: other accelerators, the cheapest first, on what counts today."""

from collections.abc import Mapping
from typing import Any

from planner.answers import recommendations
from planner.answers.bills import money
from planner.core.search.space import EDGE_CLASSES
from planner.core.specs import AcceleratorSpec, Catalog
from planner.queries.prices import Books

COUNTS = (1, 2, 4, 8)
ASKED = 50  # of the best set-ups, among which each accelerator is taken once
MOST = 5


def alternatives(content: Mapping[str, Any], *, catalog: Catalog, books: Books) -> list[dict[str, Any]]:
    """Set-ups of other accelerators for the same model, weights, load and targets, at most MOST; none where no load is asked for.

    Those with a price come first, cheapest first. `purchase` is of the accelerators alone, null where nobody priced them.
    """
    request = content["request"]
    card = catalog.accelerators.get(str(request.get("accelerator")))
    if card is None or not request.get("workload"):
        return []
    found = recommendations.answer_for_page(_question(content, card, catalog), catalog=catalog, books=books)
    best: dict[str, dict[str, Any]] = {}
    for option in found.get("options", ()):
        best.setdefault(option["accelerator"], _shown(option, catalog))
    return sorted(best.values(), key=_order)[:MOST]


def _question(content: Mapping[str, Any], card: AcceleratorSpec, catalog: Catalog) -> dict[str, Any]:
    """The search for the same weights and load on every other accelerator of the same kind of place."""
    request = content["request"]
    is_edge = card.accelerator_class in EDGE_CLASSES
    return {
        "model": request["model"],
        "weights": [request.get("weights")],  # in a list null is: as published
        "kv_cache_dtype": request.get("kv_cache_dtype") or "auto",
        "engine": request.get("engine") or {"name": "vllm"},
        "workload": request["workload"],
        "targets": request.get("targets"),
        "accelerators": [key for key in catalog.accelerators if key != card.id] or [card.id],
        "counts": list(COUNTS),
        "limit": ASKED,
        "constraints": {
            "currency": (content.get("bill") or {}).get("currency"),
            "price_source": content.get("price_source") or "quotes",
            "place": "edge" if is_edge else "server",
            "max_count": max(COUNTS),
        },
    }


def _shown(option: Mapping[str, Any], catalog: Catalog) -> dict[str, Any]:
    speed, cost = option["speed"] or {}, option["cost"] or {}
    return {
        "accelerator": option["accelerator"],
        "name": catalog.accelerators[option["accelerator"]].name,
        "count": option["count"],
        "verdict": option["verdict"],
        "tpot_ms": speed.get("tpot_ms"),
        "output_tokens_per_s": speed.get("output_tokens_per_s"),
        "power_w": option["power_w"],
        "purchase": money(cost.get("purchase")),
        "currency": cost.get("currency"),
        "price": cost.get("price"),
        "request": option["request"],
    }


def _order(option: Mapping[str, Any]) -> tuple[bool, float]:
    return option["purchase"] is None, option["purchase"] or 0.0
