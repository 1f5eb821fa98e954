"""From one JSON object to a checked `EstimateRequest`, or to everything that is wrong with it.

The same function serves command line, form and API, so that they cannot disagree.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from planner.core import matching
from planner.core.engines import resolve_engine
from planner.core.hf.config import model_from_config
from planner.core.kv import known_kv_cache_dtypes
from planner.core.outcome import Problem
from planner.core.parse.close import close_to
from planner.core.parse.fields import Reader
from planner.core.parse.power import POWER_FIELDS, read_host_memory, read_power, shares_host_memory
from planner.core.parse.workload import read_targets, read_workload
from planner.core.power import derated
from planner.core.request import EstimateRequest, Parallelism, Settings
from planner.core.settings import MOST_SLOTS
from planner.core.specs import AcceleratorSpec, Catalog, EngineSpec, LinkSpec, ModelSpec, Scheme
from planner.core.weights import published_scheme_id

TOP_FIELDS = frozenset(
    [
        "id",
        "model",
        "weights",
        "kv_cache_dtype",
        "accelerator",
        "count",
        "parallelism",
        "interconnect",
        "engine",
        "settings",
        "workload",
        "targets",
    ]
)
# Part of the contract, answered as `unsupported` until they are built.
RESERVED_FIELDS = ("platform", "nodes", "mig_profile", "host_memory_gib", "speculative")
MODEL_FIELDS = frozenset({"id", "config", "parameters", "weights_gib"})
PARALLELISM_FIELDS = frozenset({"tensor", "pipeline", "data", "expert"})
ENGINE_FIELDS = frozenset({"name", "version"})
SETTINGS_LIMITS = {
    "max_model_len": (1, 100_000_000),
    "max_num_seqs": (1, MOST_SLOTS),
    "max_num_batched_tokens": (1, 100_000_000),
    "block_size": (1, 65_536),
}
SETTINGS_FIELDS = frozenset(SETTINGS_LIMITS) | {"gpu_memory_utilization", "enforce_eager"}
LINK_BANDWIDTH_GB_S = {"pcie3-x16": 15.75, "pcie4-x16": 31.5, "pcie5-x16": 63.0, "pcie6-x16": 121.0}
LINK_KINDS = ("nvlink", "xgmi", *LINK_BANDWIDTH_GB_S, "none")
MAX_COUNT = 100_000
# A shorter piece of a name is part of too many.


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """A request that cannot be answered, with every problem found in it."""

    id: str | None
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reserved:
    """A well-formed request for something that the contract names and this version does not answer yet."""

    id: str | None
    fields: tuple[str, ...]


def parse_request(obj: Any, catalog: Catalog) -> EstimateRequest | Rejected | Reserved:
    """Check one request against the catalog. Never raises for bad input, never runs code of a model."""
    reader = Reader()
    if not isinstance(obj, Mapping):
        reader.refuse("not_an_object", None)
        return Rejected(id=None, problems=tuple(reader.problems))
    request_id = reader.text(obj["id"], "id") if obj.get("id") is not None else None
    reader.only(obj, TOP_FIELDS | POWER_FIELDS | frozenset(RESERVED_FIELDS), "")
    request = _read(reader, obj, request_id, catalog)
    reserved = reserved_fields(obj)
    if request is not None and shares_host_memory(request.accelerator):
        reserved = tuple(name for name in reserved if name != "host_memory_gib")
    if reader.problems:
        return Rejected(id=request_id, problems=tuple(reader.problems))
    if reserved:
        return Reserved(id=request_id, fields=reserved)
    assert request is not None  # no problem was noted, so every part was read
    return request


def reserved_fields(obj: Mapping[str, Any]) -> tuple[str, ...]:
    """Fields in use that the contract reserves."""
    found = [name for name in RESERVED_FIELDS if obj.get(name) is not None]
    if isinstance(obj.get("kv_cache_dtype"), Mapping):
        found.append("kv_cache_dtype")
    workload, settings = obj.get("workload"), obj.get("settings")
    if isinstance(workload, Mapping) and workload.get("shared_prefix_tokens") is not None:
        found.append("workload.shared_prefix_tokens")
    if isinstance(settings, Mapping) and settings.get("engine") is not None:
        found.append("settings.engine")
    return tuple(found)


def _read(
    reader: Reader, obj: Mapping[str, Any], request_id: str | None, catalog: Catalog
) -> EstimateRequest | None:
    model = read_model(reader, obj.get("model"), catalog)
    scheme = read_scheme(reader, obj.get("weights"), model, catalog)
    kv_cache_dtype = read_kv_cache_dtype(reader, obj.get("kv_cache_dtype", "auto"), catalog)
    accelerator = read_accelerator(reader, obj.get("accelerator"), catalog)
    accelerator = read_host_memory(reader, obj, accelerator)
    power = read_power(reader, obj, accelerator, catalog.power)
    parallelism, count = read_parallelism(reader, obj)
    link = read_link(reader, obj.get("interconnect"), accelerator)
    engine = read_engine(reader, obj.get("engine"), catalog)
    settings, derive = read_settings(reader, obj.get("settings"))
    workload = read_workload(reader, obj.get("workload"))
    targets = read_targets(reader, obj.get("targets"))
    if derive and workload is None:
        reader.refuse("derive_needs_workload", "settings")
    if model is None or scheme is None or engine is None:
        return None
    return EstimateRequest(
        id=request_id,
        model=model,
        scheme=scheme,
        scheme_as_published=obj.get("weights") is None or scheme.id == published_scheme_id(model),
        kv_cache_dtype=kv_cache_dtype,
        accelerator=accelerator if power is None else derated(power),
        power=power,
        count=count,
        parallelism=parallelism,
        link=link,
        engine=engine,
        settings=settings,
        workload=workload,
        derive_settings=derive,
        targets=targets,
    )


def read_model(reader: Reader, value: Any, catalog: Catalog) -> ModelSpec | None:
    """The model by catalog id, or built from a config.json."""
    if value is None:
        reader.refuse("missing", "model")
        return None
    fields = reader.mapping(value, "model")
    if fields is None:
        return None
    reader.only(fields, MODEL_FIELDS, "model")
    if (fields.get("id") is None) == (fields.get("config") is None):
        reader.refuse("model_id_or_config", "model")
        return None
    if fields.get("config") is not None:
        return _model_from_config(reader, fields)
    model_id = reader.text(fields["id"], "model.id")
    if model_id is None:
        return None
    model = catalog.models.get(model_id) or _by_last_part(catalog, model_id)
    if model is None:
        reader.refuse(
            "unknown_model", "model.id", found=model_id, close=close_to(model_id, list(catalog.models))
        )
    return model


def _by_last_part(catalog: Catalog, name: str) -> ModelSpec | None:
    """The one model of this name without its publisher: people write Llama-3.1-8B-Instruct. None for none or several."""
    ending = "/" + name.casefold()
    found = [model for known, model in catalog.models.items() if known.casefold().endswith(ending)]
    return found[0] if len(found) == 1 and "/" not in name else None


def _model_from_config(reader: Reader, fields: Mapping[str, Any]) -> ModelSpec | None:
    config = reader.mapping(fields["config"], "model.config")
    parameters = fields.get("parameters")
    weights_gib = fields.get("weights_gib")
    if parameters is not None:
        parameters = reader.integer(parameters, "model.parameters", low=1, high=10**15)
    if weights_gib is not None:
        weights_gib = reader.positive(weights_gib, "model.weights_gib", high=1e6)
    if config is None:
        return None
    model = model_from_config(config, parameters=parameters, weights_gib=weights_gib)
    if isinstance(model, ModelSpec):
        return model
    reader.problems.extend(model)
    return None


def read_scheme(reader: Reader, value: Any, model: ModelSpec | None, catalog: Catalog) -> Scheme | None:
    """How weights are stored: as named, or as the model was published."""
    if value is None:
        return catalog.schemes[published_scheme_id(model)] if model is not None else None
    name = reader.text(value, "weights")
    if name is None:
        return None
    scheme = catalog.schemes.get(name)
    if scheme is None:
        reader.refuse("unknown_scheme", "weights", found=name, known=", ".join(sorted(catalog.schemes)))
    return scheme


def read_kv_cache_dtype(reader: Reader, value: Any, catalog: Catalog) -> str:
    """A spelling that some engine knows; whether this engine version takes it is a verdict, not a problem."""
    if value is None or isinstance(value, Mapping):  # {"k", "v"} is reserved, see reserved_fields
        return "auto"
    name = reader.text(value, "kv_cache_dtype")
    known = known_kv_cache_dtypes(catalog.engines)
    if name is not None and name not in known:
        reader.refuse("unknown_kv_cache_dtype", "kv_cache_dtype", found=name, known=", ".join(sorted(known)))
    return name or "auto"


def read_accelerator(reader: Reader, value: Any, catalog: Catalog) -> AcceleratorSpec | None:
    """By catalog id, by the name that the vendor's tool prints, or by the whole name as people write it.

    None stays None; a name that several cards have is not guessed.
    """
    if value is None:
        return None
    name = reader.text(value, "accelerator")
    if name is None:
        return None
    if name in catalog.accelerators:
        return catalog.accelerators[name]
    found = matching.match(catalog, name=name)
    if found.accelerator_id is not None and found.accelerator_id in catalog.accelerators:
        return catalog.accelerators[found.accelerator_id]
    if found.code == "ambiguous":
        reader.refuse(
            "accelerator_ambiguous", "accelerator", found=name, candidates=", ".join(found.candidates)
        )
        return None
    if found.code == "vgpu":
        reader.refuse("accelerator_is_vgpu", "accelerator", found=name)
        return None
    written = matching.as_written(catalog, name)
    if len(written) == 1:
        return catalog.accelerators[written[0]]
    if written:
        reader.refuse("accelerator_ambiguous", "accelerator", found=name, candidates=", ".join(written))
        return None
    close = close_to(name, [*catalog.accelerators, *catalog.accelerator_names])
    reader.refuse("unknown_accelerator", "accelerator", found=name, close=close)
    return None


def read_parallelism(reader: Reader, obj: Mapping[str, Any]) -> tuple[Parallelism, int]:
    """Degrees and the count that must be their product."""
    value = obj.get("parallelism")
    fields = reader.mapping(value, "parallelism") if value is not None else {}
    if fields is None:
        return Parallelism(), 1
    reader.only(fields, PARALLELISM_FIELDS, "parallelism")
    degrees: dict[str, int] = {}
    for name in ("tensor", "pipeline", "data"):
        given = fields.get(name)
        degree = 1 if given is None else reader.integer(given, f"parallelism.{name}", low=1, high=MAX_COUNT)
        if degree is None:
            return Parallelism(), 1
        degrees[name] = degree
    expert = fields.get("expert")
    parallelism = Parallelism(
        **degrees, expert=reader.boolean(expert, "parallelism.expert") if expert is not None else False
    )
    product = parallelism.tensor * parallelism.pipeline * parallelism.data
    given = obj.get("count")
    count = product if given is None else reader.integer(given, "count", low=1, high=MAX_COUNT)
    if count is not None and count != product:
        reader.refuse("count_mismatch", "count", count=count, product=product)
    return parallelism, count or 1


def read_link(reader: Reader, value: Any, accelerator: AcceleratorSpec | None) -> LinkSpec | None:
    """The link inside a replica: the accelerator's own unless one is forced."""
    if value is None:
        return None if accelerator is None else accelerator.link or accelerator.pcie
    kind = reader.text(value, "interconnect")
    if kind is None:
        return None
    if kind not in LINK_KINDS:
        reader.refuse("unknown_interconnect", "interconnect", found=kind, known=", ".join(LINK_KINDS))
        return None
    if kind == "none":
        return LinkSpec(kind="none", bandwidth_gb_s=None)
    if kind in LINK_BANDWIDTH_GB_S:
        return LinkSpec(kind=kind, bandwidth_gb_s=LINK_BANDWIDTH_GB_S[kind])
    if accelerator is None:
        return None
    if accelerator.link is None or accelerator.link.kind != kind:
        reader.refuse("link_not_on_accelerator", "interconnect", link=kind, accelerator=accelerator.name)
        return None
    return accelerator.link


