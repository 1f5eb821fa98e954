"""When nothing meets what was asked: what comes nearest, and the smallest change of the question that lets it in."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from planner.core.figures import NBSP, short, with_unit
from planner.core.specs import Catalog
from planner.hero_figures import seconds
from planner.recommend_form import Search
from planner.recommend_words import plan_link

KEY_OF_TARGET = {"tpot_ms": "tpot", "ttft_ms": "ttft", "output_tokens_per_s_per_user": "tps"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """One set-up that just misses, what it misses, and the search that would have it."""

    name: str
    how: str
    misses: str
    link: str
    relax_link: str
    relax_text: str


def nearest(
    answer: Mapping[str, Any], question: Mapping[str, Any], search: Search, catalog: Catalog
) -> list[Near]:
    """What comes nearest, closest first; empty when something meets everything."""
    return [_near(entry, question, search, catalog) for entry in answer["nearest"]]


def relaxed(answer: Mapping[str, Any], catalog: Catalog) -> str:
    """The headline: what comes nearest, and by how much it misses."""
    entry = answer["nearest"][0]
    name = _name(entry, catalog)
    misses = entry["misses"]
    if not misses:
        return _("Nothing carries this load: %s comes nearest.") % name
    if misses[0]["name"] == "memory_gib":
        return _("Nothing fits: %(name)s comes nearest, %(short)s GiB short.") % {
            "name": name,
            "short": short(misses[0]["value"]),
        }
    return _("Nothing meets the targets: %(name)s comes nearest, with %(miss)s.") % {
        "name": name,
        "miss": _spelled(misses[0]),
    }


def _near(entry: Mapping[str, Any], question: Mapping[str, Any], search: Search, catalog: Catalog) -> Near:
    changes = {
        KEY_OF_TARGET[miss["name"]]: _rounded(miss)
        for miss in entry["misses"]
        if miss["name"] in KEY_OF_TARGET
    }
    said = [_spelled(miss) for miss in entry["misses"]]
    return Near(
        name=_name(entry, catalog),
        how=" · ".join([entry["weights"], *_degrees(entry), entry["engine"]]),
        misses=", ".join(said) if said else entry["message"],
        link=plan_link(_request(entry, question)),
        relax_link=f"?{search.query(changes)}" if changes and len(changes) == len(entry["misses"]) else "",
        relax_text=_("Search with %s")
        % ", ".join(f"{_short_name(key)}{NBSP}{text}" for key, text in changes.items()),
    )


def _name(entry: Mapping[str, Any], catalog: Catalog) -> str:
    return f"{entry['count']}{NBSP}×{NBSP}{catalog.accelerators[entry['accelerator']].name}"


def _degrees(entry: Mapping[str, Any]) -> list[str]:
    degrees = entry["parallelism"]
    names = (("TP", "tensor"), ("PP", "pipeline"), ("DP", "data"))
    return [f"{name}{NBSP}{degrees[key]}" for name, key in names if degrees[key] > 1]


def _spelled(miss: Mapping[str, Any]) -> str:
    """61 ms per token instead of 50."""
    value, limit = miss["value"], miss["limit"]
    if value is None:
        return _("a figure that is not known")
    if miss["name"] == "tpot_ms":
        return _("%(value)s per token instead of %(limit)s") % {
            "value": with_unit(value, "ms"),
            "limit": with_unit(limit, "ms"),
        }
    if miss["name"] == "ttft_ms":
        return _("the first token after %(value)s instead of %(limit)s") % {
            "value": seconds(value),
            "limit": seconds(limit),
        }
    if miss["name"] == "memory_gib":
        return _("%s GiB short of memory per card") % short(value)
    return _("%(value)s tokens per second for each user instead of %(limit)s") % {
        "value": short(value),
        "limit": short(limit),
    }


def _rounded(miss: Mapping[str, Any]) -> str:
    """The target as this set-up reaches it, rounded to the side that lets it in."""
    value = miss["value"]
    if miss["name"] == "output_tokens_per_s_per_user":
        return f"{math.floor(value * 10) / 10:g}"
    return str(math.ceil(value))


def _short_name(key: str) -> str:
    return {"tpot": "TPOT", "ttft": "TTFT"}.get(key, _("tok/s per user"))


def _request(entry: Mapping[str, Any], question: Mapping[str, Any]) -> dict[str, Any]:
    """The estimate request of a short entry, with our settings as the search has them."""
    asked = {key: question[key] for key in ("model", "workload", "targets") if question.get(key)}
    return asked | {
        "weights": entry["weights"],
        "kv_cache_dtype": entry["kv_cache_dtype"],
        "accelerator": entry["accelerator"],
        "count": entry["count"],
        "parallelism": entry["parallelism"],
        "engine": {"name": entry["engine"]},
        "settings": "derive",
    }
