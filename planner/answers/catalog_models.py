"""Models of the catalog as JSON, and the few things of them that a team states: context, engines, a note."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from access.models import User
from planner.actions.catalog import CatalogFaultsError
from planner.actions.entries import edit_entry
from planner.answers.catalog import Errors, errors_of, shown_standing
from planner.answers.catalog_fields import ENGINE_WORDS, KINDS, TEXT_LIMIT
from planner.answers.catalog_statement import TEAM_WORD, Statement
from planner.catalog.build import model_spec
from planner.core.model_facts import cache_facts, tensor_degrees, weight_facts
from planner.core.specs import Catalog
from planner.models import CatalogEntry, ModelShape
from planner.queries.entries import in_words, source_words

MOST_TOKENS = 100_000_000
FIELDS = ("max_context_tokens", "engines", "engines_source", "notes")


def shown_model(entry: ModelShape, words: Mapping[str, str]) -> dict[str, Any]:
    """A model as JSON."""
    record = entry.record
    figures = record["figures"]
    context, engines = figures["context"], figures["engines"]
    own = (entry.edited or {}).get("figures", {}) if entry.shipped else {}
    return {
        "id": entry.key,
        **{
            name: record[name]
            for name in (
                "family",
                "architectures",
                "license",
                "released",
                "edge",
                "modality",
                "dtype",
                "native_weight_format",
                "aliases",
            )
        },
        "quantized": [{"id": item["id"], "scheme": item["scheme"]} for item in record["quantized"]],
        "notes": record.get("notes"),
        "parameters": {"total": entry.parameters, "by_part": figures["parameters"]["value"]},
        "shape": figures["shape"]["value"],
        "attention": figures["attention"]["value"],
        "experts": figures["moe"]["value"] if "moe" in figures else None,
        "max_context_tokens": {
            "value": context["value"]["max_position_embeddings"],
            "kind": context["kind"],
            "source": in_words(context["sources"], words),
        },
        "engines": engines["value"],
        "sources": {
            name: {"kind": figure["kind"], "source": in_words(figure["sources"], words)}
            for name, figure in figures.items()
        },
        "edited_fields": sorted(own),
        **shown_standing(entry),
    }


def model_facts(entry: ModelShape, catalog: Catalog) -> dict[str, Any]:
    """What follows from its shape: bytes per token by engine and KV dtype, bytes per scheme, tensor degrees."""
    model = catalog.models[entry.key] if entry.key in catalog.models else model_spec(entry.record)
    return {
        "kv_bytes_per_token": [
            {
                "engine": fact.engine,
                "version": fact.version,
                "kv_cache_dtypes": list(fact.dtypes),
                "bytes": fact.bytes_per_token,
            }
            for fact in cache_facts(model, catalog)
        ],
        "weights": [
            {
                "scheme": fact.scheme.id,
                "as_published": fact.published,
                "bytes": round(fact.total_bytes),
                "engines": list(fact.engines),
            }
            for fact in weight_facts(model, catalog)
        ],
        "tensor_parallel": tensor_degrees(model),
    }


def change_model(
    entry: ModelShape, body: Any, *, engines: Mapping[str, Any], revision: int, actor: User
) -> tuple[CatalogEntry | None, Errors]:
    """A model with what the team states of it; null takes the team's word back. Raises ConflictError."""
    said = read_model(body, entry, engines=engines)
    if said.errors:
        return None, said.errors
    try:
        return edit_entry(entry, said.edited, actor=actor, revision=revision, sources=said.sources), []
    except CatalogFaultsError as error:
        return None, errors_of(error.faults)


