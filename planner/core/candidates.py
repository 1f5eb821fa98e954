"""Changes of one set-up that are worth a try, each a partial request with its price in kind. Nothing is judged here."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import combinations
from typing import Any

from planner.core.batch import MemoryBatch
from planner.core.candidate import Candidate
from planner.core.elsewhere import where_it_runs
from planner.core.engines import release_of
from planner.core.mend import merged
from planner.core.request import EstimateRequest, Parallelism, Settings
from planner.core.search.schemes import int4_name
from planner.core.specs import AcceleratorSpec, Catalog
from planner.core.targets import judged
from planner.core.units import round_up

EIGHT_BIT_WEIGHTS = "fp8"
GGUF = ("gguf-q8_0", "gguf-q4_k_m")
SMALLER = 0.9  # weights of nearly the same size, such as int4 for mxfp4, are no way out
# Eight-bit caches by the names that engines give them; the first of a group that an engine takes.
NARROW_CACHES = (("fp8", "fp8_e4m3", "q8_0"), ("int8_per_token_head", "int8"))
UTILIZATIONS = (0.92, 0.94, 0.95)
RESERVE_GIB = 1.0  # of a card that a higher utilization must leave alone
TOKEN_BATCHES = (8192, 4096, 2048, 1024, 512)
LENGTH_HEADROOM = 1.2  # rule of thumb: room above the mean length
LENGTH_STEP = 256
WIDEST_TENSOR = 8  # the widest group that one machine usually holds
MORE = (2, 4, 8)
CARDS_TRIED = 16
# Cards that a machine room takes in place of each other; the others are changed within their own class.
SERVER_CLASSES = frozenset({"datacenter", "workstation", "consumer"})
# Pairs are made of changes up to this effort: more users than fit or another card are no half of anything.
PAIRED_EFFORT = 55
TWICE = 3  # effort of doing two things, on top of the greater one


def single_changes(request: EstimateRequest, memory: MemoryBatch, catalog: Catalog) -> list[Candidate]:
    """Changes of one thing, smallest effort first. `request` has its settings derived; `memory` is its row 0."""
    found = [
        *_settings(request, memory),
        *_versions(request, catalog),
        *where_it_runs(request, memory, catalog),
        *_layouts(request),
        *_formats(request, catalog),
        *_more_cards(request),
        *_other_cards(request, catalog),
    ]
    return sorted(found, key=lambda item: item.effort)


def fewer_users(users: int) -> Candidate:
    """The same set-up for as many users as it serves."""
    return Candidate(
        code="fewer_users",
        kind="users",
        effort=60,
        price=("fewer_users",),
        change={"workload": {"concurrency": users}},
        values={"users": users},
    )


def pairs(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Two changes of different kinds at once, least effort first."""
    halves = [item for item in candidates if item.effort <= PAIRED_EFFORT]
    found = [
        Candidate(
            code="pair",
            kind=f"{first.kind}+{second.kind}",
            effort=max(first.effort, second.effort) + TWICE,
            price=tuple(dict.fromkeys((*first.price, *second.price))),
            change=merged(first.change, second.change),
            values={"first": first, "second": second},
        )
        for first, second in combinations(halves, 2)
        if first.kind != second.kind and not _overlap(first.change, second.change)
    ]
    return sorted(found, key=lambda item: item.effort)


