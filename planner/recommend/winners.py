"""The options that lead by one measure each, as cards: on the page of the search and beside a single plan."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from planner.answers import recommendations
from planner.answers.estimates import is_problem
from planner.core.figures import NBSP, count, percent, short, span
from planner.core.search.options import BUSY_SHARE
from planner.core.search.space import EDGE_CLASSES
from planner.core.specs import Catalog
from planner.queries.prices import Books
from planner.recommend.words import Named, Names, Option, money, names_of

ORDER = ("balanced", "cheapest", "lowest_tpot", "highest_throughput", "lowest_power")
# What a plan asks that a search asks too; its hardware and settings are what the search finds.
OF_A_PLAN = ("model", "workload", "targets", "engine")


@dataclass(frozen=True, slots=True, kw_only=True)
class Winner:
    """One card: what it leads by, the set-up, its figure and the line beneath."""

    titles: Sequence[str]
    name: str
    value: str
    unit: str
    interval: str
    sub: str
    narrow: str  # what is stored in few bits, "" where nothing is
    link: str


def winners(answer: Mapping[str, Any], names: Names) -> list[Winner]:
    """A card per option that leads by something; one that leads by several has them all."""
    by_rank = {option["rank"]: option for option in answer["options"]}
    leads: dict[int, list[str]] = {}
    for name in ORDER:
        rank = answer["winners"].get(name)
        if rank in by_rank:
            leads.setdefault(rank, []).append(name)
    return [_winner(by_rank[rank], leading, names[rank]) for rank, leading in leads.items()]


def winners_of_plan(request: Mapping[str, Any], catalog: Catalog, books: Books) -> list[Winner]:
    """The winners for the model, workload and targets of an estimate request; empty where it has no workload."""
    if not request.get("workload"):
        return []
    question = {key: request[key] for key in OF_A_PLAN if request.get(key)} | {
        "constraints": {"place": _place(request, catalog)},
        "limit": 1,
    }
    answer = recommendations.answer_for_page(question, catalog=catalog, books=books)
    return [] if is_problem(answer) else winners(answer, names_of(answer, catalog))


def _place(request: Mapping[str, Any], catalog: Catalog) -> str:
    """Where the accelerator of a plan belongs; a plan without one is for a server."""
    card = catalog.accelerators.get(request.get("accelerator") or "")
    return "edge" if card is not None and card.accelerator_class in EDGE_CLASSES else "server"


def titles() -> dict[str, str]:
    """What a winner leads by."""
    return {
        "balanced": _("Balanced"),
        "cheapest": _("Cheapest"),
        "lowest_tpot": _("Lowest TPOT"),
        "highest_throughput": _("Highest throughput"),
        "lowest_power": _("Least power"),
    }


def _price(option: Option) -> str:
    cost = option["cost"] or {}
    return money(cost.get("purchase"), cost.get("currency"))


def _winner(option: Option, leading: Sequence[str], words: Named) -> Winner:
    speed = option["speed"]
    figure = {
        "cheapest": (_price(option), "", None),
        "highest_throughput": (
            short(speed["output_tokens_per_s"]),
            "tok/s",
            speed["interval"]["output_tokens_per_s"],
        ),
        "lowest_power": (count(option["power_w"]), "W", None),
    }
    if (capacity := option["load"]["capacity_per_s"]) is not None:
        figure["highest_throughput"] = (f"≤{NBSP}{short(capacity)}", _("requests/s"), None)
    value, unit, interval = figure.get(
        leading[0], (short(speed["tpot_ms"]), "ms", speed["interval"]["tpot_ms"])
    )
    beside = []
    if unit != "ms":
        beside.append(f"{short(speed['tpot_ms'])} ms")
    if unit != "W" and option["power_w"] is not None:
        beside.append(f"{count(option['power_w'])} W")
    share = option["load"]["share_of_capacity"]
    if share is not None and share > BUSY_SHARE:
        beside.append(_("at %s %% of what it carries") % percent(share))
    return Winner(
        titles=[titles()[name] for name in leading],
        name=words.name,
        value=value,
        unit=unit,
        interval=span(*interval) if interval else "",
        sub=" · ".join([*beside, words.how]),
        narrow=", ".join(words.narrow),
        link=words.link,
    )
