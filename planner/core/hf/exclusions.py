"""What a quantizer left in 16 bits or stored otherwise than the rest, from quantization_config, in weights."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planner.core.hf.fields import ConfigReader
from planner.core.hf.modules import Module
from planner.core.hf.patterns import REGEX, Patterns
from planner.core.specs import Kept

# Where methods name what they leave alone.
KEYS = ("ignore", "ignored_layers", "modules_to_not_convert", "exclude_modules", "llm_int8_skip_modules")
EXACT_METHODS = ("compressed-tensors", "compressed-tensor")
EVERY_MATRIX = frozenset({"Linear", "re:.*"})
MAX_STEPS = 30_000_000  # of matching: a tenth of what a second does


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusions:
    """What is stored otherwise, and the patterns that were not understood."""

    kept: tuple[Kept, ...] = ()
    unread: tuple[str, ...] = ()


def read_exclusions(block: ConfigReader, method: str, modules: Sequence[Module]) -> Exclusions:
    """The weights that a quantization_config takes out of its scheme, by part and by bytes per weight."""
    left = Patterns(left_out(block), exact=method in EXACT_METHODS)
    groups, unread = _groups(block, method)
    unread = [*left.unread, *unread]
    cost = left.cost + sum(group.patterns.cost for group in groups)
    names = sum(len(module.names) for module in modules)
    if cost * names > MAX_STEPS:
        return Exclusions(unread=(*unread, f"{len(modules)} modules × {cost} steps"))
    found: defaultdict[tuple[str, float | None], int] = defaultdict(int)
    for module in modules:
        if left.hold(module.names):
            found[module.part, None] += module.params
            continue
        group = next((group for group in groups if group.patterns.hold(module.names)), None)
        if group is not None and not group.is_main:
            found[module.part, group.size] += module.params
        elif group is None and any(other.is_main for other in groups):
            found[module.part, None] += module.params  # the scheme names what it is for, and this is not it
    kept = tuple(
        Kept(part=part, params=params, bytes_per_weight=size)
        for (part, size), params in sorted(found.items(), key=lambda item: (item[0][0], item[0][1] or 0.0))
    )
    return Exclusions(kept=kept, unread=tuple(unread))


def left_out(block: ConfigReader) -> list[str]:
    """Names and patterns of what the publisher left unquantized."""
    found = [item for key in KEYS for item in block.items(key) if isinstance(item, str)]
    dynamic = block.config.get("dynamic")
    if isinstance(dynamic, Mapping):  # GPTQModel: "-:" before what it leaves out
        found += [
            REGEX + _expression(key) for key in dynamic if isinstance(key, str) and key.startswith("-:")
        ]
    return found


def _expression(key: str) -> str:
    return key.removeprefix("-:").removeprefix("+:")


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Modules in one format. size: bytes per weight, None for 16 bits. is_main: they are what the scheme is of."""

    patterns: Patterns
    size: float | None = None
    is_main: bool = False


Written = Iterable[tuple[list[str], Mapping[str, Any] | None]]


def _groups(block: ConfigReader, method: str) -> tuple[list[Group], list[str]]:
    """Modules that are named to be in a format, and what of it is not understood; main groups are without a format."""
    readers: dict[str, Callable[[ConfigReader], Written]] = {
        "compressed-tensors": _config_groups,
        "compressed-tensor": _config_groups,
        "gptq": _dynamic,
        "modelopt": _quantized_layers,
        "modelopt-mixed": _quantized_layers,
    }
    if method not in readers:
        return [], []
    found: list[Group] = []
    unread: list[str] = []
    for written, form in readers[method](block):
        patterns = Patterns(written, exact=not method.startswith("modelopt"))
        unread += patterns.unread
        size = None if form is None else bytes_per_weight(form)
        if form is not None and size is None:
            unread.append(f"{len(written)} modules in a format that is not known")
        found.append(Group(patterns=patterns, size=size, is_main=form is None))
    return found, unread


def _config_groups(block: ConfigReader) -> Written:
    """Groups of compressed-tensors that name their targets; one that is for every matrix needs no naming."""
    groups = block.config.get("config_groups")
    if not isinstance(groups, Mapping):
        return
    main = main_group(groups)
    for name, group in groups.items():
        targets = group.get("targets") if isinstance(group, Mapping) else None
        if not isinstance(targets, list):
            continue
        written = [item for item in targets if isinstance(item, str)]
        if name != main:
            weights = group.get("weights")
            yield written, weights if isinstance(weights, Mapping) else {}
        elif written and not EVERY_MATRIX & set(written):
            yield written, None


def main_group(groups: Mapping[str, Any]) -> str:
    """The group that says "every matrix", else the first."""
    for name, group in groups.items():
        targets = group.get("targets") if isinstance(group, Mapping) else None
        if isinstance(targets, list) and any(isinstance(t, str) and t in EVERY_MATRIX for t in targets):
            return name
    return next(iter(groups), "")


def bytes_per_weight(weights: Mapping[str, Any]) -> float | None:
    """Stored bytes of one weight, its share of the scales included; None where the block does not say."""
    bits = weights.get("num_bits")
    if isinstance(bits, bool) or not isinstance(bits, int) or not 1 <= bits <= 16:
        return None
    size = weights.get("group_size")
    grouped = isinstance(size, int) and not isinstance(size, bool) and size > 0
    scale = 1 if weights.get("type") == "float" and bits == 4 else 2
    return bits / 8 + (scale / size if grouped and isinstance(size, int) else 0.0)


def _dynamic(block: ConfigReader) -> Written:
    """GPTQModel's overrides by module: other bits or group sizes."""
    dynamic = block.config.get("dynamic")
    if not isinstance(dynamic, Mapping):
        return
    usual = {"num_bits": block.config.get("bits"), "group_size": block.config.get("group_size")}
    for key, change in dynamic.items():
        if not isinstance(key, str) or key.startswith("-:") or not isinstance(change, Mapping):
            continue
        said = {"num_bits": change.get("bits"), "group_size": change.get("group_size")}
        form = {**usual, **{name: value for name, value in said.items() if value is not None}}
        yield [REGEX + _expression(key)], form


FORMATS: dict[str, Mapping[str, Any]] = {
    "FP8": {"num_bits": 8},
    "INT8_SQ": {"num_bits": 8},
    "NVFP4": {"num_bits": 4, "type": "float", "group_size": 16},
    "W4A16_AWQ": {"num_bits": 4, "group_size": 128},
    "W4A8_AWQ": {"num_bits": 4, "group_size": 128},
}


def _quantized_layers(block: ConfigReader) -> Written:
    """ModelOpt's MIXED_PRECISION: an algorithm for each module by name. What is not named is not quantized."""
    by_algorithm = layers_by_algorithm(block.config.get("quantized_layers"))
    main = main_algorithm(by_algorithm)
    for algorithm, names in by_algorithm.items():
        yield names, None if algorithm == main else FORMATS.get(algorithm, {})


def layers_by_algorithm(layers: Any) -> dict[str, list[str]]:
    """Algorithm -> the modules that it was used on."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name, how in layers.items() if isinstance(layers, Mapping) else ():
        algorithm = how.get("quant_algo") if isinstance(how, Mapping) else None
        if isinstance(name, str) and isinstance(algorithm, str):
            found[algorithm.upper()].append(name)
    return dict(found)


def main_algorithm(by_algorithm: Mapping[str, list[str]]) -> str:
    """The algorithm of most modules."""
    return max(by_algorithm, key=lambda item: len(by_algorithm[item]), default="")
