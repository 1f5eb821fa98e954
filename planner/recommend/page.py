"""Everything that the recommend page shows for one search, put together once per request."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from planner import pictures
from planner.answers import recommendations
from planner.answers.estimates import is_problem, problem_object
from planner.charts import Bar
from planner.core.figures import NBSP, count, percent, short, with_unit
from planner.core.search.asked import SearchRequest
from planner.core.search.parse import parse_search
from planner.core.specs import Catalog
from planner.form_hints import means_hint, model_hint, users_hint
from planner.plan.curves import Picture
from planner.plan.figures import seconds
from planner.plan.page import FieldError
from planner.presentation import ICON_OF_STATE, Verdict
from planner.queries.prices import Books
from planner.recommend import words as recommend_words
from planner.recommend.form import CLASSES, INPUTS, OWNED, PRICED, VENDORS, Search, key_of
from planner.recommend.near import Loosened, Near, loosened, nearest, relaxed
from planner.recommend.plot import frontier_picture
from planner.recommend.table import Comparison, Listing, comparison, listing
from planner.recommend.winners import Winner, winners
from planner.recommend.words import REFUSES_SOME, BillLine, Named, Names, names_of

RANK_REASONS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Set-ups left out for one reason, with a few of them."""

    id: str
    message: str
    count: str
    share: str
    details: Sequence[tuple[str, str]]  # narrower reasons with their counts, where there are several
    examples: Sequence[tuple[str, str]]  # what, and what was seen of it


@dataclass(frozen=True, slots=True, kw_only=True)
class RecommendPage:
    """The context of templates/planner/recommend.html and its parts. `verdict` is None when the input has errors."""

    search: Search
    title: str
    errors: Mapping[str, str]
    error_list: Sequence[FieldError]
    hints: Mapping[str, str] = field(default_factory=dict)
    verdict: Verdict | None = None
    best: Named | None = None
    caveats: Sequence[str] = ()
    bill: Sequence[BillLine] = ()
    winners: Sequence[Winner] = ()
    no_prices: bool = False
    comparison: Comparison | None = None
    listing: Listing | None = None
    frontier: Picture | None = None
    weighs: str = ""
    step: Bar | None = None
    order: Sequence[tuple[Named, str]] = ()
    remarks: Sequence[str] = ()
    left_out: Sequence[Group] = ()
    left_out_sentence: str = ""
    nearest: Sequence[Near] = ()
    loosened: Sequence[Loosened] = ()
    kinds: Sequence[str] = ()
    curl: str = ""
    command: str = ""
    basis: Mapping[str, Any] = field(default_factory=dict)

    @property
    def quantile_messages(self) -> dict[str, str]:
        """The messages of the quantiles, which share a place beneath their rows."""
        return {key: self.errors.get(key, "") for key in ("i50", "i90", "i99", "o50", "o90", "o99")}

    @property
    def messages(self) -> dict[str, str]:
        """A message for every input, empty where all is well: an update must also take old ones away."""
        model = "c" if self.search.packed_config else "m"
        typed = [
            item.key for item in INPUTS if item.kind in ("text", "number") and item.path and item.key != "m"
        ]
        return {key: self.errors.get(key, "") for key in (model, *typed, VENDORS, CLASSES, OWNED, PRICED)}


def recommend_page(search: Search, *, catalog: Catalog, books: Books, address: str) -> RecommendPage:
    """Ask the core and put its answer into words and pictures. `address` is that of the API, for the copied call."""
    question = search.request()
    if search.problems:
        return _with_errors(search, problem_object(None, search.problems))
    answer = recommendations.answer_for_page(question, catalog=catalog, books=books)
    if is_problem(answer):
        return _with_errors(search, answer)
    return answered(search, question, answer, catalog=catalog, address=address)


