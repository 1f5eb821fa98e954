"""Formats of weights and cache that a command asks for, against what the checkpoint and the card are."""

from collections.abc import Iterator

from planner.core.check.amounts import DENSE, PREPARED, Amounts
from planner.core.check.found import Edit, Finding
from planner.core.check.launch import Launch
from planner.core.check.names import origin_of
from planner.core.launch.lookup import rules_at
from planner.core.layout import cuda_capability
from planner.core.request import EstimateRequest
from planner.core.specs import Catalog
from planner.core.weights import published_scheme_id

BFLOAT16 = frozenset({"bfloat16"})
FIRST_WITH_BFLOAT16 = (8, 0)
FIRST_WITH_FP8 = (8, 9)
EIGHT_BIT_CACHE = ("fp8", "fp8_e4m3", "fp8_e5m2")
# Methods that read the file of a checkpoint made by them, so that a plain checkpoint has nothing to read.
READS_CHECKPOINT = frozenset({"awq", "awq_marlin", "auto_awq", "gptq", "gptq_marlin", "auto_gptq"})


def checkpoint_findings(launch: Launch, model_id: str | None, catalog: Catalog) -> Iterator[Finding]:
    """A quantization method that the published checkpoint cannot be loaded with."""
    given = launch.of("weight_quantization")
    if launch.engine != "vllm" or given is None or given.value is None or model_id != launch.model:
        return
    if model_id is None or model_id not in catalog.models or given.value not in PREPARED:
        return
    published = published_scheme_id(catalog.models[model_id])
    if published in DENSE and given.value in READS_CHECKPOINT:
        yield Finding(
            code="quantization_needs_checkpoint",
            flag=given.typed,
            values={"method": given.value, "model": model_id, "published": published},
            fix=f"{given.typed} fp8",
            edits=(given.with_value("fp8"),),
        )
        return
    expected = PREPARED[given.value]
    others = {"awq-int4": "gptq", "gptq-int4": "awq"}
    if published in others and expected in others and expected != published:
        yield Finding(
            code="quantization_differs",
            flag=given.typed,
            values={"method": given.value, "model": model_id, "published": published},
            fix="",
            edits=(given.dropped(launch.text),),
        )


def bitsandbytes_findings(launch: Launch, model_id: str | None, catalog: Catalog) -> Iterator[Finding]:
    """A checkpoint stored by bitsandbytes where no loader is built in: the model it was made from, made FP8 on loading."""
    model = catalog.models.get(model_id or "")
    gone = any(rule["id"] == "bitsandbytes" for rule in rules_at(launch.table, launch.version))
    if not gone or model is None or published_scheme_id(model) != "bnb-nf4":
        return
    origin = origin_of(catalog, model.id)
    place = _model_place(launch)
    fix, edits = None, list[Edit]()
    if origin is not None and place is not None:
        given = launch.of("weight_quantization")
        fix = f"{origin} --quantization fp8"
        edits = [Edit(*place, origin if given is not None else fix)]
    values = {"version": launch.version or launch.table.newest, "model": model.id}
    yield Finding(code="bitsandbytes_not_built_in", flag="model", values=values, fix=fix, edits=tuple(edits))


def _model_place(launch: Launch) -> tuple[int, int] | None:
    """Where the model stands in the text."""
    given = launch.of("model")
    if given is not None:
        return given.value_start, given.value_end
    words = launch.arguments.positionals
    return (words[0].start, words[0].end) if words else None


def card_findings(launch: Launch, request: EstimateRequest) -> Iterator[Finding]:
    """What the card cannot compute."""
    card = request.accelerator
    capability = cuda_capability(card)
    if card is None or capability is None:
        return
    dtype = launch.of("weight_dtype")
    if (
        dtype is not None
        and dtype.value in BFLOAT16
        and capability < FIRST_WITH_BFLOAT16
        and launch.engine == "vllm"
    ):
        yield Finding(
            code="dtype_not_on_card",
            flag=dtype.typed,
            values={"accelerator": card.name},
            fix=f"{dtype.typed} float16",
            edits=(dtype.with_value("float16"),),
        )
    cache = launch.of("kv_dtype")
    if cache is not None and cache.value in EIGHT_BIT_CACHE and capability < FIRST_WITH_FP8:
        yield Finding(
            code="kv_cache_not_native",
            severity="warning",
            flag=cache.typed,
            values={"accelerator": card.name, "dtype": cache.value},
        )


def idle_cards(launch: Launch, amounts: Amounts, count: int | None) -> Iterator[Finding]:
    """Cards that the command leaves alone."""
    if launch.engine == "llama.cpp" or count is None or count <= amounts.ranks:
        return
    yield Finding(
        code="cards_idle",
        severity="warning",
        flag=launch.typed("tensor_parallel"),
        values={"count": count, "ranks": amounts.ranks},
    )
