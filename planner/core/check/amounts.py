"""From a launch command to the estimate request that it amounts to."""

import re
from dataclasses import dataclass
from typing import Any

from planner.core.check.found import Finding
from planner.core.check.launch import Launch, digits_of, number_of
from planner.core.check.names import ModelName
from planner.core.kv import ELEMENT_BYTES, known_kv_cache_dtypes
from planner.core.specs import Catalog
from planner.core.weights import published_scheme_id

DTYPES = {
    "float16": "fp16",
    "half": "fp16",
    "bfloat16": "bf16",
    "float32": "fp32",
    "float": "fp32",
}
# Methods that quantize while loading, and methods that need a checkpoint made for them.
ONLINE = {
    "fp8": "fp8",
    "fp8_per_tensor": "fp8",
    "fp8_per_channel": "fp8",
    "ptpc_fp8": "fp8",
    "w8a8_fp8": "fp8",
    "fp8_per_block": "fp8-block128",
    "blockwise_fp8": "fp8-block128",
    "bitsandbytes": "bnb-nf4",
    "experts_int8": None,
    "mxfp8": None,
    "int8_per_channel_weight_only": None,
}
PREPARED = {
    "awq": "awq-int4",
    "awq_marlin": "awq-int4",
    "auto_awq": "awq-int4",
    "gptq": "gptq-int4",
    "gptq_marlin": "gptq-int4",
    "auto_gptq": "gptq-int4",
    "compressed-tensors": None,
    "modelopt": "fp8",
    "modelopt_fp4": "nvfp4",
    "w8a8_int8": "int8-w8a8",
}
DENSE = frozenset({"bf16", "fp16", "fp32"})
ALL_FROM = 99  # layers on the GPU that are all of them, where nobody knows the model


@dataclass(frozen=True, slots=True, kw_only=True)
class Amounts:
    """The estimate request of a command, without a card, and what could not be put into it."""

    request: dict[str, Any]
    ranks: int
    notes: tuple[Finding, ...] = ()
    loose_fit: bool = False  # the engine lowers what does not fit by itself
    trusted_memory: bool = True  # False: parts lie elsewhere (host memory, a second model)
    longer_context: bool = False  # the command widens the model's own limit


def amounts(launch: Launch, model: ModelName, catalog: Catalog) -> Amounts:
    """Read model, weights, cache, parallelism and settings out of the flags."""
    notes: list[Finding] = []
    parallelism = _parallelism(launch)
    ranks = parallelism["tensor"] * parallelism["pipeline"] * parallelism["data"]
    request: dict[str, Any] = {
        "model": {"id": model.id} if model.id else None,
        "weights": _weights(launch, model, catalog, notes),
        "kv_cache_dtype": _kv_dtype(launch, catalog, notes),
        "accelerator": None,
        "count": ranks,
        "parallelism": parallelism,
        "interconnect": None,
        "engine": {"name": launch.engine, "version": engine_version(launch)},
        "settings": _settings(launch),
        "workload": None,
    }
    return Amounts(
        request=request,
        ranks=ranks,
        notes=tuple(notes),
        loose_fit=_fits_itself(launch),
        trusted_memory=not _elsewhere(launch, catalog.models[model.id].num_layers if model.id else ALL_FROM),
        longer_context=_widened(launch),
    )


def engine_version(launch: Launch) -> str | None:
    """The version as the tables of the estimate name it."""
    if launch.version is not None and launch.engine == "llama.cpp":
        return re.sub(r"^0\.(\d{4,6})(\.0)?$", r"b\1", launch.version)
    return launch.version


def _parallelism(launch: Launch) -> dict[str, Any]:
    expert = False
    if launch.engine == "vllm":
        expert = launch.arguments.on("--enable-expert-parallel") is True
    elif launch.engine in ("sglang", "tensorrt-llm"):
        expert = (launch.whole("expert_parallel") or 1) > 1
    if launch.engine == "llama.cpp":
        return {"tensor": 1, "pipeline": 1, "data": 1, "expert": False}
    tensor = _positive(launch.whole("tensor_parallel"))
    data = _positive(launch.whole("data_parallel"))
    if launch.engine == "sglang" and launch.arguments.on("--enable-dp-attention"):
        data = 1  # attention is spread inside the tensor group
    copies = _attention_copies(launch)
    if expert and copies > 1 and tensor % copies == 0:
        tensor, data = tensor // copies, copies
    return {
        "tensor": tensor,
        "pipeline": _positive(launch.whole("pipeline_parallel")),
        "data": data,
        "expert": expert,
    }


def _attention_copies(launch: Launch) -> int:
    """How often SGLang copies the attention inside its tensor group: it shares its limits out among the copies."""
    if launch.engine != "sglang":
        return 1
    if launch.arguments.on("--enable-dp-attention"):
        return _positive(launch.whole("data_parallel"))
    given = launch.arguments.last("--attn-dp-size")
    return _positive(None if given is None else digits_of(given.value))


def _positive(value: int | None) -> int:
    return value if value is not None and 0 < value <= 10_000 else 1


