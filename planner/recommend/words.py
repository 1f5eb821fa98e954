"""What the recommend page says of options: names, links, the verdict on a search and how far the best is ahead."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from planner.amounts import amount as written
from planner.core.figures import NBSP, count, percent, short, with_unit
from planner.core.specs import Catalog
from planner.messages import word
from planner.messages.money import PRICE_KINDS
from planner.messages.search import ADVICE
from planner.plan.figures import Figure, figures, seconds
from planner.plan.form import plan_of_request
from planner.plan.target_words import certainty, judged
from planner.setup import ENGINE_NAMES, Setup

Option = Mapping[str, Any]
# Scales and zeros included: 4-bit formats come to 4.25 to 6.6 bits, 8-bit ones to 8.5.
FOUR_BITS_BELOW, EIGHT_BITS_BELOW = 7.0, 10.0
# Remarks of a search whose set-ups all refuse some of the requests.
REFUSES_SOME = frozenset({"longest_above_model_limit", "longest_above_model_limit_scaled"})
WIDE_CACHES = frozenset({"auto", "bf16", "bfloat16", "f16", "float16", "fp16", "f32"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """An option in words: what is bought, how it is run, and the plan that shows exactly it."""

    rank: int
    name: str  # 2 × L4
    how: str  # awq-int4 · TP 2 · vLLM 0.33
    link: str  # "" where the plan page has no input for something in it
    cost_link: str = ""  # to what it costs to own, at the price of the option; "" likewise
    save_link: str = ""  # to where it is kept as a plan, with the option's currency and prices; "" likewise
    narrow: Sequence[str] = ()  # what is stored in fewer bits than published quality is known for


@dataclass(frozen=True, slots=True, kw_only=True)
class BillLine:
    """One line of what is bought, as text; `note` says what else comes with it, `whose` where its price is from.

    `link` leads to the quote, or to where one is written down.
    """

    name: str
    quantity: str
    price: str
    total: str
    note: str
    whose: str
    link: str
    quoted: bool


Names = Mapping[int, Named]  # by rank


def names_of(answer: Mapping[str, Any], catalog: Catalog) -> Names:
    """The words of every option, worked out once per answer."""
    return {option["rank"]: named(option, catalog) for option in answer["options"]}


def named(option: Option, catalog: Catalog) -> Named:
    """The words of one option."""
    card = catalog.accelerators[option["accelerator"]]
    return Named(
        rank=option["rank"],
        name=f"{option['count']}{NBSP}×{NBSP}{card.name}",
        how=" · ".join([option["weights"], *_spread(option), *_cache(option), engine_name(option["engine"])]),
        link=plan_link(option["request"]),
        cost_link=_with_money("planner:costs", option),
        save_link=_with_money("planner:new_plan", option),
        narrow=narrow(option, catalog),
    )


def narrow(option: Option, catalog: Catalog) -> list[str]:
    """What is stored in fewer than 16 bits: it is quick, and what it costs in answers is not in the figures."""
    bits = catalog.schemes[option["weights"]].bytes_per_weight * 8
    shown = [_("%s-bit weights") % (4 if bits < FOUR_BITS_BELOW else 8)] if bits < EIGHT_BITS_BELOW else []
    if option["kv_cache_dtype"] not in WIDE_CACHES:
        shown.append(_("%s KV cache") % option["kv_cache_dtype"])
    return shown


def engine_name(engine: Mapping[str, Any]) -> str:
    """vLLM 0.33.0"""
    return f"{ENGINE_NAMES.get(engine['name'], engine['name'])}{NBSP}{engine['version']}"


def _spread(option: Option) -> list[str]:
    degrees = option["parallelism"]
    shown = [
        f"{name}{NBSP}{degrees[key]}"
        for name, key in (("TP", "tensor"), ("PP", "pipeline"), ("DP", "data"))
        if degrees[key] > 1
    ]
    return [*shown, "EP"] if degrees["expert"] else shown


def _cache(option: Option) -> list[str]:
    return [] if option["kv_cache_dtype"] == "auto" else [f"KV{NBSP}{option['kv_cache_dtype']}"]


def plan_link(request: Mapping[str, Any]) -> str:
    """The address of the plan that asks for exactly this estimate."""
    plan = plan_of_request(request)
    if plan is None:
        return ""
    query = plan.query()
    return f"{reverse('planner:plan')}?{query}" if query else reverse("planner:plan")


def _with_money(name: str, option: Option) -> str:
    """The address of a page about an option, with its price where it has one."""
    plan, cost = plan_of_request(option["request"]), option["cost"]
    if plan is None:
        return ""
    money = {}
    if cost is not None:
        kind = cost["price"]["kind"]
        money = {"cur": cost["currency"]}
        money |= (
            {"ps": kind} if kind == "public" else {"cp": f"{cost['unit_price']:g}"} if kind == "given" else {}
        )
    query = "&".join(part for part in (plan.query(), urlencode(money)) if part)
    return f"{reverse(name)}?{query}"


def objective_name(objective: str, *, by: str = "power") -> str:
    """What is sought, as the form has it."""
    return {
        "balanced": _("best balance of speed and price")
        if by == "price"
        else _("best balance of speed and power"),
        "lowest_cost": _("cheapest"),
        "lowest_tpot": _("fastest for each user"),
        "highest_throughput": _("highest throughput"),
        "lowest_power": _("least power"),
    }[objective]


def order_sentence(objective: str, *, by: str) -> str:
    """The formula of the order; `by` is what balanced or throughput was weighed by."""
    formula = {
        "balanced": _("(wait for the first token + time of the others) ÷ output tokens × price of all cards")
        if by == "price"
        else _("(wait for the first token + time of the others) ÷ output tokens × board power of all cards"),
        "lowest_cost": _("price of all cards"),
        "lowest_tpot": _("time per token"),
        "highest_throughput": _("the requests per second that it could carry at most")
        if by == "capacity"
        else _("tokens per second of all users together"),
        "lowest_power": _("board power of all cards"),
    }[objective]
    if objective == "highest_throughput":
        said = _("Ranked by %s, the largest first.") % formula
    else:
        said = _("Ranked by %s, the smallest first.") % formula
    return said + " " + _("Ties go to the shorter time per token, then to less power, then to the name.")


def headline(answer: Mapping[str, Any], names: Names) -> str:
    """The best option, and by how far."""
    best, *others = answer["options"]
    values = {
        "setup": names[best["rank"]].name,
        "what": objective_name(answer["objective"], by=best["reason"]["values"].get("by", "power")),
    }
    ahead = best["reason"]["values"].get("next_percent")
    if not others or ahead is None:
        return _("%(setup)s: %(what)s.") % values
    values |= {"ahead": percent(ahead / 100), "next": names[others[0]["rank"]].name}
    if ahead < 1:
        return _("%(setup)s: %(what)s, level with %(next)s.") % values
    return _("%(setup)s: %(what)s, %(ahead)s %% ahead of %(next)s.") % values


def sentences(answer: Mapping[str, Any], question: Mapping[str, Any], names: Names) -> str:
    """What the best option does, and out of how many it was chosen."""
    best = answer["options"][0]
    speed, interval = best["speed"], best["speed"]["interval"]["tpot_ms"]
    said = _(
        "With %(how)s, each user gets a token every %(tpot)s, %(per_user)s tokens per second, after %(ttft)s of waiting "
        "for the first."
    ) % {
        "how": names[best["rank"]].how,
        "tpot": with_unit(speed["tpot_ms"], "ms"),
        "per_user": short(speed["output_tokens_per_s_per_user"]),
        "ttft": seconds(speed["ttft_ms"]),
    }
    if interval:
        said += " " + _("Four of five such set-ups land between %(low)s and %(high)s.") % {
            "low": short(interval[0], 2),
            "high": f"{short(interval[1], 2)}{NBSP}ms",
        }
    said += " " + sure if (sure := certainty(judged(best))) else ""
    return said + " " + searched_sentence(answer, has_targets=bool(question.get("targets")))


def searched_sentence(answer: Mapping[str, Any], *, has_targets: bool) -> str:
    """Out of how many set-ups the answer was chosen."""
    values = {"matching": count(answer["matching"]), "searched": count(answer["searched"])}
    if any(group["reason"] == "below_usable_floor" for group in answer["excluded"]):
        return (
            _(
                "%(matching)s of %(searched)s set-ups that were searched start, carry the load, and are fast enough by "
                "your targets or else by our assumption."
            )
            % values
        )
    if has_targets:
        return (
            _(
                "%(matching)s of %(searched)s set-ups that were searched start, carry the load and meet the targets."
            )
            % values
        )
    return _("%(matching)s of %(searched)s set-ups that were searched start and carry the load.") % values


def best_figures(option: Option, catalog: Catalog) -> list[Figure]:
    """The figures beneath the verdict: speed, room in the cache, and what it draws."""
    setup = Setup(
        model="",
        card=catalog.accelerators[option["accelerator"]].name,
        count=option["count"],
        cards_per_replica=option["parallelism"]["tensor"] * option["parallelism"]["pipeline"],
        engine=engine_name(option["engine"]),
        parallelism="",
        max_model_len=option["request"]["settings"]["max_model_len"],
    )
    shown, watts = figures(option, option["request"], setup)[:5], option["power_w"]
    if option["cost"] is not None:
        # what a user gets per second is the time per token said again; the price is not
        shown[3] = Figure(
            name=_("Price"),
            value=money(option["cost"]["purchase"], option["cost"]["currency"]),
            unit="",
            kind=option["cost"]["price"]["kind"],
            sub=_price_line(option),
        )
    return [
        *shown,
        Figure(
            name=_("Board power"),
            value=count(watts),
            unit="W" if watts is not None else "",
            kind="datasheet" if watts is not None else "",
            sub=ngettext("of %s card, by its datasheet", "of all %s cards, by the datasheet", option["count"])
            % option["count"],
        ),
    ]


def caveats(answer: Mapping[str, Any]) -> list[str]:
    """What speaks against the best option although it leads: requests that it refuses, little room, idle modules."""
    if not answer["options"]:
        return []
    best = answer["options"][0]
    refused = [item["message"] for item in answer["reasons"] if item["code"] in REFUSES_SOME]
    busy = [word(ADVICE, i["code"], i["values"]) for i in best["advice"] if i["code"] == "load_near_capacity"]
    return [*refused, *busy, *(item["message"] for item in best["bill_of_materials"] if item["message"])]


def bill(option: Option) -> list[BillLine]:
    """What is bought for an option."""
    return [
        BillLine(
            name=item["name"],
            quantity=count(item["quantity"]),
            price=money(item["unit_price"], item["currency"]),
            total=money(item["total"], item["currency"]),
            note=item["message"],
            whose=whose_price(option),
            link=_quote_link(option),
            quoted=bool(option["cost"] and option["cost"]["price"]["quote"]),
        )
        for item in option["bill_of_materials"]
    ]


def whose_price(option: Option) -> str:
    """Whose word the price is, or why there is none."""
    said: str = (option["cost"]["price"] if option["cost"] else option["price_note"])["message"]
    return said


def _price_line(option: Option) -> str:
    """2 × USD 2,500, Hua Dong Trading"""
    cost, price = option["cost"], option["cost"]["price"]
    whose = price["supplier"] or str(PRICE_KINDS[price["kind"]])
    return f"{option['count']}{NBSP}×{NBSP}{money(cost['unit_price'], cost['currency'])}, {whose}"


def _quote_link(option: Option) -> str:
    """The quote that a price is from, or where one is written down; none for prices that were typed."""
    if option["cost"] is None:
        query = urlencode({"kind": "accelerator", "subject": option["accelerator"]})
        return f"{reverse('planner:new_quote')}?{query}"
    uid = option["cost"]["price"]["quote"]
    return reverse("planner:quote", args=[uid]) if uid else ""


def money(amount: float | None, currency: str | None) -> str:
    """An amount with its currency; a dash where there is none."""
    return written(amount, currency)


def weighs(shape: Mapping[str, float]) -> str:
    """Which part of the machine decides the time of a token here."""
    shares = {
        "bandwidth": shape["weights"] + shape["kv"],
        "prefill": shape["prefill"],
        "interconnect": shape["interconnect"],
        "host": shape["host"],
    }
    largest = max(shares, key=lambda name: shares[name])
    texts = {
        "bandwidth": _("Memory bandwidth decides %s %% of each token here."),
        "prefill": _("Computing the prompts decides %s %% of each token here."),
        "interconnect": _("The link between the cards decides %s %% of each token here."),
        "host": _("The host decides %s %% of each token here."),
    }
    return texts[largest] % percent(shares[largest])