def read_engine(reader: Reader, value: Any, catalog: Catalog) -> EngineSpec | None:
    """Engine and version, every version-dependent value resolved."""
    fields = reader.mapping(value, "engine") if value is not None else {}
    if fields is None:
        return None
    reader.only(fields, ENGINE_FIELDS, "engine")
    given = fields.get("name")
    name = "vllm" if given is None else reader.text(given, "engine.name")
    version = fields.get("version")
    if version is not None:
        version = reader.text(version, "engine.version")
        if version is None:
            return None
    if name is None:
        return None
    engine = resolve_engine(catalog.engines, name, version)
    if isinstance(engine, Problem):
        reader.problems.append(engine)
        return None
    return engine


def read_settings(reader: Reader, value: Any) -> tuple[Settings, bool]:
    """Engine settings, and whether ours are asked for."""
    if value == "derive":
        return Settings(), True
    fields = reader.mapping(value, "settings") if value is not None else {}
    if fields is None:
        return Settings(), False
    reader.only(fields, SETTINGS_FIELDS | {"engine"}, "settings")
    whole = {
        name: reader.integer(fields[name], f"settings.{name}", low=low, high=high)
        for name, (low, high) in SETTINGS_LIMITS.items()
        if fields.get(name) is not None
    }
    utilization = fields.get("gpu_memory_utilization")
    if utilization is not None:
        utilization = reader.fraction(utilization, "settings.gpu_memory_utilization")
    eager = fields.get("enforce_eager")
    return Settings(
        gpu_memory_utilization=utilization,
        enforce_eager=reader.boolean(eager, "settings.enforce_eager") if eager is not None else False,
        **whole,
    ), False
