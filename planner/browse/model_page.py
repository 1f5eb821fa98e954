"""One model: its architecture, its parameters by part, bytes of cache and weights, and what it fits on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from planner.browse.rows import Mark, active_parameters, mark_of
from planner.catalog.build import model_spec
from planner.core.figures import DASH, count, short, with_unit
from planner.core.model_facts import CacheFact, cache_facts, tensor_degrees, weight_facts
from planner.core.owned import parameters_of
from planner.core.reference import LOADS, Held, sheet_row
from planner.core.specs import CacheGroup, Catalog, ModelSpec
from planner.core.units import GIB
from planner.core.weights import part_bytes, published_scheme_id
from planner.messages.catalog import ATTENTION, PARTS, SUPPORT
from planner.models import ModelShape
from planner.queries.entries import in_words
from planner.reference.page import plan_link
from planner.setup import ENGINE_NAMES

KIB = 1024
BILLION = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class Layers:
    """Layers of one kind of attention."""

    kind: str
    layers: int
    heads: str
    dims: str
    window: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PartRow:
    """Parameters of one part, and what they weigh as published."""

    name: Any
    parameters: str
    share: str
    gib: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheRow:
    """The cache per token in one engine, for the spellings of a dtype that cost the same."""

    engine: str
    dtypes: str
    kib: str
    gib_per_context: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightRow:
    """Weights in one scheme."""

    scheme: str
    published: bool
    gib: str
    bits: str
    engines: str
    releases: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportRow:
    """What is known of one engine."""

    engine: str
    key: str
    word: str
    good: bool
    known: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """The smallest set-up for one load."""

    text: str
    link: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FitLine:
    """One precision: what it weighs and the smallest set-up for each load."""

    scheme: str
    published: bool
    gib: str
    cells: Sequence[Cell]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where figures are from, those of one source together."""

    names: Sequence[Any]
    kind: str
    text: str
    own: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPage:
    """The context of templates/planner/browse/model.html."""

    entry: ModelShape
    mark: Mark | None
    answer: str
    facts: Sequence[tuple[Any, str]]
    layers: Sequence[Layers]
    parts: Sequence[PartRow]
    caches: Sequence[CacheRow]
    context: str
    weights: Sequence[WeightRow]
    degrees: str
    support: Sequence[SupportRow]
    loads: Sequence[str]
    fits: Sequence[FitLine]
    releases: Sequence[tuple[str, str]]
    aliases: Sequence[str]
    sources: Sequence[Source]
    notes: str
    plan: str
    recommend: str


FIGURES: dict[str, Any] = {
    "parameters": gettext_lazy("Parameters by part"),
    "published_total": gettext_lazy("Parameters as published"),
    "mtp_parameters": gettext_lazy("Parameters of the draft head"),
    "shape": gettext_lazy("Shape"),
    "attention": gettext_lazy("Attention by layer"),
    "moe": gettext_lazy("Experts"),
    "context": gettext_lazy("Context"),
    "engines": gettext_lazy("Engines"),
    "weights": gettext_lazy("Bytes of its files by part"),
}


def model_page(entry: ModelShape, *, catalog: Catalog, words: dict[str, str]) -> ModelPage:
    """Everything about one model."""
    model = catalog.models[entry.key] if entry.key in catalog.models else model_spec(entry.record)
    record = entry.record
    context = min(model.max_position_embeddings, 32_768)
    return ModelPage(
        entry=entry,
        mark=mark_of(entry),
        answer=_answer(model, catalog),
        facts=_facts(entry, model),
        layers=[_layers(group) for group in model.cache_groups],
        parts=_parts(model, catalog),
        caches=[_cache(item, context) for item in cache_facts(model, catalog)],
        context=count(context),
        weights=_weights(model, record, catalog),
        degrees=", ".join(str(degree) for degree in tensor_degrees(model)),
        support=[_support(key, model) for key in catalog.engines],
        loads=[_load(load.users, load.context) for load in LOADS],
        fits=_fits(model, catalog),
        releases=[(item["id"], item["scheme"]) for item in record["quantized"]],
        aliases=record["aliases"],
        sources=_sources(entry, words),
        notes=record.get("notes") or "",
        plan=f"{reverse('planner:plan')}?{urlencode({'m': entry.key})}",
        recommend=f"{reverse('planner:recommend')}?{urlencode({'m': entry.key})}",
    )


def _load(users: int, context: int) -> str:
    return _("%(users)s × %(context)s tokens") % {"users": users, "context": count(context)}


def _answer(model: ModelSpec, catalog: Catalog) -> str:
    published = catalog.schemes[published_scheme_id(model)]
    caches = cache_facts(model, catalog)
    values = {
        "parameters": short(parameters_of(model) / BILLION),
        "weights": with_unit(part_bytes(model, published).total / GIB, "GiB"),
        "scheme": published.id,
        "active": short(active_parameters(model, published) / BILLION),
        "cache": with_unit(caches[0].bytes_per_token / KIB, "KiB") if caches else DASH,
    }
    if model.moe is not None:
        return (
            _(
                "%(parameters)s billion parameters, of which a token uses %(active)s billion; %(weights)s as published "
                "(%(scheme)s), and %(cache)s of cache for each token."
            )
            % values
        )
    return (
        _(
            "%(parameters)s billion parameters, %(weights)s as published (%(scheme)s), and %(cache)s of cache for each token."
        )
        % values
    )