def answered(
    search: Search,
    question: Mapping[str, Any],
    answer: dict[str, Any],
    *,
    catalog: Catalog,
    address: str,
) -> RecommendPage:
    """The page for one answer of the contract."""
    options, shape, names = answer["options"], answer["workload_shape"], names_of(answer, catalog)
    verdict = _verdict(answer, question, names, catalog)
    return RecommendPage(
        search=search,
        title=_("What should run %s?") % _model_name(question),
        errors={},
        error_list=[],
        hints=_hints(question, answer, catalog),
        verdict=verdict,
        best=names[options[0]["rank"]] if options else None,
        caveats=recommend_words.caveats(answer),
        bill=recommend_words.bill(options[0]) if options else [],
        winners=winners(answer, names),
        no_prices=any(item["code"] == "no_prices" for item in answer["reasons"]),
        comparison=comparison(options, search, names, catalog) if len(options) > 1 else None,
        listing=listing(options, search, names, set_ups=answer["set_ups"]) if len(options) > 1 else None,
        frontier=frontier_picture(answer, question, names),
        weighs=recommend_words.weighs(shape) if shape else "",
        step=pictures.step_bar(options[0]) if options else None,
        order=[(names[option["rank"]], option["reason"]["message"]) for option in options[:RANK_REASONS]],
        remarks=_remarks(answer),
        left_out=[_group(item, answer, catalog) for item in answer["excluded"]],
        left_out_sentence=_left_out_sentence(answer),
        nearest=nearest(answer, question, search, catalog),
        loosened=loosened(answer, search),
        kinds=list(dict.fromkeys(figure.kind for figure in verdict.figures if figure.kind)),
        curl=_curl(question, address),
        command=f"python manage.py recommend <<'EOF'\n{json.dumps(question, ensure_ascii=False)}\nEOF",
        basis=answer["basis"],
    )


def _hints(question: Mapping[str, Any], answer: Mapping[str, Any], catalog: Catalog) -> dict[str, str]:
    parsed = parse_search(question, catalog)
    assert isinstance(parsed, SearchRequest)  # it was answered
    asked = answer["options"][0]["load"]["concurrency"] if answer["options"] else None
    return {
        "m": model_hint(parsed.model),
        "d": means_hint(parsed.workload),
        "by": users_hint(parsed.workload, asked),
    }


def _with_errors(search: Search, problem: Mapping[str, Any]) -> RecommendPage:
    errors: dict[str, str] = {}
    for item in problem["errors"]:
        key = key_of(item["field"]) or ("max" if item["code"] == "too_many_candidates" else "m")
        errors[key] = f"{errors[key]} {item['message']}" if key in errors else item["message"]
    return RecommendPage(
        search=search,
        title=_("Recommend"),
        errors=errors,
        error_list=[
            FieldError(key=key, label=field_label(key), message=message) for key, message in errors.items()
        ],
    )


def field_label(key: str) -> str:
    """The label of an input, as the form has it."""
    labels = {
        "m": _("Model"),
        "c": _("config.json"),
        "w": _("Weights"),
        "kv": _("KV cache"),
        "e": _("Engine"),
        "v": _("Version"),
        "i": _("Input, mean"),
        "o": _("Output, mean"),
        "u": _("At the same time"),
        "day": _("Requests a day"),
        "peak": _("Peak over mean"),
        "place": _("Where"),
        "max": _("Cards at most"),
        "pw": _("Power at most"),
        "bud": _("Budget"),
        "cur": _("Currency"),
        "ps": _("Other prices"),
        "ven": _("Vendors"),
        "cls": _("Classes"),
        "oa": _("Cards you have"),
        "pa": _("Prices you pay"),
        "obj": _("Rank by"),
        "tpot": "TPOT",
        "ttft": "TTFT",
        "tps": _("Speed for each user"),
    }
    return labels.get(key, key)


def _model_name(question: Mapping[str, Any]) -> str:
    model = question.get("model") or {}
    name: str = model.get("id") or (model.get("config") or {}).get("model_type") or _("this model")
    return name.rpartition("/")[2]


