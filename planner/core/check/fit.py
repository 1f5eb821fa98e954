"""What the command amounts to on its card: refusals of shape, length and memory as findings with flags and mends."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from planner.core import memory
from planner.core.check.amounts import Amounts
from planner.core.check.found import Edit, Finding
from planner.core.check.launch import Launch
from planner.core.parse import parse_request
from planner.core.request import EstimateRequest, Parallelism
from planner.core.specs import Catalog

CONCERN_OF_FIELD = {
    "settings.max_model_len": "max_length",
    "settings.max_num_seqs": "max_sequences",
    "settings.max_num_batched_tokens": "token_budget",
    "settings.gpu_memory_utilization": "memory_share",
    "settings.block_size": "block_size",
    "parallelism.tensor": "tensor_parallel",
    "parallelism.pipeline": "pipeline_parallel",
    "kv_cache_dtype": "kv_dtype",
    "weights": "weight_quantization",
}
MEMORY = frozenset({"weights_exceed_budget", "no_kv_memory", "kv_cache_below_one_sequence"})
FROM_PARTS = frozenset(
    {*MEMORY, "budget_above_free_memory", "graphs_exceed_accelerator", "state_blocks_below_max_num_seqs"}
)
# What the checks of single flags say already, and say better.
SAID_BEFORE = frozenset({"batch_below_sequences", "block_size_not_in_engine"})
HIGH_SHARE = 0.97
MOST_RANKS = 8


def parsed_of(amounts: Amounts, catalog: Catalog, card: str | None) -> EstimateRequest | None:
    """The estimate request with a card in it; None where it cannot be asked (model unknown, odd values)."""
    if amounts.request["model"] is None:
        return None
    found = parse_request({**amounts.request, "accelerator": card}, catalog)
    return found if isinstance(found, EstimateRequest) else None


def widened(
    launch: Launch, amounts: Amounts, request: EstimateRequest
) -> tuple[EstimateRequest, list[Finding]]:
    """The request with the model's limit raised to what the command asks for, and that it does so."""
    asked, limit = request.settings.max_model_len, request.model.max_position_embeddings
    if not amounts.longer_context or asked is None or asked <= limit:
        return request, []
    values = {"max_model_len": asked, "limit": limit}
    found = Finding(code="length_widened", severity="warning", flag=launch.typed("max_length"), values=values)
    return replace(request, model=replace(request.model, max_position_embeddings=asked)), [found]


def refusals(
    launch: Launch,
    amounts: Amounts,
    request: EstimateRequest,
    answer: Mapping[str, Any],
    *,
    count: int | None,
) -> Iterator[Finding]:
    """The reasons of an estimate as findings about flags."""
    for reason in answer["reasons"]:
        code = reason["code"]
        if (
            code in SAID_BEFORE
            or (launch.engine == "vllm" and _is_gguf(request, code))
            or code.startswith(("no_accelerator", "accelerator_memory", "kv_cache_layout"))
        ):
            continue
        severity = "error"
        if code in FROM_PARTS and (amounts.loose_fit or not amounts.trusted_memory):
            severity = "warning"
        yield _refusal(launch, request, reason, severity, count=count)


def _is_gguf(request: EstimateRequest, code: str) -> bool:
    """Refused loaders of GGUF files are named by the rule about them."""
    return code == "scheme_not_in_engine" and request.scheme.kernel == "gguf"


def _refusal(
    launch: Launch,
    request: EstimateRequest,
    reason: Mapping[str, Any],
    severity: str,
    *,
    count: int | None,
) -> Finding:
    code, field = reason["code"], reason["field"] or ""
    values = {**reason["values"], "reason": code}
    concern = CONCERN_OF_FIELD.get(field)
    if (
        code == "scheme_not_in_engine"
        or field in ("model", "engine", "engine.name", "accelerator")
        or concern is None
    ):
        return _of_model(launch, request, reason, severity, count=count)
    if code.endswith("_by_tp") or code == "quantization_group_misaligned":
        fix, edits = _tensor_that_divides(launch, request, count)
        return Finding(
            code=code,
            severity=severity,
            flag=launch.typed("tensor_parallel"),
            values=values,
            fix=fix,
            edits=edits,
        )
    if concern == "weight_quantization" and launch.of(concern) is None:
        return Finding(code=code, severity=severity, flag="model", values=values)
    asked = launch.of("weight_quantization")
    if concern == "weight_quantization" and asked is not None:
        drop = (asked.dropped(launch.text),)
        return Finding(code=code, severity=severity, flag=asked.typed, values=values, fix="", edits=drop)
    fix, edits = _from_fix(launch, reason["fix"])
    if code in MEMORY and fix is None:
        fix, edits = _more_ranks(launch, request, count)
    return Finding(
        code=code, severity=severity, flag=launch.typed(concern), values=values, fix=fix, edits=edits
    )


def _of_model(
    launch: Launch, request: EstimateRequest, reason: Mapping[str, Any], severity: str, *, count: int | None
) -> Finding:
    """Refusals about the model or the card as a whole."""
    code, values = reason["code"], {**reason["values"], "reason": reason["code"]}
    if code == "weights_exceed_budget" and launch.engine == "llama.cpp":
        layers = launch.arguments.last("--gpu-layers")
        if layers is not None:
            whole = layers.with_value("auto")
            piece = f"{layers.typed} auto"
            return Finding(
                code=code, severity=severity, flag=layers.typed, values=values, fix=piece, edits=(whole,)
            )
    if code == "weights_exceed_budget":
        fix, edits = _more_ranks(launch, request, count)
        flag = launch.typed("tensor_parallel") if fix or launch.of("tensor_parallel") else "model"
        return Finding(code=code, severity=severity, flag=flag, values=values, fix=fix, edits=edits)
    flag = "accelerator" if code in {"card_below_engine_floor", "engine_not_for_vendor"} else "model"
    return Finding(code=code, severity=severity, flag=flag, values=values)


