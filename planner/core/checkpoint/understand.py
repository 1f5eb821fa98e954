"""From what was given of a model, its config and the headers of its files, to the model and what is known of its bytes.

Exact bytes win over formulas: headers of every file over the total of an index, an index over the widths.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from planner.core.checkpoint.classify import DRAFT
from planner.core.checkpoint.gguf_config import config_of, layers_of
from planner.core.checkpoint.gguf_file import GgufHeader
from planner.core.checkpoint.gguf_types import FILE_TYPES, NEAREST_MIX
from planner.core.checkpoint.index import Index
from planner.core.checkpoint.summary import Checkpoint, of_gguf, of_safetensors, parts_named
from planner.core.checkpoint.tensors import Tensor
from planner.core.hf.config import ReadConfig, read_config
from planner.core.outcome import Advice, Problem
from planner.core.specs import ModelSpec, Provenance, Scheme, StoredBytes
from planner.core.weights import PartBytes, part_bytes, published_scheme_id

# Files of one model and its config agree within this factor; beyond it they are of two models.
OTHER_MODEL = 1.5
# A checkpoint that holds less than this share of what its config comes to is not whole.
WHOLE = 0.97
WHOLE_PACKED = 0.75
NOTICED = 0.005  # a difference between counted and stored weights worth a word
MOST_WEIGHTS = 10**15
OF_COUNT = re.compile(r"-of-(\d{2,5})\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What there is of a model. Headers by the name of their file."""

    config: Mapping[str, Any] | None = None
    index: Index | None = None
    safetensors: Mapping[str, tuple[Tensor, ...]] | None = None
    gguf: Mapping[str, GgufHeader] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """A model, and how its bytes are known.

    bytes_from: headers (of every file) | index (its total) | widths (of the config). `counted` are the weights that
    follow from the config, for comparison. named: tensors by part that an index names.
    """

    model: ModelSpec
    config: Mapping[str, Any]
    bytes_from: str
    counted: int
    checkpoint: Checkpoint | None = None
    named: Mapping[str, int] | None = None
    draft_weights: int | None = None
    remarks: tuple[Advice, ...] = ()


class _RefusedError(Exception):
    def __init__(self, *problems: Problem) -> None:
        super().__init__(problems[0].code)
        self.problems = list(problems)


def understand(given: Given, schemes: Mapping[str, Scheme]) -> Understood | list[Problem]:
    """The model in what was given, or every problem that keeps us from knowing it. `schemes` are the catalog's."""
    try:
        return _bounded(_of_gguf(given.gguf, schemes) if given.gguf else _of_config(given, schemes))
    except _RefusedError as refused:
        return refused.problems


def _bounded(found: Understood) -> Understood:
    total = found.checkpoint.total_bytes if found.checkpoint is not None else 0
    if weights_of(found.model) > MOST_WEIGHTS or total > MOST_WEIGHTS:
        raise _RefusedError(Problem(code="model_too_large", field="config", values={"limit": MOST_WEIGHTS}))
    return found


def weights_of(model: ModelSpec) -> int:
    """Weights of everything."""
    return (
        model.embedding_params
        + model.lm_head_params
        + model.linear_params
        + model.routed_params
        + model.router_params
        + model.other_params
        + model.vision_params
    )


def _of_config(given: Given, schemes: Mapping[str, Scheme]) -> Understood:
    if given.config is None:
        raise _RefusedError(Problem(code="config_not_given", field="config"))
    read = read_config(given.config)
    if not isinstance(read, ReadConfig):
        raise _RefusedError(*read)
    remarks = list(_remarks_on_config(given.config, read))
    plain = Understood(
        model=read.model, config=given.config, bytes_from="widths", counted=weights_of(read.model)
    )
    named = parts_named(given.index, layers=read.model.num_layers) if given.index else None
    plain = replace(plain, named=named)
    scheme = schemes[published_scheme_id(read.model)]
    found = _from_headers(plain, given, scheme, remarks) or _from_index(plain, given.index, scheme, remarks)
    return replace(found, remarks=tuple(remarks))


def _remarks_on_config(config: Mapping[str, Any], read: ReadConfig) -> list[Advice]:
    found = []
    if config.get("auto_map"):
        found.append(Advice(code="custom_code", severity="info"))
    if read.unread:
        values = {"patterns": ", ".join(read.unread[:5]), "count": len(read.unread)}
        found.append(Advice(code="patterns_unread", severity="warning", values=values))
    return found


def _from_headers(
    plain: Understood, given: Given, scheme: Scheme, remarks: list[Advice]
) -> Understood | None:
    """The model with the bytes of its headers, None where they are not of every file."""
    if not given.safetensors:
        return None
    checkpoint = of_safetensors(given.safetensors, layers=plain.model.num_layers)
    if isinstance(checkpoint, Problem):
        raise _RefusedError(checkpoint)
    missing = _missing_files(given, checkpoint, plain, scheme)
    if missing is not None:
        remarks.append(missing)
        return None
    _refuse_other_model(plain, checkpoint, scheme)
    return _exact(plain, checkpoint, remarks)


