"""What a budget buys, for a spreadsheet: names in English, numbers without separators."""

from collections.abc import Mapping
from typing import Any

from planner.core.specs import Catalog
from planner.cost.budget_rows import per_million, tokens_per_s

HEAD = (
    *("accelerator", "name", "count", "weights", "engine", "tensor", "pipeline", "data"),
    *("users_at_once", "stopped_by", "output_tokens_per_s", "output_tokens_per_day_at_load"),
    *(
        "output_tokens_per_day_at_full_load",
        "utilization",
        "currency",
        "unit_price",
        "price_kind",
        "purchase",
    ),
    *("yearly", "per_million_output_tokens_at_load", "per_million_output_tokens_at_full_load"),
)


def rows(found: Mapping[str, Any], catalog: Catalog) -> list[list[Any]]:
    """A line for each set-up, in the order of the answer."""
    return [_row(item, catalog) for item in found["set_ups"]]


def _row(item: Mapping[str, Any], catalog: Catalog) -> list[Any]:
    spread, owning, tokens = item["parallelism"], item["owning"], item["owning"]["tokens_per_day"]
    engine, rate = item["engine"], tokens_per_s(item)
    return [
        item["accelerator"],
        catalog.accelerators[item["accelerator"]].name,
        item["count"],
        item["weights"],
        f"{engine['name']} {engine['version']}",
        spread["tensor"],
        spread["pipeline"],
        spread["data"],
        item["users"]["most"],
        item["users"]["code"],
        None if rate is None else round(rate, 2),
        tokens["at_load"],
        tokens["at_full_load"],
        owning["utilization"],
        owning["currency"],
        item["cost"]["unit_price"],
        item["cost"]["price"]["kind"],
        owning["purchase"]["total"],
        owning["yearly"]["total"],
        per_million(item, "at_load"),
        per_million(item, "at_full_load"),
    ]