def _from_fix(launch: Launch, fix: Mapping[str, Any] | None) -> tuple[str | None, tuple[Edit, ...]]:
    """A partial request as flags of this engine; nothing where it names what no flag sets."""
    if not fix:
        return None, ()
    pieces: list[str] = []
    edits: list[Edit] = []
    for path, wanted in _flat(fix):
        value = wanted
        concern = CONCERN_OF_FIELD.get(path)
        if path == "parallelism.expert" and value and launch.engine == "vllm":
            pieces.append("--enable-expert-parallel")
            edits.append(launch.appended(pieces[-1]))
            continue
        if concern is None or not launch.flag_of(concern):
            return None, ()
        if concern == "max_length" and launch.engine == "llama.cpp":
            value = int(value) * (launch.whole("max_sequences") or 1)
        piece, made = launch.set(concern, value)
        pieces.append(piece)
        edits.extend(made)
    return " ".join(pieces), tuple(edits)


def _flat(fix: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in fix.items():
        if isinstance(value, Mapping):
            yield from ((f"{key}.{name}", item) for name, item in value.items())
        else:
            yield key, value


def _tensor_that_divides(
    launch: Launch, request: EstimateRequest, count: int | None
) -> tuple[str | None, tuple[Edit, ...]]:
    """The largest smaller tensor degree that nothing speaks against, one that fits first."""
    asked = request.parallelism.tensor
    smaller = [size for size in range(asked - 1, 0, -1) if size <= (count or asked)]
    fits = _first(request, [size for size in smaller if size <= 64], need_fit=True)
    fits = fits or _first(request, [size for size in smaller if size <= 64], need_fit=False)
    return launch.set("tensor_parallel", fits) if fits else (None, ())


def _more_ranks(
    launch: Launch, request: EstimateRequest, count: int | None
) -> tuple[str | None, tuple[Edit, ...]]:
    """The smallest larger tensor degree with which it fits, within the cards that are there."""
    if launch.engine == "llama.cpp" or request.accelerator is None:
        return None, ()
    most = count or MOST_RANKS
    others = request.parallelism.pipeline * request.parallelism.data
    sizes = [size for size in (2, 4, 8, 16) if size > request.parallelism.tensor and size * others <= most]
    fits = _first(request, sizes, need_fit=True)
    return launch.set("tensor_parallel", fits) if fits else (None, ())


def _first(request: EstimateRequest, sizes: Sequence[int], *, need_fit: bool) -> int | None:
    if not sizes:
        return None
    trials = [_with_tensor(request, size) for size in sizes]
    batch = memory.evaluate(trials)
    for size, reasons in zip(sizes, batch.reasons, strict=True):
        codes = {reason.code for reason in reasons}
        hindered = any(code.endswith(("_by_tp", "_misaligned")) for code in codes)
        if not hindered and not (need_fit and codes & FROM_PARTS):
            return size
    return None


def _with_tensor(request: EstimateRequest, tensor: int) -> EstimateRequest:
    degrees: Parallelism = replace(request.parallelism, tensor=tensor)
    return replace(request, parallelism=degrees, count=tensor * degrees.pipeline * degrees.data)


def risks(launch: Launch, request: EstimateRequest | None) -> Iterator[Finding]:
    """What starts and may still go wrong."""
    share = launch.of("memory_share")
    value = launch.number("memory_share")
    if (
        share is not None
        and value is not None
        and HIGH_SHARE <= value <= 1
        and launch.engine in ("vllm", "sglang")
    ):
        yield Finding(
            code="memory_share_high",
            severity="warning",
            flag=share.typed,
            values={"share": value},
            fix=f"{share.typed} 0.95",
        )
    if request is None:
        return
    tensor, heads = request.parallelism.tensor, request.model.num_kv_heads
    latent = any(group.latent_dim for group in request.model.cache_groups)
    if tensor > heads and not latent and tensor % heads == 0:
        yield Finding(
            code="kv_heads_repeated",
            severity="warning",
            flag=launch.typed("tensor_parallel"),
            values={"tensor": tensor, "kv_heads": heads},
        )


def too_many_ranks(
    launch: Launch, amounts: Amounts, request: EstimateRequest | None, count: int | None
) -> Iterator[Finding]:
    """More ranks than cards, where all must be on this machine."""
    executor = launch.of("executor")
    many_nodes = launch.of("nodes") is not None or (executor is not None and executor.value == "ray")
    external = launch.arguments.last(
        "--data-parallel-size-local", "--data-parallel-address", "--data-parallel-external-lb"
    )
    if count is None or amounts.ranks <= count or many_nodes or external is not None:
        return
    degrees = amounts.request["parallelism"]
    others = degrees["pipeline"] * degrees["data"]
    concern = (
        "tensor_parallel"
        if degrees["tensor"] > 1
        else "pipeline_parallel"
        if degrees["pipeline"] > 1
        else "data_parallel"
    )
    fix: str | None = None
    edits: tuple[Edit, ...] = ()
    if concern == "tensor_parallel" and others <= count:
        sizes = list(range(count // others, 0, -1))
        fits = (
            _first(request, sizes[:64], need_fit=False) if request is not None else None
        ) or count // others
        fix, edits = launch.set(concern, fits)
    elif others > count:
        fix, edits = launch.set(concern, count)
    yield Finding(
        code="more_ranks_than_cards",
        flag=launch.typed(concern),
        values={"ranks": amounts.ranks, "count": count},
        fix=fix,
        edits=edits,
    )