def _verdict(
    answer: Mapping[str, Any], question: Mapping[str, Any], names: Names, catalog: Catalog
) -> Verdict:
    if answer["options"]:
        state = "warn" if any(item["code"] in REFUSES_SOME for item in answer["reasons"]) else "ok"
        return Verdict(
            state=state,
            icon=ICON_OF_STATE[state],
            headline=recommend_words.headline(answer, names),
            sentences=recommend_words.sentences(answer, question, names),
            figures=recommend_words.best_figures(answer["options"][0], catalog),
            reasons=[],
        )
    if not answer["searched"]:
        headline = _("Nothing was searched: no set-up is left by what you ask for.")
    elif not answer["nearest"]:
        headline = _("Nothing is left: every set-up was ruled out before its speed was asked.")
    else:
        headline = relaxed(answer, catalog)
    return Verdict(
        state="warn" if answer["nearest"] else "off",
        icon=ICON_OF_STATE["warn" if answer["nearest"] else "off"],
        headline=headline,
        sentences=_("%(searched)s set-ups were searched; why each is out is said below.")
        % {"searched": count(answer["searched"])},
        figures=[],
        reasons=[],
    )


def _remarks(answer: Mapping[str, Any]) -> list[str]:
    """What holds for the order as a whole, what it leaves unsaid included."""
    if not answer["options"]:
        return []
    by = answer["options"][0]["reason"]["values"].get("by", "power")
    return [
        recommend_words.order_sentence(answer["objective"], by=by),
        *(
            item["message"]
            for item in answer["reasons"]
            if item["code"] not in {"balanced_by_power", "balanced_by_price", *REFUSES_SOME}
        ),
        _(
            "Formats are ranked by what they do to speed and memory. What fewer bits do to the answers of a model is not "
            "in these figures: choose a format under Weights to hold it."
        ),
    ]


def _group(item: Mapping[str, Any], answer: Mapping[str, Any], catalog: Catalog) -> Group:
    return Group(
        id=f"out-{item['reason']}".replace("_", "-"),
        message=item["message"],
        count=count(item["count"]),
        share=f"{percent(item['count'] / answer['searched'])}{NBSP}%",
        details=[(part["message"], count(part["count"])) for part in item["details"]]
        if len(item["details"]) > 1
        else [],
        examples=[_example(entry, catalog) for entry in item["examples"]],
    )


def _example(entry: Mapping[str, Any], catalog: Catalog) -> tuple[str, str]:
    """One set-up that is out, and the figures that were known of it."""
    card = catalog.accelerators[entry["accelerator"]]
    if "count" not in entry:
        return card.name, ""
    how = " · ".join([f"{entry['count']}{NBSP}×{NBSP}{card.name}", entry["weights"], entry["engine"]])
    seen = []
    if entry.get("tpot_ms") is not None:
        seen.append(_("%s per token") % with_unit(entry["tpot_ms"], "ms"))
    if entry.get("ttft_ms") is not None:
        seen.append(_("first after %s") % seconds(entry["ttft_ms"]))
    if entry.get("short_gib") is not None:
        seen.append(_("%s GiB short") % short(entry["short_gib"]))
    return how, ", ".join(seen)


def _left_out_sentence(answer: Mapping[str, Any]) -> str:
    out = answer["searched"] - answer["matching"]
    return _("%(out)s of %(searched)s set-ups are out, each for the first reason that holds.") % {
        "out": count(out),
        "searched": count(answer["searched"]),
    }


def _curl(question: Mapping[str, Any], address: str) -> str:
    body = json.dumps(question, ensure_ascii=True).replace("'", "\\u0027")
    return (
        f"curl -sS {address} \\\n"
        f'  -H "Authorization: Bearer $DECODECK_TOKEN" \\\n'
        f'  -H "Content-Type: application/json" \\\n'
        f"  -d '{body}'"
    )
