"""What an engine version refuses whatever the memory: shapes that do not divide, formats that a card lacks."""

import math
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from planner.core.engines import release_of
from planner.core.kv import STATE_KINDS
from planner.core.layout import cuda_capability, spread
from planner.core.outcome import Reason
from planner.core.request import EstimateRequest, Parallelism
from planner.core.specs import AcceleratorSpec, ModelSpec, Scheme
from planner.core.support import cache_dtypes, expert_reasons, loads, runs
from planner.core.units import round_up
from planner.core.weights import NATIVE_FORMATS, VOCAB_PADDING

UNSUPPORTED_CODES = frozenset(
    {
        "architecture_not_in_engine",
        "encoder_only_model",
        "engine_not_for_vendor",
        "card_below_engine_floor",
        "scheme_not_in_engine",
        "scheme_not_on_card",
        "scheme_not_on_maker",
        "scheme_not_here",
        "scheme_not_for_experts",
        "kv_cache_dtype_not_in_engine",
        "kv_cache_dtype_not_on_card",
        "kv_cache_dtype_not_here",
    }
)
SUPPORT_PREFIX = {
    "vllm": "vllm",
    "sglang": "sglang",
    "llama.cpp": "llama_cpp",
    "tensorrt-llm": "tensorrt_llm",
}
FP8_BLOCK = 128
PADDING_LIMIT = 1.01  # publishers pad a width by less than this so that groups divide
FP4_KV_DTYPES = frozenset({"nvfp4", "nvfp4_4over6", "nvfp4_ds_mla"})
# Two-level scales and 4-bit kernels that are written for CUDA alone: vLLM's table of kernels by hardware
NVIDIA_FORMATS = frozenset({"nvfp4", "w4a8"})
REMEMBERED = 8192

_found: OrderedDict[tuple[object, ...], tuple[object, tuple[Reason, ...]]] = OrderedDict()


def validity_reasons(request: EstimateRequest, max_model_len: int) -> tuple[Reason, ...]:
    """Every refusal that needs no memory sum. Remembered per combination, but for the context limit."""
    key = (
        request.model,
        request.scheme,
        request.kv_cache_dtype,
        request.accelerator,
        id(request.engine.values),
        request.engine.version,
        request.parallelism,
        request.settings.block_size,
        request.settings.max_num_seqs,
        request.settings.max_num_batched_tokens,
    )
    remembered = _found.get(key)
    if remembered is None:
        remembered = (request.engine, tuple(_reasons(request)))
        _found[key] = remembered
        if len(_found) > REMEMBERED:
            _found.popitem(last=False)
    context = _context(request, max_model_len)
    return (*remembered[1], context) if context else remembered[1]


def _context(request: EstimateRequest, max_model_len: int) -> Reason | None:
    limit = request.model.max_position_embeddings
    if max_model_len <= limit or request.engine.values["context_above_limit"] != "refused":
        return None
    return Reason(
        code="context_above_model_limit",
        field="settings.max_model_len",
        values={"max_model_len": max_model_len, "limit": limit},
        fix={"settings": {"max_model_len": limit}},
    )


def _reasons(request: EstimateRequest) -> Iterator[Reason]:
    yield from architecture_reasons(request)
    yield from card_reasons(request)
    yield from scheme_reasons(request)
    yield from expert_reasons(request)
    yield from cache_dtype_reasons(request)
    yield from _block_size(request)
    yield from _batch(request)
    parallelism = spread(request.engine, request.parallelism)
    yield from pipeline_reasons(request.model, parallelism)
    if parallelism.tensor > 1:
        yield from _division(request, parallelism)


