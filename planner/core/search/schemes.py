"""Which weight formats make sense for a model, on an engine and on a card."""

from planner.core.launch.checkpoint import released
from planner.core.specs import AcceleratorSpec, Catalog, EngineSpec, ModelSpec, Scheme
from planner.core.support import is_documented
from planner.core.validity import has_kernels
from planner.core.weights import published_scheme_id

# The same bytes and the same kernel under three names: one of them is offered.
INT4_NAMES = ("int4-g128", "awq-int4", "gptq-int4")
QUANTIZED = ("fp8", "int8-w8a8", "gptq-int8", "w4a8", *INT4_NAMES, "nvfp4")
# Kernels for one generation of cards only, so offered where somebody published the model in it.
ONLY_RELEASED = frozenset({"w4a8"})
# Nothing below four bits unless it is asked for by name: what it does to answers is not in these figures.
GGUF = ("gguf-bf16", "gguf-q8_0", "gguf-q6_k", "gguf-q5_k_m", "gguf-q4_k_m")
# A format that is not narrower than this share of the published one saves nothing.
NARROWER = 0.75
# On every engine with a cache format of 8 bits: the cheapest that its kernels read directly.
EIGHT_BIT_CACHES = ("fp8", "fp8_e4m3", "q8_0")


def schemes_for(model: ModelSpec, engine: EngineSpec, catalog: Catalog) -> tuple[Scheme, ...]:
    """Formats worth a look for a model on an engine, the published one first.

    A release that is itself quantized comes in its own format alone. A checkpoint published in a narrow format is
    offered in that and in clearly narrower ones, never wider.
    """
    published = catalog.schemes[published_scheme_id(model)]
    if model.scheme is not None:
        return (published,)
    if engine.values["split"] == "layers":
        return _gguf(published, catalog)
    published_too = {name for name in ONLY_RELEASED if released(model, name) is not None}
    left_out = {*INT4_NAMES, *ONLY_RELEASED} - {int4_name(model, engine), *published_too}
    if model.moe is not None:
        left_out |= set(engine.values["experts_refused"])
    names = [name for name in QUANTIZED if name not in left_out]
    narrower = [
        catalog.schemes[name]
        for name in names
        if catalog.schemes[name].bytes_per_weight <= NARROWER * published.bytes_per_weight
    ]
    return (published, *narrower)


def _gguf(published: Scheme, catalog: Catalog) -> tuple[Scheme, ...]:
    """Formats that files for layer-splitting engines come in, none wider than what was published."""
    if published.kernel == "fp4":
        return (catalog.schemes["gguf-mxfp4"],)
    return tuple(
        catalog.schemes[name]
        for name in GGUF
        if catalog.schemes[name].bytes_per_weight <= 1.1 * published.bytes_per_weight
    )


def int4_name(model: ModelSpec, engine: EngineSpec) -> str:
    """The 4-bit integer format that somebody published this model in for the engine, else the general one."""
    if INT4_NAMES[0] in engine.values["own_quantizer_only"]:
        return INT4_NAMES[0]
    return next((name for name in INT4_NAMES if released(model, name) is not None), INT4_NAMES[0])


def is_computed(engine: EngineSpec, scheme: Scheme, card: AcceleratorSpec, published: str) -> bool:
    """Whether the card has units for what this format multiplies with, or the format is made to be unpacked.

    What the engine's own tables do not promise on the card is not offered. Eight bits are offered in the one form
    that a card computes: FP8, else INT8, else unpacked from integers.
    """
    if scheme.id == published or scheme.kernel in ("dense", "gguf"):
        return True
    if not has_kernels(scheme, card) or not is_documented(engine, card, scheme):
        return False
    native = card.native_dtypes
    if scheme.id == "int8-w8a8":
        return "int8" in native and "fp8" not in native
    if scheme.id == "gptq-int8":
        return "int8" not in native and "fp8" not in native
    return scheme.weight_only or scheme.compute_dtype in native


def cache_dtypes_for(engine: EngineSpec) -> tuple[str, ...]:
    """What the engine takes by itself, and its plain 8-bit cache where it has one."""
    accepted = engine.values["kv_cache_dtypes"]
    eight_bit = next((name for name in EIGHT_BIT_CACHES if name in accepted), None)
    return ("auto",) if eight_bit is None else ("auto", eight_bit)
