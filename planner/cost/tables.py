"""The numbers behind the cards of a cost, for a spreadsheet: names in English, numbers without separators."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Cells = Sequence[Sequence[Any]]
Made = tuple[Sequence[str], Cells]


def terms(cost: Mapping[str, Any]) -> Made:
    """Every item of the purchase and of a year, with its formula."""
    head = ["part", "item", "amount", "currency", "formula"]
    rows = [
        [part, term["item"], term["amount"], cost["currency"], term["formula"]]
        for part in ("purchase", "yearly")
        for term in cost[part]["terms"]
    ]
    return head, rows


def utilization(cost: Mapping[str, Any]) -> Made:
    """Cost of a million output tokens at shares of what could be made."""
    head = ["utilization", "per_million_output_tokens", "currency"]
    return head, [
        [point["utilization"], point["per_million_output_tokens"], cost["currency"]]
        for point in cost["by_utilization"]
    ]


def rent(cost: Mapping[str, Any]) -> Made:
    """Money spent by month when bought and when rented."""
    head = ["month", "bought", "rented", "currency"]
    curve = cost["rent"]["curve"] if cost["rent"] else []
    return head, [[point["month"], point["bought"], point["rented"], cost["currency"]] for point in curve]


TABLES: Mapping[str, Callable[[Mapping[str, Any]], Made]] = {
    "terms": terms,
    "utilization": utilization,
    "rent": rent,
}