def _missing_files(given: Given, checkpoint: Checkpoint, plain: Understood, scheme: Scheme) -> Advice | None:
    """A remark where headers of some files are not there: by the index, by the names of files, or by what they hold."""
    headers = given.safetensors or {}
    if given.index is not None:
        held = {tensor.name for tensors in headers.values() for tensor in tensors}
        lacking = [name for name in given.index.tensors if name not in held]
        if not lacking:
            return None
        if len(lacking) == len(given.index.tensors):
            raise _RefusedError(
                Problem(code="index_other_checkpoint", field="index", values={"name": lacking[0]})
            )
        values = {"given": len(headers), "files": len(given.index.files)}
        return Advice(code="files_missing", severity="warning", values=values)
    stated = {int(found.group(1)) for name in headers if (found := OF_COUNT.search(name))}
    if stated and max(stated) > len(headers):
        values = {"given": len(headers), "files": max(stated)}
        return Advice(code="files_missing", severity="warning", values=values)
    share, bound = _share(plain, checkpoint, scheme)
    if share < bound:
        values = {"share": round(100 * share)}
        return Advice(code="files_seem_missing", severity="warning", values=values)
    return None


def _share(plain: Understood, checkpoint: Checkpoint, scheme: Scheme) -> tuple[float, float]:
    """What a checkpoint holds of what its config comes to, and how much of it must be there.

    Left out are the encoder and, where the files hold none, the head: it may be the table of tokens.
    """
    model, sizes, weights = plain.model, checkpoint.spec_sizes(), checkpoint.spec_weights()
    without_head = not sizes["lm_head"]
    if weights is not None:
        expected = plain.counted - model.vision_params - (model.lm_head_params if without_head else 0)
        return (sum(weights.values()) - weights["vision"]) / max(1, expected), WHOLE
    parts = part_bytes(model, scheme)
    expected_bytes = parts.total - parts.vision - (parts.lm_head if without_head else 0.0)
    return (sum(sizes.values()) - sizes["vision"]) / max(1.0, expected_bytes), WHOLE_PACKED


def _refuse_other_model(plain: Understood, checkpoint: Checkpoint, scheme: Scheme) -> None:
    share, _bound = _share(plain, checkpoint, scheme)
    if not 1 / OTHER_MODEL <= share <= OTHER_MODEL:
        values = {"share": f"{share:.2f}"}
        raise _RefusedError(Problem(code="headers_other_model", field="files", values=values))


def _exact(plain: Understood, checkpoint: Checkpoint, remarks: list[Advice]) -> Understood:
    """The model with the bytes, and where they can be counted the weights, of its checkpoint."""
    model = plain.model
    sizes, weights = checkpoint.spec_sizes(), checkpoint.spec_weights()
    if not sizes["lm_head"] and not model.tie_word_embeddings:
        remarks.append(Advice(code="head_missing", severity="info"))
        model = replace(model, tie_word_embeddings=True, lm_head_params=0)
    if sizes["lm_head"] and model.tie_word_embeddings:
        remarks.append(_of_bytes("head_repeated", sizes["lm_head"]))
        sizes["lm_head"] = 0
        if weights is not None:
            weights["lm_head"] = 0
    if checkpoint.sizes.get(DRAFT):
        remarks.append(_of_bytes("draft_layers", checkpoint.sizes[DRAFT]))
    if checkpoint.unplaced:
        values = {"names": ", ".join(checkpoint.unplaced[:3]), "gib": _gib(checkpoint.unplaced_bytes)}
        remarks.append(Advice(code="tensors_unplaced", severity="info", values=values))
    source = (
        "the headers of its files" if checkpoint.format == "safetensors" else "the header of its GGUF file"
    )
    stated = Provenance(kind="datasheet", source=source)
    known = {**model.provenance, "weights": stated}
    if weights is not None:
        model = _with_weights(model, weights)
        known["parameters"] = stated
        known.pop("vision", None)
        remarks += _difference(plain, model)
    model = replace(model, stored=StoredBytes(**sizes), provenance=known)
    draft = checkpoint.weights.get(DRAFT) if checkpoint.weights is not None else None
    return replace(plain, model=model, bytes_from="headers", checkpoint=checkpoint, draft_weights=draft)


def _with_weights(model: ModelSpec, weights: Mapping[str, int]) -> ModelSpec:
    counted = {f"{part}_params": count for part, count in weights.items()}
    modality = model.modality if weights["vision"] or model.modality == ("text",) else ("text",)
    return replace(model, modality=modality, **counted)  # type: ignore[arg-type]  # the names are those of its parts


def _difference(plain: Understood, model: ModelSpec) -> list[Advice]:
    """A word where the text model holds other weights than its config comes to."""
    held = weights_of(model) - model.vision_params
    counted = plain.counted - plain.model.vision_params
    if model.tie_word_embeddings and not plain.model.tie_word_embeddings:
        counted -= plain.model.lm_head_params
    if abs(held - counted) <= NOTICED * counted:
        return []
    return [Advice(code="counts_differ", severity="info", values={"held": held, "counted": counted})]