def read_model(body: Any, entry: ModelShape, *, engines: Mapping[str, Any]) -> Statement:
    """What is stated of a model, read."""
    record = entry.record
    said = Statement(
        record={**record, "figures": dict(record["figures"])}, shipped=entry.shipped, words=source_words()
    )
    if not isinstance(body, Mapping):
        said.wrong(None, "wrong_type", _("Send a JSON object."))
        return said
    for name in list(body)[:20]:
        if name not in FIELDS:
            text = _("No such field. Known here: %(known)s.") % {"known": ", ".join(FIELDS)}
            said.wrong(str(name)[:60], "unknown_field", text)
    if "max_context_tokens" in body:
        _context(said, body["max_context_tokens"])
    if "engines" in body:
        _engines(said, body["engines"], body.get("engines_source"), engines)
    if "notes" in body:
        _notes(said, body["notes"])
    return said


def _shipped(said: Statement, name: str) -> Mapping[str, Any]:
    """The figure as shipped, or as the record of the team's own has it."""
    found: Mapping[str, Any] = (said.shipped or said.record)["figures"][name]
    return found


def _context(said: Statement, stated: Any) -> None:
    under, now = _shipped(said, "context"), said.record["figures"]["context"]
    if stated is None:
        said.record["figures"]["context"] = under
        return
    if not isinstance(stated, Mapping) or set(stated) != {"value", "kind", "source"}:
        said.wrong("max_context_tokens", "wrong_type", _("An object with value, kind and source."))
        return
    value, kind = stated["value"], stated["kind"]
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_TOKENS:
        text = _("A whole number from %(low)s to %(high)s.") % {"low": 1, "high": MOST_TOKENS}
        said.wrong("max_context_tokens.value", "out_of_range", text)
        return
    if not isinstance(kind, str) or kind not in KINDS:
        said.wrong("max_context_tokens.kind", "unknown_choice", _("One of: %s.") % ", ".join(KINDS))
        return
    for figure in (under, now):
        same_value = figure["value"]["max_position_embeddings"] == value
        source = in_words(figure["sources"], said.words)
        if same_value and (figure["kind"], source) == (kind, stated["source"]):
            said.record["figures"]["context"] = figure
            return
    if stated["source"] == in_words(under["sources"], said.words):
        message = _("The value is another than this source says. Say where the new one is from.")
        said.wrong("max_context_tokens.source", "source_unchanged", message)
        return
    key = said.cite(stated["source"], "max_context_tokens.source")
    if key:
        new = {**now["value"], "max_position_embeddings": value}
        said.record["figures"]["context"] = {"value": new, "kind": kind, "sources": [key]}


def _engines(said: Statement, stated: Any, source: Any, engines: Mapping[str, Any]) -> None:
    under, now = _shipped(said, "engines"), said.record["figures"]["engines"]
    if stated is None:
        said.record["figures"]["engines"] = under
        return
    if not isinstance(stated, Mapping):
        said.wrong("engines", "wrong_type", _("An object of engines, each with a word."))
        return
    words = dict(now["value"])
    for name, word in list(stated.items())[:20]:
        if name not in engines:
            said.wrong(
                f"engines.{str(name)[:40]}", "unknown_field", _("Known here: %s.") % ", ".join(engines)
            )
        elif word is None:
            words.pop(name, None)
        elif not isinstance(word, str) or not ENGINE_WORDS.fullmatch(word):
            text = _("native, transformers, absent, or until and the last version, such as until 0.9.2.")
            said.wrong(f"engines.{name}", "unknown_choice", text)
        else:
            words[name] = word
    if words == under["value"]:
        said.record["figures"]["engines"] = under
    elif words != now["value"] or source:
        key = said.cite(source or TEAM_WORD, "engines_source")
        if key:
            said.record["figures"]["engines"] = {
                "value": words,
                "kind": "datasheet" if source else "assumed",
                "sources": [key],
            }


def _notes(said: Statement, stated: Any) -> None:
    if stated is None or stated == "":
        said.record.pop("notes", None)
        return
    text = " ".join(stated.split()) if isinstance(stated, str) else ""
    if not text or len(text) > TEXT_LIMIT or not text.isprintable():
        said.wrong("notes", "too_long", _("From 1 to %s printable characters.") % TEXT_LIMIT)
    else:
        said.record["notes"] = text