def _settings(launch: Launch) -> dict[str, Any]:
    length, sequences = launch.whole("max_length"), launch.whole("max_sequences")
    if launch.engine == "llama.cpp":
        return _llama_settings(launch, length, sequences)
    share, budget = launch.number("memory_share"), launch.whole("token_budget")
    copies = _attention_copies(launch)
    sequences, budget = _shared_out(sequences, copies), _shared_out(budget, copies)
    block = launch.whole("block_size")
    return {
        "gpu_memory_utilization": share if share is not None and 0 < share <= 1 else None,
        "max_model_len": _inside(length, 100_000_000),
        "max_num_seqs": _inside(sequences, 1_000_000),
        "max_num_batched_tokens": _inside(budget, 100_000_000),
        "block_size": _inside(block, 65_536),
        "enforce_eager": launch.arguments.on("--enforce-eager") is True,
    }


def _shared_out(limit: int | None, copies: int) -> int | None:
    return None if limit is None else limit // copies


def _llama_settings(launch: Launch, length: int | None, slots: int | None) -> dict[str, Any]:
    """-c is for the whole server: named slots share it, unless the cache is one for all."""
    unified = launch.arguments.on("--kv-unified") is True
    length = _inside(length, 100_000_000)
    slots = _inside(slots, 1_000_000)
    if length and slots and not unified:
        length = max(1, length // slots)
    return {
        "gpu_memory_utilization": None,
        "max_model_len": length,
        "max_num_seqs": None if unified else slots,
        "max_num_batched_tokens": None,
        "block_size": None,
        "enforce_eager": False,
    }


def _inside(value: int | None, high: int) -> int | None:
    return value if value is not None and 1 <= value <= high else None


def _kv_dtype(launch: Launch, catalog: Catalog, notes: list[Finding]) -> str:
    if launch.engine == "llama.cpp":
        keys = launch.arguments.last("--cache-type-k")
        values = launch.arguments.last("--cache-type-v")
        known = known_kv_cache_dtypes(catalog.engines)
        k = keys.value if keys and keys.value in known and keys.value else "f16"
        v = values.value if values and values.value in known and values.value else "f16"
        if k != v:
            wider = max(k, v, key=lambda name: ELEMENT_BYTES.get(name, 2.0))
            notes.append(
                Finding(
                    code="kv_types_differ",
                    severity="warning",
                    flag=launch.typed("kv_dtype"),
                    values={"k": k, "v": v, "taken": wider},
                )
            )
            k = wider
        return k if k != "f16" else "auto"
    given = launch.of("kv_dtype")
    value = given.value if given is not None else None
    # a value that no engine has is said to be wrong elsewhere, and must not keep memory from being answered
    return value if value in known_kv_cache_dtypes(catalog.engines) else "auto"


def _weights(launch: Launch, model: ModelName, catalog: Catalog, notes: list[Finding]) -> str | None:
    """The scheme of the weights: what the file or variant says, else quantization while loading, else the dtype."""
    published = None
    if model.id is not None:
        published = published_scheme_id(catalog.models[model.id])
    if model.scheme is not None:
        return model.scheme
    given = launch.of("weight_quantization")
    method = given.value if given is not None else None
    if method is not None and (published is None or published in DENSE):
        scheme = ONLINE.get(method, PREPARED.get(method))
        if scheme is None and method not in ("none", "None"):
            notes.append(
                Finding(
                    code="quantization_not_sized",
                    severity="warning",
                    flag=given.typed if given else None,
                    values={"method": method},
                )
            )
        return scheme
    dtype = launch.of("weight_dtype")
    if dtype is not None and dtype.value in DTYPES and published in DENSE:
        return DTYPES[dtype.value]
    return None


def _fits_itself(launch: Launch) -> bool:
    """llama-server lowers what was not set until the model fits, unless told not to."""
    if launch.engine != "llama.cpp":
        length = launch.of("max_length")
        return length is not None and length.value in ("auto", "-1")
    fit = launch.arguments.last("--fit")
    layers = launch.arguments.last("--gpu-layers")
    return (fit is None or fit.value != "off") and (layers is None or layers.value in ("auto", "-1"))


def _elsewhere(launch: Launch, all_layers: int) -> bool:
    """Whether parts of the weights or cache lie in host memory, or a second model shares the card."""
    if launch.engine == "llama.cpp":
        layers = launch.arguments.last("--gpu-layers")
        count = number_of(layers.value) if layers is not None else None
        partial = count is not None and 0 <= count < all_layers
        moved = launch.arguments.last(
            "--cpu-moe",
            "--n-cpu-moe",
            "--override-tensor",
            "--no-kv-offload",
            "--kv-offload",
            "--spec-draft-model",
        )
        return (
            partial
            or moved is not None
            or launch.arguments.last("--split-mode", "--tensor-split") is not None
        )
    offload = launch.number("weights_on_cpu")
    speculative = launch.of("speculative")
    return bool(offload) or speculative is not None or launch.of("fixed_kv_size") is not None


def _widened(launch: Launch) -> bool:
    if launch.env.get("VLLM_ALLOW_LONG_MAX_MODEL_LEN", "0") in ("1", "true", "True"):
        return True
    if launch.env.get("SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN", "0") in ("1", "true", "True"):
        return True
    return (
        launch.of("hf_overrides") is not None
        or launch.arguments.last("--rope-scaling", "--rope-theta") is not None
    )
