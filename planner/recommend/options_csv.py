"""The options of a search as a table for a spreadsheet or a purchase request: names and plain numbers."""

from collections.abc import Iterator, Mapping
from typing import Any

from planner.core.specs import Catalog
from planner.recommend.table import per_card, price_per_token_s

HEAD = (
    *("rank", "accelerator", "name", "count", "tensor", "pipeline", "data", "weights", "kv_cache_dtype"),
    *("engine", "engine_version", "checkpoint", "max_model_len", "max_num_seqs", "concurrency"),
    *("requests_per_s", "capacity_requests_per_s"),
    *(
        "tpot_ms",
        "tpot_low_ms",
        "tpot_high_ms",
        "ttft_ms",
        "output_tokens_per_s",
        "output_tokens_per_s_per_card",
    ),
    *("board_power_w", "modules_per_board", "unit_price", "purchase", "currency"),
    *("price_kind", "price_source", "supplier", "quoted_on", "valid_until", "price_note"),
    *("purchase_per_output_token_s", "winner_of"),
)


def rows(answer: Mapping[str, Any], catalog: Catalog) -> Iterator[list[Any]]:
    """One row per option, under HEAD. What is not known is blank."""
    for option in answer["options"]:
        speed, degrees, settings = option["speed"], option["parallelism"], option["settings_used"]
        low, high = speed["interval"]["tpot_ms"] or (None, None)
        bill, cost = option["bill_of_materials"][0], option["cost"] or {}
        price, note = cost.get("price") or {}, option["price_note"] or {}
        yield [
            option["rank"],
            option["accelerator"],
            catalog.accelerators[option["accelerator"]].name,
            option["count"],
            degrees["tensor"],
            degrees["pipeline"],
            degrees["data"],
            option["weights"],
            option["kv_cache_dtype"],
            option["engine"]["name"],
            option["engine"]["version"],
            option["release"],
            settings["max_model_len"],
            settings["max_num_seqs"],
            option["load"]["concurrency"],
            option["load"]["requests_per_s"],
            option["load"]["capacity_per_s"],
            speed["tpot_ms"],
            low,
            high,
            speed["ttft_ms"],
            speed["output_tokens_per_s"],
            per_card(option),
            option["power_w"],
            bill["boards"]["size"] if bill["boards"] else None,
            bill["unit_price"],
            cost.get("purchase"),
            cost.get("currency"),
            *(price.get(name) for name in ("kind", "source", "supplier", "quoted_on", "valid_until")),
            note.get("message"),
            price_per_token_s(option),
            " ".join(option["winner_of"]),
        ]
