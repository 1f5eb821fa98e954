"""Options against each other: the best few measure by measure, and all of them in one sortable list."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from planner.core.figures import NBSP, count, percent, short, span
from planner.core.specs import Catalog
from planner.messages.money import PRICE_KINDS
from planner.plan.figures import bound_word
from planner.recommend.form import SHOWN_OPTIONS, Search
from planner.recommend.words import Named, Names, Option, engine_name

SIDE_BY_SIDE = 5
SEPARATOR = "."  # between keys of columns in the address


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One figure that options are compared by. `best` says which end leads: low, high, or "" for neither."""

    key: str  # of the sort in the address
    name: str
    value: Callable[[Option], float | None]
    best: str = ""
    marked: bool = True  # whether the best is marked: not where all do the same but for rounding
    text: Callable[[float | None], str] = short


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    text: str
    sub: str = ""
    best: bool = False
    chosen: bool = False  # of the option that the search puts first


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One measure over the options shown. `same`: it does not tell them apart."""

    name: str
    cells: Sequence[Cell]
    same: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Options side by side; `hidden` rows are those that the toggle leaves out."""

    heads: Sequence[Named]
    rows: Sequence[Row]
    hidden: int
    toggle_link: str
    differences_only: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """A column that the list can be sorted by."""

    key: str
    name: str
    link: str
    sorted: bool
    direction: str  # ascending | descending


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column that can be left out of the list and taken in again."""

    key: str
    name: str
    link: str
    shown: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    named: Named
    cells: Sequence[Cell]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """All options, one per line, in the order of the sort."""

    heads: Sequence[Head]
    columns: Sequence[Column]
    lines: Sequence[Line]
    by_rank: str  # the address with the order of the objective, "" when it is in force
    sentence: str
    csv: str  # the query of the same options as CSV

    @property
    def hidden(self) -> bool:
        """Whether a column is left out."""
        return any(not column.shown for column in self.columns)


def measures(currency: str | None, *, at_rate: bool) -> list[Measure]:
    """What options are compared by, in the order shown.

    The price where there is a currency of it, the share of what an option carries where requests come at a rate.
    """
    shown = [
        Measure(key="tpot", name=_("TPOT, ms"), value=lambda o: o["speed"]["tpot_ms"], best="low"),
        Measure(key="ttft", name=_("TTFT, ms"), value=lambda o: o["speed"]["ttft_ms"], best="low"),
        Measure(
            key="all",
            name=_("Throughput, tok/s"),
            value=lambda o: o["speed"]["output_tokens_per_s"],
            best="high",
            marked=not at_rate,
        ),
        Measure(key="card", name=_("Per card, tok/s"), value=per_card, best="high", marked=not at_rate),
        Measure(key="kv", name=_("KV room, full requests"), value=_room, best="high"),
        Measure(key="power", name=_("Board power, W"), value=lambda o: o["power_w"], best="low", text=count),
    ]
    if at_rate:
        shown.insert(
            4,
            Measure(
                key="load",
                name=_("Load, share of what it carries in %"),
                value=lambda o: o["load"]["share_of_capacity"],
                best="low",
                text=percent,
            ),
        )
    if currency is not None:
        shown.append(
            Measure(
                key="cost",
                name=_("Price, %s") % currency,
                value=lambda o: None if o["cost"] is None else o["cost"]["purchase"],
                best="low",
                text=count,
            )
        )
        name = _("Price per tok/s, %s") % currency
        shown.append(Measure(key="value", name=name, value=price_per_token_s, best="low"))
    return shown


def price_per_token_s(option: Option) -> float | None:
    """What one output token per second costs to buy, all users together; None without a price."""
    if option["cost"] is None:
        return None
    found: float = option["cost"]["purchase"] / option["speed"]["output_tokens_per_s"]
    return found


def per_card(option: Option) -> float | None:
    """Tokens per second of one accelerator, all users together."""
    found: float = option["speed"]["output_tokens_per_s"] / option["count"]
    return found


def _room(option: Option) -> float | None:
    room = option["memory"]["max_concurrency"]
    return None if room is None else room * option["parallelism"]["data"]


def ordered(options: Sequence[Option], sort: str) -> list[Option]:
    """By one measure, its best end first; unknown last; ties by rank. Without a sort: by rank."""
    measure = next((item for item in measures("", at_rate=True) if item.key == sort), None)
    if measure is None:
        return list(options)
    sign = -1 if measure.best == "high" else 1

    def place(option: Option) -> tuple[float, int]:
        value = measure.value(option)
        return (math.inf if value is None else sign * value, option["rank"])

    return sorted(options, key=place)


def comparison(options: Sequence[Option], search: Search, names: Names, catalog: Catalog) -> Comparison:
    """The first few of the order in force, measure by measure."""
    shown = ordered(options, search.values["sort"])[:SIDE_BY_SIDE]
    rows = [_chosen(row, shown) for row in (*_figure_rows(shown), *_word_rows(shown, catalog))]
    only = bool(search.values["diff"])
    kept = [row for row in rows if not row.same] if only else rows
    return Comparison(
        heads=[names[option["rank"]] for option in shown],
        rows=kept,
        hidden=sum(row.same for row in rows),
        toggle_link=_address(search, {"diff": "" if only else "1"}),
        differences_only=only,
    )


def _chosen(row: Row, options: Sequence[Option]) -> Row:
    cells = [
        replace(cell, chosen=option["rank"] == 1) for cell, option in zip(row.cells, options, strict=True)
    ]
    return replace(row, cells=cells)


def _figure_rows(options: Sequence[Option]) -> list[Row]:
    return [
        _row(
            measure.name,
            [_cell(measure, option) for option in options],
            leading=_leading(measure, options),
        )
        for measure in measures(_currency(options), at_rate=_at_rate(options))
    ]


def _word_rows(options: Sequence[Option], catalog: Catalog) -> list[Row]:
    """What the options are, beside what they do."""
    cards = [catalog.accelerators[option["accelerator"]] for option in options]
    bandwidth = [card.bandwidth_gb_s for card in cards]
    texts = (
        (_("MBU"), [f"{percent(option['speed']['mbu'])}{NBSP}%" for option in options]),
        (_("Bound by"), [bound_word(option["speed"]["bound"]) for option in options]),
        (_("Weights"), [option["weights"] for option in options]),
        (_("KV cache"), [option["kv_cache_dtype"] for option in options]),
        (_("Engine"), [engine_name(option["engine"]) for option in options]),
        (_("Weights per card, GiB"), [_gib(option, "weights_gib") for option in options]),
        (_("KV cache per card, GiB"), [_gib(option, "kv_cache_gib") for option in options]),
        (_("Memory per card, GiB"), [_gib(option, "total_gib") for option in options]),
        (_("Bandwidth per card, GB/s"), [count(value) for value in bandwidth]),
    )
    return [_row(name, [Cell(text=text) for text in row], leading=set()) for name, row in texts]


def _gib(option: Option, name: str) -> str:
    return short(option["memory"]["per_accelerator"][name])


def _row(name: str, cells: Sequence[Cell], *, leading: set[int]) -> Row:
    same = len({cell.text for cell in cells}) == 1 and len(cells) > 1
    marked = [replace(cell, best=index in leading and not same) for index, cell in enumerate(cells)]
    return Row(name=name, cells=marked, same=same)


def _cell(measure: Measure, option: Option) -> Cell:
    interval = {"tpot": "tpot_ms", "all": "output_tokens_per_s"}.get(measure.key)
    ends = option["speed"]["interval"][interval] if interval else None
    sub = _price_word(option) if measure.key == "cost" else span(*ends) if ends else ""
    return Cell(text=measure.text(measure.value(option)), sub=sub)


def _price_word(option: Option) -> str:
    """Whose word a price is; why there is none, where that is more than that nobody priced it."""
    if option["cost"] is not None:
        return str(PRICE_KINDS[option["cost"]["price"]["kind"]])
    note = option["price_note"]
    return "" if note["code"] == "no_price" else str(note["message"])


def _leading(measure: Measure, options: Sequence[Option]) -> set[int]:
    """Where the best value of a measure stands; level ones as they are shown, all of them."""
    values = [measure.value(option) for option in options]
    known = [value for value in values if value is not None]
    if not known or not (measure.best and measure.marked) or len(options) == 1:
        return set()
    best = measure.text((min if measure.best == "low" else max)(known))
    return {index for index, value in enumerate(values) if value is not None and measure.text(value) == best}


def listing(options: Sequence[Option], search: Search, names: Names, *, set_ups: int) -> Listing:
    """All options with the figures that they can be sorted by."""
    sort = search.values["sort"]
    every = measures(_currency(options), at_rate=_at_rate(options))
    hidden = _hidden(search, every)
    columns = [measure for measure in every if measure.key not in hidden]
    best = {measure.key: _leading(measure, options) for measure in columns}
    place = {option["rank"]: index for index, option in enumerate(options)}
    return Listing(
        heads=[
            Head(
                key=measure.key,
                name=measure.name,
                link=_address(search, {"sort": measure.key}),
                sorted=measure.key == sort,
                direction="descending" if measure.best == "high" else "ascending",
            )
            for measure in columns
        ],
        columns=[
            Column(
                key=measure.key,
                name=measure.name,
                link=_address(search, {"hide": SEPARATOR.join(sorted(hidden ^ {measure.key}))}),
                shown=measure.key not in hidden,
            )
            for measure in every
        ],
        lines=[
            Line(
                named=names[option["rank"]],
                cells=[
                    replace(_cell(measure, option), best=place[option["rank"]] in best[measure.key])
                    for measure in columns
                ],
                reason=option["reason"]["message"],
            )
            for option in ordered(options, sort)
        ],
        csv=_address(search, {"sort": "", "diff": "", "hide": ""}),
        by_rank=_address(search, {"sort": ""}) if sort else "",
        sentence=_sentence(sum(option["rank"] <= SHOWN_OPTIONS for option in options), set_ups),
    )


def _hidden(search: Search, every: Sequence[Measure]) -> frozenset[str]:
    """Columns that the address leaves out; unknown ones do not count, and a list keeps at least one."""
    keys = frozenset(measure.key for measure in every)
    hidden = keys & frozenset(search.values["hide"].split(SEPARATOR))
    return frozenset() if hidden == keys else hidden


def _sentence(shown: int, set_ups: int) -> str:
    if set_ups <= shown:
        return _("Each pair of card and count in the best way to run it. A column head sorts by it.")
    return _(
        "The first %(shown)s of %(set_ups)s pairs of card and count, each in the best way to run it, and the winners "
        "among the rest. A column head sorts by it."
    ) % {"shown": count(shown), "set_ups": count(set_ups)}


def _currency(options: Sequence[Option]) -> str | None:
    """What prices are in; None where no option has one."""
    return next((option["cost"]["currency"] for option in options if option["cost"] is not None), None)


def _at_rate(options: Sequence[Option]) -> bool:
    return any(option["load"]["share_of_capacity"] is not None for option in options)


def _address(search: Search, changes: Mapping[str, str]) -> str:
    return "?" + search.query(changes)