def architecture_reasons(request: EstimateRequest) -> Iterator[Reason]:
    """Models that the engine version does not have."""
    model, engine = request.model, request.engine
    if not model.cache_groups:
        yield Reason(code="encoder_only_model", field="model", values={"model": model.id})
    support = model.engine_support.get(engine.name)
    if support is None:
        return
    removed = support.startswith("until ") and _is_after(engine.version, support.removeprefix("until "))
    if removed or support == "absent":
        yield Reason(
            code="architecture_not_in_engine",
            field="engine",
            values={
                "architecture": ", ".join(model.architectures),
                "engine": engine.name,
                "version": engine.version,
                "support": support,
            },
            fix={"engine": {"name": engine.name, "version": support.removeprefix("until ")}}
            if removed
            else None,
        )


def _is_after(version: str, last: str) -> bool:
    asked, known = release_of(version), release_of(last)
    return asked is not None and known is not None and asked > known


def card_reasons(request: EstimateRequest) -> Iterator[Reason]:
    """Cards that the engine version does not run on."""
    card, engine = request.accelerator, request.engine
    if card is None:
        return
    vendors = engine.values["vendors"]
    kind = "cpu" if card.accelerator_class == "cpu" else card.vendor.casefold()
    if (vendors is not None and kind not in vendors) or not runs(engine, card):
        yield Reason(
            code="engine_not_for_vendor",
            field="engine.name",
            values={"engine": engine.name, "vendor": card.vendor, "accelerator": card.name},
        )
    capability, floor = cuda_capability(card), engine.values["min_compute_capability"]
    if capability is not None and capability < _capability(floor):
        yield Reason(
            code="card_below_engine_floor",
            field="accelerator",
            values={
                "accelerator": card.name,
                "capability": card.compute_capability,
                "floor": floor,
                "engine": engine.name,
                "version": engine.version,
            },
        )