def _overlap(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    return "parallelism" in first and "parallelism" in second


def _settings(request: EstimateRequest, memory: MemoryBatch) -> Iterator[Candidate]:
    settings, engine = request.settings, request.engine.values
    if settings.enforce_eager:
        yield _setting(request, "drop_eager", 10, ("start_slower",), enforce_eager=False)
    yield from _slots(request, memory)
    yield from _lengths(request, memory)
    if engine["budget"] != "whole_context":
        present, total = float(memory.gpu_memory_utilization[0]), float(memory.total_gib[0])
        for share in UTILIZATIONS:
            if share > present + 0.005 and total * (1 - share) >= RESERVE_GIB:
                yield _setting(request, "utilization", 15, ("less_reserve",), gpu_memory_utilization=share)
    for tokens in TOKEN_BATCHES:
        if float(memory.max_num_seqs[0]) <= tokens < float(memory.max_num_batched_tokens[0]):
            yield _setting(request, "token_batch", 16, ("slower_prompts",), max_num_batched_tokens=tokens)


def _slots(request: EstimateRequest, memory: MemoryBatch) -> Iterator[Candidate]:
    workload = request.workload
    if workload is None:
        return
    slots = math.ceil(workload.concurrency / request.parallelism.data)
    if memory.max_num_seqs[0] < slots:
        yield _setting(request, "more_slots", 11, (), max_num_seqs=slots)


def _lengths(request: EstimateRequest, memory: MemoryBatch) -> Iterator[Candidate]:
    """Lengths that the workload needs; where it says nothing, the longest that the reasons know to start."""
    present, workload = float(memory.max_model_len[0]), request.workload
    limit = request.model.max_position_embeddings
    longest = [
        reason.fix["settings"]["max_model_len"]
        for reason in memory.reasons[0]
        if reason.fix and "max_model_len" in reason.fix.get("settings", {})
    ]
    if workload is None:
        for length in longest:
            yield _setting(request, "shorter_context", 20, ("shorter_requests",), max_model_len=length)
        return
    needed = workload.longest_tokens or workload.input_tokens + workload.output_tokens
    mean = workload.input_tokens + workload.output_tokens
    if present < mean <= limit:
        yield _setting(request, "longer_context", 12, (), max_model_len=min(_roomy(needed), limit))
    slots = request.settings.max_num_seqs
    if request.engine.values["budget"] == "whole_context" and slots is None:
        # its cache has a fixed size, that of one context, which all requests share
        yield _setting(request, "shared_context", 13, (), max_model_len=_roomy(needed * workload.concurrency))
    for length in sorted({*longest, _roomy(needed), round_up(needed, 16)}, reverse=True):
        if needed <= length < present:
            yield _setting(request, "shorter_context", 20, ("shorter_requests",), max_model_len=length)


def _roomy(tokens: int) -> int:
    return round_up(math.ceil(tokens * LENGTH_HEADROOM), LENGTH_STEP)


def _setting(
    request: EstimateRequest, code: str, effort: int, price: tuple[str, ...], **setting: Any
) -> Candidate:
    """One setting changed. Where settings were derived, it takes the others along: it stands in their place."""
    own = {item.name: getattr(request.settings, item.name) for item in fields(Settings)}
    kept = {name: value for name, value in own.items() if value not in (None, False)}
    whole = {**(kept if request.derive_settings else {}), **setting}
    return Candidate(
        code=code, kind=code, effort=effort, price=price, change={"settings": whole}, values=dict(setting)
    )


def _versions(request: EstimateRequest, catalog: Catalog) -> Iterator[Candidate]:
    newest = str(catalog.engines[request.engine.name]["newest"])
    asked = release_of(request.engine.version)
    if asked is None or (release_of(newest) or ()) <= asked:
        return
    yield Candidate(
        code="newer_engine",
        kind="engine",
        effort=25,
        price=("other_version",),
        change={"engine": {"name": request.engine.name, "version": newest}},
        values={"engine": request.engine.name, "version": newest},
    )


def _formats(request: EstimateRequest, catalog: Catalog) -> Iterator[Candidate]:
    accepted = request.engine.values["kv_cache_dtypes"]
    names = [next((name for name in group if name in accepted), None) for group in NARROW_CACHES]
    for dtype in names:
        if dtype is not None and request.kv_cache_dtype != dtype:
            yield Candidate(
                code="narrow_cache",
                kind="cache",
                effort=30,
                price=("cache_quality",),
                change={"kv_cache_dtype": dtype},
                values={"dtype": dtype},
            )
    gguf = request.engine.name == "llama.cpp"
    four = int4_name(request.model, request.engine)
    for scheme, effort in zip(GGUF if gguf else (EIGHT_BIT_WEIGHTS, four), (40, 45), strict=True):
        if catalog.schemes[scheme].bytes_per_weight < SMALLER * request.scheme.bytes_per_weight:
            yield Candidate(
                code="narrow_weights",
                kind="weights",
                effort=effort,
                price=("weights_quality_8" if effort == 40 else "weights_quality_4",),
                change={"weights": scheme},
                values={"scheme": scheme},
            )


def _layouts(request: EstimateRequest) -> Iterator[Candidate]:
    """The same cards, grouped in another way: replicas first, then tensor groups, then stages."""
    cards, present = request.count, request.parallelism
    degrees = [
        (tensor, pipeline, cards // (tensor * pipeline))
        for tensor in (1, 2, 4, 8)
        for pipeline in (1, 2, 4, 8)
        if tensor * pipeline <= cards and cards % (tensor * pipeline) == 0
    ]
    for tensor, pipeline, data in sorted(degrees, key=lambda item: (-item[2], item[1])):
        if (tensor, pipeline, data) != (present.tensor, present.pipeline, present.data):
            yield _layout("layout", 14, request, (tensor, pipeline, data))


def _more_cards(request: EstimateRequest) -> Iterator[Candidate]:
    tensor, pipeline, data = (
        request.parallelism.tensor,
        request.parallelism.pipeline,
        request.parallelism.data,
    )
    for step, factor in enumerate(MORE):
        effort = 50 + 2 * step
        if tensor * factor <= WIDEST_TENSOR:
            yield _layout("tensor", effort, request, (tensor * factor, pipeline, data))
        yield _layout("replicas", effort + 1, request, (tensor, pipeline, data * factor))
    yield _layout("stages", 52, request, (tensor, pipeline * 2, data))


def _layout(kind: str, effort: int, request: EstimateRequest, degrees: tuple[int, int, int]) -> Candidate:
    tensor, pipeline, data = degrees
    count = tensor * pipeline * data
    more = count > request.count
    parallelism = {"tensor": tensor, "pipeline": pipeline, "data": data}
    return Candidate(
        code="more_cards" if more else "other_layout",
        kind=kind,
        effort=effort,
        price=("more_cards",) if more else (),
        change={"count": count, "parallelism": parallelism},
        values={"count": count, **parallelism, "before": _shown(request.parallelism)},
    )


def _shown(parallelism: Parallelism) -> dict[str, int]:
    return {
        "tensor": parallelism.tensor,
        "pipeline": parallelism.pipeline,
        "data": parallelism.data,
    }


def _other_cards(request: EstimateRequest, catalog: Catalog) -> Iterator[Candidate]:
    """Cards of the same vendor that are larger and no slower, or faster and no smaller; the nearest ones."""
    present = request.accelerator
    if present is None or present.memory_gib is None or present.bandwidth_gb_s is None:
        return
    year = _launch_year(catalog, present)
    better = [
        card
        for card in catalog.accelerators.values()
        if _is_step_up(card, present, catalog.accelerator_records.get(card.id, {}).get("on_sale"))
        and _launch_year(catalog, card) >= year
    ]
    for_memory = sorted(better, key=lambda card: (card.memory_gib, card.bandwidth_gb_s, card.id))
    for_speed = sorted(better, key=lambda card: (card.bandwidth_gb_s, card.memory_gib, card.id))
    tried = for_memory[:CARDS_TRIED]
    if judged(request.targets):
        tried += for_speed[:CARDS_TRIED]
    # What was said of the machine itself is no fact of another one.
    own = request.power is not None or present != catalog.accelerators[present.id]
    without = {"power_limit_w": None, "power_mode": None, "host_memory_gib": None} if own else {}
    for card in dict.fromkeys(tried):
        yield _card(card, request.count, without)
        if request.count > 1:
            alone = {**without, "count": 1, "parallelism": {"tensor": 1, "pipeline": 1, "data": 1}}
            yield _card(card, 1, alone)


def _launch_year(catalog: Catalog, card: AcceleratorSpec) -> int:
    return int(catalog.accelerator_records.get(card.id, {}).get("launch_year") or 0)


def _card(card: AcceleratorSpec, count: int, change: Mapping[str, Any]) -> Candidate:
    return Candidate(
        code="other_card",
        kind="one_card" if "count" in change else "card",
        effort=70,
        price=("other_card",),
        change={"accelerator": card.id, **change},
        values={"accelerator": card.id, "name": card.name, "count": count},
    )


def _is_step_up(card: AcceleratorSpec, present: AcceleratorSpec, on_sale: bool | None) -> bool:
    if on_sale is False or card.vendor != present.vendor or "laptop" in card.id or card.id == present.id:
        return False
    classes = SERVER_CLASSES if present.accelerator_class in SERVER_CLASSES else {present.accelerator_class}
    if card.accelerator_class not in classes or card.memory_gib is None or card.bandwidth_gb_s is None:
        return False
    memory, bandwidth = present.memory_gib or 0.0, present.bandwidth_gb_s or 0.0
    larger, faster = card.memory_gib > 1.05 * memory, card.bandwidth_gb_s > 1.05 * bandwidth
    return (larger and card.bandwidth_gb_s >= 0.95 * bandwidth) or (
        faster and card.memory_gib >= 0.95 * memory
    )
