"""When nothing meets what was asked: what comes nearest, and the smallest change of the question that lets it in."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from planner.core.figures import NBSP, count, short, with_unit
from planner.core.search.parse import MAX_CARDS
from planner.core.specs import Catalog
from planner.plan.figures import seconds
from planner.recommend.form import ANYWHERE, CLASSES, OWNED, OWNED_COUNT, VENDORS, Search
from planner.recommend.words import plan_link

KEY_OF_TARGET = {"tpot_ms": "tpot", "ttft_ms": "ttft", "output_tokens_per_s_per_user": "tps"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """One set-up that just misses, what it misses, and the search that would have it."""

    name: str
    how: str
    misses: str
    link: str
    relax_link: str  # "" where an earlier one leads there already, or no target is in the way
    relax_text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Loosened:
    """A limit of the question that leaves set-ups out, and the question without it."""

    text: str
    count: str
    link: str


def nearest(
    answer: Mapping[str, Any], question: Mapping[str, Any], search: Search, catalog: Catalog
) -> list[Near]:
    """What comes nearest, closest first; empty when something meets everything."""
    found: list[Near] = []
    for entry in answer["nearest"]:
        near = _near(entry, question, search, catalog)
        told = any(near.relax_link == other.relax_link for other in found)
        found.append(replace(near, relax_link="") if told else near)
    return found


def loosened(answer: Mapping[str, Any], search: Search) -> list[Loosened]:
    """The limits of the question that leave most out, each with the question without it; empty when all is well."""
    if answer["options"]:
        return []
    out = {group["reason"]: group["count"] for group in answer["excluded"]}
    more = str(min(MAX_CARDS, 2 * int(search.values["max"]))) if search.values["max"].isdigit() else ""
    rows = (
        ("does_not_fit", _("Up to %s cards") % more, search.query({"max": more}) if more else ""),
        ("does_not_fit", _("Any format of weights"), search.query({"w": ""}) if search.values["w"] else ""),
        ("misses_tpot_target", _("No target for the time per token"), search.query({"tpot": ""})),
        ("misses_ttft_target", _("No target for the first token"), search.query({"ttft": ""})),
        ("misses_rate", _("No target for the speed of each user"), search.query({"tps": ""})),
        ("over_budget", _("No budget"), search.query({"bud": ""})),
        ("over_power", _("No limit on power"), search.query({"pw": ""})),
        (
            "not_owned",
            _("The whole catalog, not only your cards"),
            search.without(OWNED, OWNED_COUNT).query(),
        ),
        ("filtered_by_vendor", _("Any vendor"), search.without(VENDORS).query()),
        ("filtered_by_class", _("Any class"), search.without(CLASSES).query()),
        ("filtered_by_ecc", _("Memory with and without ECC"), search.query({"ecc": ""})),
        ("filtered_by_place", _("Server and edge"), search.query({"place": ANYWHERE})),
    )
    found = [(out[reason], text, query) for reason, text, query in rows if out.get(reason) and query]
    return [
        Loosened(text=text, count=count(number), link=f"?{query}")
        for number, text, query in sorted(found, key=lambda row: -row[0])
    ]


def relaxed(answer: Mapping[str, Any], catalog: Catalog) -> str:
    """The headline: what comes nearest, and by how much it misses."""
    entry = answer["nearest"][0]
    name = _name(entry, catalog)
    misses = entry["misses"]
    if not misses and entry["reason"].startswith("does_not_fit"):
        return _("Nothing fits: %s comes nearest.") % name
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
        relax_text=_("Ask for %s") % ", ".join(_target(key, text) for key, text in changes.items()),
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
            "limit": f"{limit:g}{NBSP}ms",
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
        "limit": f"{limit:g}",
    }


def _rounded(miss: Mapping[str, Any]) -> str:
    """The target as this set-up reaches it, rounded to the side that lets it in."""
    value = miss["value"]
    if miss["name"] == "output_tokens_per_s_per_user":
        return f"{math.floor(value * 10) / 10:g}"
    return str(math.ceil(value))


def _target(key: str, text: str) -> str:
    """A target as a button says it."""
    if key == "tps":
        return _("%s tok/s for each user") % text
    return f"{key.upper()}{NBSP}{text}{NBSP}ms"


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