def _capability(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


def scheme_reasons(request: EstimateRequest) -> Iterator[Reason]:
    """Formats that the engine version does not load, or that the card computes neither natively nor weight-only."""
    scheme, engine, card = request.scheme, request.engine, request.accelerator
    if scheme.kernel in engine.values["refused_kernels"]:
        yield Reason(
            code="scheme_not_in_engine",
            field="weights",
            values={"scheme": scheme.id, "engine": engine.name, "version": engine.version},
        )
        return
    if card is not None and not has_kernels(scheme, card):
        yield Reason(
            code="scheme_not_on_maker",
            field="weights",
            values={"scheme": scheme.id, "accelerator": card.name, "vendor": card.vendor},
        )
        return
    if card is not None and not loads(engine, card, scheme):
        yield Reason(
            code="scheme_not_here",
            field="weights",
            values={
                "scheme": scheme.id,
                "engine": engine.name,
                "version": engine.version,
                "accelerator": card.name,
            },
        )
        return
    capability = cuda_capability(card)
    if capability is None or card is None or scheme.min_compute_capability is None:
        return
    fallback = engine.values["weight_only_fallback"]
    needed = fallback.get(scheme.id) or fallback.get(scheme.kernel, scheme.min_compute_capability)
    lowest = min(_capability(needed), _capability(scheme.min_compute_capability))
    if capability < lowest:
        yield Reason(
            code="scheme_not_on_card",
            field="weights",
            values={
                "scheme": scheme.id,
                "accelerator": card.name,
                "capability": card.compute_capability,
                "needed": ".".join(map(str, lowest)),
            },
        )


def has_kernels(scheme: Scheme, card: AcceleratorSpec) -> bool:
    """Whether anybody has kernels for a format on cards of this maker: some formats are one maker's own."""
    return scheme.id not in NVIDIA_FORMATS or card.vendor.casefold() == "nvidia"


def cache_dtype_reasons(request: EstimateRequest) -> Iterator[Reason]:
    """Cache formats that the engine version or the card does not have."""
    dtype, engine, card = request.kv_cache_dtype, request.engine, request.accelerator
    accepted = engine.values["kv_cache_dtypes"]
    if dtype not in accepted:
        fix = {"kv_cache_dtype": "fp8_e4m3"} if dtype == "fp8" and "fp8_e4m3" in accepted else None
        yield Reason(
            code="kv_cache_dtype_not_in_engine",
            field="kv_cache_dtype",
            values={
                "dtype": dtype,
                "engine": engine.name,
                "version": engine.version,
                "accepted": ", ".join(accepted),
            },
            fix=fix,
        )
        return
    here = None if card is None else cache_dtypes(engine, card)
    if card is not None and here is not None and dtype not in here:
        yield Reason(
            code="kv_cache_dtype_not_here",
            field="kv_cache_dtype",
            values={
                "dtype": dtype,
                "engine": engine.name,
                "version": engine.version,
                "accelerator": card.name,
                "accepted": ", ".join(here),
            },
            fix={"kv_cache_dtype": "auto"},
        )
        return
    capability = cuda_capability(card)
    if card is not None and dtype in FP4_KV_DTYPES and capability is not None and capability < (10, 0):
        yield Reason(
            code="kv_cache_dtype_not_on_card",
            field="kv_cache_dtype",
            values={"dtype": dtype, "accelerator": card.name, "needed": "10.0"},
            fix={"kv_cache_dtype": "fp8"},
        )


def _block_size(request: EstimateRequest) -> Iterator[Reason]:
    block, accepted = request.settings.block_size, request.engine.values["block_sizes"]
    if any(group.kind in STATE_KINDS for group in request.model.cache_groups):
        return  # the engine widens blocks of hybrid models to hold a state, to sizes outside its own list
    if block is not None and accepted is not None and block not in accepted:
        yield Reason(
            code="block_size_not_in_engine",
            field="settings.block_size",
            values={"block_size": block, "accepted": ", ".join(map(str, accepted))},
            fix={"settings": {"block_size": min(accepted, key=lambda size: (abs(size - block), size))}},
        )


def _batch(request: EstimateRequest) -> Iterator[Reason]:
    batch, sequences = request.settings.max_num_batched_tokens, request.settings.max_num_seqs
    if request.engine.values["sequences_within_batch"] and batch and sequences and batch < sequences:
        yield Reason(
            code="batch_below_sequences",
            field="settings.max_num_batched_tokens",
            values={"max_num_batched_tokens": batch, "max_num_seqs": sequences},
            fix={"settings": {"max_num_batched_tokens": sequences}},
        )


def pipeline_reasons(model: ModelSpec, parallelism: Parallelism) -> Iterator[Reason]:
    """More stages than there are layers for."""
    if parallelism.pipeline > model.num_layers:
        yield Reason(
            code="more_stages_than_layers",
            field="parallelism.pipeline",
            values={"pipeline": parallelism.pipeline, "layers": model.num_layers},
        )


def _division(request: EstimateRequest, parallelism: Parallelism) -> Iterator[Reason]:
    """What the tensor degree must divide; the fix is the largest smaller degree that nothing is said against."""
    found = tuple(against_tensor(request, parallelism))
    if not found:
        return
    below = min(parallelism.tensor - 1, request.model.num_attention_heads)
    degrees = (replace(parallelism, tensor=degree) for degree in range(below, 0, -1))
    tensor = next(smaller.tensor for smaller in degrees if not any(against_tensor(request, smaller)))
    count = tensor * parallelism.pipeline * parallelism.data
    fix = {"count": count, "parallelism": {"tensor": tensor}}
    for reason in found:
        yield reason if reason.fix is not None else replace(reason, fix=fix)


def against_tensor(request: EstimateRequest, parallelism: Parallelism) -> Iterator[Reason]:
    """Everything that speaks against a tensor degree; nothing speaks against 1."""
    tensor = parallelism.tensor
    if tensor == 1:
        return
    for code, values in undivided(request.model, tensor, parallelism.expert):
        yield Reason(code=code, field="parallelism.tensor", values={**values, "tensor": tensor})
    yield from _alignment(request, parallelism)


def undivided(model: ModelSpec, tensor: int, expert: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """What in the shape of a model does not divide by a tensor degree: code and values of each."""
    if model.num_attention_heads % tensor:
        yield "heads_not_divisible_by_tp", {"heads": model.num_attention_heads}
    for heads in sorted({g.kv_heads for g in model.cache_groups if g.kv_heads}):
        if heads % tensor and tensor % heads:
            yield "kv_heads_not_divisible_by_tp", {"kv_heads": heads}
    for width in _widths(model, expert):
        if width % tensor:
            yield "ffn_not_divisible_by_tp", {"width": width}
    if round_up(model.vocab_size, VOCAB_PADDING) % tensor:
        yield "vocabulary_not_divisible_by_tp", {"vocabulary": round_up(model.vocab_size, VOCAB_PADDING)}
    for group in model.cache_groups:
        for state_heads in (group.state_heads, group.state_key_heads):
            if state_heads and state_heads % tensor:
                yield "state_heads_not_divisible_by_tp", {"heads": state_heads}


def _widths(model: ModelSpec, expert: bool) -> list[int]:
    """FFN widths that are split: of dense layers, and of experts unless whole experts are spread."""
    moe = model.moe
    widths = []
    if model.intermediate_size and (moe is None or moe.first_k_dense):
        widths.append(model.intermediate_size)
    if moe is not None and not expert:
        widths.append(moe.moe_intermediate_size)
    return widths


def _alignment(request: EstimateRequest, parallelism: Parallelism) -> Iterator[Reason]:
    """Groups and blocks of the quantizer must not straddle ranks."""
    model, scheme, tensor = request.model, request.scheme, parallelism.tensor
    if scheme.kernel not in ("int4", "fp8"):
        return
    if scheme.kernel == "int4" and scheme.group_size and scheme.group_size >= FP8_BLOCK and model.moe is None:
        for width in _row_widths(model):
            padded = round_up(width, scheme.group_size * tensor)
            if width % tensor == 0 and padded / width > PADDING_LIMIT:
                yield _misaligned("quantization_group_misaligned", width, tensor, scheme.group_size)
    if _block_scaled(request):
        for width in _row_widths(model):
            if width % tensor == 0 and (width // tensor) % FP8_BLOCK:
                yield _misaligned("quantization_group_misaligned", width, tensor, FP8_BLOCK)
        yield from _expert_alignment(request, parallelism)


def _expert_alignment(request: EstimateRequest, parallelism: Parallelism) -> Iterator[Reason]:
    """Block-scaled experts cut across a block, on versions that do not pad them."""
    moe = request.model.moe
    if moe is None or parallelism.expert or request.engine.values["fp8_block_experts"] != "refused":
        return
    if math.ceil(moe.moe_intermediate_size / parallelism.tensor) % FP8_BLOCK:
        yield _misaligned("expert_width_misaligned", moe.moe_intermediate_size, parallelism.tensor, FP8_BLOCK)


def _row_widths(model: ModelSpec) -> list[int]:
    """Input widths of the row-split matmuls of dense layers: attention output and FFN down."""
    widths = [model.num_attention_heads * model.head_dim] if model.head_dim else []
    if model.intermediate_size and model.moe is None:
        widths.append(model.intermediate_size)
    return widths


def _block_scaled(request: EstimateRequest) -> bool:
    model, scheme = request.model, request.scheme
    if scheme.id == "fp8-block128":
        return True
    native = NATIVE_FORMATS.get(model.native_weight_format or "")
    return native is not None and native.scheme == "fp8-block128" and scheme.id in native.aliases


def _misaligned(code: str, width: int, tensor: int, group: int) -> Reason:
    fix = {"parallelism": {"expert": True}} if code == "expert_width_misaligned" else None
    return Reason(
        code=code,
        field="parallelism.tensor",
        values={"width": width, "tensor": tensor, "group": group},
        fix=fix,
    )
