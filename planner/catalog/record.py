"""From a model that was understood to a record of the catalog: what `build.model_spec` reads back."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from planner.core.checkpoint.understand import Understood
from planner.core.specs import CacheGroup, ModelSpec

MAX_NAME = 200
MAX_NAMES = 10
RULES = {
    "headers": "summed over the tensors of every file",
    "index": "the total of the index; its parts follow the widths",
}


def model_record(
    understood: Understood,
    *,
    key: str,
    source: str,
    engines: Mapping[str, str],
    engines_source: str,
    licence: str | None = None,
    notes: str | None = None,
) -> dict[str, Any]:
    """The record of a model under the id `key`; `source` and `engines_source` are keys of sources."""
    model = understood.model
    record: dict[str, Any] = {
        "id": key,
        "family": model.family or "unknown",
        "architectures": _architectures(model),
        "license": licence,
        "released": None,
        "edge": False,
        "modality": list(model.modality),
        "dtype": model.dtype,
        "native_weight_format": model.native_weight_format,
        "aliases": [],
        "quantized": [],
        "confidence": "high" if understood.bytes_from == "headers" else "medium",
        "figures": _figures(understood, source, engines, engines_source),
    }
    if model.scheme is not None:
        record["scheme"] = model.scheme
    if model.scheme_excludes:
        record["excludes"] = list(model.scheme_excludes)
    if model.kept:
        record["kept"] = [asdict(item) for item in model.kept]
    if notes:
        record["notes"] = notes
    return record


def _architectures(model: ModelSpec) -> list[str]:
    """Names as a config lists them: each once, none endless."""
    names = [name[:MAX_NAME] for name in dict.fromkeys(model.architectures) if name][:MAX_NAMES]
    return list(dict.fromkeys(names)) or [model.family or "unknown"]


def _figures(
    understood: Understood, source: str, engines: Mapping[str, str], engines_source: str
) -> dict[str, Any]:
    model = understood.model
    counted = model.provenance["parameters"].kind

    def figure(value: Any, kind: str = "datasheet", **more: Any) -> dict[str, Any]:
        return {"value": value, "kind": kind, "sources": [source], **more}

    found = {
        "parameters": figure(_parts(model), counted),
        "shape": figure(_shape(model)),
        "attention": figure([_group(group) for group in model.cache_groups]),
        "context": figure({"max_position_embeddings": model.max_position_embeddings, "rope_scaling": None}),
        "engines": {"value": dict(engines), "kind": "computed", "sources": [engines_source]},
    }
    if model.stored is not None:
        found["weights"] = figure(asdict(model.stored), rule=RULES[understood.bytes_from])
    if understood.draft_weights:
        found["mtp_parameters"] = figure(understood.draft_weights)
    if model.moe is not None and model.moe.moe_layers:
        found["moe"] = figure(_moe(model))
    return found


def _parts(model: ModelSpec) -> dict[str, int]:
    names = ("embedding", "lm_head", "routed", "linear", "router", "other", "vision")
    return {name: getattr(model, f"{name}_params") for name in names}


def _shape(model: ModelSpec) -> dict[str, Any]:
    return {
        "layers": model.num_layers,
        "hidden_size": model.hidden_size,
        "intermediate_size": model.intermediate_size,
        "attention_heads": model.num_attention_heads,
        "kv_heads": model.num_kv_heads,
        "head_dim": model.head_dim,
        "vocab_size": model.vocab_size,
        "tied_embeddings": model.tie_word_embeddings,
    }


def _group(group: CacheGroup) -> dict[str, Any]:
    found = {name: value for name, value in asdict(group).items() if value is not None and value != ()}
    if "ratio_counts" in found:
        found["ratio_counts"] = [list(pair) for pair in found["ratio_counts"]]
    return found


def _moe(model: ModelSpec) -> dict[str, Any]:
    moe = model.moe
    assert moe is not None  # the caller asked
    return {
        "experts": moe.num_experts,
        "experts_per_token": moe.experts_per_token,
        "intermediate_size": moe.moe_intermediate_size,
        "shared_experts": moe.shared_experts,
        "shared_intermediate_size": moe.shared_intermediate_size,
        "first_k_dense": moe.first_k_dense,
        "moe_layers": moe.moe_layers,
    }
