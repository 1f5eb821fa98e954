"""What was read of a model, as its preview shows it before anything is kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from planner.answers.imports import Looked
from planner.core.figures import DASH, count, short, with_unit
from planner.core.model_facts import cache_facts
from planner.core.owned import parameters_of
from planner.core.specs import Catalog, ModelSpec
from planner.core.units import GIB
from planner.core.weights import part_bytes, published_scheme_id
from planner.messages import word
from planner.messages.catalog import PARTS
from planner.messages.imports import BYTES_FROM, REMARKS
from planner.models import ModelShape
from planner.setup import ENGINE_NAMES

KIB, BILLION = 1024, 1e9
SHOWN_NAMES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of the weights."""

    name: Any
    weights: str
    gib: str
    bits: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """Something assumed, left out or not known."""

    text: str
    warns: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """The context of templates/planner/imports/_preview.html."""

    sentence: str
    read: str
    bytes_from: str
    bytes_kind: str
    weights_kind: str
    parts: Sequence[Part]
    total_weights: str
    total_gib: str
    facts: Sequence[tuple[Any, str]]
    caches: Sequence[tuple[str, str, str]]
    support: str
    remarks: Sequence[Remark]
    package: str
    key: str
    existing: ModelShape | None
    same: bool


def preview(
    looked: Looked, *, catalog: Catalog, package: str, key: str, existing: ModelShape | None
) -> Preview:
    """A preview of what was read, and of what keeping it under the name `key` would do."""
    model = looked.model
    scheme = catalog.schemes[published_scheme_id(model)]
    sizes = part_bytes(model, scheme)
    parts = [
        _part(label, getattr(model, f"{name}_params"), getattr(sizes, name)) for name, label in PARTS.items()
    ]
    caches = [
        (
            f"{ENGINE_NAMES.get(item.engine, item.engine)} {item.version}",
            ", ".join(item.dtypes),
            short(item.bytes_per_token / KIB),
        )
        for item in cache_facts(model, catalog)
    ]
    return Preview(
        sentence=_sentence(model, scheme.id, sizes.total, caches),
        read=_read(looked),
        bytes_from=str(BYTES_FROM[looked.bytes_from]),
        bytes_kind="computed" if looked.bytes_from == "widths" else "datasheet",
        weights_kind=model.provenance["parameters"].kind,
        parts=[part for part in parts if part is not None],
        total_weights=count(parameters_of(model)),
        total_gib=short(sizes.total / GIB, 4),
        facts=_facts(looked, model, scheme.id),
        caches=caches,
        support=_support(model),
        remarks=[_remark(item) for item in looked.remarks],
        package=package,
        key=key,
        existing=existing,
        same=existing is not None and existing.retired_at is None and existing.record == looked.named(key),
    )


def _sentence(model: ModelSpec, scheme: str, total: float, caches: Sequence[tuple[str, str, str]]) -> str:
    values = {
        "parameters": short(parameters_of(model) / BILLION),
        "weights": with_unit(total / GIB, "GiB"),
        "scheme": scheme,
        "cache": f"{caches[0][2]} KiB" if caches else DASH,
        "context": count(model.max_position_embeddings),
    }
    text = _(
        "%(parameters)s billion parameters, %(weights)s in %(scheme)s, %(cache)s of cache for each token, up to %(context)s tokens."
    )
    return text % values


def _part(label: Any, weights: int, size: float) -> Part | None:
    if not weights and not size:
        return None
    bits = short(8 * size / weights) if weights else DASH
    return Part(name=label, weights=count(weights), gib=short(size / GIB, 4), bits=bits)


def _read(looked: Looked) -> str:
    names = ", ".join(looked.files[:SHOWN_NAMES])
    more = len(looked.files) - SHOWN_NAMES
    if more > 0:
        names = _("%(names)s and %(more)s more") % {"names": names, "more": more}
    if looked.address:
        place = f"{looked.address} @ {looked.commit[:12]}" if looked.commit else looked.address
        return _("%(names)s from %(place)s") % {"names": names, "place": place}
    return names


def _facts(looked: Looked, model: ModelSpec, scheme: str) -> list[tuple[Any, str]]:
    facts = [
        (_("Family"), model.family or DASH),
        (_("Architecture"), ", ".join(model.architectures) or DASH),
        (_("Published in"), scheme),
        (_("Context"), _("%s tokens") % count(model.max_position_embeddings)),
        (_("Layers"), count(model.num_layers)),
        (_("Hidden size"), count(model.hidden_size)),
        (_("Attention heads"), count(model.num_attention_heads)),
        (_("KV heads"), count(model.num_kv_heads)),
        (_("Vocabulary"), count(model.vocab_size)),
    ]
    if model.moe is not None:
        text = _("%(chosen)s of %(all)s per token")
        facts.append(
            (_("Experts"), text % {"chosen": model.moe.experts_per_token, "all": model.moe.num_experts})
        )
    if looked.checkpoint is not None:
        types = ", ".join(looked.checkpoint["types"])
        facts.append((_("Stored as"), types))
        facts.append((_("Tensors"), count(looked.checkpoint["tensors"])))
    if model.kept or model.scheme_excludes:
        facts.append((_("Left unquantized"), _kept(model)))
    return facts


def _kept(model: ModelSpec) -> str:
    if model.kept:
        return _("%s weights, as its quantizer says") % count(sum(item.params for item in model.kept))
    return ", ".join(model.scheme_excludes)


def _support(model: ModelSpec) -> str:
    good = [ENGINE_NAMES.get(name, name) for name, said in model.engine_support.items() if said == "native"]
    return ", ".join(good) or DASH


def _remark(item: dict[str, Any]) -> Remark:
    return Remark(text=remark_text(item), warns=item["severity"] == "warning")


def remark_text(item: dict[str, Any]) -> str:
    """A remark in words, its numbers with separators."""
    values = {
        name: count(value) if isinstance(value, int) and value >= 1000 else value
        for name, value in item["values"].items()
    }
    return word(REMARKS, item["code"], values)


def plan_address(key: str) -> str:
    """Where a model is planned."""
    return f"{reverse('planner:plan')}?{urlencode({'m': key})}"