def _facts(entry: ModelShape, model: ModelSpec) -> list[tuple[Any, str]]:
    record = entry.record
    moe = model.moe
    facts = [
        (_("Family"), entry.family),
        (_("Architecture"), ", ".join(model.architectures)),
        (_("Published"), str(record["released"] or DASH)),
        (_("License"), str(record["license"] or DASH)),
        (_("Reads"), ", ".join(model.modality)),
        (_("Context"), _("%s tokens") % count(model.max_position_embeddings)),
        (_("Layers"), count(model.num_layers)),
        (_("Hidden size"), count(model.hidden_size)),
        (_("Attention heads"), count(model.num_attention_heads)),
        (_("KV heads"), count(model.num_kv_heads)),
        (_("Vocabulary"), count(model.vocab_size)),
        (_("Token table is the head too"), _("yes") if model.tie_word_embeddings else _("no")),
        (_("Unquantized type"), model.dtype),
    ]
    if moe is not None:
        shared = _(", %s shared") % moe.shared_experts if moe.shared_experts else ""
        text = _("%(chosen)s of %(all)s per token%(shared)s, in %(layers)s layers")
        values = {
            "chosen": moe.experts_per_token,
            "all": moe.num_experts,
            "shared": shared,
            "layers": moe.moe_layers,
        }
        facts.append((_("Experts"), text % values))
    if model.longer_by is not None:
        facts.append((_("With rope scaling"), _("%s tokens") % count(model.longer_by.tokens)))
    return facts


def _layers(group: CacheGroup) -> Layers:
    dims = group.latent_dim or group.head_dim
    return Layers(
        kind=str(ATTENTION[group.kind]),
        layers=group.layers,
        heads=count(group.kv_heads) if group.kv_heads else DASH,
        dims=count(dims) if dims else DASH,
        window=_("%s tokens") % count(group.window) if group.window else DASH,
    )


def _parts(model: ModelSpec, catalog: Catalog) -> list[PartRow]:
    sizes = part_bytes(model, catalog.schemes[published_scheme_id(model)])
    total = parameters_of(model)
    rows = []
    for name, label in PARTS.items():
        number = getattr(model, f"{name}_params")
        if number:
            rows.append(
                PartRow(
                    name=label,
                    parameters=count(number),
                    share=short(100 * number / total),
                    gib=short(getattr(sizes, name) / GIB),
                )
            )
    return rows


def _cache(item: CacheFact, context: int) -> CacheRow:
    return CacheRow(
        engine=f"{ENGINE_NAMES.get(item.engine, item.engine)} {item.version}",
        dtypes=", ".join(item.dtypes),
        kib=short(item.bytes_per_token / KIB),
        gib_per_context=short(item.bytes_per_token * context / GIB),
    )


def _weights(model: ModelSpec, record: Any, catalog: Catalog) -> list[WeightRow]:
    total = parameters_of(model)
    return [
        WeightRow(
            scheme=fact.scheme.id,
            published=fact.published,
            gib=short(fact.total_bytes / GIB, 4),
            bits=short(8 * fact.total_bytes / total),
            engines=", ".join(ENGINE_NAMES.get(name, name) for name in fact.engines),
            releases=[item["id"] for item in record["quantized"] if item["scheme"] == fact.scheme.id],
        )
        for fact in weight_facts(model, catalog)
    ]


def _support(key: str, model: ModelSpec) -> SupportRow:
    word = model.engine_support.get(key)
    name = ENGINE_NAMES.get(key, key)
    if word is None:
        return SupportRow(engine=name, key=key, word=_("nobody says"), good=False, known=False)
    if word.startswith("until "):
        text = _("until version %s") % word.removeprefix("until ")
        return SupportRow(engine=name, key=key, word=text, good=False, known=True)
    return SupportRow(engine=name, key=key, word=str(SUPPORT[word]), good=word != "absent", known=True)


def _fits(model: ModelSpec, catalog: Catalog) -> list[FitLine]:
    if model.engine_support.get("vllm") == "absent":
        return []
    row = sheet_row("", model, catalog)
    return [
        FitLine(
            scheme=item.scheme.id,
            published=item.published,
            gib=short(item.weights_gib),
            cells=[
                _cell(held, beyond=beyond) for held, beyond in zip(item.smallest, row.beyond, strict=True)
            ],
        )
        for item in row.precisions
    ]


def _cell(held: Held | None, *, beyond: bool) -> Cell:
    if beyond:
        return Cell(text=_("beyond the model's limit"))
    if held is None or held.request.accelerator is None:
        return Cell(text=_("more than 8 cards"))
    return Cell(text=f"{held.request.count} × {held.request.accelerator.name}", link=plan_link(held.request))


def _sources(entry: ModelShape, words: dict[str, str]) -> list[Source]:
    own = (entry.edited or {}).get("figures", {}) if entry.shipped else {}
    found: dict[tuple[str, str, bool], list[Any]] = {}
    for name, figure in entry.record["figures"].items():
        key = (figure["kind"], in_words(figure["sources"], words), name in own)
        found.setdefault(key, []).append(FIGURES[name])
    return [
        Source(names=names, kind=kind, text=text, own=is_own) for (kind, text, is_own), names in found.items()
    ]
