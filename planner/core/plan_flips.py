"""What a new judgement of a plan flipped, held against what was told last, and which part of its basis may be why."""

from collections.abc import Iterable, Mapping
from typing import Any

from planner.core.plan_changes import flips

BASIS = ("catalog", "core", "calibration", "prices")
# Code of a flip -> the figure that it is about
FIGURE_OF = {
    "verdict": "verdict",
    "running": "running",
    "speed": "tpot_ms",
    "price": "purchase",
    "price_known": "purchase",
    "currency": "currency",
}
MODEL_OF_DECODE = ("catalog", "core", "calibration")
# Code of a flip -> the parts of a basis that can be why; platforms of the catalog are part of a bill
RESTS_ON = {
    "verdict": MODEL_OF_DECODE,
    "running": MODEL_OF_DECODE,
    "speed": MODEL_OF_DECODE,
    "price": ("prices", "catalog", "core"),
    "price_known": ("prices", "catalog", "core"),
    "currency": ("prices",),
}


def flipped_since(
    told: Mapping[str, Any], figures: Mapping[str, Any], *, price_percent: float
) -> list[dict[str, Any]]:
    """Flips with both sides; a price in another currency is compared with nothing, the currency is the flip then."""
    found = flips(told, figures, price_percent=price_percent)
    if told.get("currency") == figures.get("currency"):
        return found
    kept = [flip for flip in found if FIGURE_OF[flip["code"]] != "purchase"]
    return [
        *kept,
        {"code": "currency", "before": told.get("currency"), "after": figures.get("currency")},
    ]


def told_last(
    saved: Mapping[str, Any], judgements: Iterable[tuple[list[dict[str, Any]], Mapping[str, Any]]]
) -> dict[str, Any]:
    """The figures that were told last: a version's own, moved by each later flip (changes, figures), oldest first.

    Small steps that were told to nobody add up until they are a flip.
    """
    told = {name: saved.get(name) for name in FIGURE_OF.values()}
    for changes, figures in judgements:
        for change in changes:
            told[FIGURE_OF[change["code"]]] = change["after"]
            if change["code"] == "currency":
                told["purchase"] = figures.get("purchase")
    return told


def moved_parts(before: str, after: str) -> list[str]:
    """The parts of a basis that differ between two keys of `planner.answers.plans.basis_key`."""
    old, new = _parts(before), _parts(after)
    return [name for name in BASIS if old.get(name) != new.get(name)]


def _parts(key: str) -> dict[str, str]:
    catalog, _dot, rest = key.partition(".")
    core, _dot, tail = rest.rpartition(".")[0].rpartition(".")
    return {"catalog": catalog, "core": core, "calibration": tail, "prices": rest.rpartition(".")[2]}


def reasons(code: str, moved: Iterable[str]) -> list[str]:
    """The parts that moved and can be why; all that moved where none of them should."""
    parts = list(moved)
    return [part for part in parts if part in RESTS_ON[code]] or parts