def _from_index(plain: Understood, index: Index | None, scheme: Scheme, remarks: list[Advice]) -> Understood:
    """The model with the total of its index spread over its parts by the widths."""
    if index is None or index.total_bytes is None:
        return plain
    named = plain.named or {}
    model = plain.model
    if not named.get("lm_head") and not model.tie_word_embeddings:
        remarks.append(Advice(code="head_missing", severity="info"))
        model = replace(model, tie_word_embeddings=True, lm_head_params=0)
    parts = part_bytes(model, scheme)
    total = float(index.total_bytes)
    if named.get("lm_head") and model.tie_word_embeddings:
        remarks.append(_of_bytes("head_repeated", int(parts.embedding)))
        total -= parts.embedding
    share = total / parts.total
    if not 1 / OTHER_MODEL <= share <= OTHER_MODEL:
        values = {"total": _gib(index.total_bytes), "counted": _gib(int(parts.total))}
        raise _RefusedError(Problem(code="index_other_model", field="index", values=values))
    if named.get(DRAFT):
        left = max(0, int(total - parts.total))
        remarks.append(Advice(code="draft_in_index", severity="info", values={"gib": _gib(left)}))
        return replace(plain, model=model)
    stored = _stretched(parts, total)
    known = {**model.provenance, "weights": Provenance(kind="datasheet", source="the total of its index")}
    return replace(plain, model=replace(model, stored=stored, provenance=known), bytes_from="index")


def _stretched(parts: PartBytes, total: float) -> StoredBytes:
    """The total over the parts: what the widths leave open is the matrices'. The parts add up to the total exactly."""
    linear, routed = parts.linear, parts.routed
    fixed = {
        name: round(getattr(parts, name)) for name in ("embedding", "lm_head", "router", "other", "vision")
    }
    matrices = max(0, round(total) - sum(fixed.values()))
    of_routed = round(matrices * routed / (linear + routed)) if linear + routed else 0
    return StoredBytes(linear=matrices - of_routed, routed=of_routed, **fixed)


def _of_gguf(files: Mapping[str, GgufHeader], schemes: Mapping[str, Scheme]) -> Understood:
    main, name = _main_file(files)
    tensors = tuple(tensor for header in files.values() for tensor in header.tensors)
    parts = main.metadata.get("split.count")
    whole = not isinstance(parts, int) or parts in (0, len(files))
    config = config_of(replace(main, tensors=tensors), file=name)
    if isinstance(config, Problem):
        raise _RefusedError(config)
    if not whole:
        config.pop("tie_word_embeddings")  # the head may lie in a part that was not given
    read = read_config(config)
    if not isinstance(read, ReadConfig):
        raise _RefusedError(*read)
    remarks: list[Advice] = []
    mix = _mix(main, tensors, remarks)
    if f"gguf-{mix}" not in schemes:
        raise _RefusedError(
            Problem(code="gguf_mix_unknown", field="files", values={"found": mix, "file": name})
        )
    model = replace(read.model, scheme=f"gguf-{mix}", native_weight_format=None)
    plain = Understood(model=model, config=config, bytes_from="widths", counted=weights_of(model))
    if not whole:
        values = {"given": len(files), "files": parts}
        remarks.append(Advice(code="files_missing", severity="warning", values=values))
        return replace(plain, remarks=tuple(remarks))
    checkpoint = of_gguf({file: header.tensors for file, header in files.items()}, layers=layers_of(main))
    if isinstance(checkpoint, Problem):
        raise _RefusedError(checkpoint)
    return replace(_exact(plain, checkpoint, remarks), remarks=tuple(remarks))


def _main_file(files: Mapping[str, GgufHeader]) -> tuple[GgufHeader, str]:
    """The file with the metadata of the model: of a model in parts, the first."""
    mains = [(header, name) for name, header in files.items() if header.architecture]
    if not mains:
        first = next(iter(files))
        values = {"file": first, "name": "general.architecture"}
        raise _RefusedError(Problem(code="gguf_key_missing", field="files", values=values))
    if len(mains) > 1 and len({header.metadata.get("split.no") for header, _name in mains}) < len(mains):
        values = {"files": ", ".join(name for _header, name in mains[:3])}
        raise _RefusedError(Problem(code="gguf_two_models", field="files", values=values))
    return mains[0]


def _mix(main: GgufHeader, tensors: tuple[Tensor, ...], remarks: list[Advice]) -> str:
    """The mix of a file: what it says, else the one of the type that most of its bytes have."""
    kind = main.metadata.get("general.file_type")
    stated = FILE_TYPES.get(kind) if isinstance(kind, int) else None
    if stated is not None:
        return stated
    sizes: dict[str, int] = {}
    for tensor in tensors:
        sizes[tensor.dtype] = sizes.get(tensor.dtype, 0) + tensor.size
    most = max(sizes, key=lambda name: sizes[name], default="?")
    remarks.append(Advice(code="gguf_mix_guessed", severity="info", values={"found": most}))
    return NEAREST_MIX.get(most, most)


def _of_bytes(code: str, size: int) -> Advice:
    return Advice(code=code, severity="info", values={"gib": _gib(size)})


def _gib(size: int) -> str:
    return f"{size / 2**30:.2f}"
