"""What tables that go round say of model and card, held against the loads of the reference sheet."""

from collections.abc import Sequence
from dataclasses import dataclass

from planner.core.engines import resolve_engine
from planner.core.estimate import evaluate
from planner.core.improve import spare_gib
from planner.core.reference import ENGINE, LOADS, SPEED_OF, asked, holds
from planner.core.request import EstimateRequest, Parallelism
from planner.core.specs import Catalog, EngineSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """One line of such a table. `stated_gb` is the memory that it reckons with, in decimal GB as it is written."""

    code: str
    model: str
    scheme: str
    accelerator: str
    tensor: int
    stated_gb: float


SAYINGS = (
    Saying(
        code="two_bytes_per_parameter",
        model="Qwen/Qwen2.5-7B-Instruct",
        scheme="bf16",
        accelerator="nvidia-rtx-4060-ti-16gb",
        tensor=1,
        stated_gb=14,
    ),
    Saying(
        code="thirteen_on_24",
        model="meta-llama/Llama-2-13b-hf",
        scheme="fp16",
        accelerator="nvidia-rtx-4090",
        tensor=1,
        stated_gb=26,
    ),
    Saying(
        code="thirty_two_on_24",
        model="Qwen/Qwen2.5-32B-Instruct",
        scheme="awq-int4",
        accelerator="nvidia-rtx-4090",
        tensor=1,
        stated_gb=16,
    ),
    Saying(
        code="seventy_on_48",
        model="meta-llama/Llama-3.3-70B-Instruct",
        scheme="int4-g128",
        accelerator="nvidia-l40s",
        tensor=1,
        stated_gb=35,
    ),
    Saying(
        code="seventy_on_two_24",
        model="meta-llama/Llama-3.3-70B-Instruct",
        scheme="int4-g128",
        accelerator="nvidia-rtx-4090",
        tensor=2,
        stated_gb=35,
    ),
    Saying(
        code="seventy_on_two_80",
        model="meta-llama/Llama-3.3-70B-Instruct",
        scheme="bf16",
        accelerator="nvidia-h100-sxm5-80gb",
        tensor=2,
        stated_gb=140,
    ),
    Saying(
        code="active_parameters_only",
        model="Qwen/Qwen3-30B-A3B",
        scheme="int4-g128",
        accelerator="nvidia-rtx-4060",
        tensor=1,
        stated_gb=1.65,
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A saying beside the exact result. Per load: whether it holds, and how many full contexts fit (NaN: none start).

    GiB per card: weights exactly, what is left for the cache with slots for 16 users, cache of one context of 4,096 tokens; `short_gib` is
    what lacks to start at all, 0 where it starts.
    """

    saying: Saying
    request: EstimateRequest
    holds: tuple[bool, ...]
    contexts: tuple[float, ...]
    weights_gib: float
    card_gib: float
    left_gib: float
    kv_per_context_gib: float
    short_gib: float


def checked(catalog: Catalog) -> list[Checked]:
    """All sayings whose model and card the catalog has."""
    engine = resolve_engine(catalog.engines, ENGINE, None)
    assert isinstance(engine, EngineSpec)  # the newest version of a table is always known
    known = [
        saying
        for saying in SAYINGS
        if saying.model in catalog.models and saying.accelerator in catalog.accelerators
    ]
    return [_checked(saying, engine, catalog) for saying in known]


def _checked(saying: Saying, engine: EngineSpec, catalog: Catalog) -> Checked:
    card, plan = catalog.accelerators[saying.accelerator], Parallelism(tensor=saying.tensor)
    model, scheme = catalog.models[saying.model], catalog.schemes[saying.scheme]
    requests = [asked(model, scheme, engine, card=card, plan=plan, load=load) for load in LOADS]
    _, memory, _ = evaluate(requests, catalog)
    rows = range(len(LOADS))
    spare = spare_gib(memory)
    return Checked(
        saying=saying,
        request=requests[0],
        holds=tuple(holds(memory, row, requests[row], LOADS[row]) for row in rows),
        contexts=_contexts(memory.verdicts, memory.max_concurrency.tolist()),
        weights_gib=float(memory.weights_gib[0]),
        card_gib=float(memory.total_gib[0]),
        left_gib=max(0.0, float(memory.kv_cache_gib[SPEED_OF])),
        kv_per_context_gib=float(memory.kv_bytes_per_token[0]) * LOADS[0].context / (1 << 30),
        short_gib=max(0.0, -float(spare[0])) if memory.verdicts[0] != "fits" else 0.0,
    )


def _contexts(verdicts: Sequence[str], rooms: Sequence[float]) -> tuple[float, ...]:
    return tuple(
        room if verdict == "fits" else float("nan") for verdict, room in zip(verdicts, rooms, strict=True)
    )
