"""Which weights a command names: as published, a published quantization of the same model, or a place to fill in."""

import re
from dataclasses import dataclass
from functools import lru_cache

from planner.core.outcome import Reason
from planner.core.request import EstimateRequest
from planner.core.specs import ModelSpec

# What the name of a release adds to the name of the model that it stores in another format.
FORMAT_WORDS = frozenset(
    [
        "fp8",
        "fp4",
        "nvfp4",
        "nf4",
        "mxfp4",
        "mxfp8",
        "bf16",
        "fp16",
        "int4",
        "int8",
        "awq",
        "gptq",
        "gguf",
        "bnb",
        "4bit",
        "8bit",
        "w4a16",
        "w8a16",
        "w8a8",
        "w4a8",
        "g128",
        "g32",
        "128g",
        "32g",
        "kv",
        "block",
        "dynamic",
        "static",
        "quantized",
        "quantised",
        "quant",
        "marlin",
        "unsloth",
        "qat",
        "ct",
        "asym",
        "sym",
        "autoround",
    ]
)
NVIDIA_RELEASES = ("nvidia/",)
PLACEHOLDER = "YOUR_{name}"
HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)
GGUF_REPOSITORY = re.compile(r"gguf", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """What to name as the model. `on_load`: the engine quantizes while it loads these weights."""

    name: str
    on_load: bool = False
    gguf_file: bool = False  # a file on this machine
    gguf_quant: str | None = None  # which file of a repository
    placeholder: bool = False
    note: Reason | None = None


def checkpoint(request: EstimateRequest, *, quantizes_on_load: bool, gguf_from_hub: bool) -> Checkpoint:
    """The weights of a request for an engine that reads checkpoints of the hub.

    A release counts where its name is the name of the model and words of a format: another tuning of the same shape is
    another model.
    """
    model, scheme = request.model, request.scheme
    if scheme.kernel == "gguf":
        return gguf(request, from_hub=gguf_from_hub)
    if not is_hub_name(model):
        return _placeholder("checkpoint_of_config", request)
    if request.scheme_as_published:
        return Checkpoint(name=model.id)
    if scheme.kernel == "dense" and model.scheme is None and model.native_weight_format is None:
        return Checkpoint(name=model.id)
    release = release_for(request)
    if release is not None:
        return Checkpoint(
            name=release,
            note=Reason(code="released_checkpoint", values={"model": release, "scheme": scheme.id}),
        )
    if quantizes_on_load and model.scheme is None and model.native_weight_format is None:
        return Checkpoint(
            name=model.id,
            on_load=True,
            note=Reason(code="quantized_on_load", values={"model": model.id, "scheme": scheme.id}),
        )
    return _placeholder("checkpoint_to_fill_in", request)


def gguf(request: EstimateRequest, *, from_hub: bool) -> Checkpoint:
    """The GGUF file of a request: out of a published repository of exactly this model, else one to fill in."""
    model, scheme = request.model, request.scheme
    quant = scheme.id.removeprefix("gguf-").upper()
    if scheme.kernel != "gguf":
        quant = "F16" if scheme.id == "fp16" else "F32" if scheme.id == "fp32" else "BF16"
    is_repository = is_hub_name(model) and GGUF_REPOSITORY.search(model.id) is not None
    own = model.id if is_repository and request.scheme_as_published else None
    release = own or released(model, scheme.id)
    if release is not None and from_hub:
        return Checkpoint(
            name=release,
            gguf_quant=quant,
            note=Reason(code="released_checkpoint", values={"model": release, "scheme": scheme.id}),
        )
    file = f"{PLACEHOLDER.format(name='MODEL')}-{quant}.gguf"
    return Checkpoint(
        name=file,
        gguf_file=True,
        placeholder=True,
        note=Reason(code="gguf_to_fill_in", values={"model": model.id, "file": file, "quant": quant}),
    )


def _placeholder(code: str, request: EstimateRequest) -> Checkpoint:
    name = PLACEHOLDER.format(name=re.sub(r"[^A-Z0-9]+", "_", request.scheme.id.upper()) + "_CHECKPOINT")
    values = {"model": request.model.id, "scheme": request.scheme.id, "name": name}
    return Checkpoint(name=name, placeholder=True, note=Reason(code=code, values=values))


def is_hub_name(model: ModelSpec) -> bool:
    """Whether the name of a model is one of the hub: a pasted config may carry any text as its name."""
    return HUB_NAME.fullmatch(model.id) is not None


@lru_cache(maxsize=2048)
def released(model: ModelSpec, scheme: str, without: tuple[str, ...] = ()) -> str | None:
    """The published release of this very model in a scheme; of several the makers' own first, then the first named.

    Publishers in `without` are passed over.
    """
    fitting = [
        name
        for stored, name in model.release_ids
        if stored == scheme and same_model(model.id, name) and not name.startswith(without)
    ]
    maker = model.id.partition("/")[0]
    return min(fitting, key=lambda name: not name.startswith(f"{maker}/"), default=None)


def release_for(request: EstimateRequest) -> str | None:
    """The published release of this very model in its scheme that the engine reads on the card: see `released`.

    Files of NVIDIA's own quantizer are read on NVIDIA's cards alone.
    """
    scheme, card = request.scheme.id, request.accelerator
    if scheme in request.engine.values["own_quantizer_only"]:
        return None
    elsewhere = card is not None and card.vendor.casefold() != "nvidia" and request.scheme.kernel != "gguf"
    return released(request.model, scheme, without=NVIDIA_RELEASES if elsewhere else ())


def same_model(model_id: str, release: str) -> bool:
    """Whether two names differ in words of a format only: Qwen2.5-7B-Instruct-AWQ is not Qwen2.5-7B."""
    return _bare(model_id) == _bare(release)


@lru_cache(maxsize=4096)
def _bare(model_id: str) -> str:
    """The name without its maker and without the words of a format at its end."""
    name = model_id.rpartition("/")[2].casefold().removeprefix("meta-")
    while True:
        rest, _, last = name.replace(".", "-").rpartition("-")
        if last not in FORMAT_WORDS:
            return name
        name = name[: len(rest)]
