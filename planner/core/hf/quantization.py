"""From `quantization_config` to a weight scheme of the catalog."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from planner.core.hf.exclusions import (
    layers_by_algorithm,
    left_out,
    main_algorithm,
    main_group,
    read_exclusions,
)
from planner.core.hf.fields import ConfigReader
from planner.core.hf.modules import Module
from planner.core.outcome import Problem
from planner.core.specs import Kept

ATTENTION_WORDS = ("self_attn", "attention", "q_proj", "o_proj", "linear_attn")
VISION_WORDS = ("vision", "visual", "vit", "audio")
LAYER_NUMBER = re.compile(r"layers\\?\.(\d{1,6})\b")
EXPERT_ONLY_WORDS = ("self_attn", "shared_expert")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantization:
    """What the checkpoint is stored in. native_format is a mixed layout with a name of its own."""

    scheme: str | None = None
    native_format: str | None = None
    excludes: tuple[str, ...] = ()
    kept: tuple[Kept, ...] = ()  # what is stored otherwise, in weights
    unread: tuple[str, ...] = ()  # patterns of what is left out that are not understood


def read_quantization(
    reader: ConfigReader, *, routed: bool, layers: int, modules: Callable[[], Sequence[Module]] = tuple
) -> Quantization:
    """The scheme of a config; a plain one where there is no quantization_config, a problem where it is unknown.

    `modules` gives the matrices of the model, among which those that are left out are looked up.
    """
    block = reader.mapping("quantization_config")
    if block is None:
        return Quantization()
    method = block.text("quant_method", "").lower().replace("_", "-")
    excluded = left_out(block)
    excludes = excluded_parts(excluded, layers=layers)
    if method == "mxfp4":
        return (
            Quantization(native_format="mxfp4_moe")
            if routed
            else Quantization(scheme="mxfp4", excludes=excludes)
        )
    if method in ("compressed-tensors", "compressed-tensor"):
        found = _compressed_tensors(block, excluded, excludes, routed=routed)
    else:
        found = Quantization(scheme=_plain_scheme(block, method), excludes=excludes)
        if found.scheme is None:
            _unknown(block, method)
    if found.scheme is None:
        return found
    otherwise = read_exclusions(block, method, modules())
    return replace(found, kept=otherwise.kept, unread=otherwise.unread)


def _plain_scheme(block: ConfigReader, method: str) -> str | None:
    bits = block.integer("bits", "w_bit", "num_bits", default=4)
    if method in ("awq", "awq-marlin", "auto-awq"):
        return "awq-int4" if bits == 4 else None
    if method in ("gptq", "gptq-marlin", "auto-round", "auto-gptq"):
        return {4: "gptq-int4", 8: "gptq-int8"}.get(bits)
    if method in ("fp8", "fbgemm-fp8"):
        return "fp8-block128" if block.items("weight_block_size") else "fp8"
    if method in ("bitsandbytes", "bnb"):
        four = block.flag("load_in_4bit", False) or block.flag("_load_in_4bit", False)
        return "bnb-nf4" if four else None
    if method.startswith("modelopt"):
        return _modelopt(block, method)
    return None


def _modelopt(block: ConfigReader, method: str) -> str | None:
    algorithm = block.text("quant_algo", "").upper()
    if algorithm == "MIXED_PRECISION":
        algorithm = main_algorithm(layers_by_algorithm(block.config.get("quantized_layers")))
    if "NVFP4" in algorithm or "fp4" in method:
        return "nvfp4"
    if algorithm.startswith("FP8"):
        return "fp8"
    return {"W4A8_AWQ": "w4a8", "W4A16_AWQ": "awq-int4", "INT8_SQ": "int8-w8a8"}.get(algorithm)


def _compressed_tensors(
    block: ConfigReader, excluded: list[str], excludes: tuple[str, ...], *, routed: bool
) -> Quantization:
    groups = block.mapping("config_groups")
    first = groups.config.get(main_group(groups.config)) if groups is not None else None
    if not isinstance(first, Mapping):
        block.missing("config_groups")
        return Quantization()
    group = ConfigReader(first, f"{block.path}.config_groups", block.problems)
    weights = group.mapping("weights")
    if weights is None:
        group.missing("weights")
        return Quantization()
    scheme = _group_scheme(weights, activations=group.mapping("input_activations"))
    if scheme is None:
        _unknown(block, block.text("format", "compressed-tensors"))
    only_experts = all(any(word in pattern for pattern in excluded) for word in EXPERT_ONLY_WORDS)
    if scheme == "int4-g32" and routed and only_experts:
        return Quantization(native_format="int4_g32_experts")
    return Quantization(scheme=scheme, excludes=excludes)


def _group_scheme(weights: ConfigReader, *, activations: ConfigReader | None) -> str | None:
    bits, kind = weights.integer("num_bits", default=8), weights.text("type", "int")
    group_size = weights.optional("group_size")
    if kind == "float":
        if bits == 8:
            return "fp8-block128" if weights.text("strategy", "") == "block" else "fp8"
        return {16: "nvfp4", 32: "mxfp4"}.get(group_size or 0) if bits == 4 else None
    if bits == 8:
        return "int8-w8a8" if activations is not None else "gptq-int8"
    if bits == 4:
        if activations is not None:
            return "w4a8"
        return "int4-g32" if group_size == 32 else "int4-g128"
    return None


def excluded_parts(patterns: list[str], *, layers: int) -> tuple[str, ...]:
    """What the patterns leave unquantized: attention where most layers are named, the outer layers' feed-forward."""
    text = [pattern for pattern in patterns if not any(word in pattern for word in VISION_WORDS)]
    attention = [pattern for pattern in text if any(word in pattern for word in ATTENTION_WORDS)]
    forward = _layer_numbers([pattern for pattern in text if "mlp" in pattern])
    found = []
    if len(_layer_numbers(attention)) > layers / 2 or any(
        not LAYER_NUMBER.search(pattern) for pattern in attention
    ):
        found.append("attention")
    if {0, layers - 1} <= forward:
        found.append("first_last_layers")
    return tuple(found)


def _layer_numbers(patterns: list[str]) -> set[int]:
    return {int(number) for pattern in patterns for number in LAYER_NUMBER.findall(pattern)}


def _unknown(block: ConfigReader, method: str) -> None:
    values = {"found": method[:60] or "none"}
    block.problems.append(Problem(code="quantization_unknown", field=block.path, values=values))
